"""Agents of others, named ``module:class``, in processes of their own."""

from __future__ import annotations

import base64
import dataclasses
import json
import pickle
import sys
import time
import weakref
from pathlib import Path
from typing import Any

from mammalath_env.agents.limits import NO_LIMITS, Limits
from mammalath_env.arena import guest_process
from mammalath_env.arena.faults import AgentFaultError, Fault
from mammalath_env.arena.records import AGENT_FAILED, OUT_OF_TIME
from mammalath_env.arena.specs import AgentSpec, name_of
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.ugi.client import QUIT_TIMEOUT_S
from mammalath_env.ugi.pool import Pool
from mammalath_env.ugi.process import EngineError, EngineProcess, EngineTimeoutError

START_TIMEOUT_S = 600.0
"""Seconds in which an agent must be made: it may load a large network."""

_MAX_ANSWER = 1 << 22


class _Guest:
    """A process that holds one agent at a time."""

    def __init__(self) -> None:
        self.process = EngineProcess(
            [sys.executable, "-I", "-u", str(Path(guest_process.__file__))],
            keep_errors=False,
            max_line=_MAX_ANSWER,
        )
        self.process.send(json.dumps(sys.path))

    def ask(self, request: tuple[Any, ...], timeout: float | None) -> Any:
        """Return the answer to a request.

        Raises:
            AgentFaultError: There is none in time, or the process ended.
            Exception: A fault of the machine, which the agent met.
        """
        try:
            self.process.send(base64.b64encode(pickle.dumps(request)).decode())
            deadline = None if timeout is None else time.monotonic() + timeout
            answer = pickle.loads(base64.b64decode(self.process.read_line(deadline)))
        except EngineTimeoutError:
            self.process.close()
            raise AgentFaultError(
                Fault(OUT_OF_TIME, f"no answer within {timeout:g} seconds")
            ) from None
        except EngineError as error:
            self.process.close()
            raise AgentFaultError(Fault(AGENT_FAILED, str(error))) from None
        except BaseException:  # Ctrl-C among them
            self.process.close()
            raise
        if isinstance(answer, Exception):
            vars(answer).pop("__notes__", None)  # they name the agent as the process knows it
            raise answer
        return answer

    def quit(self) -> None:
        """End the process."""
        self.process.close(QUIT_TIMEOUT_S)


_POOL: Pool[bytes, _Guest] = Pool(lambda key: _Guest())


class GuestAgent:
    """An agent of another module, in a process of its own.

    What it does wrong is found there, and raised here as an `AgentFaultError`. The process is kept
    for the next game, unless it ends or does not answer.

    Attributes:
        name: The name of the agent in tables.
        last_value: What the agent's own was after its last move, or None.
    """

    last_value: float | None = None

    def __init__(self, spec: AgentSpec, seed: int) -> None:
        """Make the agent in a process that waits, or in a new one.

        Args:
            spec: What makes the agent.
            seed: Its seed.

        Raises:
            AgentFaultError: The agent cannot be made.
            Exception: A fault of the machine.
        """
        self.name = name_of(spec)
        key = pickle.dumps(spec)  # `spec` itself may be unhashable
        self._guest = _POOL.take(key)
        # If nobody calls `end_game`.
        self._give_back = weakref.finalize(self, _POOL.give_back, key, self._guest)
        fault = self._guest.ask(("build", spec, seed), START_TIMEOUT_S)
        if fault is not None:
            raise AgentFaultError(fault)

    def warm_up(self, game: Game) -> None:
        """Load the compiled code that moves in a game need, see `players.warm_up`.

        Raises:
            AgentFaultError: The process ended, or does not answer.
            Exception: A fault of the machine.
        """
        self._guest.ask(("warm up", game), START_TIMEOUT_S)

    def act(self, position: Position) -> int:
        """See `act_within`; nothing is limited."""
        return self.act_within(position, NO_LIMITS)

    def act_within(self, position: Position, limits: Limits) -> int:
        """Return a legal action.

        Raises:
            AgentFaultError: The agent has none, in time.
            Exception: A fault of the machine.
        """
        sent = dataclasses.replace(limits, stop=None)  # which stays in this process
        answer, self.last_value = self._guest.ask(("act", position, sent), limits.timeout)
        if isinstance(answer, Fault):
            raise AgentFaultError(answer)
        action: int = answer
        return action

    def end_game(self, failed: bool) -> None:
        """Let the process go, which is kept for the next game."""
        self._give_back()
