"""Errors that callers can tell apart. All of them are ``ValueError``."""

from __future__ import annotations


class IllegalMoveError(ValueError):
    """A move that the rules do not allow in this position."""


class InvalidMoveError(ValueError):
    """A text that is not a move of the game in any position."""


class PositionError(ValueError):
    """A text that is not a position of the game, or one that no game can reach."""


def choose_from(what: str, given: object, choices: object) -> str:
    """Return the sentence that says which values `what` may have.

    Args:
        what: The name of the option or argument.
        given: The value that was passed.
        choices: An iterable of the values that exist.
    """
    listed = ", ".join(repr(choice) for choice in choices)  # type: ignore[attr-defined]
    return f"unknown {what} {given!r}: expected one of {listed}"
