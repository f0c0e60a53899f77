"""Matches: both seats for each deal, sums that add up, the same result however it is run."""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path
from typing import Any

import pytest

from mammalath_env.agents import GreedyAgent, RandomAgent
from mammalath_env.arena import GameRecord, MatchPlace, MatchResult, play_match, read_records
from mammalath_env.arena.pairs import PAIR_SCORES, estimate
from mammalath_env.arena.plan import MatchPlan
from mammalath_env.arena.records import AGENT_FAILED, ILLEGAL_MOVE
from mammalath_env.core.game import Game
from mammalath_env.games import make_game
from tests.arena.players import FirstAgent, cheating, failing

MANCALA = make_game("mancala")


def play_and_collect(*arguments: Any, **options: Any) -> tuple[MatchResult, list[GameRecord]]:
    """Play a match and return its games by their index as well."""
    records: list[GameRecord] = []
    result = play_match(*arguments, **options, on_record=records.append)
    return result, sorted(records, key=lambda record: record.match.index if record.match else -1)


def test_both_seats_share_the_deal(game: Game) -> None:
    """Games 2k and 2k + 1 start from deal k; the first agent moves first in even games."""
    result, records = play_and_collect(game, FirstAgent, "random", 5, seed=3)
    assert len(records) == result.num_games == 10
    deals = set()
    for index, record in enumerate(records):
        assert record.match == MatchPlace(("first", "random"), 3, index)
        first_mover = record.players[record.first_player]
        assert first_mover == ("first", "random")[index % 2]
        assert record.start == records[index - index % 2].start
        assert record.start == game.deal(record.deal_seed).to_text()
        deals.add(record.deal_seed)
        record.validate()
    assert len(deals) == 5
    agent_seeds = [seed for record in records for seed in record.agent_seeds]
    assert len(set(agent_seeds)) == 20


def test_results_add_up(game: Game) -> None:
    """The result says what the records say, seat by seat."""
    result, records = play_and_collect(game, "random", FirstAgent, 8, seed=4)
    for parity, seat in enumerate((result.moving_first, result.moving_second)):
        winners = [
            None if record.winner is None else record.players[record.winner]
            for record in records[parity::2]
        ]
        assert seat.wins == winners.count("random")
        assert seat.losses == winners.count("first")
        assert seat.draws == winners.count(None)
        assert seat.num_games == 8
    total = result.total
    assert (total.wins, total.draws, total.losses) == tuple(
        getattr(result.moving_first, what) + getattr(result.moving_second, what)
        for what in ("wins", "draws", "losses")
    )
    assert total.score == (total.wins + total.draws / 2) / 16
    assert result.plies == tuple(len(record.moves) for record in records)
    assert result.mean_plies == sum(result.plies) / 16
    assert (result.agents, result.seed, result.game) == (("random", "first"), 4, game)
    points = [
        0.5 if record.winner is None else float(record.players[record.winner] == "random")
        for record in records
    ]
    scores = [(points[2 * deal] + points[2 * deal + 1]) / 2 for deal in range(8)]
    assert result.pairs == tuple(map(scores.count, PAIR_SCORES))
    assert result.estimates == (estimate(result.pairs) if len(set(scores)) > 1 else None)
    reverse = result.reversed()
    assert reverse.moving_first == result.moving_second.reversed()
    assert reverse.total.wins == total.losses
    assert reverse.pairs == result.pairs[::-1]
    assert reverse.reversed() == result


def test_seats_are_told_apart() -> None:
    """An agent that only ever wins moving first is seen to."""
    result = play_match(MANCALA, FirstAgent, FirstAgent, 3, seed=1)
    # Both play alike and the deals are, so whoever moves first has the same result.
    assert result.moving_first == result.moving_second.reversed()


@pytest.mark.parametrize(
    "how",
    [
        {"jobs": 2},
        {"jobs": 2, "backend": "threading"},
        {"jobs": 1, "backend": "threading"},
        {"jobs": -1, "backend": "threading", "progress": True},
    ],
    ids=str,
)
def test_the_result_is_the_same_however_it_is_run(how: dict[str, Any]) -> None:
    """Seeds go by the index of the game: processes and threads change nothing."""
    alone = play_and_collect(MANCALA, "greedy", failing, 6, seed=8)
    together = play_and_collect(MANCALA, "greedy", failing, 6, seed=8, **how)
    assert together == alone
    assert alone[0].forfeits[1] > 0


def test_the_seed_determines_the_games(game: Game) -> None:
    """Other seeds give other games, and so do other agents of the same kind."""
    _, records = play_and_collect(game, "random", "random", 2, seed=1)
    _, others = play_and_collect(game, "random", "random", 2, seed=2)
    assert {record.moves for record in records}.isdisjoint(record.moves for record in others)
    _, same_deals = play_and_collect(game, "random", FirstAgent, 2, seed=1)
    for record, other in zip(records, same_deals, strict=True):
        assert record.start == other.start
        assert set(record.agent_seeds).isdisjoint(other.agent_seeds)


def test_a_longer_match_begins_with_the_same_games() -> None:
    """The number of deals has no part in the seeds."""
    _, short = play_and_collect(MANCALA, "random", "greedy", 2, seed=1)
    _, long = play_and_collect(MANCALA, "random", "greedy", 4, seed=1)
    assert long[:4] == short


@pytest.mark.parametrize(
    ("first", "second", "loser", "reason"),
    [
        (failing, "random", 0, AGENT_FAILED),
        ("random", failing, 1, AGENT_FAILED),
        (cheating, "greedy", 0, ILLEGAL_MOVE),
        ("greedy", cheating, 1, ILLEGAL_MOVE),
    ],
)
def test_forfeits_are_counted(first: Any, second: Any, loser: int, reason: str) -> None:
    """A failing agent does not end the match, and its forfeits are counted."""
    result, records = play_and_collect(MANCALA, first, second, 4, seed=2)
    forfeited = [record for record in records if record.reason == reason]
    assert len(forfeited) == 8
    assert result.forfeits == ((8, 0) if loser == 0 else (0, 8))
    assert (result.total.losses if loser == 0 else result.total.wins) == 8
    for record in forfeited:
        assert record.offender is not None
        assert record.players[record.offender] == result.agents[loser]


def test_factories_have_names_and_take_seeds() -> None:
    """Classes, functions and named partials take the seed."""
    named: Any = functools.partial(GreedyAgent)
    named.name = "mine"
    result, records = play_and_collect(MANCALA, named, RandomAgent, 2, seed=2)
    assert result.agents == ("mine", "random")
    assert all(None not in record.agent_seeds for record in records)


def test_records_are_written_as_they_come(tmp_path: Path) -> None:
    """The file holds every game once."""
    path = tmp_path / "games.jsonl"
    for jobs in (1, 2):
        result, records = play_and_collect(
            MANCALA,
            FirstAgent,
            "random",
            3,
            seed=5,
            record_path=path,
            jobs=jobs,
            backend="threading",
        )
        written = read_records(path)
        assert sorted(written, key=repr) == sorted(records, key=repr)
        assert result == play_match(MANCALA, FirstAgent, "random", 3, seed=5)
        path.unlink()


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Results can be piped while a bar is shown, and there is none unless it is asked for."""
    play_match(MANCALA, "random", "random", 2, seed=1)
    assert capsys.readouterr() == ("", "")
    play_match(MANCALA, "random", "random", 2, seed=1, progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "4/4" in captured.err


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"num_deals": 0}, ValueError, "num_deals must be at least 1"),
        ({"num_deals": 1.5}, TypeError, "num_deals must be an integer"),
        ({"seed": -3}, ValueError, "seed must be from 0 to"),
        ({"seed": None}, TypeError, "must be an integer"),
        ({"jobs": 0}, ValueError, "jobs must be"),
        ({"jobs": 2.0}, TypeError, "jobs must be an integer"),
        ({"jobs": True}, TypeError, "jobs must be an integer"),
        ({"backend": "steam"}, ValueError, "steam"),
        ({"first": "nobody"}, ValueError, "unknown agent 'nobody'"),
        ({"second": "mcts:simulations=0"}, ValueError, "simulations must be from 1 to 10000000"),
        ({"second": RandomAgent(1)}, TypeError, "new agents for every game"),
        ({"second": 5}, TypeError, "must be a text such as"),
        ({"second": functools.partial(GreedyAgent)}, TypeError, "attribute 'name'"),
    ],
)
def test_bad_arguments_are_refused(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    """They are refused before a game is played."""
    arguments: dict[str, Any] = {
        "first": "random",
        "second": "random",
        "num_deals": 1,
        "seed": 0,
        **changes,
    }
    played: list[GameRecord] = []
    with pytest.raises(error, match=message):
        play_match(MANCALA, **arguments, on_record=played.append)
    assert played == []


def test_a_factory_that_cannot_build_starts_no_match() -> None:
    """An agent that never existed has not lost: the caller hears of it, before any game."""

    def broken(seed: int) -> RandomAgent:
        raise OSError("no such network")

    played: list[GameRecord] = []
    with pytest.raises(OSError, match="no such network"):
        play_match(MANCALA, broken, "random", 1, seed=0, on_record=played.append)
    with pytest.raises(OSError, match="no such network"):
        play_match(MANCALA, "random", broken, 1, seed=0, on_record=played.append)
    assert played == []


class Moody(FirstAgent):
    """An agent that cannot be made in some games, and once it is made plays the first action.

    Attributes:
        name: ``"moody"``.
    """

    name = "moody"

    def __init__(self, seed: int) -> None:
        """Fail for odd seeds, in a way that most handlers of errors let pass."""
        if seed % 2:
            raise asyncio.CancelledError("not today")
        super().__init__(seed)


@pytest.mark.parametrize("seat", [0, 1])
def test_an_agent_that_cannot_be_built_forfeits_its_game(tmp_path: Path, seat: int) -> None:
    """The others are played, and a file with such games can be read and resumed."""
    path = tmp_path / "games.jsonl"
    one, other = (Moody, FirstAgent) if seat == 0 else (FirstAgent, Moody)
    result, records = play_and_collect(MANCALA, one, other, 8, seed=1, record_path=path)
    lost = [record for record in records if record.reason == AGENT_FAILED]
    assert 0 < len(lost) < 16
    assert result.forfeits[seat] == len(lost)
    assert result.forfeits[1 - seat] == 0
    for record in lost:
        assert record.offender is not None
        assert record.players[record.offender] == "moody"
        assert (record.winner, record.moves) == (1 - record.offender, ())
        assert record.detail == "CancelledError: not today"
    # Whoever was to move.
    assert {record.offender == record.first_player for record in lost} == {True, False}
    assert read_records(path) == records
    assert play_match(MANCALA, one, other, 8, seed=1, record_path=path, resume=True) == result


def test_of_two_that_cannot_be_built_the_first_to_move_forfeits() -> None:
    """If neither agent can be made, the player who moves first forfeits."""

    class Other(Moody):
        name = "other"

    _, records = play_and_collect(MANCALA, Moody, Other, 20, seed=1)
    both = [r for r in records if all(seed is not None and seed % 2 for seed in r.agent_seeds)]
    assert both
    for record in both:
        assert record.offender == record.first_player
        record.validate()


def test_a_plan_tells_its_games_from_others() -> None:
    """A plan knows a game by its deal and its players."""
    plan = MatchPlan(MANCALA, ("greedy", "random"), 3, 7)
    assert (plan.num_games, plan.agents) == (6, ("greedy", "random"))
    assert plan.start(2) == plan.start(3)
    record = plan.play(3)
    assert plan.matches(record)
    assert not MatchPlan(MANCALA, ("random", "greedy"), 3, 7).matches(record)


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_of_the_caller_end_the_match(jobs: int) -> None:
    """An error of the caller's function is raised, and no more games are played."""

    def refuse(record: GameRecord) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        play_match(
            MANCALA,
            "random",
            "random",
            50,
            seed=1,
            jobs=jobs,
            backend="threading",
            on_record=refuse,
        )


def test_a_folder_is_no_file_for_games(tmp_path: Path) -> None:
    """The message says so, whether the match is to be resumed or not."""
    for resume in (False, True):
        with pytest.raises(IsADirectoryError, match="is a folder"):
            play_match(MANCALA, "random", "random", 1, seed=1, record_path=tmp_path, resume=resume)


def test_games_can_be_recorded_to_a_device() -> None:
    """A device is no file that could be synchronized."""
    result = play_match(MANCALA, "random", "random", 1, seed=1, record_path="/dev/null")
    assert result.num_games == 2
