"""The words of a Mancala position row, and the reasons for an end.

====  ==================================================================================
word  content
====  ==================================================================================
0     status, see `mammalath_env.core.status`; its counter is the plies since a capture
1     south: bytes 0 to 5 the seeds in holes A to F, byte 6 the store
2     north: bytes 0 to 5 the seeds in holes a to f, byte 6 the store
====  ==================================================================================

A player's holes are numbered from their left to their right, the direction of sowing.
"""

from __future__ import annotations

from mammalath_env.core.outcome import Termination

SIDES = 1
"""Word of south's holes and store; north's follows."""

NUM_WORDS = 3

PLAYERS = ("south", "north")


class MancalaTermination(Termination):
    """Why a game of Mancala ended."""

    MAJORITY = 1
    """A store holds 25 seeds or more (R25)."""
    OPPONENT_CANNOT_BE_FED = 2
    """The player to move cannot feed an empty row, and takes all seeds (R24)."""
    NO_CAPTURE_LIMIT = 3
    """Too many plies without a capture: each takes the seeds of their row (R26)."""
