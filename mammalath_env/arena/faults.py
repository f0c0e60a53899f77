"""Calls of agents that may do anything: their own faults are returned, all others raised.

A fault of the machine, such as a full disk, and one of an agent of the package are no results of a
game.
"""

from __future__ import annotations

import errno
import importlib
import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from mammalath_env.agents import AGENTS, TextAgent
from mammalath_env.agents.agent import act_within, as_action
from mammalath_env.agents.limits import Limits
from mammalath_env.arena.decoding import cut
from mammalath_env.arena.records import AGENT_FAILED, ILLEGAL_MOVE, OUT_OF_TIME, GameRecord
from mammalath_env.arena.specs import AgentSpec, build_agent
from mammalath_env.core.checks import checked_number
from mammalath_env.core.position import Position
from mammalath_env.core.texts import printable
from mammalath_env.ugi.process import EngineError, EngineTimeoutError

_LOGGER = logging.getLogger("mammalath_env")

MAX_TRACEBACK = 2000
"""Characters of a traceback that are kept, from its end."""

MAX_DETAIL = 300
"""Characters of the description of a fault."""

_MOST_FRAMES = 10
# Where a traceback goes through on its way to an agent.
_NOT_OF_AGENTS = (str(Path(__file__).parents[1]), str(importlib.__file__), "<frozen importlib")

# What a full or broken disk, or a system out of memory or files, gives. Other errors of this kind,
# such as a missing file, are the agent's own.
_OF_THE_MACHINE = {
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EIO", "EROFS", "ENOMEM", "EMFILE", "ENFILE")
    if hasattr(errno, name)
}

_NOTES = "__notes__"

Result = TypeVar("Result")


class Fault(NamedTuple):
    """Why an agent forfeits a game.

    Attributes:
        reason: `AGENT_FAILED`, `ILLEGAL_MOVE` or `OUT_OF_TIME`.
        detail: A description of the error, one line.
        traceback: Where in the agent's code it was raised, or what an engine wrote to standard
            error last, or None.
    """

    reason: str
    detail: str
    traceback: str | None = None


class AgentFaultError(Exception):
    """A fault that was found in another process.

    Attributes:
        fault: The fault.
    """

    def __init__(self, fault: Fault) -> None:
        """Store the fault."""
        super().__init__(fault.detail)
        self.fault = fault


class PackageFaultError(RuntimeError):
    """An agent of the package raised an error or played an illegal move: a bug, and no result."""


def is_machine_fault(error: BaseException) -> bool:
    """Return whether an error is the machine's: no memory, a full or broken disk, and the like."""
    return isinstance(error, MemoryError) or (
        isinstance(error, OSError) and error.errno in _OF_THE_MACHINE
    )


def plain_fault(error: Exception) -> Exception:
    """Return a fault that is raised as an error of a class that every process knows."""
    if isinstance(error, OSError):
        names = () if error.filename is None else (str(error.filename),)
        return OSError(error.errno, str(error.strerror), *names)
    known = (MemoryError, PackageFaultError)
    text = str(error) if type(error) in known else describe_error(error)
    kind = MemoryError if isinstance(error, MemoryError) else PackageFaultError
    return kind(*filter(None, [text]))


def try_to_build(spec: AgentSpec, seed: int) -> TextAgent | Fault:
    """Return the agent that `spec` describes, or a fault if it raises an error.

    Raises:
        KeyboardInterrupt, MemoryError, OSError, PackageFaultError: As for `ask`.
    """
    built = attempt(AGENT_FAILED, lambda: build_agent(spec, seed), of=spec)
    return built if isinstance(built, Fault) else built[0]


def ask(agent: TextAgent, position: Position, limits: Limits | None = None) -> int | Fault:
    """Return the legal action that an agent chooses, or why it loses.

    It loses if it raises an error, or answers with anything but a legal action, which may be its
    number or a move in notation. The game is not over in `position`.

    Raises:
        KeyboardInterrupt: Somebody pressed Ctrl-C.
        MemoryError, OSError: The machine failed, see `is_machine_fault`.
        PackageFaultError: The agent is one of `AGENTS`, and should have lost.
    """
    answer = attempt(AGENT_FAILED, lambda: act_within(agent, position, limits), of=agent)
    if isinstance(answer, Fault):
        return answer
    # Converting what the agent returned to an integer runs its code, too.
    return attempt(ILLEGAL_MOVE, lambda: _checked_action(answer, position), of=agent)


def _checked_action(answer: int | str, position: Position) -> int:
    action = position.game.check_action(as_action(answer, position), position)
    position.play(action)
    return action


def evaluation_of(agent: TextAgent, position: Position, of_mover: bool = False) -> float | None:
    """Return the agent's value of `position`, or None if it has no valid one.

    It is the value for player 0, or for the player to move if `of_mover` is set.
    """
    value = attempt(
        AGENT_FAILED,
        lambda: round(checked_number("last_value", agent.last_value), 3),  # type: ignore[attr-defined]
    )
    if isinstance(value, Fault) or not -1 <= value <= 1:
        return None
    return (value if of_mover or position.to_move == 0 else -value) + 0.0


def attempt(
    reason: str, call: Callable[[], Result], of: AgentSpec | TextAgent | None = None
) -> Result | Fault:
    """Return the result of `call`, or a fault if it raises an error of the agent `of`.

    Raises:
        KeyboardInterrupt, MemoryError, OSError, PackageFaultError: As for `ask`.
    """
    try:
        return call()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, PackageFaultError):  # found in another process
            raise
        if is_machine_fault(error):
            if of is not None:
                # As add_note of Python 3.11 does; it goes through other processes.
                setattr(error, _NOTES, [*notes_of(error), f"raised in agent {_name(of)}"])
            raise
        if isinstance(error, AgentFaultError):
            return error.fault
        if isinstance(error, EngineError):
            is_late = isinstance(error, EngineTimeoutError)
            kind = OUT_OF_TIME if is_late else AGENT_FAILED
            return Fault(kind, cut(str(error), MAX_DETAIL), error.errors or None)
        detail = describe_error(error)
        if of is None:
            return Fault(reason, detail)
        if is_of_package(of):
            raise PackageFaultError(f"agent {_name(of)} of the package failed: {detail}") from error
        return Fault(reason, detail, traceback_of(error) if reason == AGENT_FAILED else None)


def is_of_package(agent: AgentSpec | TextAgent) -> bool:
    """Return whether an agent, or what makes it, is one of `AGENTS` and no subclass."""
    if isinstance(agent, str):
        return agent.partition(":")[0] in AGENTS
    kind = agent if isinstance(agent, type) else type(agent)
    return f"{kind.__module__}:{kind.__qualname__}" in AGENTS.values()


def _name(agent: AgentSpec | TextAgent) -> str:
    return repr(agent if isinstance(agent, str) else getattr(agent, "name", agent))


def describe_error(error: BaseException) -> str:
    """Return an error as one line of limited length, even if it cannot describe itself."""
    try:
        text = f"{type(error).__name__}: {error}"
    except KeyboardInterrupt:
        raise
    except BaseException:
        text = type(error).__name__
    return cut(" ".join(text.split()), MAX_DETAIL)


def notes_of(error: BaseException) -> list[str]:
    """Return what is known of an error besides its message, such as whose it is."""
    return list(getattr(error, _NOTES, ()))


def is_in_agent(error: BaseException) -> bool:
    """Return whether an error was raised by code outside of the package, or is in its syntax."""
    frames = traceback.extract_tb(error.__traceback__)
    return isinstance(error, SyntaxError) or any(map(_is_of_agent, frames))


def _is_of_agent(frame: traceback.FrameSummary) -> bool:
    return not frame.filename.startswith(_NOT_OF_AGENTS)


def describe_stop(error: BaseException) -> str:
    """Return the line that says why a command stopped."""
    return ", ".join([f"stopped: {describe_error(error).rstrip(':')}", *notes_of(error)])


def traceback_of(error: BaseException) -> str | None:
    """Return the frames of an agent's code that an error went through, and the error itself."""
    try:
        found = traceback.TracebackException.from_exception(error, limit=-50)
        each: traceback.TracebackException | None = found
        while each is not None:
            frames = list(filter(_is_of_agent, each.stack))
            each.stack = traceback.StackSummary.from_list(frames[-_MOST_FRAMES:])
            each = each.__cause__ or each.__context__
        text = "".join(found.format()).rstrip()
    except KeyboardInterrupt:
        raise
    except BaseException:  # an error that cannot describe itself
        return None
    return text if len(text) <= MAX_TRACEBACK else "..." + text[3 - MAX_TRACEBACK :]


def show_fault(agent: TextAgent | str, fault: Fault, what: str = "forfeits") -> None:
    """Warn that an agent, or the one of a name, failed and why; `what` is what it does.

    The logger ``mammalath_env`` prints warnings to standard error, unless the user decides
    otherwise.
    """
    name = agent if isinstance(agent, str) else getattr(agent, "name", type(agent).__name__)
    lines = f"agent {name} {what}: {fault.detail}".splitlines()
    lines += (fault.traceback or "").splitlines()
    _LOGGER.warning("%s", "\n".join(map(printable, lines)))


def show_forfeit(record: GameRecord, shown: set[str]) -> None:
    """Show why a game was forfeited, unless the offender is one of `shown`, which it then is."""
    if record.offender is None or record.detail is None:
        return
    name = record.players[record.offender]
    if name not in shown:
        shown.add(name)
        show_fault(name, Fault(record.reason, record.detail, record.traceback))
