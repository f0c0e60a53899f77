"""The words of a Mammalath position row, and the reasons for an end.

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

from mammalath_env.core.outcome import Termination

TOKENS = 1
"""Word of black's tokens; white's follow."""

ANIMALS = 3
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
