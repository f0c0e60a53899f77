"""The commands about positions, contests and records."""

from __future__ import annotations

import json
import os
import pty
import select
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mammalath_env import GAMES, make_game
from mammalath_env.arena import read_records
from mammalath_env.cli import app

WIN_IN_TWO = "B2A1F/C4C/3F1C/B4A/F5/A5 b3w1/4b1/1w4/bb3w/3bww/b1b3 w 20"


def run(*arguments: str, typed: str | None = None) -> Any:
    """Run a command with what a person types."""
    return CliRunner().invoke(app, list(arguments), input=typed)


def text_of(result: Any) -> str:
    """Return all output in one line, without the frames that errors are drawn in."""
    return " ".join(result.output.replace("│", " ").split())


def test_show() -> None:
    """A position is drawn and its moves listed, as text and as JSON."""
    result = run("show", WIN_IN_TWO, "--ascii")
    assert result.exit_code == 0
    assert "31 legal moves: " in result.output
    assert "White to move" in result.output
    shown = json.loads(run("show", *WIN_IN_TWO.split(), "--json").output)
    position = make_game("mammalath").from_text(WIN_IN_TWO)
    assert shown["position"] == WIN_IN_TWO
    assert shown["to_move"] == 1
    assert len(shown["moves"]) == len(position.legal_actions())
    assert shown["outcome"] is None


def test_solve() -> None:
    """A proven win has a line, and what is unknown exit code 1."""
    result = run("solve", WIN_IN_TWO)
    assert result.exit_code == 0
    assert result.output.startswith("win for white in 3 plies: ")
    solution = json.loads(run("solve", WIN_IN_TWO, "--json").output)
    assert solution["verdict"] == "win"
    assert len(solution["line"]) == solution["plies"] == 3
    start = make_game("mammalath").deal(1).to_text()
    result = run("solve", start, "--nodes", "50")
    assert result.exit_code == 1
    assert "unknown after" in result.output


def test_perft_and_games() -> None:
    """Counts are those of the golden file; every game is listed."""
    assert run("perft", WIN_IN_TWO, "--depth", "3").output.split() == [
        "1",
        "31",
        "2",
        "831",
        "3",
        "19760",
    ]
    assert json.loads(run("perft", WIN_IN_TWO, "--json").output) == [31, 831]
    listed = json.loads(run("games", "--json").output)
    assert [entry["name"] for entry in listed] == list(GAMES)
    assert "Mancala" in run("games").output


def test_options_of_games() -> None:
    """Options are read as what they look like."""
    text = "4,4,4,4,4,4/4,4,4,4,4,4 0-0 s 0 0"
    result = run("show", text, "--game", "mancala", "-o", "capture=chain", "-o", "reward=seeds")
    assert result.exit_code == 0
    result = run("show", text, "--game", "mancala", "-o", "no_capture_limit=0")
    assert result.exit_code == 2
    assert "no_capture_limit must be from 1 to 127" in text_of(result)


def test_play_to_a_record(tmp_path: Path) -> None:
    """A person plays, asks, takes back, resigns; the game is saved and read back."""
    path = tmp_path / "games.jsonl"
    typed = "help\nmoves\nhint\nposition\nnonsense\na1 b2\nundo\nc3\nundo\nd4\nresign\n"
    result = run(
        "play", "random", "--seed", "3", "--seat", "first", "--save", str(path), typed=typed
    )
    assert result.exit_code == 0, result.output
    for words in (
        "take back your last move",
        "try ",
        "'nonsense' is not a move of Mammalath",
        "no move and no command",
        "there is no move of yours to take back",
        "You resigned: random wins.",
        f"saved to {path}",
    ):
        assert words in result.output, words
    (record,) = read_records(path)
    assert record.moves[0] == "d4"
    assert record.reason == "resigned"
    assert set(record.players) == {"person", "random"}
    result = run("replay", str(path), "--ascii")
    assert result.exit_code == 0
    assert "won: resigned" in result.output
    assert result.output.count("Mammalath   ply") == len(record.moves) + 1
    replayed = json.loads(run("replay", str(path), "--json").output)
    assert replayed[0]["moves"] == list(record.moves)


def test_play_ends_without_input() -> None:
    """A closed input gives up."""
    result = run("play", "random", "--seed", "3", "--seat", "first", typed="")
    assert result.exit_code == 0
    assert "You resigned" in result.output


@pytest.mark.parametrize("game", GAMES)
def test_play_every_game(game: str) -> None:
    """A game against an agent can be begun and given up in every game."""
    result = run(
        "play", "greedy", "--game", game, "--seed", "5", "--seat", "second", typed="resign\n"
    )
    assert result.exit_code == 0
    assert "You are" in result.output


def test_match_and_resume(tmp_path: Path) -> None:
    """A match prints its result, records its games, and goes on where it was stopped."""
    path = tmp_path / "match.jsonl"
    arguments = ("match", "greedy", "random", "--deals", "2", "--seed", "1", "--record", str(path))
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    whole = json.loads(result.stdout)
    assert len(read_records(path)) == 4
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:2]), "utf-8")
    again = json.loads(run(*arguments, "--json", "--resume").stdout)
    assert again == whole
    assert run(*arguments).exit_code == 2
    resumed = run("match", "greedy", "random", "--resume", "--record", str(path))
    assert "--resume needs the --seed" in text_of(resumed)
    assert "--resume needs --record" in text_of(run("match", "greedy", "random", "--resume"))


def test_arena() -> None:
    """Ratings come with the results of all pairs."""
    result = run("arena", "random", "greedy", "--deals", "2", "--seed", "1", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [rating["name"] for rating in found["ratings"]] == ["greedy", "random"]
    result = run("arena", "random", "greedy", "--deals", "1", "--seed", "1")
    assert "Elo" in result.output


def test_bench() -> None:
    """Something was measured."""
    result = run("bench", "--lanes", "16", "--seconds", "0.01", "--json")
    assert result.exit_code == 0
    assert json.loads(result.output)["steps_per_s"] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "x"], "expected four fields"),
        (["show", WIN_IN_TWO, "--game", "chess"], "unknown game 'chess'"),
        (["show", WIN_IN_TWO, "-o", "swap_rule"], "name=value"),
        (["show", WIN_IN_TWO, "-o", "colour=1"], "unknown option of mammalath 'colour'"),
        (["perft", WIN_IN_TWO, "--depth", "0"], "depth"),
        (["play", "nobody"], "unknown agent 'nobody'"),
        (["play", "mcts:simulations=0"], "simulations must be at least 1"),
        (["play", "random", "--seat", "third"], "unknown seat 'third'"),
        (["match", "random", "greedy:depth=3"], "unknown option 'depth'"),
        (["match", "random", "greedy", "--deals", "0"], "deals"),
        (["match", "random", "greedy", "--backend", "carrier"], "carrier"),
        (["arena", "random"], "two agents"),
        (["replay", "/nonexistent/file"], "No such file"),
    ],
)
def test_mistakes(arguments: list[str], words: str) -> None:
    """Exit code 2 and a message that says what was wrong."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert words in text_of(result)


def test_unreadable_records(tmp_path: Path) -> None:
    """The message names the line."""
    path = tmp_path / "bad.jsonl"
    path.write_text("{not json\n", "utf-8")
    result = run("replay", str(path))
    assert result.exit_code == 2
    assert "line 1" in text_of(result)
    path.write_text("", "utf-8")
    assert "holds no games" in text_of(run("replay", str(path)))


def test_a_real_terminal() -> None:
    """In a pseudo-terminal the board has colours, and a game can be played."""
    child, terminal = pty.fork()
    if child == 0:
        environment = {**os.environ, "TERM": "xterm-256color"}
        environment.pop("NO_COLOR", None)
        command = ["-m", "mammalath_env", "play", "random", "--seed", "3", "--seat", "first"]
        os.execve(sys.executable, [sys.executable, *command], environment)
    shown = ""
    typed = ["c3\n", "resign\n"]
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 1)
        if not ready:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data.decode("utf-8", "replace")
        if typed and shown.rstrip().endswith(">"):
            os.write(terminal, typed.pop(0).encode())
            shown += "\n"
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, shown
    assert "\x1b[" in shown
    assert "Last move" in shown
    assert "You resigned" in shown
