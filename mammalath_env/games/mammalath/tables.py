"""The constants of one size of the board, as the kernels read them."""

from __future__ import annotations

import numpy as np

from mammalath_env.core import grid
from mammalath_env.core.codec import Codec
from mammalath_env.core.rules import Tables, pack_tables
from mammalath_env.games.mammalath.config import NUM_EXTRA_PLANES, MammalathConfig
from mammalath_env.games.mammalath.state import ANIMAL_WORD

NUM_DIRECTIONS = len(grid.DIRECTIONS)

# How much `evaluate` gives for an own window by the tokens in it, without and with animals.
_FREE_WINDOW = (0, 6, 40, 120)
_ANIMAL_WINDOW = (0, 2, 9, 20)


def patterns(config: MammalathConfig) -> list[grid.Pattern]:
    """Return the lines and squares in the order of their action ids."""
    found = grid.lines(config.size, config.line_length)
    return found + grid.squares(config.size) if config.squares else found


def action_codec(config: MammalathConfig, swap_rule: bool) -> Codec:
    """Return the layout of action ids: placements, types, patterns, swap."""
    return Codec(
        {
            "place": config.num_spaces,
            "type": config.size,
            "pattern": len(patterns(config)),
            "swap": int(swap_rule),
        }
    )


def bitboard(spaces: grid.Pattern | range) -> int:
    """Return the word with the bits of `spaces` set."""
    return sum(1 << space for space in spaces)


def make_tables(config: MammalathConfig, swap_rule: bool) -> Tables:
    """Return the structured array that `mammalath_env.core.rules` describes."""
    size, length = config.size, config.line_length
    all_patterns = patterns(config)
    # A shape is a pattern moved to space 0: its offsets, and the spaces it may start from.
    offsets = [
        [k * (down * size + right) for k in range(length)]
        for down, right in grid.DIRECTIONS.values()
    ]
    starts = [0] * NUM_DIRECTIONS
    for pattern in grid.lines(size, length):
        shape = offsets.index([space - pattern[0] for space in pattern])
        starts[shape] |= 1 << pattern[0]
    if config.squares:
        offsets.append([0, 1, size, size + 1])
        starts.append(bitboard(tuple(square[0] for square in grid.squares(size))))
    # The bits of one row of start spaces, in the order of the pattern ids of that row.
    row_order = [
        (direction, col)
        for col in range(size)
        for direction in range(NUM_DIRECTIONS)
        if starts[direction] >> col & 1
    ]
    interleave = np.zeros((NUM_DIRECTIONS, 1 << size), np.uint64)
    for place, (direction, col) in enumerate(row_order):
        for row_bits in range(1 << size):
            if row_bits >> col & 1:
                interleave[direction, row_bits] |= np.uint64(1 << place)
    # As many spaces of one row as have their planes in one word, planes last.
    num_planes = size + NUM_EXTRA_PLANES
    chunk = max(k for k in range(1, size + 1) if size % k == 0 and k * num_planes <= 64)
    spread = [
        bitboard(tuple(k * num_planes for k in range(chunk) if bits >> k & 1))
        for bits in range(1 << chunk)
    ]
    fields = {
        "offsets": np.array(offsets, np.uint64),
        "starts": np.array(starts, np.uint64),
        "patterns": np.array([bitboard(pattern) for pattern in all_patterns], np.uint64),
        "animal_words": np.arange(ANIMAL_WORD, ANIMAL_WORD + size),
        "interleave": interleave,
        "spread": np.array(spread, np.uint64),
        "chunk": np.arange(chunk),
        "board": np.uint64(bitboard(range(config.num_spaces))),
        "sums": np.uint64(sum(size * min(kind + 1, size) << 8 * kind for kind in range(8))),
        "num_tokens": np.int64(config.num_tokens),
        "swap_rule": np.bool_(swap_rule),
        "free_window": np.array(_FREE_WINDOW[:length], np.int64),
        "animal_window": np.array(_ANIMAL_WINDOW[:length], np.int64),
    }
    return pack_tables(fields)
