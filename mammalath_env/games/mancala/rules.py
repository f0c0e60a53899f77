"""The rules of Mancala as kernels; the rule numbers are those of ``docs/rules.md``.

A side is one word with a byte for each hole, see `mammalath_env.games.mancala.state`. Sowing adds
two words from a table: what each of the twelve holes gets depends only on the hole of origin and
the seeds in it. No byte overflows, as there are 48 seeds.
"""

from __future__ import annotations

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import ZERO, Words
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.games.mancala.config import MAJORITY, NUM_HOLES
from mammalath_env.games.mancala.legal import can_feed, holes_to_sow
from mammalath_env.games.mancala.state import (
    BYTE,
    HOLES,
    SIDE_WORD,
    STORE,
    MancalaTermination,
    seeds_in,
    seeds_in_row,
    store_of,
)

_MAJORITY = int(MancalaTermination.MAJORITY)
_CANNOT_BE_FED = int(MancalaTermination.OPPONENT_CANNOT_BE_FED)
_NO_CAPTURE_LIMIT = int(MancalaTermination.NO_CAPTURE_LIMIT)


@kernel
def write_legal(tables: Tables, row: Words, legal: Words) -> None:
    """Write the set of holes that may be sown (R21, R24), empty after the end."""
    legal[0] = ZERO
    if status.is_over(row):
        return
    mover = status.to_move(row)
    legal[0] = holes_to_sow(row[SIDE_WORD + mover], row[SIDE_WORD + 1 - mover])


@kernel
def apply(tables: Tables, row: Words, action: int) -> None:
    """Sow from hole `action` of the player to move, capture, and end the game if it is decided."""
    mover = status.to_move(row)
    before = row[SIDE_WORD + mover]
    own, other = sow(tables, before, row[SIDE_WORD + 1 - mover], action)
    row[SIDE_WORD + mover] = own
    row[SIDE_WORD + 1 - mover] = other
    has_captured = store_of(own) > store_of(before)
    status.pass_turn(row)
    plies_since_capture = 0 if has_captured else status.counter(row) + 1
    status.set_counter(row, plies_since_capture)
    end_game_if_decided(tables, row)


@kernel
def sow(tables: Tables, own: np.uint64, other: np.uint64, hole: int) -> tuple[np.uint64, np.uint64]:
    """Return both sides after sowing from `hole` and capturing (R21 to R23)."""
    seeds = seeds_in(own, hole)
    own -= np.uint64(seeds) << np.uint64(8 * hole)
    own += tables[0]["sown"][hole, seeds, 0]
    other += tables[0]["sown"][hole, seeds, 1]
    left = after_capture(tables, other, tables[0]["last"][hole, seeds])
    captured = seeds_in_row(other) - seeds_in_row(left)
    return own + (np.uint64(captured) << STORE), left


@kernel
def after_capture(tables: Tables, other: np.uint64, last: int) -> np.uint64:
    """Return the opponent's side without what a sowing captures (R22, R23).

    Args:
        tables: The game's constants.
        other: The opponent's side with the seeds sown.
        last: Hole of the last seed, 6 and more for the opponent's.
    """
    left = other
    hole = last - NUM_HOLES
    while hole >= 0 and 2 <= seeds_in(other, hole) <= 3:
        left &= ~(BYTE << np.uint64(8 * hole))
        hole -= 1
        if not tables[0]["chain"]:
            break
    return left if left & HOLES != ZERO else other


@kernel
def end_game_if_decided(tables: Tables, row: Words) -> None:
    """End the game if the ply that led to `row` decides it (R24 to R27).

    R25 also ends the game at 24 seeds each, but needs no branch for it: a capture leaves the
    opponent a seed (R23), so that the stores hold all 48 seeds only after R24 or R26 has emptied
    the rows. Where R24 and R26 both apply, the seeds go the same way, and R26 names the reason.
    """
    mover = status.to_move(row)
    waiting = 1 - mover
    if store_of(row[SIDE_WORD + waiting]) >= MAJORITY:  # R25
        finish_by_stores(row, _MAJORITY)
    elif status.counter(row) >= tables[0]["no_capture_limit"]:  # R26
        take_row(row, 0)
        take_row(row, 1)
        finish_by_stores(row, _NO_CAPTURE_LIMIT)
    elif row[SIDE_WORD + waiting] & HOLES == ZERO and not can_feed(row[SIDE_WORD + mover]):  # R24
        take_row(row, mover)
        finish_by_stores(row, _CANNOT_BE_FED)


@kernel
def take_row(row: Words, player: int) -> None:
    """Move all seeds of the row of `player` into their store."""
    side = row[SIDE_WORD + player]
    row[SIDE_WORD + player] = np.uint64(store_of(side) + seeds_in_row(side)) << STORE


@kernel
def finish_by_stores(row: Words, reason: int) -> None:
    """End the game in favour of the fuller store (R27)."""
    south = store_of(row[SIDE_WORD])
    north = store_of(row[SIDE_WORD + 1])
    if south == north:
        status.finish(row, status.DRAW, reason)
    else:
        status.finish(row, 0 if south > north else 1, reason)


@kernel
def return_of_player_0(tables: Tables, row: Words) -> int:
    """Return the return of player 0: by outcome, or the difference of the stores."""
    if tables[0]["pays_seeds"]:
        return store_of(row[SIDE_WORD]) - store_of(row[SIDE_WORD + 1])
    return status.outcome_return(row)
