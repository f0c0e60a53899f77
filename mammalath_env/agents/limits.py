"""Checks of the numbers that agents and contests take."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

Number = TypeVar("Number", int, float)


def checked_number(
    name: str,
    value: float,
    kind: type[Number],
    lowest: float,
    highest: float | None = None,
) -> Number:
    """Return `value` as a number of a kind, if it is possible.

    Args:
        name: What to call it in errors.
        value: The number.
        kind: int for whole numbers, float for any.
        lowest: Smallest whole number that is possible; numbers of kind float must be above it.
        highest: Largest possible number, or None.

    Raises:
        TypeError: It is not a number of that kind.
        ValueError: It is out of range.
    """
    allowed = (int, np.integer) if kind is int else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, allowed):
        what = "a whole number" if kind is int else "a number"
        raise TypeError(f"{name} must be {what}, not {value!r}")
    too_low = value < lowest if kind is int else not value > lowest
    if too_low or (highest is not None and value > highest):
        least = f"at least {lowest}" if kind is int else f"above {lowest}"
        most = "" if highest is None else f" and at most {highest}"
        raise ValueError(f"{name} must be {least}{most}, not {value}")
    return kind(value)


def checked_fraction(name: str, value: float) -> float:
    """Return `value` as a float, if it is a number from 0 to 1.

    Raises:
        TypeError: It is not a number.
        ValueError: It is out of range.
    """
    fraction = checked_number(name, value, float, -np.inf)
    if not 0.0 <= fraction <= 1.0:
        raise ValueError(f"{name} must be from 0 to 1, not {value}")
    return fraction


def checked_limit(
    name: str,
    value: float | None,
    kind: type[Number],
    lowest: float,
    highest: float | None = None,
) -> Number | None:
    """Return `value` if it is a possible limit, as `checked_number` does; None means no limit."""
    return None if value is None else checked_number(name, value, kind, lowest, highest)
