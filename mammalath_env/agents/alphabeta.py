"""The agent that searches by alpha-beta with iterative deepening."""

from __future__ import annotations

import dataclasses
import math
import time

import numpy as np

from mammalath_env.agents import alphabeta_kernels as kernels
from mammalath_env.agents.agent import require_running
from mammalath_env.agents.values import estimate
from mammalath_env.core.checks import checked_integer, checked_number
from mammalath_env.core.position import Position
from mammalath_env.core.stream import new_stream

DEFAULT_DEPTH = 3
MAX_DEPTH = 250
# Nodes between two readings of the clock, some milliseconds.
_SLICE_NODES = 5_000


@dataclasses.dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    Attributes:
        action: The best action.
        value: Its value for the player to move: an evaluation of the game between -10,000 and
            10,000, or a proven result.
        depth: Plies that were searched in full.
        nodes: Positions that were visited, including those of a last search that a limit stopped.
        plies_to_end: Plies to the proven win (positive) or loss (negative), or None.
        is_exact: Whether `value` is the value of the game, with no evaluation in it.
    """

    action: int
    value: int
    depth: int
    nodes: int
    plies_to_end: int | None
    is_exact: bool


class AlphaBetaAgent:
    """Searches by alpha-beta with iterative deepening.

    Lines end where the player to move can win at once, or cannot meet the opponent's threats.
    Depth grows ply by ply until a limit is reached or the game is decided. A transposition table
    is kept from move to move. Of proven wins the quickest is played, of proven losses the slowest;
    other positions are judged by the evaluation of the game. Equal actions are chosen among at
    random.

    Attributes:
        depth: Most plies of a search.
        nodes: Most positions to visit for a move; infinite if there is no such limit.
        seconds: Most time for a move; infinite if there is no such limit.
    """

    name = "alphabeta"
    last_value: float | None = None

    def __init__(
        self,
        seed: int | np.random.Generator | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        table_bits: int = 18,
    ) -> None:
        """Set the limits; if there are none, the depth is `DEFAULT_DEPTH`.

        Args:
            seed: Seed of the choice among equal actions.
            depth: Plies, 1 to 250.
            nodes: Positions to visit for a move, at least 1. A first ply is always searched.
            seconds: Time for a move, above 0. The result then depends on the machine.
            table_bits: The transposition table has 2**table_bits entries, 8 to 28; an entry takes
                16 bytes.

        Raises:
            TypeError: A limit is not a number.
            ValueError: A limit is impossible.
        """
        if depth is None and nodes is None and seconds is None:
            depth = DEFAULT_DEPTH
        self.depth = checked_integer("depth", MAX_DEPTH if depth is None else depth, 1, MAX_DEPTH)
        self.nodes = math.inf if nodes is None else checked_integer("nodes", nodes, 1)
        self.seconds = math.inf if seconds is None else checked_number("seconds", seconds, above=0)
        bits = checked_integer("table_bits", table_bits, 8, 28)
        self._rng = np.random.default_rng(int(new_stream(seed)[0]))
        size = 1 << bits
        self._table = kernels.Table(
            keys=np.zeros(size, np.uint64),
            values=np.zeros(size, np.int32),
            actions=np.zeros(size, np.int16),
            depths=np.zeros(size, np.uint8),
            bounds=np.zeros(size, np.uint8),
        )
        self._game: object = None

    def act(self, position: Position) -> int:
        """See `Agent.act`."""
        result = self.search(position)
        if result.plies_to_end is not None:
            self.last_value = 1.0 if result.plies_to_end > 0 else -1.0
        else:
            self.last_value = estimate(float(result.value))
        return result.action

    def search(self, position: Position) -> SearchResult:
        """Search `position` as deep as the limits allow.

        Raises:
            GameOverError: The game is over.
        """
        require_running(position)
        if self._game != position.game:
            self._table.keys[:] = 0
            self._game = position.game
        has_limit = min(self.nodes, self.seconds) < math.inf
        deadline = time.perf_counter() + self.seconds
        best: SearchResult | None = None
        stack = _new_stack(position, self.depth)
        for depth in range(1, self.depth + 1):
            found = self._search_to(
                depth, position, stack, deadline if best and has_limit else None
            )
            if found is None:
                break
            best = found
            if best.is_exact or best.plies_to_end is not None or best.nodes >= self.nodes:
                break
        assert best is not None
        return dataclasses.replace(best, nodes=int(stack.control[kernels.NODES]))

    def _search_to(
        self, depth: int, position: Position, stack: kernels.Stack, deadline: float | None
    ) -> SearchResult | None:
        """Search to one depth; return None if a limit stops the search.

        Without a deadline no limit applies.
        """
        tables = position.game.tables
        kernels.start_search(tables, stack, self._table, depth)
        # The order of the root's actions decides among equals.
        count = int(stack.numbers[0, kernels.COUNT])
        order = self._rng.permutation(count)
        stack.actions[0, :count] = stack.actions[0, order]
        stack.values[0, :count] = stack.values[0, order]
        finished = False
        while not finished:
            allowed = _SLICE_NODES
            if deadline is not None:
                allowed = int(min(allowed, self.nodes - stack.control[kernels.NODES]))
                if allowed < 1 or time.perf_counter() >= deadline:
                    return None
            finished = kernels.resume(tables, stack, self._table, allowed)
        value = int(stack.numbers[0, kernels.BEST])
        plies_to_end = None
        if abs(value) > kernels.PROVEN:
            plies_to_end = kernels.WIN - value if value > 0 else -kernels.WIN - value
        return SearchResult(
            action=int(stack.numbers[0, kernels.BEST_ACTION]),
            value=value,
            depth=depth,
            nodes=int(stack.control[kernels.NODES]),
            plies_to_end=plies_to_end,
            is_exact=bool(stack.numbers[0, kernels.EXACT]),
        )


def _new_stack(position: Position, depth: int) -> kernels.Stack:
    game = position.game
    stack = kernels.Stack(
        rows=np.zeros((depth + 2, game.num_words), np.uint64),
        actions=np.zeros((depth + 2, game.num_actions), np.int16),
        values=np.zeros((depth + 2, game.num_actions), np.int32),
        numbers=np.zeros((depth + 2, kernels.NUM_NUMBERS), np.int64),
        legal=game.new_legal(),
        control=np.zeros(kernels.NUM_CONTROLS, np.int64),
    )
    stack.rows[0] = position.row
    return stack
