"""``mammalath rules`` teaches every game in small pages."""

from __future__ import annotations

import re
import shutil
from typing import Any

import pytest
from typer.testing import CliRunner

from mammalath_env import GAMES, make_game
from mammalath_env.cli import app
from mammalath_env.cli.rules import all_pages


def run(*arguments: str) -> Any:
    """Run a command."""
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize("game", GAMES)
def test_all_is_printed_where_nobody_turns_pages(game: str) -> None:
    """Every lesson, with its rules and examples, in a width of 80."""
    result = run("rules", game, "--ascii")
    assert result.exit_code == 0, result.output
    assert result.output.isascii()
    assert max(map(len, result.output.splitlines())) < 80
    words = " ".join(result.output.split())
    for lesson in make_game(game).lessons():
        assert f"{lesson.title} ({', '.join(lesson.rules)})" in words
        assert " ".join(lesson.text.split()) in words
        for example in lesson.examples:
            assert example.text in words
    assert f"mammalath play --game {game}" in words
    assert "Signs: " in words
    assert not run("rules", game).output.isascii()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_page_fits_a_terminal_of_24_lines(game: str, ascii_only: bool) -> None:
    """With the line that asks for Enter below it."""
    for page in all_pages(make_game(game), 79, ascii_only):
        assert len(page.splitlines()) <= 23, page


def test_boards_show_what_the_sentences_say() -> None:
    """A line that lost and one that won, releases, a swap, and reasons for illegal moves."""
    output = run("rules", "mammalath", "--ascii").output
    assert "   [A!#] E    C" in output
    assert "   [ *#] E    C" in output
    assert " xa    D    F   xa #  F    F" in output
    assert "<A o>" in output
    assert "Black loses: black's line d3-d5 still had an armadillo on d3" in output
    assert "Black wins: three black tokens in a line on free spaces, d3-d5 (R10)." in output
    assert "A draw: black has put down the last of 18 tokens" in output
    assert "Not possible: xA: the first move must place a token (R7)." in output
    output = run("rules", "mancala", "--ascii").output
    assert re.search(r"south     0    0    0    0    0    1   store 19", output)
    assert "x2" in output
    assert ">1" in output


def test_a_narrow_terminal_gets_narrow_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are wrapped at the width of the terminal; boards stay as they are."""
    monkeypatch.setenv("COLUMNS", "50")
    assert shutil.get_terminal_size().columns == 50
    lines = run("rules", "mammalath", "--ascii").output.splitlines()
    texts = [line for line in lines if not line.startswith(("Mammalath ", "Signs", "That is"))]
    assert max(map(len, texts)) < 50


def test_unknown_games_are_refused() -> None:
    """With the nearest name."""
    result = run("rules", "mamalath")
    assert result.exit_code == 2
    assert "did you mean" in " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("width", [59, 39])
def test_pages_keep_to_narrow_terminals(game: str, width: int) -> None:
    """Titles, boards, legends and sentences."""
    pages = all_pages(make_game(game), width, True)
    assert max(len(line) for page in pages for line in page.splitlines()) <= width
    assert max(len(page.splitlines()) for page in pages) <= (23 if width > 50 else 24)
