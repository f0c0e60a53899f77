"""Count the move sequences from a position, which is how rules are compared with others' rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core import rules, status
from mammalath_env.core.bits import ONE, ZERO, copy_row, lowest_bit, num_set
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.jit import entry_kernel
from mammalath_env.core.position import Position
from mammalath_env.core.rules import Tables

MAX_DEPTH = 12
"""Largest depth, in plies; counts beyond would take days."""


@entry_kernel
def count_sequences(
    tables: Tables, rows: NDArray[np.uint64], legal: NDArray[np.uint64], depth: int
) -> int:
    """Return how many sequences of `depth` plies there are from ``rows[0]``.

    Args:
        tables: The game's constants.
        rows: uint64[depth, num_words]; the first one is the position, the others are scratch.
        legal: Scratch of uint64[depth, words of a set of actions].
        depth: Plies, at least 1.
    """
    total = 0
    ply = 0
    rules.write_legal(tables, rows[0], legal[0])
    while ply >= 0:
        if ply == depth - 1:
            total += num_set(legal[ply])
            ply -= 1
            continue
        word = 0
        while word < legal.shape[1] and legal[ply, word] == ZERO:
            word += 1
        if word == legal.shape[1]:
            ply -= 1
            continue
        action = 64 * word + lowest_bit(legal[ply, word])
        legal[ply, word] &= legal[ply, word] - ONE
        copy_row(rows[ply], rows[ply + 1])
        rules.apply(tables, rows[ply + 1], action)
        if not status.is_over(rows[ply + 1]):
            rules.write_legal(tables, rows[ply + 1], legal[ply + 1])
            ply += 1
    return total


def perft(position: Position, depth: int) -> int:
    """Return the number of move sequences of `depth` plies from `position`.

    Sequences that end the game earlier do not count.

    Raises:
        TypeError: `depth` is not an integer.
        ValueError: `depth` is not from 1 to `MAX_DEPTH`.
    """
    depth = checked_integer("depth", depth, 1, MAX_DEPTH)
    game = position.game
    rows = np.zeros((depth, game.num_words), np.uint64)
    rows[0] = position.row
    legal = np.zeros((depth, len(game.new_legal())), np.uint64)
    return int(count_sequences(game.tables, rows, legal, depth))
