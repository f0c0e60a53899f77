"""The parallel view for libraries that want plain observations and masks in infos.

AgileRL, BenchMARL and XuanCe are such; this module needs none of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from mammalath_env.core.game import Game
from mammalath_env.envs.parallel import BoardGameParallelEnv


class MaskInInfoEnv(ParallelEnv[str, NDArray[np.float32], int]):
    """The parallel view with plain observations; the mask of each agent is in its info.

    Both agents act in every step and the action of the one that is not to move is ignored, as in
    `BoardGameParallelEnv`.

    Attributes:
        env: The parallel environment inside.
        observation_spaces: Per agent, a Box of float32 from 0 to 1.
        action_spaces: Per agent, ``Discrete(num_actions)``.
    """

    def __init__(
        self, game: str | Game, render_mode: str | None = None, *, flat: bool = True, **options: Any
    ) -> None:
        """Build the environment.

        Args:
            game: A name for `make_game`, or a game.
            render_mode: As for `BoardGameParallelEnv`.
            flat: Whether observations have one dimension, or the shape of the game's observation.
            **options: The other options of `BoardGameParallelEnv`.
        """
        self.env = BoardGameParallelEnv(game, render_mode, **options)
        self.metadata = self.env.metadata
        self.render_mode = render_mode
        self.possible_agents = list(self.env.possible_agents)
        self.agents: list[str] = []
        shape = self.env.state_space.shape or ()
        self._shape = (math.prod(shape),) if flat else shape
        self._scale = np.float32(1 / self.env.game.observation_high)
        self.observation_spaces = {
            agent: spaces.Box(0.0, 1.0, self._shape, np.float32) for agent in self.possible_agents
        }
        self.action_spaces = self.env.action_spaces

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Start a game, as in `BoardGameParallelEnv`.

        Returns:
            Observations and infos of both agents.
        """
        observations, infos = self.env.reset(seed, options)
        self.agents = list(self.env.agents)
        return self._split(observations, infos)

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, NDArray[np.float32]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play the action of the agent to move, as in `BoardGameParallelEnv`."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        self.agents = list(self.env.agents)
        plain, masks = self._split(observations, infos)
        return plain, rewards, terminations, truncations, masks

    def _split(
        self, observations: Mapping[str, Any], infos: Mapping[str, dict[str, Any]]
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        plain = {
            agent: (seen["observation"] * self._scale).reshape(self._shape)
            for agent, seen in observations.items()
        }
        masks = {
            agent: {**infos[agent], "action_mask": seen["action_mask"]}
            for agent, seen in observations.items()
        }
        return plain, masks

    def observation_space(self, agent: str) -> spaces.Box:
        """Return the observation space of `agent`, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the action space of `agent`, the same object at every call."""
        return self.action_spaces[agent]

    def render(self) -> Any:
        """Draw the position and the last move."""
        return self.env.render()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
