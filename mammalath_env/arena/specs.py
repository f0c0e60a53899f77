"""Specifications of agents: a text, a factory of a seed, or a function of a position."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, cast

from mammalath_env.agents import FunctionAgent, TextAgent, make_agent, require_plays
from mammalath_env.agents.agent import is_agent
from mammalath_env.agents.function import takes_position
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position

AgentSpec: TypeAlias = (
    str | Callable[[int], TextAgent] | Callable[[Position], int | str] | FunctionAgent
)
"""How to build an agent: what `make_agent` takes, or a function with a name of its own.

A text, a callable from a seed to an agent, a function of a position to an action, whose first
parameter is named ``position`` or annotated as a `Position`, or a `FunctionAgent`.
"""

NAME_THEM = (
    "give one another name: FunctionAgent(function, name) for a function of a position, an "
    "attribute 'name' for what makes agents"
)
"""What to do about different agents of the same name."""


def name_of(spec: AgentSpec | TextAgent) -> str:
    """Return the name of an agent in tables and records.

    A text is its own name. A factory or agent has the name in its attribute ``name``, or else its
    name in the code.

    Raises:
        TypeError: `spec` is neither a text, nor a factory or agent that has a name.
    """
    if isinstance(spec, str):
        return spec
    if callable(spec) or is_agent(spec):
        for attribute in ("name", "__qualname__"):
            name = getattr(spec, attribute, None)
            if isinstance(name, str):
                return name
        raise TypeError(f"give {spec!r} an attribute 'name', for tables and records")
    raise TypeError(
        f"an agent must be a text such as 'greedy', a callable from a seed to an agent, or a "
        f"function of a position to an action, not {spec!r}"
    )


def check_contestants(specs: Iterable[AgentSpec], game: Game) -> None:
    """Check that agents can be built and play `game`, by building each of `specs` once.

    Raises:
        Exception: As for `build_agent` and `require_plays`.
    """
    for spec in {id(spec): spec for spec in specs}.values():
        require_plays(build_agent(spec, 0)[0], game)


def checked_spec(spec: AgentSpec) -> str:
    """Return the name of `spec`, if it can be built anew for every game.

    Raises:
        TypeError: It is an agent, or a method of an object: all games would share its memory. Or
            it has no name, or asks for a process of its own, which cannot import it.
    """
    name = name_of(spec)
    shared = is_agent(spec) and not isinstance(spec, FunctionAgent)
    owner = getattr(spec, "__self__", None) if inspect.ismethod(spec) else None
    if shared or (owner is not None and not isinstance(owner, type) and takes_position(spec)):
        raise TypeError(
            f"a match builds new agents for every game: pass a text or a callable from a seed to "
            f"an agent, not {'the agent' if shared else 'a method of an object,'} {spec!r}"
        )
    if getattr(spec, "in_own_process", False) and not _can_be_sent(spec):
        raise TypeError(
            f"agent {name!r} asks for a process of its own (in_own_process), which cannot import "
            f"it: define it at the top of a module, not of the program or notebook itself"
        )
    return name


def _can_be_sent(spec: AgentSpec) -> bool:
    """Return whether a process of another program can read `spec` as pickled here."""
    kind = spec if hasattr(spec, "__qualname__") else type(spec)
    try:
        pickle.dumps(spec)
    except Exception:  # of many kinds
        return False
    return getattr(kind, "__module__", None) != "__main__"


def build_agent(spec: AgentSpec | TextAgent, seed: int) -> tuple[TextAgent, int | None]:
    """Return the agent that `spec` describes, and its seed, None if `spec` is the agent.

    Raises:
        ValueError: `spec` is a text, and there is no such agent or option.
        TypeError: `spec` describes no agent, or the factory did not return one.
        Exception: Whatever the factory or the agent's constructor raises.
    """
    name_of(spec)
    if is_agent(spec):
        return spec, None
    return make_agent(cast(Any, spec), seed), seed
