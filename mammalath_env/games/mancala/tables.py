"""The constants of Mancala, as the kernels read them."""

from __future__ import annotations

import numpy as np

from mammalath_env.core.rules import Tables, pack_tables
from mammalath_env.games.mancala.config import NUM_HOLES, NUM_SEEDS, MancalaConfig


def seeds_to_add(hole: int, seeds: int) -> tuple[list[int], int]:
    """Return what sowing adds to each hole, and the hole of the last seed (R21).

    Args:
        hole: Hole of origin, 0 to 5 of the mover.
        seeds: Seeds in it.

    Returns:
        Twelve numbers, the mover's holes and then the opponent's, and an index into them.
    """
    added = [0] * (2 * NUM_HOLES)
    current = hole
    for _ in range(seeds):
        current = (current + 1) % len(added)
        if current == hole:
            current = (current + 1) % len(added)
        added[current] += 1
    return added, current


def make_tables(config: MancalaConfig) -> Tables:
    """Return the structured array that `mammalath_env.core.rules` describes.

    ``sown[hole, seeds]`` are the words to add to the mover's side and to the opponent's;
    ``last[hole, seeds]`` is the hole of the last seed, 6 and more for the opponent's.
    """
    sown = np.zeros((NUM_HOLES, NUM_SEEDS + 1, 2), np.uint64)
    last = np.zeros((NUM_HOLES, NUM_SEEDS + 1), np.int64)
    for hole in range(NUM_HOLES):
        for seeds in range(NUM_SEEDS + 1):
            added, last[hole, seeds] = seeds_to_add(hole, seeds)
            for k, count in enumerate(added):
                side, place = divmod(k, NUM_HOLES)
                sown[hole, seeds, side] |= np.uint64(count << 8 * place)
    fields = {
        "sown": sown,
        "last": last,
        "chain": np.bool_(config.capture == "chain"),
        "no_capture_limit": np.int64(config.no_capture_limit),
        "pays_seeds": np.bool_(config.reward == "seeds"),
    }
    return pack_tables(fields)
