"""Words against Python integers, which have no 64th bit to go wrong."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from mammalath_env.core import bits
from tests.core.compiled import Kernel, both_ways

ANY_WORD = st.one_of(
    st.integers(0, 2**64 - 1),
    st.integers(0, 63).map(lambda bit: 1 << bit),
    st.integers(0, 63).map(lambda bit: 2**64 - (1 << bit)),
)
LISTS = st.lists(ANY_WORD, min_size=1, max_size=5)


def _words(values: list[int]) -> bits.Words:
    return np.array(values, np.uint64)


def _set_bits(values: list[int]) -> list[int]:
    return [64 * k + bit for k, value in enumerate(values) for bit in range(64) if value >> bit & 1]


def test_spread_table() -> None:
    """Bit k of the index is byte k of the entry."""
    for byte in range(256):
        expected = [byte >> k & 1 for k in range(8)]
        assert list(int(bits.SPREAD[byte]).to_bytes(8, "little")) == expected


@both_ways(bits.as_int, bits.popcount, bits.lowest_bit)
@given(value=ANY_WORD)
@example(value=0)
@example(value=1 << 63)
@example(value=2**64 - 1)
def test_counts_and_lowest_bit_of_a_word(kernels: tuple[Kernel, ...], value: int) -> None:
    """Count of bits, lowest bit and signed value."""
    as_int, popcount, lowest_bit = kernels
    assert popcount(np.uint64(value)) == value.bit_count()
    if value:
        assert lowest_bit(np.uint64(value)) == (value & -value).bit_length() - 1
    if value < 2**63:
        assert as_int(np.uint64(value)) == value


@both_ways(bits.select_bit)
@given(value=ANY_WORD)
@example(value=1 << 63)
@example(value=2**64 - 1)
def test_select_bit(kernels: tuple[Kernel, ...], value: int) -> None:
    """Every set bit of one word is found by its number."""
    (select_bit,) = kernels
    expected = _set_bits([value])
    assert [select_bit(np.uint64(value), n) for n in range(len(expected))] == expected


@both_ways(bits.num_set, bits.nth_set)
@given(values=LISTS)
@example(values=[0, 0, 1 << 63])
@example(values=[1 << 63, 1])
@example(values=[2**64 - 1, 2**64 - 1])
def test_set_bits_of_words(kernels: tuple[Kernel, ...], values: list[int]) -> None:
    """Every set bit is found by its number, over several words."""
    num_set, nth_set = kernels
    expected = _set_bits(values)
    words = _words(values)
    assert num_set(words) == len(expected)
    assert [nth_set(words, n) for n in range(len(expected))] == expected
    assert words.tolist() == values


@both_ways(bits.append_bits)
@given(
    pieces=st.lists(
        st.integers(1, 64).flatmap(lambda n: st.tuples(st.integers(0, 2**n - 1), st.just(n))),
        max_size=8,
    ),
    offset=st.integers(0, 63),
)
@example(pieces=[(2**63 - 1, 63), (1, 1), (2**64 - 1, 64)], offset=0)
@example(pieces=[(2**64 - 1, 64)], offset=63)
def test_append_bits(
    kernels: tuple[Kernel, ...], pieces: list[tuple[int, int]], offset: int
) -> None:
    """Pieces stand one after the other, across the borders of words."""
    (append_bits,) = kernels
    expected, end = 0, offset
    words = np.zeros(9, np.uint64)
    for piece, count in pieces:
        expected |= piece << end
        assert append_bits(words, end, np.uint64(piece), count) == end + count
        end += count
    assert words.tobytes() == expected.to_bytes(72, "little")


@both_ways(bits.append_bits)
def test_append_bits_at_every_border(kernels: tuple[Kernel, ...]) -> None:
    """Every length at every place of a word, all bits set."""
    (append_bits,) = kernels
    for offset, count in itertools.product(range(64), range(1, 65)):
        words = np.zeros(2, np.uint64)
        append_bits(words, offset, np.uint64(2**count - 1), count)
        assert words.tobytes() == ((2**count - 1) << offset).to_bytes(16, "little")


@both_ways(bits.store_word)
@given(value=ANY_WORD, start=st.integers(0, 9))
def test_store_word(kernels: tuple[Kernel, ...], value: int, start: int) -> None:
    """Eight bytes are written, the lowest first, and none beside them."""
    (store_word,) = kernels
    # Plain Python refuses bytes above 127, which kernels never store.
    value &= 0x0101010101010101
    out = np.full(17, 7, np.int8)
    store_word(out, start, np.uint64(value))
    stored = value.to_bytes(8, "little")
    assert out.tobytes() == b"\7" * start + stored + b"\7" * (9 - start)


@both_ways(bits.expand_bits)
@given(values=LISTS, data=st.data())
def test_expand_bits(kernels: tuple[Kernel, ...], values: list[int], data: st.DataObject) -> None:
    """Every bit becomes one byte, and nothing is written beside them."""
    (expand_bits,) = kernels
    num_bits = data.draw(st.integers(0, 64 * len(values)), label="num_bits")
    guarded = np.full(num_bits + 2, 7, np.int8)
    expand_bits(_words(values), num_bits, guarded[1:-1])
    expected = [values[bit // 64] >> bit % 64 & 1 for bit in range(num_bits)]
    assert guarded.tolist() == [7, *expected, 7]


@both_ways(bits.expand_bits)
def test_expand_bits_at_the_last_bit(kernels: tuple[Kernel, ...]) -> None:
    """Bit 63 of each word goes where it belongs, for lengths around the border."""
    (expand_bits,) = kernels
    words = _words([1 << 63, 1 << 63])
    for num_bits in (63, 64, 65, 126, 127, 128):
        out = np.full(num_bits, 7, np.int8)
        expand_bits(words, num_bits, out)
        assert np.flatnonzero(out).tolist() == [bit for bit in (63, 127) if bit < num_bits]
        assert out.max(initial=0) <= 1
