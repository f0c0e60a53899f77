"""Specifications of agents: a text, or a callable that builds an agent from a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mammalath_env.agents import Agent, make_agent
from mammalath_env.agents.agent import require_agent

AgentSpec: TypeAlias = str | Callable[[int], Agent]
"""How to build an agent: a text that `make_agent` takes, or a callable from a seed to an agent."""


def name_of(spec: AgentSpec | Agent) -> str:
    """Return the name of an agent in tables and records.

    A text is its own name. A factory or agent is named by its attribute ``name``, or else as in the
    code.

    Raises:
        TypeError: `spec` is neither a text, nor a factory or agent that has a name.
    """
    if isinstance(spec, str):
        return spec
    if _is_factory(spec) or hasattr(spec, "act"):
        for attribute in ("name", "__qualname__"):
            name = getattr(spec, attribute, None)
            if isinstance(name, str):
                return name
        raise TypeError(f"give {spec!r} an attribute 'name', for tables and records")
    raise TypeError(
        f"an agent must be a text such as 'greedy' or a callable from a seed to an agent, "
        f"not {spec!r}"
    )


def _is_factory(spec: object) -> bool:
    """Return whether `spec` builds agents: a class of agents does, an agent does not."""
    return callable(spec) and (isinstance(spec, type) or not hasattr(spec, "act"))


def build_agent(spec: AgentSpec | Agent, seed: int) -> tuple[Agent, int | None]:
    """Return the agent that `spec` describes, and its seed, None for an agent given as such.

    Raises:
        ValueError: `spec` is a text, and there is no such agent or option.
        TypeError: `spec` describes no agent, or the factory did not return one.
        Exception: Whatever the factory or the agent's constructor raises.
    """
    if isinstance(spec, str):
        return make_agent(spec, seed), seed
    name_of(spec)
    if not callable(spec) or not _is_factory(spec):
        return spec, None  # type: ignore[return-value]
    agent = spec(seed)
    require_agent(agent, name_of(spec))
    return agent, seed
