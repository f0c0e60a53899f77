"""The board of Mancala as a scene, seen by south."""

from __future__ import annotations

import cmath
import functools
import math
from collections.abc import Iterator

from mammalath_env.core.position import LastMove, Position
from mammalath_env.games.mancala.config import NUM_HOLES
from mammalath_env.games.mancala.effect import MancalaEffect
from mammalath_env.games.mancala.text import HOLE_LETTERS
from mammalath_env.rendering.mancala_view import NORTH, SOUTH, MancalaView, row_of
from mammalath_env.rendering.scene import (
    HIGHLIGHT,
    INK,
    PAPER,
    STAR,
    WON,
    Layout,
    Marks,
    Scene,
    Slot,
    caption_line,
)
from mammalath_env.rendering.shapes import Ellipse, Path, Shape, Symbol, Text, path, placed, rounded

WOOD = "#b9814a"
EDGE = "#7a4f28"
PIT = "#6b4423"
SEED = "#f1dfb4"
SEED_RIM = "#4a2e14"
FROM = "#ffb000"
INTO = "#ffe08a"
CAPTURED = "#e0262d"
TAKEN = "#2f6bff"
MARKED = "#35d0dd"

MOST_DOTS = 16
"""Most seeds of a hole that are drawn; a number below gives their count."""
MOST_STORED_DOTS = 24
"""The same for a store: as many as do not win yet."""

_WIDTH, _HEIGHT = 8.6, 4.3
_LEFT, _TOP = 0.2, 0.47
_STORE_WIDTH, _HOLE_HEIGHT, _BOARD_HEIGHT = 1.1, 1.42, 2.9
_PIT_X, _PIT_Y, _PIT_RADIUS = 0.5, 0.52, 0.42
_NUMBER_Y = 1.28
_STORE = rounded(0.1, 0.1, 0.9, 2.7, 0.3)
_LAST_WIDTH = 2.6
_GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))


_hole_symbol = functools.partial(Symbol, width=1.0, height=_HOLE_HEIGHT)
_store_symbol = functools.partial(Symbol, width=_STORE_WIDTH, height=_BOARD_HEIGHT)


def _seed(x: float, y: float, radius: float) -> Ellipse:
    return Ellipse(x, y, radius, fill=SEED, stroke=SEED_RIM, width=0.02)


@functools.cache
def seeds(count: int) -> Symbol:
    """Return the seeds of a hole, and their number below."""
    shown = min(count, MOST_DOTS)
    spiral = [cmath.rect(math.sqrt(k + 0.5), k * _GOLDEN_ANGLE) for k in range(shown)]
    middle = sum(spiral) / max(shown, 1)
    dots = tuple(
        _seed(_PIT_X + 0.087 * dot.real, _PIT_Y + 0.087 * dot.imag, 0.075)
        for dot in (point - middle for point in spiral)
    )
    number = Text(_PIT_X, _NUMBER_Y, str(count), 0.3, bold=True, fill="#ffffff")
    return _hole_symbol(f"seeds-{count}", (*dots, number), str(count))


@functools.cache
def store(count: int) -> Symbol:
    """Return the seeds of a store, and their number below."""
    dots = tuple(
        _seed(0.55 + 0.22 * (k % 3 - 1), 0.45 + 0.2 * (k // 3), 0.085)
        for k in range(min(count, MOST_STORED_DOTS))
    )
    number = Text(0.55, 2.36, str(count), 0.46, bold=True, fill="#ffffff")
    return _store_symbol(f"store-{count}", (*dots, number), str(count))


@functools.cache
def sown(count: int) -> Symbol:
    """Return the mark of a hole that the last move sowed `count` seeds into, or -`count` from."""
    color, width = (FROM, 0.09) if count < 0 else (INTO, 0.04)
    return _hole_symbol(
        f"from-{-count}" if count < 0 else f"into-{count}",
        (
            Ellipse(_PIT_X, _PIT_Y, _PIT_RADIUS, stroke=color, width=width),
            Text(0.83, _NUMBER_Y - 0.03, f"{count:+}", 0.21, bold=True, fill=color),
        ),
        f"{-count} sown from here" if count < 0 else f"{count} sown here",
    )


@functools.cache
def gone(kind: str, count: int) -> Symbol:
    """Return the mark of a hole whose seeds were ``"captured"``, or ``"taken"`` at the end."""
    color, sign = (CAPTURED, "x") if kind == "captured" else (TAKEN, ">")
    return _hole_symbol(
        f"{kind}-{count}",
        (
            Ellipse(_PIT_X, _PIT_Y, 0.3, fill=color, stroke="#ffffff", width=0.03),
            Text(_PIT_X, _PIT_Y + 0.11, f"{sign}{count}", 0.3, bold=True, fill="#ffffff"),
        ),
        f"{count} {kind}",
    )


@functools.cache
def gained(count: int) -> Symbol:
    """Return the mark of a store that got `count` seeds."""
    text = Text(0.55, 2.64, f"+{count}", 0.22, bold=True, fill=FROM)
    return _store_symbol(f"gained-{count}", (text,), f"{count} gained")


WON_STORE = _store_symbol(
    "won-store",
    (
        Path(_STORE, stroke=WON, width=0.11),
        Ellipse(0.55, 0.13, 0.13, fill=WON, stroke="#ffffff", width=0.025),
        *placed((Path(path(STAR), fill="#ffffff"),), 0.55, 0.13, 0.009),
    ),
    "won",
)
MAY_SOW = _hole_symbol(
    "may-sow", (Ellipse(_PIT_X, _PIT_Y, _PIT_RADIUS, stroke=MARKED, width=0.08),)
)
HIGHLIGHTED = _hole_symbol(
    "highlight-hole",
    (
        Ellipse(_PIT_X, _PIT_Y, _PIT_RADIUS, fill=HIGHLIGHT, opacity=0.25),
        Ellipse(_PIT_X, _PIT_Y, _PIT_RADIUS, stroke=HIGHLIGHT, width=0.08),
    ),
)
HIGHLIGHTED_STORE = _store_symbol(
    "highlight-store",
    (Path(_STORE, fill=HIGHLIGHT, opacity=0.25), Path(_STORE, stroke=HIGHLIGHT, width=0.08)),
)


@functools.cache
def layout() -> Layout:
    """Return the board: slots are south's holes, north's holes, south's store, north's store."""
    first_hole = _LEFT + _STORE_WIDTH
    shapes: list[Shape] = [
        Path(rounded(0, 0, _WIDTH, _HEIGHT, 0), fill=PAPER),
        Path(
            rounded(_LEFT, _TOP, _WIDTH - 2 * _LEFT, _BOARD_HEIGHT, 0.4),
            fill=WOOD,
            stroke=EDGE,
            width=0.06,
        ),
    ]
    slots: dict[tuple[int, int], Slot] = {}
    for player, row, label_y in ((NORTH, 0, _TOP - 0.12), (SOUTH, 1, _TOP + _BOARD_HEIGHT + 0.3)):
        for col, (_, hole) in enumerate(row_of(player)):
            x, y = first_hole + col, _TOP + 0.03 + row * _HOLE_HEIGHT
            letter = HOLE_LETTERS[player][hole]
            center = (x + _PIT_X, y + _PIT_Y)
            slots[player, hole] = Slot(
                letter, x, y, 1.0, _HOLE_HEIGHT, center, f"hole-{row}", HIGHLIGHTED
            )
            shapes += (
                Ellipse(*center, _PIT_RADIUS, fill=PIT, stroke=EDGE, width=0.04),
                Text(x + 0.5, label_y, letter, 0.27, bold=True, fill=INK),
            )
    stores = []
    for x, name in ((_WIDTH - _LEFT - _STORE_WIDTH, "south"), (_LEFT, "north")):
        shapes += (
            Path(rounded(x + 0.1, _TOP + 0.1, 0.9, 2.7, 0.3), fill=PIT, stroke=EDGE, width=0.04),
            Text(x + 0.55, _TOP - 0.12, name.capitalize(), 0.25, bold=True, fill=INK),
        )
        room = (x, _TOP, _STORE_WIDTH, _BOARD_HEIGHT)
        center = (x + 0.55, _TOP + 1.3)
        stores.append(Slot(f"{name}'s store", *room, center, f"store-{name}", HIGHLIGHTED_STORE))
    in_order = [slots[player, hole] for player in (SOUTH, NORTH) for hole in range(NUM_HOLES)]
    rows = (
        ("North's holes, a to f", tuple(range(NUM_HOLES, 2 * NUM_HOLES))),
        ("South's holes, A to F", tuple(range(NUM_HOLES))),
        ("Stores of south and north", (2 * NUM_HOLES, 2 * NUM_HOLES + 1)),
    )
    ground = Symbol("board-mancala", tuple(shapes), "", _WIDTH, _HEIGHT)
    return Layout(_WIDTH, _HEIGHT, _HEIGHT - 0.45, ground, (*in_order, *stores), rows)


def scene(position: Position, last: LastMove | None, legal_moves: bool) -> Scene:
    """Return the drawing of a position, as `mammalath_env.rendering.DrawScene` describes it."""
    view = MancalaView(position, last)
    left, right = _LEFT + 0.1, _WIDTH - _LEFT - 0.1
    # Shorter than in the sentence, for lack of space.
    brief = view.move + (", would starve" if view.starving else view.capture)
    return Scene(
        layout=layout(),
        contents=tuple(_contents(view, legal_moves)),
        captions=caption_line(left, right, _HEIGHT - 0.4, view.status, brief, _LAST_WIDTH),
        status=view.status,
        move=f"{view.mover.capitalize()} sowed {view.move}{view.capture}" if view.move else "",
    )


def marks(position: Position, action: int) -> Marks:
    """Return the hole to sow, and an arrow to the hole of the last seed."""
    effect: MancalaEffect = position.effect(action)
    (player, hole), (end, last) = effect.hole, effect.sown[-1][0]
    origin = HOLE_LETTERS[player][hole]
    return Marks((origin,), ((origin, HOLE_LETTERS[end][last]),))


def _contents(view: MancalaView, legal_moves: bool) -> Iterator[tuple[Symbol, ...]]:
    """Yield the symbols in the holes and stores, in the order of the slots."""
    legal = view.position.legal_actions() if legal_moves else []
    for at in view.seeds:
        found = [seeds(view.seeds[at])]
        if view.sown[at]:
            found.append(sown(view.sown[at]))
        if at in view.captured:
            found.append(gone("captured", view.captured[at]))
        if at in view.taken:
            found.append(gone("taken", view.taken[at]))
        player, hole = at
        if player == view.position.to_move and hole in legal:
            found.append(MAY_SOW)
        yield tuple(found)
    for player in (SOUTH, NORTH):
        found = [store(view.stores[player])]
        if view.outcome is not None and view.outcome.winner == player:
            found.append(WON_STORE)
        if view.gained[player]:
            found.append(gained(view.gained[player]))
        yield tuple(found)
