"""The content of pictures of Mammalath, however they are drawn."""

from __future__ import annotations

from mammalath_env.core.game import Game
from mammalath_env.core.position import LastMove, Position
from mammalath_env.games.mammalath.effect import (
    MammalathEffect,
    finished_line,
    owner_by_space,
    type_by_space,
)
from mammalath_env.games.mammalath.game import MammalathGame
from mammalath_env.games.mammalath.state import MammalathTermination


class MammalathView:
    """A position and the move that led to it, space by space.

    Attributes:
        game: The game of the position.
        position: The position.
        last: The position before and the action that led from it, if known.
        tokens: The player whose token each occupied space holds.
        animals: The type of the animal on each space that has one.
        effect: What the last move did; an effect without anything if it is not known.
        released: The types of the animals that the last move released, by their spaces.
        lost: Whether the line that ended the game lost it.
        finished: The spaces of the lines and squares that ended the game.
    """

    def __init__(self, position: Position, last: LastMove | None) -> None:
        """Look at a position of Mammalath; raise TypeError if it is of another game."""
        self.game = checked_mammalath(position.game)
        self.position = position
        self.last = last
        row = position.row
        self.tokens = owner_by_space(row)
        self.animals = type_by_space(row)
        self.effect = MammalathEffect()
        if last is not None:
            self.effect = last[0].effect(last[1])
        self.released = dict(self.effect.released)
        outcome = position.outcome
        self.lost = outcome is not None and (
            outcome.termination is MammalathTermination.ANIMALS_CAPTURED
        )
        self.finished = set(finished_line(position))

    @property
    def may_swap(self) -> bool:
        """Whether the player to move may swap (R8)."""
        swaps = self.game.codec.blocks["swap"]
        return bool(self.position.action_mask()[swaps.start : swaps.stop].any())


def checked_mammalath(game: Game) -> MammalathGame:
    """Return `game` for what it is.

    Raises:
        TypeError: It is another game.
    """
    if not isinstance(game, MammalathGame):
        raise TypeError(f"this is the picture of Mammalath, not of {game.title}")
    return game
