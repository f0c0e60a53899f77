"""Engines as agents, sound ones and others."""

from __future__ import annotations

import copy
import math
import os
import shlex
import sys
import threading
from pathlib import Path
from typing import Any

import psutil
import pytest

from mammalath_env import make_game
from mammalath_env.agents import make_agent
from mammalath_env.agents.limits import Clock, Limits
from mammalath_env.arena import GameRecord, play_game, play_match, read_records
from mammalath_env.arena.time_control import TimeControl
from mammalath_env.core.errors import GameOverError
from mammalath_env.ugi import client, pool
from mammalath_env.ugi.client import EngineAgent, _value_in, go_command, split_command
from mammalath_env.ugi.process import EngineError, EngineTimeoutError, UnknownEngineError

GAME = make_game("mammalath")
SCRIPT = Path(__file__).with_name("misbehaving.py")


def engine(what: str = "") -> str:
    """Return the name of the engine that does something wrong, or nothing."""
    return f"engine:{shlex.join([sys.executable, str(SCRIPT), *what.split()])}"


def played(what: str, timeout: float = 60.0, seed: int = 1) -> GameRecord:
    """Return a game of the engine against `random`."""
    control = TimeControl(timeout=timeout)
    return play_game(GAME, [engine(what), "random"], seed=seed, time_control=control)


def test_a_sound_engine_plays_a_game() -> None:
    """With its scores as evaluations, and again the same game with the same seed."""
    record = played("")
    assert record.reason not in ("agent failed", "illegal move", "out of time")
    assert record.evaluations is not None
    own = [
        value
        for position, value in zip(record.positions(), record.evaluations, strict=False)
        if position.to_move == 0
    ]
    # 400 hundredths are 10 to 1.
    assert own == [pytest.approx(9 / 11, abs=1e-3)] * len(own)
    assert played("").moves == record.moves
    assert played("", seed=2).moves != record.moves


def test_engines_are_kept_from_game_to_game() -> None:
    """A process is started once for agents of the same command, one after the other."""
    one = EngineAgent(1, command=engine().removeprefix("engine:"))
    pid = one._engine.process.pid
    one.end_game(failed=False)
    other = EngineAgent(2, command=engine().removeprefix("engine:"))
    assert other._engine.process.pid == pid
    third = EngineAgent(3, command=engine().removeprefix("engine:"))
    assert third._engine.process.pid != pid
    other.end_game(failed=True)
    assert not psutil.pid_exists(pid)
    third.end_game(failed=False)


def test_no_more_engines_are_kept_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that have waited longest are ended."""
    monkeypatch.setattr(pool, "MAX_IDLE", 2)
    command = engine().removeprefix("engine:")
    agents = [EngineAgent(seed, command=command) for seed in range(3)]
    pids = [agent._engine.process.pid for agent in agents]
    for agent in agents:
        agent.end_game(failed=False)
    assert [psutil.pid_exists(pid) for pid in pids] == [False, True, True]
    # The last one is the first to be used again.
    again = EngineAgent(1, command=command)
    assert again._engine.process.pid == pids[2]
    again.end_game(failed=False)


@pytest.mark.parametrize(
    ("what", "reason", "detail"),
    [
        ("exit", "agent failed", "its process ended with exit code 3"),
        ("kill", "agent failed", "its process ended, killed by SIGKILL"),
        ("long line", "agent failed", "wrote a line of more than 65536 bytes"),
        ("bytes", "agent failed", "wrote bytes that are not UTF-8"),
        ("flood", "agent failed", "wrote 100000 lines without 'bestmove'"),
        ("garbage", "illegal move", "InvalidMoveError"),
        ("empty", "illegal move", "InvalidMoveError"),
        ("illegal", "illegal move", "IllegalMoveError: illegal move swap"),
    ],
)
def test_each_fault_costs_one_game(what: str, reason: str, detail: str) -> None:
    """The engine is ended, and the same name plays the next game until it fails again."""
    for seed in (1, 2):
        record = played(what, seed=seed)
        assert (record.reason, record.offender, record.winner) == (reason, 0, 1)
        assert record.detail is not None
        assert detail in record.detail
        own = [position.to_move == 0 for position in record.positions()[:-1]]
        assert sum(own) == 3
    if what == "exit":
        assert record.traceback == "the network is missing"


@pytest.mark.parametrize("what", ["hang", "no flush"])
def test_an_engine_that_does_not_answer_loses_on_time(what: str) -> None:
    """After the time that is allowed without a time control."""
    record = played(what, timeout=0.5)
    assert (record.reason, record.offender) == ("out of time", 0)
    assert record.detail is not None
    assert "no 'bestmove' within 0.5 seconds after 'go movetime 1000'" in record.detail


def test_children_of_a_hanging_engine_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of other process groups too."""
    monkeypatch.setenv("CHILDREN", str(tmp_path / "children"))
    assert played("hang with children", timeout=5.0).reason == "out of time"
    (child,) = map(int, (tmp_path / "children").read_text("utf-8").split())
    assert not psutil.pid_exists(child)


def test_an_engine_that_ends_between_games_is_started_again() -> None:
    """It has lost no game, and loses none."""
    command = engine().removeprefix("engine:")
    one = EngineAgent(1, command=command)
    process = one._engine.process
    one.end_game(failed=False)
    psutil.Process(process.pid).children()[0].kill()
    process._threads[0].join()
    assert process.has_ended
    other = EngineAgent(1, command=command)
    assert other._engine.process is not process
    assert process.is_closed
    other.end_game(failed=True)


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("info depth 1 score cp 400 pv a1", 9 / 11),
        ("info score mate 3", 1.0),
        ("info score mate 0", -1.0),
        ("info score mate -2", -1.0),
        ("info", 0.5),
        ("info score cp", 0.5),
        ("info score cp nan", 0.5),
        ("info score cp 1e999", 0.5),
        ("info score mate nan", 0.5),
        ("info score mate x", 0.5),
        ("info string cp 400", 0.5),
        ("info pv cp 400", 0.5),
    ],
)
def test_scores_in_words(words: str, value: float) -> None:
    """Those that are none leave the value as it was."""
    assert _value_in(words.split(), 0.5) == pytest.approx(value)


def test_what_is_written_after_a_move_is_dropped() -> None:
    """A second answer is no answer to the next question."""
    assert played("twice").offender is None


def test_an_engine_that_never_says_ugiok(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is given up after some time."""
    monkeypatch.setattr(client, "START_TIMEOUT_S", 1.0)
    with pytest.raises(EngineTimeoutError, match=r"no 'ugiok' within .* seconds after 'ugi'"):
        make_agent(engine("no ugiok"), 1)


def test_a_program_that_is_no_engine() -> None:
    """It ends, or says nothing that is expected."""
    with pytest.raises(EngineError, match="its process ended"):
        make_agent("engine:true", 1)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no-such-program --fast", "there is no program 'no-such-program'"),
        ("'unclosed", "No closing quotation"),
        ("''", "there is no program ''"),
    ],
)
def test_command_lines_that_cannot_be(command: str, message: str) -> None:
    """They are errors of the name."""
    with pytest.raises(UnknownEngineError, match=message):
        make_agent(f"engine:{command}", 1)


@pytest.mark.parametrize("name", ["engine", "engine:", "engine:  "])
def test_a_name_without_a_command_line(name: str) -> None:
    """It says what is missing."""
    with pytest.raises(ValueError, match="expected a command line"):
        make_agent(name, 1)


def test_command_lines_are_split_as_a_shell_does() -> None:
    """Quotation marks keep spaces, commas and colons mean nothing."""
    program, *arguments = split_command(f"{shlex.quote(sys.executable)} 'a b' c=1,d:2")
    assert os.path.samefile(program, sys.executable)
    assert arguments == ["a b", "c=1,d:2"]


CLOCK = Clock((60.0, 30.0), (0.5, 0.25))


@pytest.mark.parametrize(
    ("limits", "first", "command"),
    [
        (Limits(seconds=1.5), 0, "go movetime 1500"),
        (Limits(seconds=1e-6), 0, "go movetime 1"),
        (Limits(nodes=7, depth=3), 1, "go nodes 7 depth 3"),
        (Limits(is_infinite=True), 0, "go infinite"),
        (Limits(clock=CLOCK), 0, "go p1time 60000 p2time 30000 p1inc 500 p2inc 250"),
        (Limits(clock=Clock((60.0, math.inf))), 0, "go p1time 60000 p1inc 0 p2inc 0"),
        (Limits(clock=CLOCK), 1, "go p1time 30000 p2time 60000 p1inc 250 p2inc 500"),
    ],
)
def test_limits_as_words(limits: Limits, first: int, command: str) -> None:
    """Times are in milliseconds, and p1 is the player who moved first."""
    assert go_command(limits, first) == command


def test_stop_is_sent_to_the_engine() -> None:
    """An infinite search ends when the event is set, with the best move so far."""
    command = f"{shlex.quote(sys.executable)} -m mammalath_env engine mcts"
    agent = EngineAgent(1, command=command)
    position = GAME.deal(1)
    stop = threading.Event()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    move = agent.act_within(position, Limits(is_infinite=True, stop=stop))
    assert stop.is_set()
    assert move in position.legal_moves()
    agent.end_game(failed=False)


def test_an_engine_is_asked_in_running_games_only() -> None:
    """As any agent."""
    agent = make_agent(engine(), 1)
    with pytest.raises(GameOverError):
        agent.act(played("").positions()[-1])


def test_a_copy_is_the_same_engine() -> None:
    """Its memory is in the other process."""
    agent = make_agent(engine(), 1)
    assert copy.deepcopy(agent) is agent


@pytest.mark.parametrize("jobs", [1, 2])
def test_matches_with_engines(tmp_path: Path, jobs: int) -> None:
    """The result does not depend on the number of jobs, and can be resumed."""
    path, whole = tmp_path / "games.jsonl", tmp_path / "whole.jsonl"
    options: dict[str, Any] = {"seed": 3, "jobs": jobs}
    result = play_match(GAME, engine(), "random", 4, record_path=whole, **options)
    assert result.forfeits == (0, 0)
    lines = whole.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:3]) + lines[3][:100], "utf-8")
    resumed = play_match(GAME, engine(), "random", 4, record_path=path, resume=True, **options)
    assert resumed == result

    def index(record: GameRecord) -> int:
        assert record.match is not None
        return record.match.index

    assert sorted(read_records(path), key=index) == sorted(read_records(whole), key=index)
