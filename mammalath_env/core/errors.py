"""Errors that callers can tell apart, all of them ``ValueError``, and checks that raise others."""

from __future__ import annotations

from collections.abc import Iterable


class IllegalMoveError(ValueError):
    """A move that the rules do not allow in this position."""


class InvalidMoveError(ValueError):
    """A text that is not a move of the game in any position."""


class PositionError(ValueError):
    """A text that is not a position of the game, or one that no game can reach."""


class GameOverError(ValueError):
    """An action was asked for in a position in which the game has ended."""


def checked_flag(name: str, value: bool) -> bool:
    """Return `value`.

    Raises:
        TypeError: It is neither True nor False.
    """
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return value


def choose_from(what: str, given: object, choices: Iterable[object]) -> str:
    """Return the sentence that says which values `what` may have.

    Args:
        what: The name of the option or argument.
        given: The value that was passed.
        choices: The values that exist.
    """
    listed = ", ".join(repr(choice) for choice in choices)
    return f"unknown {what} {given!r}: expected one of {listed}"
