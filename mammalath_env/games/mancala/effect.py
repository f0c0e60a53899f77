"""Effects of Mancala moves as data, for pictures and texts."""

from __future__ import annotations

import dataclasses

import numpy as np

from mammalath_env.core.bits import Words
from mammalath_env.core.position import Position
from mammalath_env.core.rules import Tables
from mammalath_env.games.mancala.config import NUM_HOLES
from mammalath_env.games.mancala.rules import sow
from mammalath_env.games.mancala.state import SIDE_WORD, seeds_in
from mammalath_env.games.mancala.tables import seeds_to_add

Hole = tuple[int, int]
"""A player, and one of their holes counted from their left."""


@dataclasses.dataclass(frozen=True)
class MancalaEffect:
    """The changes that a move makes.

    Attributes:
        hole: The hole that was sown.
        seeds: How many seeds were in it.
        sown: Each hole that got seeds and how many, in the order of sowing (R21).
        captured: Each hole that was captured and its seeds, the one of the last seed first (R22).
        starving: Whether a capture was not made for the only reason that it would have left the
            opponent without a seed (R23).
        taken: Each hole whose seeds its owner took at the end of the game, and how many (R24, R26).
        stored: Seeds that the move brought to the stores of player 0 and player 1.
    """

    hole: Hole
    seeds: int
    sown: tuple[tuple[Hole, int], ...]
    captured: tuple[tuple[Hole, int], ...]
    starving: bool
    taken: tuple[tuple[Hole, int], ...]
    stored: tuple[int, int]


def effect_of(tables: Tables, action: int, row: Words, after: Position) -> MancalaEffect:
    """Return the effect of sowing a hole.

    Args:
        tables: The game's constants.
        action: The hole.
        row: The position before the move.
        after: The position after it.
    """
    mover = 1 - after.to_move
    own_word, other_word = SIDE_WORD + mover, SIDE_WORD + 1 - mover
    # The mover's holes, then the opponent's, which is the order of sowing.
    holes = [(player, hole) for player in (mover, 1 - mover) for hole in range(NUM_HOLES)]
    before = _seeds(row[own_word], row[other_word])
    seeds = before[action]
    added, last = seeds_to_add(action, seeds)
    full = [held + new for held, new in zip(before, added, strict=True)]
    full[action] = 0
    left = _seeds(*sow(tables, row[own_word], row[other_word], action))
    captured = [k for k in reversed(range(len(holes))) if left[k] < full[k]]
    at_end = _seeds(after.row[own_word], after.row[other_word])
    taken = [k for k in range(len(holes)) if at_end[k] < left[k]]
    stored = [0, 0]
    stored[mover] += sum(full[k] for k in captured)
    for k in taken:
        stored[holes[k][0]] += left[k]
    return MancalaEffect(
        hole=holes[action],
        seeds=seeds,
        sown=tuple(
            (holes[k], added[k])
            for k in (*range(action + 1, len(holes)), *range(action))
            if added[k]
        ),
        captured=tuple((holes[k], full[k]) for k in captured),
        starving=not captured and last >= NUM_HOLES and 2 <= full[last] <= 3,
        taken=tuple((holes[k], left[k]) for k in taken),
        stored=(stored[0], stored[1]),
    )


def _seeds(own: np.uint64, other: np.uint64) -> list[int]:
    """Return the seeds in the holes of two sides."""
    return [int(seeds_in(side, hole)) for side in (own, other) for hole in range(NUM_HOLES)]
