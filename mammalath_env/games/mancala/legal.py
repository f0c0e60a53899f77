"""Which holes may be sown, as a set.

Sowing drops one seed a hole, and the mover's holes are numbered in its direction, so that hole k
reaches the opponent's row exactly if it holds 6 - k seeds or more. The duty to feed (R24) therefore
needs no sowing, only a higher least number of seeds in each hole.
"""

from __future__ import annotations

import numpy as np

from mammalath_env.core.bits import ONE, ZERO
from mammalath_env.core.jit import kernel
from mammalath_env.games.mancala.config import NUM_HOLES
from mammalath_env.games.mancala.state import HOLES, seeds_in


@kernel
def holes_to_sow(own: np.uint64, other: np.uint64) -> np.uint64:
    """Return the set of holes that the side `own` may sow (R21).

    If the opponent's row is empty, these are the holes whose last seed gets there (R24).
    """
    must_feed = other & HOLES == ZERO
    holes = ZERO
    for hole in range(NUM_HOLES):
        if seeds_in(own, hole) >= (NUM_HOLES - hole if must_feed else 1):
            holes |= ONE << np.uint64(hole)
    return holes


@kernel
def can_feed(own: np.uint64) -> bool:
    """Return whether some move from the side `own` puts a seed in the opponent's row (R24)."""
    return holes_to_sow(own, ZERO) != ZERO
