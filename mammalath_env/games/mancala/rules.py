"""The rules of Mancala as kernels; the rule numbers are those of ``docs/rules.md``."""

from __future__ import annotations

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import ONE, ZERO, Words, as_int
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import next_below
from mammalath_env.games.mancala.config import MAJORITY, NUM_HOLES, SEEDS_PER_HOLE
from mammalath_env.games.mancala.state import SIDES, MancalaTermination

_MAJORITY = int(MancalaTermination.MAJORITY)
_CANNOT_BE_FED = int(MancalaTermination.OPPONENT_CANNOT_BE_FED)
_NO_CAPTURE_LIMIT = int(MancalaTermination.NO_CAPTURE_LIMIT)

_BYTE = np.uint64(0xFF)
_STORE = np.uint64(8 * NUM_HOLES)
_HOLES = np.uint64((1 << 8 * NUM_HOLES) - 1)
_START = np.uint64(sum(SEEDS_PER_HOLE << 8 * hole for hole in range(NUM_HOLES)))

# Weights of the evaluation: a seed in store, the best capture of the player to move and of the
# waiting one, a seed in the own row.
_STORED = 100
_CAPTURE_NOW = 60
_CAPTURE_LATER = 20
_IN_ROW = 3


@kernel
def seeds_in(side: np.uint64, hole: int) -> int:
    """Return the seeds in one hole of a side."""
    return as_int((side >> np.uint64(8 * hole)) & _BYTE)


@kernel
def store_of(side: np.uint64) -> int:
    """Return the seeds in the store of a side."""
    return as_int(side >> _STORE)


@kernel
def seeds_in_row(side: np.uint64) -> int:
    """Return the seeds in all holes of a side."""
    total = 0
    for hole in range(NUM_HOLES):
        total += seeds_in(side, hole)
    return total


@kernel
def harvest(tables: Tables, other: np.uint64, last: int) -> np.uint64:
    """Return the opponent's side after the captures of a sowing (R22, R23).

    Args:
        tables: The game's constants.
        other: The opponent's side with the seeds sown.
        last: Hole of the last seed, the opponent's from 6 on.
    """
    left = other
    hole = last - NUM_HOLES
    while hole >= 0 and 2 <= seeds_in(other, hole) <= 3:
        left &= ~(_BYTE << np.uint64(8 * hole))
        hole -= 1
        if not tables[0]["chain"]:
            break
    return left if left & _HOLES != ZERO else other


@kernel
def holes_to_sow(own: np.uint64, other: np.uint64) -> np.uint64:
    """Return the set of holes that the side `own` may sow (R21).

    If the opponent's row is empty, these are the holes whose last seed gets there (R24).
    """
    must_feed = other & _HOLES == ZERO
    holes = ZERO
    for hole in range(NUM_HOLES):
        if seeds_in(own, hole) >= (NUM_HOLES - hole if must_feed else 1):
            holes |= ONE << np.uint64(hole)
    return holes


@kernel
def can_feed(own: np.uint64) -> bool:
    """Return whether some move from the side `own` puts a seed in the opponent's row (R24)."""
    return holes_to_sow(own, ZERO) != ZERO


@kernel
def take_row(row: Words, player: int) -> None:
    """Move all seeds of the row of `player` into their store."""
    side = row[SIDES + player]
    row[SIDES + player] = np.uint64(store_of(side) + seeds_in_row(side)) << _STORE


@kernel
def finish_by_stores(row: Words, why: int) -> None:
    """End the game in favour of the fuller store (R27)."""
    south = store_of(row[SIDES])
    north = store_of(row[SIDES + 1])
    if south == north:
        status.finish(row, status.DRAW, why)
    else:
        status.finish(row, 0 if south > north else 1, why)


@kernel
def settle(tables: Tables, row: Words) -> None:
    """End the game if the ply that led to `row` has ended it (R24 to R27)."""
    mover = status.to_move(row)
    waiting = 1 - mover
    if store_of(row[SIDES + waiting]) >= MAJORITY:
        finish_by_stores(row, _MAJORITY)
    elif status.count(row) >= tables[0]["no_capture_limit"]:
        take_row(row, 0)
        take_row(row, 1)
        finish_by_stores(row, _NO_CAPTURE_LIMIT)
    elif row[SIDES + waiting] & _HOLES == ZERO and not can_feed(row[SIDES + mover]):
        take_row(row, mover)
        finish_by_stores(row, _CANNOT_BE_FED)


@kernel
def sow(tables: Tables, own: np.uint64, other: np.uint64, hole: int) -> tuple[np.uint64, np.uint64]:
    """Return both sides after sowing from `hole` and capturing (R21 to R23)."""
    seeds = seeds_in(own, hole)
    own -= np.uint64(seeds) << np.uint64(8 * hole)
    own += tables[0]["sown"][hole, seeds, 0]
    other += tables[0]["sown"][hole, seeds, 1]
    left = harvest(tables, other, tables[0]["last"][hole, seeds])
    captured = seeds_in_row(other) - seeds_in_row(left)
    return own + (np.uint64(captured) << _STORE), left


@kernel
def apply(tables: Tables, row: Words, action: int) -> None:
    """Sow from hole `action` of the player to move, capture, and end the game if it is over."""
    mover = status.to_move(row)
    own = row[SIDES + mover]
    row[SIDES + mover], row[SIDES + 1 - mover] = sow(tables, own, row[SIDES + 1 - mover], action)
    captured = store_of(row[SIDES + mover]) > store_of(own)
    status.pass_turn(row)
    status.set_count(row, 0 if captured else status.count(row) + 1)
    settle(tables, row)


@kernel
def write_legal(tables: Tables, row: Words, legal: Words) -> None:
    """Write the set of holes that may be sown, empty after the end."""
    legal[0] = ZERO
    if status.is_over(row):
        return
    mover = status.to_move(row)
    legal[0] = holes_to_sow(row[SIDES + mover], row[SIDES + 1 - mover])


@kernel
def deal(tables: Tables, row: Words, stream: Words, first_player: int) -> None:
    """Write the start position (R20), with the first player drawn if -1."""
    drawn = next_below(stream, 2)
    status.start(row, drawn if first_player < 0 else first_player, 0)
    row[SIDES] = _START
    row[SIDES + 1] = _START


@kernel
def gain(tables: Tables, row: Words) -> int:
    """Return what player 0 has gained: by outcome, or the difference of the stores."""
    if tables[0]["pays_seeds"]:
        return store_of(row[SIDES]) - store_of(row[SIDES + 1])
    return status.outcome_return(row)


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
    south = row[SIDES]
    north = row[SIDES + 1]
    holes = holes_to_sow(row[SIDES + mover], row[SIDES + 1 - mover])
    found = False
    for hole in range(NUM_HOLES):
        if (holes >> np.uint64(hole)) & ONE != ZERO:
            apply(tables, row, hole)
            found |= status.winner_code(row) == mover
            row[status.STATUS] = state
            row[SIDES] = south
            row[SIDES + 1] = north
    return found


@kernel
def must_lose(tables: Tables, row: Words) -> bool:
    """Return False: whether an end can be prevented takes a search."""
    return False


@kernel
def evaluate(tables: Tables, row: Words, player: int) -> int:
    """Return the worth of stores, captures in reach and seeds in the row, for `player`.

    Seeds in the own row are moves to come, and feed the opponent when that is a duty.
    """
    own = row[SIDES + player]
    other = row[SIDES + 1 - player]
    to_move = status.to_move(row) == player
    own_capture = _CAPTURE_NOW if to_move else _CAPTURE_LATER
    other_capture = _CAPTURE_LATER if to_move else _CAPTURE_NOW
    return (
        _STORED * (store_of(own) - store_of(other))
        + own_capture * best_capture(tables, own, other)
        - other_capture * best_capture(tables, other, own)
        + _IN_ROW * (seeds_in_row(own) - seeds_in_row(other))
    )
