"""The deal of Mancala, in which only the first player is random."""

from __future__ import annotations

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import Words
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import next_below
from mammalath_env.games.mancala.config import NUM_HOLES, SEEDS_PER_HOLE
from mammalath_env.games.mancala.state import SIDE_WORD

_START = np.uint64(sum(SEEDS_PER_HOLE << 8 * hole for hole in range(NUM_HOLES)))


@kernel
def deal(tables: Tables, row: Words, stream: Words, first_player: int) -> None:
    """Write the start position (R20), with the first player drawn if -1."""
    drawn = next_below(stream, 2)
    status.start(row, drawn if first_player < 0 else first_player, 0)
    row[SIDE_WORD] = _START
    row[SIDE_WORD + 1] = _START
