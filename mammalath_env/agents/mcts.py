"""The agent of Monte Carlo tree search (UCT)."""

from __future__ import annotations

import dataclasses
import itertools
import math
import time

import numpy as np

from mammalath_env.agents import tree as trees
from mammalath_env.agents.agent import require_running
from mammalath_env.agents.analysis import Analysis, Line
from mammalath_env.agents.limits import NO_LIMITS, Limits, combined_limits
from mammalath_env.agents.reroot import find_node, reroot
from mammalath_env.agents.uct_kernels import simulate
from mammalath_env.agents.values import UNPROVEN, find_win
from mammalath_env.agents.variations import analysis_of, decided_line, tree_lines
from mammalath_env.core.bits import WORD_BITS
from mammalath_env.core.checks import checked_choice, checked_integer, checked_number
from mammalath_env.core.position import Position
from mammalath_env.core.stream import new_stream

DEFAULT_SIMULATIONS = 1000
# Simulations between two readings of the clock, some milliseconds, by the playouts.
_SLICE_SIMULATIONS = {"random": 500, "greedy": 50}
_MAX_SIMULATIONS = 10_000_000
_FIRST_CAPACITY = 1 << 14
# Positions of an alpha-beta search that take about as long as a simulation.
_NODES_PER_SIMULATION = 50


@dataclasses.dataclass(frozen=True)
class MCTSResult:
    """The result of a search.

    Attributes:
        action: The best action.
        value: Value of the position for the player to move, from -1 to 1.
        visits: Simulations by action, of this and, where the tree was kept, of earlier searches.
        simulations: Simulations of this search.
        winner: The proven winner, 0, 1 or 2 for a draw, or None if nothing is proven.
        plies_left: Plies to the end by the proof, or None if nothing is proven.
    """

    action: int
    value: float
    visits: dict[int, int]
    simulations: int
    winner: int | None
    plies_left: int | None


class MCTSAgent:
    """Plays the action with most visits of a Monte Carlo tree search (UCT).

    A simulation goes down the tree by upper confidence bounds, adds a leaf, and plays the game out
    from there. A node starts as if it had been visited a number of times, `prior_visits`, with the
    value that the evaluation of the game gives it (Gelly and Silver, 2007). Positions that the
    rules or their children decide are proven, and proven results are backed up (MCTS-Solver); a
    position counts as decided if it can be won at once or is lost whatever is played. An action
    that wins at once is played without simulations. Where a win is proven, an alpha-beta search
    looks for a quicker one within what is left of the limits. The tree below the position that is
    reached is kept from move to move.
    """

    name = "mcts"
    last_value: float | None = None

    def __init__(
        self,
        seed: int | np.random.Generator | None = None,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        exploration: float = 0.2,
        prior_visits: int = 60,
        playouts: str = "greedy",
        memory: float = trees.DEFAULT_MEMORY,
        temperature: float = 0.0,
    ) -> None:
        """Set the limits; without any, there are `DEFAULT_SIMULATIONS` for a move.

        Args:
            seed: Seed of all draws.
            simulations: Simulations for a move, 1 to 10,000,000.
            seconds: Time for a move, above 0. The result then depends on the machine.
            exploration: Weight of the exploration term, above 0 and at most 1,000,000.
            prior_visits: Visits that the evaluation of a position counts as, 0 to 1,000,000. With
                0, and random playouts, the search uses nothing but the rules.
            playouts: ``"random"``, or ``"greedy"`` for playouts by the agent of that name.
            memory: Megabytes (2**20 bytes) that the tree may take, above 0. A search that has used
                them up goes on without new nodes.
            temperature: 0 plays the best action. Above 0, and at most 1,000,000, one is drawn with
                a probability proportional to its visits to the power of 1 / `temperature`, which
                makes the agent weaker. Proofs do not count then, but a win at once is played.

        Raises:
            TypeError: A limit is not a number.
            ValueError: A limit or `playouts` is impossible.
        """
        if simulations is not None:
            checked_integer("simulations", simulations, 1, _MAX_SIMULATIONS)
        self._limits = Limits(seconds=seconds, nodes=simulations)
        self._exploration = checked_number("exploration", exploration, above=0, highest=1e6)
        self._prior_visits = float(checked_integer("prior_visits", prior_visits, 0, 1_000_000))
        self._greedy_playouts = playouts == "greedy"
        self._slice = _SLICE_SIMULATIONS[checked_choice("playouts", playouts, _SLICE_SIMULATIONS)]
        self._memory = trees.checked_memory(memory)
        self._temperature = checked_number("temperature", temperature, 0, 1e6)
        self._stream = new_stream(seed)
        self._rng = np.random.default_rng(int(self._stream[0]))
        self._root: Position | None = None
        self._tree = trees.new_tree(1)

    def act(self, position: Position) -> int:
        """See `Agent.act`."""
        return self.act_within(position, NO_LIMITS)

    def act_within(self, position: Position, limits: Limits) -> int:
        """See `mammalath_env.agents.agent.act_within`."""
        result = self.search(position, limits)
        self.last_value = result.value
        return result.action if self._temperature == 0 else self._drawn(result)

    def search(self, position: Position, limits: Limits = NO_LIMITS) -> MCTSResult:
        """Run simulations from `position`.

        Raises:
            GameOverError: The game is over.
        """
        return self._run(position, limits)[0]

    def analyze(
        self, position: Position, limits: Limits | None = None, *, lines: int = 1
    ) -> Analysis:
        """See `Analyst.analyze`; the temperature has no part in it."""
        checked_integer("lines", lines, 1)
        result, first = self._run(position, NO_LIMITS if limits is None else limits)
        found = tree_lines(position, self._tree, self._prior_visits)
        if first is not None:
            found = itertools.chain([first], found)
        return analysis_of(position, found, lines, result.simulations)

    def _run(self, position: Position, limits: Limits) -> tuple[MCTSResult, Line | None]:
        """Run simulations; the line is that of the action where the tree does not have it."""
        require_running(position)
        game = position.game
        work = trees.new_workspace(game)
        self._move_root(position, work)
        win = int(find_win(game.tables, position.row, work.legal, work.child))
        if win >= 0:
            result = MCTSResult(win, 1.0, {win: 1}, 0, position.to_move, 1)
            return result, decided_line(position, (win,), position.to_move)
        limits = combined_limits(limits, self._limits, Limits(nodes=DEFAULT_SIMULATIONS))
        deadline = limits.deadline_for(position.to_move)
        simulations = min(limits.nodes or _MAX_SIMULATIONS, _MAX_SIMULATIONS)
        expansion = WORD_BITS * len(work.legal)
        most = trees.nodes_within(self._memory, expansion)
        done = 0
        while done < simulations:
            done += simulate(
                game.tables,
                self._tree,
                position.row,
                work,
                self._stream,
                self._exploration,
                self._prior_visits,
                self._greedy_playouts,
                min(simulations - done, self._slice),
                trees.make_room(self._tree, expansion, most),
            )
            is_proven = self._tree.proven[0] != UNPROVEN
            if is_proven or limits.is_stopped or time.perf_counter() >= deadline:
                break
        result = self._result(done)
        seconds = deadline - time.perf_counter()
        if result.winner != position.to_move or done >= simulations or seconds <= 0:
            return result, None
        left = Limits(
            seconds=None if math.isinf(seconds) else seconds,
            nodes=(simulations - done) * _NODES_PER_SIMULATION,
            stop=limits.stop,
        )
        quicker = self._quicker(position, result, left)
        if quicker is None:
            return result, None
        return dataclasses.replace(result, action=quicker.action, plies_left=quicker.plies), quicker

    def _quicker(self, position: Position, won: MCTSResult, limits: Limits) -> Line | None:
        """Return a quicker win than the proven one, if a search finds it within the limits."""
        assert won.plies_left is not None
        # No win is quicker than one of three plies, as one of a single ply has been looked for.
        if won.plies_left <= 3:
            return None
        from mammalath_env.agents.alphabeta import MAX_DEPTH, AlphaBetaAgent

        agent = AlphaBetaAgent(int(self._stream[0]), depth=min(won.plies_left - 1, MAX_DEPTH))
        line = agent.analyze(position, limits).lines[0]
        return line if line.winner == position.to_move else None

    def _drawn(self, result: MCTSResult) -> int:
        """Return an action that is drawn by its visits."""
        visits = np.array(list(result.visits.values()), np.float64)
        if not visits.any():  # proven before any action was visited
            return result.action
        weights = (visits / visits.max()) ** (1.0 / self._temperature)
        return int(self._rng.choice(list(result.visits), p=weights / weights.sum()))

    def _move_root(self, position: Position, work: trees.Workspace) -> None:
        """Keep the tree below `position`, or start a new one."""
        tree = self._tree
        root = self._root
        node = -1
        if root is not None and root.game == position.game:
            tables = position.game.tables
            node = int(find_node(tables, tree, root.row, position.row, work.row, work.child))
            if tree.proven[node] != UNPROVEN and tree.first[node] == trees.NO_CHILDREN:
                # Proven by the rules, so no simulation has listed its actions.
                node = -1
        if node < 0:
            self._tree = trees.new_tree(_FIRST_CAPACITY)
            trees.init_root(self._tree, position.row)
        elif node != 0:
            reroot(tree, node, np.empty(int(tree.sizes[trees.USED]), np.int32))
        self._root = position

    def _result(self, simulations: int) -> MCTSResult:
        tree = self._tree
        found = trees.root_children(tree)
        visits = {
            int(tree.action[child]): int(tree.visits[child])
            for child in range(found.start, found.stop)
        }
        best = trees.best_at_root(tree, self._prior_visits)
        winner = int(tree.proven[0])
        return MCTSResult(
            action=int(tree.action[best]),
            value=trees.root_value(tree),
            visits=visits,
            simulations=simulations,
            winner=None if winner == UNPROVEN else winner,
            plies_left=None if winner == UNPROVEN else int(tree.plies_left[0]),
        )
