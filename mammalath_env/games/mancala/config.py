"""The options of Mancala, and its fixed numbers."""

from __future__ import annotations

import dataclasses

from mammalath_env.core.checks import checked_choice, checked_integer

NUM_HOLES = 6
"""Holes of each player (R20)."""
SEEDS_PER_HOLE = 4
"""Seeds in each hole at the start (R20)."""
NUM_SEEDS = 2 * NUM_HOLES * SEEDS_PER_HOLE
"""Seeds of the game (R20)."""
MAJORITY = NUM_SEEDS // 2 + 1
"""Seeds that win (R25)."""

CAPTURES = ("last", "chain")
REWARDS = ("outcome", "seeds")
MAX_LIMIT = 127
"""Largest `no_capture_limit`: the counter is an int8 of the observation."""


@dataclasses.dataclass(frozen=True)
class MancalaConfig:
    """How Mancala is played and rewarded.

    Attributes:
        capture: ``"last"`` captures from one hole, ``"chain"`` goes on to those before it (R22).
        no_capture_limit: Plies without a capture that end the game, 1 to `MAX_LIMIT` (R26).
        reward: ``"outcome"`` pays 1 or -1 at the end, ``"seeds"`` at each ply the seeds stored by
            the player less those stored by the opponent.
    """

    capture: str = "last"
    no_capture_limit: int = 100
    reward: str = "outcome"

    def __post_init__(self) -> None:
        """Check the options.

        Raises:
            TypeError: `no_capture_limit` is not an integer.
            ValueError: An option has a value that does not exist.
        """
        checked_choice("capture", self.capture, CAPTURES)
        checked_choice("reward", self.reward, REWARDS)
        limit = checked_integer("no_capture_limit", self.no_capture_limit, 1, MAX_LIMIT)
        object.__setattr__(self, "no_capture_limit", limit)
