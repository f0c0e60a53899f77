"""The content of pictures of Mancala, for all back ends."""

from __future__ import annotations

from mammalath_env.core.position import LastMove, Position
from mammalath_env.core.status import read_status
from mammalath_env.games.mancala.config import NUM_HOLES
from mammalath_env.games.mancala.effect import Hole, MancalaEffect
from mammalath_env.games.mancala.game import MancalaGame
from mammalath_env.games.mancala.state import SIDE_WORD
from mammalath_env.rendering.view import View

SOUTH, NORTH = 0, 1


class MancalaView(View[MancalaGame]):
    """A position and the move that led to it, hole by hole and store by store.

    Attributes:
        seeds: Seeds of each hole.
        stores: Seeds of each player's store.
        plies_since_capture: Plies since the last capture.
        origin: The hole that was sown last, if known.
        sown: Seeds that the last move sowed into each hole; negative at the origin, 0 elsewhere.
        captured: Seeds that it captured, by hole.
        taken: Seeds that were taken because it ended the game, by hole.
        gained: Seeds that it brought to each player's store.
        starving: Whether it captured nothing only because the opponent would have starved (R23).
    """

    def __init__(self, position: Position, last: LastMove | None) -> None:
        """Raise TypeError if `position` is of another game."""
        super().__init__(MancalaGame, position, last)
        sides = [int(word) for word in position.row[SIDE_WORD : SIDE_WORD + 2]]
        self.seeds: dict[Hole, int] = {
            (player, hole): side >> 8 * hole & 0xFF
            for player, side in enumerate(sides)
            for hole in range(NUM_HOLES)
        }
        self.stores = [side >> 8 * NUM_HOLES for side in sides]
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
    def hint(self) -> str:
        """The duty to feed an opponent without seeds."""
        other = 1 - self.position.to_move
        has_seeds = any(self.seeds[hole] for hole in row_of(other))
        return "" if has_seeds else f", must feed {self.game.player_names[other]}"

    @property
    def capture(self) -> str:
        """The end of a sentence: seeds captured by the last move, or why there are none."""
        if self.captured:
            return f", captured {sum(self.captured.values())}"
        if self.starving:
            # After the last move, the player to move is the mover's opponent.
            starving = self.game.player_names[self.position.to_move]
            return f", no capture: {starving} would starve"
        return ""


def row_of(player: int) -> list[Hole]:
    """Return the holes of `player` as south sees them, from the left."""
    holes = range(NUM_HOLES)
    return [(player, hole) for hole in (holes if player == SOUTH else reversed(holes))]
