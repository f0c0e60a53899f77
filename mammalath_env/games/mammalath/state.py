"""The words of a Mammalath position row, how to read them, and the reasons for an end.

====================  ==========================================
word                  content
====================  ==========================================
0                     status, see `mammalath_env.core.status`
1, 2                  spaces with a token of black, of white
3, 4, ...             spaces with an animal of type A, of B, ...
====================  ==========================================

Bit k of a word is space k.
"""

from __future__ import annotations

import numpy as np

from mammalath_env.core.bits import ZERO, Words
from mammalath_env.core.jit import kernel
from mammalath_env.core.outcome import Termination
from mammalath_env.core.rules import Tables

TOKEN_WORD = 1
"""Word of black's tokens; white's follow."""

ANIMAL_WORD = 3
"""Word of the animals of type A; the other types follow."""

PLAYERS = ("black", "white")


class MammalathTermination(Termination):
    """Why a game of Mammalath ended."""

    ANIMALS_CAPTURED = 1
    """The mover's line holds an animal: the mover loses (R9)."""
    EMPTY_LINE = 2
    """The mover's line is free of animals: the mover wins (R10)."""
    TOKENS_USED_UP = 3
    """The mover has put down the last token: drawn (R11)."""


@kernel
def board_size(tables: Tables) -> int:
    """Return the rows, columns and types of the board.

    Sizes are read from the shapes of fields, since these are constants for the compiler, which
    then unrolls the loops over them.
    """
    return len(tables[0]["animal_words"])


@kernel
def animals(tables: Tables, row: Words) -> np.uint64:
    """Return the spaces that hold an animal of any type."""
    found = ZERO
    for word in tables[0]["animal_words"]:
        found |= row[word]
    return found
