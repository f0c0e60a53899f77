"""Threats in Mammalath that cannot be met, against trying every move."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mammalath_env.core.position import Position
from mammalath_env.games.mammalath.game import MammalathGame
from tests.games.boards import BOTH, NAMES, PLUS, SMALL, position
from tests.games.random_play import can_win, must_lose, random_games, until


def _every_move_loses(at: Position) -> bool:
    """Return whether each move loses at once or lets the opponent win at once."""
    for after in map(at.play, at.legal_actions()):
        if after.outcome is None:
            if not can_win(at.game.tables, after.row):
                return False
        elif after.outcome.winner != 1 - at.to_move:
            return False
    return True


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_against_every_move(game: MammalathGame, scale: Callable[[int], int]) -> None:
    """On positions of random games, where the player to move cannot win."""
    played = lost = missed = 0
    count = until(lambda: lost > 0, scale(400), 400)
    for _, (positions, _) in zip(count, random_games(game, 400, seed=17), strict=False):
        played += 1
        for at in positions[:-1]:
            if not can_win(game.tables, at.row):
                if must_lose(game.tables, at.row):
                    lost += 1
                    assert _every_move_loses(at), at
                elif _every_move_loses(at):
                    missed += 1
    assert missed <= lost
    assert lost > played // 4


@pytest.mark.parametrize(
    ("black", "white", "animals", "loses"),
    [
        ("a1 f6", "d3 e3", "", True),  # c3 and f3
        ("a1 f6", "a5 b5", "", False),  # c5 alone
        ("a1 f6", "d3 e3", "c3", False),  # f3 alone
        ("a1 f6", "d3 e3", "f3", False),  # c3 alone
        ("c2 c1", "a3 b3", "c1", True),  # c3 alone, where black would take an animal
        ("c2 c1", "a3 b3", "", None),  # c3, where black wins
        ("c2 c4", "a3 b3 d3", "c4", True),
        ("c2 a6", "a3 b3", "c1", False),
    ],
)
def test_two_threats_or_one_that_cannot_be_met(
    black: str, white: str, animals: str, loses: bool | None
) -> None:
    """White threatens on 6x6, and black is to move; None where black wins first."""
    tokens = len(black.split()) + len(white.split())
    at = position(SMALL, animals, black, white, "b", 20 + tokens % 2)
    if loses is None:
        assert can_win(SMALL.tables, at.row)
        return
    assert not can_win(SMALL.tables, at.row)
    assert must_lose(SMALL.tables, at.row) == loses == _every_move_loses(at)


def test_squares_threaten_too() -> None:
    """On 8x8 a square and a line can be threatened at once (R15)."""
    at = position(PLUS, "", "h8 h6 f8 a8 e1", "b2 c2 b3 e3 d3", "b", 30)
    assert not can_win(PLUS.tables, at.row)
    # c3 completes the square b2-c3 and the line b3-e3: one token meets both threats.
    assert not must_lose(PLUS.tables, at.row)
    at = position(PLUS, "", "h8 h6 f8 a8 e1 a7", "b2 c2 b3 e4 e5 e6", "b", 30)
    # c3 for the square, e3 and e7 for the line.
    assert must_lose(PLUS.tables, at.row)
    assert _every_move_loses(at)


def test_the_last_token_comes_first() -> None:
    """Two threats do not matter if the token of the player to move ends the game (R11)."""
    at = SMALL.from_text("1C1DDC/4D1/5C/4DC/1C3C/4DD bbwwbw/wwbwwb/bww2b/w1bbww/bwb1bb/ww1wbw w 35")
    assert not can_win(SMALL.tables, at.row)
    assert not must_lose(SMALL.tables, at.row)
    assert not _every_move_loses(at)
