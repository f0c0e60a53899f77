"""One seat of many games at once, with an opponent inside."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from mammalath_env.agents import TextAgent, chosen_action, make_agent
from mammalath_env.agents.agent import is_agent
from mammalath_env.core.checks import checked_choice, checked_integer
from mammalath_env.core.errors import IllegalMoveError, InvalidMoveError
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.status import sides_to_move
from mammalath_env.envs import opponent_lanes as kernels
from mammalath_env.envs.lane_vector import LaneVectorEnv, Seeds
from mammalath_env.envs.lanes import SAME_STEP, StepResult
from mammalath_env.envs.opponents import Opponent, checked_opponent, makes_agents
from mammalath_env.envs.spaces import observation_space


class OpponentVectorEnv(LaneVectorEnv):
    """The games of `SingleAgentEnv` in lanes: what ``gymnasium.make_vec`` returns.

    A step plays the learner's action in every lane and the opponent's replies. The agents that
    kernels know (``"random"`` and ``"greedy"``) move inside them; other agents are asked lane by
    lane; a function gets the observations and bool masks of all lanes in which it is to move, and
    returns as many actions.

    ``info`` holds, for each lane, ``player`` (which player the learner is), ``ply``, ``winner``
    and ``termination`` as `SelfPlayVectorEnv` has them, and ``action_mask``; ``reason`` and
    ``_reason`` are there when they are in `SelfPlayVectorEnv`. Autoreset modes are
    those of `SelfPlayVectorEnv`.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponent: Opponent = "random",
        seat: str = "random",
        observation: str = "dict",
        max_episode_steps: int | None = None,
        **options: Any,
    ) -> None:
        """Allocate the lanes; `reset` starts their games.

        Args:
            game: A name for `make_game`, or a game.
            num_envs: The number of lanes.
            opponent: Whatever `make_agent` takes, an agent, or a function of a batch of
                observations and bool masks to actions; see `Opponent`.
            seat: As for `SingleAgentEnv`, in each lane by itself.
            observation: As for `SingleAgentEnv`.
            max_episode_steps: Steps of the learner after which an episode is truncated, as by
                Gymnasium's `TimeLimit`; None for no limit.
            **options: The options of `SelfPlayVectorEnv`, and of the game.

        Raises:
            ValueError: An argument has a value that does not exist.
            TypeError: An argument has the wrong type, or there is no such option.
        """
        super().__init__(game, num_envs, **options)
        self._seat = kernels.SEATS[checked_choice("seat", seat, kernels.SEATS)]
        self._opponent = checked_opponent(opponent, self.game)
        self._in_kernels = isinstance(opponent, str) and opponent in kernels.OPPONENTS
        self._agent: TextAgent | None = None
        self._max_steps = (
            None
            if max_episode_steps is None
            else checked_integer("max_episode_steps", max_episode_steps, 1)
        )
        self._steps = np.zeros(self.num_envs, np.int64)
        self._form = observation
        self.single_observation_space = observation_space(
            self.game, self.channels_first, observation
        )
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        num_lanes, num_words = self._lanes.rows.shape
        self._seating = kernels.Seating(
            player=np.zeros(num_lanes, np.int8),
            games=np.zeros(num_lanes, np.int64),
            streams=self._side_streams,
            legal=np.zeros_like(self._lanes.legal),
            rows=np.zeros((num_lanes, num_words), np.uint64),
        )

    def reset(
        self,
        *,
        seed: Seeds = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start new games, and let the opponent move where it moves first.

        Args:
            seed: As for `SelfPlayVectorEnv`; lane i deals the same games there.
            options: As for `SelfPlayVectorEnv`.

        Returns:
            Observation and info as `step` returns them.

        Raises:
            gymnasium.error.ResetNeeded: The first reset is of some lanes only.
            TypeError, ValueError: A seed or an option is impossible; no lane has changed.
        """
        first_player, chosen, positions = self._reset_options(options)
        with self._all_or_nothing(can_fail=positions is not None or not self._in_kernels):
            seeded = self._seed_lanes(seed, chosen)
            self._seating.games[seeded] = 0
            if makes_agents(self._opponent):
                if seeded.any() or self._agent is None:
                    self._agent = make_agent(self._opponent, int(self._seating.streams[0, 0]))
                elif not self._in_kernels:
                    # What it draws and remembers is forgotten if the reset fails.
                    self._agent = deepcopy(self._agent)
            return self._reset(first_player, chosen, positions)

    def _reset(
        self,
        first_player: int,
        chosen: NDArray[np.bool_],
        positions: list[Position] | None,
    ) -> tuple[Any, dict[str, Any]]:
        self._started = True  # opponents may look at the positions
        self._steps[chosen] = 0
        if positions is not None:
            self._put_positions(chosen, positions)
        result = self._next_result()
        self._for_lanes(
            lambda first, last: kernels.reset_games(
                self.game.tables,
                self._lanes,
                self._seating,
                self._seat,
                first_player,
                chosen,
                positions is None,
                result,
                first,
                last,
            )
        )
        self._reply(result)
        if positions is not None and (self._lanes.over & chosen).any():
            lanes = np.flatnonzero(self._lanes.over & chosen)
            raise ValueError(
                f"the game is over before the learner moves in lanes {lanes[:8].tolist()}: "
                "start from other positions or in the other seat"
            )
        self._observe(result)
        return self._show(result), self._info(result)

    def step(
        self, actions: ArrayLike
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play the learner's action in every lane, and the opponent's replies.

        Args:
            actions: Integers, one for each lane. Those of lanes that start their next game in this
                step are ignored.

        Returns:
            Observation, the learner's reward, terminated, truncated (only by
            ``max_episode_steps``) and info.

        Raises:
            gymnasium.error.ResetNeeded: No game was started, or a lane has ended and autoreset is
                disabled.
            TypeError: Actions are not integers.
            ValueError: Actions have another shape.
            IllegalMoveError: An action is illegal and ``illegal_action`` is ``"raise"``; or one of
                the opponent's is.
        """
        checked = self._checked_actions(actions)
        self._refuse_finished()
        self._refuse_illegal(checked, actions)
        with self._all_or_nothing(can_fail=not self._in_kernels):
            return self._step(checked, actions)

    def _step(
        self, actions: NDArray[np.int64], given: ArrayLike
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        result = self._next_result()
        running = ~self._lanes.over
        self._for_lanes(
            lambda first, last: kernels.play_learner(
                self.game.tables,
                self._lanes,
                self._seating,
                self._seat,
                actions,
                self._autoreset,
                self.illegal_reward,
                result,
                first,
                last,
            )
        )
        self._reply(result)
        truncated = self._truncate(running)
        final: dict[str, Any] = {}
        if self._autoreset == SAME_STEP:
            final = self._restart(result, truncated)
        self._observe(result)
        info = self._info(result) | final
        if self._lanes.any_illegal[0]:
            self._add_reasons(info, result, given)
        return self._show(result), result.reward, result.terminated, truncated, info

    def _truncate(self, moved: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """End the episodes that have had all their steps, and return in which lanes they are.

        Args:
            moved: bool[lanes], whether the learner has moved in this step; its last episode has
                ended in the others.
        """
        if self._max_steps is None:
            return np.zeros(self.num_envs, np.bool_)
        np.multiply(self._steps + 1, moved, out=self._steps)
        truncated: NDArray[np.bool_] = moved & (self._steps >= self._max_steps)
        self._lanes.over[truncated] = True
        return truncated

    def _restart(self, result: StepResult, truncated: NDArray[np.bool_]) -> dict[str, Any]:
        """Start new games in the lanes that have ended, and return their last observations."""
        ended = result.terminated | truncated
        self._steps[ended] = 0
        players = self._seating.player.copy()
        self._for_lanes(
            lambda first, last: kernels.restart_finished(
                self.game.tables,
                self._lanes,
                self._seating,
                self._seat,
                self.channels_first,
                self._final,
                first,
                last,
            )
        )
        info = self._final_infos(
            ended,
            {
                "player": players,
                "ply": self._final.ply,
                "winner": result.winner,
                "termination": result.termination,
            },
        )
        if info and self._form != "dict":
            for lane in np.flatnonzero(ended):
                info["final_obs"][lane] = self._in_form(info["final_obs"][lane]["observation"], 0)
        self._reply(result)
        return info

    # The opponent

    @contextlib.contextmanager
    def _all_or_nothing(self, can_fail: bool) -> Iterator[None]:
        """Restore all lanes and a named opponent after an error, if the calls can end in one."""
        if not can_fail:
            yield
            return
        seating = self._seating
        state = [*self._lanes, seating.player, seating.games, seating.streams, self._steps]
        saved = [array.copy() for array in state]
        agent, started = self._agent, self._started
        try:
            yield
        except BaseException:
            for array, old in zip(state, saved, strict=True):
                array[...] = old
            self._agent, self._started = agent, started
            raise

    def _reply(self, result: StepResult) -> None:
        """Let the opponent move wherever it is to move."""
        if self._in_kernels:
            assert isinstance(self._opponent, str)
            code = kernels.OPPONENTS[self._opponent]
            self._for_lanes(
                lambda first, last: kernels.play_replies(
                    self.game.tables, self._lanes, self._seating, code, result, first, last
                )
            )
            return
        while True:
            to_move = sides_to_move(self._lanes.rows)
            waiting = np.flatnonzero(~self._lanes.over & (to_move != self._seating.player))
            if len(waiting) == 0:
                return
            actions = self._ask_opponent(waiting)
            kernels.play_given_replies(
                self.game.tables, self._lanes, self._seating, actions, waiting, result
            )

    def _ask_opponent(self, lanes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the opponent's legal actions in `lanes`."""
        positions = [self._position(lane) for lane in lanes]
        opponent = self._agent if makes_agents(self._opponent) else self._opponent
        if is_agent(opponent):
            actions = [self._ask_agent(opponent, position) for position in positions]
        else:
            assert callable(opponent)
            planes = np.stack(
                [each.observation(each.to_move, self.channels_first) for each in positions]
            )
            masks = np.stack([each.action_mask() for each in positions])
            seen = self._in_form(planes, 1)
            if self._form == "dict":
                seen = {"observation": planes, "action_mask": masks.astype(np.int8)}
            answer = np.asarray(opponent(seen, masks))
            if answer.shape != lanes.shape or answer.dtype.kind not in "iu":
                raise ValueError(f"the opponent must return {len(lanes)} integers, not {answer!r}")
            actions = answer.tolist()
        for lane, action, position in zip(lanes, actions, positions, strict=True):
            try:
                position.play(action)
            except IllegalMoveError as error:
                where = f" of lane {lane}" if self.num_envs > 1 else ""
                raise IllegalMoveError(f"the opponent{where}: {error}") from None
        return np.array(actions, np.int64)

    @staticmethod
    def _ask_agent(opponent: TextAgent, position: Position) -> int:
        try:
            return chosen_action(opponent, position)
        except InvalidMoveError as error:
            raise InvalidMoveError(f"the opponent: {error}") from None

    # Observing

    def _observe(self, result: StepResult) -> None:
        self._for_lanes(
            lambda first, last: kernels.observe_as_learner(
                self.game.tables,
                self._lanes,
                self._seating,
                self.channels_first,
                result,
                first,
                last,
            )
        )

    def _in_form(self, planes: NDArray[np.int8], num_batch_axes: int) -> Any:
        """Return observations as ``observation`` asks for, if that is an array."""
        if self._form == "flat":
            return planes.reshape(*planes.shape[:num_batch_axes], -1)
        return planes

    def _show(self, result: StepResult) -> Any:
        if self._form == "dict":
            return self._observation(result)
        return self._in_form(result.observation.reshape(self._observation_shape), 1)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learner's legal actions, a new bool[lanes, num_actions]."""
        self._checked_started("action_masks()")
        return self.masks()

    def _info(self, result: StepResult) -> dict[str, Any]:
        return {
            "action_mask": result.action_mask,
            "player": self._seating.player.copy(),
            "ply": result.ply,
            "winner": result.winner,
            "termination": result.termination,
        }
