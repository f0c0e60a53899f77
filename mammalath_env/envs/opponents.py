"""Opponents of single-agent environments: agents, what makes them, and functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeGuard

from mammalath_env.agents import TextAgent, make_agent, require_plays
from mammalath_env.agents.agent import is_agent
from mammalath_env.agents.function import FunctionAgent, first_parameter, takes_position
from mammalath_env.core.game import Game

Opponent = str | TextAgent | Callable[..., Any]
"""Whatever `make_agent` takes, an agent, or a function of observation and bool mask to an action.

Of functions the first parameter decides: one named ``position`` or annotated as a `Position` gets
the position, one named ``seed`` makes an agent from a seed, as classes do, and any other function
gets what the environment would return to a learner in the opponent's place.
"""


def makes_agents(opponent: object) -> TypeGuard[str | Callable[..., Any]]:
    """Return whether an opponent is made anew from each seed: a text, a class or a factory."""
    if isinstance(opponent, (str, type)):
        return True
    first = None if is_agent(opponent) else first_parameter(opponent)
    return first is not None and first.name == "seed"


def checked_opponent(opponent: Opponent, game: Game) -> Opponent:
    """Return `opponent`, which is to play `game`; a function of a position becomes an agent.

    Raises:
        ValueError: There is no agent of that name, one of its options is impossible, or it cannot
            play the game.
        ImportError: It needs a library that is not installed.
        TypeError: It is no opponent at all.
    """
    if makes_agents(opponent):
        require_plays(make_agent(opponent, 0), game)
    elif is_agent(opponent):
        require_plays(opponent, game)
    elif takes_position(opponent):
        return FunctionAgent(opponent)
    elif not callable(opponent):
        raise TypeError(
            "an opponent must be the name of an agent, an agent, a class of agents, or a function "
            f"of a position or of observation and mask, not {opponent!r}"
        )
    elif not _takes_two(opponent):
        raise TypeError(
            f"the opponent {opponent!r} cannot take an observation and a mask: name its first "
            f"parameter 'position' if it chooses moves, or 'seed' if it makes an agent"
        )
    return opponent


def _takes_two(function: Callable[..., Any]) -> bool:
    """Return whether a function can be called with two arguments, as far as is known."""
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # builtins may have no signature
        return True
    return True
