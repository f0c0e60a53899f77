"""Sequential tests: published values of the log-likelihood ratio, and the rates of their errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from mammalath_env.arena.pairs import ELO_PER_T, PAIR_SCORES, estimate
from mammalath_env.arena.sprt import SequentialTest

# Counts and hypotheses of the unit tests of fastchess (app/tests/sprt_test.cpp, which has two
# decimals) and of fishtest (server/fishtest/stats/stat_util.py); values computed by fishtest.
PUBLISHED = [
    ("normalized", (365, 16618, 36229, 16974, 390), 0, 2, 2.250367703548933),
    ("normalized", (127, 4883, 10712, 5150, 104), -1.75, 0.25, 3.010154196606051),
    ("normalized", (0, 0, 0, 0, 5550), 0, 5, 111.79755508671465),
    ("logistic", (223, 9863, 21279, 10037, 246), 0.5, 2.5, -3.0741264395890813),
    ("logistic", (871, 26175, 55983, 26678, 821), 0, 2, -4.978672863444156),
    ("logistic", (10789, 19328, 33806, 19402, 10543), -3, 1, 2.1310678117940807),
    ("logistic", (1187, 7410, 13475, 7378, 1164), -3, 1, 2.86152718059463),
    ("logistic", (39, 2226, 31451, 2412, 40), 0.2, 0.9, 2.1625425800483593),
    ("normalized", (39, 2226, 31451, 2412, 40), 0.764, 3.439, 2.162940869584568),
]


@pytest.mark.parametrize(("model", "counts", "elo0", "elo1", "expected"), PUBLISHED)
def test_published_ratios(
    model: Any, counts: tuple[int, ...], elo0: float, elo1: float, expected: float
) -> None:
    """The ratio is that of fishtest, and to two decimals that of fastchess."""
    found = SequentialTest(elo0, elo1, model=model).llr(counts)
    assert float(found) == pytest.approx(expected, abs=1e-6)


def test_the_ratio_of_an_array_is_that_of_each_row() -> None:
    """Counts may have leading axes."""
    test = SequentialTest()
    rows = [counts for _, counts, *_ in PUBLISHED]
    assert test.llr(rows) == pytest.approx([float(test.llr(row)) for row in rows], abs=1e-9)


@pytest.mark.parametrize(
    ("counts", "normalized", "error", "elo", "elo_error"),
    [
        ((34, 54, 63, 64, 75), 57.94, 28.28, 55.58, 27.65),
        ((332, 433, 498, 333, 334), -9.17, 10.96, -8.64, 10.33),
    ],
)
def test_published_estimates(
    counts: tuple[int, ...], normalized: float, error: float, elo: float, elo_error: float
) -> None:
    """Elo differences and half the widths of their intervals are those of fastchess's tests."""
    found = estimate(counts)
    assert found.pairs == sum(counts)
    assert found.normalized_elo.value == pytest.approx(normalized, abs=0.005)
    widths = [(each.high - each.low) / 2 for each in (found.normalized_elo, found.elo)]
    assert widths == pytest.approx([error, elo_error], abs=0.01)
    assert found.elo.value == pytest.approx(elo, abs=0.005)


def test_one_score_only_has_an_estimate() -> None:
    """A clean sweep has an interval below 1; its Elo difference is large and finite."""
    found = estimate((0, 0, 0, 0, 10))
    assert 0.99 < found.score.low < found.score.value < 1
    assert found.elo.low > 800
    assert found.elo.high == math.inf


def test_bounds_are_walds() -> None:
    """Alpha and beta of 5% stop the test at a ratio of 19 to 1."""
    assert SequentialTest().bounds == pytest.approx((-math.log(19), math.log(19)))
    low, high = SequentialTest(alpha=0.01, beta=0.1).bounds
    assert (low, high) == pytest.approx((math.log(0.1 / 0.99), math.log(0.9 / 0.01)))
    low, high = SequentialTest().bounds
    decisions = [SequentialTest().decision(llr) for llr in (low, low + 1e-9, high - 1e-9, high)]
    assert decisions == ["H0", None, None, "H1"]


def test_clean_sweeps_decide() -> None:
    """The ratio falls with losses and rises with wins."""
    test = SequentialTest()
    ratios = test.llr([(1000, 0, 0, 0, 0), (0, 0, 3, 0, 0), (0, 0, 0, 0, 1000)])
    assert [test.decision(ratio) for ratio in ratios.tolist()] == ["H0", None, "H1"]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"elo0": 5, "elo1": 5}, ValueError, "elo1 must be above elo0, not 5 with 5"),
        ({"elo0": -2000}, ValueError, "elo0 must be from -1000"),
        ({"alpha": 0}, ValueError, "alpha must be above 0, not 0"),
        ({"alpha": 0.6, "beta": 0.4}, ValueError, "must add up to less than 1"),
        ({"beta": math.nan}, ValueError, "beta must be finite"),
        ({"elo1": "20"}, TypeError, "elo1 must be a number, not '20'"),
        ({"model": "bayes"}, ValueError, "unknown model 'bayes'"),
    ],
)
def test_impossible_tests_are_refused(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    """Numbers are checked when a test is made."""
    with pytest.raises(error, match=words):
        SequentialTest(**options)


@pytest.mark.parametrize("counts", [(1, 2, 3), 5, (-1, 0, 0, 0, 3)])
def test_impossible_counts_are_refused(counts: Any) -> None:
    """There are five counts, none of them negative."""
    with pytest.raises(ValueError, match=r"counts? of pairs"):
        SequentialTest().llr(counts)


def test_estimates_need_whole_counts_of_some_pairs() -> None:
    """Half a pair is refused, and so are no pairs."""
    with pytest.raises(ValueError, match="no pair"):
        estimate((0, 0, 0, 0, 0))
    with pytest.raises(TypeError, match="a count of pairs must be an integer"):
        estimate((0, 0, 0.5, 0, 0))  # type: ignore[arg-type]


def _shifted(elo: float) -> np.ndarray[Any, Any]:
    """Return a distribution of pairs with this normalized Elo."""
    base = np.array([0.12, 0.06, 0.62, 0.06, 0.14])
    scores = np.array(PAIR_SCORES)
    low, high = -4.0, 4.0
    for _ in range(100):
        tilt = (low + high) / 2
        found = base * np.exp(tilt * scores)
        found /= found.sum()
        mean = float(found @ scores)
        deviation = math.sqrt(float(found @ (scores - mean) ** 2))
        if (mean - 0.5) / deviation < elo / ELO_PER_T * math.sqrt(2):
            low = tilt
        else:
            high = tilt
    return found


def _approximate_llr(test: SequentialTest, counts: np.ndarray[Any, Any]) -> Any:
    """Return the closed form of section 4.2 of "Comments on normalized Elo"."""
    numbers = np.maximum(counts, 1e-3)
    pairs = numbers.sum(axis=-1)
    scores = np.array(PAIR_SCORES)
    mean = numbers @ scores / pairs
    variance = (numbers * (scores - mean[:, None]) ** 2).sum(axis=-1) / pairs
    t = (mean - 0.5) / np.sqrt(2 * variance)
    t0, t1 = test.elo0 / ELO_PER_T, test.elo1 / ELO_PER_T
    return pairs * np.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2))


def _share_of_h1(test: SequentialTest, elo: float, num_tests: int, seed: int) -> float:
    """Return how often H1 is accepted in simulated tests that look after every pair."""
    rng = np.random.default_rng(seed)
    probabilities = _shifted(elo)
    counts = np.zeros((num_tests, len(PAIR_SCORES)), np.int64)
    low, high = test.bounds
    accepted = 0
    while len(counts):
        counts += rng.multinomial(1, probabilities, size=len(counts))
        ratio = _approximate_llr(test, counts)
        near = np.abs(ratio) > 0.75 * high  # the others are far from both bounds
        ratio[near] = test.llr(counts[near])
        accepted += int((ratio >= high).sum())
        counts = counts[(ratio > low) & (ratio < high)]
    return accepted / num_tests


def test_errors_are_as_rare_as_asked() -> None:
    """Of 2,000 tests each, 5% go wrong where H0 is true and where H1 is, within three sigma."""
    test = SequentialTest(0, 50)
    slack = 3 * math.sqrt(0.05 * 0.95 / 2000)
    assert _share_of_h1(test, 0, 2000, seed=1) == pytest.approx(0.05, abs=slack)
    assert _share_of_h1(test, 50, 2000, seed=2) == pytest.approx(0.95, abs=slack)
