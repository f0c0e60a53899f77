"""What both sides of UGI share: scores, and the players' numbers."""

from __future__ import annotations

import math

from mammalath_env.core.position import Position

MAX_SCORE = 10_000
"""Largest score of a position in hundredths, ``cp``, that is not a proven result."""

_PER_DECADE = 400.0


def score_of(value: float) -> int:
    """Return a value from -1 to 1 as a score in hundredths, on the logistic scale of Elo."""
    if abs(value) >= 1.0:
        return round(math.copysign(MAX_SCORE, value))
    score = _PER_DECADE * math.log10((1.0 + value) / (1.0 - value))
    return round(min(max(score, -MAX_SCORE), MAX_SCORE))


def value_of(score: float) -> float:
    """Return a score in hundredths as a value from -1 to 1; the inverse of `score_of`."""
    return math.tanh(score * math.log(10.0) / (2.0 * _PER_DECADE))


def first_mover(position: Position) -> int:
    """Return the player who moved first in the game, which UGI calls ``p1``.

    The players alternate, so that the number of plies tells.
    """
    return position.to_move ^ (position.ply & 1)
