"""Search guided by a policy and value function, in batches (PUCT)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mammalath_env.agents import puct_kernels as kernels
from mammalath_env.agents import tree as trees
from mammalath_env.agents.agent import require_running
from mammalath_env.agents.analysis import Analysis, Line
from mammalath_env.agents.limits import NO_LIMITS, Limits, combined_limits
from mammalath_env.agents.values import UNPROVEN, find_win
from mammalath_env.agents.variations import analysis_of, decided_line, tree_lines
from mammalath_env.core.bits import WORD_BITS
from mammalath_env.core.checks import checked_flag, checked_integer, checked_number
from mammalath_env.core.position import Position
from mammalath_env.core.stream import new_stream

PolicyValue = Callable[
    [NDArray[np.int8], NDArray[np.bool_]], tuple[NDArray[np.floating], NDArray[np.floating]]
]
"""From observations int8[batch, ...] and masks bool[batch, num_actions] to policies and values.

Observations and values are those of the player to move. Policies are [batch, num_actions], finite
and not negative; they need not sum to 1, and illegal actions do not count. Values are [batch],
from -1 to 1, and are clipped if they are beyond by no more than 0.001. `PUCTSearch` refuses
anything else.
"""

DEFAULT_SIMULATIONS = 200
# Visits are numbers of int32.
_MAX_SIMULATIONS = 2**31 - 1
_FIRST_CAPACITY = 1 << 12
# How far rounding may move a value out of its range.
_TOLERANCE = 1e-3


def uniform_policy(
    observations: NDArray[np.int8], masks: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return equal probabilities and values of 0: the `PolicyValue` that knows nothing."""
    return masks.astype(np.float32), np.zeros(len(masks), np.float32)


class PUCTSearch:
    """Searches one or more positions at once with a policy and value function.

    All positions share the batches in which the function is called, so that a network works on
    as many leaves as there are positions times `leaves`.
    """

    def __init__(
        self,
        policy_value: PolicyValue = uniform_policy,
        *,
        simulations: int | None = None,
        leaves: int = 8,
        exploration: float = 1.5,
        noise_fraction: float = 0.0,
        noise_concentration: float = 0.3,
        channels_first: bool = False,
        memory: float = trees.DEFAULT_MEMORY,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        """Set the function and the limits.

        Args:
            policy_value: See `PolicyValue`.
            simulations: Simulations for each position, at least 1; None for `DEFAULT_SIMULATIONS`,
                unless there are other limits.
            leaves: Leaves of each position in a batch, at least 1.
            exploration: Weight of the exploration term, above 0 and at most 1,000,000.
            noise_fraction: Weight of Dirichlet noise in the prior of the root, 0 to 1.
            noise_concentration: Concentration of the Dirichlet noise, above 0.
            channels_first: Layout of the observations that the function gets.
            memory: Megabytes (2**20 bytes) that the tree of a position may take, above 0. The
                search of a position that has used them up ends.
            seed: Seed of the noise and of the order among equals.

        Raises:
            TypeError: A limit is not a number, or `policy_value` is not callable.
            ValueError: A limit is impossible.
        """
        if not callable(policy_value):
            raise TypeError(f"policy_value must be a function, not {policy_value!r}")
        self._policy_value = policy_value
        if simulations is not None:
            checked_integer("simulations", simulations, 1, _MAX_SIMULATIONS)
        self._limits = Limits(nodes=simulations)
        self._leaves = checked_integer("leaves", leaves, 1)
        self._exploration = checked_number("exploration", exploration, above=0, highest=1e6)
        self._noise_fraction = checked_number("noise_fraction", noise_fraction, 0, 1)
        self._noise_concentration = checked_number(
            "noise_concentration", noise_concentration, above=0
        )
        self._channels_first = checked_flag("channels_first", channels_first)
        self._memory = trees.checked_memory(memory)
        self._stream = new_stream(seed)
        self._rng = np.random.default_rng(int(self._stream[0]))

    def search(
        self, positions: Sequence[Position]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Search running positions of one game.

        Returns:
            Visits int32[positions, num_actions] and values float64[positions], from -1 to 1 for
            the player to move. Where a win is proven, the visits are those of the winning action
            alone; actions that are proven lost count only if all are.

        Raises:
            GameOverError: The game is over in one of them.
            TypeError: `policy_value` returns no pair.
            ValueError: There is none, they are of different games, or `policy_value` returns
                arrays of the wrong shape or numbers that are impossible.
        """
        searches = self._run(positions)
        visits = np.stack([search.visits() for search in searches])
        return visits, np.array([search.value() for search in searches])

    def choose(self, position: Position, limits: Limits = NO_LIMITS) -> tuple[int, float]:
        """Search a running position for an action to play.

        Args:
            position: Where the game is not over.
            limits: What the search may take besides its own limit. The position is always
                evaluated.

        Returns:
            The action, by `mammalath_env.agents.tree.best_at_root`, and the value of the position,
            from -1 to 1 for the player to move.

        Raises:
            GameOverError, TypeError, ValueError: As for `search`.
        """
        search = self._run([position], limits)[0]
        return search.best_action(), search.value()

    def analyze(
        self, position: Position, limits: Limits | None = None, *, lines: int = 1
    ) -> Analysis:
        """See `mammalath_env.agents.analysis.Analyst.analyze`.

        Raises:
            GameOverError, TypeError, ValueError: As for `search`.
        """
        checked_integer("lines", lines, 1)
        search = self._run([position], NO_LIMITS if limits is None else limits)[0]
        return analysis_of(position, search.lines(), lines, search.done)

    def _run(
        self, positions: Sequence[Position], limits: Limits = NO_LIMITS
    ) -> list[_PositionSearch]:
        if not positions:
            raise ValueError("search() needs a position")
        game = positions[0].game
        for position in positions:
            require_running(position)
            if position.game != game:
                raise ValueError(f"positions of different games: {game!r}, {position.game!r}")
        limits = combined_limits(limits, self._limits, Limits(nodes=DEFAULT_SIMULATIONS))
        deadline = limits.deadline_for(positions[0].to_move)
        simulations = min(limits.nodes or _MAX_SIMULATIONS, _MAX_SIMULATIONS)
        searches = [_PositionSearch(position, self._leaves, self._memory) for position in positions]
        active = searches
        while active := [search for search in active if search.is_active(simulations)]:
            for search in active:
                search.collect(simulations, self._exploration)
            waiting = [search for search in active if search.waiting]
            if waiting:
                self._evaluate(waiting)
            if limits.is_stopped or time.perf_counter() >= deadline:
                break
        return searches

    def _evaluate(self, waiting: Sequence[_PositionSearch]) -> None:
        """Evaluate all waiting leaves in one batch, and finish their simulations."""
        game = waiting[0].position.game
        rows = np.concatenate([search.leaf_rows[: search.waiting] for search in waiting])
        observations = np.empty((len(rows), *game.shape(self._channels_first)), np.int8)
        masks = np.empty((len(rows), game.num_actions), np.int8)
        kernels.observe_rows(
            game.tables,
            rows,
            game.new_legal(),
            self._channels_first,
            observations.reshape(len(rows), -1),
            masks,
        )
        legal = masks.view(np.bool_)
        policies, values = _checked_answer(self._policy_value(observations, legal), legal)
        start = 0
        for search in waiting:
            stop = start + search.waiting
            search.finish(policies[start:stop], values[start:stop], self._stream)
            start = stop
            if self._noise_fraction > 0.0 and not search.is_noisy:
                search.add_noise(self._rng, self._noise_fraction, self._noise_concentration)


def _checked_answer(
    answer: object, legal: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the policies and values that a `PolicyValue` returned for the masks `legal`."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise TypeError(
            f"policy_value must return a pair, policies and values, not {type(answer).__name__}"
            + (f" of {len(answer)}" if isinstance(answer, (tuple, list)) else "")
        )
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
        policies, values = (np.ascontiguousarray(part, np.float32) for part in answer)
    if policies.shape != legal.shape or values.shape != legal.shape[:1]:
        raise ValueError(
            f"policy_value must return arrays of shape {legal.shape} and {legal.shape[:1]}, "
            f"not {policies.shape} and {values.shape}"
        )
    # Comparisons with NaN are false.
    wrong = policies[legal & ~((policies >= 0.0) & (policies < np.inf))]
    if wrong.size:
        raise ValueError(f"policies of legal actions must be finite and at least 0, not {wrong[0]}")
    wrong = values[~(np.abs(values) <= 1.0 + _TOLERANCE)]
    if wrong.size:
        raise ValueError(f"values must be from -1 to 1, not {wrong[0]}")
    return policies, np.clip(values, -1.0, 1.0)


class _PositionSearch:
    """The search of one position."""

    def __init__(self, position: Position, leaves: int, memory: float) -> None:
        game = position.game
        self.position = position
        self.row = position.row
        self.tree = trees.new_tree(_FIRST_CAPACITY)
        trees.init_root(self.tree, self.row)
        self.work = trees.new_workspace(game)
        self.expansion = len(self.work.legal) * WORD_BITS
        self.most_nodes = trees.nodes_within(memory, self.expansion)
        self.win = int(find_win(game.tables, self.row, self.work.legal, self.work.child))
        self.leaf_rows = np.empty((leaves, game.num_words), np.uint64)
        self.paths = np.empty((leaves, game.max_plies + 2), np.int32)
        self.lengths = np.empty(leaves, np.int32)
        self.waiting = 0
        self.done = 0
        self.is_noisy = False

    def collect(self, simulations: int, exploration: float) -> None:
        # The first simulation evaluates the root; it is not counted.
        is_first = self.tree.first[0] == trees.NO_CHILDREN
        # All leaves that are collected get children.
        leaves = len(self.leaf_rows)
        while not trees.make_room(self.tree, leaves * self.expansion, self.most_nodes):
            leaves -= 1
        waiting, finished = kernels.collect_leaves(
            self.position.game.tables,
            self.tree,
            self.row,
            self.work,
            exploration,
            1 if is_first else simulations - self.done,
            self.leaf_rows[:leaves],
            self.paths,
            self.lengths,
        )
        self.waiting = int(waiting)
        self.done += int(finished) + (0 if is_first else self.waiting)

    def is_active(self, simulations: int) -> bool:
        """Return whether more simulations can be started."""
        return (
            self.win < 0
            and self.done < simulations
            and bool(self.tree.proven[0] == UNPROVEN)
            and trees.make_room(self.tree, self.expansion, self.most_nodes)
        )

    def finish(
        self,
        policies: NDArray[np.float32],
        values: NDArray[np.float32],
        stream: NDArray[np.uint64],
    ) -> None:
        count = self.waiting
        kernels.finish_leaves(
            self.position.game.tables,
            self.tree,
            self.work.legal,
            stream,
            self.leaf_rows[:count],
            self.paths,
            self.lengths,
            policies,
            values,
        )
        self.waiting = 0

    def add_noise(self, rng: np.random.Generator, fraction: float, concentration: float) -> None:
        children = trees.root_children(self.tree)
        priors = self.tree.prior[children]
        noise = rng.dirichlet(np.full(len(priors), concentration))
        self.tree.prior[children] = (1.0 - fraction) * priors + fraction * noise
        self.is_noisy = True

    def visits(self) -> NDArray[np.int32]:
        found = np.zeros(self.position.game.num_actions, np.int32)
        if self.win >= 0:
            found[self.win] = max(self.done, 1)
            return found
        children = trees.root_children(self.tree)
        player = self.position.to_move
        counts = self.tree.visits[children].copy()
        proven = self.tree.proven[children]
        lost = proven == 1 - player
        won = proven == player
        if won.any():
            counts = won * np.maximum(counts, 1)
        elif not lost.all():
            counts = np.where(lost, 0, counts)
        if not counts.any():  # all that were visited are lost
            counts = (~lost).astype(np.int32)
        found[self.tree.action[children]] = counts
        return found

    def best_action(self) -> int:
        if self.win >= 0:
            return self.win
        return int(self.tree.action[trees.best_at_root(self.tree)])

    def value(self) -> float:
        return 1.0 if self.win >= 0 else trees.root_value(self.tree)

    def lines(self) -> Iterable[Line]:
        if self.win >= 0:
            return [decided_line(self.position, (self.win,), self.position.to_move)]
        return tree_lines(self.position, self.tree)


class PUCTAgent:
    """Plays the action with most visits of a `PUCTSearch`, or by a proof that it found."""

    name = "puct"
    last_value: float | None = None

    def __init__(
        self,
        seed: int | np.random.Generator | None = None,
        *,
        policy_value: PolicyValue = uniform_policy,
        **options: Any,
    ) -> None:
        """Set the function and the options, which are those of `PUCTSearch`."""
        self._search = PUCTSearch(policy_value, seed=seed, **options)

    def act(self, position: Position) -> int:
        """See `Agent.act`."""
        return self.act_within(position, NO_LIMITS)

    def act_within(self, position: Position, limits: Limits) -> int:
        """See `mammalath_env.agents.agent.act_within`."""
        action, self.last_value = self._search.choose(position, limits)
        return action

    def analyze(
        self, position: Position, limits: Limits | None = None, *, lines: int = 1
    ) -> Analysis:
        """See `Analyst.analyze`."""
        return self._search.analyze(position, limits, lines=lines)
