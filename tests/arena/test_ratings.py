"""Ratings: closed forms, agents of known strength, and what cannot be rated."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from mammalath_env.arena import MatchResult, Rating, SeatResult, Tournament, rate, round_robin
from mammalath_env.arena.pairs import PAIR_SCORES
from mammalath_env.arena.ratings import ELO_PER_LOGIT
from mammalath_env.core.extras import load
from mammalath_env.games import make_game

MANCALA = make_game("mancala")


def match(
    one: str, other: str, wins: int, draws: int, losses: int, game: str = "mancala"
) -> MatchResult:
    """Return a result; which seat it was does not matter to ratings."""
    return MatchResult(
        game=make_game(game),
        agents=(one, other),
        seed=0,
        moving_first=SeatResult(wins, draws, losses),
        moving_second=SeatResult(),
        plies=(1,) * (wins + draws + losses),
        forfeits=(0, 0),
    )


def test_two_agents_have_the_closed_form() -> None:
    """75% are 400 log10(3) = 190.8 points, and the interval is that of the logit."""
    strong, weak = rate([match("weak", "strong", 250, 0, 750)], virtual_draws=0)
    assert weak == Rating("weak", 0.0, 0.0, 0.0, 1000)
    assert (strong.name, strong.games) == ("strong", 1000)
    assert strong.elo == pytest.approx(400 * math.log10(3))
    half = 1.959964 * ELO_PER_LOGIT / math.sqrt(1000 * 0.75 * 0.25)
    assert strong.high - strong.elo == pytest.approx(half, rel=1e-5)
    assert strong.elo - strong.low == pytest.approx(half, rel=1e-5)


def test_draws_are_half_a_win() -> None:
    """50 wins and 50 draws are as good as 75 wins, and less uncertain."""
    with_draws, _ = rate([match("a", "b", 50, 50, 0)], anchor="b", virtual_draws=0)
    without, _ = rate([match("a", "b", 75, 0, 25)], anchor="b", virtual_draws=0)
    assert with_draws.elo == without.elo
    # The variance of a game's score is 1/16 with draws, and 3/16 without.
    ratio = (without.high - without.low) / (with_draws.high - with_draws.low)
    assert ratio == pytest.approx(math.sqrt(3))


def test_virtual_draws_keep_ratings_finite() -> None:
    """By default each pair has one more draw, so that perfect records have a rating."""
    best, _ = rate([match("a", "b", 100, 0, 0)], anchor="b")
    assert best.elo == pytest.approx(400 * math.log10(100.5 / 0.5))
    assert best.low < best.elo < best.high
    slightly_less, _ = rate([match("a", "b", 750, 0, 250)], anchor="b")
    assert slightly_less.elo == pytest.approx(400 * math.log10(750.5 / 250.5))


def test_known_strengths_are_found() -> None:
    """Simulated agents come out in order, most of them within their intervals."""
    rng = np.random.default_rng(1)
    strengths = {"a": 0.0, "b": 100.0, "c": 250.0, "d": 300.0, "e": 600.0}
    results = []
    for one, other in itertools.combinations(strengths, 2):
        chance = 1 / (1 + 10 ** ((strengths[other] - strengths[one]) / 400))
        wins = int(rng.binomial(2000, chance))
        results.append(match(one, other, wins, 0, 2000 - wins))
    ratings = rate(results, anchor="a")
    assert [rating.name for rating in ratings] == ["e", "d", "c", "b", "a"]
    for rating in ratings:
        assert rating.elo == pytest.approx(strengths[rating.name], abs=25)
        assert rating.games == 8000
    within = [r.low <= strengths[r.name] <= r.high for r in ratings]
    assert sum(within) >= 4


def test_the_intervals_cover_the_true_difference() -> None:
    """95% intervals hold the true difference about 95% of the time."""
    rng = np.random.default_rng(2)
    hits = 0
    for wins in rng.binomial(200, 0.64, size=200).tolist():
        rating = next(r for r in rate([match("a", "b", wins, 0, 200 - wins)], "b") if r.elo != 0)
        hits += rating.low <= 400 * math.log10(0.64 / 0.36) <= rating.high
    assert 180 <= hits <= 199


def paired(one: str, other: str, pairs: Sequence[int]) -> MatchResult:
    """Return a result with pentanomial counts; where a pair may have draws, it has."""
    lost, drew_lost, even, drew_won, won = map(int, pairs)
    wins, draws = 2 * won + drew_won + even, drew_lost + drew_won
    result = match(one, other, wins, draws, 2 * lost + drew_lost + even)
    return dataclasses.replace(result, pairs=(lost, drew_lost, even, drew_won, won))


def rated(result: MatchResult) -> Rating:
    """Return the rating of the first agent, with the second one as the anchor."""
    one, other = result.agents
    return next(rating for rating in rate([result], anchor=other) if rating.name == one)


@pytest.mark.parametrize(("both_alike", "independent"), [(0.0, True), (0.6, False), (-0.6, False)])
def test_intervals_take_pairs_into_account(both_alike: float, independent: bool) -> None:
    """They hold the true difference 95% of the time, however the games of a deal depend.

    Games of a deal end alike (positive) or opposite more often than by chance. Intervals that take
    all games for independent are right without such a dependence alone.
    """
    rng = np.random.default_rng(5)
    chance, num_pairs, tries = 0.6, 100, 300
    true = 400 * math.log10(chance / (1 - chance))
    shared = both_alike * chance * (1 - chance)
    both, neither = chance**2 + shared, (1 - chance) ** 2 + shared
    hits = {"pairs": 0, "games": 0}
    ratios = []
    for lost, even, won in rng.multinomial(
        num_pairs, [neither, 1 - both - neither, both], size=tries
    ).tolist():
        by_pairs = paired("a", "b", (lost, 0, even, 0, won))
        by_games = dataclasses.replace(by_pairs, pairs=None)
        widths = []
        for kind, result in (("pairs", by_pairs), ("games", by_games)):
            found = rated(result)
            hits[kind] += found.low <= true <= found.high
            widths.append(found.high - found.low)
        ratios.append(widths[0] / widths[1])
    slack = 3 * math.sqrt(0.95 * 0.05 / tries)
    assert hits["pairs"] / tries == pytest.approx(0.95, abs=slack)
    assert (abs(hits["games"] / tries - 0.95) < slack) == independent
    assert float(np.mean(ratios)) == pytest.approx(math.sqrt(1 + both_alike), abs=0.03)


def test_intervals_of_pairs_are_those_of_a_regression_by_clusters() -> None:
    """Among several agents, statsmodels finds the same covariance from one row a pair."""
    rng = np.random.default_rng(6)
    names = "abcd"
    results = [
        paired(one, other, rng.multinomial(40, [0.2, 0.1, 0.4, 0.1, 0.2]).tolist())
        for one, other in itertools.combinations(names, 2)
    ]
    rows, scores = [], []
    for result in results:
        assert result.pairs is not None
        row = [(name == result.agents[0]) - (name == result.agents[1]) for name in names[1:]]
        rows += [row] * sum(result.pairs)
        scores += np.repeat(PAIR_SCORES, result.pairs).tolist()
    model = load("statsmodels.genmod.generalized_linear_model").GLM(
        scores,
        np.array(rows),
        family=load("statsmodels.genmod.families").Binomial(),
        var_weights=np.full(len(rows), 2.0),
    )
    fit = model.fit(tol=1e-10, cov_type="HC0")
    found = {rating.name: rating for rating in rate(results, anchor="a", virtual_draws=0)}
    for name, elo, (low, high) in zip(names[1:], fit.params, fit.conf_int(), strict=True):
        expected = [each * ELO_PER_LOGIT for each in (elo, low, high)]
        assert [found[name].elo, found[name].low, found[name].high] == pytest.approx(expected)


def test_equal_pairs_are_not_certain() -> None:
    """Where every deal was won by the same seat there is an interval still, which shrinks."""
    few, many = (rated(paired("a", "b", (0, 0, number, 0, 0))) for number in (1, 100))
    assert 3 < many.high < 10 < 100 < few.high


def test_the_anchor_moves_the_scale_only() -> None:
    """Differences stay the same, and so does the order of the arguments' pairs."""
    results = [
        paired("a", "b", (10, 5, 15, 5, 15)),
        match("b", "c", 55, 0, 45),
        match("a", "c", 70, 0, 30),
    ]
    by_a = {rating.name: rating.elo for rating in rate(results)}
    by_c = {rating.name: rating.elo for rating in rate(results, anchor="c")}
    reverse = {r.name: r.elo for r in rate([results[0].reversed(), *results[1:]], anchor="a")}
    assert by_a["a"] == 0.0
    assert by_c["c"] == 0.0
    for name in "abc":
        assert by_c[name] == pytest.approx(by_a[name] - by_a["c"])
        assert reverse[name] == pytest.approx(by_a[name])


def test_results_of_one_pair_are_added() -> None:
    """Two matches count like one long one, whoever is named first."""
    parts = rate([match("a", "b", 30, 0, 20), match("b", "a", 15, 0, 35)], virtual_draws=0)
    assert parts == rate([match("a", "b", 65, 0, 35)], virtual_draws=0)
    parts = rate([paired("a", "b", (1, 2, 3, 4, 5)), paired("b", "a", (6, 7, 8, 9, 10))])
    assert parts == rate([paired("a", "b", (11, 11, 11, 11, 11))])


def test_agents_that_never_met_are_compared_by_way_of_others() -> None:
    """Two agents are compared through opponents that they share."""
    results = [match("a", "b", 75, 0, 25), match("b", "c", 75, 0, 25)]
    ratings = {r.name: r.elo for r in rate(results, anchor="c", virtual_draws=0)}
    assert ratings["a"] == pytest.approx(800 * math.log10(3))


def test_a_tournament_can_be_rated() -> None:
    """A tournament is rated like the list of its matches: greedy beats random."""
    tournament = round_robin(MANCALA, ["greedy", "random"], 10, seed=1)
    ratings = rate(tournament, anchor="random")
    assert [rating.name for rating in ratings] == ["greedy", "random"]
    assert ratings[0].low > 0
    assert ratings == rate(tournament.matches, anchor="random")


@pytest.mark.parametrize(
    ("results", "options", "message"),
    [
        ([], {}, "no games between different agents"),
        ([match("a", "a", 3, 0, 3)], {}, "no games between different agents"),
        ([match("a", "b", 0, 0, 0)], {}, "no games between different agents"),
        ([match("a", "b", 1, 0, 1)], {"anchor": "c"}, "unknown anchor 'c'"),
        (
            [match("a", "b", 1, 0, 1), match("a", "b", 1, 0, 1, game="mammalath")],
            {},
            "the matches are of several",
        ),
        (
            [match("a", "b", 1, 0, 1), match("c", "d", 1, 0, 1)],
            {},
            "no chain of matches leads from 'a' to 'c', 'd'",
        ),
        ([match("a", "b", 9, 0, 0)], {"virtual_draws": 0}, "'b' has no points against some"),
        (
            [match("a", "b", 5, 0, 5), match("a", "c", 0, 0, 5), match("b", "c", 0, 0, 5)],
            {"virtual_draws": 0},
            "'a' has no points against some",
        ),
        ([match("a", "b", 1, 0, 1)], {"virtual_draws": -1}, "virtual_draws must be at least 0"),
        ([match("a", "b", 1, 0, 1)], {"virtual_draws": math.nan}, "virtual_draws must be"),
    ],
)
def test_results_that_cannot_be_rated_are_refused(
    results: list[MatchResult], options: dict[str, object], message: str
) -> None:
    """The error says why there is no rating."""
    with pytest.raises(ValueError, match=message):
        rate(Tournament(tuple(results)), **options)  # type: ignore[arg-type]
