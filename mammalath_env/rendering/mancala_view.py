"""The content of pictures of Mancala, however they are drawn."""

from __future__ import annotations

from mammalath_env.core.game import Game
from mammalath_env.core.position import LastMove, Position
from mammalath_env.core.status import read_status
from mammalath_env.games.mancala.config import NUM_HOLES
from mammalath_env.games.mancala.effect import Hole, MancalaEffect
from mammalath_env.games.mancala.game import MancalaGame
from mammalath_env.games.mancala.state import SIDE_WORD

SOUTH, NORTH = 0, 1


class MancalaView:
    """A position and the move that led to it, hole by hole and store by store.

    Attributes:
        seeds: Seeds of each hole.
        stores: Seeds of each player's store.
        plies_since_capture: Plies since the last capture.
        origin: The hole that was sown last, if known.
        sown: Seeds that the last move sowed into each hole; negative at the origin, 0 elsewhere.
        captured: Seeds that it captured from some holes.
        taken: Seeds that were taken from some holes because it ended the game.
        gained: Seeds that it brought to each player's store.
        starving: Whether it captured nothing for the only reason that nothing would be left (R23).
    """

    def __init__(self, position: Position, last: LastMove | None) -> None:
        """Look at a position of Mancala; raise TypeError if it is of another game."""
        self.game = checked_mancala(position.game)
        self.position = position
        self.last = last
        self.seeds, self.stores = _contents(position)
        self.plies_since_capture = read_status(position.row).counter
        self.origin: Hole | None = None
        self.sown = dict.fromkeys(self.seeds, 0)
        self.captured: dict[Hole, int] = {}
        self.taken: dict[Hole, int] = {}
        self.gained = (0, 0)
        self.starving = False
        if last is not None:
            effect: MancalaEffect = last[0].effect(last[1])
            self.origin = effect.hole
            self.sown |= {**dict(effect.sown), effect.hole: -effect.seeds}
            self.captured = dict(effect.captured)
            self.taken = dict(effect.taken)
            self.gained = effect.stored
            self.starving = effect.starving

    @property
    def news(self) -> str:
        """Whose turn it is, or who won and why."""
        names, outcome = self.game.player_names, self.position.outcome
        if outcome is not None:
            winner = outcome.winner
            result = "Draw" if winner is None else f"{names[winner].capitalize()} won"
            return f"{result}: {outcome.termination.label}"
        mover, other = self.position.to_move, 1 - self.position.to_move
        has_seeds = any(self.seeds[hole] for hole in row_of(other))
        feed = "" if has_seeds else f", must feed {names[other]}"
        return f"{names[mover].capitalize()} to move{feed}"

    @property
    def capture(self) -> str:
        """The end of a sentence: seeds captured by the last move, or why there are none."""
        if self.captured:
            return f", captured {sum(self.captured.values())}"
        if self.starving and self.last is not None:
            starving = self.game.player_names[1 - self.last[0].to_move]
            return f", no capture: {starving} would starve"
        return ""


def checked_mancala(game: Game) -> MancalaGame:
    """Return `game` for what it is.

    Raises:
        TypeError: It is another game.
    """
    if not isinstance(game, MancalaGame):
        raise TypeError(f"this is the picture of Mancala, not of {game.title}")
    return game


def _contents(position: Position) -> tuple[dict[Hole, int], list[int]]:
    """Return the seeds of each hole, and those of the two stores."""
    sides = [int(word) for word in position.row[SIDE_WORD : SIDE_WORD + 2]]
    seeds = {
        (player, hole): side >> 8 * hole & 0xFF
        for player, side in enumerate(sides)
        for hole in range(NUM_HOLES)
    }
    return seeds, [side >> 8 * NUM_HOLES for side in sides]


def row_of(player: int) -> list[Hole]:
    """Return the holes of `player` as south sees them, from the left."""
    holes = range(NUM_HOLES)
    return [(player, hole) for hole in (holes if player == SOUTH else reversed(holes))]
