"""The agent that searches by Monte Carlo simulations (UCT)."""

from __future__ import annotations

import dataclasses
import time

import numpy as np

from mammalath_env.agents import tree as trees
from mammalath_env.agents import tree_reuse
from mammalath_env.agents.agent import require_running
from mammalath_env.agents.limits import checked_limit, checked_number
from mammalath_env.core.bits import WORD_BITS
from mammalath_env.core.checks import unknown_choice
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.stream import new_stream

DEFAULT_SIMULATIONS = 1000
PLAYOUTS = ("random", "greedy")
# Run between two looks at the clock: some milliseconds.
_SLICE_SIMULATIONS = 1000
_MAX_SIMULATIONS = 10_000_000
_FIRST_CAPACITY = 1 << 14


@dataclasses.dataclass(frozen=True)
class MCTSResult:
    """What simulations found.

    Attributes:
        action: The action to play.
        value: What the position seems worth to the player to move, from -1 to 1.
        visits: Simulations by action, of this and, where the tree was kept, of earlier searches.
        simulations: Simulations of this search.
        winner: The proven winner, 0, 1 or 2 for a draw, or None if nothing is proven.
    """

    action: int
    value: float
    visits: dict[int, int]
    simulations: int
    winner: int | None


class MCTSAgent:
    """Plays what most simulations lead to (UCT).

    A simulation goes down the tree by upper confidence bounds, adds a leaf, and plays the game out
    from there. A node starts as if it had been visited a number of times with the worth that the
    evaluation of the game gives it (Gelly and Silver, 2007). Positions that the rules or their
    children decide are proven, and proven results are backed up (MCTS-Solver); a position counts
    as decided if it can be won at once or is lost whatever is played. An action that wins at once
    is played without simulations. The tree below the position that is reached is kept from move to
    move.

    Attributes:
        name: ``"mcts"``.
        last_value: What the last position seemed worth to its player to move, from -1 to 1.
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
        knowledge: int = 60,
        playouts: str = "greedy",
    ) -> None:
        """Set the limits; without any, there are `DEFAULT_SIMULATIONS` for a move.

        Args:
            seed: Seed of all draws.
            simulations: Simulations for a move, 1 to 10,000,000.
            seconds: Time for a move, above 0. The result then depends on the machine.
            exploration: Weight of the exploration term, above 0 and at most 1,000,000.
            knowledge: How many visits the evaluation of a position counts as, 0 to 1,000,000. At
                0, and with random playouts, the search knows nothing but the rules.
            playouts: Who plays games out: ``"random"`` actions, or the ``"greedy"`` agent.

        Raises:
            TypeError: A limit is not a number.
            ValueError: A limit or `playouts` is impossible.
        """
        self._simulations = checked_limit("simulations", simulations, int, 1, _MAX_SIMULATIONS)
        self._seconds = checked_limit("seconds", seconds, float, 0.0)
        if simulations is None and seconds is None:
            self._simulations = DEFAULT_SIMULATIONS
        self._exploration = checked_number("exploration", exploration, float, 0.0, 1e6)
        self._knowledge = float(checked_number("knowledge", knowledge, int, 0, 1_000_000))
        if playouts not in PLAYOUTS:
            raise ValueError(unknown_choice("playouts", playouts, PLAYOUTS))
        self._greedy_playouts = playouts == "greedy"
        self._stream = new_stream(seed)
        self._game: Game | None = None
        self._root: Position | None = None
        self._tree = trees.new_tree(1)

    def act(self, position: Position) -> int:
        """Return a legal action of the player to move.

        Raises:
            GameOverError: The game is over.
        """
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
        budget = _MAX_SIMULATIONS if self._simulations is None else self._simulations
        self._move_root(position)
        work = trees.new_workspace(game)
        win = int(trees.find_win(game.tables, position.row, work.legal, work.child))
        if win >= 0:
            return MCTSResult(win, 1.0, {win: 1}, 0, position.to_move)
        start = time.perf_counter()
        done = 0
        while done < budget:
            done += int(
                trees.simulate(
                    game.tables,
                    self._tree,
                    position.row,
                    work,
                    self._stream,
                    self._exploration,
                    self._knowledge,
                    self._greedy_playouts,
                    min(budget - done, _SLICE_SIMULATIONS),
                )
            )
            if self._tree.proven[0] != trees.UNPROVEN:
                break
            if not trees.has_room(self._tree, WORD_BITS * len(work.legal)):
                self._tree = trees.grown(self._tree)
            if self._seconds is not None and time.perf_counter() - start >= self._seconds:
                break
        return self._result(position, done)

    def _move_root(self, position: Position) -> None:
        """Keep what is known below `position`, or start a tree."""
        tree = self._tree
        root = self._root
        node = -1
        if root is not None and root.game == position.game:
            scratch = np.empty((2, position.game.num_words), np.uint64)
            tables = position.game.tables
            node = int(tree_reuse.find_node(tables, tree, root.row, position.row, *scratch))
            if tree.proven[node] != trees.UNPROVEN and tree.first[node] == trees.NO_CHILDREN:
                # Proven by the rules, so that no simulation has looked for an action.
                node = -1
        if node < 0:
            self._tree = trees.new_tree(_FIRST_CAPACITY)
            trees.plant(self._tree, position.row)
        elif node != 0:
            tree_reuse.replant(tree, node, np.empty(int(tree.sizes[trees.USED]), np.int32))
        self._root = position

    def _result(self, position: Position, simulations: int) -> MCTSResult:
        tree = self._tree
        player = position.to_move
        sign = 1.0 if player == 0 else -1.0
        first = int(tree.first[0])
        children = range(first, first + int(tree.num_children[0]))
        visits = {int(tree.action[child]): int(tree.visits[child]) for child in children}

        def rank(child: int) -> tuple[int, int, float]:
            """Rank won before open and drawn before lost; then by visits, then by value."""
            proven = int(tree.proven[child])
            place = 1
            if proven == 1 + player:
                place = 2
            elif proven == 2 - player:
                place = 0
            count = int(tree.visits[child])
            total = float(tree.values[child]) + self._knowledge * float(tree.estimate[child])
            return place, count, sign * total / max(count + self._knowledge, 1)

        best = max(children, key=rank)
        winner = int(tree.proven[0]) - 1
        value = sign * float(tree.values[0]) / max(int(tree.visits[0]), 1)
        if winner >= 0:
            value = 0.0 if winner == 2 else sign * (1.0 if winner == 0 else -1.0)
        return MCTSResult(
            action=int(tree.action[best]),
            value=value,
            visits=visits,
            simulations=simulations,
            winner=None if winner < 0 else winner,
        )
