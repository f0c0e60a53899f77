"""Games to draw, and reading pictures of pixels and SVG back."""

from __future__ import annotations

import random
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from mammalath_env import make_game
from mammalath_env.core.position import Position
from mammalath_env.rendering.scene import Layout, Slot
from tests.rendering.reading import Ply

SVG = "{http://www.w3.org/2000/svg}"
WIN = ("DEDBEE/CFCEC1/1CFC2/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7", "e3")
LOSS = ("DEDBEE/CFCEC1/1CFCE1/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7", "e3")


def after(name: str, text: str, move: str) -> Ply:
    """Return the position after a move, with that move."""
    game = make_game(name)
    position = game.from_text(text)
    action = game.parse_move(move, position)
    return Ply(position.play(action), position, action)


def random_game(name: str, seed: int) -> Iterator[Ply]:
    """Yield the plies of a random game, the deal too."""
    rng = random.Random(seed)
    position = make_game(name).deal(seed)
    yield Ply(position)
    while not position.is_over:
        action = rng.choice(position.legal_actions())
        yield Ply(position.play(action), position, action)
        position = position.play(action)


def color_at(pixels: NDArray[np.uint8], layout: Layout, slot: Slot, x: float, y: float) -> str:
    """Return the colour of a point of a slot, given in units of the board from its corner."""
    height, width, _ = pixels.shape
    scale = int(width / layout.width + 1e-9)
    left, top = (width - layout.width * scale) // 2, (height - layout.height * scale) // 2
    row, col = round(top + (slot.y + y) * scale), round(left + (slot.x + x) * scale)
    return "#" + "".join(f"{value:02x}" for value in pixels[row, col])


def uses(svg: str) -> dict[tuple[float, float], list[str]]:
    """Return the names of the symbols at each place of a drawing, from back to front."""
    found: dict[tuple[float, float], list[str]] = {}
    for element in ElementTree.fromstring(svg).iter(f"{SVG}use"):
        place = float(element.attrib["x"]), float(element.attrib["y"])
        name = element.attrib["href"].removeprefix("#mammalath-")
        found.setdefault(place, []).append(name)
    return found


def text_planes(position: Position) -> tuple[list[str], list[str]]:
    """Return animals and tokens of a position of Mammalath, a string a row, blanks where none."""
    animals, tokens = (
        ["".join(" " * int(c) if c.isdigit() else c for c in row) for row in field.split("/")]
        for field in position.to_text().split()[:2]
    )
    return animals, tokens
