"""The board, sowing and captures of Mancala, rule by rule (R20 to R23)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.position import Position
from mammalath_env.games.mancala.game import MancalaGame
from tests.games.boards import play_text
from tests.games.random_play import random_games

START = "4,4,4,4,4,4/4,4,4,4,4,4 0-0 {side} 0 0"
MANY = 2000
BOTH_CAPTURES = pytest.mark.parametrize("capture", ["last", "chain"])


def exchanged(text: str) -> str:
    """Return a position text with the two players exchanged."""
    holes, stores, side, plies_since_capture, ply = text.split(" ")
    holes = "/".join(reversed(holes.split("/")))
    stores = "-".join(reversed(stores.split("-")))
    return f"{holes} {stores} {'ns'['sn'.index(side)]} {plies_since_capture} {ply}"


def after(text: str, move: str, **options: Any) -> str:
    """Return the text of the position after `move`, which is the same for exchanged players."""
    game = MancalaGame.mancala(**options)
    there = play_text(game.from_text(text), move)
    turned = play_text(game.from_text(exchanged(text)), move.swapcase())
    for end in (there, turned):
        assert game.from_text(end.to_text()) == end
    assert turned.to_text() == exchanged(there.to_text())
    if there.outcome is None:
        assert turned.outcome is None
    else:
        assert turned.outcome is not None
        assert turned.outcome.termination is there.outcome.termination
        assert turned.outcome.returns == there.outcome.returns[::-1]
    return there.to_text()


def test_every_hole_starts_with_four_seeds() -> None:
    """Four seeds in every hole, and either player begins (R20)."""
    game = MancalaGame.mancala()
    for player, (side, moves) in enumerate((("s", "ABCDEF"), ("n", "abcdef"))):
        for seed in range(20):
            start = game.deal(seed, first_player=player)
            assert start.to_text() == START.format(side=side)
            assert start.to_move == player
            assert start.legal_moves() == list(moves)
            assert start.outcome is None
            assert game.from_text(start.to_text()) == start


def test_first_player_of_mancala_is_drawn(scale: Callable[[int], int]) -> None:
    """Without the option each player begins about as often, the same one for a seed (R20)."""
    game = MancalaGame.mancala()
    number = max(200, scale(MANY))
    starts = [game.deal(seed) for seed in range(number)]
    assert starts == [game.deal(seed) for seed in range(number)]
    assert abs(sum(start.to_move for start in starts) - number / 2) < 2.5 * number**0.5


def test_turns_alternate() -> None:
    """Whoever begins, the players take turns, and every ply counts (R20)."""
    for playthrough in random_games(MancalaGame.mancala(), 20):
        first = playthrough.positions[0].to_move
        for ply, at in enumerate(playthrough.positions):
            assert at.ply == ply
            assert at.to_move == (first + ply) % 2
            fields = at.to_text().split(" ")
            assert (fields[2], fields[4]) == ("sn"[at.to_move], str(ply))


@pytest.mark.parametrize("player", [0, 1])
def test_actions_are_the_holes_from_the_players_left(player: int) -> None:
    """Action and letter go in the direction of sowing, and depend on the player to move."""
    game = MancalaGame.mancala()
    start = game.deal(0, first_player=player)
    for action, letter in enumerate(("ABCDEF", "abcdef")[player]):
        assert game.format_move(action, start) == letter
        assert game.parse_move(letter, start) == action
        side = start.play(action).to_text().split(" ")[0].split("/")[player].split(",")
        assert side[action] == "0"
        assert set(side[:action]) <= {"4"}


def test_only_holes_with_seeds_can_be_sown() -> None:
    """An empty hole is no move, any other is one (R21)."""
    game = MancalaGame.mancala()
    at = game.from_text("0,1,0,2,0,13/0,4,0,1,0,3 12-12 s 3 40")
    assert at.legal_moves() == ["B", "D", "F"]
    assert at.action_mask().tolist() == [False, True, False, True, False, True]
    with pytest.raises(IllegalMoveError, match=r"illegal move A \(action 0\) of south"):
        at.play(0)
    other = game.from_text("0,1,0,2,0,13/0,4,0,1,0,3 12-12 n 3 40")
    assert other.legal_moves() == ["b", "d", "f"]


@pytest.mark.parametrize(
    ("text", "move", "expected"),
    [
        # Within the row, and around each of its ends; stores get nothing.
        (START.format(side="s"), "A", "0,5,5,5,5,4/4,4,4,4,4,4 0-0 n 1 1"),
        (START.format(side="s"), "C", "4,4,0,5,5,5/5,4,4,4,4,4 0-0 n 1 1"),
        (START.format(side="s"), "F", "4,4,4,4,4,0/5,5,5,5,4,4 0-0 n 1 1"),
        (START.format(side="n"), "b", "4,4,4,4,4,4/4,0,5,5,5,5 0-0 s 1 1"),
        (START.format(side="n"), "f", "5,5,5,5,4,4/4,4,4,4,4,0 0-0 s 1 1"),
        # One seed falls in the next hole, from the last one in the opponent's first.
        (
            "0,0,1,0,0,1/3,0,4,0,0,5 17-17 s 2 60",
            "C",
            "0,0,0,1,0,1/3,0,4,0,0,5 17-17 n 3 61",
        ),
        (
            "0,0,1,0,0,1/3,0,4,0,0,5 17-17 s 2 60",
            "F",
            "0,0,1,0,0,0/4,0,4,0,0,5 17-17 n 3 61",
        ),
        # Eleven reach the hole before the one they came from, ...
        (
            "0,1,11,1,0,1/4,4,0,4,4,4 7-7 s 2 60",
            "C",
            "1,2,0,2,1,2/5,5,1,5,5,5 7-7 n 3 61",
        ),
        # ... twelve skip it and end in the next one, thirteen end two further, ...
        (
            "0,1,12,1,0,1/4,4,0,4,4,4 7-6 s 2 60",
            "C",
            "1,2,0,3,1,2/5,5,1,5,5,5 7-6 n 3 61",
        ),
        (
            "0,1,13,1,0,1/4,4,0,4,4,4 6-6 s 2 60",
            "C",
            "1,2,0,3,2,2/5,5,1,5,5,5 6-6 n 3 61",
        ),
        # ... 22 end a second lap before it, 23 and 24 skip it twice.
        ("22,0,1,0,0,0/0,2,0,5,1,4 7-6 s 2 60", "A", "0,2,3,2,2,2/2,4,2,7,3,6 7-6 n 3 61"),
        ("23,0,1,0,0,0/0,2,0,5,1,4 6-6 s 2 60", "A", "0,3,3,2,2,2/2,4,2,7,3,6 6-6 n 3 61"),
        ("24,0,1,0,0,0/0,2,0,5,1,3 6-6 s 2 60", "A", "0,3,4,2,2,2/2,4,2,7,3,5 6-6 n 3 61"),
        # From the last hole, which is the first one skipped.
        ("0,0,1,0,0,12/4,5,0,4,5,4 7-6 s 2 60", "F", "1,1,2,1,1,0/6,6,1,5,6,5 7-6 n 3 61"),
        ("0,0,1,0,0,24/0,2,0,5,1,3 6-6 s 2 60", "F", "2,2,3,2,2,0/3,5,2,7,3,5 6-6 n 3 61"),
        # 34 go round three times.
        ("0,34,0,0,0,0/0,2,0,0,0,0 6-6 s 2 60", "B", "3,0,4,3,3,3/3,5,3,3,3,3 6-6 n 3 61"),
    ],
)
@BOTH_CAPTURES
def test_seeds_are_sown_one_by_one(text: str, move: str, expected: str, capture: str) -> None:
    """Seeds go one by one into the holes that follow, never into the one they came from (R21)."""
    assert after(text, move, capture=capture) == expected


def test_every_sowing() -> None:
    """From each hole, each number of seeds falls into the other eleven in turn (R21, R22)."""
    game = MancalaGame.mancala()
    for player in (0, 1):
        for hole in range(6):
            for number in range(1, 41):
                own, other = [0] * 6, [1, 0, 0, 0, 0, 0]
                own[hole], own[(hole + 1) % 6] = number, 1
                stores = (46 - number) // 2, (47 - number) // 2
                rows = (own, other) if player == 0 else (other, own)
                holes = "/".join(",".join(map(str, row)) for row in rows)
                at = game.from_text(f"{holes} {stores[0]}-{stores[1]} {'sn'[player]} 1 90")
                ring = own + other
                others = [(hole + k) % 12 for k in range(1, 12)]
                ring[hole] = 0
                for place, k in enumerate(others):
                    ring[k] += number // 11 + (place < number % 11)
                end = others[(number - 1) % 11]
                if end >= 6 and ring[end] in (2, 3):
                    left = ring.copy()
                    left[end] = 0
                    ring = left if sum(left[6:]) else ring
                rows_after = (ring[:6], ring[6:]) if player == 0 else (ring[6:], ring[:6])
                expected = "/".join(",".join(map(str, row)) for row in rows_after)
                assert at.play(hole).to_text().split(" ")[0] == expected


@pytest.mark.parametrize(
    ("text", "move", "expected"),
    [
        # The last seed makes one: nothing. Two and three: captured. Four and five: nothing.
        ("0,0,0,0,2,0/0,0,3,1,0,8 17-17 s 2 60", "E", "0,0,0,0,0,1/1,0,3,1,0,8 17-17 n 3 61"),
        ("0,0,0,0,2,0/1,0,3,1,0,8 17-16 s 2 60", "E", "0,0,0,0,0,1/0,0,3,1,0,8 19-16 n 0 61"),
        ("0,0,0,0,2,0/2,0,3,1,0,8 16-16 s 2 60", "E", "0,0,0,0,0,1/0,0,3,1,0,8 19-16 n 0 61"),
        ("0,0,0,0,2,0/3,0,3,1,0,8 16-15 s 2 60", "E", "0,0,0,0,0,1/4,0,3,1,0,8 16-15 n 3 61"),
        ("0,0,0,0,2,0/4,0,3,1,0,8 15-15 s 2 60", "E", "0,0,0,0,0,1/5,0,3,1,0,8 15-15 n 3 61"),
        # In one's own row two and three stay.
        ("0,0,2,0,1,0/1,0,3,1,0,8 16-16 s 2 60", "C", "0,0,0,1,2,0/1,0,3,1,0,8 16-16 n 3 61"),
        ("0,0,2,0,2,0/1,0,3,1,0,8 16-15 s 2 60", "C", "0,0,0,1,3,0/1,0,3,1,0,8 16-15 n 3 61"),
        # A lap ends in one's own row, behind opponent's holes of two and three.
        ("0,0,1,0,8,0/1,2,0,1,1,1 16-17 s 2 60", "E", "1,0,1,0,0,1/2,3,1,2,2,2 16-17 n 3 61"),
        # The last hole alone counts, not twos and threes sown on the way to others.
        ("0,0,0,0,0,3/1,2,4,0,0,5 16-17 s 2 60", "F", "0,0,0,0,0,0/2,3,5,0,0,5 16-17 n 3 61"),
        ("0,0,0,0,0,3/1,1,0,0,0,9 17-17 s 2 60", "F", "0,0,0,0,0,0/2,2,1,0,0,9 17-17 n 3 61"),
        # The opponent's last hole; and no others that hold two or three but got nothing.
        ("0,0,0,0,0,6/4,4,2,4,0,1 14-13 s 2 60", "F", "0,0,0,0,0,0/5,5,3,5,1,0 16-13 n 0 61"),
        ("0,0,0,0,0,1/2,2,3,2,0,3 17-18 s 2 60", "F", "0,0,0,0,0,0/0,2,3,2,0,3 20-18 n 0 61"),
        # A second lap: 0 and 2 is 2, 1 and 2 is 3, 2 and 2 is 4, and 13 from the first to the last.
        ("0,0,0,0,0,12/0,4,4,4,4,5 8-7 s 2 60", "F", "1,1,1,1,1,0/0,5,5,5,5,6 10-7 n 0 61"),
        ("0,0,0,0,0,12/1,4,4,4,0,8 8-7 s 2 60", "F", "1,1,1,1,1,0/0,5,5,5,1,9 11-7 n 0 61"),
        ("0,0,0,0,0,12/2,4,4,4,0,8 7-7 s 2 60", "F", "1,1,1,1,1,0/4,5,5,5,1,9 7-7 n 3 61"),
        ("17,0,0,0,0,0/4,4,4,4,1,0 7-7 s 2 60", "A", "0,2,2,2,2,2/6,5,5,5,2,1 7-7 n 3 61"),
        ("22,0,0,0,0,0/4,4,4,1,0,0 7-6 s 2 60", "A", "0,2,2,2,2,2/6,6,6,3,2,0 9-6 n 0 61"),
        ("22,0,0,0,0,0/4,4,4,0,0,1 7-6 s 2 60", "A", "0,2,2,2,2,2/6,6,6,2,2,0 10-6 n 0 61"),
    ],
)
def test_capture_from_the_last_hole(text: str, move: str, expected: str) -> None:
    """Two or three in the opponent's hole of the last seed are captured, from there alone (R22)."""
    assert after(text, move, capture="last") == expected


@pytest.mark.parametrize(
    ("text", "move", "last", "chain"),
    [
        # All the way back to the opponent's first hole, past neither end of it.
        (
            "0,0,0,0,2,3/1,2,1,3,0,8 14-14 s 2 60",
            "F",
            "0,0,0,0,2,0/2,3,0,3,0,8 16-14 n 0 61",
            "0,0,0,0,2,0/0,0,0,3,0,8 21-14 n 0 61",
        ),
        # The mover's own two and three before it stay: E becomes 3, F 2.
        (
            "0,0,0,3,2,1/1,2,1,3,0,8 14-13 s 2 60",
            "D",
            "0,0,0,0,3,2/0,2,1,3,0,8 16-13 n 0 61",
            "0,0,0,0,3,2/0,2,1,3,0,8 16-13 n 0 61",
        ),
        # It stops before a hole of four, ...
        (
            "0,0,0,0,0,4/1,3,2,1,0,9 14-14 s 2 60",
            "F",
            "0,0,0,0,0,0/2,4,3,0,0,9 16-14 n 0 61",
            "0,0,0,0,0,0/2,4,0,0,0,9 19-14 n 0 61",
        ),
        # ... and before one of one, whatever lies before that.
        (
            "0,0,0,0,0,4/1,0,2,1,0,9 15-16 s 2 60",
            "F",
            "0,0,0,0,0,0/2,1,3,0,0,9 17-16 n 0 61",
            "0,0,0,0,0,0/2,1,0,0,0,9 20-16 n 0 61",
        ),
        # It does not begin at four or one, whatever lies before it, ...
        (
            "0,0,0,0,0,3/1,1,3,1,0,9 15-15 s 2 60",
            "F",
            "0,0,0,0,0,0/2,2,4,1,0,9 15-15 n 3 61",
            "0,0,0,0,0,0/2,2,4,1,0,9 15-15 n 3 61",
        ),
        (
            "0,0,0,0,0,3/1,1,0,1,0,9 16-17 s 2 60",
            "F",
            "0,0,0,0,0,0/2,2,1,1,0,9 16-17 n 3 61",
            "0,0,0,0,0,0/2,2,1,1,0,9 16-17 n 3 61",
        ),
        # ... nor in the own row, behind the opponent's last hole.
        (
            "1,0,0,0,0,7/1,1,0,1,1,1 18-17 s 2 60",
            "F",
            "2,0,0,0,0,0/2,2,1,2,2,2 18-17 n 3 61",
            "2,0,0,0,0,0/2,2,1,2,2,2 18-17 n 3 61",
        ),
        # Four holes.
        (
            "0,0,0,0,0,4/1,2,1,2,0,3 18-17 s 2 60",
            "F",
            "0,0,0,0,0,0/2,3,2,0,0,3 21-17 n 0 61",
            "0,0,0,0,0,0/0,0,0,0,0,3 28-17 n 0 61",
        ),
        # After a lap the chain goes through holes that were sown once and twice.
        (
            "0,0,0,0,0,13/0,1,4,4,4,4 9-9 s 2 60",
            "F",
            "1,1,1,1,1,0/2,0,5,5,5,5 12-9 n 0 61",
            "1,1,1,1,1,0/0,0,5,5,5,5 14-9 n 0 61",
        ),
    ],
)
def test_capture_by_chain(text: str, move: str, last: str, chain: str) -> None:
    """A chain goes on to the opponent's holes before while they hold two or three (R22)."""
    assert after(text, move, capture="last") == last
    assert after(text, move, capture="chain") == chain


@pytest.mark.parametrize(
    ("text", "move", "last", "chain"),
    [
        # One hole is all the opponent has: neither rule captures it, be it two or three.
        (
            "0,0,0,0,1,1/1,0,0,0,0,0 23-22 s 3 80",
            "F",
            "0,0,0,0,1,0/2,0,0,0,0,0 23-22 n 4 81",
            "0,0,0,0,1,0/2,0,0,0,0,0 23-22 n 4 81",
        ),
        (
            "1,0,0,0,0,1/2,0,0,0,0,0 22-22 s 3 80",
            "F",
            "1,0,0,0,0,0/3,0,0,0,0,0 22-22 n 4 81",
            "1,0,0,0,0,0/3,0,0,0,0,0 22-22 n 4 81",
        ),
        # A chain of all holes does not happen, not even in part; the last hole alone does.
        (
            "0,0,0,0,1,2/1,2,0,0,0,0 21-21 s 3 80",
            "F",
            "0,0,0,0,1,0/2,0,0,0,0,0 24-21 n 0 81",
            "0,0,0,0,1,0/2,3,0,0,0,0 21-21 n 4 81",
        ),
        (
            "0,0,0,0,1,5/1,2,1,2,1,0 18-17 s 3 80",
            "F",
            "0,0,0,0,1,0/2,3,2,3,0,0 20-17 n 0 81",
            "0,0,0,0,1,0/2,3,2,3,2,0 18-17 n 4 81",
        ),
        (
            "0,0,0,0,0,17/0,1,0,1,0,1 14-14 s 3 80",
            "F",
            "1,1,1,1,1,0/2,3,2,3,2,0 17-14 n 0 81",
            "1,1,1,1,1,0/2,3,2,3,2,3 14-14 n 4 81",
        ),
        # A seed that is left, before the chain or behind it, makes both captures happen.
        (
            "0,0,0,0,1,2/1,2,0,0,0,1 20-21 s 3 80",
            "F",
            "0,0,0,0,1,0/2,0,0,0,0,1 23-21 n 0 81",
            "0,0,0,0,1,0/0,0,0,0,0,1 25-21 n 0 81",
        ),
        (
            "0,0,0,0,1,3/0,1,2,0,0,0 20-21 s 3 80",
            "F",
            "0,0,0,0,1,0/1,2,0,0,0,0 23-21 n 0 81",
            "0,0,0,0,1,0/1,0,0,0,0,0 25-21 n 0 81",
        ),
        # A prevented capture would have won.
        (
            "1,0,0,0,0,1/1,0,0,0,0,0 24-21 s 3 80",
            "F",
            "1,0,0,0,0,0/2,0,0,0,0,0 24-21 n 4 81",
            "1,0,0,0,0,0/2,0,0,0,0,0 24-21 n 4 81",
        ),
        # Seeds that the move itself brings count as the opponent's.
        (
            "0,0,0,0,1,2/0,1,0,0,0,0 22-22 s 3 80",
            "F",
            "0,0,0,0,1,0/1,0,0,0,0,0 24-22 n 0 81",
            "0,0,0,0,1,0/1,0,0,0,0,0 24-22 n 0 81",
        ),
    ],
)
def test_no_starving(text: str, move: str, last: str, chain: str) -> None:
    """A capture of all the opponent has does not happen; the move counts as none (R23)."""
    assert after(text, move, capture="last") == last
    assert after(text, move, capture="chain") == chain


@pytest.mark.parametrize("player", [0, 1])
def test_the_observation_begins_with_the_own_side(player: int) -> None:
    """Sixteen numbers from the player's own side, as the documentation says."""
    text = "0,1,2,3,5,4/7,8,6,0,2,1 4-5 s 2 21"
    at = MancalaGame.mancala().from_text(text if player == 0 else exchanged(text))
    south, north = [0, 1, 2, 3, 5, 4], [7, 8, 6, 0, 2, 1]
    assert at.observation(player).tolist() == [*south, *north, 4, 5, 2, 1]
    assert at.observation(1 - player).tolist() == [*north, *south, 5, 4, 2, 0]


@BOTH_CAPTURES
def test_sides_are_alike(capture: str, scale: Callable[[int], int]) -> None:
    """Exchanging the players exchanges everything in whole games, the outcome too."""
    game = MancalaGame.mancala(capture=capture)

    def turn(at: Position) -> Position:
        return game.from_text(exchanged(at.to_text()))

    for playthrough in random_games(game, scale(50)):
        other = turn(playthrough.positions[0])
        for at, action in zip(playthrough.positions, playthrough.actions, strict=False):
            assert turn(at) == other
            assert at.legal_actions() == other.legal_actions()
            assert at.observation(0).tolist() == other.observation(1).tolist()
            other = other.play(action)
        assert other == turn(playthrough.positions[-1])
