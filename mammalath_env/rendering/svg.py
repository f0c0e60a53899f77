"""Drawings as SVG, without any other package."""

from __future__ import annotations

import functools
from html import escape

from mammalath_env.rendering.scene import Scene
from mammalath_env.rendering.shapes import Ellipse, Path, Polygon, Shape, Symbol, Text, placed

FONTS = "Helvetica,Arial,sans-serif"
_PREFIX = "mammalath-"
"""Starts the ids, which are shared by all drawings of a page."""


def to_svg(scene: Scene, size: int | None = None, *, may_shrink: bool = False) -> str:
    """Return `scene` as the text of an SVG document, one line a symbol.

    Args:
        scene: The picture.
        size: Width in pixels; None leaves it to the viewer.
        may_shrink: With a size, fit a container that is narrower.
    """
    layout = scene.layout
    used = {symbol.name: symbol for symbols in scene.contents for symbol in symbols}
    width, height = number(layout.width), number(layout.height)
    room = ""
    if size is not None:
        room = f' width="{size}" height="{round(layout.height * size / layout.width)}"'
        if may_shrink:
            room += ' style="max-width:100%;height:auto"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"{room} role="img">',
        f"<title>{escape(scene.description, quote=False)}</title>",
        "<defs>",
        *(definition(symbol) for _, symbol in sorted(used.items())),
        "</defs>",
        _drawn(layout.ground, 0.0, 0.0),
    ]
    for slot, symbols in zip(layout.slots, scene.contents, strict=True):
        if symbols:
            place = f'x="{number(slot.x)}" y="{number(slot.y)}"'
            lines.append("".join(f'<use href="#{symbol_id(each)}" {place}/>' for each in symbols))
    lines.extend(_drawn(*caption) for caption in scene.captions)
    lines.extend(map(element, scene.overlay))
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


@functools.lru_cache(maxsize=1024)
def _drawn(symbol: Symbol, x: float, y: float) -> str:
    """Return the elements of a symbol at a place."""
    return "".join(map(element, placed(symbol.shapes, x, y)))


def symbol_id(symbol: Symbol) -> str:
    """Return the id of a symbol in documents."""
    return _PREFIX + symbol.name


@functools.lru_cache(maxsize=1024)
def definition(symbol: Symbol) -> str:
    """Return a symbol as a group, for the definitions of a document."""
    return f'<g id="{symbol_id(symbol)}">{"".join(map(element, symbol.shapes))}</g>'


def element(shape: Shape) -> str:
    """Return a shape as an element.

    Raises:
        TypeError: There is no element for such a shape.
    """
    style = _style(shape)
    if isinstance(shape, Ellipse):
        x, y, rx = number(shape.x), number(shape.y), number(shape.rx)
        if shape.ry is None:
            return f'<circle cx="{x}" cy="{y}" r="{rx}"{style}/>'
        return f'<ellipse cx="{x}" cy="{y}" rx="{rx}" ry="{number(shape.ry)}"{style}/>'
    if isinstance(shape, Polygon):
        points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.points)
        return f'<polygon points="{points}"{style}/>'
    if isinstance(shape, Path):
        data = "".join(letter + " ".join(map(number, values)) for letter, values in shape.commands)
        return f'<path d="{data}"{style}/>'
    if isinstance(shape, Text):
        weight = ' font-weight="bold"' if shape.bold else ""
        anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
        return (
            f'<text x="{number(shape.x)}" y="{number(shape.y)}" font-family="{FONTS}" '
            f'font-size="{number(shape.height)}"{weight}{anchor}{style}>'
            f"{escape(shape.text, quote=False)}</text>"
        )
    raise TypeError(f"SVG has no element for {shape!r}")


def _style(shape: Shape) -> str:
    """Return the attributes of colours and lines."""
    found = ""
    if shape.fill is None or shape.fill != "#000000":
        found += f' fill="{shape.fill or "none"}"'
    if shape.stroke is not None and shape.width > 0:
        found += f' stroke="{shape.stroke}" stroke-width="{number(shape.width)}"'
        if not isinstance(shape, Ellipse):
            found += ' stroke-linejoin="round" stroke-linecap="round"'
    if shape.opacity < 1:
        found += f' opacity="{number(shape.opacity)}"'
    return found


def number(value: float) -> str:
    """Return a coordinate, to a ten-thousandth of the unit."""
    return f"{value:.4f}".rstrip("0").rstrip(".").replace("-0.", "-.").lstrip("0") or "0"
