"""Mammalath, Mammalath Plus and Mancala as reinforcement-learning environments."""

from __future__ import annotations

from mammalath_env.envs.registration import register_environments
from mammalath_env.games import GAMES, make_game

__version__ = "0.1.0"

__all__ = ["GAMES", "__version__", "make_game"]

register_environments()
