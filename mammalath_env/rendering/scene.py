"""The content of a picture: the same for every game and every back end."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from mammalath_env.core.checks import unknown_choice
from mammalath_env.rendering.shapes import Point, Polygon, Shape, Symbol, Text

ARROW = "#e0489b"
INK = "#2b2622"
FAINT_INK = "#6d645a"
PAPER = "#f4efe4"
WON = "#12a354"
HIGHLIGHT = "#2f6bff"
STAR = "M0 -10L2.6 -3.4L9.5 -3.1L4.1 1.3L5.9 8.1L0 4.2L-5.9 8.1L-4.1 1.3L-9.5 -3.1L-2.6 -3.4Z"


class Slot(NamedTuple):
    """A place of a board that holds symbols: a space, a hole, a store.

    Attributes:
        name: Its name in notation, such as ``c4``.
        x: Its left side.
        y: Its top.
        width: Units to the right; slots do not overlap.
        height: Units down.
        center: The point where arrows begin and end.
        kind: Slots of one kind have the same background.
        highlight: The symbol that highlights it.
    """

    name: str
    x: float
    y: float
    width: float
    height: float
    center: Point
    kind: str
    highlight: Symbol


@dataclasses.dataclass(frozen=True, eq=False)
class Layout:
    """The parts that all pictures of a game share.

    Attributes:
        width: Units from left to right.
        height: Units from top to bottom.
        captions_top: Top of the space for captions, below the board.
        ground: The background of the whole picture.
        slots: The places for the contents of a scene.
        rows: The slots as a table for readers who do not see it: a heading for each row, and the
            numbers of its slots.
    """

    width: float
    height: float
    captions_top: float
    ground: Symbol
    slots: tuple[Slot, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]

    def find(self, name: str) -> int:
        """Return the number of the slot called `name`.

        Raises:
            ValueError: There is none.
        """
        names = [slot.name for slot in self.slots]
        if name not in names:
            raise ValueError(unknown_choice("space", name, names))
        return names.index(name)

    def arrows(self, ends: Iterable[tuple[str, str]]) -> tuple[Shape, ...]:
        """Return arrows between slots.

        Raises:
            ValueError: There is no such slot, or an arrow does not have two ends.
            TypeError: An arrow is not a pair.
        """
        found = []
        for pair in ends:
            if not isinstance(pair, Collection):
                raise TypeError(f"an arrow is a pair of names, not {pair!r}")
            if isinstance(pair, str) or len(pair) != 2:
                raise ValueError(f"an arrow is a pair of names, not {pair!r}")
            tail, head = (self.slots[self.find(name)].center for name in pair)
            if tail != head:
                found.append(_arrow(tail, head))
        return tuple(found)


class Marks(NamedTuple):
    """Where on the board a move would be made, as arguments of `Position.to_svg`.

    Attributes:
        highlights: Names of slots to highlight.
        arrows: Pairs of such names, each an arrow from the first to the second.
    """

    highlights: tuple[str, ...] = ()
    arrows: tuple[tuple[str, str], ...] = ()


class Caption(NamedTuple):
    """A text beside the board, or a piece that belongs to it.

    Attributes:
        symbol: The text or the piece.
        x: Its left side.
        y: Its top.
    """

    symbol: Symbol
    x: float
    y: float


class Count(NamedTuple):
    """How pieces of one kind are counted, by the labels of their symbols.

    Attributes:
        name: What is counted.
        label: The label of each of these pieces on the board.
        total: If not None, those that are not on the board count, out of so many.
    """

    name: str
    label: str
    total: int | None = None


@dataclasses.dataclass(frozen=True)
class Scene:
    """A picture of a position.

    Attributes:
        layout: The board.
        contents: The symbols in each slot, from back to front.
        captions: Texts and pieces beside the board, which do not overlap.
        status: Whose turn it is, or who won and why.
        move: The last move in words; empty if it is not known.
        overlay: Shapes over everything else.
        counts: Pieces that are left, for pages that count them.
    """

    layout: Layout
    contents: tuple[tuple[Symbol, ...], ...]
    captions: tuple[Caption, ...]
    status: str
    move: str
    overlay: tuple[Shape, ...] = ()
    counts: tuple[Count, ...] = ()

    @property
    def description(self) -> str:
        """The picture in a sentence or two."""
        return f"{self.move}. {self.status}" if self.move else self.status

    def marked(self, highlights: Sequence[str], arrows: Sequence[tuple[str, str]]) -> Scene:
        """Return the scene with highlights and arrows.

        Raises:
            ValueError, TypeError: As for `Layout.find` and `Layout.arrows`.
        """
        if not highlights and not arrows:
            return self
        contents = list(self.contents)
        for slot in set(map(self.layout.find, highlights)):
            contents[slot] += (self.layout.slots[slot].highlight,)
        return dataclasses.replace(
            self, contents=tuple(contents), overlay=self.layout.arrows(arrows)
        )


def label_of(symbols: Iterable[Symbol]) -> str:
    """Return the meaning of symbols in words."""
    return ", ".join(symbol.label for symbol in symbols if symbol.label)


def caption_line(
    left: float, right: float, top: float, status: str, last: str, last_width: float
) -> tuple[Caption, ...]:
    """Return the line below a board: the status, and at the right the last move if not empty."""
    news = _line_of_text(status, right - left - last_width, 0.27, bold=True)
    captions = [Caption(news, left, top)]
    if last:
        symbol = _line_of_text(f"last {last}", last_width, 0.24, "end", color=FAINT_INK)
        captions.append(Caption(symbol, right - last_width, top + 0.02))
    return tuple(captions)


@functools.lru_cache(maxsize=4096)
def _line_of_text(
    text: str,
    width: float,
    height: float,
    anchor: str = "start",
    bold: bool = False,
    color: str = INK,
) -> Symbol:
    """Return text of the font size `height` as a symbol, aligned to one side of it."""
    x = {"start": 0.0, "end": width}[anchor]
    shape = Text(x, height, text, height, anchor, bold, fill=color)
    name = f"text {text!r} {width} {height} {anchor} {bold} {color}"
    return Symbol(name, (shape,), text, width, height * 1.3)


def _arrow(tail: Point, head: Point) -> Polygon:
    """Return an arrow as one polygon."""
    (x, y), (end_x, end_y) = tail, head
    length = math.hypot(end_x - x, end_y - y)
    dx, dy = (end_x - x) / length, (end_y - y) / length
    outline = (
        (0.12, -0.07),
        (length - 0.36, -0.07),
        (length - 0.36, -0.2),
        (length - 0.02, 0.0),
        (length - 0.36, 0.2),
        (length - 0.36, 0.07),
        (0.12, 0.07),
    )
    points = tuple((x + along * dx - off * dy, y + along * dy + off * dx) for along, off in outline)
    return Polygon(points, fill=ARROW, stroke="#ffffff", width=0.03, opacity=0.85)
