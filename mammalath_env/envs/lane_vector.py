"""The base class of the batched environments: lanes, options and checks."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, SupportsIndex, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from mammalath_env.core.bits import unpack_bits
from mammalath_env.core.checks import (
    checked_choice,
    checked_flag,
    checked_integer,
    checked_number,
    unknown_choice,
)
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game, first_player_code
from mammalath_env.core.position import LastMove, Position
from mammalath_env.core.stream import branch_streams, new_seed, new_stream, seed_streams
from mammalath_env.envs import lanes as kernels
from mammalath_env.envs import threads
from mammalath_env.envs.arguments import BATCH_RESET_OPTIONS, game_and_rest, reset_options
from mammalath_env.envs.lanes import NO_ACTION, Lanes, StepResult, new_result
from mammalath_env.envs.pictures import (
    BATCH_RENDER_MODES,
    RENDER_FPS,
    checked_columns,
    checked_lanes,
    checked_render_size,
    draw,
    tiled,
    warn_without_mode,
)
from mammalath_env.envs.spaces import observation_space
from mammalath_env.envs.turn import ILLEGAL_ACTIONS, ILLEGAL_TERMINATION, short_reason_of

AUTORESET = {
    AutoresetMode.NEXT_STEP: kernels.NEXT_STEP,
    AutoresetMode.SAME_STEP: kernels.SAME_STEP,
    AutoresetMode.DISABLED: kernels.DISABLED,
}

Seeds: TypeAlias = SupportsIndex | Sequence[int | None] | NDArray[np.integer[Any]] | None
"""A seed for the first lane, from which the others count up, or one for each lane."""

LANES_PER_THREAD = 3072
"""With fewer lanes for each thread, one thread alone is faster."""

# Results that are kept for later steps. A caller who holds more of them will hold the next ones.
_MOST_KEPT = 4

# Without a global interpreter lock a count of references can be too low.
_COUNTS_ARE_EXACT = getattr(sys, "_is_gil_enabled", lambda: True)()


def _references(result: StepResult) -> list[int]:
    """Return how many references there are to each array."""
    return [sys.getrefcount(array) for array in result]


class LaneVectorEnv(VectorEnv[Any, Any, Any]):
    """The base of batched environments: what does not depend on who plays the other side.

    Attributes:
        game: The game with its options.
        num_envs: The number of lanes.
        num_threads: The threads that may share the lanes.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        num_threads: int | None = None,
        channels_first: bool = False,
        illegal_action: str = "terminate",
        illegal_reward: float = -1.0,
        copy: bool = True,
        render_mode: str | None = None,
        render_size: int = 480,
        **game_options: Any,
    ) -> None:
        """Allocate the lanes; `reset` starts their games.

        Args:
            game: A name for `make_game`, or a game.
            num_envs: The number of lanes.
            autoreset_mode: A mode of Gymnasium, or its value as a string.
            num_threads: Threads that share the lanes; None for the cores there are. Batches that
                are too small to gain by it stay on the caller's thread.
            channels_first: Planes as the first axis of an observation, for games with planes.
            illegal_action: ``"terminate"`` ends the lane's game; ``"raise"`` raises
                `IllegalMoveError` before any lane changes.
            illegal_reward: Reward of the offender if that ends the game; the other gets 0.
            copy: Whether returned arrays are the caller's to keep. Otherwise each step overwrites
                the arrays of the step before the last one.
            render_mode: ``"rgb_array"`` lets `render` return pictures of all lanes.
            render_size: Width of the picture of a lane in pixels.
            **game_options: Options of `make_game`, if `game` is a name.

        Raises:
            ValueError: An argument has a value that does not exist.
            TypeError: An argument has the wrong type, or the game has no such option.
        """
        game, _ = game_and_rest(game, game_options, type(self))
        try:
            mode = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = [*AutoresetMode, *(each.value for each in AutoresetMode)]
            raise ValueError(unknown_choice("autoreset_mode", autoreset_mode, modes)) from None
        if num_threads is None:
            num_threads = threads.default_num_threads()
        self.game = game
        self.num_envs = checked_integer("num_envs", num_envs, 1)
        self.num_threads = checked_integer("num_threads", num_threads, 1)
        self.channels_first = checked_flag("channels_first", channels_first)
        self.illegal_action = checked_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS)
        self.illegal_reward = checked_number("illegal_reward", illegal_reward)
        self.render_mode = checked_choice("render_mode", render_mode, (None, *BATCH_RENDER_MODES))
        self.render_size = checked_render_size(render_size)
        self.metadata = {
            "name": f"{game.name}_v0",
            "render_modes": list(BATCH_RENDER_MODES),
            "render_fps": RENDER_FPS,
            "autoreset_mode": mode,
        }
        self._autoreset = AUTORESET[mode]
        self.single_observation_space = observation_space(game, channels_first)
        self.single_action_space: spaces.Space[Any] = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        num_drawn = 0 if render_mode is None else self.num_envs
        self._lanes = Lanes(
            rows=np.zeros((self.num_envs, game.num_words), np.uint64),
            legal=np.zeros((self.num_envs, len(game.new_legal())), np.uint64),
            streams=np.zeros((self.num_envs, 1), np.uint64),
            over=np.zeros(self.num_envs, np.bool_),
            last_rows=np.zeros((num_drawn, game.num_words), np.uint64),
            last_actions=np.full(num_drawn, NO_ACTION, np.int64),
            any_illegal=np.zeros(1, np.bool_),
        )
        shape = game.shape(channels_first)
        self._observation_shape = self.num_envs, *shape
        self._result_sizes = self.num_envs, game.num_actions, math.prod(shape)
        self._copy = checked_flag("copy", copy)
        self._kept: list[StepResult] = []
        self._unused: list[int] = []
        # Where SAME_STEP writes the last observations of games; other modes write nothing.
        final_lanes = self.num_envs if mode is AutoresetMode.SAME_STEP else 1
        self._final = new_result(final_lanes, *self._result_sizes[1:])
        self._started = False
        # Beside the streams of the deals, which other draws must not advance.
        self._side_streams = np.zeros((self.num_envs, 1), np.uint64)
        self._seed_lanes(new_seed(), np.ones(self.num_envs, np.bool_))

    def __copy__(self) -> LaneVectorEnv:
        """Return an independent environment, as `deepcopy` does."""
        return deepcopy(self)

    # Threads

    @property
    def num_threads_used(self) -> int:
        """The number of threads in use: fewer than `num_threads` for small batches."""
        return min(self.num_threads, max(1, self.num_envs // LANES_PER_THREAD))

    def _for_lanes(self, task: threads.Task) -> None:
        threads.parallel_for(task, self.num_envs, self.num_threads_used)

    # Checks

    def _seed_lanes(self, seed: Seeds, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Seed the streams of `chosen` lanes: lane i with `seed` + i, or with ``seed[i]``.

        Returns:
            bool[lanes], the lanes that were seeded.
        """
        if seed is None:
            return np.zeros(self.num_envs, np.bool_)
        if isinstance(seed, np.ndarray) and seed.ndim > 0:
            seed = seed.tolist()
        words = np.zeros(self.num_envs, np.uint64)
        seeded = np.array(chosen)
        if isinstance(seed, Sequence):
            if len(seed) != self.num_envs:
                raise ValueError(f"{len(seed)} seeds for {self.num_envs} lanes")
            for lane, one in enumerate(seed):
                if one is None:
                    seeded[lane] = False
                else:
                    words[lane] = new_stream(one)[0]
        else:
            seed_streams(seed, words)
        self._lanes.streams[seeded, 0] = words[seeded]
        branch_streams(self._lanes.streams, seeded, self._side_streams)
        return seeded

    def _checked_reset_mask(self, mask: object) -> NDArray[np.bool_]:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if (
            not isinstance(mask, np.ndarray)
            or mask.dtype != np.bool_
            or mask.shape != (self.num_envs,)
        ):
            raise ValueError(
                f"options['reset_mask'] must be a bool array of shape ({self.num_envs},), "
                f"not {mask!r}"
            )
        if not mask.any():
            raise ValueError("options['reset_mask'] chooses no lane")
        if not self._started and not mask.all():
            raise gymnasium.error.ResetNeeded("the first reset must be of all lanes")
        return np.array(mask)  # contiguous and writable, as kernels are compiled for

    def _checked_positions(self, one: object, given: object, count: int) -> list[Position] | None:
        """Return a position for each lane that is reset: `one` for all, or those given."""
        if one is not None:
            if given is not None:
                raise ValueError("options['position'] and options['positions'] exclude each other")
            return [self.game.checked_position(one)] * count
        if given is None:
            return None
        if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != count:
            raise ValueError(
                f"options['positions'] must be {count} positions or texts, one for each lane "
                f"that is reset, not {given!r}"
            )
        return [self.game.checked_position(one) for one in given]

    def _checked_started(self, what: str) -> None:
        if not self._started:
            raise gymnasium.error.ResetNeeded(f"{what} needs games: call reset() first")

    def _checked_actions(self, actions: ArrayLike) -> NDArray[np.int64]:
        """Return `actions` as int64[lanes].

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
            TypeError: They are not integers.
            ValueError: They are not one for each lane.
        """
        self._checked_started("step()")
        array = np.asarray(actions)
        if array.dtype == np.object_ and all(type(each) is int for each in array.flat):
            # Python's integers, some of them too large for any type of NumPy's.
            array = np.clip(array, -1, self.game.num_actions).astype(np.int64)
        if array.dtype.kind not in "iu":
            raise TypeError(f"actions must be integers, not {array.dtype}")
        if array.shape != (self.num_envs,):
            raise ValueError(f"actions must have shape ({self.num_envs},), not {array.shape}")
        if array.dtype == np.uint64:
            # What does not fit in an int64 is out of range in any case.
            array = np.minimum(array, np.uint64(2**62))
        # A copy: kernels are compiled for arrays that are contiguous and writable.
        return array.astype(np.int64)

    def _refuse_finished(self) -> None:
        """Raise if a lane has ended and autoreset is disabled."""
        if self._autoreset == kernels.DISABLED and self._lanes.over.any():
            lanes = np.flatnonzero(self._lanes.over)
            raise gymnasium.error.ResetNeeded(
                f"lanes {lanes[:8].tolist()} have ended and autoreset is disabled: reset them "
                "with options={'reset_mask': ...} first"
            )

    def _refuse_illegal(self, actions: NDArray[np.int64], given: ArrayLike) -> None:
        """Raise if there is an illegal action, with ``illegal_action="raise"``.

        Args:
            actions: As `_checked_actions` returns them.
            given: As the caller gave them, for the message.
        """
        if self.illegal_action != "raise":
            return
        lane = int(kernels.first_illegal(self._lanes, actions))
        if lane >= 0:
            try:
                self._position(lane).play(int(np.asarray(given)[lane]))
            except IllegalMoveError as error:
                raise IllegalMoveError(f"lane {lane}: {error}") from None

    # Observing

    def masks(self) -> NDArray[np.bool_]:
        """Return a new bool[lanes, num_actions]: the legal actions, none before the first reset."""
        return unpack_bits(self._lanes.legal, self.game.num_actions)

    def _position(self, lane: int) -> Position:
        return Position(self.game, self._lanes.rows[lane].copy())

    def positions(self, lanes: Sequence[int] | None = None) -> list[Position]:
        """Return the positions of all lanes, or of the given ones in their order.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
            IndexError: There is no such lane.
            TypeError: A lane is not an integer.
        """
        self._checked_started("positions()")
        return [self._position(lane) for lane in checked_lanes(lanes, self.num_envs)]

    def render(self) -> Any:
        """Draw every lane: the position, with its last move marked.

        Returns:
            With ``render_mode="rgb_array"`` a tuple with a new uint8[height, width, 3] for each
            lane, as Gymnasium's wrappers expect it; `render_grid` draws some lanes in one picture.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
        """
        self._checked_started("render()")
        if self.render_mode is None:
            warn_without_mode()
            return None
        return tuple(self._picture(lane) for lane in range(self.num_envs))

    def render_grid(
        self, lanes: Iterable[SupportsIndex] | None = None, columns: SupportsIndex | None = None
    ) -> NDArray[np.uint8]:
        """Draw chosen lanes in one picture, whatever the render mode.

        Without ``render_mode="rgb_array"`` the last moves are not marked.

        Args:
            lanes: Which lanes, in which order; None for all of them.
            columns: How many stand side by side, at most all; None for about as many as there are
                rows.

        Returns:
            A new uint8[height, width, 3]; each lane is `render_size` pixels wide.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
            IndexError: There is no such lane.
            TypeError: A lane or `columns` is not an integer.
            ValueError: There is no lane or no column.
        """
        self._checked_started("render_grid()")
        chosen = checked_lanes(lanes, self.num_envs)
        num_columns = checked_columns(columns, len(chosen))
        return tiled([self._picture(lane) for lane in chosen], num_columns)

    def _picture(self, lane: int) -> NDArray[np.uint8]:
        picture: NDArray[np.uint8] = draw(
            "rgb_array", self.render_size, self._position(lane), self.last_move(lane)
        )
        return picture

    def is_over(self, lane: int) -> bool:
        """Return whether the episode of a lane has ended."""
        return bool(self._lanes.over[lane])

    def last_move(self, lane: int) -> LastMove | None:
        """Return the last ply of a lane: the position before it and its action.

        None before the first ply of a game, and everywhere in an environment without a render mode.
        """
        if len(self._lanes.last_actions) == 0 or self._lanes.last_actions[lane] == NO_ACTION:
            return None
        before = Position(self.game, self._lanes.last_rows[lane].copy())
        return before, int(self._lanes.last_actions[lane])

    def _reset_options(
        self, options: Mapping[str, Any] | None
    ) -> tuple[int, NDArray[np.bool_], list[Position] | None]:
        """Return first player, lanes to reset and positions; other options are ignored."""
        options = reset_options(options, BATCH_RESET_OPTIONS, self.game, type(self))
        first_player = first_player_code(options.get("first_player"))
        chosen = self._checked_reset_mask(options.get("reset_mask"))
        positions = self._checked_positions(
            options.get("position"), options.get("positions"), int(chosen.sum())
        )
        return first_player, chosen, positions

    def _put_positions(self, chosen: NDArray[np.bool_], positions: list[Position]) -> None:
        """Write `positions` into the chosen lanes, for games to start from."""
        for lane, position in zip(np.flatnonzero(chosen), positions, strict=True):
            self._lanes.rows[lane] = position.row

    def _next_result(self) -> StepResult:
        """Return arrays to write the results of the next step to.

        With `copy`, those that the caller holds no more, nor any view of one, are used again: new
        ones take a fifth of the time of a step with few lanes. Otherwise two sets alternate.
        """
        if self._copy:
            for result in self._kept:
                if _COUNTS_ARE_EXACT and _references(result) == self._unused:
                    return result
        elif len(self._kept) == 2:
            self._kept.reverse()
            return self._kept[0]
        fresh = new_result(*self._result_sizes)
        self._unused = _references(fresh)
        self._kept = [fresh, *self._kept[: _MOST_KEPT - 1]]
        return fresh

    def _observation(self, result: StepResult) -> dict[str, NDArray[np.int8]]:
        return {
            "observation": result.observation.reshape(self._observation_shape),
            "action_mask": result.action_mask,
        }

    def _add_reasons(self, info: dict[str, Any], result: StepResult, given: ArrayLike) -> None:
        """Add ``reason`` and ``_reason`` of the lanes whose game an illegal action has ended.

        As Gymnasium has texts: an object array, None in other lanes, and bool[lanes].
        """
        self._lanes.any_illegal[0] = False
        illegal = result.termination == ILLEGAL_TERMINATION
        reasons = np.full(self.num_envs, None, object)
        reasons[illegal] = [short_reason_of(action) for action in np.asarray(given)[illegal]]
        info |= {"reason": reasons, "_reason": illegal}
        if "final_info" in info:
            info["final_info"] |= {"reason": reasons.copy(), "_reason": illegal.copy()}

    def _final_infos(
        self, ended: NDArray[np.bool_], extra: dict[str, NDArray[Any]]
    ) -> dict[str, Any]:
        """Return Gymnasium's infos for lanes that have ended in SAME_STEP mode.

        ``final_obs`` is an object array with a dict for each of these lanes, ``final_info`` a dict
        of arrays; ``_final_obs`` and ``_final_info`` say which lanes these are.
        """
        lanes = np.flatnonzero(ended)
        if len(lanes) == 0:
            return {}
        observations = self._final.observation[lanes].reshape(-1, *self._observation_shape[1:])
        masks = self._final.action_mask[lanes]
        final_obs = np.full(self.num_envs, None, object)
        for k, lane in enumerate(lanes):
            final_obs[lane] = {"observation": observations[k], "action_mask": masks[k]}
        info: dict[str, Any] = {}
        for name, values in extra.items():
            info[name] = np.zeros_like(values)
            info[name][lanes] = values[lanes]
            info[f"_{name}"] = ended.copy()
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": info,
            "_final_info": ended.copy(),
        }
