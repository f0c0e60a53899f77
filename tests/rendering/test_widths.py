"""Terminal pictures in little room, and for streams that cannot show everything."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len

from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.games import make_game
from mammalath_env.rendering import console, render_ansi, render_for
from tests.rendering.reading import Ply, golden, sample

WIDTHS = (*range(20, 81), 100, 200)
LEAST_BOARDS = {"mammalath": 26, "mammalath_plus": 34, "mancala": 31}
"""The width from which on there is a board."""


def holes(position: Position) -> list[int]:
    """Return the seeds of the holes in the order of their letters."""
    return [int(number) for number in re.split("[,/]", position.to_text().split()[0])]


def pieces(ply: Ply, picture: str) -> None:
    """Check that the picture in ASCII has all pieces of the position where they stand."""
    position = ply.position
    lines = picture.splitlines()
    if position.game.name == "mancala":
        found = (re.findall(r"\|[ \[]([ \d]\d)", line) for line in lines)
        rows = [[int(seeds) for seeds in row] for row in found if len(row) == 6]
        assert rows == [holes(position)[:5:-1], holes(position)[:6]]
        return
    animals, tokens = (
        re.sub(r"\d", lambda run: " " * int(run[0]), field).split("/")
        for field in position.to_text().split()[:2]
    )
    rows_of_text = [line for line in lines if re.match(r"\d ", line)]
    assert len(rows_of_text) == len(animals)
    for row, line in enumerate(rows_of_text):
        cells = line[3:].split("|") if "|" in line else re.findall(".{4}", f"{line[2:]:40}")
        for col, cell in enumerate(cells[: len(animals)]):
            letter = cell[1] if cell[1].isupper() else " "
            assert letter == animals[row][col]
            assert cell[3:4].strip() == tokens[row][col].replace("b", "#").replace("w", "o").strip()


@pytest.fixture(params=["mammalath", "mancala"])
def plies(request: pytest.FixtureRequest) -> list[Ply]:
    """Some positions with the moves that led to them, and all kinds of marks."""
    if request.param == "mammalath":
        return list(sample())[::9]
    game = make_game("mancala")
    position, found = game.deal(1), []
    while not position.is_over:
        action = position.legal_actions()[-1]
        after = position.play(action)
        found.append(Ply(after, position, action))
        position = after
    return [*found[:12], found[-1]]


def test_no_line_is_wider_than_the_terminal(plies: list[Ply]) -> None:
    """At every width each line fits, colours or not, and the board shows all pieces."""
    for ply in plies:
        for width in WIDTHS:
            picture = render_ansi(*ply, color=False, width=width)
            assert max(map(cell_len, picture.splitlines())) <= min(width, 79)
            assert all(line == line.rstrip(" ") for line in picture.splitlines())
            name = ply.position.game.name
            plain = render_ansi(*ply, ascii_only=True, width=width)
            assert plain.isascii()
            if width >= LEAST_BOARDS[name]:
                pieces(ply, plain)
            else:
                # The text of the position stands for the board.
                text = "".join(ply.position.to_text().split())
                assert text in "".join(plain.split())
            assert str(ply.position.ply) in plain
            assert ply.previous is not None or "Last move: -" in plain


def test_a_line_of_facts_follows_the_board(game: Game) -> None:
    """Whose turn it is, and how many pieces are left, are said at all widths with a board."""
    position = game.deal(3)
    for width in range(LEAST_BOARDS[game.name], 80):
        words = " ".join(render_ansi(position, ascii_only=True, width=width).split())
        assert "to move" in words
        if game.name == "mancala":
            assert words.count("25 to win") == 2
        elif "Tokens left" not in words:
            assert re.search(rf"# {game.config.num_tokens}\b", words)  # type: ignore[attr-defined]
            assert "A " in words


@pytest.mark.parametrize(
    ("name", "beside", "whole"),
    [("mammalath", 61, 39), ("mammalath_plus", 77, 51), ("mancala", 79, 55)],
)
def test_steps_are_those_of_the_documentation(name: str, beside: int, whole: int) -> None:
    """The facts stand at the right, then below, then the board is smaller, then there is none."""
    position = make_game(name).deal(1)
    position = position.play(position.legal_actions()[0])
    shapes = []
    for width in range(20, 80):
        picture = render_ansi(position, ascii_only=True, width=width)
        if name == "mancala":
            full, right = "+--------+" in picture, "25 to win |" in picture
            board = "+----+" in picture
        else:
            full, right = "+-----+" in picture, "Tokens left" in picture
            board = picture.startswith("   a   b")
        shapes.append(3 if right else 2 if full else 1 if board else 0)
    assert shapes == sorted(shapes)
    starts = [20 + shapes.index(shape) for shape in (1, 2, 3)]
    assert starts[:2] == [LEAST_BOARDS[name], whole]
    assert abs(starts[2] - beside) <= 1


def test_what_fits_needs_no_scrolling(game: Game) -> None:
    """In 80 columns and 24 lines there is the whole picture, as without a width."""
    position = game.deal(1)
    picture = render_ansi(position, color=False, width=79)
    assert picture == render_ansi(position, color=False)
    assert len(picture.splitlines()) <= 22


def test_marks_survive_in_little_room() -> None:
    """A narrow board marks the last move and the line that ended the game."""
    won, lost = golden(101)[-1], golden(0)[-1]
    for width in (34, 45, 60):
        assert render_ansi(*lost, ascii_only=True, width=width).count("!") >= 3
        assert render_ansi(*won, ascii_only=True, width=width).count("*") >= 3
        board = render_ansi(*won, ascii_only=True, width=width).splitlines()
        assert any(re.search(r"^\d.*\[[A-Z ]", line) for line in board)


@pytest.mark.parametrize("width", [0, 19, -1])
def test_too_narrow_is_refused(width: int) -> None:
    """The least width is part of the message."""
    with pytest.raises(ValueError, match="width must be at least 20"):
        render_ansi(make_game("mammalath").deal(0), width=width)
    with pytest.raises(TypeError, match="width must be an integer"):
        render_ansi(make_game("mammalath").deal(0), width=60.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(("columns", "width"), [("81", 79), ("80", 79), ("61", 60), ("3", 20)])
def test_columns_decide_about_the_width(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    """The variable `COLUMNS` counts, less one column; without it a pipe has the usual width."""
    position = make_game("mammalath_plus").deal(1)
    stream = io.StringIO()
    monkeypatch.setenv("COLUMNS", columns)
    assert console.width_of(stream) == width
    assert render_for(stream, position) == render_ansi(position, color=False, width=width)
    monkeypatch.delenv("COLUMNS")
    assert console.width_of(stream) == 79


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437", "utf-8", "unknown"])
def test_a_stream_gets_what_it_can_encode(game: Game, encoding: str) -> None:
    """A picture is in ASCII unless each of its characters can be written."""

    class Named(io.StringIO):
        encoding = ""

    stream = Named()
    stream.encoding = encoding
    position = game.deal(1)
    picture = render_for(stream, position)
    ascii_only = encoding != "utf-8"
    assert picture == render_ansi(position, color=False, ascii_only=ascii_only)
