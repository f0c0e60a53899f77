"""Evaluation of Mancala positions: immediate wins, and a score of seeds and captures.

Captures in reach are found by sowing each hole, which by the tables of
`mammalath_env.games.mancala.rules.sow` costs a few instructions.
"""

from __future__ import annotations

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import ONE, ZERO, Words
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.games.mancala.config import NUM_HOLES
from mammalath_env.games.mancala.legal import holes_to_sow
from mammalath_env.games.mancala.rules import apply, sow
from mammalath_env.games.mancala.state import SIDE_WORD, seeds_in, seeds_in_row, store_of

# Weights of the evaluation: a seed in store, the best capture of the player to move and of the
# waiting one, a seed in the own row.
_STORED = 100
_CAPTURE_NOW = 60
_CAPTURE_LATER = 20
_IN_ROW = 3


@kernel
def best_capture(tables: Tables, own: np.uint64, other: np.uint64) -> int:
    """Return the most seeds that one sowing from the side `own` captures."""
    best = 0
    for hole in range(NUM_HOLES):
        if seeds_in(own, hole) > 0:
            best = max(best, store_of(sow(tables, own, other, hole)[0]) - store_of(own))
    return best


@kernel
def can_win(tables: Tables, row: Words) -> bool:
    """Return whether some sowing of the player to move ends the game in their favour.

    Sides and status are put back afterwards.
    """
    mover = status.to_move(row)
    state = row[status.STATUS]
    south = row[SIDE_WORD]
    north = row[SIDE_WORD + 1]
    holes = holes_to_sow(row[SIDE_WORD + mover], row[SIDE_WORD + 1 - mover])
    found = False
    for hole in range(NUM_HOLES):
        if (holes >> np.uint64(hole)) & ONE != ZERO:
            apply(tables, row, hole)
            found |= status.winner_code(row) == mover
            row[status.STATUS] = state
            row[SIDE_WORD] = south
            row[SIDE_WORD + 1] = north
    return found


@kernel
def must_lose(tables: Tables, row: Words) -> bool:
    """Return False: whether an end can be prevented takes a search."""
    return False


@kernel
def evaluate(tables: Tables, row: Words, player: int) -> int:
    """Return the score of stores, captures in reach and seeds in the row, for `player`.

    Seeds in the own row are moves to come, and feed the opponent when that is a duty.
    """
    own = row[SIDE_WORD + player]
    other = row[SIDE_WORD + 1 - player]
    to_move = status.to_move(row) == player
    own_capture = _CAPTURE_NOW if to_move else _CAPTURE_LATER
    other_capture = _CAPTURE_LATER if to_move else _CAPTURE_NOW
    return (
        _STORED * (store_of(own) - store_of(other))
        + own_capture * best_capture(tables, own, other)
        - other_capture * best_capture(tables, other, own)
        + _IN_ROW * (seeds_in_row(own) - seeds_in_row(other))
    )
