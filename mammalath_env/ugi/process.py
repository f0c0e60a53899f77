"""A process that is written to and read line by line, and that leaves nothing behind."""

from __future__ import annotations

import collections
import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import psutil

from mammalath_env.ugi import leash

MAX_LINE = 1 << 16
"""Longest line in bytes that is read from an engine."""

MAX_PENDING_LINES = 10_000
"""Lines that wait to be read; the process must wait before it can write more."""

KEPT_ERRORS = 2000
"""Characters of standard error that are kept, from its end."""

CLOSE_TIMEOUT_S = 10.0
"""Seconds in which all processes of an engine must be gone after they are killed."""

_SIGNALS = 128


class EngineError(Exception):
    """An engine did not do what it should; it is ended.

    Attributes:
        errors: What it wrote to standard error last, or an empty text.
    """

    def __init__(self, message: str, errors: str = "") -> None:
        """Store the message and what the engine wrote."""
        super().__init__(message)
        self.errors = errors


class EngineDiedError(EngineError):
    """Its process ended."""


class EngineTimeoutError(EngineError):
    """It did not answer in time."""


class EngineOutputError(EngineError):
    """It wrote what nobody can read: a line too long, or too many of them."""


class UnknownEngineError(EngineError, ValueError):
    """There is no such program, or its command line cannot be split."""


class EngineProcess:
    """A command that runs in a process of its own.

    The process and all that it starts are killed by `close`, and when this process ends, even if
    that is killed (where there are POSIX pipes). Its standard error is read all the time, and the
    end of it is kept.

    Attributes:
        command: The command, a program and its arguments.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        keep_errors: bool = True,
        max_line: int = MAX_LINE,
    ) -> None:
        """Start the process.

        Args:
            command: A program and its arguments.
            environment: Its environment; None for that of this process.
            keep_errors: Whether to keep what it writes to standard error, or to let it write to
                that of this process.
            max_line: Longest line that it may write, in bytes.

        Raises:
            OSError: It cannot be started.
        """
        self.command = tuple(command)
        self._max_line = max_line
        self._lines: queue.Queue[bytes] = queue.Queue(MAX_PENDING_LINES)
        self._errors: collections.deque[str] = collections.deque(maxlen=KEPT_ERRORS)
        self._is_closed = False
        self._hold: int | None = None
        started = list(command)
        watched: tuple[int, ...] = ()
        if os.name == "posix":
            end, self._hold = os.pipe()
            watched = (end,)
            # It runs isolated, and may not find what is installed for this user alone.
            library = str(Path(psutil.__file__).parents[1])
            started = [sys.executable, "-I", str(Path(leash.__file__)), str(end), library, *started]
        try:
            self._process = subprocess.Popen(
                started,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if keep_errors else None,
                env=None if environment is None else dict(environment),
                pass_fds=watched,
                # Ctrl-C in a terminal is for this process, which decides what happens to others.
                start_new_session=True,
            )
        except BaseException:
            if self._hold is not None:
                os.close(self._hold)
            raise
        finally:
            for descriptor in watched:
                os.close(descriptor)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        threads = [(self._read_lines, self._process.stdout)]
        if self._process.stderr is not None:
            threads.append((self._read_errors, self._process.stderr))
        self._threads = [
            threading.Thread(target=target, args=(stream,), daemon=True)
            for target, stream in threads
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """The process id: of the process, or of its parent that watches over it."""
        return self._process.pid

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._is_closed

    @property
    def has_ended(self) -> bool:
        """Whether it will write no more lines: it has ended or closed its standard output."""
        return not self._threads[0].is_alive()

    def send(self, line: str) -> None:
        """Write a line.

        Raises:
            EngineDiedError: The process has ended.
        """
        try:
            self._input.write(line.encode() + b"\n")
            self._input.flush()
        except (OSError, ValueError):
            raise self._died() from None

    def read_line(self, deadline: float | None = None) -> str:
        """Return the next line without its end.

        Args:
            deadline: When to give up, by `time.monotonic`; None to wait for ever.

        Raises:
            EngineTimeoutError: There was none in time.
            EngineDiedError: The process has ended.
            EngineOutputError: The line is longer than allowed, or not text.
        """
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        try:
            line = self._lines.get(timeout=left)
        except queue.Empty:
            raise EngineTimeoutError("no answer in time", self.errors) from None
        if not line:
            self._lines.put_nowait(line)  # for the next reader
            raise self._died()
        if len(line) > self._max_line:
            raise EngineOutputError(
                f"wrote a line of more than {self._max_line} bytes", self.errors
            )
        try:
            return line.decode().strip()
        except UnicodeDecodeError:
            raise EngineOutputError(f"wrote bytes that are not UTF-8: {line!r}"[:300]) from None

    @property
    def errors(self) -> str:
        """What the process wrote to standard error last, at most `KEPT_ERRORS` characters."""
        with contextlib.suppress(RuntimeError):  # it may write at this moment
            return "".join(self._errors).strip()
        return ""

    def close(self, patience: float = 0.0) -> None:
        """Kill the process and all that it has started; closing twice is one.

        Args:
            patience: Seconds to wait for it to end by itself, after its input is closed.
        """
        if self._is_closed:
            return
        self._is_closed = True
        with contextlib.suppress(OSError, ValueError):
            self._input.close()
        if patience > 0.0:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
        if self._hold is not None:
            os.close(self._hold)
        else:
            _kill_tree(self._process.pid)
        try:
            self._process.wait(CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            _kill_tree(self._process.pid)
            self._process.wait()
        if self._hold is not None and self._process.returncode < 0:
            _kill_session(self._process.pid)  # its parent was killed, and could not
        self._let_readers_end()

    def _let_readers_end(self) -> None:
        """Make room for lines that readers still hold, wait for them, and close the pipes."""
        deadline = time.monotonic() + CLOSE_TIMEOUT_S
        while any(thread.is_alive() for thread in self._threads):
            if time.monotonic() > deadline:
                return  # a process that has got away holds the pipes, which cannot be closed
            with contextlib.suppress(queue.Empty):
                while True:
                    self._lines.get_nowait()
            for thread in self._threads:
                thread.join(0.01)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _died(self) -> EngineDiedError:
        """Return the error that says how the process ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        for thread in self._threads[1:]:
            thread.join(1.0)
        return EngineDiedError(f"its process ended{_how(self._process.poll())}", self.errors)

    def _read_lines(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(self._max_line + 1):
                self._lines.put(line)
                if len(line) > self._max_line:
                    break
        self._lines.put(b"")

    def _read_errors(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while block := os.read(stream.fileno(), 4096):
                self._errors.extend(block.decode(errors="replace"))


def _how(code: int | None) -> str:
    """Return how a process ended, by its exit code."""
    if code is None:
        return ""
    number = code - _SIGNALS if code > _SIGNALS else -code
    with contextlib.suppress(ValueError):
        if number > 0:
            return f", killed by {signal.Signals(number).name}"
    return f" with exit code {code}"


def _kill_tree(pid: int) -> None:
    """Kill a process and all below it."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        for each in [*process.children(recursive=True), process]:
            with contextlib.suppress(psutil.Error):
                each.kill()


def _kill_session(leader: int) -> None:
    """Kill the processes of a session, whose leader is gone."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if os.getsid(process.pid) == leader:
                process.kill()
