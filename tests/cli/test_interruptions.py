"""Contests that are stopped from outside at random moments, and two contests on one file."""

from __future__ import annotations

import contextlib
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from mammalath_env.arena import GameRecord, read_records
from mammalath_env.arena.record_files import LOCK_SUFFIX
from tests.processes import ROOT, finish

pytestmark = pytest.mark.skipif(os.name == "nt", reason="sends signals, and forks")

MODULE = """
import time


def slow(position):
    time.sleep(0.001)
    return position.legal_actions()[position.ply % len(position.legal_actions())]

"""
COMMAND = (sys.executable, "-m", "mammalath_env")
MATCH = (*COMMAND, "match", "--game", "mancala", "--seed", "1", "--json")
ENGINE = f"engine:{shlex.join([*COMMAND, 'engine', 'greedy', '--game', 'mancala'])}"
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a module of agents."""
    (tmp_path / "my_agents.py").write_text(MODULE, "utf-8")
    return tmp_path


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """A function that starts a command; its processes, and theirs, are killed at the end."""
    started: list[subprocess.Popen[str]] = []

    def start_one(*command: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            start_new_session=True,
            # A background job of a shell would ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
        )
        started.append(process)
        return process

    yield start_one
    for process in started:
        # What a killed process has left is still in its group.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(path: Path, size: int, process: subprocess.Popen[str]) -> None:
    """Wait until a file has `size` bytes, or the process that writes it has ended."""
    while process.poll() is None and not (path.exists() and path.stat().st_size >= size):
        time.sleep(0.001)


def by_index(path: Path) -> list[GameRecord]:
    """Return the records of a match in the order of its games; they compare without times."""
    return sorted(read_records(path), key=lambda record: record.match.index if record.match else -1)


@pytest.mark.parametrize(("jobs", "opponent"), [("1", "random"), ("2", ENGINE)])
def test_a_contest_that_is_stopped_again_and_again(
    folder: Path, start: Start, jobs: str, opponent: str, scale: Callable[[int], int]
) -> None:
    """By any signal and at any moment: resumed, it has the same games as one in a single piece."""
    moments = max(scale(10), len(SIGNALS))
    arguments = ("my_agents:slow", opponent, "--deals", str(2 * moments))
    whole, path = folder / "whole.jsonl", folder / "games.jsonl"
    finish(*MATCH, *arguments, "--record", str(whole), cwd=folder)
    draw = random.Random(int(jobs))
    # By the size of the file: times would be those of a machine.
    sizes = [0, *sorted(draw.randrange(whole.stat().st_size * 3 // 4) for _ in range(moments - 1))]
    signals = list(SIGNALS) + draw.choices(list(SIGNALS), k=moments - len(SIGNALS))
    draw.shuffle(signals)
    command = (*MATCH, *arguments, "--record", str(path), "--resume", "--jobs", jobs)
    stopped = 0
    for size, number in zip(sizes, signals, strict=True):
        process = start(*command)
        wait_for(path, size, process)
        time.sleep(draw.uniform(0, 0.02))
        process.send_signal(number)
        code = process.wait(timeout=300)
        # Before the command listens to signals, they end Python itself.
        assert code in (SIGNALS[number], -number, 0), (number, code)
        stopped += code != 0
    assert stopped > 0, "the contest was over before it could be stopped"
    finish(*command, cwd=folder)
    assert by_index(path) == by_index(whole)
    assert not path.with_name(path.name + LOCK_SUFFIX).exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_no_process_is_left_behind(
    folder: Path, start: Start, jobs: str, number: signal.Signals
) -> None:
    """Neither of engines, nor of agents of other modules, which play or wait for their move."""
    engine = f"engine:{shlex.join([*COMMAND, 'engine', 'my_agents:slow', '--game', 'mancala'])}"
    path = folder / "games.jsonl"
    options = ("--deals", "500", "--jobs", jobs, "--record", str(path))
    process = start(*MATCH, engine, "my_agents:slow", *options)
    wait_for(path, 1, process)
    family = psutil.Process(process.pid).children(recursive=True)
    assert len(family) >= 3  # an engine and an agent, each with its parent
    process.send_signal(number)
    assert process.wait(timeout=120) == SIGNALS[number]
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_two_contests_on_one_file(folder: Path, start: Start, jobs: str) -> None:
    """The second fails at once and says who is there, who after a kill is nobody."""
    path = folder / "games.jsonl"
    command = (*MATCH, "my_agents:slow", "random", "--record", str(path))
    first = start(*command, "--deals", "10000", "--jobs", jobs)
    wait_for(path, 1, first)
    assert first.poll() is None
    for more in ([], ["--resume"]):
        done = finish(*command, "--deals", "1", *more, cwd=folder, code=2)
        errors = " ".join(done.stderr.replace("│", " ").split())
        assert f"process {first.pid} on" in errors
        assert "records a contest in" in errors
        assert done.stdout == ""
    first.kill()
    first.wait()
    assert path.with_name(path.name + LOCK_SUFFIX).exists()
    finish(*command, "--deals", "1", "--resume", cwd=folder)
    assert not path.with_name(path.name + LOCK_SUFFIX).exists()
    places = [record.match.index for record in read_records(path) if record.match]
    assert len(set(places)) == len(places)
