"""Errors that callers can tell apart, all of them ``ValueError``."""

from __future__ import annotations


class IllegalMoveError(ValueError):
    """A move that the rules do not allow in this position."""


class InvalidMoveError(ValueError):
    """A text that is not a move of the game in any position."""


class PositionError(ValueError):
    """A text that is not a position of the game, or one that no game can reach."""


class GameOverError(ValueError):
    """An action was asked for in a position in which the game has ended."""
