"""XuanCe: a game as a multi-agent environment, and a configuration of IPPO with action masks.

Needs the extra ``xuance``. Importing this module registers the environment as ``mammalath_env``.
"""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core.checks import unknown_choice
from mammalath_env.core.extras import from_extra
from mammalath_env.integrations.mask_in_info import MaskInInfoEnv

with from_extra("xuance", "xuance", "torch"):
    import xuance
    from xuance.common import load_yaml
    from xuance.environment import REGISTRY_MULTI_AGENT_ENV, RawMultiAgentEnv

ENV_NAME = "mammalath_env"
"""The name of the environment in XuanCe's registry."""

Observations = dict[str, NDArray[np.float32]]


class BoardGameRawEnv(RawMultiAgentEnv):
    """A game for XuanCe, in which both agents act in every step.

    The action of the agent that is not to move is ignored. Observations have one dimension.

    Attributes:
        env: The parallel environment inside.
    """

    def __init__(self, config: Namespace) -> None:
        """Build the environment.

        Args:
            config: ``env_id`` (a name for `make_game`), ``env_seed`` (of the first deal) and,
                if there is one, ``env_options`` (the other arguments of `MaskInInfoEnv`).
        """
        super().__init__()
        self.env = MaskInInfoEnv(config.env_id, **getattr(config, "env_options", {}))
        self.agents = list(self.env.possible_agents)
        self.num_agents = len(self.agents)
        self.agent_groups = [self.agents]
        self.observation_space = self.env.observation_spaces
        self.action_space = self.env.action_spaces
        # The observation of player 0 is the global state.
        self.state_space = self.env.observation_spaces[self.agents[0]]
        self.max_episode_steps = self.env.env.game.max_plies
        self._seed = config.env_seed
        self._state: NDArray[np.float32] | None = None
        self._masks: dict[str, NDArray[np.bool_]] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Start a game; without a seed the first one has that of the configuration."""
        observations, infos = self.env.reset(self._seed if seed is None else seed, options)
        self._seed = None
        self._keep(observations, infos)
        return observations, {}

    def step(
        self, action_dict: dict[str, Any]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], bool, dict[str, Any]]:
        """Play the action of the agent to move.

        Returns:
            Observations, rewards and terminations of both agents; whether the game was cut short,
            which it never is; an empty info.
        """
        observations, rewards, terminations, _, infos = self.env.step(action_dict)
        self._keep(observations, infos)
        return observations, rewards, terminations, False, {}

    def _keep(self, observations: Observations, infos: dict[str, dict[str, Any]]) -> None:
        self._state = observations[self.agents[0]]
        self._masks = {agent: infos[agent]["action_mask"].astype(np.bool_) for agent in self.agents}

    def avail_actions(self) -> dict[str, NDArray[np.bool_]]:
        """Return the mask of each agent; all True for one that is not to move."""
        return dict(self._masks)

    def state(self) -> NDArray[np.float32]:
        """Return the global state: the observation of player 0."""
        assert self._state is not None
        return self._state

    def render(self, *args: Any, **kwargs: Any) -> Any:
        """Draw the position and the last move."""
        return self.env.render()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


REGISTRY_MULTI_AGENT_ENV.update({ENV_NAME: BoardGameRawEnv})


def ippo_config(game: str, folder: str | os.PathLike[str], **settings: Any) -> Namespace:
    """Return a configuration of IPPO with one network for both agents.

    XuanCe's defaults for IPPO, with discrete actions and masks.

    Args:
        game: A name for `make_game`.
        folder: For logs and models.
        **settings: What to change, under XuanCe's names, such as ``parallels=4`` or ``seed=1``.

    Raises:
        TypeError: XuanCe has no such setting.
    """
    configs = Path(xuance.__file__).parent / "configs"
    known = load_yaml(configs / "basic.yaml")
    known |= load_yaml(configs / "ippo" / "mpe" / "simple_spread_v3.yaml")
    known |= {
        "env_name": ENV_NAME,
        "env_id": game,
        "env_options": {},
        "continuous_action": False,
        "policy": "Categorical_MAAC_Policy",
        "use_actions_mask": True,
        "vectorize": "DummyVecMultiAgentEnv",
        "gamma": 1.0,
        "render": False,
        "log_dir": os.fspath(folder),
        "model_dir": os.fspath(folder),
    }
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise TypeError(unknown_choice("setting of XuanCe", unknown[0], sorted(known)))
    return Namespace(**(known | settings))
