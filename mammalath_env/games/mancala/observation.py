"""Observations of Mancala positions, as sixteen numbers.

=====  =========================================================================
index  content
=====  =========================================================================
0-5    seeds in the player's holes, from their left to their right
6-11   seeds in the opponent's holes, from the opponent's left to their right
12     seeds in the player's store
13     seeds in the opponent's store
14     plies since the last capture
15     1 if the player is to move (after the end: would be next), else 0
=====  =========================================================================
"""

from __future__ import annotations

from mammalath_env.core import status
from mammalath_env.core.bits import Int8s, Words
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.games.mancala.config import NUM_HOLES
from mammalath_env.games.mancala.state import SIDE_WORD, seeds_in, store_of

NUM_ENTRIES = 16


@kernel
def write_observation(
    tables: Tables, row: Words, player: int, channels_first: bool, out: Int8s
) -> None:
    """Write what `player` sees into ``out``, int8[16]; there are no planes to order."""
    own = row[SIDE_WORD + player]
    other = row[SIDE_WORD + 1 - player]
    for hole in range(NUM_HOLES):
        out[hole] = seeds_in(own, hole)
        out[NUM_HOLES + hole] = seeds_in(other, hole)
    out[12] = store_of(own)
    out[13] = store_of(other)
    out[14] = status.counter(row)
    out[15] = 1 if status.to_move(row) == player else 0
