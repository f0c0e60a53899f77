"""Moves as people type them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mammalath_env.core.position import Position


def read_move(text: str, position: Position, others: Iterable[str] = ()) -> int:
    """Return the legal action that a person means by `text`; ValueError if there is none."""
    action = position.game.parse_move(text, position)
    position.play(action)
    return action
