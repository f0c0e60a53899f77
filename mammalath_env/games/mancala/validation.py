"""Which Mancala positions a game can have reached.

The checks are necessary conditions: whatever breaks one cannot have come about by the rules.
"""

from __future__ import annotations

from mammalath_env.core import status
from mammalath_env.core.bits import Words
from mammalath_env.core.errors import PositionError
from mammalath_env.games.mancala.config import (
    MAJORITY,
    NUM_HOLES,
    NUM_SEEDS,
    SEEDS_PER_HOLE,
    MancalaConfig,
)
from mammalath_env.games.mancala.legal import can_feed
from mammalath_env.games.mancala.state import PLAYERS, SIDE_WORD, MancalaTermination


def find_end(
    config: MancalaConfig, row: Words, holes: list[list[int]], stores: list[int]
) -> MancalaTermination | None:
    """Check a position and return why it is finished, or None while the game runs.

    Args:
        config: The options of the game.
        row: Its status holds the mover, the plies and the plies since a capture, no outcome.
        holes: Seeds in south's holes and in north's.
        stores: Seeds in south's store and in north's.

    Raises:
        PositionError: No game leads to the position.
    """
    mover, plies, _, _, plies_since_capture = status.read_status(row)
    waiting = 1 - mover
    total = sum(holes[0]) + sum(holes[1]) + sum(stores)
    if total != NUM_SEEDS:
        raise PositionError(f"{total} seeds: there are {NUM_SEEDS} (R20)")
    since_capture = f"{plies_since_capture} plies since a capture"
    if plies_since_capture > plies:
        raise PositionError(f"{since_capture}, but {plies} plies played")
    if plies_since_capture > config.no_capture_limit:
        raise PositionError(f"{since_capture}: the game ends at {config.no_capture_limit} (R26)")
    if plies == 0 and {*holes[0], *holes[1]} != {SEEDS_PER_HOLE}:
        raise PositionError("before the first ply, four seeds lie in each hole (R20)")
    if sum(holes[0]) + sum(holes[1]) == 0:
        if plies_since_capture == config.no_capture_limit:
            return MancalaTermination.NO_CAPTURE_LIMIT
        return MancalaTermination.OPPONENT_CANNOT_BE_FED
    if sum(holes[mover]) == 0:
        raise PositionError(
            f"{PLAYERS[mover]} has no seed to move, but {PLAYERS[waiting]} has (R23, R24)"
        )
    if stores[mover] >= MAJORITY:
        raise PositionError(
            f"{PLAYERS[mover]} has {stores[mover]} seeds and would be to move (R25)"
        )
    if 1 in stores:
        raise PositionError("a store of one seed: captures bring two or more (R22)")
    if (plies_since_capture < plies) != (max(stores) > 0):
        raise PositionError(
            f"stores {stores[0]}-{stores[1]} do not fit {since_capture} of {plies} plies played"
        )
    if plies > 0 and plies_since_capture == 0 and stores[waiting] == 0:
        raise PositionError(f"{PLAYERS[waiting]} has just captured, but their store is empty (R22)")
    if plies > 0 and min(holes[waiting]) > 0:
        raise PositionError(
            f"{PLAYERS[waiting]} has no empty hole: they have just sown from one (R21)"
        )
    # A capture takes two seeds or more, and comes after fewer plies than the limit.
    if plies - plies_since_capture > config.no_capture_limit * (sum(stores) // 2):
        raise PositionError(
            f"{plies} plies with {sum(stores)} seeds captured, but {config.no_capture_limit} plies "
            "without a capture end the game (R26)"
        )
    if stores[waiting] >= MAJORITY:
        # It was won by one capture: of a hole, or of a chain that left a hole of the row.
        most = MAJORITY - 1 + 3 * (NUM_HOLES - 1 if config.capture == "chain" else 1)
        if stores[waiting] > most:
            raise PositionError(
                f"{PLAYERS[waiting]} has {stores[waiting]} seeds: the game ends at "
                f"{MAJORITY}, and the capture that gets there gets no further than {most} (R25)"
            )
        if plies_since_capture > 0:
            raise PositionError(
                f"{PLAYERS[waiting]} has {stores[waiting]} seeds, "
                "and plies were played after the capture that won (R25)"
            )
        return MancalaTermination.MAJORITY
    if plies_since_capture == config.no_capture_limit:
        raise PositionError(f"{since_capture}: the seeds on the board are taken by then (R26)")
    if sum(holes[waiting]) == 0 and not can_feed(row[SIDE_WORD + mover]):
        raise PositionError(
            f"{PLAYERS[mover]} cannot feed {PLAYERS[waiting]}: "
            "the seeds on the board are taken by then (R24)"
        )
    return None
