"""Prove the value of positions."""

from __future__ import annotations

import dataclasses
import enum
import time

from mammalath_env.agents.alphabeta import AlphaBetaAgent, SearchResult
from mammalath_env.agents.limits import Limits
from mammalath_env.core.position import Position


class Verdict(enum.Enum):
    """The value of a position for the player to move."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"
    UNKNOWN = "unknown"


@dataclasses.dataclass(frozen=True)
class Solution:
    """A proof by `solve`.

    Attributes:
        verdict: The value for the player to move, if it could be proven.
        plies: Plies to the end if the winner hurries and the loser delays; None for a draw and
            where nothing is proven.
        line: Actions of a line in which both players play best, to its end or as far as the
            limits allowed; empty where nothing is proven.
        nodes: Positions that were visited.
    """

    verdict: Verdict
    plies: int | None
    line: tuple[int, ...]
    nodes: int


def solve(
    position: Position,
    *,
    nodes: int | None = 1_000_000,
    seconds: float | None = None,
    table_bits: int = 20,
) -> Solution:
    """Prove the value of `position`, within limits.

    Args:
        position: Running or finished.
        nodes: Positions to visit, or None for no such limit.
        seconds: Time, or None for no such limit.
        table_bits: As for `AlphaBetaAgent`.

    Returns:
        The verdict, `Verdict.UNKNOWN` if the limits did not suffice.

    Raises:
        TypeError, ValueError: A limit is impossible, or there is none.
    """
    if nodes is None and seconds is None:
        raise ValueError("solve() needs a limit: nodes or seconds")
    agent = AlphaBetaAgent(0, nodes=nodes, seconds=seconds, table_bits=table_bits)
    given = Limits(nodes=nodes, seconds=seconds)
    deadline = given.deadline_for(position.to_move)
    spent = 0
    line: list[int] = []
    first: SearchResult | None = None
    current = position
    # Move by move along a best line. The table makes all but the first search short.
    while not current.is_over:
        left = deadline - time.perf_counter()
        if left <= 0 or (nodes is not None and spent >= nodes):
            break
        found = agent.search(
            current,
            Limits(
                nodes=None if nodes is None else nodes - spent,
                seconds=None if seconds is None else left,
            ),
        )
        spent += found.nodes
        if found.plies_to_end is None and not found.is_exact:
            break
        if first is None:
            first = found
        line.append(found.action)
        current = current.play(found.action)
    outcome = position.outcome
    if outcome is not None:
        plies, won = (None if outcome.winner is None else 0), outcome.winner == position.to_move
    elif first is None:
        return Solution(Verdict.UNKNOWN, None, (), spent)
    else:
        plies, won = first.plies_to_end, (first.plies_to_end or 0) > 0
    verdict = Verdict.DRAW if plies is None else Verdict.WIN if won else Verdict.LOSS
    return Solution(verdict, None if plies is None else abs(plies), tuple(line), spent)
