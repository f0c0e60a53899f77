"""Words: 64-bit sets of spaces or actions, and the bytes of arrays that they become."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core.jit import kernel

Words = NDArray[np.uint64]
Int8s = NDArray[np.int8]

ZERO = np.uint64(0)
ONE = np.uint64(1)
WORD_BITS = 64
EACH_BYTE = np.uint64(0x0101010101010101)
"""The lowest bit of each byte; multiplied with it, a word's bytes are summed up."""
HIGH_BITS = np.uint64(0x8080808080808080)
"""The highest bit of each byte."""

_BYTE = np.uint64(0xFF)
_N1, _N2, _N3, _N4, _N5, _N6, _N7 = (np.uint64(k) for k in range(1, 8))
_S1, _S2, _S3, _S4, _S5, _S6, _S7 = (np.uint64(8 * k) for k in range(1, 8))

# Entry b holds the bits of b as eight bytes of 0 or 1, the lowest bit in the lowest byte.
SPREAD: Words = np.array(
    [sum((b >> bit & 1) << 8 * bit for bit in range(8)) for b in range(256)], dtype=np.uint64
)

# Entry [b, n] is the index of the n-th set bit of the byte b, 0 if there is none.
SELECT = np.array(
    [([bit for bit in range(8) if b >> bit & 1] + [0] * 8)[:8] for b in range(256)], dtype=np.int64
)

_ODD_BITS = np.uint64(0x5555555555555555)
_PAIRS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_TWO = np.uint64(2)
_THREE = np.uint64(3)
_FOUR = np.uint64(4)
_SEVEN = np.uint64(7)
_EIGHT = np.uint64(8)
_FIFTY_SIX = np.uint64(56)


def unpack_bits(words: Words, num_bits: int) -> NDArray[np.bool_]:
    """Return the first `num_bits` bits of a set, or of each set in a matrix, as a new array."""
    octets = words.astype("<u8", copy=False).view(np.uint8)
    bits = np.unpackbits(octets, axis=-1, count=num_bits, bitorder="little")
    return bits.view(np.bool_)


@kernel
def as_int(word: np.uint64) -> int:
    """Return `word`, which must be below 2**63, as a signed integer."""
    return np.int64(word)


@kernel
def copy_row(source: Words, target: Words) -> None:
    """Copy a position row."""
    for word in range(len(source)):
        target[word] = source[word]


@kernel
def popcount(word: np.uint64) -> int:
    """Return how many bits of `word` are set."""
    word = word - ((word >> ONE) & _ODD_BITS)
    word = (word & _PAIRS) + ((word >> _TWO) & _PAIRS)
    word = (word + (word >> _FOUR)) & _NIBBLES
    return as_int((word * EACH_BYTE) >> _FIFTY_SIX)


@kernel
def lowest_bit(word: np.uint64) -> int:
    """Return the index of the lowest set bit of `word`, which must not be 0."""
    return popcount((word & (~word + ONE)) - ONE)


@kernel
def num_set(words: Words) -> int:
    """Return how many bits are set in all of `words`."""
    total = 0
    for k in range(len(words)):
        total += popcount(words[k])
    return total


@kernel
def select_bit(word: np.uint64, n: int) -> int:
    """Return the index of the n-th set bit of `word`, counted from 0; there must be one.

    Without branches (after Vigna, 2008): byte by byte, how many bits are set up to there; how many
    of these sums the rank has passed is the byte to look in.
    """
    counts = word - ((word >> ONE) & _ODD_BITS)
    counts = (counts & _PAIRS) + ((counts >> _TWO) & _PAIRS)
    sums = ((counts + (counts >> _FOUR)) & _NIBBLES) * EACH_BYTE
    rank = np.uint64(n)
    passed = ((rank * EACH_BYTE | HIGH_BITS) - sums) & HIGH_BITS
    shift = ((passed >> _SEVEN) * EACH_BYTE >> _FIFTY_SIX) << _THREE
    rank -= (sums << _EIGHT) >> shift & _BYTE
    return as_int(shift) + SELECT[(word >> shift) & _BYTE, rank]


@kernel
def nth_set(words: Words, n: int) -> int:
    """Return the index of the n-th set bit, counted from 0, over all of `words`.

    There must be more than `n` set bits.
    """
    k = 0
    count = popcount(words[0])
    while n >= count:
        n -= count
        k += 1
        count = popcount(words[k])
    return WORD_BITS * k + select_bit(words[k], n)


@kernel
def append_bits(words: Words, offset: int, bits: np.uint64, count: int) -> int:
    """Put the `count` low bits of `bits` at bit `offset` of cleared `words`.

    Returns:
        The offset one past them.
    """
    k = offset >> 6
    shift = offset & 63
    words[k] |= bits << np.uint64(shift)
    if shift + count > WORD_BITS:
        words[k + 1] |= bits >> np.uint64(WORD_BITS - shift)
    return offset + count


@kernel
def store_word(out: Int8s, start: int, word: np.uint64) -> None:
    """Write the eight bytes of `word` to ``out[start:start + 8]``, the lowest first.

    Written so that the compiler makes one eight-byte store of it.
    """
    # Unsigned indices: for signed ones Numba would ask at every store whether they are negative.
    at = np.uint64(start)
    out[at] = word & _BYTE
    out[at + _N1] = (word >> _S1) & _BYTE
    out[at + _N2] = (word >> _S2) & _BYTE
    out[at + _N3] = (word >> _S3) & _BYTE
    out[at + _N4] = (word >> _S4) & _BYTE
    out[at + _N5] = (word >> _S5) & _BYTE
    out[at + _N6] = (word >> _S6) & _BYTE
    out[at + _N7] = (word >> _S7) & _BYTE


@kernel
def expand_bits(words: Words, num_bits: int, out: Int8s) -> None:
    """Write the first `num_bits` bits of `words` as bytes of 0 or 1.

    Args:
        words: Bits, the lowest of the first word first.
        num_bits: How many of them to write.
        out: int8[num_bits]; every entry is written.
    """
    whole = num_bits >> 3
    for k in range(whole):
        byte = (words[k >> 3] >> np.uint64((k & 7) << 3)) & _BYTE
        store_word(out, k << 3, SPREAD[byte])
    for bit in range(whole << 3, num_bits):
        out[bit] = (words[bit >> 6] >> np.uint64(bit & 63)) & ONE
