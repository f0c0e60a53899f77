"""Positions near the end of games, and a slow search to compare with."""

from __future__ import annotations

import functools

import numpy as np

from mammalath_env.core.game import Game
from mammalath_env.core.position import Position


def endgames(game: Game, count: int, plies_left: int, most_actions: int = 40) -> list[Position]:
    """Return positions of random games, up to `plies_left` plies before their ends."""
    rng = np.random.default_rng(5)
    found: list[Position] = []
    seed = 0
    while len(found) < count:
        position = game.deal(seed)
        seed += 1
        played = []
        while not position.is_over:
            played.append(position)
            position = position.play(int(rng.choice(position.legal_actions())))
        chosen = played[-min(len(played), 1 + int(rng.integers(plies_left)))]
        if len(chosen.legal_actions()) <= most_actions:
            found.append(chosen)
    return found


def winning_actions(position: Position) -> list[int]:
    """Return the actions that win at once."""
    found = []
    for action in position.legal_actions():
        outcome = position.play(action).outcome
        if outcome is not None and outcome.winner == position.to_move:
            found.append(action)
    return found


def losing_actions(position: Position) -> list[int]:
    """Return the actions that lose at once, or after which the opponent can win at once."""
    found = []
    for action in position.legal_actions():
        after = position.play(action)
        outcome = after.outcome
        if outcome is None:
            if winning_actions(after):
                found.append(action)
        elif outcome.winner == 1 - position.to_move:
            found.append(action)
    return found


@functools.cache
def worth(position: Position) -> int:
    """Return what a position is worth to the player to move by trying everything: 1, 0 or -1."""
    outcome = position.outcome
    if outcome is not None:
        if outcome.winner is None:
            return 0
        return 1 if outcome.winner == position.to_move else -1
    best = -1
    for action in position.legal_actions():
        after = position.play(action)
        value = worth(after)
        best = max(best, value if after.to_move == position.to_move else -value)
        if best == 1:
            break
    return best
