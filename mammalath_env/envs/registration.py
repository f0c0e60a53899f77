"""Register the environments where `make` functions find them."""

from __future__ import annotations

import gymnasium
import pettingzoo

from mammalath_env.games import GAMES

NAMESPACE = "mammalath_env"


def gymnasium_id(game: str) -> str:
    """Return the Gymnasium id of a game, such as ``mammalath_env/MammalathPlus-v0``."""
    return f"{NAMESPACE}/{game.title().replace('_', '')}-v0"


def register_environments() -> None:
    """Register every game with Gymnasium, and with PettingZoo, whose registry came with 1.27."""
    for name in GAMES:
        gymnasium.register(
            gymnasium_id(name),
            entry_point="mammalath_env.envs.single_agent:SingleAgentEnv",
            vector_entry_point="mammalath_env.envs.opponent_vector:OpponentVectorEnv",
            kwargs={"game": name},
        )
        if hasattr(pettingzoo, "register"):
            module = f"mammalath_env.{name}_v0"
            pettingzoo.register("aec", f"{NAMESPACE}/{name}-v0", entry_point=f"{module}:env")
            pettingzoo.register(
                "parallel", f"{NAMESPACE}/{name}-v0", entry_point=f"{module}:parallel_env"
            )
