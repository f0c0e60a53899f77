"""Register the environments where `make` functions find them."""

from __future__ import annotations

import pettingzoo

from mammalath_env.games import GAMES

NAMESPACE = "mammalath_env"


def register_environments() -> None:
    """Register every game with PettingZoo, whose registry exists from 1.27 on."""
    if hasattr(pettingzoo, "register"):
        for name in GAMES:
            pettingzoo.register(
                "aec", f"{NAMESPACE}/{name}-v0", entry_point=f"mammalath_env.{name}_v0:env"
            )
