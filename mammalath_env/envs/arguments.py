"""Arguments that all environments take, checked."""

from __future__ import annotations

import numpy as np

from mammalath_env.core.checks import unknown_choice

ILLEGAL_ACTIONS = ("terminate", "raise")


def checked_illegal_action(illegal_action: str) -> str:
    """Return `illegal_action`, what an illegal action does.

    Raises:
        ValueError: There is no such choice.
    """
    if illegal_action not in ILLEGAL_ACTIONS:
        raise ValueError(unknown_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS))
    return illegal_action


def checked_illegal_reward(reward: float) -> float:
    """Return `reward`, that of an illegal action, as a float.

    Raises:
        TypeError: It is not a number.
        ValueError: It is not finite.
    """
    if isinstance(reward, bool) or not isinstance(reward, (int, float, np.integer, np.floating)):
        raise TypeError(f"illegal_reward must be a number, not {reward!r}")
    if not np.isfinite(reward):
        raise ValueError(f"illegal_reward must be finite, not {reward!r}")
    return float(reward)
