"""Mammalath, Mammalath Plus and Mancala as reinforcement-learning environments."""

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
    return sorted({*globals(), *__all__})


register_environments()
