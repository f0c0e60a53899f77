"""What pictures of Mancala show, however they are drawn."""

from __future__ import annotations

from mammalath_env.core.game import Game
from mammalath_env.core.position import LastMove, Position
from mammalath_env.core.status import read_status
from mammalath_env.games.mancala.config import NUM_HOLES
from mammalath_env.games.mancala.game import MancalaGame
from mammalath_env.games.mancala.state import SIDES
from mammalath_env.games.mancala.tables import sow

SOUTH, NORTH = 0, 1

Hole = tuple[int, int]
"""A player, and one of their holes counted from their left."""


class MancalaView:
    """What a position and the move that led to it show in each hole and store.

    Attributes:
        seeds: Seeds of each hole.
        stores: Seeds of each player's store.
        quiet: Plies since the last capture.
        origin: The hole that was sown last, if known.
        sown: Seeds that the last move sowed into each hole; negative at the origin, 0 elsewhere.
        captured: Seeds that it captured from some holes.
        taken: Seeds that were taken from some holes because it ended the game.
        gained: Seeds that it brought to each player's store.
        starves: Whether it captured nothing for the only reason that nothing would be left (R23).
    """

    def __init__(self, position: Position, last: LastMove | None) -> None:
        """Look at a position of Mancala; raise TypeError if it is of another game."""
        self.game = checked_mancala(position.game)
        self.position = position
        self.last = last
        self.seeds, self.stores = _contents(position)
        self.quiet = read_status(position.row).counter
        self.origin: Hole | None = None
        self.sown = dict.fromkeys(self.seeds, 0)
        self.captured: dict[Hole, int] = {}
        self.taken: dict[Hole, int] = {}
        self.gained = [0, 0]
        self.starves = False
        if last is not None:
            self._follow(*last)

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
        """What the last move captured, or why it captured nothing, as the end of a sentence."""
        if self.captured:
            return f", captured {sum(self.captured.values())}"
        if self.starves and self.last is not None:
            starving = self.game.player_names[1 - self.last[0].to_move]
            return f", no capture: {starving} would starve"
        return ""

    def _follow(self, previous: Position, action: int) -> None:
        """Note what the last move did."""
        mover = previous.to_move
        before, stores = _contents(previous)
        self.gained = [now - then for now, then in zip(self.stores, stores, strict=True)]
        # The order of sowing: the mover's holes, then the opponent's.
        order = [(player, hole) for player in (mover, 1 - mover) for hole in range(NUM_HOLES)]
        self.origin = order[action]
        added, end = sow(action, before[self.origin])
        self.sown = dict(zip(order, added, strict=True))
        self.sown[self.origin] = -before[self.origin]
        full = {hole: before[hole] + self.sown[hole] for hole in order}
        # A capture starts from the last seed and goes back (R22). Only the opponent can take
        # seeds at the end of a ply with a capture, from what is left (R24).
        left = self.gained[mover] if self.quiet == 0 else 0
        self.starves = left == 0 and end >= NUM_HOLES and 2 <= full[order[end]] <= 3
        while left > 0:
            self.captured[order[end]] = full[order[end]]
            left -= full[order[end]]
            end -= 1
        for hole in order:
            if full[hole] > self.seeds[hole] and hole not in self.captured:
                self.taken[hole] = full[hole]


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
    sides = [int(word) for word in position.row[SIDES : SIDES + 2]]
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
