"""Terminal pictures with rich: the parts that are the same for every game.

Pictures depend on their arguments alone, not on the terminal. What a stream can show is found out
by `wants_color`, `width_of` and `can_encode`.
"""

from __future__ import annotations

import dataclasses
import io
import os
import shutil
from collections.abc import Callable
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.style import Style
from rich.text import Text

WIDTH = 79
"""Most columns of a picture. A line of 80 makes some terminals of 80 columns add an empty one."""

LEAST_WIDTH = 20
"""Fewest columns of a picture."""

STRONG = Style.parse("bold")
_ASCII_LINES = str.maketrans("│─┌┐└┘├┤┬┴┼", "|-" + "+" * 9)


def wants_color(stream: TextIO | None) -> bool:
    """Return whether text for `stream` should have colours, as the user or the stream says.

    ``NO_COLOR`` (https://no-color.org) says no and ``FORCE_COLOR`` (https://force-color.org) yes,
    each if it is not empty, the first one first. Otherwise only a terminal has colours, unless
    ``TERM`` is ``dumb``. A notebook is no terminal.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and is_terminal(stream)


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether `stream` is a terminal; programs without a console have None."""
    try:
        return stream is not None and stream.isatty()
    except (AttributeError, ValueError):  # an object that can only be written to; a closed file
        return False


def width_of(stream: TextIO | None) -> int:
    """Return how wide a picture for `stream` may be: as ``COLUMNS`` or the terminal says."""
    columns = WIDTH + 1
    if is_terminal(stream) or os.environ.get("COLUMNS"):
        columns = shutil.get_terminal_size((columns, 24)).columns
    return min(max(columns - 1, LEAST_WIDTH), WIDTH)


def can_encode(stream: TextIO | None, text: str) -> bool:
    """Return whether `text` can be written to `stream`; text that stays in memory can."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeError, LookupError):
        return False
    return True


@dataclasses.dataclass(frozen=True)
class InAscii:
    """A drawing with its characters replaced by ASCII.

    Attributes:
        drawing: The drawing.
        table: A table for `str.translate`, for all characters but lines.
    """

    drawing: RenderableType
    table: dict[int, int]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.drawing, options):
            yield segment._replace(text=segment.text.translate(self.table | _ASCII_LINES))


@dataclasses.dataclass(frozen=True)
class Fitting:
    """The first of some drawings that there is room for.

    Attributes:
        drawings: The columns that each needs, and a function that makes it, the widest first. The
            last one needs none.
    """

    drawings: tuple[tuple[int, Callable[[], RenderableType]], ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield next(make for least, make in self.drawings if least <= options.max_width)()


def to_text(drawing: RenderableType, *, color: bool, width: int = WIDTH) -> str:
    """Return `drawing` as lines without spaces at their ends or a line break at the end.

    Args:
        drawing: Anything that rich can print.
        color: Whether to write its styles as escape codes, in the palette of 256 colours, which
            looks the same in nearly every terminal.
        width: Columns; what is wider is wrapped.
    """
    # Every setting that a console would read from its terminal or the environment.
    console = Console(
        file=io.StringIO(),
        width=width,
        color_system="256" if color else None,
        no_color=not color,
        force_terminal=False,
        force_interactive=False,
        force_jupyter=False,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    with console.capture() as capture:
        console.print(drawing)
    return "\n".join(line.rstrip(" ") for line in capture.get().splitlines())


class Parts:
    """Texts side by side, on several lines where there is no room; none of them is broken."""

    def __init__(self, *parts: Text, gap: int = 3) -> None:
        """Take the texts, and how many spaces are between two of them."""
        self._parts = parts
        self._gap = gap

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        line: list[Text] = []
        for part in self._parts:
            cells = sum(each.cell_len + self._gap for each in line) + part.cell_len
            if line and cells > options.max_width:
                yield Text(" " * self._gap).join(line)
                line = []
            line.append(part)
        yield Text(" " * self._gap).join(line)


def legend(*meanings: tuple[str, str]) -> Parts:
    """Return marks, each with its meaning."""
    return Parts(
        *(Text.assemble((mark, STRONG), " ", (meaning, "dim")) for mark, meaning in meanings)
    )
