"""Mancala refuses bad texts, unreachable positions, moves and options, and says why."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from mammalath_env.core.errors import IllegalMoveError, InvalidMoveError, PositionError
from mammalath_env.games import make_game
from mammalath_env.games.mancala.game import MancalaGame
from tests.games.test_rules_mancala import exchanged

GAME = MancalaGame.mancala()
START = "4,4,4,4,4,4/4,4,4,4,4,4 0-0 s 0 0"
# After F, north to move.
GOOD = "4,4,4,4,4,0/5,5,5,5,4,4 0-0 n 1 1"


def _check_refused(game: MancalaGame, text: str, message: str) -> None:
    """Check that `text` is refused with `message` in the words, and quoted."""
    with pytest.raises(PositionError, match=re.escape(message)) as caught:
        game.from_text(text)
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).startswith(f"{text!r} is not a position of Mancala: ")
    assert caught.value.__suppress_context__


def test_the_positions_that_are_spoiled_below_are_good() -> None:
    """Each refusal is for its own reason only."""
    for text in (START, GOOD, exchanged(START), exchanged(GOOD)):
        assert GAME.from_text(text).to_text() == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # Fields
        ("", "expected five fields (holes, stores, side, plies since a capture, plies), not 1"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 s 0", "five fields"),
        (f"{START} 0", "not 6"),
        (START.replace(" s ", " s s "), "not 6"),
        (START.replace(" s ", "s "), "not 4"),
        # Holes
        ("4,4,4,4,4,4,4,4,4,4,4,4 0-0 s 0 0", "holes must be two rows, not 1"),
        ("4,4,4,4/4,4,4,4/4,4,4,4 0-0 s 0 0", "holes must be two rows, not 3"),
        ("4,4,4,4,4/4,4,4,4,4,8 0-0 s 0 0", "holes of south must be 6 numbers, not 5"),
        ("4,4,4,4,4,4/4,4,4,4,4,4,0 0-0 s 0 0", "holes of north must be 6 numbers, not 7"),
        ("/4,4,4,4,4,4 0-0 s 0 0", "holes of south must be 6 numbers, not 1"),
        ("4,4,4,4,4,4/4.4.4.4.4.4 0-0 s 0 0", "holes of north must be 6 numbers, not 1"),
        # Stores
        ("4,4,4,4,4,4/4,4,4,4,4,4 0 s 0 0", "stores must be 2 numbers, not 1: '0'"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0-0 s 0 0", "stores must be 2 numbers, not 3"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 s 0 0", "stores must be 2 numbers, not 1"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 -1-1 s 0 0", "stores must be 2 numbers, not 3"),
        # Side
        *(
            (START.replace(" s ", f" {side} "), f"side to move must be 's' or 'n', not {side!r}")
            for side in ("b", "w", "S", "N", "south", "0", "sn", "ñ")
        ),
        (START.replace(" s ", "  "), "plies), not 4"),
    ],
)
def test_malformed_positions(text: str, message: str) -> None:
    """The error names the part of the text that is malformed."""
    _check_refused(GAME, text, message)


@pytest.mark.parametrize(
    "count",
    ["04", "00", "", "+4", "-4", "4.0", "4e0", "0x4", "4_0", "four", "\u0664", "\u00b2", "1" * 5],
)
@pytest.mark.parametrize(
    ("place", "what"),
    [
        ("{},4,4,4,4,4/4,4,4,4,4,4 0-0 s 0 0", "holes of south"),
        ("4,4,4,4,4,4/4,4,4,4,4,{} 0-0 s 0 0", "holes of north"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 {}-0 s 0 0", "stores"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-{} s 0 0", "stores"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 s {} 0", "plies since a capture"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 s 0 {}", "plies played"),
    ],
)
def test_malformed_counts(place: str, what: str, count: str) -> None:
    """Numbers have one spelling: no sign, no leading zero, ASCII digits, no more than four."""
    text = place.format(count)
    if what == "stores" and count == "-4":
        _check_refused(GAME, text, "stores must be 2 numbers, not 3")
    elif not count and what.startswith("plies"):
        _check_refused(GAME, text, "plies), not 4")
    else:
        _check_refused(GAME, text, f"{what} must be a whole number, not {count!r}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # Seeds
        ("4,4,4,4,4,4/4,4,4,4,4,3 0-0 s 0 0", "47 seeds: there are 48 (R20)"),
        ("4,4,4,4,4,4/4,4,4,4,4,5 0-0 s 0 0", "49 seeds: there are 48 (R20)"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 2-0 s 0 1", "50 seeds"),
        ("0,0,0,0,0,0/0,0,0,0,0,0 0-0 s 4 50", "0 seeds"),
        ("256,0,0,0,0,0/0,0,0,0,0,0 24-24 s 4 50", "304 seeds"),
        ("9999,0,0,0,0,0/0,0,0,0,0,0 24-24 s 4 50", "10047 seeds"),
        ("0,0,0,0,0,0/0,0,0,0,0,0 256-48 s 4 50", "304 seeds"),
        # Plies
        (GOOD.replace(" 1 1", " 2 1"), "2 plies since a capture, but 1 plies played"),
        (START.replace(" 0 0", " 1 0"), "1 plies since a capture, but 0 plies played"),
        (GOOD.replace(" 1 1", " 0 0"), "before the first ply, four seeds lie in each hole (R20)"),
        ("0,4,4,4,4,4/4,4,4,4,4,4 2-2 s 0 0", "before the first ply"),
        (GOOD.replace(" 1 1", " 101 150"), "101 plies since a capture: the game ends at 100 (R26)"),
        # Who moved last has an empty hole: the one sown from.
        (START.replace(" 0 0", " 1 1"), "north has no empty hole: they have just sown from one"),
        (GOOD.replace(" n ", " s "), "north has no empty hole"),
        ("4,4,4,4,0,4/4,4,4,4,4,4 2-2 s 1 9", "north has no empty hole"),
        # Captures
        ("4,4,4,4,0,4/4,4,4,4,0,4 7-1 s 1 9", "a store of one seed: captures bring two or more"),
        ("4,4,4,4,0,4/4,4,4,4,0,4 1-7 s 1 9", "a store of one seed"),
        ("4,4,4,4,0,4/4,4,4,4,8,4 0-0 s 3 9", "stores 0-0 do not fit 3 plies since a capture of 9"),
        ("4,4,4,4,0,4/4,4,4,4,0,4 6-2 s 9 9", "stores 6-2 do not fit 9 plies since a capture of 9"),
        ("4,4,4,4,0,4/4,4,4,4,0,4 8-0 s 0 9", "north has just captured, but their store is empty"),
        ("4,4,4,4,0,4/4,4,4,4,0,4 0-8 n 0 9", "south has just captured, but their store is empty"),
        # A player to move has seeds, since captures leave some and others are taken (R23, R24).
        ("0,0,0,0,0,0/4,0,0,0,0,2 20-22 s 5 81", "south has no seed to move, but north has"),
        ("4,0,0,0,0,2/0,0,0,0,0,0 20-22 n 5 81", "north has no seed to move, but south has"),
        # Majority (R25)
        ("4,0,0,0,0,2/0,0,0,0,0,2 25-15 s 0 81", "south has 25 seeds and would be to move (R25)"),
        ("4,0,0,0,0,2/0,0,0,0,0,2 15-25 s 1 81", "north has 25 seeds, and plies were played after"),
        ("4,0,0,0,0,0/0,0,0,0,0,2 26-16 n 1 81", "south has 26 seeds, and plies were played after"),
        ("4,0,0,0,0,0/0,0,0,0,0,2 30-12 n 1 81", "gets no further than 27"),
        # What a finished game would have taken (R24, R26)
        ("4,0,0,0,0,2/0,0,0,0,0,2 20-20 s 100 181", "100 plies since a capture: the seeds on the"),
        ("0,0,0,0,0,0/1,1,0,0,0,0 23-23 n 4 81", "north cannot feed south: the seeds on the board"),
        ("5,4,3,2,1,0/0,0,0,0,0,0 16-17 s 4 81", "south cannot feed north: the seeds on the board"),
    ],
)
def test_unreachable_positions(text: str, message: str) -> None:
    """Positions that no game leads to are refused, and the error cites the rule."""
    _check_refused(GAME, text, message)


def test_the_limit_is_that_of_the_game() -> None:
    """A position of one limit may be none of another (R26)."""
    text = "4,0,0,0,0,2/0,0,0,0,0,2 20-20 s 7 81"
    assert MancalaGame.mancala(no_capture_limit=8).from_text(text).outcome is None
    at_limit = MancalaGame.mancala(no_capture_limit=7)
    _check_refused(at_limit, text, "7 plies since a capture: the seeds on the board are taken")
    beyond = MancalaGame.mancala(no_capture_limit=6)
    _check_refused(beyond, text, "7 plies since a capture: the game ends at 6 (R26)")


@pytest.mark.parametrize("move", ["a", "f", "G", "", "AB", "A A", "0", "Å", "ABCDEF"])
def test_what_is_no_move_of_south(move: str) -> None:
    """The letters of the other side, several letters, and others are no moves."""
    message = f"{move!r} is not a move of south in Mancala: expected a hole, A to F"
    with pytest.raises(InvalidMoveError, match=re.escape(message)) as caught:
        GAME.parse_move(move, GAME.from_text(START))
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("move", ["A", "F", "g", "", "ab", "5"])
def test_what_is_no_move_of_north(move: str) -> None:
    """North's letters are small ones."""
    message = f"{move!r} is not a move of north in Mancala: expected a hole, a to f"
    with pytest.raises(InvalidMoveError, match=re.escape(message)):
        GAME.parse_move(move, GAME.from_text(GOOD))


@pytest.mark.parametrize(
    ("text", "move", "message"),
    [
        # An empty hole
        ("5,5,4,4,4,0/5,5,0,6,5,5 0-0 s 2 2", "F", "illegal move F (action 5) of south"),
        ("4,0,4,4,4,0/5,5,0,7,6,5 0-4 n 1 9", "c", "illegal move c (action 2) of north"),
        # A move that does not feed an empty row (R24)
        ("1,0,3,0,2,0/0,0,0,0,0,0 21-21 s 9 70", "C", "illegal move C (action 2) of south"),
        ("0,0,0,0,0,0/1,0,3,0,2,0 21-21 n 9 70", "a", "illegal move a (action 0) of north"),
        # After the end
        ("0,0,0,0,0,0/0,0,0,0,0,0 23-25 n 4 81", "b", "no move after the end: b (action 1)"),
        ("0,2,0,0,0,0/0,0,0,1,0,0 25-20 n 0 81", "d", "no move after the end: d (action 3)"),
    ],
)
def test_illegal_moves(text: str, move: str, message: str) -> None:
    """The message names the move, the player and the position, which stays as it was."""
    at = GAME.from_text(text)
    with pytest.raises(IllegalMoveError, match=re.escape(f"{message} in {text!r}")) as caught:
        at.play(move)
    assert isinstance(caught.value, ValueError)
    assert at.to_text() == text


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"capture": "all"}, ValueError, "unknown capture 'all': expected one of 'last', 'chain'"),
        ({"capture": "LAST"}, ValueError, "unknown capture 'LAST'"),
        ({"capture": None}, ValueError, "unknown capture None"),
        ({"reward": "x"}, ValueError, "unknown reward 'x': expected one of 'outcome', 'seeds'"),
        ({"reward": ""}, ValueError, "unknown reward ''"),
        ({"no_capture_limit": 0}, ValueError, "no_capture_limit must be from 1 to 127, not 0"),
        ({"no_capture_limit": -1}, ValueError, "from 1 to 127, not -1"),
        ({"no_capture_limit": 128}, ValueError, "from 1 to 127, not 128"),
        ({"no_capture_limit": "x"}, TypeError, "no_capture_limit must be an integer, not 'x'"),
        ({"no_capture_limit": 1.5}, TypeError, "must be an integer, not 1.5"),
        ({"no_capture_limit": 100.0}, TypeError, "must be an integer, not 100.0"),
        ({"no_capture_limit": True}, TypeError, "must be an integer, not True"),
        ({"no_capture_limit": None}, TypeError, "must be an integer, not None"),
        ({"swap_rule": True}, TypeError, "swap_rule"),
    ],
)
def test_option_values(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    """Options that do not exist, or values of them, are refused with those that do."""
    with pytest.raises(kind, match=re.escape(message)):
        MancalaGame.mancala(**options)


@pytest.mark.parametrize("limit", [np.int64(7), np.uint8(7)])
def test_limit_of_numpy(limit: Any) -> None:
    """An integer of NumPy is a limit, and becomes an int."""
    game = make_game("mancala", no_capture_limit=limit)
    assert game == make_game("mancala", no_capture_limit=7)
    assert type(game.options["no_capture_limit"]) is int


@pytest.mark.parametrize("limit", [1, 127])
def test_extreme_limits_are_accepted(limit: int) -> None:
    """Both ends of the range belong to it."""
    game = MancalaGame.mancala(no_capture_limit=limit)
    assert game.max_plies == 24 * limit
    assert game.from_text(START).outcome is None
