"""Drawings as data: shapes, and symbols made of them.

A drawing is described once, in units of the board with x to the right and y down, and drawn by
back ends that know nothing of games: `mammalath_env.rendering.svg` and
`mammalath_env.rendering.raster`. Colours are ``"#rrggbb"``.
"""

from __future__ import annotations

import abc
import dataclasses
import itertools
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

Point = tuple[float, float]
_Same = TypeVar("_Same", bound="Shape")
Commands = tuple[tuple[str, tuple[float, ...]], ...]

_CURVE_STEPS = 12
"""Straight lines that a curve becomes for back ends without curves."""
_ELLIPSE_STEPS = 60
_COORDINATES = {"M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0}


class Contour(NamedTuple):
    """A line of points.

    Attributes:
        points: Its corners.
        closed: Whether the last point is joined to the first.
    """

    points: list[Point]
    closed: bool


@dataclasses.dataclass(frozen=True, kw_only=True)
class Shape(abc.ABC):
    """A shape with its style.

    Attributes:
        fill: Colour of the inside, or None.
        stroke: Colour of the outline, or None.
        width: Width of the outline, half of it on each side.
        opacity: From 0, invisible, to 1, opaque.
    """

    fill: str | None = None
    stroke: str | None = None
    width: float = 0.0
    opacity: float = 1.0

    def contours(self) -> list[Contour]:
        """Return the outline as straight lines; nothing for text, which fonts draw."""
        return []

    def placed(self: _Same, x: float, y: float, scale: float = 1.0) -> _Same:
        """Return the shape scaled about the origin, then moved by `x` and `y`."""
        moved = self._moved(x, y, scale)
        return dataclasses.replace(self, width=self.width * scale, **moved)

    @abc.abstractmethod
    def _moved(self, x: float, y: float, scale: float) -> dict[str, Any]:
        """Return the fields of the shape itself, scaled and then moved."""


@dataclasses.dataclass(frozen=True)
class Polygon(Shape):
    """Straight lines through points, closed.

    Attributes:
        points: The corners.
    """

    points: tuple[Point, ...]

    def contours(self) -> list[Contour]:
        """Return the corners."""
        return [Contour(list(self.points), True)]

    def _moved(self, x: float, y: float, scale: float) -> dict[str, Any]:
        return {"points": tuple((x + scale * px, y + scale * py) for px, py in self.points)}


@dataclasses.dataclass(frozen=True)
class Ellipse(Shape):
    """An ellipse, or a circle.

    Attributes:
        x: Centre from the left.
        y: Centre from the top.
        rx: Half its width.
        ry: Half its height; None for a circle.
    """

    x: float
    y: float
    rx: float
    ry: float | None = None

    def contours(self) -> list[Contour]:
        """Return corners on the ellipse."""
        ry = self.rx if self.ry is None else self.ry
        turns = (2 * math.pi * step / _ELLIPSE_STEPS for step in range(_ELLIPSE_STEPS))
        points = [(self.x + self.rx * math.cos(a), self.y + ry * math.sin(a)) for a in turns]
        return [Contour(points, True)]

    def _moved(self, x: float, y: float, scale: float) -> dict[str, Any]:
        ry = None if self.ry is None else self.ry * scale
        return {"x": x + scale * self.x, "y": y + scale * self.y, "rx": self.rx * scale, "ry": ry}


@dataclasses.dataclass(frozen=True)
class Path(Shape):
    """Lines and curves; write it with `path`.

    Attributes:
        commands: Letters of SVG (M, L, Q, C, Z) with their absolute coordinates.
    """

    commands: Commands

    def contours(self) -> list[Contour]:
        """Return the lines, curves as short lines."""
        found: list[Contour] = []
        for letter, numbers in self.commands:
            if letter == "M":
                found.append(Contour([(numbers[0], numbers[1])], False))
            elif letter == "Z":
                found[-1] = found[-1]._replace(closed=True)
            else:
                points = found[-1].points
                controls = [points[-1], *zip(numbers[::2], numbers[1::2], strict=True)]
                steps = 1 if letter == "L" else _CURVE_STEPS
                points += [_bezier(controls, step / steps) for step in range(1, steps + 1)]
        return found

    def _moved(self, x: float, y: float, scale: float) -> dict[str, Any]:
        commands = (
            (letter, tuple((y if k % 2 else x) + scale * n for k, n in enumerate(numbers)))
            for letter, numbers in self.commands
        )
        return {"commands": tuple(commands)}


@dataclasses.dataclass(frozen=True)
class Text(Shape):
    """A line of text.

    Attributes:
        x: Its anchor, from the left.
        y: Its baseline, from the top.
        text: The text.
        height: Size of the font; capitals have about 0.7 of it.
        anchor: Whether `x` is its ``"start"``, ``"middle"`` or ``"end"``.
        bold: Whether it is bold.
    """

    x: float
    y: float
    text: str
    height: float
    anchor: str = "middle"
    bold: bool = False

    def _moved(self, x: float, y: float, scale: float) -> dict[str, Any]:
        height = self.height * scale
        return {"x": x + scale * self.x, "y": y + scale * self.y, "height": height}


@dataclasses.dataclass(frozen=True, eq=False)
class Symbol:
    """A picture that drawings use many times.

    Symbols with equal names are equal, so that back ends can cache them by name.

    Attributes:
        name: Unique: symbols with other shapes have other names.
        shapes: Its parts, from back to front.
        label: Its meaning in words; empty if it adds nothing to the symbols below it.
        width: Extent from 0 to the right, in units of the board.
        height: Extent from 0 down.
    """

    name: str
    shapes: tuple[Shape, ...]
    label: str = ""
    width: float = 1.0
    height: float = 1.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


def path(data: str) -> Commands:
    """Return the commands of `Path` in `data`, written as in SVG.

    Raises:
        ValueError: There is another command, or one with a wrong number of coordinates.
    """
    commands = []
    for letter, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", data):
        numbers = tuple(map(float, re.findall(r"-?[\d.]+", rest)))
        each = _COORDINATES.get(letter)
        if each is None or (len(numbers) % each if each else numbers):
            raise ValueError(f"{letter}{rest} is not a command of a path")
        if not each:
            commands.append((letter, numbers))
        commands += [(letter, numbers[k : k + each]) for k in range(0, len(numbers), each or 1)]
    return tuple(commands)


def rounded(x: float, y: float, width: float, height: float, radius: float) -> Commands:
    """Return the commands of a rectangle with round corners."""
    right, bottom = x + width, y + height
    return (
        ("M", (x + radius, y)),
        ("L", (right - radius, y)),
        ("Q", (right, y, right, y + radius)),
        ("L", (right, bottom - radius)),
        ("Q", (right, bottom, right - radius, bottom)),
        ("L", (x + radius, bottom)),
        ("Q", (x, bottom, x, bottom - radius)),
        ("L", (x, y + radius)),
        ("Q", (x, y, x + radius, y)),
        ("Z", ()),
    )


def mixed(color: str, other: str, share: float) -> str:
    """Return `color` with a share of `other` in it, from 0 to 1."""
    parts = (
        round((1 - share) * int(color[k : k + 2], 16) + share * int(other[k : k + 2], 16))
        for k in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in parts)


def placed(shapes: Sequence[Shape], x: float, y: float, scale: float = 1.0) -> tuple[Shape, ...]:
    """Return `shapes` scaled about the origin, then moved."""
    return tuple(shape.placed(x, y, scale) for shape in shapes)


def _bezier(controls: Sequence[Point], share: float) -> Point:
    """Return the point at `share` of the curve with these control points."""
    points = list(controls)
    while len(points) > 1:
        points = [
            (ax + share * (bx - ax), ay + share * (by - ay))
            for (ax, ay), (bx, by) in itertools.pairwise(points)
        ]
    return points[0]
