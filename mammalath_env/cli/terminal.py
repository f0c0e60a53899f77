"""Print texts, pictures, tables, JSON and errors."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer

from mammalath_env.cli.messages import as_typed
from mammalath_env.core.texts import printable_lines

if TYPE_CHECKING:
    from rich.table import Table

    from mammalath_env.core.position import Position

_MAX_MESSAGE = 1000


def say(text: str = "") -> None:
    """Print `text` without control characters."""
    typer.echo(printable_lines(text))


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
    """Return a picture, with colours if standard output is a terminal."""
    from mammalath_env.rendering import render_ansi

    color = None if sys.stdout.isatty() else False
    return render_ansi(position, previous, action, color=color, ascii_only=ascii_only)


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


@contextlib.contextmanager
def helpful_errors() -> Iterator[None]:
    """Turn errors that a user can cause into a `mistake`."""
    try:
        yield
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        raise mistake(as_typed(str(error))) from error
