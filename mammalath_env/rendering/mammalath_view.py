"""What pictures of Mammalath show, however they are drawn."""

from __future__ import annotations

from mammalath_env.core.game import Game
from mammalath_env.core.position import LastMove, Position
from mammalath_env.games.mammalath.game import MammalathGame
from mammalath_env.games.mammalath.state import ANIMALS, TOKENS, MammalathTermination


class MammalathView:
    """What a position and the move that led to it show on each space.

    Attributes:
        game: The game of the position.
        position: The position.
        last: The position before and the action that led from it, if known.
        tokens: The player whose token each occupied space holds.
        animals: The type of the animal on each space that has one.
        released: The types of the animals that the last move released, by their spaces.
        placed: The space that the last move put a token on, or -1.
        swapped: The space whose token the last move swapped, or -1.
        lost: Whether the line that ended the game lost it.
        finished: The spaces of the lines and squares that ended the game.
    """

    def __init__(self, position: Position, last: LastMove | None) -> None:
        """Look at a position of Mammalath; raise TypeError if it is of another game."""
        self.game = checked_mammalath(position.game)
        self.position = position
        self.last = last
        self.tokens, self.animals = _pieces(position)
        self.released: dict[int, int] = {}
        if last is not None:
            before = _pieces(last[0])[1]
            self.released = {s: each for s, each in before.items() if s not in self.animals}
        self.placed = self.swapped = -1
        if last is not None:
            kind, index = self.game.codec.decode(last[1])
            if kind == "place":
                self.placed = index
            elif kind == "swap":
                self.swapped = next(iter(self.tokens))
        outcome = position.outcome
        self.lost = outcome is not None and (
            outcome.termination is MammalathTermination.ANIMALS_CAPTURED
        )
        # A game ends with a move, so that the lines are those of the player who is not next (R12).
        mover = 1 - position.to_move
        self.finished: set[int] = set()
        if outcome is not None:
            self.finished = {
                space
                for pattern in self.game.patterns
                if all(self.tokens.get(space) == mover for space in pattern)
                for space in pattern
            }

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


def _pieces(position: Position) -> tuple[dict[int, int], dict[int, int]]:
    """Return the player whose token and the type whose animal each occupied space holds."""
    words = [int(word) for word in position.row]

    def owners(boards: list[int]) -> dict[int, int]:
        return {
            space: owner
            for owner, board in enumerate(boards)
            for space in range(board.bit_length())
            if board >> space & 1
        }

    return owners(words[TOKENS:ANIMALS]), owners(words[ANIMALS:])
