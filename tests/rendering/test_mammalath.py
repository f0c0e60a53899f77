"""The terminal picture of Mammalath and Mammalath Plus."""

from __future__ import annotations

import re

import pytest

from mammalath_env.games import make_game
from mammalath_env.rendering import render_ansi
from mammalath_env.rendering.mammalath import draw
from tests.rendering.reading import (
    TIMES,
    Ply,
    ascii_picture,
    expected_spaces,
    facts,
    golden,
    marked,
    spaces,
)

# Columns differ from rows everywhere, so that a picture drawn by columns cannot pass.
ASYMMETRIC = "DCFBDF/1BCFCB/C3F1/1B4/F1D3/B1D1CC 6/6/5b/1w4/6/1b1w2 w 8"

RELEASED_TYPE = """\
     a     b     c     d     e     f      Mammalath   ply 10
  +-----+-----+-----+-----+-----+-----+   Last move: white xF
1 |xf   | B   | E   |     |     |     |    #  Black to move
  +-----+-----+-----+-----+-----+-----+
2 |     | D   | C   | A o |     |xf   |   Tokens left
  +-----+-----+-----+-----+-----+-----+    #  black        16
3 |     |     | A   | E   |     |xf   |    o  white        15
  +-----+-----+-----+-----+-----+-----+   Animals left
4 | C # |     |     | C   |   # | C   |    A  armadillo     4
  +-----+-----+-----+-----+-----+-----+    B  badger        4
5 | E o | A   |     | D   |xf   | E   |    C  cougar        5
  +-----+-----+-----+-----+-----+-----+    D  deer          3
6 | B   | C   | D   | B   | A   | B o |    E  elephant      4
  +-----+-----+-----+-----+-----+-----+    F  fox           0
[] placed   <> swapped   xa released   * winning line   ! losing line
"""

LOST = """\
     a     b     c     d     e     f      Mammalath   ply 18
  +-----+-----+-----+-----+-----+-----+   Last move: white c3
1 |   # | B   | E   |     |     |     |    #  Black won
  +-----+-----+-----+-----+-----+-----+       animals captured
2 |     |   # | C   | A!o |     |     |   Tokens left
  +-----+-----+-----+-----+-----+-----+    #  black        13
3 |     |   o |[ !o]| E   |     |     |    o  white        11
  +-----+-----+-----+-----+-----+-----+   Animals left
4 | C # |  !o |     |   o |   # | C # |    A  armadillo     3
  +-----+-----+-----+-----+-----+-----+    B  badger        4
5 | E!o | A   |     | D   |     | E   |    C  cougar        4
  +-----+-----+-----+-----+-----+-----+    D  deer          2
6 | B   | C   | D   | B   | A   | B o |    E  elephant      4
  +-----+-----+-----+-----+-----+-----+    F  fox           0
[] placed   <> swapped   xa released   * winning line   ! losing line
"""

WON_BY_SQUARE = """\
     a     b     c     d     e     f     g     h      Mammalath Plus   ply 33
  +-----+-----+-----+-----+-----+-----+-----+-----+   Last move: white b6
1 | E # | F   |     | D # |   # | A # |     |   # |    o  White won
  +-----+-----+-----+-----+-----+-----+-----+-----+       empty line
2 |     |     |     |     |     |     |     |     |   Tokens left
  +-----+-----+-----+-----+-----+-----+-----+-----+    #  black        22
3 |   o |     |     | E   |     |   # |     | E # |    o  white        22
  +-----+-----+-----+-----+-----+-----+-----+-----+   Animals left
4 |     | A   |     | G o | H   |     |     |     |    A  armadillo     4
  +-----+-----+-----+-----+-----+-----+-----+-----+    B  badger        2
5 |     | A # | B   |     |     |     |     |     |    C  cougar        0
  +-----+-----+-----+-----+-----+-----+-----+-----+    D  deer          2
6 |  *o |[ *o]|     |     | B   | G   | G o | D o |    E  elephant      3
  +-----+-----+-----+-----+-----+-----+-----+-----+    F  fox           2
7 |  *o |  *o |     |     | F   |     |     | H   |    G  giraffe       3
  +-----+-----+-----+-----+-----+-----+-----+-----+    H  hippopotamus  2
8 |     |   # |     |     |     |   # |   o | A o |
  +-----+-----+-----+-----+-----+-----+-----+-----+
[] placed   <> swapped   xa released   * winning line   ! losing line
"""


@pytest.mark.parametrize(
    ("number", "ply", "picture"),
    [(0, 10, RELEASED_TYPE), (0, 18, LOST), (101, 33, WON_BY_SQUARE)],
    ids=["released type", "lost", "won by square"],
)
def test_whole_pictures_of_mammalath_are_fixed(number: int, ply: int, picture: str) -> None:
    """Three whole pictures are compared with stored ones."""
    assert ascii_picture(golden(number)[ply]) + "\n" == picture


def test_known_spaces_are_where_the_text_says() -> None:
    """Check corners and mirrored pairs of spaces of an asymmetric position."""
    position = make_game("mammalath").from_text(ASYMMETRIC)
    found = spaces(render_ansi(position, ascii_only=True))
    assert len(found) == 36
    assert (found["a1"], found["f1"], found["a6"]) == (" D   ", " F   ", " B   ")
    assert (found["b1"], found["a2"]) == (" C   ", "     ")
    assert (found["f3"], found["c6"]) == ("   # ", " D   ")
    assert (found["b4"], found["d2"]) == (" B o ", " F   ")
    assert (found["b6"], found["f2"]) == ("   # ", " B   ")


def test_first_row_is_at_the_top_and_first_column_at_the_left() -> None:
    """Check the names at the sides, and that each stands at its spaces."""
    lines = render_ansi(make_game("mammalath_plus").deal(1), ascii_only=True).splitlines()
    assert lines[0].split()[:8] == list("abcdefgh")
    assert [line[0] for line in lines[2:18:2]] == list("12345678")
    # The letter of a column stands above its spaces.
    assert [lines[0].index(letter) for letter in "abcdefgh"] == list(range(5, 53, 6))
    assert lines[1].startswith("  +-----+-----+")


def test_every_space_of_many_positions(some_plies: list[Ply]) -> None:
    """Check every space against the text of the position."""
    for position, *_ in some_plies:
        found = spaces(render_ansi(position, ascii_only=True))
        # Without the move before, only a finished line is marked, in the middle of the spaces.
        assert {name: cell[:2] + " " + cell[3:] for name, cell in found.items()} == (
            expected_spaces(position)
        )


@pytest.mark.parametrize("player", [0, 1])
def test_tokens_and_animals_are_seen_together(player: int) -> None:
    """A token does not hide the animal below it, whoever owns it."""
    position = make_game("mammalath").deal(3, first_player=player)
    letter = position.to_text()[0]
    after = position.play(0)
    assert spaces(render_ansi(after, ascii_only=True))["a1"] == f" {letter} {'#o'[player]} "
    assert f" {letter} {'●○'[player]} " in render_ansi(after, color=False)


def test_pictures_of_mammalath_fit_a_terminal(some_plies: list[Ply]) -> None:
    """Pictures fit 80 columns and 24 lines."""
    for ply in some_plies:
        size = ply.position.game.observation_shape[0]
        for picture in (ascii_picture(ply), render_ansi(*ply, color=False)):
            lines = picture.split("\n")
            assert len(lines) == 2 * size + 3
            assert all(len(line) <= 79 and line == line.rstrip() for line in lines)
            assert len({len(line[: 6 * size + 3].rstrip()) for line in lines[1:-1]}) == 1


def test_every_type_has_a_tile_of_its_own_color() -> None:
    """No two types share a colour, and all set letter and background."""
    picture = render_ansi(make_game("mammalath_plus").deal(0), color=True)
    tiles = {
        letter: set(re.findall(rf"\x1b\[1;38;5;(\d+);48;5;(\d+)m {letter} ", picture))
        for letter in "ABCDEFGH"
    }
    assert all(len(colors) == 1 for colors in tiles.values()), tiles
    assert len({background for ((_, background),) in tiles.values()}) == 8
    # Black and white of the palette: neither is lost on a dark or a light terminal.
    assert tiles["H"] == {("231", "16")}
    assert tiles["G"] == {("16", "231")}


def test_placement_is_marked() -> None:
    """Brackets stand around the space just filled, and nowhere else."""
    ply = golden(0)[3]
    picture = ascii_picture(ply)
    assert spaces(picture)["e4"] == "[E #]"
    assert marked(picture, 0, "[") == marked(picture, 4, "]") == {"e4"}
    assert not marked(picture, 0, "x") | marked(picture, 0, "<")
    assert "Last move: black e4" in facts(picture)


def test_released_type_is_marked_where_it_stood() -> None:
    """Every released animal of a type leaves a mark (R5)."""
    ply = golden(0)[10]
    assert ply.previous is not None
    before = {name for name, cell in expected_spaces(ply.previous).items() if cell[1] == "F"}
    picture = ascii_picture(ply)
    assert marked(picture, 0, "x") == marked(picture, 1, "f") == before
    assert len(before) == 4
    assert not marked(picture, 0, "[")
    assert "Last move: white xF" in facts(picture)


def test_released_line_is_marked_with_the_animals_that_left() -> None:
    """A released line leaves marks (R6)."""
    picture = ascii_picture(golden(0)[2])
    found = spaces(picture)
    assert marked(picture, 0, "x") == {"a2", "b3", "c4"}
    assert (found["a2"], found["b3"], found["c4"]) == ("xd   ", "xb   ", "xd   ")
    assert "Last move: white xa2-c4" in facts(picture)


def test_released_square_is_marked_and_its_tokens_stay() -> None:
    """A released square leaves marks beside tokens (R15)."""
    game = make_game("mammalath_plus")
    before = game.deal(5, first_player=0).play("c2")
    action = game.parse_move("xb2-c3", before)
    picture = ascii_picture(Ply(before.play(action), before, action))
    assert marked(picture, 0, "x") == {"b2", "c2", "b3", "c3"}
    old = expected_spaces(before)["c2"]
    assert spaces(picture)["c2"] == f"x{old[1].lower()} # "


def test_swap_is_marked() -> None:
    """The swapped token is marked and has its new colour (R8)."""
    start, first, swap, *_ = golden(93)
    assert first.action is not None
    name = start.position.move_text(first.action)
    picture = ascii_picture(swap)
    mover = "#o"[1 - start.position.to_move]
    assert marked(picture, 0, "<") == marked(picture, 4, ">") == {name}
    assert spaces(picture)[name][3] == mover
    assert re.search(r"Last move: (black|white) swap$", facts(picture)[1])


def test_a_board_alone_marks_no_move() -> None:
    """A position alone has no last move."""
    for ply in (0, 1, 2, 3, 10):
        picture = ascii_picture(Ply(golden(0)[ply].position))
        assert all(cell[0] + cell[4] == "  " for cell in spaces(picture).values())
        assert facts(picture)[1] == "Last move: -"


@pytest.mark.parametrize(
    ("number", "lines"),
    [
        (18, "d3 e3 f3"),
        (0, "d2 c3 b4 a5"),
        # R9: the line f2-f4 is free of animals, but f3-f5 is not.
        (27, "f2 f3 f4 f5"),
        (61, "h2 h3 h4 h5 h6 h7"),
        (75, "b6 c6 b7 c7"),
    ],
)
def test_all_lines_that_lost_are_marked(number: int, lines: str) -> None:
    """All lines of the mover are marked as lost if one holds an animal (R9)."""
    last = golden(number)[-1]
    for ply in (last, Ply(last.position)):
        picture = ascii_picture(ply)
        assert marked(picture, 2, "!") == set(lines.split())
        assert not marked(picture, 2, "*")
        assert facts(picture)[3] == "animals captured"
    winner = last.position.to_move
    assert facts(ascii_picture(last))[2] == ("#  Black won", "o  White won")[winner]


@pytest.mark.parametrize(
    ("number", "lines"),
    [
        (22, "e3 e4 e5 e6"),
        (44, "f1 e2 d3 c4 d2 d4"),
        (80, "g5 f6 e7 d8 e6 f7"),
        (101, "a6 b6 a7 b7"),
    ],
)
def test_all_lines_that_won_are_marked(number: int, lines: str) -> None:
    """All lines and squares of the mover are marked as won (R10, R15)."""
    last = golden(number)[-1]
    for ply in (last, Ply(last.position)):
        picture = ascii_picture(ply)
        assert marked(picture, 2, "*") == set(lines.split())
        assert not marked(picture, 2, "!")
        assert facts(picture)[3] == "empty line"
    winner = 1 - last.position.to_move
    assert facts(ascii_picture(last))[2] == ("#  Black won", "o  White won")[winner]


def test_finished_line_and_last_move_are_seen_in_one_space() -> None:
    """One mark does not hide the other."""
    assert spaces(ascii_picture(golden(0)[-1]))["c3"] == "[ !o]"
    assert spaces(ascii_picture(golden(101)[-1]))["b6"] == "[ *o]"
    assert "[ !○]" in render_ansi(*golden(0)[-1], color=False)
    assert "[ ★○]" in render_ansi(*golden(101)[-1], color=False)


@pytest.mark.parametrize("number", [81, 90])
def test_draw_has_no_line(number: int) -> None:
    """A drawn game says so and marks no line (R11)."""
    picture = ascii_picture(golden(number)[-1])
    assert not marked(picture, 2, "*") | marked(picture, 2, "!")
    assert facts(picture)[2:4] == ["Draw", "tokens used up"]


def test_running_games_have_no_line(some_plies: list[Ply]) -> None:
    """No line is marked before the end."""
    for ply in some_plies:
        if not ply.position.is_over:
            assert {cell[2] for cell in spaces(ascii_picture(ply)).values()} == {" "}


def test_the_text_beside_the_board_is_fixed() -> None:
    """The text beside the first board is compared with a stored one."""
    position = make_game("mammalath").deal(0, first_player=1)
    assert facts(render_ansi(position, ascii_only=True)) == [
        "Mammalath   ply 0",
        "Last move: -",
        "o  White to move",
        "",
        "Tokens left",
        "#  black        18",
        "o  white        18",
        "Animals left",
        "A  armadillo     6",
        "B  badger        6",
        "C  cougar        6",
        "D  deer          6",
        "E  elephant      6",
        "F  fox           6",
    ]


def test_facts_in_many_positions(some_plies: list[Ply]) -> None:
    """Check player, ply and counts against the text of the position."""
    for ply in some_plies:
        animals, tokens, side, number = ply.position.to_text().split()
        game = ply.position.game
        lines = facts(ascii_picture(ply))
        assert lines[0] == f"{game.title}   ply {number}"
        counts = {line[0]: int(line.split()[-1]) for line in lines[5:] if line[-1:].isdigit()}
        all_tokens = {"mammalath": 18, "mammalath_plus": 32}[game.name]
        size = game.observation_shape[0]
        assert counts == {
            "#": all_tokens - tokens.count("b"),
            "o": all_tokens - tokens.count("w"),
            **{letter: animals.count(letter) for letter in "ABCDEFGH"[:size]},
        }
        if not ply.position.is_over:
            assert lines[2] == {"b": "#  Black to move", "w": "o  White to move"}[side]


def test_swap_is_offered_only_when_legal() -> None:
    """The picture mentions the swap on the second ply only (R8)."""
    for swap_rule, offered in ((True, ["", "or to swap", ""]), (False, ["", "", ""])):
        position = make_game("mammalath", swap_rule=swap_rule).deal(0)
        found = []
        for _ in range(3):
            found.append(facts(render_ansi(position, ascii_only=True))[3])
            position = position.play(position.legal_actions()[0])
        assert found == offered


def test_legend_explains_every_mark() -> None:
    """The last line, compared with a stored one, explains every mark."""
    assert render_ansi(*golden(0)[0], ascii_only=True).splitlines()[-1] == (
        "[] placed   <> swapped   xa released   * winning line   ! losing line"
    )
    assert render_ansi(*golden(0)[0], color=False).splitlines()[-1] == (
        f"[] placed   <> swapped   {TIMES}a released   ★ winning line   ! losing line"
    )


def test_the_mammalath_picture_refuses_other_games() -> None:
    """The drawing of Mammalath does not draw what it cannot read."""

    class _Other:
        title = "Chess"

    class _Position:
        game = _Other()

    with pytest.raises(TypeError, match="not of Chess"):
        draw(_Position(), None, False)  # type: ignore[arg-type]
