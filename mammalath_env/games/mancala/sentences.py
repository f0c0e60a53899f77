"""What a person is told of Mancala: why a move is illegal, and how a game ended."""

from __future__ import annotations

from mammalath_env.core.position import Position
from mammalath_env.games.mancala.config import MAJORITY, MancalaConfig
from mammalath_env.games.mancala.state import PLAYERS, SIDE_WORD, MancalaTermination, seeds_in
from mammalath_env.games.mancala.text import format_move


def explain_illegal(hole: int, position: Position) -> str:
    """Return the rule that sowing a hole breaks in a running position."""
    mover = position.to_move
    name = format_move(hole, mover)
    if seeds_in(position.row[SIDE_WORD + mover], hole) == 0:
        return f"hole {name} has no seeds (R21)"
    other = PLAYERS[1 - mover]
    return (
        f"{other} has no seeds, so that a move must sow into the row of {other}; "
        f"hole {name} has too few to get there (R24)"
    )


def describe_end(config: MancalaConfig, position: Position) -> str:
    """Return why a finished game ended, with the seeds of both stores."""
    outcome = position.outcome
    assert outcome is not None
    # After the end, the player to move is the one who would be next.
    following, mover = PLAYERS[position.to_move], PLAYERS[1 - position.to_move]
    stores = [int(side).to_bytes(8, "little")[6] for side in position.row[SIDE_WORD:]]
    south, north = (f"{name} has {held}" for name, held in zip(PLAYERS, stores, strict=True))
    if outcome.termination is MancalaTermination.MAJORITY:
        return f"{south} seeds and {north}; {MAJORITY} or more win (R25)"
    if outcome.termination is MancalaTermination.OPPONENT_CANNOT_BE_FED:
        why = f"{mover} has an empty row, {following} cannot sow into it and took the rest (R24)"
    else:
        why = (
            f"{config.no_capture_limit} plies without a capture, so that both took the seeds "
            "of their row (R26)"
        )
    return f"{why}: {south} seeds and {north}"
