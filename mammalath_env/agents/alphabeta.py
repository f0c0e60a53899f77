"""The agent that searches by alpha-beta with iterative deepening."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Collection

import numpy as np

from mammalath_env.agents import alphabeta_kernels as kernels
from mammalath_env.agents.agent import require_running
from mammalath_env.agents.analysis import Analysis, Line
from mammalath_env.agents.limits import NO_LIMITS, Limits, combined_limits
from mammalath_env.agents.values import estimate
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.position import Position
from mammalath_env.core.status import DRAW
from mammalath_env.core.stream import new_stream

DEFAULT_DEPTH = 3
MAX_DEPTH = 250
# Nodes between two readings of the clock, some milliseconds.
_SLICE_NODES = 5_000
# Positions to visit for a move of a variation that the transposition table has lost.
_VARIATION_NODES = 20_000


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

    @property
    def is_decided(self) -> bool:
        """Whether no deeper search can change the value."""
        return self.is_exact or self.plies_to_end is not None


class AlphaBetaAgent:
    """Searches by alpha-beta with iterative deepening.

    Lines end where the player to move can win at once, or cannot meet the opponent's threats.
    Depth grows ply by ply until a limit is reached or the game is decided. A transposition table
    is kept from move to move. Of proven wins the quickest is played, of proven losses the slowest;
    other positions are judged by the evaluation of the game. Equal actions are chosen among at
    random.
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
        if depth is not None:
            checked_integer("depth", depth, 1, MAX_DEPTH)
        self._limits = Limits(seconds=seconds, nodes=nodes, depth=depth)
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
        return self.act_within(position, NO_LIMITS)

    def act_within(self, position: Position, limits: Limits) -> int:
        """See `mammalath_env.agents.agent.act_within`."""
        result = self.search(position, limits)
        self.last_value = _value(result)
        return result.action

    def search(self, position: Position, limits: Limits = NO_LIMITS) -> SearchResult:
        """Search `position` as deep as the limits allow, one ply at least.

        Raises:
            GameOverError: The game is over.
        """
        return self._deepen(position, self._combined(position, limits))

    def analyze(
        self, position: Position, limits: Limits | None = None, *, lines: int = 1
    ) -> Analysis:
        """See `Analyst.analyze`.

        The best move is searched first. Each of the others is searched likewise among those that
        are left, but no deeper. Time is shared equally by the lines; a limit in positions holds for
        each of them. Variations are read from the transposition table.
        """
        checked_integer("lines", lines, 1)
        within = self._combined(position, NO_LIMITS if limits is None else limits)
        deadline = within.deadline_for(position.to_move)
        legal = position.legal_actions()
        same = {}
        if lines > 1:
            game = position.game
            same = {action: game.canonical_position(position.play(action)) for action in legal}
        results: list[SearchResult] = []
        found: list[Line] = []
        excluded: set[int] = set()
        while len(found) < lines and len(excluded) < len(legal):
            seconds = max(deadline - time.perf_counter(), 1e-6) / (lines - len(found))
            within = dataclasses.replace(
                within, clock=None, seconds=None if math.isinf(seconds) else seconds
            )
            result = self._deepen(position, within, excluded)
            if not results and not result.is_decided:
                within = dataclasses.replace(within, depth=result.depth)
            results.append(result)
            found.append(self._line(position, result))
            excluded |= {action for action in same if same[action] == same[result.action]}
        return Analysis(tuple(found), sum(result.nodes for result in results), results[0].depth)

    def _combined(self, position: Position, limits: Limits) -> Limits:
        """Return what a search of `position` has to obey; prepare the table for its game."""
        require_running(position)
        if self._game != position.game:
            self._table.keys[:] = 0
            self._game = position.game
        return combined_limits(limits, self._limits, Limits(depth=DEFAULT_DEPTH))

    def _deepen(
        self, position: Position, limits: Limits, excluded: Collection[int] = ()
    ) -> SearchResult:
        """Search ply by ply, without the actions that are excluded."""
        deadline = limits.deadline_for(position.to_move)
        most_depth = min(limits.depth or MAX_DEPTH, MAX_DEPTH)
        best: SearchResult | None = None
        stack = _new_stack(position, most_depth)
        stack.control[kernels.IS_PARTIAL] = bool(excluded)
        for depth in range(1, most_depth + 1):
            found = self._search_to(
                depth, position, stack, limits if best else None, deadline, excluded
            )
            if found is None:
                break
            best = found
            if best.is_decided or (limits.nodes is not None and best.nodes >= limits.nodes):
                break
        assert best is not None
        return dataclasses.replace(best, nodes=int(stack.control[kernels.NODES]))

    def _search_to(
        self,
        depth: int,
        position: Position,
        stack: kernels.Stack,
        limits: Limits | None,
        deadline: float,
        excluded: Collection[int],
    ) -> SearchResult | None:
        """Search to one depth; return None if a limit stops the search."""
        tables = position.game.tables
        kernels.start_search(tables, stack, self._table, depth)
        # The order of the root's actions decides among equals.
        count = int(stack.numbers[0, kernels.COUNT])
        order = self._rng.permutation(count)
        if excluded:
            order = order[~np.isin(stack.actions[0, order], list(excluded))]
            count = len(order)
            stack.numbers[0, kernels.COUNT] = count
        stack.actions[0, :count] = stack.actions[0, order]
        stack.values[0, :count] = stack.values[0, order]
        finished = False
        while not finished:
            allowed = _SLICE_NODES
            if limits is not None:
                if limits.nodes is not None:
                    allowed = min(allowed, limits.nodes - int(stack.control[kernels.NODES]))
                if allowed < 1 or limits.is_stopped or time.perf_counter() >= deadline:
                    return None
            finished = kernels.resume(tables, stack, self._table, allowed)
        value = int(stack.numbers[0, kernels.BEST])
        plies = _proven_plies(value)
        return SearchResult(
            action=int(stack.numbers[0, kernels.BEST_ACTION]),
            value=value,
            depth=depth,
            nodes=int(stack.control[kernels.NODES]),
            plies_to_end=plies if plies is None or value > 0 else -plies,
            is_exact=bool(stack.numbers[0, kernels.EXACT]),
        )

    def _line(self, position: Position, result: SearchResult) -> Line:
        plies = result.plies_to_end
        winner = None
        if plies is not None:
            winner = position.to_move if plies > 0 else 1 - position.to_move
        elif result.is_exact:
            winner = DRAW
        return Line(
            self._variation(position, result),
            _value(result),
            winner=winner,
            plies=None if plies is None else abs(plies),
        )

    def _variation(self, position: Position, result: SearchResult) -> tuple[int, ...]:
        """Return how the game goes on by the table, and by short searches where there is a proof.

        It ends where the proof or the search ends, or earlier where entries have been replaced.
        """
        line = [result.action]
        length = result.depth if result.plies_to_end is None else abs(result.plies_to_end)
        current = position.play(result.action)
        while len(line) < length and not current.is_over:
            left = length - len(line)
            entry = self._entry(current)
            if entry is not None and (
                result.plies_to_end is None or _proven_plies(entry[1]) == left
            ):
                action = entry[0]
            elif result.plies_to_end is None:
                break
            else:
                found = self._deepen(current, Limits(depth=left, nodes=_VARIATION_NODES))
                if found.plies_to_end is None:
                    break
                action = found.action
            line.append(action)
            current = current.play(action)
        return tuple(line)

    def _entry(self, position: Position) -> tuple[int, int] | None:
        """Return the best action and the value in the table, unless the value is only a bound."""
        key = kernels.hash_row(position.row)
        slot = int(key) & (len(self._table.keys) - 1)
        if self._table.keys[slot] != key or self._table.bounds[slot] != kernels.BOUND_EXACT:
            return None
        action = int(self._table.actions[slot])
        return (action, int(self._table.values[slot])) if position.action_mask()[action] else None


def _proven_plies(value: int) -> int | None:
    """Return the plies to a proven win or loss, or None if the value is no such proof."""
    return kernels.WIN - abs(value) if abs(value) > kernels.PROVEN else None


def _value(result: SearchResult) -> float:
    """Return the value of the action for the player to move, from -1 to 1."""
    if result.plies_to_end is not None:
        return 1.0 if result.plies_to_end > 0 else -1.0
    return estimate(float(result.value))


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
