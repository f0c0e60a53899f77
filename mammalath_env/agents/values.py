"""Values of positions, from -1 to 1: estimates, and results that the rules prove."""

from __future__ import annotations

from mammalath_env.core import rules, status
from mammalath_env.core.bits import WORD_BITS, Words, copy_row
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.rules import Tables
from mammalath_env.core.transition import is_legal

ESTIMATE_SCALE = 200.0
"""Evaluation that stands for half a win."""

UNPROVEN = -1
"""In place of the code of the winner where the result is unknown."""


@kernel
def estimate(evaluation: float) -> float:
    """Return an evaluation of `rules.evaluate` as a value between -1 and 1."""
    return evaluation / (abs(evaluation) + ESTIMATE_SCALE)


@kernel
def proven_value(winner: int) -> float:
    """Return the value for player 0 of a proven result, given as the code of the winner."""
    if winner == 0:
        return 1.0
    return -1.0 if winner == 1 else 0.0


@kernel
def proven_winner(tables: Tables, row: Words) -> int:
    """Return the code of the winner if the rules decide within two plies, else `UNPROVEN`."""
    if status.is_over(row):
        return status.winner_code(row)
    if rules.can_win(tables, row):
        return status.to_move(row)
    if rules.must_lose(tables, row):
        return 1 - status.to_move(row)
    return UNPROVEN


@entry_kernel
def find_win(tables: Tables, row: Words, legal: Words, child: Words) -> int:
    """Return an action of the running position `row` that wins at once, or -1.

    Args:
        tables: The game's constants.
        row: uint64[num_words]; never modified.
        legal: Scratch for a set of actions.
        child: Scratch of uint64[num_words].
    """
    player = status.to_move(row)
    if not rules.can_win(tables, row):
        return -1
    rules.write_legal(tables, row, legal)
    for action in range(len(legal) * WORD_BITS):
        if is_legal(legal, action):
            copy_row(row, child)
            rules.apply(tables, child, action)
            if status.winner_code(child) == player:
                return action
    return -1
