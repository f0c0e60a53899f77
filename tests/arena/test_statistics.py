"""Statistics of games, counted from their records."""

from __future__ import annotations

import dataclasses
import math

import pytest

from mammalath_env.arena import (
    AgentSpec,
    GameRecord,
    Share,
    play_game,
    play_match,
    summarize,
    summarize_by_players,
)
from mammalath_env.core.game import Game
from mammalath_env.games import make_game
from tests.arena.players import FirstAgent, LastAgent, failing

MAMMALATH = make_game("mammalath")


def collect(
    game: Game, first: AgentSpec, second: AgentSpec, num_deals: int = 6
) -> list[GameRecord]:
    """Return the games of a match."""
    records: list[GameRecord] = []
    play_match(game, first, second, num_deals, seed=1, on_record=records.append)
    return records


def test_statistics_agree_with_plain_counts(game: Game) -> None:
    """Each number is what a plain count of the positions gives."""
    records = collect(game, FirstAgent, "random")
    statistics = summarize(records)
    games = [record.positions() for record in records]
    outcomes = [positions[-1].outcome for positions in games]
    first_wins = [
        outcome is not None and outcome.winner == positions[0].to_move
        for positions, outcome in zip(games, outcomes, strict=True)
    ]
    plies = [len(positions) - 1 for positions in games]
    choices = [position.action_mask().sum() for game in games for position in game[:-1]]
    assert statistics.num_games == 12
    assert statistics.num_unfinished == 0
    assert statistics.first_player_wins == Share(sum(first_wins), 12)
    draws = sum(outcome is not None and outcome.winner is None for outcome in outcomes)
    assert statistics.draws == Share(draws, 12)
    assert statistics.mean_plies == pytest.approx(sum(plies) / 12)
    assert (statistics.min_plies, statistics.max_plies) == (min(plies), max(plies))
    assert statistics.mean_branching == pytest.approx(sum(choices) / sum(plies))
    assert sum(share.count for share in statistics.terminations.values()) == 12
    assert all(share.total == 12 for share in statistics.terminations.values())


def test_games_with_and_without_a_swap_are_told_apart() -> None:
    """Games with and without a swap are counted apart; a swap does not change who moved first."""
    records = collect(MAMMALATH, LastAgent, "random", 10) + collect(
        MAMMALATH, "random", "random", 10
    )
    statistics = summarize(records)
    swapped = [record for record in records if record.moves[1] == "swap"]
    others = [record for record in records if record.moves[1] != "swap"]
    assert swapped
    assert others
    assert statistics.swaps == Share(len(swapped), 40)
    for group, share in (
        (swapped, statistics.first_player_wins_after_swap),
        (others, statistics.first_player_wins_without_swap),
    ):
        wins = sum(record.winner == record.first_player for record in group)
        assert share == Share(wins, len(group))


def test_games_without_a_swap() -> None:
    """There is nothing to say about games after one."""
    statistics = summarize(collect(make_game("mancala"), "random", "random"))
    assert statistics.swaps == Share(0, 12)
    assert statistics.first_player_wins_after_swap is None
    assert statistics.first_player_wins_without_swap == statistics.first_player_wins


def test_intervals_of_shares() -> None:
    """They solve (p - share)**2 = z**2 p (1 - p) / n for p, and are none of a point."""
    share = Share(30, 120)
    assert share.value == 0.25
    for end in share.interval:
        assert abs(end - 0.25) == pytest.approx(1.959964 * math.sqrt(end * (1 - end) / 120))
    assert Share(80, 80).interval == pytest.approx((80 / (80 + 1.959964**2), 1))
    assert Share(0, 80).interval == pytest.approx((0, 1 - 80 / (80 + 1.959964**2)))


def test_forfeits_and_unfinished_games() -> None:
    """Forfeits count by their reason; games without an end are only counted."""
    records = collect(make_game("mancala"), failing, "random")
    records.append(play_game(make_game("mancala"), ["random", "random"], seed=1, max_plies=2))
    statistics = summarize(records)
    assert (statistics.num_games, statistics.num_unfinished) == (12, 1)
    assert statistics.terminations["agent failed"].count == 12
    assert statistics.draws.count == 0


def test_games_are_grouped_by_players() -> None:
    """Games are grouped by who met, in whatever seat."""
    records = collect(MAMMALATH, "random", FirstAgent) + collect(MAMMALATH, "random", "random")
    records.append(dataclasses.replace(records[0], players=("x", "y"), reason="unfinished"))
    groups = summarize_by_players(records)
    assert set(groups) == {("first", "random"), ("random", "random")}
    assert groups["first", "random"] == summarize(records[:12])
    assert groups["random", "random"] == summarize(records[12:24])


def test_no_games_and_several_games_are_refused() -> None:
    """Statistics need a finished game, and records of one game only."""
    with pytest.raises(ValueError, match="no finished game"):
        summarize([])
    one = play_game(MAMMALATH, ["random", "random"], seed=1)
    other = play_game(make_game("mancala"), ["random", "random"], seed=1)
    stopped = play_game(MAMMALATH, ["random", "random"], seed=1, max_plies=1)
    with pytest.raises(ValueError, match="no finished game"):
        summarize([stopped])
    for function in (summarize, summarize_by_players):
        with pytest.raises(ValueError, match="the records are of several"):
            function([one, other])
