"""The terminal picture of Mancala."""

from __future__ import annotations

import itertools
import re

import pytest

from mammalath_env.games import make_game
from mammalath_env.games.mancala.game import MancalaGame
from mammalath_env.rendering import render_ansi
from mammalath_env.rendering.mancala import draw
from tests.rendering.reading import TIMES, Ply, ascii_picture

# No two holes of a row, and no hole and the one across from it, hold the same.
ASYMMETRIC = "0,1,2,3,5,4/7,8,6,0,2,1 4-5 s 2 21"
LETTERS = "ABCDEFabcdef"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")

START = """\
Mancala   ply 0   Last move: -
                f        e        d        c        b        a
+-----------+--------+--------+--------+--------+--------+--------+-----------+
|   north   |  4     |  4     |  4     |  4     |  4     |  4     |   south   |
|  to move  | oooo   | oooo   | oooo   | oooo   | oooo   | oooo   |           |
|     0     |        |        |        |        |        |        |     0     |
|           +--------+--------+--------+--------+--------+--------+           |
|           |  4     |  4     |  4     |  4     |  4     |  4     |           |
|           | oooo   | oooo   | oooo   | oooo   | oooo   | oooo   |           |
| 25 to win |        |        |        |        |        |        | 25 to win |
+-----------+--------+--------+--------+--------+--------+--------+-----------+
                A        B        C        D        E        F
North to move   Plies without a capture: 0 of 100
[-4] sown from   +1 sown into   x3 captured   >5 taken at the end
"""

CAPTURED = """\
Mancala   ply 31   Last move: south E, captured 5
                f        e        d        c        b        a
+-----------+--------+--------+--------+--------+--------+--------+-----------+
|   north   |  1     |  1     |  5     |  0 +1  |  0 +1  |  1 +1  |   south   |
|  to move  | o      | o      | ooooo  |    x3  |    x2  | o      |           |
|    12     |        |        |        |        |        |        |     7     |
|           +--------+--------+--------+--------+--------+--------+    +5     |
|           |  0     |  3     | 13     |  0     |[ 0 -4 ]|  5 +1  |           |
|           |        | ooo    | oooooo |        |        | ooooo  |           |
| 13 to win |        |        | ooooo+ |        |        |        | 18 to win |
+-----------+--------+--------+--------+--------+--------+--------+-----------+
                A        B        C        D        E        F
North to move   Plies without a capture: 0 of 100
[-4] sown from   +1 sown into   x3 captured   >5 taken at the end
"""

LIMIT = """\
Mancala   ply 181   Last move: south A
                f        e        d        c        b        a
+-----------+--------+--------+--------+--------+--------+--------+-----------+
|   north   |  0     |  0     |  0     |  0     |  0     |  0     |   south   |
|           |    >4  |        |        |        |    >7  |        |           |
|    23     |        |        |        |        |        |        |    25     |
|    +11    +--------+--------+--------+--------+--------+--------+    +11    |
|           |[ 0 -3 ]|  0 +1  |  0 +1  |  0 +1  |  0     |  0     |           |
|           |        |    >1  |    >3  |    >1  |    >5  |    >1  |           |
|   lost    |        |        |        |        |        |        |    won    |
+-----------+--------+--------+--------+--------+--------+--------+-----------+
                A        B        C        D        E        F
South won: no capture limit   Plies without a capture: 100 of 100
[-4] sown from   +1 sown into   x3 captured   >5 taken at the end
"""


def after(text: str, move: str, capture: str = "last", limit: int = 100) -> Ply:
    """Return the position after `move` in the position `text`, with what led to it."""
    game = MancalaGame.mancala(capture=capture, no_capture_limit=limit)
    before = game.from_text(text)
    action = game.parse_move(move, before)
    return Ply(before.play(action), before, action)


def holes(picture: str) -> dict[str, tuple[str, str, str]]:
    """Return the three lines of each hole of an ASCII picture, by the letter of the hole.

    The letters come from the picture.
    """
    lines = picture.splitlines()
    found: dict[str, tuple[str, str, str]] = {}
    for letters, top in ((lines[1], 3), (lines[11], 7)):
        rows = [line.split("|")[2:-2] for line in lines[top : top + 3]]
        for letter, cell in zip(letters.split(), zip(*rows, strict=True), strict=True):
            assert re.fullmatch(r"[ \[][ \d]\d ( {3}|[+-]\d[ \d])[ \]]", cell[0])
            found[letter] = cell[0], cell[1], cell[2]
    return found


def seeds(picture: str) -> dict[str, int]:
    """Return the number in each hole."""
    return {letter: int(cell[0][1:3]) for letter, cell in holes(picture).items()}


def sown(picture: str) -> dict[str, int]:
    """Return the mark of each hole that has one for sowing."""
    marks = {letter: cell[0][4:7].strip() for letter, cell in holes(picture).items()}
    return {letter: int(mark) for letter, mark in marks.items() if mark}


def gone(picture: str, symbol: str) -> dict[str, int]:
    """Return the marks that start with `symbol`, for captured seeds or seeds taken at the end."""
    marks = {letter: cell[1].strip() for letter, cell in holes(picture).items()}
    return {letter: int(mark[1:]) for letter, mark in marks.items() if mark.startswith(symbol)}


def origins(picture: str) -> set[str]:
    """Return the holes in brackets."""
    cells = holes(picture).items()
    assert all((cell[0][0] == "[") == (cell[0][7] == "]") for _, cell in cells)
    return {letter for letter, cell in cells if cell[0][0] == "["}


def stores(picture: str) -> tuple[list[str], list[str]]:
    """Return the words in south's store and in north's."""
    lines = picture.splitlines()[3:10]
    south = [word for line in lines for word in line.rpartition(" ")[0][67:].split()]
    north = [word for line in lines for word in line[1:12].split()]
    return south, north


def test_whole_pictures_of_mancala_are_fixed() -> None:
    """Three whole pictures are compared with stored ones."""
    start = Ply(MancalaGame.mancala().deal(0, first_player=1))
    assert ascii_picture(start) + "\n" == START
    captured = after("0,3,13,0,4,4/0,1,2,5,1,1 2-12 s 3 30", "E", "chain")
    assert ascii_picture(captured) + "\n" == CAPTURED
    limit = after("3,0,2,0,5,1/0,7,0,0,0,4 14-12 s 99 180", "A")
    assert ascii_picture(limit) + "\n" == LIMIT


def test_rows_are_not_mirrored_or_exchanged() -> None:
    """South's holes go from left to right below, north's from right to left above."""
    picture = render_ansi(MancalaGame.mancala().from_text(ASYMMETRIC), ascii_only=True)
    lines = picture.splitlines()
    assert [cell[:3] for cell in lines[3].split("|")[2:-2]] == [f"  {k}" for k in "120687"]
    assert [cell[:3] for cell in lines[7].split("|")[2:-2]] == [f"  {k}" for k in "012354"]
    assert lines[1].split() == list("fedcba")
    assert lines[11].split() == list("ABCDEF")
    # A letter stands at its hole: above or below the middle of it.
    assert [lines[1].index(letter) for letter in "fedcba"] == list(range(16, 62, 9))
    assert [lines[11].index(letter) for letter in "ABCDEF"] == list(range(16, 62, 9))
    # The store is at the player's right: south's at the right, north's at the left.
    assert stores(picture) == (
        ["south", "to", "move", "4", "21", "to", "win"],
        ["north", "5", "20", "to", "win"],
    )


def test_every_hole_and_store_of_many_positions(mancala_plies: list[Ply]) -> None:
    """Check all numbers against the text of the position, and the dots against the numbers."""
    for position, *_ in mancala_plies:
        picture = render_ansi(position, ascii_only=True)
        in_holes, in_stores, side, plies_since_capture, ply = position.to_text().split()
        numbers = [int(number) for number in re.split("[,/]", in_holes)]
        assert seeds(picture) == dict(zip(LETTERS, numbers, strict=True))
        for letter, cell in holes(picture).items():
            number = numbers[LETTERS.index(letter)]
            dots = (cell[1] + cell[2]).replace(" ", "")
            assert dots == ("o" * number if number <= 12 else "o" * 11 + "+")
            assert cell[0][0] + cell[0][3:] == "      "
        for player, words in enumerate(stores(picture)):
            rest = words[1:]
            assert words[0] == ("south", "north")[player]
            if not position.is_over and player == "sn".index(side):
                assert rest[:2] == ["to", "move"]
                rest = rest[2:]
            stored = int(in_stores.split("-")[player])
            assert rest[0] == str(stored)
            assert rest[1:] in ([str(25 - stored), "to", "win"], ["won"], ["lost"], ["draw"])
        lines = picture.splitlines()
        assert lines[0] == f"Mancala   ply {ply}   Last move: -"
        assert lines[12].endswith(f"   Plies without a capture: {plies_since_capture} of 100")


def test_marks_of_many_moves(mancala_plies: list[Ply]) -> None:
    """The marks of a move account for every seed."""
    for ply in mancala_plies:
        if ply.previous is None or ply.action is None:
            continue
        mover = ply.previous.to_move
        picture = ascii_picture(ply)
        before = seeds(render_ansi(ply.previous, ascii_only=True))
        letter = ply.previous.move_text(ply.action)
        assert origins(picture) == {letter}
        marks = sown(picture)
        assert marks[letter] == -before[letter]
        assert sum(marks.values()) == 0
        # All that was sown lies in the holes that follow, with at most one lap between any two.
        start = LETTERS.index(letter)
        order = [LETTERS[(start + k) % 12] for k in range(1, 12)]
        in_order = [marks.get(following, 0) for following in order]
        assert in_order == sorted(in_order, reverse=True)
        assert in_order[0] - in_order[-1] <= 1
        captured, taken = gone(picture, "x"), gone(picture, ">")
        assert not captured.keys() & taken.keys()
        for name, number in seeds(picture).items():
            left = before[name] + marks.get(name, 0)
            assert number == left - captured.get(name, 0) - taken.get(name, 0)
        opponent = ("abcdef", "ABCDEF")[mover]
        assert set(captured) <= set(opponent)
        assert set(captured.values()) <= {2, 3}
        for player, words in enumerate(stores(picture)):
            gained = [int(word) for word in words if word.startswith("+")]
            row = ("ABCDEF", "abcdef")[player]
            expected = sum(number for name, number in taken.items() if name in row)
            expected += sum(captured.values()) if player == mover else 0
            assert gained == ([expected] if expected else [])
        if taken:
            assert ply.position.outcome is not None
            assert ply.position.outcome.termination.label != "majority"
        heading = picture.splitlines()[0]
        name = ("south", "north")[mover]
        number = sum(captured.values())
        text = f"Last move: {name} {letter}" + (f", captured {number}" if captured else "")
        assert heading.endswith(text) or ", no capture: " in heading


def test_lapping_moves_are_marked() -> None:
    """Twelve seeds and more go round, past the hole they came from (R21)."""
    picture = ascii_picture(after("12,0,0,0,0,0/1,1,1,1,0,2 15-15 s 0 60", "A"))
    assert sown(picture) == {"A": -12, "B": 2, **dict.fromkeys("CDEFabcdef", 1)}
    picture = ascii_picture(after("1,0,3,0,1,2/23,0,0,1,0,0 10-7 n 3 40", "a"))
    assert sown(picture) == {"a": -23, "b": 3, **dict.fromkeys("cdefABCDEF", 2)}
    assert seeds(picture)["a"] == 0
    assert origins(picture) == {"a"}


@pytest.mark.parametrize(
    ("capture", "captured"), [("last", {"d": 2}), ("chain", {"d": 2, "c": 3, "b": 2})]
)
def test_captures_are_marked(capture: str, captured: dict[str, int]) -> None:
    """The holes captured from, with the seeds that were there, and the store they went to."""
    ply = after("0,0,0,0,0,4/3,1,2,1,0,1 20-16 s 5 50", "F", capture)
    picture = ascii_picture(ply)
    assert gone(picture, "x") == captured
    assert not gone(picture, ">")
    assert sown(picture) == {"F": -4, "a": 1, "b": 1, "c": 1, "d": 1}
    total = sum(captured.values())
    assert stores(picture)[0][1:3] == [str(20 + total), f"+{total}"]
    assert picture.splitlines()[0].endswith(f"Last move: south F, captured {total}")
    unicode = render_ansi(*ply, color=False)
    assert all(f"    {TIMES}{number}  " in unicode for number in captured.values())


def test_capture_and_feeding_duty_in_one_ply_are_told_apart() -> None:
    """One ply captures from some holes and leaves the others to be taken (R22, R24)."""
    ply = after("0,0,0,0,0,1/1,1,0,0,0,0 22-23 s 7 80", "F")
    picture = ascii_picture(ply)
    assert gone(picture, "x") == {"a": 2}
    assert gone(picture, ">") == {"b": 1}
    assert stores(picture) == (["south", "24", "+2", "draw"], ["north", "24", "+1", "draw"])
    assert "Draw: opponent cannot be fed   " in picture


def test_prevented_capture_is_explained() -> None:
    """Seeds whose capture would starve the opponent stay, and the picture says why (R23)."""
    picture = ascii_picture(after("0,0,0,0,1,1/1,0,0,0,0,0 23-22 s 3 80", "F"))
    assert not gone(picture, "x")
    assert seeds(picture)["a"] == 2
    assert picture.splitlines()[0].endswith("south F, no capture: north would starve")
    # Falling in a hole of one's own, or making four, is no capture that was prevented.
    for text, move in (
        ("0,0,0,1,1,1/1,0,0,0,0,0 23-21 s 3 80", "D"),
        ("0,0,0,0,1,1/3,0,0,0,0,0 21-22 s 3 80", "F"),
    ):
        assert "no capture:" not in ascii_picture(after(text, move))


def test_holes_alone_mark_no_move() -> None:
    """A position alone has no last move, not even at the end."""
    for text, move in (
        ("0,0,0,0,0,1/0,1,0,0,0,0 23-23 s 3 80", "F"),
        ("0,3,13,0,4,4/0,1,2,5,1,1 2-12 s 3 30", "E"),
    ):
        picture = ascii_picture(Ply(after(text, move).position))
        assert not sown(picture)
        assert not origins(picture) | gone(picture, "x").keys() | gone(picture, ">").keys()
        assert picture.splitlines()[0].endswith("Last move: -")
        assert not any(word.startswith("+") for words in stores(picture) for word in words)


@pytest.mark.parametrize(
    ("text", "move", "limit", "news"),
    [
        ("0,0,0,0,0,1/1,0,0,0,0,3 23-20 s 0 81", "F", 100, "South won: majority"),
        ("1,0,0,0,0,3/0,0,0,0,0,1 20-23 n 0 81", "f", 100, "North won: majority"),
        ("0,0,0,0,0,1/0,1,0,0,0,0 23-23 s 3 80", "F", 100, "North won: opponent cannot be fed"),
        ("0,0,1,0,0,0/0,0,0,0,0,1 24-22 n 3 80", "f", 100, "South won: opponent cannot be fed"),
        ("0,0,0,0,0,1/0,1,0,0,0,0 24-22 s 3 80", "F", 100, "Draw: opponent cannot be fed"),
        ("3,0,2,0,5,1/0,7,0,0,0,4 13-13 s 6 90", "A", 7, "Draw: no capture limit"),
        ("3,0,2,0,5,1/0,7,0,0,0,4 12-14 s 6 90", "A", 7, "North won: no capture limit"),
    ],
)
def test_ends_say_who_won_and_why(text: str, move: str, limit: int, news: str) -> None:
    """Who won and why is said in words, with the move before and without."""
    in_stores = {"South": ["won", "lost"], "North": ["lost", "won"], "Draw:": ["draw", "draw"]}
    ply = after(text, move, limit=limit)
    for picture in (ascii_picture(ply), ascii_picture(Ply(ply.position))):
        assert re.search(rf"^{news}   Plies without a capture: \d+ of {limit}$", picture, re.M)
        assert [words[-1] for words in stores(picture)] == in_stores[news[:5]]
        assert "to move" not in picture
        assert "to win" not in picture


def test_feeding_duty_is_announced() -> None:
    """The state line says that an empty row must be fed (R24)."""
    for text, news in (
        ("1,0,3,0,2,0/0,0,0,0,0,0 21-21 s 9 70", "South to move, must feed north"),
        ("0,0,0,0,0,0/1,0,0,3,2,0 21-21 n 9 70", "North to move, must feed south"),
        ("1,0,3,0,2,0/0,0,0,0,0,1 21-20 s 9 70", "South to move"),
    ):
        picture = render_ansi(MancalaGame.mancala().from_text(text), ascii_only=True)
        assert picture.splitlines()[12] == f"{news}   Plies without a capture: 9 of 100"


def test_pictures_of_mancala_fit_a_terminal(mancala_plies: list[Ply]) -> None:
    """Pictures fit 79 columns and 14 lines."""
    for ply, color in itertools.product(mancala_plies, (False, True)):
        for picture in (ascii_picture(ply), render_ansi(*ply, color=color)):
            lines = ESCAPE.sub("", picture).split("\n")
            assert len(lines) == 14
            assert all(len(line) <= 79 and line == line.rstrip() for line in lines)
            assert {len(line) for line in lines[2:11]} == {79}


def test_the_mancala_picture_refuses_other_games() -> None:
    """The drawing of Mancala does not draw what it cannot read."""
    with pytest.raises(TypeError, match="not of Mammalath"):
        draw(make_game("mammalath").deal(0), None, False)
