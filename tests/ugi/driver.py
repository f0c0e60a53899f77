"""A client that runs in the tests' process."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

from mammalath_env import make_game
from mammalath_env.ugi.server import Server

SECONDS = 120.0


class Driver:
    """Runs a server in a thread, sends it lines, and reads its answers.

    Attributes:
        raised: What the server raised, None if it ended well or is still running.
    """

    def __init__(self, agent: str, game: str = "mammalath") -> None:
        """Start it."""
        self._sent: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._received: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._server = Server(make_game(game), agent, self._received.put)
        self.raised: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._server.run(self._lines())
        except BaseException as error:
            self.raised = error

    def _lines(self) -> Iterator[str]:
        while (line := self._sent.get()) is not None:
            yield line

    def send(self, *lines: str) -> None:
        """Send lines."""
        for line in lines:
            self._sent.put(line)

    def read(self) -> str:
        """Return the next line of the server."""
        return self._received.get(timeout=SECONDS)

    def read_until(self, word: str) -> list[str]:
        """Return lines up to the first that begins with a word."""
        lines = [self.read()]
        while lines[-1].split()[0] != word:
            lines.append(self.read())
        return lines

    def ask(self, line: str) -> str:
        """Send a line that has one line as its answer, and return that."""
        self.send(line, "isready")
        answer, ready = self.read(), self.read()
        assert ready == "readyok", (answer, ready)
        return answer

    def close(self) -> None:
        """End its input, and wait for its end."""
        self._sent.put(None)
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()

    @property
    def has_more(self) -> bool:
        """Whether there is a line that was not read."""
        return not self._received.empty()
