"""Positions of tic-tac-toe."""

from __future__ import annotations

import functools

from mammalath_env.core.position import Position
from tests.foreign.tic_tac_toe import (
    TicTacToe,
)


def start(first_player: int = 0) -> Position:
    """Return the empty board."""
    return TicTacToe().deal(0, first_player)


def play(position: Position, moves: str) -> Position:
    """Return the position after several moves."""
    return functools.reduce(Position.play, moves.split(), position)


@functools.cache
def reachable(first_player: int) -> frozenset[Position]:
    """Return all positions, running or finished."""
    found, new = set[Position](), {start(first_player)}
    while new:
        found |= new
        new = {one.play(action) for one in new for action in one.legal_actions()} - found
    return frozenset(found)
