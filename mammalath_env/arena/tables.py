"""Tables for terminals: names of agents, which may be long, and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from mammalath_env.core.texts import printable_lines

_LEAST_NAME = 12


class NamesTable(Table):
    """A table whose first column holds names and whose others hold numbers.

    Where there is no room, names are folded and numbers are not. A table that needs more columns
    than a terminal has is cut at its right end, or goes on in the next line if it is printed with
    ``crop=False``. Brackets in names, which rich would take for markup, are shown as they are;
    what could command a terminal is replaced (`printable_lines`).
    """

    def __init__(
        self, headings: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None
    ) -> None:
        """Fill the table.

        Args:
            headings: One for each column; they may have several lines.
            rows: One text for each column, likewise.
            title: What to write above.
        """
        super().__init__(title=None if title is None else Text(title), box=box.SIMPLE_HEAD)
        self.add_column(headings[0], overflow="fold", min_width=_LEAST_NAME)
        for number, heading in enumerate(headings[1:], 1):
            cells = [heading, *(row[number] for row in rows)]
            width = max(len(line) for cell in cells for line in cell.splitlines())
            self.add_column(heading, justify="right", no_wrap=True, min_width=width)
        for row in rows:
            self.add_row(*(Text(printable_lines(cell)) for cell in row))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        # A space on both sides of a column, and one between columns and at the edges.
        least = 1 + sum(3 + (column.min_width or 0) for column in self.columns)
        return super().__rich_console__(
            console, options.update(width=max(options.max_width, least))
        )
