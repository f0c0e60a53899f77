"""Terminal pictures of all games, shown with Mammalath where one is needed."""

from __future__ import annotations

import io
import itertools
import re
import subprocess
import sys

import pytest
from rich.text import Text

from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game
from mammalath_env.games import GAMES, make_game
from mammalath_env.rendering import PICTURES, console, picture_of, render_ansi, render_for
from tests.rendering.reading import TIMES, Ply, ascii_picture, golden, marked

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
FRAME = dict(zip("│─┌┐└┘├┤┬┴┼", "|-" + "+" * 9, strict=True))
# The ASCII character for each other one.
OF_MAMMALATH = str.maketrans({**FRAME, "●": "#", "○": "o", TIMES: "x", "★": "*"})
OF_MANCALA = str.maketrans({**FRAME, "●": "o", TIMES: "x", "»": ">"})


@pytest.fixture(params=["some_plies", "mancala_plies"], ids=["mammalath", "mancala"])
def any_plies(request: pytest.FixtureRequest) -> list[Ply]:
    """Positions of all games, with the moves that led to them."""
    found: list[Ply] = request.getfixturevalue(request.param)
    return found


def test_unicode_and_ascii_pictures_say_the_same(any_plies: list[Ply]) -> None:
    """The two pictures differ in their characters only."""
    for ply in any_plies:
        table = OF_MANCALA if ply.position.game.name == "mancala" else OF_MAMMALATH
        assert render_ansi(*ply, color=False).translate(table) == ascii_picture(ply)


def test_ascii_is_ascii_without_escapes_whatever_color_says(any_plies: list[Ply]) -> None:
    """The ASCII picture is plain."""
    for ply, color in zip(any_plies, itertools.cycle([None, True, False]), strict=False):
        picture = render_ansi(*ply, color=color, ascii_only=True)
        assert picture.isascii()
        assert picture.replace("\n", "").isprintable()


def test_colors_add_nothing_but_escapes(any_plies: list[Ply]) -> None:
    """A coloured picture is the plain one with escape codes, the last of which end each line."""
    for ply in any_plies:
        colored, plain = render_ansi(*ply, color=True), render_ansi(*ply, color=False)
        assert "\x1b" in colored
        assert "\x1b" not in plain
        assert ESCAPE.sub("", colored) == plain
        for line in colored.splitlines():
            assert ESCAPE.findall(line)[-1:] in ([], ["\x1b[0m"])


class Stream(io.StringIO):
    """Standard output that is a terminal or not."""

    def __init__(self, terminal: bool) -> None:
        """Say whether it is one."""
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return self._terminal


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize(
    ("variables", "decided"),
    [
        ({}, None),
        ({"NO_COLOR": "", "FORCE_COLOR": ""}, None),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "0"}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
)
def test_colors_are_those_that_standard_output_wants(
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    decided: bool | None,
    terminal: bool,
) -> None:
    """The environment decides if it says something, else the stream; an argument goes first.

    A pipe and a notebook, whose standard output is no terminal, get no escape codes.
    """
    for name, value in {"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm", **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", Stream(terminal))
    colored = terminal if decided is None else decided
    ply = golden(0)[5]
    assert ("\x1b" in render_ansi(*ply)) is colored
    assert ("\x1b" in render_for(Stream(terminal), *ply)) is colored
    assert "\x1b" in render_ansi(*ply, color=True)
    assert "\x1b" not in render_ansi(*ply, color=False)


def test_no_standard_output_gets_no_colors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program without a console, or one that closed its output, can still draw."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    closed = io.StringIO()
    closed.close()
    for stream in (None, closed):
        monkeypatch.setattr(sys, "stdout", stream)
        assert "\x1b" not in render_ansi(golden(0)[5].position)


@pytest.mark.parametrize("color", [True, False])
def test_the_terminal_has_no_say(monkeypatch: pytest.MonkeyPatch, color: bool) -> None:
    """The picture depends neither on the environment nor on the output."""
    ply = golden(97)[-1]
    monkeypatch.delenv("NO_COLOR", raising=False)
    pictures = {render_ansi(*ply, color=color)}
    too_long = "x" * (console.WIDTH + 1)
    for name, value in (
        ("NO_COLOR", "1"),
        ("COLUMNS", "20"),
        ("LINES", "5"),
        ("TERM", "dumb"),
        ("COLORTERM", "truecolor"),
        ("FORCE_COLOR", "1"),
        ("TTY_COMPATIBLE", "0"),
        ("PYTHONIOENCODING", "ascii"),
    ):
        monkeypatch.setenv(name, value)
        pictures.add(render_ansi(*ply, color=color))
        assert console.to_text(too_long, color=color) == too_long[:-1] + "\nx"
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    pictures.add(render_ansi(*ply, color=color))
    assert len(pictures) == 1


def test_pictures_are_pure(some_plies: list[Ply], capfd: pytest.CaptureFixture[str]) -> None:
    """The same arguments give the same picture; nothing changes or is printed."""
    for ply in some_plies[:20]:
        text, row = ply.position.to_text(), ply.position.row.tobytes()
        before = ply.previous and ply.previous.to_text()
        for color, ascii_only in ((None, True), (True, False), (False, False)):
            pictures = {render_ansi(*ply, color=color, ascii_only=ascii_only) for _ in range(2)}
            assert len(pictures) == 1
        again = ply.position.game.from_text(text)
        assert render_ansi(again, color=True) == render_ansi(ply.position, color=True)
        assert (ply.position.to_text(), ply.position.row.tobytes()) == (text, row)
        assert (ply.previous and ply.previous.to_text()) == before
    assert capfd.readouterr() == ("", "")


def test_half_of_the_last_move_is_refused() -> None:
    """The position before and the action go together."""
    position, previous, action = golden(0)[1]
    with pytest.raises(ValueError, match="previous is given, action is not"):
        render_ansi(position, previous)
    with pytest.raises(ValueError, match="action is given, previous is not"):
        render_ansi(position, action=action)


def test_action_zero_is_an_action() -> None:
    """Action 0 is not mistaken for none."""
    start = make_game("mammalath").deal(0)
    assert marked(render_ansi(start.play(0), start, 0, ascii_only=True), 0, "[") == {"a1"}
    with pytest.raises(ValueError, match="previous is not"):
        render_ansi(start.play(0), action=0)


@pytest.mark.parametrize(
    "other",
    [make_game("mammalath_plus"), make_game("mammalath", swap_rule=False)],
    ids=["size", "option"],
)
def test_last_move_of_another_game_is_refused(other: Game) -> None:
    """The position before must be of the same game and options."""
    position = make_game("mammalath").deal(0).play(0)
    with pytest.raises(ValueError, match="another game"):
        render_ansi(position, other.deal(0), 0)


def test_last_move_that_leads_elsewhere_is_refused() -> None:
    """The action must lead to the position."""
    position, previous, action = golden(0)[1]
    assert previous is not None
    assert action is not None
    with pytest.raises(ValueError, match=r"a1 \(action 0\) leads from"):
        render_ansi(position, previous, 0)
    with pytest.raises(IllegalMoveError):
        render_ansi(position, previous, 122)
    with pytest.raises(TypeError, match="integer"):
        render_ansi(position, previous, "a4")  # type: ignore[arg-type]


def test_every_game_has_a_picture(game: Game) -> None:
    """No game lacks an entry in the table of pictures."""
    position = game.deal(0)
    assert callable(picture_of(game))
    assert render_ansi(position, ascii_only=True)
    action = position.legal_actions()[0]
    assert render_ansi(position.play(action), position, action, ascii_only=True).isascii()


def test_every_picture_belongs_to_a_game() -> None:
    """The table of pictures has no name that is not a game."""
    assert set(PICTURES) <= set(GAMES)


def test_unknown_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the games with a picture."""
    position = make_game("mammalath").deal(0)
    monkeypatch.delitem(PICTURES, "mammalath")
    with pytest.raises(ValueError, match=r"unknown picture 'mammalath': .*'mammalath_plus'"):
        render_ansi(position)


@pytest.mark.parametrize("color", [True, False])
def test_console_takes_text_as_it_is(color: bool) -> None:
    """Brackets, emoji names and numbers in a text are no markup."""
    assert console.to_text("[bold]a[/] :smile: 12", color=color) == "[bold]a[/] :smile: 12"
    styled = console.to_text(Text("a", "bold red"), color=color)
    assert styled == ("\x1b[1;31ma\x1b[0m" if color else "a")


def test_rich_is_loaded_by_the_first_picture_only() -> None:
    """Importing the package costs no drawing library."""
    program = (
        "import sys; from mammalath_env import make_game, rendering; "
        "assert 'rich' not in sys.modules; "
        "rendering.render_ansi(make_game('mammalath').deal(0)); "
        "assert 'rich' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
