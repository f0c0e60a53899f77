"""The agent of Monte Carlo tree search (UCT)."""

from __future__ import annotations

import dataclasses
import math
import time

import numpy as np

from mammalath_env.agents import tree as trees
from mammalath_env.agents.agent import require_running
from mammalath_env.agents.reroot import find_node, reroot
from mammalath_env.agents.uct_kernels import simulate
from mammalath_env.agents.values import UNPROVEN, find_win
from mammalath_env.core.bits import WORD_BITS
from mammalath_env.core.checks import checked_choice, checked_integer, checked_number
from mammalath_env.core.position import Position
from mammalath_env.core.stream import new_stream

DEFAULT_SIMULATIONS = 1000
PLAYOUTS = ("random", "greedy")
# Simulations between two readings of the clock, some milliseconds.
_SLICE_SIMULATIONS = 1000
_MAX_SIMULATIONS = 10_000_000
_FIRST_CAPACITY = 1 << 14
# Positions of an alpha-beta search that take about as long as a simulation.
_NODES_PER_SIMULATION = 50


@dataclasses.dataclass(frozen=True)
class MCTSResult:
    """The result of a search.

    Attributes:
        action: The action to play.
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

        Raises:
            TypeError: A limit is not a number.
            ValueError: A limit or `playouts` is impossible.
        """
        if simulations is None:
            simulations = DEFAULT_SIMULATIONS if seconds is None else _MAX_SIMULATIONS
        self._simulations = checked_integer("simulations", simulations, 1, _MAX_SIMULATIONS)
        self._seconds = math.inf if seconds is None else checked_number("seconds", seconds, above=0)
        self._exploration = checked_number("exploration", exploration, above=0, highest=1e6)
        self._prior_visits = float(checked_integer("prior_visits", prior_visits, 0, 1_000_000))
        self._greedy_playouts = checked_choice("playouts", playouts, PLAYOUTS) == "greedy"
        self._memory = trees.checked_memory(memory)
        self._stream = new_stream(seed)
        self._root: Position | None = None
        self._tree = trees.new_tree(1)

    def act(self, position: Position) -> int:
        """See `Agent.act`."""
        result = self.search(position)
        self.last_value = result.value
        return result.action

    def search(self, position: Position) -> MCTSResult:
        """Run simulations from `position`.

        Raises:
            GameOverError: The game is over.
        """
        require_running(position)
        game = position.game
        work = trees.new_workspace(game)
        self._move_root(position, work)
        win = int(find_win(game.tables, position.row, work.legal, work.child))
        if win >= 0:
            return MCTSResult(win, 1.0, {win: 1}, 0, position.to_move, 1)
        deadline = time.perf_counter() + self._seconds
        expansion = WORD_BITS * len(work.legal)
        most = trees.nodes_within(self._memory, expansion)
        done = 0
        while done < self._simulations:
            done += simulate(
                game.tables,
                self._tree,
                position.row,
                work,
                self._stream,
                self._exploration,
                self._prior_visits,
                self._greedy_playouts,
                min(self._simulations - done, _SLICE_SIMULATIONS),
                trees.make_room(self._tree, expansion, most),
            )
            if self._tree.proven[0] != UNPROVEN:
                break
            if time.perf_counter() >= deadline:
                break
        result = self._result(position, done)
        if result.winner == position.to_move:
            left = self._simulations - done, deadline - time.perf_counter()
            return self._quicker(position, result, *left)
        return result

    def _quicker(
        self, position: Position, won: MCTSResult, simulations: int, seconds: float
    ) -> MCTSResult:
        """Return a proven win, or a quicker one if a search finds it within what is left."""
        assert won.plies_left is not None
        # No win is quicker than one of three plies, as one of a single ply has been looked for.
        if won.plies_left <= 3 or simulations <= 0 or seconds <= 0:
            return won
        from mammalath_env.agents.alphabeta import MAX_DEPTH, AlphaBetaAgent

        agent = AlphaBetaAgent(
            int(self._stream[0]),
            depth=min(won.plies_left - 1, MAX_DEPTH),
            nodes=simulations * _NODES_PER_SIMULATION,
            seconds=None if math.isinf(seconds) else seconds,
        )
        found = agent.search(position)
        plies = found.plies_to_end
        if plies is None or not 0 < plies < won.plies_left:
            return won
        return dataclasses.replace(won, action=found.action, plies_left=plies)

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

    def _result(self, position: Position, simulations: int) -> MCTSResult:
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
