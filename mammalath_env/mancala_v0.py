"""Mancala as a PettingZoo environment; see ``docs/mancala.md`` for its tables.

Two players sow the seeds of their six holes around the board, and capture from the other row.
Whoever stores more than half of the seeds wins.
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
        **options: Those of `BoardGameEnv` (``render_size``, ``channels_first``, which changes
            nothing here, ``illegal_action``, ``illegal_reward``) and of the game (``capture``,
            ``no_capture_limit``, ``reward``).
    """
    return BoardGameEnv("mancala", render_mode, **options)


raw_env = env
"""The same: the environment checks order, range and legality itself, without wrappers."""


def parallel_env(render_mode: str | None = None, **options: Any) -> BoardGameParallelEnv:
    """Return the parallel view, in which the action of the agent not to move is ignored.

    Args:
        render_mode: None, ``"human"``, ``"ansi"`` or ``"rgb_array"``.
        **options: Those of `env`, and ``idle_mask`` (``"ones"`` or ``"first"``).
    """
    return BoardGameParallelEnv("mancala", render_mode, **options)
