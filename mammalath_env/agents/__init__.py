"""Agents that choose actions from positions, for every game."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mammalath_env.agents.agent import Agent
from mammalath_env.agents.greedy import GreedyAgent
from mammalath_env.agents.random import RandomAgent
from mammalath_env.core.errors import choose_from

__all__ = ["AGENTS", "Agent", "GreedyAgent", "RandomAgent", "make_agent"]

AGENTS: dict[str, Callable[..., Agent]] = {"random": RandomAgent, "greedy": GreedyAgent}
"""The agents that `make_agent` knows, by name."""


def make_agent(name: str, seed: int | np.random.Generator | None = None) -> Agent:
    """Return a new agent.

    Args:
        name: A key of `AGENTS`.
        seed: An integer of at least 0, a generator to draw from, or None for a random seed.

    Raises:
        ValueError: There is no such agent, or the seed is negative.
        TypeError: The seed has another type.
    """
    if name not in AGENTS:
        raise ValueError(choose_from("agent", name, AGENTS))
    return AGENTS[name](seed)
