"""The content of pictures of Mammalath, for all back ends."""

from __future__ import annotations

from mammalath_env.core.position import LastMove, Position
from mammalath_env.games.mammalath.effect import (
    MammalathEffect,
    finished_line,
    owner_by_space,
    type_by_space,
)
from mammalath_env.games.mammalath.game import MammalathGame
from mammalath_env.games.mammalath.state import MammalathTermination
from mammalath_env.rendering.view import View


class MammalathView(View[MammalathGame]):
    """A position and the move that led to it, space by space.

    Attributes:
        tokens: The player whose token each occupied space holds.
        animals: The type of the animal on each space that has one.
        effect: The effect of the last move; an empty one if the move is not known.
        released: The types of the animals that the last move released, by their spaces.
        lost: Whether the line that ended the game lost it.
        finished: The spaces of the lines and squares that ended the game.
    """

    def __init__(self, position: Position, last: LastMove | None) -> None:
        """Raise TypeError if `position` is of another game."""
        super().__init__(MammalathGame, position, last)
        self.tokens = owner_by_space(position.row)
        self.animals = type_by_space(position.row)
        self.effect = MammalathEffect() if last is None else last[0].effect(last[1])
        self.released = dict(self.effect.released)
        self.lost = (
            self.outcome is not None
            and self.outcome.termination is MammalathTermination.ANIMALS_CAPTURED
        )
        self.finished = set(finished_line(position))

    @property
    def hint(self) -> str:
        """The offer to swap (R8), if the player to move may."""
        swaps = self.game.codec.blocks["swap"]
        may_swap = self.position.action_mask()[swaps.start : swaps.stop].any()
        return " or to swap" if may_swap else ""
