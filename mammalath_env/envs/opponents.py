"""Opponents of single-agent environments: a name, an agent, or a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from mammalath_env.agents import Agent, make_agent

Opponent = str | Agent | Callable[[Any, NDArray[Any]], Any]
"""A name for `make_agent`, an agent, or a function of observation and bool mask to an action.

The function sees what the environment would show to a learner in the opponent's place.
"""


def checked_opponent(opponent: Opponent) -> Opponent:
    """Return `opponent`.

    Raises:
        ValueError: There is no agent of that name, or one of its options is impossible.
        TypeError: It is no opponent at all.
    """
    if isinstance(opponent, str):
        make_agent(opponent, 0)
    elif not isinstance(opponent, Agent) and not callable(opponent):
        raise TypeError(
            "an opponent must be the name of an agent, an agent, or a function of observation "
            f"and mask, not {opponent!r}"
        )
    return opponent
