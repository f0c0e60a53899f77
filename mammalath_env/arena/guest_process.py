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
        from mammalath_env.arena.faults import Fault, ask, evaluation_of, try_to_build

        try:
            match request:
                case ("build", spec, seed, game):
                    built = try_to_build(spec, seed)
                    if isinstance(built, Fault):
                        return built
                    self._agent = built
                    # Load the compiled rules before time counts.
                    start = game.deal(0)
                    start.play(start.legal_actions()[0])
                    return None
                case ("act", position, limits):
                    assert self._agent is not None
                    answer = ask(self._agent, position, limits)
                    return answer, evaluation_of(self._agent, position, of_mover=True)
        except Exception as error:  # of the machine
            return error
        raise AssertionError(f"an unknown request: {request!r}")


def main() -> None:
    """Answer requests until the input ends."""
    requests, answers = _private_streams()
    sys.path[:] = json.loads(requests.readline())
    guest = _Guest()
    for line in requests:
        answer = guest.answer(pickle.loads(base64.b64decode(line)))
        answers.write(base64.b64encode(pickle.dumps(answer)) + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
