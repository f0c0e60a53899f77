"""Calls of agents that may do anything: faults are returned, not raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from mammalath_env.agents import Agent
from mammalath_env.arena.decoding import cut
from mammalath_env.arena.records import AGENT_FAILED, ILLEGAL_MOVE
from mammalath_env.arena.specs import AgentSpec, build_agent
from mammalath_env.core.checks import checked_number
from mammalath_env.core.position import Position

Result = TypeVar("Result")


class Fault(NamedTuple):
    """Why an agent forfeits a game.

    Attributes:
        reason: `AGENT_FAILED` or `ILLEGAL_MOVE`.
        detail: A description of the error.
    """

    reason: str
    detail: str


def try_to_build(spec: AgentSpec, seed: int) -> Agent | Fault:
    """Return the agent that `spec` describes, or a fault if anything but Ctrl-C is raised."""
    built = _attempt(AGENT_FAILED, lambda: build_agent(spec, seed))
    return built if isinstance(built, Fault) else built[0]


def ask(agent: Agent, position: Position) -> int | Fault:
    """Return the legal action that an agent chooses, or why it loses.

    It loses if it raises anything but KeyboardInterrupt, or returns anything but a legal action.
    The game is not over in `position`.
    """
    answer = _attempt(AGENT_FAILED, lambda: agent.act(position))
    if isinstance(answer, Fault):
        return answer
    # Converting what the agent returned to an integer runs its code, too.
    return _attempt(ILLEGAL_MOVE, lambda: _checked_action(answer, position))


def _checked_action(answer: int, position: Position) -> int:
    action = position.game.check_action(answer, position)
    position.play(action)
    return action


def evaluation_of(agent: Agent, position: Position) -> float | None:
    """Return the agent's value of `position` for player 0, or None if it has no valid one."""
    value = _attempt(
        AGENT_FAILED,
        lambda: round(checked_number("last_value", agent.last_value), 3),  # type: ignore[attr-defined]
    )
    if isinstance(value, Fault) or not -1 <= value <= 1:
        return None
    return (value if position.to_move == 0 else -value) + 0.0


def _attempt(reason: str, call: Callable[[], Result]) -> Result | Fault:
    """Return the result of `call`, or a fault if it raises anything but KeyboardInterrupt."""
    try:
        return call()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Fault(reason, describe_error(error))


def describe_error(error: BaseException) -> str:
    """Return an error as one line of limited length, even if it cannot describe itself."""
    try:
        text = f"{type(error).__name__}: {error}"
    except KeyboardInterrupt:
        raise
    except BaseException:
        text = type(error).__name__
    return cut(" ".join(text.split()), 300)
