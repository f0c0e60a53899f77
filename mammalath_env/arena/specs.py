"""Specifications of agents: a text, a factory of a seed, or a function of a position."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

from mammalath_env.agents import TextAgent, make_agent
from mammalath_env.agents.agent import is_agent
from mammalath_env.core.position import Position

AgentSpec: TypeAlias = str | Callable[[int], TextAgent] | Callable[[Position], int | str]
"""How to build an agent: what `make_agent` takes.

A text, a callable from a seed to an agent, or a function of a position to an action, whose first
parameter is named ``position`` or annotated as a `Position`.
"""


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
    return make_agent(cast(AgentSpec, spec), seed), seed
