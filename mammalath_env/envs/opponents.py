"""Opponents of single-agent environments: a name, an agent, or a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from numpy.typing import NDArray

from mammalath_env.agents import Agent, make_agent, require_plays
from mammalath_env.core.game import Game

Opponent = str | Agent | Callable[[Any, NDArray[Any]], Any]
"""A name for `make_agent`, an agent, or a function of observation and bool mask to an action.

The function gets what the environment would return to a learner in the opponent's place.
"""


def is_agent(opponent: object) -> TypeGuard[Agent]:
    """Return whether an opponent has a method ``act``; it needs no name."""
    return hasattr(opponent, "act")


def checked_opponent(opponent: Opponent, game: Game) -> Opponent:
    """Return `opponent`, which is to play `game`.

    Raises:
        ValueError: There is no agent of that name, one of its options is impossible, or it cannot
            play the game.
        ImportError: It needs a library that is not installed.
        TypeError: It is no opponent at all.
    """
    if isinstance(opponent, str):
        require_plays(make_agent(opponent, 0), game)
    elif is_agent(opponent):
        require_plays(opponent, game)
    elif not callable(opponent):
        raise TypeError(
            "an opponent must be the name of an agent, an agent, or a function of observation "
            f"and mask, not {opponent!r}"
        )
    return opponent
