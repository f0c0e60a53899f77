"""Print texts, pictures, tables, JSON and errors, and show what takes long."""

from __future__ import annotations

import atexit
import codecs
import contextlib
import io
import json
import logging
import re
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer

from mammalath_env.agents import AGENTS
from mammalath_env.cli.messages import as_typed
from mammalath_env.core.texts import printable, printable_lines

if TYPE_CHECKING:
    from rich.table import Table

    from mammalath_env.core.position import Position

_MAX_MESSAGE = 1000
_HEAD = re.compile(r" +(?:\S+(?: \S+)* {2,})?")
"""The indent of a line, and its first column if it has two."""
_PATIENCE = 1.0
"""Seconds after which `busy` shows something."""

# What stands for characters that are no letters, in streams that cannot encode them.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("│┃║╎╏╷╵╻╹╽╿", "|"),
        **dict.fromkeys("─━═╌╍╴╶╸╺╼╾", "-"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰╞╡╪┏┓┗┛┡┩╇╈┳┻╋", "+"),
        "●": "o",
        "○": "o",
        "\N{MULTIPLICATION SIGN}": "x",
        "★": "*",
        "»": ">",
        "…": "~",
    }
)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Return ASCII for the characters that a stream cannot encode, one for each, and their end."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end].translate(_PLAIN)
    return letters.encode("ascii", "replace").decode("ascii"), error.end


codecs.register_error("mammalath_env.plain", _plain)


def never_fail_to_encode() -> None:
    """Let standard output and error replace what their encoding lacks by ASCII of equal width.

    Otherwise lines of tables, and names in foreign letters, end in a traceback where the encoding
    is not UTF-8.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="mammalath_env.plain")


def say(text: str = "") -> None:
    """Print `text` without control characters."""
    # Without a file, typer would write UTF-8 where the encoding is ASCII.
    typer.echo(printable_lines(text), file=sys.stdout)


def tell(text: str) -> None:
    """Print sentences; in a terminal they are wrapped between words, and no move is broken."""
    say(wrapped(text, shutil.get_terminal_size().columns - 1) if sys.stdout.isatty() else text)


def wrapped(text: str, width: int) -> str:
    """Return `text` with each line wrapped between words.

    What follows a line of two columns stands below the second, one that is indented below the
    indent.
    """
    lines = []
    for line in text.split("\n"):
        head = _HEAD.match(line)
        lines.append(
            textwrap.fill(
                line,
                width,
                subsequent_indent=" " * min(head.end() if head else 0, width // 2),
                break_long_words=False,
                break_on_hyphens=False,
            )
        )
    return "\n".join(lines)


def print_json(value: Any) -> None:
    """Print `value` as JSON on one line."""
    typer.echo(json.dumps(value))


def print_table(table: Table) -> None:
    """Print a table; in a narrow terminal its lines wrap."""
    from rich.console import Console

    Console().print(table, crop=False)


def draw(
    position: Position,
    previous: Position | None = None,
    action: int | None = None,
    *,
    ascii_only: bool = False,
) -> str:
    """Return a picture for standard output: its width, its colours, its characters.

    Printed by `typer.echo`, it keeps its colours where the user forces them.
    """
    from mammalath_env.rendering import render_for

    return render_for(sys.stdout, position, previous, action, ascii_only=ascii_only)


def default_delay(delay: float | None) -> float:
    """Return `delay` in seconds, by default half a second in a terminal and none elsewhere."""
    if delay is not None:
        return delay
    return 0.5 if sys.stdout.isatty() else 0.0


def mistake(message: str) -> typer.BadParameter:
    """Return an error that is shown without a traceback (exit code 2)."""
    if len(message) > _MAX_MESSAGE:
        message = message[: _MAX_MESSAGE - 3] + "..."
    return typer.BadParameter(printable_lines(message))


def describe(error: Exception) -> str:
    """Return the message of an error; that of the operating system without its number."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.strerror}: {str(error.filename)!r}"
    return str(error)


@contextlib.contextmanager
def helpful_errors() -> Iterator[None]:
    """Turn errors that a user can cause into a `mistake`."""
    try:
        yield
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        raise mistake(as_typed(describe(error))) from error


_activities: dict[object, str] = {}
"""What goes on, in the words of `busy`; the last is part of those before it."""


@contextlib.contextmanager
def busy(what: str) -> Iterator[None]:
    """Show on standard error that something goes on, once it has taken a second.

    Nothing is shown unless standard error is a terminal that can move its cursor. The line goes
    away at the end. Within another `busy` the words change, and change back after.

    Args:
        what: Words for it, such as ``"mcts thinks"``.
    """
    outermost, key = not _activities, object()
    _activities[key] = printable(what)
    try:
        with _line_of_activities() if outermost else contextlib.nullcontext():
            yield
    finally:
        del _activities[key]


@contextlib.contextmanager
def _line_of_activities() -> Iterator[None]:
    """Show the last of the activities, with the seconds since the start, from another thread."""
    if not sys.stderr.isatty():
        yield
        return
    start = time.monotonic()
    over = threading.Event()

    def show() -> None:
        if over.wait(_PATIENCE):
            return
        from rich.console import Console
        from rich.live import Live
        from rich.spinner import Spinner
        from rich.text import Text

        console = Console(stderr=True)
        if console.is_dumb_terminal:
            return
        spinner = Spinner("line")

        def line() -> Spinner:
            what = next(reversed(_activities.copy().values()), "")
            words = Text(f"{what} ({time.monotonic() - start:.0f} s)", no_wrap=True)
            spinner.update(text=words)
            return spinner

        # Left alone, an agent's own prints go where they went before.
        with Live(
            console=console,
            get_renderable=line,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        ):
            over.wait()

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _name_of_kernel(kernel: str) -> str:
    """Return the agent that a kernel belongs to, or ``the rules``."""
    agent = re.match(r"mammalath_env\.agents\.(\w+)\.", kernel)
    return agent[1] if agent is not None and agent[1] in AGENTS else "the rules"


class _CompileNotices(logging.Handler):
    """Shows with `busy` what the package logs about compiling, and prints its warnings."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._shown = contextlib.ExitStack()
        self._parts = 0
        # After Ctrl-C, rich shows the cursor again.
        atexit.register(self._shown.close)

    def emit(self, record: logging.LogRecord) -> None:
        """Show or print a message."""
        message = record.getMessage()
        begin, _, kernel = message.partition(" ")
        if record.levelno > logging.INFO:
            # In a terminal the line of `busy` says it.
            if begin != "compiling":
                # Not by typer, which would write through the line of a progress bar.
                print(printable_lines(message), file=sys.stderr)
            return
        self._shown.close()
        if begin == "compiling":
            self._parts += 1
            what = _name_of_kernel(kernel)
            self._shown.enter_context(
                busy(f"Preparing {what}, once after installation (part {self._parts})")
            )


def show_compiling() -> None:
    """Say what is compiled while it takes long, if standard error is a terminal."""
    if sys.stderr.isatty():
        logger = logging.getLogger("mammalath_env")
        logger.addHandler(_CompileNotices())
        logger.setLevel(logging.INFO)
        logger.propagate = False
