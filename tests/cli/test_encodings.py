"""Commands whose output is not in UTF-8."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mammalath_env.arena import read_records
from tests.processes import ROOT, finish

ENCODINGS = ["ascii", "latin-1", "cp1252", "cp437"]
NAME = "山田 Åsa ●"


def output(encoding: str, *arguments: str, code: int = 0, typed: str = "", cwd: Path = ROOT) -> str:
    """Return what a command prints in an encoding; it must not fail."""
    completed = subprocess.run(
        [sys.executable, "-m", "mammalath_env", *arguments],
        cwd=cwd,
        env={
            **environment(),
            "PYTHONPATH": str(ROOT),
            "PYTHONIOENCODING": encoding,
            "PYTHONUTF8": "0",
        },
        input=typed.encode(),
        capture_output=True,
        timeout=300,
        check=False,
    )
    everything = completed.stdout.decode(encoding) + completed.stderr.decode(encoding)
    assert completed.returncode == code, everything
    assert "Traceback" not in everything
    return completed.stdout.decode(encoding)


def environment() -> dict[str, str]:
    """Return the variables of this process without those that decide about colours."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")
    }


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a game of players with foreign names."""
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    arguments = ("random", "random", "--deals", "1", "--seed", "1", "--record", str(path))
    finish(sys.executable, "-m", "mammalath_env", "match", *arguments, "--json")
    fields = json.loads(path.read_text("utf-8").splitlines()[0])
    fields["players"] = [NAME, "b"]
    path.write_text(json.dumps(fields) + "\n", "utf-8")
    assert read_records(path)[0].players[0] == NAME
    return path


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_boards_are_drawn_in_ascii(encoding: str, records: Path) -> None:
    """Where the encoding lacks characters of a board, it is drawn without them."""
    shown = output(encoding, "show", "--game", "mammalath_plus", "--seed", "1")
    assert shown == output(encoding, "show", "--game", "mammalath_plus", "--seed", "1", "--ascii")
    assert "+-----+" in shown
    assert "+--------+" in output(encoding, "show", "--game", "mancala", "--seed", "1")
    watched = output(encoding, "watch", "random", "random", "--seed", "1")
    assert "+-----+" in watched
    assert "won" in watched
    played = output(encoding, "play", "random", "--seed", "1", typed="resign\n")
    assert "+-----+" in played
    replayed = output(encoding, "replay", str(records))
    assert "+-----+" in replayed
    expected = {"ascii": "?? ?sa o", "cp437": "?? Åsa o"}.get(encoding, "?? Åsa o")
    assert f"Game 1, Mammalath: {expected} against b" in replayed


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_foreign_names_in_tables(encoding: str, tmp_path: Path) -> None:
    """Names of agents in the table of a match are printed with `?` for what cannot be written."""
    (tmp_path / "foreign.py").write_text(
        "class Agent:\n"
        "    def __init__(self, seed=None, name=''):\n        pass\n"
        "    def act(self, position):\n        return position.legal_actions()[0]\n",
        "utf-8",
    )
    agent = "foreign:Agent:name=\u5c71"
    text = output(encoding, "puzzles", agent, cwd=tmp_path)
    assert "name=?" in text
    assert "+-" in text


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_tables_and_errors_are_in_ascii(encoding: str, tmp_path: Path) -> None:
    """Lines of tables and frames of messages fail in no encoding, nor do foreign names."""
    assert "mancala" in output(encoding, "games")
    output(encoding, "match", NAME, "random", code=2)
    output(encoding, "show", NAME, code=2)
    output(encoding, "replay", str(tmp_path / NAME), code=2)
    output(encoding, "--help")


def test_utf_8_is_drawn_as_ever() -> None:
    """A pipe in UTF-8 gets lines and discs."""
    assert "┌─────┬" in output("utf-8", "show", "--seed", "1")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("mode", ["human", "ansi"])
def test_render_modes_give_what_can_be_encoded(encoding: str, mode: str) -> None:
    """An environment that prints its boards, or whose boards are printed, does not fail."""
    code = (
        "from mammalath_env import mammalath_v0\n"
        f"env = mammalath_v0.env(render_mode='{mode}')\n"
        "env.reset(seed=1)\n"
        "env.step(3)\n"
    )
    if mode == "ansi":
        code += "print(env.render())\n"
    completed = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**environment(), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.decode(encoding).count("\n  +-----+") == (14 if mode == "human" else 7)
