"""Mammalath as a PettingZoo environment; see ``docs/mammalath.md`` for its tables.

Two players place tokens on a 6x6 board full of animals, or release animals from it. Three own
tokens in a line win on free spaces, and lose if one of the spaces still holds an animal.
"""

from __future__ import annotations

from typing import Any

from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.parallel import BoardGameParallelEnv

__all__ = ["env", "parallel_env", "raw_env"]


def __dir__() -> list[str]:
    return __all__


def env(render_mode: str | None = None, **options: Any) -> BoardGameEnv:
    """Return the environment.

    Args:
        render_mode: None, ``"human"``, ``"ansi"`` or ``"rgb_array"``.
        **options: Those of `BoardGameEnv` (``render_size``, ``channels_first``,
            ``illegal_action``, ``illegal_reward``) and of the game (``swap_rule``).
    """
    return BoardGameEnv("mammalath", render_mode, **options)


raw_env = env
"""The same: the environment checks order, range and legality itself, without wrappers."""


def parallel_env(render_mode: str | None = None, **options: Any) -> BoardGameParallelEnv:
    """Return the parallel view, in which the action of the agent not to move is ignored.

    Args:
        render_mode: None, ``"human"``, ``"ansi"`` or ``"rgb_array"``.
        **options: Those of `env`, and ``idle_mask`` (``"ones"`` or ``"first"``).
    """
    return BoardGameParallelEnv("mammalath", render_mode, **options)
