"""The command ``mammalath engine``, in processes of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from mammalath_env import make_game
from mammalath_env.cli import app
from mammalath_env.ugi.process import EngineDiedError, EngineProcess
from tests.processes import ROOT

SECONDS = 240.0
COMMAND = [sys.executable, "-m", "mammalath_env", "engine"]


@contextmanager
def engine(*arguments: str) -> Iterator[EngineProcess]:
    """The process of an engine, which is killed at the end."""
    process = EngineProcess([*COMMAND, *arguments])
    try:
        yield process
    finally:
        process.close()


def read(process: EngineProcess) -> str:
    """Return the next line."""
    return process.read_line(time.monotonic() + SECONDS)


def test_output_is_the_protocol_alone() -> None:
    """What agents print, in any way, goes to standard error."""
    move = make_game("mancala").deal(0).legal_moves()[0]
    with engine("tests.ugi.players:loud", "--game", "mancala") as process:
        for word, answer in (("isready", "readyok"), ("go", f"bestmove {move}")):
            process.send(word)
            assert read(process) == answer
        process.send("quit")
        with pytest.raises(EngineDiedError, match="with exit code 0"):
            read(process)
        assert [f"bestmove a{number}" in process.errors for number in (1, 2, 3)] == [True] * 3


def test_errors_end_it() -> None:
    """They are told on both outputs, and the exit code is 1."""
    with engine("tests.ugi.players:failing") as process:
        process.send("go")
        assert read(process) == "info string error RuntimeError: no idea"
        with pytest.raises(EngineDiedError, match="with exit code 1") as ended:
            read(process)
        assert 'raise RuntimeError("no idea")' in ended.value.errors


def test_end_of_input_is_quit() -> None:
    """Lines end as on any system, the last one perhaps not at all."""
    completed = subprocess.run(
        [*COMMAND, "random"],
        input=b"position startpos\r\nquery gameover\r\nquery \xff\nquery p1turn",
        capture_output=True,
        timeout=SECONDS,
        cwd=ROOT,
        check=True,
    )
    lines = completed.stdout.decode().splitlines()
    assert lines[0] == "response false"
    assert lines[1].startswith("info string unknown question")
    assert lines[2] == "response true"


def test_nobody_listens() -> None:
    """It ends as after quit when its output is closed."""
    process = subprocess.Popen(
        [*COMMAND, "random"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(b"isready\n")
        process.stdin.flush()
        assert process.wait(SECONDS) == 0
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody"], "unknown agent 'nobody'"),
        (["random", "--game", "chess"], "unknown game 'chess'"),
        (["random", "-o", "swap"], "an option of a game is name=value"),
        (["neural", "--game", "mancala"], "the agent 'neural' plays mammalath"),
    ],
)
def test_mistakes(arguments: list[str], words: str) -> None:
    """They are told before anything is served."""
    result = CliRunner().invoke(app, ["engine", *arguments])
    assert result.exit_code == 2
    assert words in " ".join(result.output.replace("│", " ").split())
