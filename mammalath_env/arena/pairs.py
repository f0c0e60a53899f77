"""Pairs of games: how often each score occurs, and the difference in strength that this shows.

Two agents play each deal twice, with seats swapped. The score of such a pair is 0, 1/4, 1/2, 3/4
or 1, and the numbers of pairs with each score are the pentanomial counts. The two games of a pair
depend on each other, since a deal may favour one seat, and pairs do not.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mammalath_env.arena.statistics import CONFIDENCE
from mammalath_env.core.checks import checked_integer

Floats: TypeAlias = NDArray[np.float64]

PairCounts: TypeAlias = tuple[int, int, int, int, int]
"""Pentanomial counts: pairs with each of `PAIR_SCORES`."""

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The scores that a pair of games can have, in the order of the pentanomial counts."""

ELO_PER_T = 800 / math.log(10)
"""Normalized Elo of one standard deviation of the score of a game."""

_SCORES = np.array(PAIR_SCORES)
_LEAST_COUNT = 1e-3


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A value with its 95% confidence interval.

    Attributes:
        value: The value.
        low: Lower end of the interval.
        high: Upper end.
    """

    value: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class PairEstimates:
    """How much stronger the first agent is, from pairs of games.

    Pairs count as independent, games of one pair do not. After a test that stopped by its own
    result the estimates are biased, away from the middle of `elo0` and `elo1`, and the intervals
    are too narrow.

    Attributes:
        pairs: The number of pairs.
        score: Mean points per game.
        elo: Logistic Elo difference; infinite at scores of 0 and 1.
        normalized_elo: Normalized Elo difference.
    """

    pairs: int
    score: Estimate
    elo: Estimate
    normalized_elo: Estimate


def estimate(counts: Sequence[int]) -> PairEstimates:
    """Return the difference in strength that pentanomial counts show.

    Intervals are those of the normal approximation, with counts `smoothed`: with few pairs, or
    pairs that all have one score, they are too narrow.

    Raises:
        TypeError: A count is not an integer.
        ValueError: There are not 5 counts, one is negative, or all are 0.
    """
    whole = [checked_integer("a count of pairs", count, 0) for count in counts]
    numbers = smoothed(whole)
    if not any(whole):
        raise ValueError("there is no pair of games to look at")
    pairs = float(numbers.sum())
    mean = float((numbers * _SCORES).sum()) / pairs
    variance = float((numbers * (_SCORES - mean) ** 2).sum()) / pairs
    half = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * math.sqrt(variance / pairs)
    score = Estimate(mean, max(mean - half, 0.0), min(mean + half, 1.0))
    to_normalized = ELO_PER_T / math.sqrt(2 * variance)
    return PairEstimates(
        pairs=sum(whole),
        score=score,
        elo=Estimate(*map(_elo, (score.value, score.low, score.high))),
        normalized_elo=Estimate(
            *((mean - 0.5 + step) * to_normalized for step in (0.0, -half, half))
        ),
    )


def smoothed(counts: ArrayLike) -> Floats:
    """Return pentanomial counts, with 1/1000 in place of 0.

    A count of 0 would make its score impossible, and equal scores certain.

    Args:
        counts: A sequence of 5 or an array [..., 5].

    Returns:
        float64[..., 5].

    Raises:
        ValueError: The last axis has not 5 entries, or a count is negative.
    """
    numbers = np.asarray(counts, np.float64)
    if numbers.ndim == 0 or numbers.shape[-1] != len(PAIR_SCORES):
        raise ValueError(f"expected {len(PAIR_SCORES)} counts of pairs, not {counts!r}")
    if not (numbers >= 0).all():
        raise ValueError(f"counts of pairs must be at least 0, not {counts!r}")
    found: Floats = np.maximum(numbers, _LEAST_COUNT)
    return found


def _elo(score: float) -> float:
    """Return the logistic Elo difference of an expected score."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))
