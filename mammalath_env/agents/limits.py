"""Checks of the limits that search agents take."""

from __future__ import annotations

import numpy as np


def checked_limit(
    name: str,
    value: float | None,
    kind: type[int] | type[float],
    lowest: float,
    highest: float | None = None,
) -> float | None:
    """Return `value` if it is a possible limit; None means no limit.

    Args:
        name: What to call it in errors.
        value: The limit.
        kind: int for whole numbers, float for any.
        lowest: Smallest whole number that is possible; numbers of kind float must be above it.
        highest: Largest possible number, or None.

    Raises:
        TypeError: It is not a number of that kind.
        ValueError: It is out of range.
    """
    if value is None:
        return None
    allowed = (int, np.integer) if kind is int else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, allowed):
        what = "a whole number" if kind is int else "a number"
        raise TypeError(f"{name} must be {what}, not {value!r}")
    too_low = value < lowest if kind is int else not value > lowest
    if too_low or (highest is not None and value > highest):
        least = f"at least {lowest}" if kind is int else f"above {lowest}"
        most = "" if highest is None else f" and at most {highest}"
        raise ValueError(f"{name} must be {least}{most}, not {value}")
    return value
