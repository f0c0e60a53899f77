"""Agents that are engines in other processes, asked by UGI."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import os
import shlex
import shutil
import threading
import time
import weakref
from collections.abc import Iterator, Sequence

import numpy as np

from mammalath_env.agents.agent import require_running
from mammalath_env.agents.limits import Limits
from mammalath_env.core.position import Position
from mammalath_env.core.stream import new_stream
from mammalath_env.ugi.pool import Pool
from mammalath_env.ugi.process import (
    EngineError,
    EngineOutputError,
    EngineProcess,
    EngineTimeoutError,
    UnknownEngineError,
)
from mammalath_env.ugi.protocol import first_mover, value_of

START_TIMEOUT_S = 60.0
"""Seconds that an engine has to get ready, and to answer ``isready`` between moves."""

DEFAULT_LIMITS = Limits(seconds=1.0, timeout=60.0)
"""What an engine may take for a move if nothing else is said."""

QUIT_TIMEOUT_S = 1.0
"""Seconds that an engine has to end after ``quit``."""

_STOP_POLL_S = 0.02

MAX_LINES = 100_000
"""Lines that an engine may write before it answers."""

MAX_SEED = 2**31 - 1
"""Seeds of engines are below this, since their languages may have no larger integers."""


def start_process(command: Sequence[str]) -> EngineProcess:
    """Start the process of an engine: a program and its arguments.

    Raises:
        OSError: It cannot be started.
    """
    environment = dict(os.environ)
    # Set for our own worker processes, it would change how an engine in Python finds modules.
    environment.pop("PYTHONSAFEPATH", None)
    return EngineProcess(command, environment=environment)


class Engine:
    """A running engine that has said ``ugiok``.

    Attributes:
        command: Its command, a program and its arguments.
        options: The names of its options, as it writes them.
    """

    def __init__(self, command: tuple[str, ...]) -> None:
        """Start the engine.

        Raises:
            EngineError: It does not speak UGI, or ends.
            OSError: The process cannot be started.
        """
        self.command = command
        self.options: list[str] = []
        self.process = start_process(command)
        with self._ended_by_errors():
            self._say_hello()

    def _say_hello(self) -> None:
        self.process.send("ugi")
        deadline = time.monotonic() + START_TIMEOUT_S
        for line in self._lines("ugi", "ugiok", deadline):
            match line.split():
                case ["ugiok", *_]:
                    return
                case ["option", "name", *rest]:
                    kind = rest.index("type") if "type" in rest else len(rest)
                    self.options.append(" ".join(rest[:kind]))

    def set_option(self, name: str, value: object) -> bool:
        """Set an option if the engine has it, whatever its case; return whether it has."""
        for option in self.options:
            if option.lower() == name.lower():
                self.send(f"setoption name {option} value {value}")
                return True
        return False

    def send(self, line: str) -> None:
        """Write a line to the engine.

        Raises:
            EngineDiedError: It has ended.
        """
        with self._ended_by_errors():
            self.process.send(line)

    def synchronize(self) -> None:
        """Wait until the engine is ready; what it wrote before is dropped.

        Raises:
            EngineError: It does not answer ``isready``.
        """
        with self._ended_by_errors():
            self.process.send("isready")
            deadline = time.monotonic() + START_TIMEOUT_S
            for line in self._lines("isready", "readyok", deadline):
                if line.split()[:1] == ["readyok"]:
                    return

    def ask_for_move(self, go: str, limits: Limits) -> tuple[str, float | None]:
        """Send ``go ...`` and return the move of ``bestmove``, and the last value of ``info``.

        Args:
            go: The command.
            limits: Its `timeout`, and its `stop`, which becomes the command ``stop``.

        Returns:
            The text of the move, and the value of the position for the player to move, from -1 to
            1, None if the engine wrote no score.

        Raises:
            EngineError: There is no move in time, or the engine ends or floods its output.
        """
        value: float | None = None
        with self._ended_by_errors(), self._stopped_by(limits.stop):
            self.process.send(go)
            deadline = None if limits.timeout is None else time.monotonic() + limits.timeout
            for line in self._lines(go, "bestmove", deadline):
                words = line.split()
                if words[:1] == ["info"]:
                    value = _value_in(words, value)
                elif words[:1] == ["bestmove"]:
                    # A move to ponder may follow.
                    return " ".join(itertools.takewhile("ponder".__ne__, words[1:])), value
        raise AssertionError("the lines end with an error")

    @contextlib.contextmanager
    def _stopped_by(self, stop: threading.Event | None) -> Iterator[None]:
        """Send ``stop`` when the event is set, from another thread."""
        if stop is None:
            yield
            return
        over = False

        def wait() -> None:
            while not stop.wait(_STOP_POLL_S):
                if over:
                    return
            with contextlib.suppress(EngineError):
                self.process.send("stop")

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over = True
            thread.join()

    def _lines(self, sent: str, awaited: str, deadline: float | None) -> Iterator[str]:
        """Yield the lines that the engine writes.

        Raises:
            EngineError: There are no more in time, or too many.
        """
        began = time.monotonic()
        for _ in range(MAX_LINES):
            try:
                yield self.process.read_line(deadline)
            except EngineTimeoutError as error:
                seconds = round(time.monotonic() - began, 2)
                raise EngineTimeoutError(
                    f"no {awaited!r} within {seconds:g} seconds after {sent!r}", error.errors
                ) from None
        raise EngineOutputError(f"wrote {MAX_LINES} lines without {awaited!r} after {sent!r}")

    @contextlib.contextmanager
    def _ended_by_errors(self) -> Iterator[None]:
        """Kill the engine if anything goes wrong, Ctrl-C too."""
        try:
            yield
        except BaseException:
            self.process.close()
            raise

    def quit(self) -> None:
        """Ask the engine to end, and kill it if it does not."""
        if not self.process.is_closed:
            with contextlib.suppress(EngineError):
                self.process.send("quit")
            self.process.close(QUIT_TIMEOUT_S)


def _value_in(words: list[str], before: float | None) -> float | None:
    """Return the value in the words of ``info``, or the one before if there is none."""
    for kind, text in itertools.pairwise(itertools.takewhile(_is_no_text, words)):
        if kind in ("cp", "mate"):
            with contextlib.suppress(ValueError):
                number = float(text)
                if math.isfinite(number):
                    return value_of(number) if kind == "cp" else math.copysign(1.0, number - 0.5)
    return before


def _is_no_text(word: str) -> bool:
    """Return whether a word of ``info`` does not begin a text or moves, to the end of the line."""
    return word not in ("string", "pv")


_POOL: Pool[tuple[str, ...], Engine] = Pool(Engine)


def split_command(command: str) -> tuple[str, ...]:
    """Return the program and the arguments of a command line, split as a POSIX shell splits it.

    Raises:
        UnknownEngineError: There is no such program, or a quotation mark is missing.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UnknownEngineError(f"the command line {command!r} of an engine: {error}") from None
    if not words:
        raise UnknownEngineError("an engine needs a command line, as in 'engine:./my_engine'")
    program = shutil.which(words[0])
    if program is None:
        raise UnknownEngineError(f"there is no program {words[0]!r} to run as an engine")
    return (program, *words[1:])


def go_command(limits: Limits, first: int) -> str:
    """Return the command ``go`` for limits; `first` is the player who moved first in the game."""
    words = ["go"]
    if limits.clock is not None:
        for name, seconds in (("time", limits.clock.remaining), ("inc", limits.clock.increment)):
            for number, player in ((1, first), (2, 1 - first)):
                if math.isfinite(seconds[player]):
                    words += [f"p{number}{name}", str(_milliseconds(seconds[player]))]
    if limits.seconds is not None:
        words += ["movetime", str(max(_milliseconds(limits.seconds), 1))]
    for word, value in (("nodes", limits.nodes), ("depth", limits.depth)):
        if value is not None:
            words += [word, str(value)]
    if limits.is_infinite:
        words.append("infinite")
    return " ".join(words)


def _milliseconds(seconds: float) -> int:
    return max(round(1000 * seconds), 0)


class EngineAgent:
    """An engine in another process, which speaks UGI.

    The engine is asked for a move by ``position fen TEXT`` and ``go``. Everything that is wrong
    ends it, and the next agent with its command starts it again. An engine that does all right is
    kept for the next agent, which begins with ``uginewgame``.

    Attributes:
        name: ``engine:`` and the command line.
        last_value: The value of the last position by the engine's score, or None.
    """

    last_value: float | None = None

    def __init__(self, seed: int | np.random.Generator | None = None, *, command: str) -> None:
        """Start the engine, or take one that is kept.

        Args:
            seed: Source of the engine's option ``seed``, if it has one.
            command: The command line, split as a POSIX shell splits it.

        Raises:
            UnknownEngineError: There is no such program.
            EngineError: The engine does not speak UGI.
            OSError: It cannot be started.
        """
        self.name = f"engine:{command}"
        seed = int(new_stream(seed)[0]) % MAX_SEED
        words = split_command(command)
        self._engine = _POOL.take(words)
        # If nobody calls `end_game`.
        self._give_back = weakref.finalize(self, _POOL.give_back, words, self._engine)
        self._engine.set_option("seed", seed)
        self._engine.send("uginewgame")
        self._engine.synchronize()

    def act(self, position: Position) -> str:
        """Return the engine's move in notation, within `DEFAULT_LIMITS`; see `act_within`."""
        return self.act_within(position, DEFAULT_LIMITS)

    def act_within(self, position: Position, limits: Limits) -> str:
        """Return the engine's move in notation; without any limit it has `DEFAULT_LIMITS`.

        Raises:
            GameOverError: The game is over.
            EngineError: There is no move in time, or the engine does what it should not.
        """
        require_running(position)
        if not limits.has_any:
            limits = dataclasses.replace(limits, seconds=DEFAULT_LIMITS.seconds)
        self._engine.synchronize()
        self._engine.send(f"position fen {position.to_text()}")
        go = go_command(limits, first_mover(position))
        move, self.last_value = self._engine.ask_for_move(go, limits)
        return move

    def end_game(self, failed: bool) -> None:
        """Let the engine go: it is killed if it has failed, and kept for the next game if not."""
        if failed:
            self._engine.process.close()
        self._give_back()

    def __deepcopy__(self, memo: object) -> EngineAgent:
        """Return the agent itself: what an engine remembers cannot be copied."""
        return self
