"""Moves are read as people type them, and listed by their kinds."""

from __future__ import annotations

import random
import re

import pytest

from mammalath_env import make_game
from mammalath_env.cli.moves import list_moves, read_move
from mammalath_env.core.errors import IllegalMoveError, InvalidMoveError
from mammalath_env.core.game import Game

MAMMALATH = make_game("mammalath")
SECOND = MAMMALATH.deal(3, first_player=0).play("e1")


def spellings(move: str) -> list[str]:
    """Return ways to type a move."""
    spaced = " ".join(move)
    return [move, move.upper(), move.lower(), move.title(), f"  {move}\t", spaced, spaced.upper()]


def test_every_legal_move_is_read_in_every_spelling(game: Game) -> None:
    """Case and spaces do not matter, in any position."""
    rng = random.Random(5)
    for seed in range(6):
        position = game.deal(seed)
        while not position.is_over:
            for action in rng.sample(position.legal_actions(), 1):
                for typed in spellings(position.move_text(action)):
                    assert read_move(typed, position) == action, typed
            position = position.play(action)


@pytest.mark.parametrize("typed", ["xa3-c1", "XA3-C1", "XC1-A3", " x a3 - c1 "])
def test_lines_are_read_from_either_end(typed: str) -> None:
    """As the notation of records allows."""
    assert SECOND.move_text(read_move(typed, SECOND)) == "xc1-a3"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("E1", "e1 is not possible: e1 is taken by black"),
        ("e 1", "(R4)"),
    ],
)
def test_illegal_moves_are_explained(typed: str, words: str) -> None:
    """By the rule, under the name in notation."""
    with pytest.raises(IllegalMoveError, match=re.escape(words)):
        read_move(typed, SECOND)


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("xa1c3", "xa1-c3"),
        ("swp", "swap"),
        ("udno", "undo"),
        ("HINTT", "hint"),
        ("xa1-b2", None),  # several lines are as near
        ("c9", None),
        ("zzzzz", None),
        ("", None),
    ],
)
def test_a_near_miss_is_suggested_and_not_played(typed: str, near: str | None) -> None:
    """One that is nearer than all others, or none."""
    with pytest.raises(InvalidMoveError) as caught:
        read_move(typed, SECOND, ["undo", "hint"])
    message = str(caught.value)
    assert repr(typed) in message
    assert ("did you mean" in message) == (near is not None)
    if near is not None:
        assert message.endswith(f"; did you mean {near!r}?")


@pytest.mark.parametrize("width", [20, 40, 79, 200])
@pytest.mark.parametrize("name", ["mammalath", "mammalath_plus", "mancala"])
def test_lists_hold_every_move_whole_and_keep_to_the_width(name: str, width: int) -> None:
    """Under the name of their kind, with their number."""
    position = make_game(name).deal(1)
    position = position.play(position.legal_actions()[0])
    lines = list(list_moves(position, width))
    moves = [line for line in lines if line.startswith("  ")]
    assert max(map(len, moves)) <= width
    assert [move for line in moves for move in line.split()] == position.legal_moves()
    heads = [line for line in lines if not line.startswith("  ")]
    counts = [re.findall(r"^[a-z ]+ \((\d+)\):$", head) for head in heads]
    total = sum(int(count) for (count,) in counts)
    assert total == len(position.legal_actions())
    expected = {"mammalath": 4, "mammalath_plus": 5, "mancala": 1}
    assert len(heads) == expected[name]


@pytest.mark.parametrize(
    ("name", "typed", "words"),
    [
        ("mammalath", "c9", "rows are 1 to 6"),
        ("mammalath", "g3", "columns are a to f"),
        ("mammalath", "xg", "types are A to F"),
        ("mammalath", "xa9-c3", "rows are 1 to 6"),
        ("mammalath", "pass", "passing is not possible (R3)"),
        ("mammalath", "a1-c3", "a release begins with x"),
        ("mammalath", "xa1-b2", "a line is three spaces in a row, and there are no squares"),
        ("mammalath_plus", "xa1-c3", "a line is four spaces in a row, a square 2x2"),
        ("mammalath_plus", "c9", "rows are 1 to 8"),
    ],
)
def test_what_is_wrong_is_said(name: str, typed: str, words: str) -> None:
    """And each example in the message is a move on this board."""
    position = make_game(name).deal(3).play("e1")
    with pytest.raises(InvalidMoveError, match=re.escape(words)) as caught:
        read_move(typed, position)
    examples = re.findall(r"\((?!R)(\S+)\)", str(caught.value))
    assert len(examples) == (4 if name == "mammalath_plus" else 3)
    for example in examples:
        position.game.parse_move(example, position)


def test_squares_are_read_by_either_diagonal() -> None:
    """People may; the notation of records has one."""
    position = make_game("mammalath_plus").deal(3).play("e1")
    for typed in ("xa6-b5", "XB5-A6", "x b6 - a5"):
        assert position.move_text(read_move(typed, position)) == "xa5-b6"
    with pytest.raises(InvalidMoveError):
        position.game.parse_move("xa6-b5", position)
