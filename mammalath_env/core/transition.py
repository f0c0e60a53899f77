"""The transition: one ply of a game, as everything that plays games plays it.

A position is a row with the legal set of its player to move. `transition` takes both and an action,
and leaves both as they are after the ply, so that legal actions are computed once a ply.
"""

from __future__ import annotations

import numpy as np

from mammalath_env.core import rules, status
from mammalath_env.core.bits import ONE, Int8s, Words
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.rules import Tables

ILLEGAL = -1
RUNNING = 0
OVER = 1


@kernel
def is_legal(legal: Words, action: int) -> bool:
    """Return whether the legal set holds `action`, any integer."""
    if action < 0 or action >= 64 * len(legal):
        return False
    return (legal[action >> 6] >> np.uint64(action & 63)) & ONE == ONE


@kernel
def transition(tables: Tables, row: Words, legal: Words, action: int) -> tuple[int, int]:
    """Play `action` if it is legal.

    Args:
        tables: The game's constants.
        row: Position, changed in place to the one after the action.
        legal: Its legal set, uint64[(num_actions + 63) // 64], changed likewise.
        action: Any integer.

    Returns:
        `ILLEGAL` (nothing has changed), `RUNNING` or `OVER`; and what the action added to the
        return of player 0.
    """
    if not is_legal(legal, action):
        return ILLEGAL, 0
    before = rules.return_of_player_0(tables, row)
    rules.apply(tables, row, action)
    rules.write_legal(tables, row, legal)
    return OVER if status.is_over(row) else RUNNING, rules.return_of_player_0(tables, row) - before


@entry_kernel
def play(tables: Tables, row: Words, legal: Words, action: int) -> bool:
    """Play `action` as `transition` does, and return whether it was legal."""
    event, _ = transition(tables, row, legal, action)
    return event != ILLEGAL


@entry_kernel
def write_legal(tables: Tables, row: Words, legal: Words) -> None:
    """Write the legal set of the position `row`."""
    rules.write_legal(tables, row, legal)


@entry_kernel
def observe(tables: Tables, row: Words, player: int, channels_first: bool, out: Int8s) -> None:
    """Write the observation of `player` into the C-contiguous array `out`, whatever its shape."""
    rules.write_observation(tables, row, player, channels_first, out.reshape(out.size))


@entry_kernel
def deal(tables: Tables, row: Words, stream: Words, first_player: int) -> None:
    """Write a start position drawn from `stream`; `first_player` is 0, 1, or -1 to draw one."""
    rules.deal(tables, row, stream, first_player)
