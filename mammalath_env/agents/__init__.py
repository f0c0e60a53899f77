"""Agents that choose actions from positions, for every game."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from mammalath_env.agents.agent import Agent, require_plays
from mammalath_env.agents.alphabeta import AlphaBetaAgent
from mammalath_env.agents.greedy import GreedyAgent
from mammalath_env.agents.mcts import MCTSAgent
from mammalath_env.agents.neural import NeuralAgent
from mammalath_env.agents.puct import PUCTAgent
from mammalath_env.agents.random import RandomAgent
from mammalath_env.core.errors import choose_from

__all__ = [
    "AGENTS",
    "Agent",
    "AlphaBetaAgent",
    "GreedyAgent",
    "MCTSAgent",
    "NeuralAgent",
    "PUCTAgent",
    "RandomAgent",
    "agent_options",
    "make_agent",
    "require_plays",
]

AGENTS: dict[str, Callable[..., Agent]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "alphabeta": AlphaBetaAgent,
    "mcts": MCTSAgent,
    "neural": NeuralAgent,
}
"""The agents that `make_agent` knows, by name."""


def agent_options(name: str) -> list[str]:
    """Return the names of the options that the agent `name` takes.

    Raises:
        ValueError: There is no such agent.
    """
    if name not in AGENTS:
        raise ValueError(choose_from("agent", name, AGENTS))
    return [option for option in inspect.signature(AGENTS[name]).parameters if option != "seed"]


def parse_agent(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the options in a text such as ``mcts:simulations=2000,playouts=greedy``.

    Raises:
        ValueError: There is no such agent or option, or the text has another form.
    """
    if not isinstance(text, str):
        raise ValueError(choose_from("agent", text, AGENTS))
    name, _, rest = text.partition(":")
    known = agent_options(name)
    options: dict[str, Any] = {}
    for part in rest.split(",") if rest else []:
        option, equals, value = part.partition("=")
        if not equals or not value:
            raise ValueError(
                f"agent {text!r}: expected options as name=value with commas between, not {part!r}"
            )
        if option not in known:
            raise ValueError(f"agent {text!r}: {choose_from('option', option, known)}")
        options[option] = _value(value)
    return name, options


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def make_agent(name: str, seed: int | np.random.Generator | None = None, **options: Any) -> Agent:
    """Return a new agent.

    Args:
        name: A key of `AGENTS`, alone or with options, such as ``"alphabeta:depth=4"``.
        seed: An integer of at least 0, a generator to draw from, or None for a random seed.
        **options: More options of the agent.

    Raises:
        ValueError: There is no such agent or option, or a value is impossible.
        TypeError: The seed or an option has the wrong type.
    """
    plain, found = parse_agent(name)
    found |= options
    known = agent_options(plain)
    for option in options:
        if option not in known:
            raise ValueError(choose_from(f"option of {plain}", option, known))
    return AGENTS[plain](seed, **found)
