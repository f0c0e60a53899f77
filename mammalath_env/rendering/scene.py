"""The content of a picture: the same for every game and every back end."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from mammalath_env.core.checks import unknown_choice
from mammalath_env.rendering.shapes import Polygon, Shape, Symbol, Text

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
        name: What it is called in notation, such as ``c4``.
        x: Its left side.
        y: Its top.
        width: Units to the right; slots do not overlap.
        height: Units down.
        center: Where arrows begin and end.
        kind: Slots of one kind have the same background.
    """

    name: str
    x: float
    y: float
    width: float
    height: float
    center: tuple[float, float]
    kind: str


@dataclasses.dataclass(frozen=True, eq=False)
class Layout:
    """The parts that all pictures of a game share.

    Attributes:
        width: Units from left to right.
        height: Units from top to bottom.
        captions_top: Where the space for captions begins, below the board.
        ground: The background of the whole picture.
        slots: Where the contents of a scene go.
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


class Caption(NamedTuple):
    """A text beside the board, or a piece that belongs to it.

    Attributes:
        symbol: What to draw.
        x: Its left side.
        y: Its top.
    """

    symbol: Symbol
    x: float
    y: float


@dataclasses.dataclass(frozen=True)
class Marks:
    """Marks on a position besides the last move.

    Attributes:
        legal_moves: Whether to mark what the player to move may do.
        highlights: Names of slots.
        arrows: Pairs of names of slots.
    """

    legal_moves: bool = False
    highlights: tuple[str, ...] = ()
    arrows: tuple[tuple[str, str], ...] = ()


@dataclasses.dataclass(frozen=True)
class Scene:
    """A picture of a position.

    Attributes:
        layout: The board.
        contents: What each slot holds, from back to front.
        captions: Texts and pieces beside the board, which do not overlap.
        overlay: Shapes over everything else.
        status: Whose turn it is, or who won and why.
        move: What the last move did, in words; empty if it is not known.
    """

    layout: Layout
    contents: tuple[tuple[Symbol, ...], ...]
    captions: tuple[Caption, ...]
    overlay: tuple[Shape, ...]
    status: str
    move: str

    @property
    def labels(self) -> tuple[str, ...]:
        """The content of each slot in words, empty for an empty slot."""
        return tuple(map(label_of, self.contents))

    @property
    def description(self) -> str:
        """A description of the picture in a sentence or two."""
        return f"{self.move}. {self.status}" if self.move else self.status


def label_of(symbols: Iterable[Symbol]) -> str:
    """Return what symbols stand for in words."""
    return ", ".join(symbol.label for symbol in symbols if symbol.label)


@functools.lru_cache(maxsize=4096)
def line_of_text(
    text: str,
    width: float,
    height: float,
    anchor: str = "start",
    bold: bool = False,
    color: str = INK,
) -> Symbol:
    """Return a line of text as a symbol.

    Args:
        text: What it says.
        width: Space for it.
        height: Size of the font.
        anchor: Which side of it the text is aligned to.
        bold: Whether it is bold.
        color: Its colour.
    """
    x = {"start": 0.0, "middle": width / 2, "end": width}[anchor]
    shape = Text(x, height, text, height, anchor, bold, fill=color)
    name = f"text {text!r} {width} {height} {anchor} {bold} {color}"
    return Symbol(name, (shape,), text, width, height * 1.3)


def with_marks(
    layout: Layout,
    contents: Sequence[list[Symbol]],
    marks: Marks,
    highlight: Callable[[Slot], Symbol],
) -> tuple[tuple[Symbol, ...], ...]:
    """Return contents with highlights over them.

    Args:
        layout: The board.
        contents: What each slot holds; highlights are added to it.
        marks: The highlights are those that it names.
        highlight: Returns the highlight of a slot.

    Raises:
        ValueError: There is no slot of such a name.
    """
    for slot in dict.fromkeys(map(layout.find, marks.highlights)):
        contents[slot].append(highlight(layout.slots[slot]))
    return tuple(map(tuple, contents))


def _arrow(tail: tuple[float, float], head: tuple[float, float]) -> Polygon:
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
