"""Contests on the command line: whose output is whose, what is kept, and how to go on."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from mammalath_env.agents.greedy import GreedyAgent
from mammalath_env.arena import MatchResult, read_records
from mammalath_env.cli import app
from mammalath_env.cli.messages import OPTIONS, as_typed
from tests.processes import ROOT, finish

MODULE = """
import errno
import time

print("imported")


def first(position):
    print("thinking")
    return position.legal_moves()[0]


class Failing:
    name = "failing"

    def __init__(self, seed):
        print("made")

    def act(self, position):
        if position.ply > 4:
            return self.divide(1)
        return position.legal_actions()[0]

    def divide(self, number):
        return number / 0


class Broke:
    name = "broke"

    def __init__(self, seed):
        pass

    def act(self, position):
        if position.ply > 4:
            raise ERROR
        return position.legal_actions()[0]


def slow(position):
    time.sleep(0.05)
    return position.legal_actions()[0]
"""
COMMAND = (sys.executable, "-m", "mammalath_env")
MATCH = (*COMMAND, "match", "--game", "mancala")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a module of agents."""
    (tmp_path / "my_agents.py").write_text(MODULE, "utf-8")
    return tmp_path


def run(*arguments: str) -> Any:
    """Run a command in this process."""
    return CliRunner().invoke(app, list(arguments))


def text_of(output: str) -> str:
    """Return an output without the frame of an error and the breaks of lines."""
    return " ".join(output.replace("│", " ").split())


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("command", ["match", "arena"])
def test_prints_of_agents_are_no_result(folder: Path, command: str, jobs: str) -> None:
    """They land on standard error, from worker processes too; the traceback does, once."""
    agents = ("my_agents:first", "my_agents:Failing")
    options = ("--game", "mancala", "--deals", "2", "--seed", "1", "--jobs", jobs, "--json")
    done = finish(*COMMAND, command, *agents, *options, cwd=folder)
    found = json.loads(done.stdout)
    match = found if command == "match" else found["matches"][0]
    assert match["forfeits"] == [0, 4]
    assert match["forfeit_reasons"] == [{}, {"ZeroDivisionError: division by zero": 4}]
    for printed in ("imported", "made", "thinking"):
        assert printed in done.stderr
    assert done.stderr.count("Traceback") == 1
    assert re.search(r'my_agents.py", line \d+, in divide\n    return number / 0', done.stderr)
    assert "faults.py" not in done.stderr


def test_prints_of_agents_are_no_result_of_puzzles(folder: Path) -> None:
    """Nor do they land among the numbers of solved puzzles."""
    done = finish(*COMMAND, "puzzles", "my_agents:first", "--json", cwd=folder)
    assert "win in 1" in json.loads(done.stdout)
    assert "thinking" in done.stderr


def test_the_table_says_why_games_were_forfeited(folder: Path) -> None:
    """How many and why, below the table; and so does replay."""
    path = folder / "games.jsonl"
    options = ("--deals", "2", "--seed", "1", "--record", str(path))
    done = finish(*MATCH, "my_agents:first", "my_agents:Failing", *options, cwd=folder)
    note = "my_agents:Failing: 4 forfeits: ZeroDivisionError: division by zero (4)"
    assert note in " ".join(done.stdout.split())
    assert "in divide" in (read_records(path)[0].traceback or "")
    shown = run("replay", str(path), "--delay", "0").output
    assert "won: agent failed (ZeroDivisionError: division by zero)" in shown


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("OSError(errno.ENOSPC, 'No space left on device')", "No space left on device"),
        ("MemoryError()", "MemoryError"),
    ],
)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_faults_of_the_machine_stop_a_contest(
    folder: Path, error: str, message: str, jobs: str
) -> None:
    """With exit code 1, and a message; nobody has lost by it, and other games are kept."""
    (folder / "my_agents.py").write_text(MODULE.replace("ERROR", error), "utf-8")
    path = folder / "games.jsonl"
    options = ("--deals", "2", "--seed", "1", "--jobs", jobs, "--record", str(path))
    done = finish(*MATCH, "my_agents:Broke", "random", *options, cwd=folder, code=1)
    assert message in done.stderr
    assert "raised in agent 'my_agents:Broke'" in done.stderr
    assert "0 finished games kept in" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert path.read_text("utf-8") == ""


def test_a_missing_file_is_the_agents_own_fault(folder: Path) -> None:
    """Not every error of files is one of the machine."""
    module = MODULE.replace("ERROR", "FileNotFoundError(errno.ENOENT, 'no network')")
    (folder / "my_agents.py").write_text(module, "utf-8")
    options = ("--deals", "1", "--seed", "1", "--json")
    done = finish(*MATCH, "my_agents:Broke", "random", *options, cwd=folder)
    assert json.loads(done.stdout)["forfeits"] == [2, 0]


def test_bugs_of_the_package_stop_a_contest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With exit code 1 and the traceback; the games before are kept and can be resumed."""
    path = tmp_path / "my games.jsonl"
    act, calls = GreedyAgent.act, 0

    def broken(self: GreedyAgent, position: Any) -> int:
        nonlocal calls
        calls += 1
        if calls > 60:
            raise ValueError("a bug")
        return act(self, position)

    monkeypatch.setattr(GreedyAgent, "act", broken)
    agents = ("match", "greedy", "random", "--game", "mancala", "-o", "capture=chain")
    result = run(*agents, "--deals", "9", "--record", str(path))
    assert result.exit_code == 1
    assert "agent 'greedy' of the package failed: ValueError: a bug" in result.stderr
    assert "in broken" in result.stderr
    kept = read_records(path)
    assert 0 < len(kept) < 18
    assert all(record.detail is None for record in kept)
    assert f"{len(kept)} finished games kept in {path}; to play the others:" in result.stderr
    monkeypatch.undo()
    command = shlex.split(result.stderr.splitlines()[-1])
    assert command[0] == "mammalath"
    assert "capture=chain" in command
    result = run(*command[1:])
    assert result.exit_code == 0, result.output
    records = read_records(path)
    assert len(records) == 18
    assert records[: len(kept)] == kept


def test_a_drawn_seed_is_shown_first_and_taken_for_the_rest(tmp_path: Path) -> None:
    """On standard error, whatever is printed at the end; records hold it."""
    path = tmp_path / "games.jsonl"
    arguments = ("match", "random", "random", "--game", "mancala", "--record", str(path), "--json")
    result = run(*arguments, "--deals", "1")
    seed = json.loads(result.stdout)["seed"]
    assert result.stderr.splitlines()[0] == f"seed {seed}"
    resumed = run(*arguments, "--deals", "2", "--resume")
    assert resumed.exit_code == 0, resumed.output
    assert "seed" not in resumed.stderr
    assert json.loads(resumed.stdout)["seed"] == seed
    assert len(read_records(path)) == 4
    assert {record.match.seed for record in read_records(path) if record.match} == {seed}


def test_resuming_from_no_game(tmp_path: Path) -> None:
    """A contest that was stopped before its first game begins anew; games of no match cannot."""
    path = tmp_path / "games.jsonl"
    arguments = ("match", "random", "random", "--game", "mancala", "--record", str(path))
    for exists in (False, True):
        if exists:
            path.touch()
        result = run(*arguments, "--deals", "1", "--resume")
        assert result.exit_code == 0, result.output
        assert result.stderr.startswith("seed ")
        path.unlink()
    run("play", "random", "--game", "mancala", "--seed", "1", "--save", str(path))
    result = run(*arguments, "--resume")
    assert result.exit_code == 2
    assert "belongs to no match" in text_of(result.output)


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process there")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_says_what_is_kept_and_how_to_go_on(folder: Path, jobs: str) -> None:
    """The command that is printed plays the rest."""
    path = folder / "games.jsonl"
    options = ("--deals", "40", "--record", str(path), "--jobs", jobs)
    with subprocess.Popen(
        [*MATCH, "my_agents:slow", "random", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        # A background job of a shell would ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    ) as process:
        while process.poll() is None and not (path.exists() and path.stat().st_size):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=120)
    assert process.returncode == 130, output + errors
    kept = len(read_records(path))
    assert 0 < kept < 80
    games = "1 finished game" if kept == 1 else f"{kept} finished games"
    assert f"interrupted\n{games} kept in {path}; to play the others:\n" in errors
    command = shlex.split(errors.splitlines()[-1])[1:]
    assert command[-1] == "--resume"
    assert (command[command.index("--jobs") + 1] if "--jobs" in command else "1") == jobs
    command[command.index("--deals") + 1] = str(kept)  # fewer, to be quick
    finish(*COMMAND, *command, cwd=folder)


def test_without_a_file_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says so, and what keeps games."""

    def interrupted(*arguments: object, **options: object) -> MatchResult:
        raise KeyboardInterrupt

    monkeypatch.setattr("mammalath_env.arena.match.run_plans", interrupted)
    result = run("match", "random", "random", "--seed", "1")
    assert result.exit_code == 130
    assert "0 finished games, not kept: --record FILE keeps them" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["match", "random", "random", "--seed", str(1 << 64)], "--seed must be from 0 to"),
        (["match", "random", "random", "--jobs", "0"], "--jobs must be a number of processes"),
        (["solve", "--seconds", "-1"], "--seconds must be above 0"),
        (["perft", "--depth", "0"], "--depth must be"),
        (["match", "random", "random", "--move-seconds", "0"], "--move-seconds must be above 0"),
        (["match", "alphabeta:seconds=-1", "random"], "ValueError: seconds must be above 0"),
    ],
)
def test_messages_name_options_as_they_are_typed(arguments: list[str], words: str) -> None:
    """Options of agents are typed without dashes."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in text_of(result.output)


def test_a_file_with_games_is_refused_with_the_option(tmp_path: Path) -> None:
    """The message names --resume, and what it says works."""
    arguments = ("match", "random", "random", "--game", "mancala", "--deals", "1")
    options = ("--record", str(tmp_path / "games.jsonl"))
    assert run(*arguments, *options).exit_code == 0
    result = run(*arguments, *options)
    assert result.exit_code == 2
    assert "go on with --resume" in text_of(result.output)
    assert run(*arguments, *options, "--resume").exit_code == 0


def test_all_options_of_messages_exist() -> None:
    """Each is an option of a command; other words are left alone."""
    commands = getattr(get_command(app), "commands")  # noqa: B009, a group has them
    known = {
        option
        for command in commands.values()
        for parameter in command.params
        for option in parameter.opts
    }
    assert set(OPTIONS.values()) <= known
    assert as_typed("resume=True and sizes must be") == "--resume and sizes must be"
    assert as_typed("agent 'x': depth must be 1") == "agent 'x': depth must be 1"


TROUBLES = """
import os
import time


def deadly(position):
    if position.ply > 4:
        os._exit(3)
    return position.legal_actions()[0]


def slow(position):
    with open("workers", "a") as file:
        print(os.getpid(), file=file, flush=True)
    time.sleep(0.05)
    return position.legal_actions()[0]


class Unmade:
    def __init__(self, seed):
        self.fail()

    def fail(self):
        raise OSError("no network")


def lost(position):
    return position.nothing
"""


@pytest.fixture
def troubles(tmp_path: Path) -> Path:
    """A folder with agents that cause trouble, and a module that cannot be loaded."""
    (tmp_path / "my_troubles.py").write_text(TROUBLES, "utf-8")
    (tmp_path / "my_broken.py").write_text("\nimport nothing_like_that\n", "utf-8")
    (tmp_path / "my_typo.py").write_text("\nreturn return\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_agent_that_ends_its_process_loses_its_games_alone(troubles: Path, jobs: str) -> None:
    """The contest goes on, and the table says how many games and why."""
    options = ("--deals", "2", "--seed", "1", "--jobs", jobs, "--record", "games.jsonl")
    done = finish(*MATCH, "my_troubles:deadly", "random", *options, cwd=troubles)
    assert "its process ended with exit code" in done.stderr
    assert "my_troubles:deadly: 4 forfeits: its process ended with" in done.stdout
    records = read_records(troubles / "games.jsonl")
    assert [record.reason for record in records] == ["agent failed"] * 4


@pytest.mark.parametrize(
    ("agent", "line"),
    [
        ("my_troubles:Unmade", '/my_troubles.py", line 24, in fail'),
        ("my_broken:Agent", '/my_broken.py", line 2, in <module>'),
        ("my_typo:Agent", '/my_typo.py", line 2'),
    ],
)
@pytest.mark.parametrize("command", ["match", "arena", "puzzles"])
def test_an_agent_that_cannot_be_made_is_shown_its_line(
    troubles: Path, command: str, agent: str, line: str
) -> None:
    """And no line of the package, and its name."""
    agents = [agent] if command == "puzzles" else [agent, "random"]
    done = finish(*COMMAND, command, *agents, cwd=troubles, code=2)
    assert line in done.stderr
    assert "registry.py" not in done.stderr
    assert "importlib" not in done.stderr
    assert agent in done.stderr


def test_puzzles_show_the_first_traceback(troubles: Path) -> None:
    """Once, however many puzzles the agent fails in."""
    done = finish(*COMMAND, "puzzles", "my_troubles:lost", cwd=troubles, code=1)
    assert "agent my_troubles:lost fails in puzzle 1: AttributeError" in done.stderr
    assert done.stderr.count("in lost") == 1


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes there")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_request_to_terminate_ends_workers_too(troubles: Path, jobs: str) -> None:
    """With exit code 143, and the command that plays the rest."""
    options = ("--deals", "40", "--record", "games.jsonl", "--jobs", jobs)
    path = troubles / "games.jsonl"
    with subprocess.Popen(
        [*MATCH, "my_troubles:slow", "random", *options],
        cwd=troubles,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        while process.poll() is None and not (path.exists() and path.stat().st_size):
            time.sleep(0.01)
        process.terminate()
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 143, errors
    assert "to play the others:" in errors
    workers = {int(line) for line in (troubles / "workers").read_text("utf-8").split()}
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < deadline, "a worker is left"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["match", "random", "random", "--jobs", "-2"], "--jobs must be"),
        (["match", "random", "random", "--backend", "rya"], "did you mean 'ray'?"),
        (["arena", "random", "--jobs", "-2"], "at least two agents"),
    ],
)
def test_options_are_checked_before_a_seed_is_shown(arguments: list[str], words: str) -> None:
    """Nothing has begun."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in text_of(result.output)
    assert "seed" not in result.output


def test_a_file_of_something_else_holds_no_games(troubles: Path) -> None:
    """It is not written to."""
    path = troubles / "my_troubles.py"
    result = run("match", "random", "random", "--seed", "1", "--record", str(path))
    assert result.exit_code == 2
    assert "is not a file of records" in text_of(result.output)
    assert path.read_text("utf-8") == TROUBLES


def test_the_anchor_of_ratings_is_marked() -> None:
    """It is the agent that was named first."""
    options = ("--game", "mancala", "--deals", "1", "--seed", "1")
    result = run("arena", "random", "greedy", *options)
    assert re.search(r"random +\+0 +anchor", result.output)


def test_replay_shows_the_whole_games_of_a_file_that_is_cut_off(tmp_path: Path) -> None:
    """With a warning that says how to repair it."""
    path = tmp_path / "games.jsonl"
    options = ("--game", "mancala", "--deals", "1", "--seed", "1", "--record", str(path))
    run("match", "random", "random", *options)
    path.write_text(path.read_text("utf-8")[:-20], "utf-8")
    result = run("replay", str(path), "--json")
    assert result.exit_code == 0
    (game,) = json.loads(result.stdout)
    assert (game["offender"], game["detail"]) == (None, None)
    assert "line 2: the last line is cut off" in result.stderr
    assert "--resume" in result.stderr
