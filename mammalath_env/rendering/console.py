"""Terminal pictures with rich: the parts that are the same for every game.

Pictures depend on their arguments alone, not on the terminal. Only `wants_color` reads the
environment.
"""

from __future__ import annotations

import dataclasses
import io
import os

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.style import Style
from rich.text import Text

WIDTH = 79
"""Columns of a picture. A line of 80 makes some terminals of 80 columns add an empty one."""

STRONG = Style.parse("bold")
_ASCII_LINES = str.maketrans("│─┌┐└┘├┤┬┴┼", "|-" + "+" * 9)


def wants_color() -> bool:
    """Return whether the user wants colours, see https://no-color.org, and the terminal has any."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


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


def to_text(drawing: RenderableType, *, color: bool) -> str:
    """Return `drawing` as lines without spaces at their ends or a line break at the end.

    Args:
        drawing: Anything that rich can print, at most `WIDTH` columns wide.
        color: Whether to write its styles as escape codes, in the palette of 256 colours, which
            looks the same in nearly every terminal.
    """
    # Every setting that a console would read from its terminal or the environment.
    console = Console(
        file=io.StringIO(),
        width=WIDTH,
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


def legend(*meanings: tuple[str, str]) -> Text:
    """Return a line of marks, each with its meaning."""
    return Text("   ").join(
        Text.assemble((mark, STRONG), " ", (meaning, "dim")) for mark, meaning in meanings
    )
