"""BenchMARL: a game as a task, for its algorithms that take action masks.

Needs the extra ``benchmarl``.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from multiprocessing import current_process
from typing import Any

import numpy as np

from mammalath_env.core.extras import from_extra
from mammalath_env.integrations.mask_in_info import MaskInInfoEnv

with from_extra("benchmarl", "benchmarl", "torchrl", "torch"):
    from benchmarl.environments.common import TaskClass
    from torchrl.data import Composite
    from torchrl.envs import EnvBase, PettingZooWrapper


class BoardGameTask(TaskClass):
    """A game of the package as a task of BenchMARL.

    Both agents act in every step, in one group ``player``, and so by one network if parameters are
    shared; the action of the one that is not to move is ignored. Observations have one dimension.
    """

    def __init__(self, game: str, **options: Any) -> None:
        """Build the task.

        Args:
            game: A name for `make_game`.
            **options: The other arguments of `MaskInInfoEnv`.

        Raises:
            ValueError: There is no such game, or an option has a value that does not exist.
            TypeError: There is no such option.
        """
        env = MaskInInfoEnv(game, **options)
        self._max_plies = env.env.game.max_plies
        super().__init__(name=game.upper(), config={"game": game, **options})

    def get_env_fun(
        self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any
    ) -> Callable[[], EnvBase]:
        """Return a function that builds one environment; called by BenchMARL.

        The seed of each environment is derived from `seed`, the number of environments that the
        function has built before, and the name of the process.
        """
        config = dict(self.config)
        built = 0

        def build() -> EnvBase:
            nonlocal built
            lane_seed = None
            if seed is not None:
                process = zlib.crc32(current_process().name.encode())
                sequence = np.random.SeedSequence((seed, built, process))
                lane_seed = int(sequence.generate_state(1)[0])
            built += 1
            return PettingZooWrapper(
                MaskInInfoEnv(**config), use_mask=True, seed=lane_seed, device=device
            )

        return build

    def supports_continuous_actions(self) -> bool:
        """Return False."""
        return False

    def supports_discrete_actions(self) -> bool:
        """Return True."""
        return True

    def max_steps(self, env: EnvBase) -> int:
        """Return the plies of the longest possible game."""
        return self._max_plies

    def has_render(self, env: EnvBase) -> bool:
        """Return False: the environment is made without pictures."""
        return False

    def group_map(self, env: EnvBase) -> dict[str, list[str]]:
        """Return the agents of each group."""
        return dict(env.group_map)

    def observation_spec(self, env: EnvBase) -> Composite:
        """Return the spec of the observations alone."""
        return self._only(env, "observation")

    def action_mask_spec(self, env: EnvBase) -> Composite:
        """Return the spec of the masks alone."""
        return self._only(env, "action_mask")

    def info_spec(self, env: EnvBase) -> Composite | None:
        """Return None."""
        return None

    def state_spec(self, env: EnvBase) -> Composite | None:
        """Return None: a centralised critic gets the observations of both agents."""
        return None

    def action_spec(self, env: EnvBase) -> Composite:
        """Return the spec of the actions."""
        return env.full_action_spec

    @staticmethod
    def env_name() -> str:
        """Return the name of the package."""
        return "mammalath_env"

    def _only(self, env: EnvBase, key: str) -> Composite:
        spec = env.observation_spec.clone()
        for name in list(spec.keys()):
            if name not in env.group_map:
                del spec[name]
                continue
            for other in [each for each in spec[name].keys() if each != key]:  # noqa: SIM118
                del spec[name][other]
        return spec
