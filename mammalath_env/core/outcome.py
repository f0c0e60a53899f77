"""How a game ended, as a value for people and programs."""

from __future__ import annotations

import dataclasses
import enum


class Termination(enum.IntEnum):
    """Base of each game's enum of reasons for an end; values from 1 to 31."""

    @property
    def label(self) -> str:
        """The reason in lower-case words."""
        return self.name.lower().replace("_", " ")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The end of a game.

    Attributes:
        winner: The player who won, 0 or 1, or None for a draw.
        termination: Why the game ended, a member of the game's termination enum.
        returns: Sum of the rewards of each player, player 0 first. The two sum to 0.
    """

    winner: int | None
    termination: Termination
    returns: tuple[float, float]
