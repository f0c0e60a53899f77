"""The rules of Mammalath as kernels; the rule numbers are those of ``docs/rules.md``.

How patterns are found and ordered so fast stands in `mammalath_env.games.mammalath.legal`, the deal
(R1, R2) in `mammalath_env.games.mammalath.deal`. The sizes of R13 to R15 are constants in `tables`.
"""

from __future__ import annotations

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import ONE, ZERO, Words, append_bits, popcount
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.games.mammalath.legal import append_patterns, pattern_spaces
from mammalath_env.games.mammalath.state import (
    ANIMAL_WORD,
    TOKEN_WORD,
    MammalathTermination,
    animals,
    board_size,
)

_ANIMALS_CAPTURED = int(MammalathTermination.ANIMALS_CAPTURED)
_EMPTY_LINE = int(MammalathTermination.EMPTY_LINE)
_TOKENS_USED_UP = int(MammalathTermination.TOKENS_USED_UP)


@kernel
def write_legal(tables: Tables, row: Words, legal: Words) -> None:
    """Write the set of the mover's legal actions (R3), empty after the end."""
    constants = tables[0]
    size = board_size(tables)
    first_type = size * size
    first_pattern = first_type + size
    swap = first_pattern + len(constants["patterns"])
    for k in range(len(legal)):
        legal[k] = ZERO
    if status.is_over(row):
        return
    without_token = constants["board"] & ~(row[TOKEN_WORD] | row[TOKEN_WORD + 1])
    append_bits(legal, 0, without_token, size * size)  # R4
    plies = status.ply(row)
    if plies == 0:  # R7
        return
    types = ZERO
    with_animal = ZERO
    for kind in range(size):
        spaces = row[ANIMAL_WORD + kind]
        with_animal |= spaces
        if spaces != ZERO:
            types |= ONE << np.uint64(kind)
    append_bits(legal, first_type, types, size)  # R5
    append_patterns(tables, with_animal, legal, first_pattern)  # R6
    if plies == 1 and constants["swap_rule"]:  # R8
        append_bits(legal, swap, ONE, 1)


@kernel
def apply(tables: Tables, row: Words, action: int) -> None:
    """Play a legal `action` in place (R3)."""
    patterns = tables[0]["patterns"]
    size = board_size(tables)
    first_type = size * size
    first_pattern = first_type + size
    swap = first_pattern + len(patterns)
    player = status.to_move(row)
    status.pass_turn(row)
    if action < first_type:  # R4
        row[TOKEN_WORD + player] |= ONE << np.uint64(action)
        end_game_if_decided(tables, row, player)
    elif action < first_pattern:  # R5
        row[ANIMAL_WORD + action - first_type] = ZERO
    elif action < swap:  # R6
        kept = ~patterns[action - first_pattern]
        for word in tables[0]["animal_words"]:
            row[word] &= kept
    else:  # R8
        row[TOKEN_WORD + player] = row[TOKEN_WORD + 1 - player]
        row[TOKEN_WORD + 1 - player] = ZERO


@kernel
def end_game_if_decided(tables: Tables, row: Words, player: int) -> None:
    """End the game if the token that `player` has just put down does (R9 to R11).

    No line stood before the placement, or the game would have ended (R12), so that all lines of
    `player` go through this token.
    """
    own = row[TOKEN_WORD + player]
    line_spaces = pattern_spaces(tables, own)
    if line_spaces & animals(tables, row) != ZERO:  # R9
        status.finish(row, 1 - player, _ANIMALS_CAPTURED)
    elif line_spaces != ZERO:  # R10
        status.finish(row, player, _EMPTY_LINE)
    elif popcount(own) == tables[0]["num_tokens"]:  # R11
        status.finish(row, status.DRAW, _TOKENS_USED_UP)


@kernel
def return_of_player_0(tables: Tables, row: Words) -> int:
    """Return the return of player 0: 1, -1, or 0 for a draw or a running game."""
    return status.outcome_return(row)
