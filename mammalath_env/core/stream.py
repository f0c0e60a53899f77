"""Random streams: one word of state each, the same inside kernels and in Python.

The generator is SplitMix64 (Steele, Lea and Flood, 2014). A stream is a ``uint64[1]`` array that
every draw moves on, so a batch holds one word a lane and needs no generator object.
"""

from __future__ import annotations

import secrets

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core.bits import Words, as_int
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
_WORD_MASK = (1 << 64) - 1
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
    """Move `stream` on and return 64 random bits."""
    stream[0] += _GAMMA
    return mix(stream[0])


@kernel
def next_below(stream: Words, bound: int) -> int:
    """Move `stream` on and return an integer from 0 to `bound` - 1.

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
    """Start one more stream beside each of the `chosen` ones, which it does not move on.

    Args:
        streams: uint64[streams, 1].
        chosen: bool[streams].
        branches: uint64[streams, 1], where the new states are written.
    """
    for i in range(len(streams)):
        if chosen[i]:
            branches[i, 0] = mix(streams[i, 0] ^ _BRANCH_SALT)


def seed_word(seed: int) -> np.uint64:
    """Return `seed`, an integer of at least 0 and of any size, as one word.

    Raises:
        TypeError: `seed` is not an integer.
        ValueError: `seed` is negative.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"a seed must be an integer or None, not {seed!r}")
    if seed < 0:
        raise ValueError(f"a seed must be at least 0, not {seed}")
    seed = int(seed)
    folded = seed & _WORD_MASK
    while seed > _WORD_MASK:
        seed >>= 64
        folded = ((folded + 1) * 0x9E3779B97F4A7C15 + (seed & _WORD_MASK)) & _WORD_MASK
    return np.uint64(folded)


def derive_seeds(seed: int, count: int, *key: int) -> list[int]:
    """Return seeds from 0 to 2**53 - 1 by NumPy's SeedSequence.

    Args:
        seed: What they are derived from.
        count: How many.
        key: Other numbers give other, independent seeds.
    """
    words = np.random.SeedSequence(seed, spawn_key=key).generate_state(count, np.uint64)
    return [int(word) for word in words >> _DROPPED_BITS]


def new_stream(seed: int | np.random.Generator | None = None) -> Words:
    """Return a stream, uint64[1].

    Args:
        seed: An integer of at least 0, which always gives the same stream; a generator, of which
            one word is drawn; or None for a seed from the operating system.

    Raises:
        TypeError: `seed` is none of these.
        ValueError: `seed` is negative.
    """
    if seed is None:
        seed = secrets.randbits(64)
    elif isinstance(seed, np.random.Generator):
        seed = int(seed.integers(1 << 64, dtype=np.uint64, endpoint=False))
    stream = np.empty(1, np.uint64)
    seed_words(seed_word(seed), stream)
    return stream
