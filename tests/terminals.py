"""Commands in pseudo-terminals, and what their screens show."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

import pyte

LINES, COLUMNS = 24, 80
"""The size of a `Screen`."""


class Terminal:
    """A command in a pseudo-terminal.

    Attributes:
        shown: What it has printed so far.
    """

    def __init__(
        self,
        *arguments: str,
        term: str = "xterm-256color",
        columns: int = 0,
        code: str = "from mammalath_env.cli import main; main()",
        **variables: str,
    ) -> None:
        """Start the command, or `code`, in a terminal of the kind `term`.

        It has 24 rows, and as many columns if they are known; more environment variables can be
        given.
        """
        self.shown = ""
        self._child, self._terminal = pty.fork()
        if self._child == 0:
            environment = {**os.environ, "TERM": term}
            for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
                environment.pop(name, None)
            environment |= variables
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            command = [sys.executable, "-c", code, *arguments]
            os.execve(sys.executable, command, environment)

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._terminal, text.encode())

    def read(self, seconds: float) -> bool:
        """Wait for output; return whether there was any, or False at the end."""
        ready, _, _ = select.select([self._terminal], [], [], seconds)
        try:
            data = os.read(self._terminal, 65536) if ready else b""
        except OSError:
            return False
        self.shown += data.decode("utf-8", "replace")
        return bool(data)

    def wait_for(self, text: str, typed: str = "", seconds: float = 120.0) -> None:
        """Read until `text` has been shown, and forget what came before its end.

        Keys `typed` are pressed again when nothing happens for long: what is pressed before a
        program begins to look at keys is lost.
        """
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < deadline, self.shown
            time.sleep(0.02)
            self.type(typed)
            while text not in self.shown and self.read(5.0):
                pass
        self.shown = self.shown.partition(text)[2]

    def exit_code(self, typed: str = "", seconds: float = 120.0) -> int:
        """Read to the end and return the exit code; keys are pressed as in `wait_for`."""
        deadline = time.monotonic() + seconds
        while True:
            self.type(typed)
            while self.read(5.0):
                pass
            child, status = os.waitpid(self._child, os.WNOHANG)
            if child:
                return os.waitstatus_to_exitcode(status)
            assert time.monotonic() < deadline, self.shown
            time.sleep(0.02)


class Screen(Terminal):
    """A command in a pseudo-terminal, and what its screen shows."""

    def __init__(self, *arguments: str) -> None:
        """Start the command in a terminal of `LINES` and `COLUMNS`."""
        self._screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.Stream(self._screen)
        super().__init__(*arguments)
        size = struct.pack("HHHH", LINES, COLUMNS, 0, 0)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, size)

    def read(self, seconds: float) -> bool:
        """Wait for output, as `Terminal.read`, and draw it."""
        already = len(self.shown)
        found = super().read(seconds)
        self._stream.feed(self.shown[already:])
        return found

    @property
    def lines(self) -> list[str]:
        """The lines of the screen, without spaces at their ends."""
        return [line.rstrip() for line in self._screen.display]

    def see(self, *words: str, seconds: float = 120.0) -> str:
        """Read until the screen shows all of `words`, and return it."""
        deadline = time.monotonic() + seconds
        while not all(word in "\n".join(self.lines) for word in words):
            assert time.monotonic() < deadline, "\n".join(self.lines)
            self.read(0.2)
        return "\n".join(self.lines)

    def enter(self, text: str, prompt: str) -> None:
        """Type a line at the last prompt."""
        self.see_prompt(prompt)
        self.type(f"{text}\r")

    def see_prompt(self, prompt: str, seconds: float = 120.0) -> None:
        """Read until the last line on the screen is an empty prompt."""
        deadline = time.monotonic() + seconds
        while [line for line in self.lines if line][-1:] != [prompt]:
            assert time.monotonic() < deadline, "\n".join(self.lines)
            self.read(0.2)
