"""Random streams: the same words for the same seed, and no value preferred."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from mammalath_env.core import stream
from tests.core.compiled import Kernel, both_ways

# Published outputs of SplitMix64 with the state 1234567.
SPLITMIX = [
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]
# First two words of the streams of some seeds; they fix every seeded deal.
FIRST_WORDS = {
    0: [10597403551382543892, 15655174069228407320],
    1: [10387686228968481322, 13520118983163911151],
    7: [15381340408456295118, 12074680432912537551],
    9223372036854775808: [4719797148803512252, 4856737926382203491],
    18446744073709551615: [16282411105649441702, 5480103731331705907],
    18446744073709551621: [6995581260472435126, 13236690514045677688],
    1606938044258990275541962092341162602522202993782792835301377: [
        6951459877197253617,
        16112414690777862541,
    ],
}


def _chi_square(counts: list[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


def _is_uniform(counts: list[int]) -> bool:
    """Return whether chi-square is within six standard deviations of its mean."""
    freedom = len(counts) - 1
    return _chi_square(counts) < freedom + 6 * math.sqrt(2 * freedom)


@both_ways(stream.next_word)
def test_generator_is_splitmix(kernels: tuple[Kernel, ...]) -> None:
    """The words are those that the paper's program gives."""
    (next_word,) = kernels
    state = np.array([1234567], np.uint64)
    assert [int(next_word(state)) for _ in SPLITMIX] == SPLITMIX


@pytest.mark.parametrize("seed", FIRST_WORDS)
@both_ways(stream.next_word)
def test_first_words_of_a_seed(kernels: tuple[Kernel, ...], seed: int) -> None:
    """A seed gives the same words in every release."""
    (next_word,) = kernels
    state = stream.new_stream(seed)
    assert [int(next_word(state)) for _ in range(2)] == FIRST_WORDS[seed]


def test_new_stream_is_one_word() -> None:
    """A stream is an array of one word, its own one each time."""
    first, second = stream.new_stream(7), stream.new_stream(7)
    assert first.shape == (1,)
    assert first.dtype == np.uint64
    stream.next_word(first)
    assert first.tolist() != second.tolist() == stream.new_stream(7).tolist()


def test_seeds_of_any_size_and_integer_type() -> None:
    """Seeds of many sizes give different streams, and the type of an integer is no matter."""
    seeds = [*range(1000), *(2**k + 3 for k in range(60, 300, 7)), *(3**k for k in range(41, 200))]
    states = {int(stream.new_stream(seed)[0]) for seed in seeds}
    assert len(states) == len(seeds)
    for same in (np.int8(7), np.uint64(7), np.int64(7)):
        assert stream.new_stream(same).tolist() == stream.new_stream(7).tolist()
    top = 2**64 - 1
    assert stream.new_stream(np.uint64(top)).tolist() == stream.new_stream(top).tolist()


@pytest.mark.parametrize("seed", [1.0, 7.5, np.float64(7), True, False, "7", b"7", [7], (7,), {}])
def test_streams_refuse_seeds_of_other_types(seed: object) -> None:
    """A seed that is not an integer is refused by name."""
    with pytest.raises(TypeError, match="a seed must be an integer, not"):
        stream.new_stream(seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, -(2**70), np.int64(-3)])
def test_streams_refuse_negative_seeds(seed: int) -> None:
    """A negative seed is refused with its value."""
    with pytest.raises(ValueError, match=f"a seed must be at least 0, not {int(seed)}"):
        stream.new_stream(seed)


def test_unseeded_streams_differ() -> None:
    """Streams without a seed differ, and do not depend on the global generators."""
    states = set()
    for _ in range(50):
        random.seed(1)
        states.add(int(stream.new_stream()[0]))
    assert len(states) == 50


def test_stream_from_a_generator() -> None:
    """A generator gives one word and moves on; the same generator gives the same streams."""
    first, second = np.random.default_rng(5), np.random.default_rng(5)
    drawn = [int(stream.new_stream(first)[0]) for _ in range(20)]
    assert drawn == [int(stream.new_stream(second)[0]) for _ in range(20)]
    assert len(set(drawn)) == 20
    third = np.random.default_rng(5)
    third.integers(1 << 64, dtype=np.uint64, endpoint=False)
    assert int(stream.new_stream(third)[0]) == drawn[1]


@pytest.mark.parametrize("first_seed", [0, 7, 2**64 - 3])
@both_ways(stream.seed_words)
def test_seed_words(kernels: tuple[Kernel, ...], first_seed: int) -> None:
    """Lane i of a batch has the stream of the seed that is i larger, wrapping around."""
    (seed_words,) = kernels
    words = np.zeros(6, np.uint64)
    seed_words(np.uint64(first_seed), words)
    expected = [int(stream.new_stream((first_seed + i) % 2**64)[0]) for i in range(6)]
    assert words.tolist() == expected


@pytest.mark.parametrize(
    "first_seed", [0, 7, 2**64 - 3, 2**64 - 1, 2**64, 2**64 + 1, 2**200, 2**64 - 6]
)
def test_seed_streams(first_seed: int) -> None:
    """Lane i has the stream of the seed that is i larger, on both sides of 2**64."""
    for count in (0, 1, 6):
        words = np.zeros(count, np.uint64)
        stream.seed_streams(first_seed, words)
        assert words.tolist() == [int(stream.new_stream(first_seed + i)[0]) for i in range(count)]


def test_long_seeds_are_derived_as_those_of_contests() -> None:
    """Both by NumPy's SeedSequence; a seed below 2**64 is its own word."""
    for seed in (2**64, 2**70 + 3, 3**100):
        expected = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        assert stream.seed_word(seed) == expected
        assert stream.derive_seeds(seed, 1) == [int(expected) >> 11]
    for seed in (0, 5, 2**64 - 1):
        assert stream.seed_word(seed) == seed


@pytest.mark.parametrize("seed", [True, 1.0, "7", None])
def test_seed_streams_of_a_wrong_type(seed: object) -> None:
    """Seeds that are not integers are refused."""
    with pytest.raises(TypeError, match="a seed must be an integer, not"):
        stream.seed_streams(seed, np.zeros(2, np.uint64))  # type: ignore[arg-type]


@pytest.mark.parametrize("bound", [1, 2, 3, 6, 36, 64, 100])
@both_ways(stream.next_below)
def test_next_below_is_uniform(kernels: tuple[Kernel, ...], bound: int) -> None:
    """All values below the bound come up, equally often, along one stream."""
    (next_below,) = kernels
    state = stream.new_stream(11)
    counts = [0] * bound
    for _ in range(200 * bound):
        counts[next_below(state, bound)] += 1
    assert bound == 1 or _is_uniform(counts)
    assert min(counts) > 0


@both_ways(stream.next_below)
def test_next_below_is_uniform_over_seeds(kernels: tuple[Kernel, ...]) -> None:
    """Neighbouring seeds have unrelated first draws."""
    (next_below,) = kernels
    draws = [next_below(stream.new_stream(seed), 6) for seed in range(7200)]
    assert _is_uniform([draws.count(value) for value in range(6)])
    pairs = [6 * one + other for one, other in itertools.pairwise(draws)]
    assert _is_uniform([pairs.count(value) for value in range(36)])


@both_ways(stream.next_below)
def test_next_below_of_the_largest_bound(kernels: tuple[Kernel, ...]) -> None:
    """With 2**32 the draw is the upper half of the word."""
    (next_below,) = kernels
    state = np.array([1234567], np.uint64)
    assert [next_below(state, 2**32) for _ in SPLITMIX] == [word >> 32 for word in SPLITMIX]
