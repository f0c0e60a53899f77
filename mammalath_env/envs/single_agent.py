"""One seat of a game as a Gymnasium environment, with an opponent inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from mammalath_env.agents.agent import is_agent
from mammalath_env.core.checks import checked_choice, checked_integer
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.arguments import RESET_OPTIONS, game_and_rest, reset_options
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.opponents import Opponent, checked_opponent, makes_agents
from mammalath_env.envs.pictures import RENDER_FPS, RENDER_MODES, draw
from mammalath_env.envs.turn import reason_of


class _FirstLane:
    """An opponent that is a function of one observation, as one of a batch of one lane."""

    def __init__(self, opponent: Callable[[Any, NDArray[Any]], Any]) -> None:
        self._opponent = opponent

    def __call__(self, observations: Any, masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        if isinstance(observations, dict):
            observation = {key: values[0] for key, values in observations.items()}
        else:
            observation = observations[0]
        return np.array(
            [checked_integer("the opponent's action", self._opponent(observation, masks[0]))]
        )


class SingleAgentEnv(gymnasium.Env[Any, Any]):
    """One player of a game; the other one is the opponent, who moves inside `step` and `reset`.

    A step plays the learner's action and the opponent's reply, so that a loss arrives in the very
    step whose reply causes it. Rewards, terminations and illegal actions are those of the AEC
    environment, for the learner alone.

    It is an `OpponentVectorEnv` of one lane: the same seed gives the same games there. They are
    those of lane 0 of a larger batch too if the opponent draws for each lane by itself, as
    ``"random"`` and ``"greedy"`` do, or does not draw; other agents are one for all lanes.

    ``info`` holds ``action_mask`` (int8[num_actions]), ``player`` (which player the learner is, 0
    or 1), ``ply`` (plies played), ``winner`` (0, 1 or 2 for a draw if the game ended in this step,
    else -1) and ``termination`` (as in the AEC environment); after an illegal action also
    ``reason``, which action that was and why it is illegal, in words.

    Attributes:
        game: The game with its options.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        render_mode: str | None = None,
        *,
        render_size: int = 480,
        opponent: Opponent = "random",
        seat: str = "random",
        observation: str = "dict",
        channels_first: bool = False,
        illegal_action: str = "terminate",
        illegal_reward: float = -1.0,
        **game_options: Any,
    ) -> None:
        """Build the environment; `reset` starts a game.

        Args:
            game: A name for `make_game`, or a game.
            render_mode: ``"human"`` draws in the terminal; `render` returns text with ``"ansi"``,
                pixels with ``"rgb_array"``.
            render_size: Width of these pictures in pixels.
            opponent: Whatever `make_agent` takes (seeded from this environment), an agent, or a
                function of observation and bool mask to an action; see `Opponent`.
            seat: Whether the learner moves ``"first"`` or ``"second"``; ``"alternate"`` changes it
                from game to game, beginning with first; ``"random"`` draws it.
            observation: ``"dict"`` of ``observation`` and ``action_mask``; ``"planes"``, the first
                of these alone; ``"flat"``, the same in one dimension.
            channels_first: Planes as the first axis, for games with planes.
            illegal_action: ``"terminate"`` ends the game after an illegal action; ``"raise"``
                raises `IllegalMoveError` and changes nothing.
            illegal_reward: Reward of an illegal action that ends the game.
            **game_options: Options of `make_game`, if `game` is a name.

        Raises:
            ValueError: An argument has a value that does not exist.
            TypeError: An argument has the wrong type, or the game has no such option.
        """
        self.game, _ = game_and_rest(game, game_options, type(self))
        self.render_mode = checked_choice("render_mode", render_mode, (None, *RENDER_MODES))
        opponent = checked_opponent(opponent, self.game)
        if callable(opponent) and not makes_agents(opponent) and not is_agent(opponent):
            opponent = _FirstLane(opponent)
        self._lane = OpponentVectorEnv(
            self.game,
            1,
            opponent=opponent,
            seat=seat,
            observation=observation,
            autoreset_mode=AutoresetMode.DISABLED,
            num_threads=1,
            channels_first=channels_first,
            illegal_action=illegal_action,
            illegal_reward=illegal_reward,
            render_mode=None if render_mode is None else "rgb_array",
            render_size=render_size,
        )
        self.render_size = self._lane.render_size
        self.observation_space = self._lane.single_observation_space
        self.action_space: spaces.Space[Any] = self._lane.single_action_space

    def __copy__(self) -> SingleAgentEnv:
        """Return an environment with a state of its own, as every copy has."""
        return deepcopy(self)

    # Playing

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a game, and let the opponent move if it is to move first.

        Args:
            seed: Seeds deals, seats and a named opponent; None continues the current stream.
            options: Either ``"first_player"`` (0, 1, or None to draw it) or ``"position"`` (a
                position or its text to start from; the seat says who moves in it). Others are
                ignored, those nearly spelt like these and arguments of the environment with a
                warning.

        Raises:
            TypeError: The seed, an option or `options` has the wrong type.
            ValueError: The seed is negative, an option has an impossible value, both are given, or
                the game is over before the learner can move.
        """
        if seed is not None:
            seed = checked_integer("a seed", seed, 0)
        kept = reset_options(options, RESET_OPTIONS, self.game, type(self))
        observations, infos = self._lane.reset(seed=seed, options=kept)
        super().reset(seed=seed)
        if self.render_mode == "human":
            self.render()
        return self._first(observations), self._info(infos)

    def step(self, action: SupportsIndex) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the learner's action and the opponent's reply.

        Returns:
            Observation, the learner's reward, terminated, truncated (never true), info.

        Raises:
            gymnasium.error.ResetNeeded: No game was started, or it is over.
            TypeError: The action is not an integer.
            IllegalMoveError: The learner's action is illegal and ``illegal_action`` is
                ``"raise"``; or the opponent's is.
        """
        if self._lane.is_over(0):
            raise gymnasium.error.ResetNeeded("the game is over: call reset() first")
        number = checked_integer("an action", action)
        observations, rewards, terminated, _, infos = self._lane.step([number])
        if self.render_mode == "human":
            self.render()
        reason = infos.pop("reason", None)
        infos.pop("_reason", None)
        info = self._info(infos)
        if reason is not None:
            info["reason"] = reason_of(number, self.position)
        return self._first(observations), rewards[0].item(), terminated[0].item(), False, info

    # Observing

    @property
    def position(self) -> Position:
        """The current position.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
        """
        return self._lane.positions([0])[0]

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learner's legal actions, a new bool[num_actions]; all False after the end."""
        mask: NDArray[np.bool_] = self._lane.masks()[0]
        return mask

    @staticmethod
    def _first(observations: Any) -> Any:
        """Return the observation of the only lane."""
        if isinstance(observations, dict):
            return {key: values[0] for key, values in observations.items()}
        return observations[0]

    @staticmethod
    def _info(infos: dict[str, Any]) -> dict[str, Any]:
        """Return the info of the only lane, numbers as ints."""
        mask, *numbers = infos.values()
        return dict(zip(infos, [mask[0], *(values[0].item() for values in numbers)], strict=True))

    def render(self) -> Any:
        """Draw the position and the last move.

        Returns:
            In mode ``"ansi"`` text, in mode ``"rgb_array"`` a new uint8[height, width, 3]. Mode
            ``"human"`` prints the text, after every step too.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
        """
        last = self._lane.last_move(0)
        return draw(self.render_mode, self.render_size, self.position, last)
