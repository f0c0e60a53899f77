"""Lines and squares found all at once, and sets of them in the order of their action ids.

**Shifted boards.** A pattern is a shape at a start space, and the shape is a list of offsets: 0, 1
and 2 for three in a row eastward. Bit k of ``spaces >> offset`` says whether the space `offset`
after space k belongs to `spaces`. So the AND over the offsets, with the starts from which the
shape stays on the board, has a bit for each pattern that lies wholly in `spaces`: one instruction
tests all of them, as in Tromp's Fhourstones for Connect Four.

**Interleaving by table.** Action ids number the patterns by start space and then by direction, but
the shifted boards give one set for each direction. Bits of one row of starts are moved to their
places by looking the row up, once for each direction, and joining the results with OR: what the
instruction PDEP does, which Numba has not.
"""

from __future__ import annotations

import numpy as np

from mammalath_env.core.bits import ONE, ZERO, Words, append_bits
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.games.mammalath.state import board_size
from mammalath_env.games.mammalath.tables import NUM_DIRECTIONS


@kernel
def pattern_starts(tables: Tables, spaces: np.uint64, shape: int) -> np.uint64:
    """Return the start spaces of the patterns of `shape` that lie wholly in `spaces`."""
    found = tables[0]["starts"][shape]
    for offset in tables[0]["offsets"][shape]:
        found &= spaces >> offset
    return found


@kernel
def pattern_spaces(tables: Tables, spaces: np.uint64) -> np.uint64:
    """Return the spaces of all patterns that lie wholly in `spaces`."""
    covered = ZERO
    for shape in range(len(tables[0]["starts"])):
        found = pattern_starts(tables, spaces, shape)
        for offset in tables[0]["offsets"][shape]:
            covered |= found << offset
    return covered


@kernel
def append_patterns(tables: Tables, spaces: np.uint64, legal: Words, offset: int) -> None:
    """Put a bit for each pattern that lies wholly in `spaces`, in the order of the action ids.

    Pattern ids go row by row of their start space. In the upper rows lines start in all four
    directions, in the last ones only eastward.
    """
    constants = tables[0]
    size = board_size(tables)
    num_starts = size - len(constants["offsets"][0]) + 1
    row_mask = (ONE << np.uint64(size)) - ONE
    east = pattern_starts(tables, spaces, 0)
    south_east = pattern_starts(tables, spaces, 1)
    south = pattern_starts(tables, spaces, 2)
    south_west = pattern_starts(tables, spaces, 3)
    interleave = constants["interleave"]
    for start_row in range(size):
        shift = np.uint64(start_row * size)
        bits = (east >> shift) & row_mask
        if start_row < num_starts:
            bits = (
                interleave[0, bits]
                | interleave[1, (south_east >> shift) & row_mask]
                | interleave[2, (south >> shift) & row_mask]
                | interleave[3, (south_west >> shift) & row_mask]
            )
            offset = append_bits(legal, offset, bits, 3 * num_starts + size)
        else:
            offset = append_bits(legal, offset, bits, num_starts)
    if len(constants["starts"]) > NUM_DIRECTIONS:
        square = pattern_starts(tables, spaces, NUM_DIRECTIONS)
        for start_row in range(size - 1):
            bits = (square >> np.uint64(start_row * size)) & row_mask
            offset = append_bits(legal, offset, bits, size - 1)
