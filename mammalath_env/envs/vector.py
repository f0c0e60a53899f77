"""Batched self-play: each lane a game of both players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mammalath_env.envs import lanes as kernels
from mammalath_env.envs.lane_vector import LaneVectorEnv, Seeds
from mammalath_env.envs.lanes import StepResult


class SelfPlayVectorEnv(LaneVectorEnv):
    """Games of both players side by side, as a Gymnasium `VectorEnv`.

    Every step plays the action of the player to move in every lane, and shows each lane as the
    next player to move sees it. Lanes end and begin at different times, so that the player to move
    differs from lane to lane; ``info["to_move"]`` says who it is.

    Observation, reward and info of a step, lane by lane:

    =======================  =====================================================================
    ``observation``          int8[lanes, ...], as the player to move sees the position
    ``action_mask``          int8[lanes, num_actions], legal actions; zeros after the end
    reward                   float64[lanes], of the player who has just moved
    ``info["rewards"]``      float64[lanes, 2], of both players
    ``info["to_move"]``      int8[lanes], the player to move
    ``info["ply"]``          int16[lanes], plies played
    ``info["winner"]``       int8[lanes], 0, 1 or 2 (drawn) if the game ended in this step, else -1
    ``info["termination"]``  int8[lanes], why it ended, as in the AEC environment, else 0
    ``info["reason"]``       only in a step in which illegal actions end games: object[lanes], the
                             text ``"illegal action 7"`` or the like there, else None
    ``info["_reason"]``      only then: bool[lanes], where there is a text
    =======================  =====================================================================

    When a lane has ended, its next game begins as the autoreset mode says:

    - next step: the step that ends the game shows its last position. The next step ignores the
      lane's action, deals a new game and pays nothing.
    - same step: the step that ends the game shows the new deal. The last position stands in
      ``info["final_obs"]`` and ``info["final_info"]``, as Gymnasium has it.
    - disabled: the lane must be reset with ``reset(options={"reset_mask": ...})``.

    Lane i of a batch that was reset with seed s deals what the AEC environment deals that was
    reset with seed s + i, whatever the number of lanes and threads.
    """

    def reset(
        self,
        *,
        seed: Seeds = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[dict[str, NDArray[np.int8]], dict[str, Any]]:
        """Start new games.

        Args:
            seed: Seeds lane i with `seed` + i, or with ``seed[i]`` of a list or an array; None
                continues the current streams.
            options: ``"reset_mask"`` (bool[lanes], which lanes to reset, by default all), and one
                of ``"first_player"`` (0, 1, or None to draw it), ``"position"`` (a position or its
                text, from which all of these lanes start instead of a deal) and ``"positions"``
                (one for each of them). Other keys are ignored, those nearly spelt like these and
                arguments of the environment with a warning.

        Returns:
            Observation and info as `step` returns them.

        Raises:
            gymnasium.error.ResetNeeded: The first reset is of some lanes only.
            TypeError, ValueError: A seed or an option is impossible; no lane has changed.
        """
        first_player, chosen, positions = self._reset_options(options)
        self._seed_lanes(seed, chosen)
        self._started = True
        result = self._next_result()
        if positions is not None:
            self._put_positions(chosen, positions)
        self._for_lanes(
            lambda first, last: kernels.reset_lanes(
                self.game.tables,
                self._lanes,
                chosen,
                positions is None,
                first_player,
                self.channels_first,
                result,
                first,
                last,
            )
        )
        return self._observation(result), self._info(result)

    def step(
        self, actions: ArrayLike
    ) -> tuple[
        dict[str, NDArray[np.int8]],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Play one action in every lane.

        Args:
            actions: Integers, one for each lane. Those of lanes that start their next game in this
                step are ignored.

        Returns:
            Observation, reward, terminated, truncated (never true) and info; see the class.

        Raises:
            gymnasium.error.ResetNeeded: No game was started, or a lane has ended and autoreset is
                disabled.
            TypeError: Actions are not integers.
            ValueError: Actions have another shape.
            IllegalMoveError: An action is illegal and ``illegal_action`` is ``"raise"``.
        """
        checked = self._checked_actions(actions)
        self._refuse_finished()
        self._refuse_illegal(checked, actions)
        return self._step(checked, actions)

    def random_step(
        self,
    ) -> tuple[
        dict[str, NDArray[np.int8]],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Play a random legal action in every lane.

        Returns:
            What `step` returns, with ``info["actions"]``, int64[lanes], what was played.

        Raises:
            gymnasium.error.ResetNeeded: No game was started, or a lane has ended and autoreset is
                disabled.
        """
        self._refuse_finished()
        actions = self.draw_actions()
        observation, reward, terminated, truncated, info = self._step(actions, actions)
        info["actions"] = actions
        return observation, reward, terminated, truncated, info

    def draw_actions(self) -> NDArray[np.int64]:
        """Return a random legal action for every lane, int64[lanes]; 0 where a game has ended.

        They are drawn from streams of their own, which `reset` seeds along with the deals.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
        """
        self._checked_started("draw_actions()")
        actions = np.zeros(self.num_envs, np.int64)
        self._for_lanes(
            lambda first, last: kernels.draw_actions(
                self._lanes, self._side_streams, actions, first, last
            )
        )
        return actions

    def _step(
        self, actions: NDArray[np.int64], given: ArrayLike
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        result = self._next_result()
        self._for_lanes(
            lambda first, last: kernels.step_lanes(
                self.game.tables,
                self._lanes,
                actions,
                self._autoreset,
                self.illegal_reward,
                self.channels_first,
                result,
                self._final,
                first,
                last,
            )
        )
        info = self._info(result)
        if self._autoreset == kernels.SAME_STEP:
            final = self._final
            info |= self._final_infos(
                result.terminated,
                {
                    "rewards": result.rewards,
                    "to_move": final.to_move,
                    "ply": final.ply,
                    "winner": result.winner,
                    "termination": result.termination,
                },
            )
        if self._lanes.any_illegal[0]:
            self._add_reasons(info, result, given)
        truncated = np.zeros(self.num_envs, np.bool_)
        return self._observation(result), result.reward, result.terminated, truncated, info

    @staticmethod
    def _info(result: StepResult) -> dict[str, Any]:
        return {
            "rewards": result.rewards,
            "to_move": result.to_move,
            "ply": result.ply,
            "winner": result.winner,
            "termination": result.termination,
        }
