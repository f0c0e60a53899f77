"""Sequential tests of whether one agent is stronger than another, on pairs of games.

The test is the generalized sequential probability ratio test (GSPRT) of J. Li, J. Liu and Z. Ying,
"Generalized sequential probability ratio test for separate families of hypotheses", Sequential
Analysis 33 (2014). Its likelihoods are those of Michel Van den Bergh, "Comments on normalized Elo"
(https://www.cantate.be/Fishtest/normalized_elo_practical.pdf, section 4.1), for normalized Elo, and
"The generalized maximum likelihood ratio for the expectation value of a distribution"
(https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf, proposition 1.1), for logistic Elo.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from mammalath_env.arena.pairs import ELO_PER_T, PAIR_SCORES, Floats, smoothed
from mammalath_env.core.checks import checked_choice, checked_number

EloModel: TypeAlias = Literal["normalized", "logistic"]
ELO_MODELS: tuple[EloModel, ...] = ("normalized", "logistic")

Hypothesis: TypeAlias = Literal["H0", "H1"]

MAX_ELO = 1000.0
"""Largest Elo difference that a test may ask about."""

_SCORES = np.array(PAIR_SCORES)
_MAX_STEPS = 200
_MAX_ROUNDS = 200
_PRECISION = 1e-12


@dataclasses.dataclass(frozen=True)
class SequentialTest:
    """A test of H0, the first agent is stronger by `elo0`, against H1, by `elo1`.

    Attributes:
        elo0: Elo difference of H0.
        elo1: Elo difference of H1, above `elo0`.
        alpha: Probability to accept H1 if H0 is true.
        beta: Probability to accept H0 if H1 is true.
        model: What Elo means here: ``"normalized"``, in units of the standard deviation of a game's
            score, so that the length of the test does not depend on draws and deals; or
            ``"logistic"``, by the expected score.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    model: EloModel = "normalized"

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            TypeError: One has the wrong type.
            ValueError: One is out of range, `elo1` is not above `elo0`, or `alpha` and `beta` add
                up to 1 or more.
        """
        for name in ("elo0", "elo1"):
            checked_number(name, getattr(self, name), -MAX_ELO, MAX_ELO)
        for name in ("alpha", "beta"):
            checked_number(name, getattr(self, name), above=0)
        checked_choice("model", self.model, ELO_MODELS)
        if self.elo1 <= self.elo0:
            raise ValueError(f"elo1 must be above elo0, not {self.elo1} with {self.elo0}")
        if self.alpha + self.beta >= 1:
            raise ValueError(
                f"alpha and beta must add up to less than 1, not {self.alpha} and {self.beta}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds of the log-likelihood ratio: H0 is accepted below, H1 above."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: ArrayLike) -> Floats:
        """Return the generalized log-likelihood ratio of H1 to H0.

        Args:
            counts: Pentanomial counts, a sequence of 5 or an array [..., 5].

        Returns:
            float64[...].

        Raises:
            ValueError: The last axis has not 5 entries, or a count is negative.
        """
        numbers = smoothed(counts)
        pairs = numbers.sum(axis=-1)
        frequencies = numbers / pairs[..., None]
        under_h0, under_h1 = (self._most_likely(frequencies, elo) for elo in (self.elo0, self.elo1))
        ratios = np.log(under_h1) - np.log(under_h0)
        found: Floats = pairs * (frequencies * ratios).sum(axis=-1)
        return found

    def decision(self, llr: float) -> Hypothesis | None:
        """Return the hypothesis that the test accepts at this log-likelihood ratio, if any."""
        low, high = self.bounds
        return "H1" if llr >= high else "H0" if llr <= low else None

    def _most_likely(self, frequencies: Floats, elo: float) -> Floats:
        """Return the distribution of scores with this Elo that explains `frequencies` best."""
        if self.model == "logistic":
            expected = 1 / (1 + 10 ** (-elo / 400))
            return _reweighted(frequencies, _SCORES - expected)
        # Of pairs, whose variance is half that of a game.
        t = elo / ELO_PER_T * math.sqrt(2)
        found = np.full_like(frequencies, 1 / len(PAIR_SCORES))
        for _ in range(_MAX_ROUNDS):
            mean = (found * _SCORES).sum(axis=-1, keepdims=True)
            deviation = np.sqrt((found * (_SCORES - mean) ** 2).sum(axis=-1, keepdims=True))
            # The condition (mean - 1/2) / deviation = t, linear around the last distribution.
            curve = 1 + ((mean - _SCORES) / deviation) ** 2
            better = _reweighted(frequencies, _SCORES - 0.5 - t * deviation * curve / 2)
            done = np.abs(better - found).max(initial=0.0) < _PRECISION
            found = better
            if done:
                break
        return found


def _reweighted(frequencies: Floats, values: Floats) -> Floats:
    """Return the likeliest distribution under which the mean of `values` is 0.

    It is p / (1 + x v) for the one x that makes the mean 0 and all probabilities positive. The mean
    decreases in x, so that Newton's method finds it, with halving where a step leaves the range.
    """
    low = np.broadcast_to(-1 / values.max(axis=-1), frequencies.shape[:-1])
    high = np.broadcast_to(-1 / values.min(axis=-1), frequencies.shape[:-1])
    x = np.zeros(frequencies.shape[:-1])
    for _ in range(_MAX_STEPS):
        terms = values / (1 + x[..., None] * values)
        mean = (frequencies * terms).sum(axis=-1)
        low, high = np.where(mean > 0, x, low), np.where(mean > 0, high, x)
        newton = x + mean / (frequencies * terms**2).sum(axis=-1)
        following = np.where((low < newton) & (newton < high), newton, (low + high) / 2)
        done = np.abs(following - x).max(initial=0.0) <= _PRECISION
        x = following
        if done:
            break
    return frequencies / (1 + x[..., None] * values)
