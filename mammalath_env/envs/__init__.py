"""The games behind the interfaces that reinforcement-learning libraries use.

The classes are loaded when they are asked for, as they bring compiled code.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mammalath_env.envs.aec import BoardGameEnv
    from mammalath_env.envs.aec_policy import AECPolicy
    from mammalath_env.envs.opponent_vector import OpponentVectorEnv
    from mammalath_env.envs.parallel import BoardGameParallelEnv
    from mammalath_env.envs.playouts import random_playouts
    from mammalath_env.envs.single_agent import SingleAgentEnv
    from mammalath_env.envs.vector import SelfPlayVectorEnv

__all__ = [
    "AECPolicy",
    "BoardGameEnv",
    "BoardGameParallelEnv",
    "OpponentVectorEnv",
    "SelfPlayVectorEnv",
    "SingleAgentEnv",
    "random_playouts",
]

_MODULES = {
    "AECPolicy": "aec_policy",
    "BoardGameEnv": "aec",
    "BoardGameParallelEnv": "parallel",
    "OpponentVectorEnv": "opponent_vector",
    "SelfPlayVectorEnv": "vector",
    "SingleAgentEnv": "single_agent",
    "random_playouts": "playouts",
}


def __getattr__(name: str) -> Any:
    # Modules too: ``import mammalath_env`` is enough for ``mammalath_env.envs.vector``.
    if name in _MODULES.values():
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
