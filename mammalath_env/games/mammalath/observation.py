"""Observations of Mammalath positions, as planes of 0 and 1.

Planes: one for each animal type, the player's tokens, the opponent's tokens, all ones while swap
is legal, all ones while the player is to move (after the end: would be next). Spaces stay where
they are for both players.
"""

from __future__ import annotations

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import SPREAD, ZERO, Int8s, Words, store_word
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.games.mammalath.config import NUM_EXTRA_PLANES
from mammalath_env.games.mammalath.state import ANIMAL_WORD, TOKEN_WORD, board_size

_BYTE = np.uint64(0xFF)


@kernel
def store_bits(out: Int8s, start: int, bits: np.uint64, count: int) -> None:
    """Write the `count` low bits, at least 8, as bytes from ``out[start]``."""
    for k in range(count >> 3):
        store_word(out, start + (k << 3), SPREAD[(bits >> np.uint64(k << 3)) & _BYTE])
    if count & 7:  # once more the last eight
        tail = count - 8
        store_word(out, start + tail, SPREAD[(bits >> np.uint64(tail)) & _BYTE])


@kernel
def fill(out: Int8s, start: int, count: int, value: int) -> None:
    """Write `value` to `count` entries from ``out[start]``."""
    for k in range(start, start + count):
        out[k] = value


@kernel
def write_observation(
    tables: Tables, row: Words, player: int, channels_first: bool, out: Int8s
) -> None:
    """Write the planes of `player` into ``out``, flat, int8[planes * spaces]."""
    constants = tables[0]
    num_types = board_size(tables)
    num_spaces = num_types * num_types
    own = row[TOKEN_WORD + player]
    other = row[TOKEN_WORD + 1 - player]
    can_swap = status.ply(row) == 1 and constants["swap_rule"]
    is_mover = status.to_move(row) == player
    if channels_first:
        for kind in range(num_types):
            store_bits(out, kind * num_spaces, row[ANIMAL_WORD + kind], num_spaces)
        start = num_types * num_spaces
        store_bits(out, start, own, num_spaces)
        store_bits(out, start + num_spaces, other, num_spaces)
        fill(out, start + 2 * num_spaces, num_spaces, 1 if can_swap else 0)
        fill(out, start + 3 * num_spaces, num_spaces, 1 if is_mover else 0)
        return
    # A few spaces at a time: the bits of each plane, spread to the distance of the planes.
    chunk = len(constants["chunk"])
    spread = constants["spread"]
    num_planes = num_types + NUM_EXTRA_PLANES
    all_spaces = np.uint64(len(spread) - 1)
    uniform = ZERO
    if can_swap:
        uniform |= spread[all_spaces] << np.uint64(num_types + 2)
    if is_mover:
        uniform |= spread[all_spaces] << np.uint64(num_types + 3)
    for first in range(0, num_spaces, chunk):
        shift = np.uint64(first)
        bits = uniform
        for kind in range(num_types):
            bits |= spread[(row[ANIMAL_WORD + kind] >> shift) & all_spaces] << np.uint64(kind)
        bits |= spread[(own >> shift) & all_spaces] << np.uint64(num_types)
        bits |= spread[(other >> shift) & all_spaces] << np.uint64(num_types + 1)
        store_bits(out, first * num_planes, bits, chunk * num_planes)
