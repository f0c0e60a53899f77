"""The words of a Mancala position row, how to read them, and the reasons for an end.

====  ==================================================================================
word  content
====  ==================================================================================
0     status, see `mammalath_env.core.status`; its counter is the plies since a capture
1     south: bytes 0 to 5 the seeds in holes A to F, byte 6 the store
2     north: bytes 0 to 5 the seeds in holes a to f, byte 6 the store
====  ==================================================================================

A player's holes are numbered from their left to their right, the direction of sowing.
"""

from __future__ import annotations

import numpy as np

from mammalath_env.core.bits import as_int
from mammalath_env.core.jit import kernel
from mammalath_env.core.outcome import Termination
from mammalath_env.games.mancala.config import NUM_HOLES

SIDE_WORD = 1
"""Word of south's holes and store; north's follows."""

NUM_WORDS = 3

PLAYERS = ("south", "north")

BYTE = np.uint64(0xFF)
STORE = np.uint64(8 * NUM_HOLES)
"""Where the byte of the store begins in the word of a side."""
HOLES = np.uint64((1 << 8 * NUM_HOLES) - 1)
"""The bytes of the holes in the word of a side."""


class MancalaTermination(Termination):
    """Why a game of Mancala ended."""

    MAJORITY = 1
    """A store holds 25 seeds or more (R25). Ends at 24 each have one of the other reasons."""
    OPPONENT_CANNOT_BE_FED = 2
    """The player to move cannot feed an empty row, and takes all seeds (R24)."""
    NO_CAPTURE_LIMIT = 3
    """Too many plies without a capture: each takes the seeds of their row (R26).

    Named too where `OPPONENT_CANNOT_BE_FED` holds at the same time.
    """


@kernel
def seeds_in(side: np.uint64, hole: int) -> int:
    """Return the seeds in one hole of a side, the word of a player."""
    return as_int((side >> np.uint64(8 * hole)) & BYTE)


@kernel
def store_of(side: np.uint64) -> int:
    """Return the seeds in the store of a side."""
    return as_int(side >> STORE)


@kernel
def seeds_in_row(side: np.uint64) -> int:
    """Return the seeds in all holes of a side."""
    total = 0
    for hole in range(NUM_HOLES):
        total += seeds_in(side, hole)
    return total
