"""Making and asking agents that may do anything: what they do wrong is a value, and no error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mammalath_env.agents import Agent
from mammalath_env.arena.records import AGENT_FAILED, ILLEGAL_MOVE
from mammalath_env.arena.specs import AgentSpec, build_agent
from mammalath_env.core.position import Position

_MAX_DETAIL = 300
_EVALUATION_DIGITS = 3
_NUMBERS = (int, float, np.integer, np.floating)


class Fault(NamedTuple):
    """Why an agent loses before the end.

    Attributes:
        reason: `AGENT_FAILED` or `ILLEGAL_MOVE`.
        detail: What it did.
    """

    reason: str
    detail: str


def try_to_build(spec: AgentSpec, seed: int) -> Agent | Fault:
    """Return the agent that `spec` describes, or why there is none, unless that is Ctrl-C."""
    try:
        return build_agent(spec, seed)[0]
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Fault(AGENT_FAILED, describe_error(error))


def ask(agent: Agent, position: Position) -> int | Fault:
    """Return the legal action that an agent chooses, or why it loses.

    It loses if it raises anything but KeyboardInterrupt, or returns what is not a legal action.

    Args:
        agent: The agent.
        position: A running position.
    """
    try:
        answer = agent.act(position)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Fault(AGENT_FAILED, describe_error(error))
    try:
        action = position.game.check_action(answer, position)
        position.play(action)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a number of the agent's own may raise anything
        return Fault(ILLEGAL_MOVE, describe_error(error))
    return action


def evaluation_of(agent: Agent, position: Position) -> float | None:
    """Return what the agent says `position` is worth to player 0, if it says something possible."""
    try:
        value = getattr(agent, "last_value", None)
        if isinstance(value, bool) or not isinstance(value, _NUMBERS):
            return None
        worth = round(float(value), _EVALUATION_DIGITS)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None
    if not -1 <= worth <= 1:
        return None
    return (worth if position.to_move == 0 else -worth) + 0.0


def describe_error(error: BaseException) -> str:
    """Return an error as one line of limited length, even if it cannot describe itself."""
    try:
        text = f"{type(error).__name__}: {error}"
    except KeyboardInterrupt:
        raise
    except BaseException:
        text = type(error).__name__
    text = " ".join(text.split())
    return text if len(text) <= _MAX_DETAIL else text[: _MAX_DETAIL - 3] + "..."
