"""The kernels behind one position: what `Position` values and the AEC environment call."""

from __future__ import annotations

import numpy as np

from mammalath_env.core import rules
from mammalath_env.core.bits import ONE, Int8s, Words, expand_bits
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.rules import Tables


@kernel
def is_legal(legal: Words, action: int) -> bool:
    """Return whether the set `legal` holds `action`, which must be in range."""
    return (legal[action >> 6] >> np.uint64(action & 63)) & ONE == ONE


@entry_kernel
def play(tables: Tables, row: Words, action: int, legal: Words) -> bool:
    """Play `action` in place if it is legal, and say whether it was.

    Args:
        tables: The game's constants.
        row: Changed if the action is legal, else left as it was.
        action: In range(num_actions).
        legal: Scratch of uint64[(num_actions + 63) // 64].
    """
    rules.write_legal(tables, row, legal)
    if not is_legal(legal, action):
        return False
    rules.apply(tables, row, action)
    return True


@entry_kernel
def write_mask(tables: Tables, row: Words, legal: Words, mask: Int8s) -> None:
    """Write the mover's legal actions as int8[num_actions] of 0 and 1, using `legal` as scratch."""
    rules.write_legal(tables, row, legal)
    expand_bits(legal, len(mask), mask)


@entry_kernel
def play_and_mask(tables: Tables, row: Words, action: int, legal: Words, mask: Int8s) -> bool:
    """Play like `play`; if the action was legal, write the next mover's mask too."""
    if not play(tables, row, action, legal):
        return False
    write_mask(tables, row, legal, mask)
    return True


@entry_kernel
def observe(tables: Tables, row: Words, player: int, channels_first: bool, out: Int8s) -> None:
    """Write the observation of `player` into the C-contiguous array `out`, whatever its shape."""
    rules.write_observation(tables, row, player, channels_first, out.reshape(out.size))


@entry_kernel
def deal(tables: Tables, row: Words, stream: Words, first_player: int) -> None:
    """Write a start position drawn from `stream`; `first_player` is 0, 1, or -1 to draw one."""
    rules.deal(tables, row, stream, first_player)
