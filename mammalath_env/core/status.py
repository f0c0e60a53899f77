"""Word 0 of every position row: who is to move, the ply, and how the game ended.

======  =====================================================================
bits    content
======  =====================================================================
0       player to move; after the end, the player who would be next
1-2     result: 0 running, 1 won by player 0, 2 won by player 1, 3 drawn
3-7     reason of the end, a value of the game's termination enum; 0 running
8-23    plies played
24-39   a counter that the game may keep
======  =====================================================================

Being the same for all games, it is what environments and agents read without knowing the game.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core.bits import ONE, ZERO, Words, as_int
from mammalath_env.core.jit import kernel

STATUS = 0
"""Index of the status word in a row."""

DRAW = 2
"""Value of `winner_code` for a draw; 0 and 1 are players."""

_RESULT_SHIFT = ONE
_RESULT_MASK = np.uint64(3)
_REASON_SHIFT = np.uint64(3)
_REASON_MASK = np.uint64(31)
_PLY_SHIFT = np.uint64(8)
_PLY_MASK = np.uint64(0xFFFF)
_COUNTER_SHIFT = np.uint64(24)
_ONE_PLY = np.uint64(1 << 8)
_COUNTER_FIELD = np.uint64(0xFFFF << 24)


class Status(NamedTuple):
    """The fields of a status word, for Python; kernels call the functions below.

    Attributes:
        to_move: The player to move, 0 or 1; after the end, the player who would be next.
        ply: Plies played.
        winner: 0, 1, `DRAW`, or -1 while the game runs.
        reason: Value of the game's termination enum, 0 while the game runs.
        counter: A number that the game keeps, such as plies since a capture.
    """

    to_move: int
    ply: int
    winner: int
    reason: int
    counter: int

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.winner >= 0


def read_status(row: Words) -> Status:
    """Return the status of a position row."""
    word = int(row[STATUS])
    return Status(
        to_move=word & 1,
        ply=word >> 8 & 0xFFFF,
        winner=(word >> 1 & 3) - 1,
        reason=word >> 3 & 31,
        counter=word >> 24 & 0xFFFF,
    )


def sides_to_move(rows: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Return the player to move in each of several position rows, int8[rows]."""
    return (rows[:, STATUS] & ONE).astype(np.int8)


@kernel
def to_move(row: Words) -> int:
    """Return the player to move, 0 or 1."""
    return as_int(row[STATUS] & ONE)


@kernel
def ply(row: Words) -> int:
    """Return the number of plies played."""
    return as_int((row[STATUS] >> _PLY_SHIFT) & _PLY_MASK)


@kernel
def counter(row: Words) -> int:
    """Return the counter that the game keeps in the status word."""
    return as_int((row[STATUS] >> _COUNTER_SHIFT) & _PLY_MASK)


@kernel
def is_over(row: Words) -> bool:
    """Return whether the game has ended."""
    return (row[STATUS] >> _RESULT_SHIFT) & _RESULT_MASK != ZERO


@kernel
def winner_code(row: Words) -> int:
    """Return 0 or 1 for the winner, `DRAW` for a draw, -1 while the game runs."""
    return as_int((row[STATUS] >> _RESULT_SHIFT) & _RESULT_MASK) - 1


@kernel
def reason(row: Words) -> int:
    """Return the value of the game's termination enum, 0 while the game runs."""
    return as_int((row[STATUS] >> _REASON_SHIFT) & _REASON_MASK)


@kernel
def outcome_return(row: Words) -> int:
    """Return the return of player 0: 1 won, -1 lost, 0 drawn or running."""
    winner = winner_code(row)
    if winner == 0:
        return 1
    if winner == 1:
        return -1
    return 0


@kernel
def start(row: Words, first_player: int, plies: int) -> None:
    """Clear the status word and set who is to move and how many plies were played."""
    row[STATUS] = np.uint64(first_player) | (np.uint64(plies) << _PLY_SHIFT)


@kernel
def pass_turn(row: Words) -> None:
    """Count one ply and hand the turn to the other player."""
    row[STATUS] = (row[STATUS] + _ONE_PLY) ^ ONE


@kernel
def set_counter(row: Words, value: int) -> None:
    """Store the counter that the game keeps in the status word."""
    row[STATUS] = (row[STATUS] & ~_COUNTER_FIELD) | (np.uint64(value) << _COUNTER_SHIFT)


@kernel
def finish(row: Words, winner: int, reason: int) -> None:
    """End the game.

    Args:
        row: Position of which the status word is changed.
        winner: 0, 1 or `DRAW`.
        reason: Value of the game's termination enum, 1 to 31.
    """
    row[STATUS] |= np.uint64(winner + 1) << _RESULT_SHIFT
    row[STATUS] |= np.uint64(reason) << _REASON_SHIFT
