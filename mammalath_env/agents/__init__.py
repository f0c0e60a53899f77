"""Agents that choose actions from positions, for every game.

The classes are loaded when they are asked for, since most of them bring compiled code.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from mammalath_env.agents.agent import Agent, TextAgent, chosen_action, require_plays
from mammalath_env.agents.registry import (
    AGENTS,
    agent_options,
    make_agent,
    option_value,
    parse_agent,
)

if TYPE_CHECKING:
    from mammalath_env.agents.alphabeta import AlphaBetaAgent
    from mammalath_env.agents.function import FunctionAgent
    from mammalath_env.agents.greedy import GreedyAgent
    from mammalath_env.agents.levels import LevelAgent
    from mammalath_env.agents.mcts import MCTSAgent
    from mammalath_env.agents.neural import NeuralAgent
    from mammalath_env.agents.puct import PUCTAgent
    from mammalath_env.agents.random import RandomAgent

__all__ = [
    "AGENTS",
    "Agent",
    "AlphaBetaAgent",
    "FunctionAgent",
    "GreedyAgent",
    "LevelAgent",
    "MCTSAgent",
    "NeuralAgent",
    "PUCTAgent",
    "RandomAgent",
    "TextAgent",
    "agent_options",
    "chosen_action",
    "make_agent",
    "option_value",
    "parse_agent",
    "require_plays",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "levels" if name == "LevelAgent" else name.removesuffix("Agent").lower()
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return __all__
