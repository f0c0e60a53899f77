"""Tables for terminals: names of agents, which may be long, and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

_LEAST_NAME = 12


def table_of_names(
    headings: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None
) -> Table:
    """Return a table whose first column holds names and whose others hold numbers.

    Where there is no room, names are folded and numbers are not. Names are shown as they are, also
    with brackets, which rich would take for markup.

    Args:
        headings: One for each column; they may have several lines.
        rows: One text for each column, likewise.
        title: What to write above.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=None if title is None else Text(title), box=box.SIMPLE_HEAD)
    table.add_column(headings[0], overflow="fold", min_width=_LEAST_NAME)
    for number, heading in enumerate(headings[1:], 1):
        cells = [heading, *(row[number] for row in rows)]
        width = max(len(line) for cell in cells for line in cell.splitlines())
        table.add_column(heading, justify="right", no_wrap=True, min_width=width)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def least_width(table: Table) -> int:
    """Return how many columns a table of `table_of_names` needs; with fewer it loses some."""
    # A space on both sides of a column, and one between columns and at the edges.
    return 1 + sum(3 + (column.min_width or 0) for column in table.columns)
