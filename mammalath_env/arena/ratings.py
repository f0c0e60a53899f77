"""Elo ratings from match results, with confidence intervals."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable
from statistics import NormalDist

import numpy as np

from mammalath_env.arena.pairs import PAIR_SCORES, Floats
from mammalath_env.arena.results import MatchResult
from mammalath_env.arena.statistics import CONFIDENCE
from mammalath_env.arena.tournament import Tournament
from mammalath_env.core.checks import checked_number, unknown_choice
from mammalath_env.core.extras import load

ELO_PER_LOGIT = 400 / math.log(10)
"""Elo points for a difference of one in the logarithm of the odds."""


@dataclasses.dataclass(frozen=True)
class Rating:
    """How strong an agent is compared with the anchor.

    Attributes:
        name: The agent.
        elo: Elo points above the anchor.
        low: Lower end of the 95% confidence interval of `elo`.
        high: Its upper end. For the anchor both are 0.
        games: Games that the agent played.
    """

    name: str
    elo: float
    low: float
    high: float
    games: int


def rate(
    results: Tournament | Iterable[MatchResult],
    anchor: str | None = None,
    *,
    virtual_draws: float = 1.0,
) -> list[Rating]:
    """Fit the Bradley-Terry model: odds of 10 to 1 for 400 points.

    The ratings are the coefficients of a binomial regression on the results of every two agents
    (by statsmodels), in which a draw is half a win for each side. The intervals come from the
    robust covariance for clusters of K.-Y. Liang and S. L. Zeger, "Longitudinal data analysis using
    generalized linear models", Biometrika 73 (1986), with `MatchResult.pairs` as the clusters: the
    two games of a deal may depend on each other, since a deal may favour one seat, and draws are
    less uncertain than wins and losses. Results of older versions have no pairs; there each game is
    a cluster.

    An agent that wins or loses every game would have an infinite rating. So one drawn game is added
    for every two agents that have met, which pulls the ratings together a little: 100% in 100 games
    counts 921 points, and 75% in 1000 games 190.6 instead of 190.8. It is as uncertain as the model
    has it, so that equal scores have an interval too.

    Args:
        results: A tournament or matches, all of one game.
        anchor: The agent that has 0 points; the first one if None.
        virtual_draws: Drawn games that are added for every two agents that have met, at least 0.

    Returns:
        The ratings, strongest first.

    Raises:
        ImportError: statsmodels is not installed.
        ValueError: There are no games, matches of several games, or groups of agents that never
            met; the anchor has not played; or without virtual draws a rating is infinite.
    """
    matches = list(results.matches if isinstance(results, Tournament) else results)
    if len({match.game for match in matches}) > 1:
        raise ValueError("ratings are for one game: the matches are of several")
    checked_number("virtual_draws", virtual_draws, 0)
    clusters, games = _clusters_by_meeting(matches)
    names = list(games)
    if not clusters:
        raise ValueError("there are no games between different agents to rate")
    anchor = names[0] if anchor is None else anchor
    if anchor not in games:
        raise ValueError(unknown_choice("anchor", anchor, names))
    _check_connected(names, clusters)
    others = [name for name in names if name != anchor]
    ratings = [Rating(anchor, 0.0, 0.0, 0.0, games[anchor])]
    for name, (elo, low, high) in zip(others, _fit(others, clusters, virtual_draws), strict=True):
        ratings.append(Rating(name, elo, low, high, games[name]))
    return sorted(ratings, key=lambda rating: (-rating.elo, rating.name))


def _clusters_by_meeting(
    matches: list[MatchResult],
) -> tuple[dict[tuple[str, str], Floats], dict[str, int]]:
    """Return the results of every two agents that have met, and the games of each agent.

    The results are float64[n, 3]: each row stands for clusters of games that are alike, by their
    number, the games of each and the points of the first agent in each.
    """
    clusters: dict[tuple[str, str], Floats] = {}
    games: dict[str, int] = {}
    for match in matches:
        one, other = match.agents
        if one == other or match.num_games == 0:
            continue
        for name in match.agents:
            games[name] = games.get(name, 0) + match.num_games
        if (other, one) in clusters:
            one, other = other, one
            match = match.reversed()
        found = clusters.get((one, other), np.empty((0, 3)))
        clusters[one, other] = np.concatenate([found, _clusters(match)])
    return clusters, games


def _clusters(match: MatchResult) -> list[tuple[float, float, float]]:
    """Return the clusters of a match as rows of `_clusters_by_meeting`."""
    if match.pairs is not None:
        return [
            (count, 2, 2 * score) for count, score in zip(match.pairs, PAIR_SCORES, strict=True)
        ]
    total = match.total
    return [(total.wins, 1, 1), (total.draws, 1, 0.5), (total.losses, 1, 0)]


def _check_connected(names: list[str], pairs: Collection[tuple[str, str]]) -> None:
    """Check that a chain of matches connects every two agents."""
    reached = _reachable(names[0], {*pairs, *(pair[::-1] for pair in pairs)})
    apart = [name for name in names if name not in reached]
    if apart:
        raise ValueError(
            f"no chain of matches leads from {names[0]!r} to {', '.join(map(repr, apart))}"
        )


def _fit(
    names: list[str], clusters: dict[tuple[str, str], Floats], virtual_draws: float
) -> list[list[float]]:
    """Return Elo and its interval for each of `names`, relative to the anchor, not among them."""
    column = {name: k for k, name in enumerate(names)}
    design = np.zeros((len(clusters), len(names)))
    for row, (one, other) in enumerate(clusters):
        if one in column:
            design[row, column[one]] = 1
        if other in column:
            design[row, column[other]] = -1
    points = np.array([_points(rows) for rows in clusters.values()])
    if virtual_draws == 0:
        _check_finite(dict(zip(clusters, points, strict=True)))
    models = load("statsmodels.genmod.generalized_linear_model")
    families = load("statsmodels.genmod.families")
    # Every two agents have a row for the points of each, weighted by their number.
    wins = np.repeat([1.0, 0.0], len(clusters))
    model = models.GLM(
        wins,
        np.concatenate([design, design]),
        family=families.Binomial(),
        freq_weights=(points + virtual_draws / 2).T.ravel(),
    )
    fit = model.fit(tol=1e-10)
    chances = fit.fittedvalues[: len(clusters)]
    variances = virtual_draws * chances * (1 - chances)
    for row, (number, games, gained) in enumerate(rows.T for rows in clusters.values()):
        variances[row] += (number * (gained - games * chances[row]) ** 2).sum()
    # The "sandwich": the covariance of the model around that of its score.
    covariance = fit.cov_params()
    covariance = covariance @ (design.T * variances) @ design @ covariance
    half = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * np.sqrt(np.diag(covariance))
    columns = np.column_stack([fit.params, fit.params - half, fit.params + half])
    # Rounded, so that what is 0 but for the search is 0, and without a sign.
    ratings: list[list[float]] = (np.round(columns * ELO_PER_LOGIT, 6) + 0.0).tolist()
    return ratings


def _points(clusters: Floats) -> tuple[float, float]:
    """Return the points of the first and of the second agent."""
    number, games, gained = clusters.T
    return float((number * gained).sum()), float((number * (games - gained)).sum())


def _check_finite(points: dict[tuple[str, str], Floats]) -> None:
    """Check that every agent has points against all others, at least through a chain of agents.

    The ratings are finite if and only if the graph "has points against" is strongly connected
    (Ford, 1957).
    """
    names = dict.fromkeys(name for pair in points for name in pair)
    edges = {pair for pair, (gained, _) in points.items() if gained > 0}
    edges |= {pair[::-1] for pair, (_, lost) in points.items() if lost > 0}
    for name in names:
        if len(_reachable(name, edges)) < len(names):
            raise ValueError(
                f"{name!r} has no points against some agents, not even by way of others: without "
                f"virtual draws its rating is infinite"
            )


def _reachable(start: str, edges: set[tuple[str, str]]) -> set[str]:
    """Return the nodes of a directed graph that paths from `start` lead to, itself included."""
    reached: set[str] = set()
    front = {start}
    while front:
        reached |= front
        front = {end for begin, end in edges if begin in front} - reached
    return reached
