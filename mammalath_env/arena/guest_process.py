"""Asks an agent of somebody else's in a process of its own; `mammalath_env.arena.guests` starts it.

The file is run by its path. Its first line of input is the module search path as JSON. Others are
requests, each answered by one line; both are pickled objects in Base64. Standard output is the
agent's, and goes to standard error.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import sys
import traceback
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mammalath_env.agents import TextAgent


def _private_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return the streams of the host, out of the agent's reach: it has others in their place."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, answers


class _Guest:
    """The agent, and what the host asks of it."""

    def __init__(self) -> None:
        self._agent: TextAgent | None = None

    def answer(self, request: tuple[Any, ...]) -> object:
        """Return the answer to a request, or an error to be raised by the host."""
        from mammalath_env.arena.faults import (
            Fault,
            ask,
            evaluation_of,
            is_machine_fault,
            plain_fault,
            try_to_build,
        )
        from mammalath_env.arena.players import warm_up

        try:
            match request:
                case ("build", spec, seed):
                    built = try_to_build(spec, seed)
                    if isinstance(built, Fault):
                        return built
                    self._agent = built
                    return None
                case ("warm up", game):
                    assert self._agent is not None
                    warm_up(self._agent, game)
                    return None
                case ("act", position, limits):
                    assert self._agent is not None
                    answer = ask(self._agent, position, limits)
                    return answer, evaluation_of(self._agent, position, of_mover=True)
        except Exception as error:  # of the machine or the package
            if not is_machine_fault(error):
                traceback.print_exc()
            return plain_fault(error)
        raise AssertionError(f"an unknown request: {request!r}")


def main() -> None:
    """Answer requests until the input ends."""
    requests, answers = _private_streams()
    sys.path[:] = json.loads(requests.readline())
    guest = _Guest()
    process = os.getpid()
    for line in requests:
        answer = guest.answer(pickle.loads(base64.b64decode(line)))
        if os.getpid() != process:
            # A child that the agent has forked, and that has come back, as by sys.exit.
            os._exit(0)
        answers.write(base64.b64encode(pickle.dumps(answer)) + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
