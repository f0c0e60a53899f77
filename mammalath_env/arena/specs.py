"""Specifications of agents: a text, or a callable that builds an agent from a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from mammalath_env.agents import Agent, make_agent
from mammalath_env.agents.agent import require_agent

if TYPE_CHECKING:
    from typing_extensions import TypeIs

AgentSpec: TypeAlias = str | Callable[[int], Agent]
"""How to build an agent: a text that `make_agent` takes, or a callable from a seed to an agent."""


def name_of(spec: AgentSpec | Agent) -> str:
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
        f"an agent must be a text such as 'greedy' or a callable from a seed to an agent, "
        f"not {spec!r}"
    )


def is_agent(spec: AgentSpec | Agent) -> TypeIs[Agent]:
    """Return whether `spec` is an agent; a class of agents is a factory."""
    return hasattr(spec, "act") and not isinstance(spec, type)


def build_agent(spec: AgentSpec | Agent, seed: int) -> tuple[Agent, int | None]:
    """Return the agent that `spec` describes, and its seed, None if `spec` is the agent.

    Raises:
        ValueError: `spec` is a text, and there is no such agent or option.
        TypeError: `spec` describes no agent, or the factory did not return one.
        Exception: Whatever the factory or the agent's constructor raises.
    """
    if isinstance(spec, str):
        return make_agent(spec, seed), seed
    name = name_of(spec)
    if is_agent(spec):
        return spec, None
    agent = spec(seed)
    require_agent(agent, name)
    return agent, seed
