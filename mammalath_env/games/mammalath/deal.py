"""The deal of Mammalath: animals shuffled with the bytes of one word.

Space by space, a type is drawn with a probability proportional to how many animals of it are left,
which makes every arrangement equally likely. Byte k of the word `sums` holds how many animals of
types 0 to k are left. A random rank below the number of all animals left belongs to the first type
whose sum exceeds it. Eight comparisons take one subtraction: the rank is copied to all bytes and
their high bits are set; a byte keeps this bit exactly if the rank is at least the sum, and never
borrows from its neighbour. The sums that exceed the rank then lose one each, which again is one
subtraction. (Arithmetic on the bytes of a word: Knuth, The Art of Computer Programming 4A, 7.1.3;
the comparison as in Vigna's selection of a bit, see `mammalath_env.core.bits.select_bit`.)
"""

from __future__ import annotations

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import EACH_BYTE, HIGH_BITS, ONE, ZERO, Words, as_int
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import next_below
from mammalath_env.games.mammalath.state import ANIMAL_WORD, TOKEN_WORD, board_size

_SEVEN = np.uint64(7)
_FIFTY_SIX = np.uint64(56)


@kernel
def deal(tables: Tables, row: Words, stream: Words, first_player: int) -> None:
    """Write a start position (R1, R2, R13), with the first player drawn if -1."""
    size = board_size(tables)
    num_spaces = size * size
    drawn = next_below(stream, 2)
    status.start(row, drawn if first_player < 0 else first_player, 0)
    row[TOKEN_WORD] = ZERO
    row[TOKEN_WORD + 1] = ZERO
    for kind in range(size):
        row[ANIMAL_WORD + kind] = ZERO
    sums = tables[0]["sums"]
    for space in range(num_spaces):
        rank = np.uint64(next_below(stream, num_spaces - space))
        beyond = (~((rank * EACH_BYTE | HIGH_BITS) - sums) & HIGH_BITS) >> _SEVEN
        sums -= beyond
        kind = 8 - as_int((beyond * EACH_BYTE) >> _FIFTY_SIX)
        row[ANIMAL_WORD + kind] |= ONE << np.uint64(space)
