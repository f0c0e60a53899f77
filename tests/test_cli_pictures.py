"""Pictures and pages that commands write."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from mammalath_env import GAMES, make_game
from mammalath_env.arena import GameRecord, write_record
from mammalath_env.cli import app
from mammalath_env.rendering import render_rgb, render_svg

WIN_IN_TWO = "B2A1F/C4C/3F1C/B4A/F5/A5 b3w1/4b1/1w4/bb3w/3bww/b1b3 w 20"


def run(*arguments: str) -> Any:
    """Run a command."""
    return CliRunner().invoke(app, list(arguments))


def record(name: str, seed: int) -> GameRecord:
    """Return a random game."""
    rng = random.Random(seed)
    position = make_game(name).deal(seed)
    start, moves = position.to_text(), []
    while not position.is_over:
        action = rng.choice(position.legal_actions())
        moves.append(position.game.format_move(action, position))
        position = position.play(action)
    outcome = position.outcome
    assert outcome is not None
    return GameRecord(
        game=position.game,
        start=start,
        moves=tuple(moves),
        players=("<b>one</b>", "two"),
        winner=outcome.winner,
        reason=outcome.termination.label,
    )


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A file of records with a game of each kind."""
    path = tmp_path / "games.jsonl"
    for seed, name in enumerate(GAMES):
        write_record(path, record(name, seed))
    return path


def test_show_writes_pictures(tmp_path: Path) -> None:
    """The files hold what the functions return, and the terminal says where they are."""
    png, svg = tmp_path / "board.png", tmp_path / "board.svg"
    result = run("show", WIN_IN_TWO, "--png", str(png), "--svg", str(svg), "--size", "200")
    assert result.exit_code == 0, result.output
    assert result.output == f"wrote {png}\nwrote {svg}\n"
    position = make_game("mammalath").from_text(WIN_IN_TWO)
    with Image.open(png) as image:
        assert image.format == "PNG"
        assert (np.array(image) == render_rgb(position, size=200)).all()
    assert svg.read_text("utf-8") == render_svg(position, size=200)
    result = run("show", WIN_IN_TWO, "--svg", str(svg), "--legal-moves")
    assert result.exit_code == 0, result.output
    assert svg.read_text("utf-8") == render_svg(position, size=480, legal_moves=True)


def test_replay_writes_a_page(games: Path, tmp_path: Path) -> None:
    """All games of the file, or the one that was chosen, with what the records say."""
    page = tmp_path / "games.html"
    result = run("replay", str(games), "--html", str(page))
    assert result.exit_code == 0, result.output
    assert result.output == f"wrote {page}\n"
    text = page.read_text("utf-8")
    assert text.count('"movers":') == len(GAMES)
    assert "<b>one" not in text
    assert "\\u003cb\\u003eone" in text
    result = run("replay", str(games), "--html", str(page), "--game", "2")
    assert result.exit_code == 0, result.output
    assert page.read_text("utf-8").count('"movers":') == 1
    assert '"title":"Mammalath Plus"' in page.read_text("utf-8")


def test_replay_writes_an_animation(games: Path, tmp_path: Path) -> None:
    """One game, a frame a position, as slow as was asked."""
    gif = tmp_path / "game.gif"
    arguments = ("replay", str(games), "--gif", str(gif))
    result = run(*arguments, "--game", "1", "--size", "96", "--delay", "0.25")
    assert result.exit_code == 0, result.output
    assert result.output == f"wrote {gif}\n"
    with Image.open(gif) as image:
        assert getattr(image, "n_frames", 1) == len(record("mammalath", 0).moves) + 1
        assert image.size == (96, 96)
        assert image.info["duration"] == 250
    result = run(*arguments)
    assert result.exit_code == 2
    assert "choose one of 3 with --game" in " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", WIN_IN_TWO, "--png", "/nonexistent/folder/board.png"],
        ["show", WIN_IN_TWO, "--svg", "/nonexistent/folder/board.svg"],
        ["show", WIN_IN_TWO, "--png", "board.png", "--size", "63"],
    ],
)
def test_pictures_that_cannot_be_written_end_with_a_message(arguments: list[str]) -> None:
    """A missing folder or a size too small gives exit code 2 and no traceback."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Error" in result.output
    assert "Traceback" not in result.output


def test_outputs_are_called_as_their_format_and_never_the_input(games: Path) -> None:
    """A wrong name is refused before anything is read or written."""
    before = games.read_bytes()
    for arguments in (
        ("replay", str(games), "--html", str(games)),
        ("replay", str(games), "--gif", str(games.with_suffix(".png"))),
        ("show", "--png", str(games.with_suffix(".jpg"))),
        ("show", "--svg", "-"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "must end in" in " ".join(result.output.split())
    page = games.with_suffix(".html")
    games.rename(page)
    result = run("replay", str(page), "--html", str(page))
    assert result.exit_code == 2
    assert page.read_bytes() == before


def test_show_deals_where_no_position_is_given() -> None:
    """The same seed gives the same deal, and its text can be given back."""
    first, second = (run("show", "--seed", "7").output for _ in range(2))
    assert first == second
    text = make_game("mammalath").deal(7).to_text()
    assert text in first.splitlines()
    assert run("show", text).output == first
