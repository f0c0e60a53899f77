"""The parallel view for libraries that want plain observations and masks in infos.

AgileRL, BenchMARL and XuanCe do; this module needs none of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray
from pettingzoo.utils import BaseParallelWrapper

from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.arguments import game_and_rest
from mammalath_env.envs.parallel import BoardGameParallelEnv
from mammalath_env.envs.spaces import space_of


class MaskInInfoEnv(BaseParallelWrapper[str, Any, int]):
    """The parallel view with plain observations; the mask of each agent is in its info.

    Infos hold numbers alone: after an illegal action there is no ``reason`` in words. Everything
    else is as in `BoardGameParallelEnv`: both agents act in every step, and the action of the one
    that is not to move is ignored.

    Attributes:
        env: The parallel environment inside.
        observation_spaces: Per agent, a Box of float32 from 0 to 1.
    """

    env: BoardGameParallelEnv

    def __init__(
        self,
        game: str | Game,
        render_mode: str | None = None,
        *,
        flat: bool = True,
        with_mask: bool = False,
        **options: Any,
    ) -> None:
        """Build the environment.

        Args:
            game: A name for `make_game`, or a game.
            render_mode: As for `BoardGameParallelEnv`.
            flat: Whether observations have one dimension, or the shape of the game's observation.
            with_mask: Whether observations end with the mask of the agent too; for flat ones only.
            **options: The other options of `BoardGameParallelEnv`.

        Raises:
            ValueError: An argument has a value that does not exist, or observations that are not
                flat shall end with a mask.
            TypeError: An argument has the wrong type, or there is no such option.
        """
        if with_mask and not flat:
            raise ValueError("with_mask=True needs flat=True")
        classes = (type(self), BoardGameParallelEnv, BoardGameEnv)
        game, options = game_and_rest(game, options, *classes)
        env = BoardGameParallelEnv(game, render_mode, **options)
        super().__init__(env)
        shape = env.state_space.shape or ()
        self._flat = flat
        self._with_mask = with_mask
        length = math.prod(shape) + (env.game.num_actions if with_mask else 0)
        box = (length,) if flat else shape
        self.observation_spaces = {
            agent: spaces.Box(0.0, 1.0, box, np.float32) for agent in env.possible_agents
        }

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Start a game, as in `BoardGameParallelEnv`.

        Returns:
            Observations and infos of both agents.
        """
        return self._split(*self.env.reset(seed, options))

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
        plain, masks = self._split(observations, infos)
        return plain, rewards, terminations, truncations, masks

    def _split(
        self, observations: Mapping[str, Any], infos: Mapping[str, dict[str, Any]]
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        high = self.env.game.observation_high
        plain = {}
        for agent, seen in observations.items():
            scaled = _scaled(seen["observation"], high)
            mask = seen["action_mask"] if self._with_mask else ()
            plain[agent] = _flattened(scaled, mask) if self._flat else scaled
        masks = {
            agent: {**infos[agent], "action_mask": seen["action_mask"]}
            for agent, seen in observations.items()
        }
        for info in masks.values():
            info.pop("reason", None)  # these libraries make tensors of all that is in infos
        return plain, masks

    def observation_space(self, agent: str) -> spaces.Box:
        """Return the observation space of `agent`, the same object at every call.

        Raises:
            ValueError: There is no such agent.
        """
        return space_of(agent, self.observation_spaces)


def flat_observation(
    position: Position, player: int, with_mask: bool = False
) -> NDArray[np.float32]:
    """Return what a flat `MaskInInfoEnv` shows a player of a position, float32[length].

    Args:
        position: Where the game is not over.
        player: The player who looks, 0 or 1.
        with_mask: As for `MaskInInfoEnv`.
    """
    scaled = _scaled(position.observation(player), position.game.observation_high)
    return _flattened(scaled, mask_of(position, player) if with_mask else ())


def mask_of(position: Position, player: int) -> NDArray[np.bool_]:
    """Return the mask that a player has there, bool[num_actions]: all True where it waits."""
    mask = position.action_mask()
    return mask if player == position.to_move else np.ones_like(mask)


def _scaled(observation: NDArray[np.int8], high: int) -> NDArray[np.float32]:
    """Return an observation with entries from 0 to 1, of the same shape."""
    scaled: NDArray[np.float32] = observation * np.float32(1 / high)
    return scaled


def _flattened(observation: NDArray[np.float32], mask: ArrayLike) -> NDArray[np.float32]:
    """Return the entries of an observation, and those of the mask after them."""
    return np.append(observation, np.asarray(mask, np.float32))
