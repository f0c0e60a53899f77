"""Contests with a sequential test: when they stop, and that nothing but the seed decides it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from mammalath_env.arena import GameRecord, MatchResult, SeatResult, play_match, read_records
from mammalath_env.arena.sequential import SPRTResult, run_sprt
from mammalath_env.arena.sprt import SequentialTest
from mammalath_env.games import make_game
from tests.arena.players import FirstAgent, failing
from tests.arena.test_resume import Fuse

MANCALA = make_game("mancala")
TEST = SequentialTest(-100, 100)
AGENTS: tuple[Any, Any] = (Fuse(10**9), FirstAgent)
WHOLE = run_sprt(MANCALA, *AGENTS, test=TEST, seed=3)


def test_it_stops_at_the_first_pair_that_decides() -> None:
    """Its games are those of a match; one pair less leaves the question open."""
    assert WHOLE.match.pairs is not None
    deals = sum(WHOLE.match.pairs)
    assert deals > 5
    assert WHOLE.match == play_match(MANCALA, *AGENTS, deals, seed=3)
    assert WHOLE.llr == float(TEST.llr(WHOLE.match.pairs))
    assert WHOLE.decision is not None
    assert TEST.decision(WHOLE.llr) == WHOLE.decision
    for shorter in range(1, deals):
        counts = play_match(MANCALA, *AGENTS, shorter, seed=3).pairs
        assert counts is not None
        assert TEST.decision(float(TEST.llr(counts))) is None


@pytest.mark.parametrize(
    ("agents", "decision"), [(("greedy", "random"), "H1"), (("random", "greedy"), "H0")]
)
def test_the_stronger_agent_is_found(agents: tuple[str, str], decision: str) -> None:
    """H1 says that the first agent is stronger."""
    assert run_sprt("mancala", *agents, test=TEST, seed=1).decision == decision


@pytest.mark.parametrize("jobs", [2, 5])
def test_the_result_is_the_same_with_several_games_at_a_time(jobs: int) -> None:
    """Pairs count in the order of the deals, not in that in which they are finished."""
    options: dict[str, Any] = {"test": TEST, "seed": 3, "jobs": jobs, "backend": "threading"}
    assert run_sprt(MANCALA, *AGENTS, **options) == WHOLE


def test_the_result_is_the_same_in_other_processes() -> None:
    """Some games may be unfinished when the decision comes."""
    one, other = (
        run_sprt(MANCALA, "random", FirstAgent, test=TEST, seed=4, jobs=jobs) for jobs in (1, 2)
    )
    assert one == other


def record_games(path: Path, deals: int, rng: random.Random) -> list[str]:
    """Write the games of a match to a file, in any order, and return its lines."""
    play_match(MANCALA, *AGENTS, deals, seed=3, record_path=path)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    rng.shuffle(lines)
    path.write_text("".join(lines), "utf-8")
    return lines


def test_games_in_a_file_are_taken_in_the_order_of_deals(tmp_path: Path) -> None:
    """Whatever their order in the file; those after the decision stay there, and do not count."""
    path = tmp_path / "games.jsonl"
    deals = WHOLE.match.num_games // 2
    for number in range(5):
        path.unlink(missing_ok=True)
        lines = record_games(path, deals + 10, random.Random(number))
        fuse = Fuse(0)
        resume: dict[str, Any] = {"record_path": path, "resume": True}
        assert run_sprt(MANCALA, fuse, FirstAgent, test=TEST, seed=3, **resume) == WHOLE
        assert path.read_text("utf-8") == "".join(lines)
        # Without one that counts, that one is played.
        lacking = [line for line in lines if '"index":3}' not in line]
        path.write_text("".join(lacking), "utf-8")
        fuse = Fuse(1)
        assert run_sprt(MANCALA, fuse, FirstAgent, test=TEST, seed=3, **resume) == WHOLE
        assert fuse.games == 0
        assert len(read_records(path)) == len(lines)


@pytest.mark.parametrize("games", [0, 1, 2, 7, 10])
@pytest.mark.parametrize("how", [{}, {"jobs": 2, "backend": "threading"}], ids=str)
def test_an_interrupted_test_is_resumed(tmp_path: Path, games: int, how: dict[str, Any]) -> None:
    """The result is that of a test without an interruption; the file has each game once."""
    path = tmp_path / "games.jsonl"
    options: dict[str, Any] = {"test": TEST, "seed": 3, "record_path": path, **how}
    with pytest.raises(KeyboardInterrupt):
        run_sprt(MANCALA, Fuse(games), FirstAgent, **options)
    assert run_sprt(MANCALA, *AGENTS, **options, resume=True) == WHOLE
    records = read_records(path)
    assert len(records) >= WHOLE.match.num_games
    assert len({record.match.index for record in records if record.match}) == len(records)


def test_too_few_deals_decide_nothing() -> None:
    """All of them are in the result."""
    result = run_sprt(MANCALA, *AGENTS, test=TEST, seed=3, max_deals=2)
    assert result.decision is None
    assert result.match == play_match(MANCALA, *AGENTS, 2, seed=3)
    assert result.match.pairs is not None
    assert result.llr == float(TEST.llr(result.match.pairs))


def test_forfeits_are_losses() -> None:
    """They are counted, with their reason, as in a match."""
    result = run_sprt(MANCALA, failing, "random", test=TEST, seed=1)
    assert result.decision == "H0"
    assert result.match.forfeits == (result.match.num_games, 0)
    assert result.match.forfeit_reasons[0] == {"RuntimeError: out of order": result.match.num_games}


def test_games_are_reported_and_errors_of_the_caller_raised() -> None:
    """The function for records is called with every game, and may fail."""
    seen: list[GameRecord] = []
    result = run_sprt(MANCALA, *AGENTS, test=TEST, seed=3, on_record=seen.append)
    assert len(seen) == result.match.num_games

    def refuse(record: GameRecord) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        run_sprt(MANCALA, *AGENTS, test=TEST, seed=3, on_record=refuse)


def test_progress_has_the_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, with its bounds; none unless it is asked for."""
    run_sprt(MANCALA, *AGENTS, test=TEST, seed=3)
    assert capsys.readouterr() == ("", "")
    run_sprt(MANCALA, *AGENTS, test=TEST, seed=3, progress=True)
    output, errors = capsys.readouterr()
    assert output == ""
    pairs = WHOLE.match.num_games // 2
    assert f"{pairs} pairs, LLR {WHOLE.llr:.2f} (-2.94 to 2.94)" in errors


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"max_deals": 0}, ValueError, "max_deals must be at least 1, not 0"),
        ({"max_deals": 1.5}, TypeError, "max_deals must be an integer"),
        ({"seed": -1}, ValueError, "seed must be from 0 to"),
        ({"jobs": 0}, ValueError, "jobs must be"),
    ],
)
def test_impossible_contests_are_refused(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    """Before a game is played."""
    seen: list[GameRecord] = []
    arguments: dict[str, Any] = {"test": TEST, "seed": 1, "on_record": seen.append, **changes}
    with pytest.raises(error, match=message):
        run_sprt(MANCALA, "random", "greedy", **arguments)
    assert seen == []


def test_results_are_json() -> None:
    """An infinite Elo difference is null; equal scores of all pairs have no estimates."""

    def result(pairs: tuple[int, int, int, int, int]) -> SPRTResult:
        match = MatchResult(
            MANCALA, ("a", "b"), 1, SeatResult(), SeatResult(), (), (0, 0), pairs=pairs
        )
        return SPRTResult(TEST, "H1", 3.0, match)

    def data(pairs: tuple[int, int, int, int, int]) -> Any:
        return json.loads(json.dumps(result(pairs).to_data(), allow_nan=False))

    found = data((0, 0, 1, 0, 9))
    assert found["estimates"]["elo"]["high"] is None
    assert found["estimates"]["score"]["value"] == pytest.approx(0.95, abs=1e-3)
    assert found["test"] == {
        "elo0": -100, "elo1": 100, "alpha": 0.05, "beta": 0.05, "model": "normalized"
    }  # fmt: skip
    assert found["match"] == json.loads(json.dumps(result((0, 0, 1, 0, 9)).match.to_data()))
    assert data((0, 0, 0, 0, 9))["estimates"] is None
