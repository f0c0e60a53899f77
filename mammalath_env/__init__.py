"""Mammalath, Mammalath Plus and Mancala as reinforcement-learning environments.

One seat of a game, with an opponent in the other one, in Gymnasium::

    import gymnasium, mammalath_env
    env = gymnasium.make("mammalath_env/Mammalath-v0", opponent="greedy", render_mode="ansi")
    observation, info = env.reset(seed=7)
    env.step(env.action_space.sample(observation["action_mask"]))
    print(env.render())

The ids are ``mammalath_env/Mammalath-v0``, ``mammalath_env/MammalathPlus-v0`` and
``mammalath_env/Mancala-v0``. Environments of both seats for PettingZoo are
``mammalath_env.mammalath_v0.env()``, and likewise in `mammalath_plus_v0` and `mancala_v0`; batches
are in `envs`, agents in `agents`, contests in `arena`, pictures in `rendering`. `make_game` is for
positions without an environment.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from mammalath_env.envs.registration import register_environments
from mammalath_env.games import GAMES, make_game

if TYPE_CHECKING:
    from mammalath_env import (
        agents,
        arena,
        envs,
        games,
        mammalath_plus_v0,
        mammalath_v0,
        mancala_v0,
        rendering,
    )

__version__ = "0.1.0"

__all__ = [
    "GAMES",
    "__version__",
    "agents",
    "arena",
    "envs",
    "games",
    "make_game",
    "mammalath_plus_v0",
    "mammalath_v0",
    "mancala_v0",
    "rendering",
]


def __getattr__(name: str) -> Any:
    """Import a public module when it is first asked for, as most load the compiler."""
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


register_environments()
