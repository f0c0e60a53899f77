"""The kernels behind one position: what `Position` values and the AEC environment call."""

from __future__ import annotations

import numpy as np

from mammalath_env.core import rules, status
from mammalath_env.core.bits import ONE, Int8s, Words, expand_bits
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.rules import Tables

ILLEGAL = -1
RUNNING = 0
OVER = 1


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
def play_and_mask(
    tables: Tables, row: Words, action: int, legal: Words, mask: Int8s
) -> tuple[int, int, int]:
    """Play like `play`, and write the mask of the position after it.

    Returns:
        `ILLEGAL` (nothing changed), `RUNNING` or `OVER`; what player 0 gained by the action; and
        the player to move.
    """
    before = rules.return_of_player_0(tables, row)
    if not play(tables, row, action, legal):
        return ILLEGAL, 0, status.to_move(row)
    write_mask(tables, row, legal, mask)
    result = OVER if status.is_over(row) else RUNNING
    return result, rules.return_of_player_0(tables, row) - before, status.to_move(row)


@entry_kernel
def observe(tables: Tables, row: Words, player: int, channels_first: bool, out: Int8s) -> None:
    """Write the observation of `player` into the C-contiguous array `out`, whatever its shape."""
    rules.write_observation(tables, row, player, channels_first, out.reshape(out.size))


@entry_kernel
def deal(tables: Tables, row: Words, stream: Words, first_player: int) -> None:
    """Write a start position drawn from `stream`; `first_player` is 0, 1, or -1 to draw one."""
    rules.deal(tables, row, stream, first_player)
