"""Arguments that all environments take, checked."""

from __future__ import annotations

from mammalath_env.core.checks import checked_choice, checked_number

ILLEGAL_ACTIONS = ("terminate", "raise")


def checked_illegal_action(illegal_action: str) -> str:
    """Return `illegal_action`, what an illegal action does.

    Raises:
        ValueError: There is no such choice.
    """
    return checked_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS)


def checked_illegal_reward(reward: float) -> float:
    """Return `reward`, that of an illegal action, as a float.

    Raises:
        TypeError: It is not a number.
        ValueError: It is not finite.
    """
    return checked_number("illegal_reward", reward)
