"""Agents of other modules, each in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil
import pytest

from mammalath_env import make_game
from mammalath_env.arena import GameRecord, play_match, read_records
from mammalath_env.arena.faults import PackageFaultError, notes_of
from mammalath_env.arena.players import build_player
from mammalath_env.arena.time_control import TimeControl
from tests.arena.guests import Counting, Ending, Factory, Guest

GAME = make_game("mancala")


def played(agent: str, path: Path, deals: int = 2, **options: Any) -> list[GameRecord]:
    """Return the games of an agent of `tests.arena.guests` against `random`."""
    name = f"tests.arena.guests:{agent}"
    play_match(GAME, name, "random", deals, seed=1, record_path=path, **options)
    return read_records(path)


def losses(records: list[GameRecord]) -> list[tuple[str, str | None]]:
    """Return why the games were forfeited."""
    return [(record.reason, record.detail) for record in records if record.offender is not None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file for records."""
    return tmp_path / "games.jsonl"


def test_it_plays_as_in_this_process(path: Path) -> None:
    """The same moves with the same seed."""
    here = play_match(GAME, Guest, "random", 2, seed=1)
    there = play_match(GAME, "tests.arena.guests:Guest", "random", 2, seed=1)
    assert there.forfeits == here.forfeits == (0, 0)
    # Agents are seeded by their names too.
    record = played("Guest", path)[0]
    agent = Guest(record.agent_seeds[record.players.index("tests.arena.guests:Guest")] or 0)
    for position, action in record.replay():
        if action is not None and record.players[position.to_move].endswith("Guest"):
            assert agent.act(position) == action


def test_the_process_is_another_one_and_kept(path: Path) -> None:
    """From game to game; in this one an agent is made once for the check at the start."""
    before = Counting.made
    values = {
        abs(value)
        for record in played("Counting", path)
        for value in record.evaluations or ()
        if value is not None
    }
    assert values == {0.1, 0.2, 0.3, 0.4}
    assert Counting.made == before + 1


@pytest.mark.parametrize(
    ("agent", "detail"),
    [
        ("Leaving", "its process ended with exit code 7"),
        ("Crashing", "its process ended, killed by SIGABRT"),
        ("Unmade", "its process ended with exit code 9"),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_crash_costs_that_game(path: Path, agent: str, detail: str, jobs: int) -> None:
    """And the next one begins with a new process."""
    records = played(agent, path, jobs=jobs)
    assert losses(records) == [("agent failed", detail)] * 4


def test_a_hang_costs_that_game(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the time that is allowed without a time control; its children are killed with it."""
    processes = path.with_name("processes")
    monkeypatch.setenv("PROCESSES", str(processes))
    records = played("Hanging", path, deals=1, time_control=TimeControl(timeout=5))
    assert losses(records) == [("out of time", "no answer within 5 seconds")] * 2
    pids = [int(pid) for pid in processes.read_text("utf-8").split()]
    assert len(set(pids)) == 4
    assert not any(map(psutil.pid_exists, pids))


def test_standard_streams_are_the_agents(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What it prints goes to standard error, and it has nothing to read."""
    assert losses(played("Talking", path)) == []
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "hello\n" in printed.err


def test_faults_of_the_machine_are_raised(path: Path) -> None:
    """They are no result of a game."""
    with pytest.raises(MemoryError) as raised:
        played("OutOfMemory", path)
    assert notes_of(raised.value) == ["raised in agent 'tests.arena.guests:OutOfMemory'"]
    assert read_records(path) == []


def test_it_knows_its_time(path: Path) -> None:
    """By the method that agents of the package have."""
    records = played("Asked", path, time_control=TimeControl(move_seconds=30))
    assert {
        abs(value) for record in records for value in record.evaluations or () if value is not None
    } == {0.3}


def test_being_late_costs_that_game(path: Path) -> None:
    """By more than the margin."""
    control = TimeControl(move_seconds=0.2, margin=0.1)
    assert {reason for reason, _ in losses(played("Slow", path, time_control=control))} == {
        "out of time"
    }
    path.unlink()
    control = TimeControl(move_seconds=0.2, margin=3600)
    assert losses(played("Slow", path, time_control=control)) == []


def test_functions_and_classes_stay_in_this_process() -> None:
    """Unless they ask for another one."""

    def first(position: Any) -> int:
        return int(position.legal_actions()[0])

    assert type(build_player(Guest, 1, GAME)) is Guest
    assert not hasattr(build_player(first, 1, GAME), "end_game")
    assert not hasattr(build_player("random", 1, GAME), "end_game")
    assert hasattr(build_player("tests.arena.guests:Guest", 1, GAME), "end_game")


def test_a_child_that_comes_back_does_not_answer(path: Path) -> None:
    """An agent may fork, and leave the child by an exception."""
    assert losses(played("Forking", path)) == []


def test_faults_of_the_machine_of_any_class_are_raised(path: Path) -> None:
    """Also of one that only the agent's module knows."""
    with pytest.raises(MemoryError, match="_OwnMemoryError: no 3 GB"):
        played("OutOfOwnMemory", path)
    assert read_records(path) == []


def test_an_agent_of_the_package_in_another_process_does_not_forfeit(path: Path) -> None:
    """A bug of the package is no result there, either."""
    with pytest.raises(PackageFaultError, match="'random' of the package failed: ZeroDivision"):
        played("failing_search", path)
    assert read_records(path) == []


def test_killing_its_parent_sets_no_agent_free(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found all the same, and the contest goes on."""
    processes = path.with_name("processes")
    monkeypatch.setenv("PROCESSES", str(processes))
    records = played("Orphaned", path, time_control=TimeControl(timeout=0.5))
    assert losses(records) == [("out of time", "no answer within 0.5 seconds")] * 4
    pids = [int(pid) for pid in processes.read_text("utf-8").split()]
    _, alive = psutil.wait_procs(
        [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)], 60
    )
    assert alive == []


def test_a_factory_that_cannot_be_hashed() -> None:
    """In a process of its own, and on time."""
    factory = Factory(0.5)
    for control in (TimeControl(), TimeControl(move_seconds=60)):
        result = play_match(GAME, factory, "random", 1, seed=1, time_control=control)
        assert result.forfeits == (0, 0)


def test_what_another_process_cannot_import_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the start, not in every game."""

    class Local(Guest):
        in_own_process = True

    with pytest.raises(TypeError, match="cannot import it"):
        play_match(GAME, Local, "random", 1, seed=1)
    monkeypatch.setattr(Factory, "__module__", "__main__")
    monkeypatch.setattr("__main__.Factory", Factory, raising=False)
    with pytest.raises(TypeError, match="'factory' asks for a process of its own"):
        play_match(GAME, Factory(0.5), "random", 1, seed=1)


def test_methods_of_agents_mean_nothing_to_contests() -> None:
    """But those that are described."""
    assert play_match(GAME, Ending, "random", 1, seed=1).forfeits == (0, 0)
