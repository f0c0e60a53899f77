"""Feeding, the ends of Mancala and its two ways to reward, rule by rule (R24 to R27)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mammalath_env.core import transition
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.outcome import Outcome, Termination
from mammalath_env.core.position import Position
from mammalath_env.envs.turn import take_turn_and_write_mask
from mammalath_env.games.mancala.game import MancalaGame
from mammalath_env.games.mancala.state import MancalaTermination
from tests.games.boards import play_text
from tests.games.random_play import random_games, until
from tests.games.test_rules_mancala import BOTH_CAPTURES, exchanged

MAJORITY = MancalaTermination.MAJORITY
CANNOT_BE_FED = MancalaTermination.OPPONENT_CANNOT_BE_FED
NO_CAPTURE_LIMIT = MancalaTermination.NO_CAPTURE_LIMIT
SOUTH, NORTH, DRAW = 0, 1, None
RETURNS = {SOUTH: (1.0, -1.0), NORTH: (-1.0, 1.0), DRAW: (0.0, 0.0)}


def _stores(at: Position) -> tuple[int, int]:
    south, north = at.to_text().split(" ")[1].split("-")
    return int(south), int(north)


def _check_end(
    text: str, move: str, expected: str, winner: int | None, reason: Any, **options: Any
) -> None:
    """Check that `move` ends the game like this, for both players and both ways to reward."""
    for turned in (False, True):
        for reward in ("outcome", "seeds"):
            game = MancalaGame.mancala(reward=reward, **options)
            before = game.from_text(exchanged(text) if turned else text)
            assert before.outcome is None
            after = play_text(before, move.swapcase() if turned else move)
            assert after.to_text() == (exchanged(expected) if turned else expected)
            won = winner if winner is None or not turned else 1 - winner
            south, north = _stores(after)
            margin = float(south - north)
            returns = RETURNS[won] if reward == "outcome" else (margin, -margin)
            assert after.outcome == Outcome(won, reason, returns)
            assert after.legal_actions() == []
            assert not after.action_mask().any()
            again = game.from_text(after.to_text())
            assert again == after
            assert again.outcome == after.outcome
            for action in range(6):
                with pytest.raises(IllegalMoveError, match="no move after the end"):
                    after.play(action)


def _check_running(text: str, move: str, expected: str, **options: Any) -> None:
    """Check that `move` leads to this and the game goes on, for both players."""
    game = MancalaGame.mancala(**options)
    for before, letter, after in (
        (text, move, expected),
        (exchanged(text), move.swapcase(), exchanged(expected)),
    ):
        there = play_text(game.from_text(before), letter)
        assert there.to_text() == after
        assert there.outcome is None
        assert there.legal_actions()
        assert game.from_text(after) == there


@pytest.mark.parametrize(
    ("holes", "moves"),
    [
        # Just enough seeds to reach the other row, and one too few, from every hole.
        ("6,5,4,3,2,1", "ABCDEF"),
        ("5,4,3,2,1,1", "F"),
        ("5,4,3,2,2,0", "E"),
        ("5,4,3,3,1,0", "D"),
        ("5,4,4,2,1,0", "C"),
        ("5,5,3,2,1,0", "B"),
        ("6,4,3,2,1,0", "A"),
        ("1,0,3,0,2,0", "E"),
        ("0,0,0,3,1,1", "DF"),
        ("0,14,0,0,1,0", "B"),
    ],
)
def test_an_empty_row_must_be_fed(holes: str, moves: str) -> None:
    """If the opponent has no seed, only moves that bring one are legal (R24)."""
    total = sum(map(int, holes.split(",")))
    stores = f"{(48 - total) // 2}-{(49 - total) // 2}"
    game = MancalaGame.mancala()
    at = game.from_text(f"{holes}/0,0,0,0,0,0 {stores} s 4 80")
    assert at.legal_moves() == list(moves)
    turned = game.from_text(exchanged(at.to_text()))
    assert turned.legal_moves() == list(moves.lower())
    for action in range(6):
        if action in at.legal_actions():
            fed = at.play(action).to_text().split(" ")[0].split("/")[1]
            assert fed != "0,0,0,0,0,0"
        else:
            with pytest.raises(IllegalMoveError, match=f"illegal move {'ABCDEF'[action]} "):
                at.play(action)


def test_one_seed_in_the_row_makes_all_moves_legal() -> None:
    """The duty holds for an empty row only (R24)."""
    game = MancalaGame.mancala()
    at = game.from_text("5,4,3,2,1,1/0,0,0,0,0,1 16-15 s 4 80")
    assert at.legal_moves() == list("ABCDEF")


def test_who_runs_out_of_seeds_is_fed() -> None:
    """A player may give away their last seed and then is fed (R24)."""
    _check_running(
        "0,0,0,0,0,1/3,0,0,0,0,2 20-22 s 4 80", "F", "0,0,0,0,0,0/4,0,0,0,0,2 20-22 n 5 81"
    )
    at = MancalaGame.mancala().from_text("0,0,0,0,0,0/4,0,0,0,0,2 20-22 n 5 81")
    assert at.legal_moves() == ["f"]
    assert at.play(5).to_text() == "1,1,0,0,0,0/4,0,0,0,0,0 20-22 s 6 82"


@pytest.mark.parametrize(
    ("text", "stores", "winner"),
    [
        # The last seed goes over, and nothing can come back: all that is left is the opponent's.
        ("0,0,0,0,0,1/0,1,0,0,0,0 23-23 s 3 80", "23-25 n 4 81", NORTH),
        ("0,0,0,0,0,1/0,1,0,0,0,0 24-22 s 3 80", "24-24 n 4 81", DRAW),
        ("0,0,0,0,0,1/0,0,0,1,0,0 24-22 s 3 80", "24-24 n 4 81", DRAW),
        ("0,0,0,0,0,1/0,0,0,2,0,0 23-22 s 3 80", "23-25 n 4 81", NORTH),
        # Many seeds can be too few in each hole; the winner had far fewer in the store (R27).
        ("0,0,0,0,0,1/4,4,3,2,1,0 24-9 s 3 80", "24-24 n 4 81", DRAW),
        ("0,0,0,0,0,1/4,4,3,2,1,0 20-13 s 3 80", "20-28 n 4 81", NORTH),
        # The ply may capture as well.
        ("0,0,0,0,0,1/1,1,0,0,0,0 22-23 s 7 80", "24-24 n 0 81", DRAW),
        ("0,0,0,0,0,1/2,2,0,0,0,0 20-23 s 7 80", "23-25 n 0 81", NORTH),
    ],
)
@BOTH_CAPTURES
def test_who_cannot_feed_takes_all(
    text: str, stores: str, winner: int | None, capture: str
) -> None:
    """If no move can feed an empty row, the game ends before the next ply (R24)."""
    end = f"0,0,0,0,0,0/0,0,0,0,0,0 {stores}"
    _check_end(text, "F", end, winner, CANNOT_BE_FED, capture=capture)


@pytest.mark.parametrize("hole", range(6))
@BOTH_CAPTURES
def test_one_seed_decides_whether_a_row_can_be_fed(hole: int, capture: str) -> None:
    """With just enough seeds in any one hole the game goes on, with one fewer not (R24)."""
    for missing in (0, 1):
        after = [1, 0, 0, 0, 0, 0]
        after[hole] = 6 - hole - missing
        before = [after[0] - 1, *after[1:]]
        left = 48 - sum(after)
        stores = left // 2, left - left // 2
        text = f"0,0,0,0,0,1/{','.join(map(str, before))} {stores[0]}-{stores[1]} s 3 80"
        if missing:
            taken = stores[1] + sum(after)
            winner = DRAW if taken == 24 else NORTH
            end = f"0,0,0,0,0,0/0,0,0,0,0,0 {stores[0]}-{taken} n 4 81"
            _check_end(text, "F", end, winner, CANNOT_BE_FED, capture=capture)
        else:
            row = ",".join(map(str, after))
            end = f"0,0,0,0,0,0/{row} {stores[0]}-{stores[1]} n 4 81"
            _check_running(text, "F", end, capture=capture)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # 25 with a capture of two and of three, and 26; what is on the board stays there.
        ("0,2,0,0,0,1/1,0,0,1,0,0 23-20 s 3 80", "0,2,0,0,0,0/0,0,0,1,0,0 25-20 n 0 81"),
        ("0,2,0,0,0,1/2,0,0,1,0,0 22-20 s 3 80", "0,2,0,0,0,0/0,0,0,1,0,0 25-20 n 0 81"),
        ("0,0,0,0,0,1/1,0,0,1,0,0 24-21 s 3 80", "0,0,0,0,0,0/0,0,0,1,0,0 26-21 n 0 81"),
        ("0,0,0,0,0,1/2,0,0,1,0,0 24-20 s 3 80", "0,0,0,0,0,0/0,0,0,1,0,0 27-20 n 0 81"),
        # Even if the other player has a full row.
        ("0,0,0,0,0,1/2,0,9,9,0,0 24-3 s 3 80", "0,0,0,0,0,0/0,0,9,9,0,0 27-3 n 0 81"),
        # And on the ply that would reach the limit if it did not capture (R26).
        ("0,2,0,0,0,1/1,0,0,1,0,0 23-20 s 99 180", "0,2,0,0,0,0/0,0,0,1,0,0 25-20 n 0 181"),
        # And if what is left could not feed the winner (R24).
        ("0,0,0,0,0,1/1,0,0,2,0,0 23-21 s 3 80", "0,0,0,0,0,0/0,0,0,2,0,0 25-21 n 0 81"),
    ],
)
@BOTH_CAPTURES
def test_majority_wins(before: str, after: str, capture: str) -> None:
    """25 seeds in a store win at once (R25)."""
    _check_end(before, "F", after, SOUTH, MAJORITY, capture=capture)


@BOTH_CAPTURES
def test_24_seeds_do_not_win(capture: str) -> None:
    """With 24 in one store the game goes on, and with 24 in one and 23 in the other (R25)."""
    for before, after in (
        ("0,2,0,0,0,1/1,0,0,3,0,0 22-19 s 3 80", "0,2,0,0,0,0/0,0,0,3,0,0 24-19 n 0 81"),
        ("0,0,0,0,0,1/2,0,0,3,0,0 21-21 s 3 80", "0,0,0,0,0,0/0,0,0,3,0,0 24-21 n 0 81"),
        ("0,0,0,0,0,1/1,0,0,0,0,1 22-23 s 3 80", "0,0,0,0,0,0/0,0,0,0,0,1 24-23 n 0 81"),
    ):
        _check_running(before, "F", after, capture=capture)


def test_24_each_draws() -> None:
    """24 each can only come from taking the last seeds, which R24 and R26 do (R25, R27).

    A capture leaves the opponent a seed (R23), so that no capture ends a game at 24 each, and the
    reason is never that of R25. This holds where the last ply captures, too.
    """
    _check_end(
        "0,0,0,0,0,1/1,1,0,0,0,0 22-23 s 7 80",
        "F",
        "0,0,0,0,0,0/0,0,0,0,0,0 24-24 n 0 81",
        DRAW,
        CANNOT_BE_FED,
    )
    _check_end(
        "0,0,0,0,0,1/0,0,0,0,0,0 24-23 s 3 80",
        "F",
        "0,0,0,0,0,0/0,0,0,0,0,0 24-24 n 4 81",
        DRAW,
        CANNOT_BE_FED,
    )
    _check_end(
        "0,0,0,1,0,0/0,1,0,0,0,0 23-23 s 99 280",
        "D",
        "0,0,0,0,0,0/0,0,0,0,0,0 24-24 n 100 281",
        DRAW,
        NO_CAPTURE_LIMIT,
    )


@pytest.mark.parametrize("limit", [1, 2, 7, 100, 127])
@BOTH_CAPTURES
def test_no_capture_limit(limit: int, capture: str) -> None:
    """After that many plies without a capture each takes the own seeds, not one before (R26)."""
    options = {"no_capture_limit": limit, "capture": capture}
    ply = 13 * limit
    for south, winner in ((13, DRAW), (14, SOUTH), (12, NORTH)):
        stores = f"{south}-{26 - south}"
        taken = f"{south + 11}-{37 - south}"
        _check_end(
            f"3,0,2,0,5,1/0,7,0,0,0,4 {stores} s {limit - 1} {ply}",
            "A",
            f"0,0,0,0,0,0/0,0,0,0,0,0 {taken} n {limit} {ply + 1}",
            winner,
            NO_CAPTURE_LIMIT,
            **options,
        )
        if limit > 1:
            _check_running(
                f"3,0,2,0,5,1/0,7,0,0,0,4 {stores} s {limit - 2} {ply}",
                "A",
                f"0,1,3,1,5,1/0,7,0,0,0,4 {stores} n {limit - 1} {ply + 1}",
                **options,
            )
    # A capture on the last ply starts the count again.
    _check_running(
        f"0,0,2,0,5,1/1,7,0,0,0,4 14-14 s {limit - 1} {ply}",
        "F",
        f"0,0,2,0,5,0/0,7,0,0,0,4 16-14 n 0 {ply + 1}",
        **options,
    )


def test_the_fuller_row_can_decide() -> None:
    """Whoever was behind may win by taking their own seeds from the board (R26, R27)."""
    _check_end(
        "0,0,0,0,0,3/9,0,3,8,0,0 20-5 s 99 180",
        "F",
        "0,0,0,0,0,0/0,0,0,0,0,0 20-28 n 100 181",
        NORTH,
        NO_CAPTURE_LIMIT,
    )


def test_a_prevented_capture_is_a_ply_without_one() -> None:
    """It may be the ply that reaches the limit (R23, R26)."""
    _check_end(
        "0,0,0,0,1,1/1,0,0,0,0,0 23-22 s 99 180",
        "F",
        "0,0,0,0,0,0/0,0,0,0,0,0 24-24 n 100 181",
        DRAW,
        NO_CAPTURE_LIMIT,
    )


def test_limit_comes_before_feeding() -> None:
    """If one ply brings both, the seeds go the same way, and the limit is named (R24, R26)."""
    text = "0,0,0,0,0,1/0,1,0,0,0,0 23-23 s {} 180"
    end = "0,0,0,0,0,0/0,0,0,0,0,0 23-25 n {} 181"
    _check_end(text.format(99), "F", end.format(100), NORTH, NO_CAPTURE_LIMIT)
    _check_end(text.format(98), "F", end.format(99), NORTH, CANNOT_BE_FED)


def test_limit_of_one_from_the_start() -> None:
    """No first ply captures, so that with a limit of 1 it ends the game (R26)."""
    game = MancalaGame.mancala(no_capture_limit=1)
    assert game.max_plies == 24
    for player in (0, 1):
        for action, south in zip(range(6), (24, 24, 23, 22, 21, 20), strict=True):
            end = game.deal(0, first_player=player).play(action)
            stores = (south, 48 - south) if player == 0 else (48 - south, south)
            assert _stores(end) == stores
            assert end.outcome is not None
            assert end.outcome.winner == (None if south == 24 else 1 - player)
            assert end.outcome.termination is NO_CAPTURE_LIMIT


@BOTH_CAPTURES
def test_seeds_as_reward(capture: str, scale: Callable[[int], int]) -> None:
    """Each ply pays the seeds stored less those the opponent stored, the end included."""
    game = MancalaGame.mancala(capture=capture, reward="seeds", no_capture_limit=15)
    by_outcome = MancalaGame.mancala(capture=capture, no_capture_limit=15)
    legal, other_legal, mask = game.new_legal(), game.new_legal(), np.zeros(6, np.int8)
    reasons: set[Termination] = set()
    count = until(lambda: reasons == set(MancalaTermination), scale(200), 200)
    for _, playthrough in zip(count, random_games(game, 200, seed=25), strict=False):
        row = playthrough.positions[0].row
        other_row = row.copy()
        transition.write_legal(game.tables, row, legal)
        transition.write_legal(by_outcome.tables, other_row, other_legal)
        total = 0
        stores = (0, 0)
        for action, at in zip(playthrough.actions, playthrough.positions[1:], strict=True):
            result, gain, _, _ = take_turn_and_write_mask(
                game.tables, row, legal, mask, action, -1.0
            )
            _, plain, _, _ = take_turn_and_write_mask(
                by_outcome.tables, other_row, other_legal, mask, action, -1.0
            )
            south, north = _stores(at)
            assert gain == (south - stores[0]) - (north - stores[1])
            # Only the end can bring the waiting player seeds.
            waiting = at.to_move
            assert (south, north)[waiting] == stores[waiting] or at.is_over
            assert result == (transition.OVER if at.is_over else transition.RUNNING)
            assert at.is_over or plain == 0
            stores = south, north
            total += int(gain)
        end = playthrough.positions[-1].outcome
        assert end is not None
        assert end.returns == (total, -total) == (stores[0] - stores[1], stores[1] - stores[0])
        assert plain == (total > 0) - (total < 0)
        assert end.winner == {1: SOUTH, -1: NORTH, 0: DRAW}[int(plain)]
        reasons.add(end.termination)
    assert reasons == set(MancalaTermination)


@BOTH_CAPTURES
def test_no_random_game_ends_at_24_each_by_r25(capture: str, scale: Callable[[int], int]) -> None:
    """Draws come by R24 or R26, with nothing left on the board (R23, R25)."""
    draws: set[Termination] = set()
    reasons = {CANNOT_BE_FED, NO_CAPTURE_LIMIT}
    games = [MancalaGame.mancala(capture=capture, no_capture_limit=limit) for limit in (8, 100)]
    played = zip(*(random_games(game, 300, seed=24) for game in games), strict=True)
    for _, pair in zip(until(lambda: draws == reasons, scale(300), 300), played, strict=False):
        for positions, _ in pair:
            end = positions[-1]
            assert end.outcome is not None
            if end.outcome.winner is None:
                assert end.to_text().startswith("0,0,0,0,0,0/0,0,0,0,0,0 24-24 ")
                draws.add(end.outcome.termination)
    assert draws == reasons


@BOTH_CAPTURES
def test_every_position_reads_back(capture: str, scale: Callable[[int], int]) -> None:
    """All positions of random games are the same when read from their text, ends too."""
    for limit in (3, 20, 100):
        game = MancalaGame.mancala(capture=capture, no_capture_limit=limit)
        for playthrough in random_games(game, scale(30), seed=limit):
            assert len(playthrough.actions) <= game.max_plies
            for at in playthrough.positions:
                again = game.from_text(at.to_text())
                assert again == at
                assert again.outcome == at.outcome
                assert sum(_stores(at)) <= 48
