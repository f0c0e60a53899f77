"""A position and the move that led to it, as all drawings of a game need them."""

from __future__ import annotations

from typing import Generic, TypeVar

from mammalath_env.core.game import Game
from mammalath_env.core.position import LastMove, Position

GameT = TypeVar("GameT", bound=Game)


class View(Generic[GameT]):
    """A position and the move that led to it, in words.

    Attributes:
        game: The game of the position.
        position: The position.
        outcome: Its outcome, None for a running game.
        player: The player to move, or the winner; None for a draw.
        mover: The name of the player of the last move; empty if the move is not known.
        move: The last move in notation; empty if it is not known.
    """

    def __init__(self, game_class: type[GameT], position: Position, last: LastMove | None) -> None:
        """Raise TypeError if `position` is not of a game of this class."""
        if not isinstance(position.game, game_class):
            wanted = game_class.__name__.removesuffix("Game")
            raise TypeError(f"this is the picture of {wanted}, not of {position.game.title}")
        self.game = position.game
        self.position = position
        self.outcome = position.outcome
        self.player = position.to_move if self.outcome is None else self.outcome.winner
        self.mover = self.move = ""
        if last is not None:
            previous, action = last
            self.mover = self.game.player_names[previous.to_move]
            self.move = previous.move_text(action)

    @property
    def hint(self) -> str:
        """A special choice or duty of the player to move; empty if there is none."""
        return ""

    @property
    def headline(self) -> str:
        """Whose turn it is, or who won."""
        if self.player is None:
            return "Draw"
        name = self.game.player_names[self.player].capitalize()
        return f"{name} {'to move' if self.outcome is None else 'won'}"

    @property
    def status(self) -> str:
        """The headline with the hint, or with the reason for the end."""
        if self.outcome is None:
            return self.headline + self.hint
        return f"{self.headline}: {self.outcome.termination.label}"
