"""Checks of arguments: their results, and their messages for bad values."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from mammalath_env.core.checks import (
    checked_choice,
    checked_flag,
    checked_integer,
    checked_number,
    nearest,
    unknown_choice,
)


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.array(3)])
def test_integers_become_int(value: Any) -> None:
    """Python's and NumPy's integers are integers."""
    number = checked_integer("depth", value, 1, 3)
    assert number == 3
    assert type(number) is int


@pytest.mark.parametrize("value", [True, np.True_, 3.0, np.float32(3), "3", None])
def test_nothing_else_is_an_integer(value: Any) -> None:
    """Booleans, floats and texts are refused."""
    with pytest.raises(TypeError, match=re.escape(f"depth must be an integer, not {value!r}")):
        checked_integer("depth", value)


@pytest.mark.parametrize(
    ("value", "bounds", "words"),
    [
        (0, (1, 3), "from 1 to 3, not 0"),
        (4, (1, 3), "from 1 to 3, not 4"),
        (2, (0, 1), "0 or 1, not 2"),
        (0, (1,), "at least 1, not 0"),
        (10**400, (None, 3), "at most 3, not 1"),
    ],
)
def test_integers_out_of_range(value: int, bounds: tuple[Any, ...], words: str) -> None:
    """The message says what is possible."""
    with pytest.raises(ValueError, match=f"depth must be {words}"):
        checked_integer("depth", value, *bounds)


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int64(2)])
def test_numbers_become_float(value: Any) -> None:
    """Integers are numbers too, and bounds belong to the range."""
    number = checked_number("seconds", value, 2, 2, above=1)
    assert number == 2.0
    assert type(number) is float


@pytest.mark.parametrize(
    ("value", "bounds", "error", "words"),
    [
        (True, {}, TypeError, "a number, not True"),
        ("2", {}, TypeError, "a number, not '2'"),
        (None, {}, TypeError, "a number, not None"),
        (float("inf"), {}, ValueError, "finite, not inf"),
        (float("nan"), {}, ValueError, "finite, not nan"),
        (10**400, {}, ValueError, "finite, not 1"),
        (0.0, {"above": 0}, ValueError, "above 0, not 0.0"),
        (2.5, {"above": 0, "highest": 2}, ValueError, "above 0 and at most 2, not 2.5"),
        (-0.5, {"lowest": 0, "highest": 1}, ValueError, "from 0 to 1, not -0.5"),
    ],
)
def test_impossible_numbers_are_refused(
    value: Any, bounds: dict[str, float], error: type[Exception], words: str
) -> None:
    """A number must be finite and in range, and must not be a boolean."""
    with pytest.raises(error, match=f"seconds must be {words}"):
        checked_number("seconds", value, **bounds)


def test_flags_and_choices() -> None:
    """1 is not True, and a choice has the type of the one that it equals."""
    assert checked_flag("copy", True) is True
    with pytest.raises(TypeError, match="copy must be True or False, not 1"):
        checked_flag("copy", 1)  # type: ignore[arg-type]
    assert checked_choice("seat", "first", ["first", "second"]) == "first"
    with pytest.raises(ValueError, match="unknown seat 'third': expected one of 'first', 'second'"):
        checked_choice("seat", "third", ["first", "second"])
    with pytest.raises(ValueError, match="unknown player True: expected one of 0, 1"):
        checked_choice("player", True, [0, 1])


def test_a_misspelt_choice_is_answered_by_the_nearest() -> None:
    """Case does not count, and what is like none of the choices has no nearest one."""
    choices = ["greedy", "random", "swap_rule"]
    assert nearest("gredy", choices) == "greedy"
    assert nearest("Swap_Rules", choices) == "swap_rule"
    assert nearest("x" * 10**6, choices) is None
    assert nearest(7, choices) is None
    with pytest.raises(ValueError, match=r"'swap_rule'; did you mean 'greedy'\?$"):
        checked_choice("agent", "greddy", choices)
    with pytest.raises(ValueError, match=r"'swap_rule'$"):
        checked_choice("agent", "zzz", choices)


def test_a_choice_of_nothing() -> None:
    """The message does not end with an empty list."""
    assert unknown_choice("option", "x", ()) == "unknown option 'x': there are none"
