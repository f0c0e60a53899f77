"""Random streams: one word of state each, the same inside kernels and in Python.

The generator is SplitMix64 (Steele, Lea and Flood, 2014). A stream is a ``uint64[1]`` array that
every draw advances, so a batch holds one word a lane and needs no generator object. A seed below
2**64 is its own word; larger ones become a word by NumPy's ``SeedSequence``.
"""

from __future__ import annotations

import secrets
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core.bits import WORD_BITS, Words, as_int
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.jit import entry_kernel, kernel

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_SEED_SALT = np.uint64(0x6A09E667F3BCC909)
_BRANCH_SALT = np.uint64(0xBB67AE8584CAA73B)
_S27 = np.uint64(27)
_S30 = np.uint64(30)
_S31 = np.uint64(31)
_S32 = np.uint64(32)
_DROPPED_BITS = np.uint64(11)
"""Derived seeds have 53 bits: numbers that every JSON reader keeps exact."""


@kernel
def mix(word: np.uint64) -> np.uint64:
    """Return `word` scrambled, one to one."""
    word = (word ^ (word >> _S30)) * _MIX_A
    word = (word ^ (word >> _S27)) * _MIX_B
    return word ^ (word >> _S31)


@kernel
def next_word(stream: Words) -> np.uint64:
    """Advance `stream` and return 64 random bits."""
    stream[0] += _GAMMA
    return mix(stream[0])


@kernel
def next_below(stream: Words, bound: int) -> int:
    """Advance `stream` and return an integer from 0 to `bound` - 1.

    `bound` must lie between 1 and 2**32. No value is likelier than another by more than
    `bound` / 2**32, which is below 1e-7 for every bound that a game here uses.
    """
    return as_int(((next_word(stream) >> _S32) * np.uint64(bound)) >> _S32)


@entry_kernel
def seed_words(first_seed: np.uint64, words: Words) -> None:
    """Fill `words` with the states of the streams seeded `first_seed`, `first_seed` + 1, ..."""
    for i in range(len(words)):
        # Scrambled, so that neighbouring seeds do not give shifted copies of one sequence.
        words[i] = mix((first_seed + np.uint64(i)) ^ _SEED_SALT)


@entry_kernel
def branch_streams(
    streams: NDArray[np.uint64], chosen: NDArray[np.bool_], branches: NDArray[np.uint64]
) -> None:
    """Start one more stream beside each of the `chosen` ones, which do not advance.

    Args:
        streams: uint64[streams, 1].
        chosen: bool[streams].
        branches: uint64[streams, 1], where the new states are written.
    """
    for i in range(len(streams)):
        if chosen[i]:
            branches[i, 0] = mix(streams[i, 0] ^ _BRANCH_SALT)


def seed_word(seed: SupportsIndex) -> np.uint64:
    """Return `seed`, an integer of at least 0 and of any size, as one word.

    Raises:
        TypeError: `seed` is not an integer.
        ValueError: `seed` is negative.
    """
    number = checked_integer("a seed", seed, 0)
    if number < 1 << WORD_BITS:
        return np.uint64(number)
    word: np.uint64 = np.random.SeedSequence(number).generate_state(1, np.uint64)[0]
    return word


def seed_streams(seed: SupportsIndex, words: Words) -> None:
    """Fill `words` with the states of the streams seeded `seed`, `seed` + 1, ...

    The stream of each seed is that of `new_stream`, whatever its size.

    Raises:
        TypeError: `seed` is not an integer.
        ValueError: `seed` is negative.
    """
    number = checked_integer("a seed", seed, 0)
    num_small = min(max((1 << WORD_BITS) - number, 0), len(words))
    seed_words(seed_word(number), words[:num_small])
    for i in range(num_small, len(words)):
        seed_words(seed_word(number + i), words[i : i + 1])


def derive_seeds(seed: int, count: int, *key: int) -> list[int]:
    """Return seeds from 0 to 2**53 - 1 by NumPy's SeedSequence.

    Args:
        seed: What they are derived from.
        count: How many.
        key: Other numbers give other, independent seeds.
    """
    words = np.random.SeedSequence(seed, spawn_key=key).generate_state(count, np.uint64)
    return [int(word) for word in words >> _DROPPED_BITS]


def new_seed() -> int:
    """Return a seed from the operating system, below 2**64."""
    return secrets.randbits(WORD_BITS)


def new_stream(seed: SupportsIndex | np.random.Generator | None = None) -> Words:
    """Return a stream, uint64[1].

    Args:
        seed: An integer of at least 0, which always gives the same stream; a generator, of which
            one word is drawn; or None for a seed from the operating system.

    Raises:
        TypeError: `seed` is none of these.
        ValueError: `seed` is negative.
    """
    if seed is None:
        seed = new_seed()
    elif isinstance(seed, np.random.Generator):
        seed = int(seed.integers(1 << 64, dtype=np.uint64, endpoint=False))
    stream = np.empty(1, np.uint64)
    seed_words(seed_word(seed), stream)
    return stream
