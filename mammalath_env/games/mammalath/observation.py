"""What a player sees of a Mammalath position, as planes of 0 and 1.

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
from mammalath_env.games.mammalath.state import ANIMALS, TOKENS

NUM_EXTRA_PLANES = 4
"""Planes besides those of the animal types."""

_BYTE = np.uint64(0xFF)


@kernel
def store_bits(out: Int8s, start: int, bits: np.uint64, count: int) -> None:
    """Write the `count` low bits as bytes from ``out[start]``; the higher bits must be 0.

    Up to seven entries behind them are cleared: callers write from left to right.
    """
    num_bytes = (count + 7) >> 3
    if start + (num_bytes << 3) > len(out):
        num_bytes -= 1
    for k in range(num_bytes):
        store_word(out, start + (k << 3), SPREAD[(bits >> np.uint64(k << 3)) & _BYTE])
    for k in range(num_bytes << 3, count):
        out[start + k] = (bits >> np.uint64(k)) & np.uint64(1)


@kernel
def plane(tables: Tables, row: Words, player: int, k: int) -> np.uint64:
    """Return the spaces where plane `k` is one."""
    constants = tables[0]
    num_types = len(constants["animal_words"])
    if k < num_types:
        return row[ANIMALS + k]
    if k == num_types:
        return row[TOKENS + player]
    if k == num_types + 1:
        return row[TOKENS + 1 - player]
    if k == num_types + 2:
        return constants["board"] if status.ply(row) == 1 and constants["swap_rule"] else ZERO
    return constants["board"] if status.to_move(row) == player else ZERO


@kernel
def write_observation(
    tables: Tables, row: Words, player: int, channels_first: bool, out: Int8s
) -> None:
    """Write the planes of `player` into ``out``, flat, int8[planes * spaces]."""
    constants = tables[0]
    num_planes = len(constants["animal_words"]) + NUM_EXTRA_PLANES
    num_spaces = constants["num_spaces"]
    if channels_first:
        for k in range(num_planes):
            store_bits(out, k * num_spaces, plane(tables, row, player, k), num_spaces)
        return
    # A few spaces at a time: the bits of each plane, spread to the distance of the planes.
    chunk = constants["chunk"]
    chunk_mask = np.uint64(len(constants["spread"]) - 1)
    for first in range(0, num_spaces, chunk):
        bits = ZERO
        for k in range(num_planes):
            spaces = (plane(tables, row, player, k) >> np.uint64(first)) & chunk_mask
            bits |= constants["spread"][spaces] << np.uint64(k)
        store_bits(out, first * num_planes, bits, chunk * num_planes)
