"""Checks of arguments: integers, numbers, flags and choices, each with one meaning everywhere.

An integer is what Python can use as an index (``int``, NumPy's integers, integer arrays and
tensors of one element), and a bool is none. A number is an integer or a float that is finite.
"""

from __future__ import annotations

import difflib
import math
import operator
from collections.abc import Iterable
from typing import SupportsIndex, TypeVar

import numpy as np

Choice = TypeVar("Choice")


def checked_integer(
    name: str,
    value: SupportsIndex,
    lowest: int | None = None,
    highest: int | None = None,
) -> int:
    """Return `value` as an int.

    Args:
        name: What to call it in errors.
        value: The integer.
        lowest: Smallest integer allowed; None for any.
        highest: Largest integer allowed; None for any.

    Raises:
        TypeError: It is not an integer.
        ValueError: It is out of range.
    """
    if type(value) is int:
        number = value
    elif isinstance(value, (bool, np.bool_)):  # NumPy's are integers before NumPy 2
        raise TypeError(f"{name} must be an integer, not {value!r}")
    else:
        try:
            number = operator.index(value)
        except TypeError:
            raise TypeError(f"{name} must be an integer, not {value!r}") from None
    if (lowest is not None and number < lowest) or (highest is not None and number > highest):
        two = lowest is not None and highest == lowest + 1
        words = f"{lowest} or {highest}" if two else _range(lowest, highest)
        raise ValueError(f"{name} must be {words}, not {number}")
    return number


def checked_number(
    name: str,
    value: float,
    lowest: float | None = None,
    highest: float | None = None,
    *,
    above: float | None = None,
) -> float:
    """Return `value` as a float.

    Args:
        name: What to call it in errors.
        value: An integer or a finite float.
        lowest: Smallest number allowed; None for any.
        highest: Largest number allowed; None for any.
        above: The number must be larger than this one; None for any.

    Raises:
        TypeError: It is not a number.
        ValueError: It is not finite, or out of range.
    """
    allowed = (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, allowed):
        raise TypeError(f"{name} must be a number, not {value!r}")
    try:
        number = float(value)
    except OverflowError:  # an integer beyond all floats
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, not {value}")
    too_low = (lowest is not None and value < lowest) or (above is not None and value <= above)
    if too_low or (highest is not None and value > highest):
        raise ValueError(f"{name} must be {_range(lowest, highest, above)}, not {value}")
    return number


def checked_flag(name: str, value: bool) -> bool:
    """Return `value`.

    Raises:
        TypeError: It is neither True nor False.
    """
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return value


def checked_choice(name: str, value: Choice, choices: Iterable[Choice]) -> Choice:
    """Return `value` if it is one of `choices`, in type and value.

    Raises:
        ValueError: It is none of them.
    """
    choices = list(choices)
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise ValueError(unknown_choice(name, value, choices))
    return value


def unknown_choice(name: str, value: object, choices: Iterable[object]) -> str:
    """Return the message that `value` is none of the `choices` of `name`, with the nearest."""
    choices = list(choices)
    if not choices:
        return f"unknown {name} {value!r}: there are none"
    listed = ", ".join(repr(choice) for choice in choices)
    near = nearest(value, [choice for choice in choices if isinstance(choice, str)])
    hint = "" if near is None else f"; did you mean {near!r}?"
    return f"unknown {name} {value!r}: expected one of {listed}{hint}"


def nearest(value: object, choices: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the choice that `value` is most likely a misspelling of, or None.

    Upper and lower case count as equal; `value` may be anything, and only text has a nearest one.
    `cutoff` is how much alike two texts must be, from 0 to 1 as `difflib` counts it.
    """
    if not isinstance(value, str):
        return None
    by_small = {choice.casefold(): choice for choice in choices}
    # The search compares each pair of letters.
    found = difflib.get_close_matches(value[:100].casefold(), by_small, n=1, cutoff=cutoff)
    return by_small[found[0]] if found else None


def _range(lowest: float | None, highest: float | None, above: float | None = None) -> str:
    """Return the words for a range of numbers that ends on one side at least."""
    if lowest is not None and highest is not None:
        return f"from {lowest} to {highest}"
    parts = [
        f"{words} {bound}"
        for words, bound in (("at least", lowest), ("above", above), ("at most", highest))
        if bound is not None
    ]
    return " and ".join(parts)
