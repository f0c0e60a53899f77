"""The two sizes of the game, each one value."""

from __future__ import annotations

import dataclasses

NUM_EXTRA_PLANES = 4
"""Planes of an observation besides those of the animal types."""

ANIMAL_NAMES = (
    "armadillo",
    "badger",
    "cougar",
    "deer",
    "elephant",
    "fox",
    "giraffe",
    "hippopotamus",
)
"""Names of the animal types; the capital initial is a type's letter in texts."""


@dataclasses.dataclass(frozen=True)
class MammalathConfig:
    """One size of Mammalath.

    Attributes:
        name: The game's name for `make_game`.
        title: The game's name for people.
        size: Rows, columns, animal types, and animals of each type.
        line_length: Spaces in a line (R6, R9, R10, R15).
        squares: Whether 2x2 squares count like lines (R15).
        num_tokens: Tokens of each player (R2, R14).
    """

    name: str
    title: str
    size: int
    line_length: int
    squares: bool
    num_tokens: int

    @property
    def num_spaces(self) -> int:
        """Spaces of the board."""
        return self.size * self.size

    @property
    def letters(self) -> str:
        """The letters of the animal types, in order."""
        return "".join(name[0].upper() for name in ANIMAL_NAMES[: self.size])


MAMMALATH = MammalathConfig("mammalath", "Mammalath", 6, 3, False, 18)
MAMMALATH_PLUS = MammalathConfig("mammalath_plus", "Mammalath Plus", 8, 4, True, 32)
