"""Tables of names, which may be long, and numbers, for terminals."""

from __future__ import annotations

import collections
from collections.abc import Sequence

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from mammalath_env.arena.results import MatchResult
from mammalath_env.core.texts import printable, printable_lines

_LEAST_NAME = 12
_MOST_REASONS = 3


class NamesTable(Table):
    """A table whose first column holds names and whose others hold numbers.

    Where there is no room, names are wrapped and numbers are not. A table that is wider than the
    terminal is cropped on the right, or continued on the next line if it is printed with
    ``crop=False``. Brackets in names, which rich would take for markup, are shown literally;
    characters that could command a terminal are replaced (`printable_lines`).
    """

    def __init__(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[str]],
        title: str | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        """Fill the table.

        Args:
            headings: One for each column; each may have several lines.
            rows: One text for each column, which may have several lines too.
            title: Text above the table.
            notes: Lines below the table.
        """
        super().__init__(
            title=None if title is None else Text(title),
            caption=Text("\n".join(map(printable, notes))) if notes else None,
            caption_justify="left",
            box=box.SIMPLE_HEAD,
        )
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


def render_matches(matches: Sequence[MatchResult]) -> Table:
    """Return a table of `matches` for a terminal; see `Tournament.render`."""
    headings = ["agent\nopponent", "games", "score\n95%"]
    headings += ["+ = -", "first\n+ = -", "second\n+ = -", "plies"]
    rows = []
    for match in matches:
        seats = (match.total, match.moving_first, match.moving_second)
        row = [
            "\n".join(match.agents),
            str(match.num_games),
            f"{match.total.score:.1%}\n{_interval(match)}",
            *(f"{seat.wins} {seat.draws} {seat.losses}" for seat in seats),
            f"{match.mean_plies:.1f}",
        ]
        rows.append(row)
    titles = []
    for game in dict.fromkeys(match.game for match in matches):
        options = ", ".join(f"{name}={value}" for name, value in game.options.items())
        titles.append(f"{game.title} ({options})" if options else game.title)
    return NamesTable(headings, rows, ", ".join(titles), _forfeit_notes(matches))


def _interval(match: MatchResult) -> str:
    """Return the 95% interval of the score, in percent, if there is one."""
    found = match.estimates
    return f"{100 * found.score.low:.1f}-{100 * found.score.high:.1f}" if found else ""


def _forfeit_notes(matches: Sequence[MatchResult]) -> list[str]:
    """Return a line for each agent that forfeited games: how many, and why."""
    found: dict[str, collections.Counter[str]] = {}
    numbers: collections.Counter[str] = collections.Counter()
    for match in matches:
        for name, number, reasons in zip(
            match.agents, match.forfeits, match.forfeit_reasons, strict=True
        ):
            numbers[name] += number
            found.setdefault(name, collections.Counter()).update(reasons)
    notes = []
    for name, reasons in found.items():
        if not numbers[name]:
            continue
        most = reasons.most_common(_MOST_REASONS)
        listed = [f"{reason} ({games})" for reason, games in most]
        rest = numbers[name] - sum(games for _, games in most)
        if rest and listed:
            listed.append(f"others ({rest})")
        count = f"{numbers[name]} {'forfeit' if numbers[name] == 1 else 'forfeits'}"
        notes.append(": ".join([name, count, *filter(None, [", ".join(listed)])]))
    return notes
