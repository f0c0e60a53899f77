"""The board of Mammalath and Mammalath Plus as a scene, `a1` at the top left."""

from __future__ import annotations

import dataclasses
import functools

from mammalath_env.core.grid import space_name
from mammalath_env.core.position import LastMove, Position
from mammalath_env.games.mammalath.config import ANIMAL_NAMES
from mammalath_env.games.mammalath.effect import MammalathEffect
from mammalath_env.games.mammalath.game import MammalathGame
from mammalath_env.games.mammalath.state import PLAYERS
from mammalath_env.rendering.animals import COLORS, HEADS
from mammalath_env.rendering.mammalath_view import MammalathView
from mammalath_env.rendering.scene import (
    HIGHLIGHT,
    INK,
    PAPER,
    STAR,
    WON,
    Caption,
    Count,
    Layout,
    Marks,
    Scene,
    Slot,
    caption_line,
)
from mammalath_env.rendering.shapes import (
    Ellipse,
    Path,
    Polygon,
    Shape,
    Symbol,
    Text,
    mixed,
    path,
    placed,
    rounded,
)

FRAME = "#57463a"
SPACE = "#d8cab0"
LOST = "#e0262d"
MOVED = "#ffb000"
MARKED = "#0b8f9c"
TOKEN_COLORS = (("#232228", "#000000", "#56545e"), ("#fffefa", "#7d7467", "#cfc7b8"))
"""Inside, rim and ring of a token of black, of white."""

_LEFT, _TOP, _BOTTOM = 0.55, 0.5, 0.6
_LAST_WIDTH = 1.4
_TILE = rounded(0.03, 0.03, 0.94, 0.94, 0.12)


def _tile(animal: int) -> Symbol:
    color = COLORS[animal]
    letter = ANIMAL_NAMES[animal][0].upper()
    return Symbol(
        f"tile-{letter.lower()}",
        (
            Path(_TILE, fill=mixed(color, "#f7f1e4", 0.55)),
            Text(0.11, 0.195, letter, 0.18, bold=True, fill=mixed(color, "#201a16", 0.72)),
        ),
    )


def _head(animal: int, scale: float) -> tuple[Shape, ...]:
    """Return an animal in the middle of a space; a large one a little lower, below its letter."""
    lower = 0.02 if scale > 0.7 else 0.0
    return placed(HEADS[animal], 0.5 - scale / 2 + lower, 0.5 - scale / 2 + lower, scale / 100)


def _animal(animal: int, suffix: str, scale: float) -> Symbol:
    name = ANIMAL_NAMES[animal]
    return Symbol(f"animal-{name[0]}{suffix}", _head(animal, scale), name)


def _rimmed(
    data: str, color: str = MOVED, width: float = 0.09, rim: str = INK, rim_width: float = 0.15
) -> tuple[Shape, ...]:
    """Return lines over wider ones of another colour."""
    lines = path(data)
    return (Path(lines, stroke=rim, width=rim_width), Path(lines, stroke=color, width=width))


def _ghost(animal: int) -> Symbol:
    """Return an animal that was released."""
    faded = tuple(
        dataclasses.replace(
            shape,
            fill=shape.fill and mixed(shape.fill, SPACE, 0.62),
            stroke=shape.stroke and mixed(shape.stroke, SPACE, 0.62),
        )
        for shape in _head(animal, 0.72)
    )
    name = ANIMAL_NAMES[animal]
    cross = _rimmed("M.62 .62L.9 .9M.9 .62L.62 .9")
    return Symbol(f"released-{name[0]}", (*faded, *cross), f"{name} released")


def _token(player: int, under_animal: bool) -> Symbol:
    inside, rim, ring = TOKEN_COLORS[player]
    name, label = f"token-{PLAYERS[player]}", f"{PLAYERS[player]} token"
    if under_animal:
        disc = Ellipse(0.5, 0.5, 0.43, fill=inside, stroke=rim, width=0.03)
        return Symbol(f"{name}-under", (disc,), label)
    return Symbol(
        name,
        (
            Ellipse(0.5, 0.5, 0.4, fill=inside, stroke=rim, width=0.03),
            Ellipse(0.5, 0.5, 0.29, stroke=ring, width=0.035),
        ),
        label,
    )


def _badge(color: str, *shapes: Shape) -> tuple[Shape, ...]:
    """Return a round badge in the lower right corner, with shapes on 20 by 20 inside."""
    disc = Ellipse(0.83, 0.83, 0.145, fill=color, stroke="#ffffff", width=0.025)
    return (disc, *placed(shapes, 0.83, 0.83, 0.01))


def _finish_ground(color: str) -> tuple[Shape, ...]:
    return (
        Path(_TILE, fill=color, opacity=0.5),
        Path(rounded(0.07, 0.07, 0.86, 0.86, 0.1), stroke=color, width=0.1),
    )


_ANIMALS = range(len(ANIMAL_NAMES))
TILES = tuple(map(_tile, _ANIMALS))
ANIMALS_ALONE = tuple(_animal(k, "", 0.76) for k in _ANIMALS)
ANIMALS_ON_TOKENS = tuple(_animal(k, "-on-token", 0.6) for k in _ANIMALS)
RELEASED = tuple(map(_ghost, _ANIMALS))
TOKENS = tuple(_token(player, False) for player in (0, 1))
TOKENS_UNDER = tuple(_token(player, True) for player in (0, 1))
WON_GROUND = Symbol("won-ground", _finish_ground(WON))
LOST_GROUND = Symbol("lost-ground", _finish_ground(LOST))
WON_BADGE = Symbol("won", _badge(WON, Path(path(STAR), fill="#ffffff")), "winning line")
LOST_BADGE = Symbol(
    "lost",
    _badge(
        LOST,
        Polygon(((-2.2, -10), (2.2, -10), (1.3, 3), (-1.3, 3)), fill="#ffffff"),
        Ellipse(0, 7, 2.2, fill="#ffffff"),
    ),
    "losing line",
)
_CORNERS = _rimmed(
    "M.06 .28L.06 .06L.28 .06M.72 .06L.94 .06L.94 .28"
    "M.94 .72L.94 .94L.72 .94M.28 .94L.06 .94L.06 .72"
)
PLACED = Symbol("placed", _CORNERS)
SWAPPED = Symbol(
    "swapped",
    (
        *_CORNERS,
        *_badge(
            INK,
            Path(path("M-8 -4L2 -4M8 4L-2 4"), stroke=MOVED, width=2.6),
            Polygon(((8, -4), (1, -9), (1, 1)), fill=MOVED),
            Polygon(((-8, 4), (-1, 9), (-1, -1)), fill=MOVED),
        ),
    ),
)
MAY_PLACE = Symbol(
    "may-place", (Ellipse(0.13, 0.87, 0.08, fill=MARKED, stroke="#ffffff", width=0.03),)
)
MAY_RELEASE = Symbol(
    "may-release", _rimmed("M.78 .1L.9 .22M.9 .1L.78 .22", MARKED, 0.05, "#ffffff", 0.1)
)
MAY_SWAP = Symbol("may-swap", (Ellipse(0.5, 0.5, 0.45, stroke=MARKED, width=0.07),))
HIGHLIGHTED = Symbol(
    "highlight",
    (
        Path(_TILE, fill=HIGHLIGHT, opacity=0.12),
        Path(rounded(0.06, 0.06, 0.88, 0.88, 0.1), stroke=HIGHLIGHT, width=0.07),
    ),
)


@functools.cache
def layout(size: int) -> Layout:
    """Return the board with `size` rows and columns."""
    width, height = size + 2 * _LEFT, size + _TOP + _BOTTOM
    shapes: list[Shape] = [
        Path(rounded(0, 0, width, height, 0), fill=PAPER),
        Path(
            rounded(_LEFT - 0.08, _TOP - 0.08, size + 0.16, size + 0.16, 0.16),
            fill=FRAME,
        ),
    ]
    slots = []
    for space in range(size * size):
        row, col = divmod(space, size)
        x, y = _LEFT + col, _TOP + row
        shapes += placed((Path(_TILE, fill=SPACE),), x, y)
        slots.append(
            Slot(space_name(space, size), x, y, 1.0, 1.0, (x + 0.5, y + 0.5), "space", HIGHLIGHTED)
        )
    for k in range(size):
        middle = k + 0.5
        shapes += (
            Text(_LEFT + middle, _TOP - 0.16, chr(ord("a") + k), 0.27, bold=True, fill=INK),
            Text(_LEFT / 2 - 0.04, _TOP + middle + 0.1, str(k + 1), 0.27, bold=True, fill=INK),
        )
    rows = tuple((str(row + 1), tuple(range(row * size, (row + 1) * size))) for row in range(size))
    ground = Symbol(f"board-{size}", tuple(shapes), "", width, height)
    return Layout(width, height, _TOP + size + 0.2, ground, tuple(slots), rows)


def scene(position: Position, last: LastMove | None, legal_moves: bool) -> Scene:
    """Return the drawing of a position, as `mammalath_env.rendering.DrawScene` describes it."""
    view = MammalathView(position, last)
    board = layout(view.game.config.size)
    contents = [_contents(view, space) for space in range(len(board.slots))]
    if legal_moves:
        _mark_legal_moves(view, contents)
    return Scene(
        layout=board,
        contents=tuple(map(tuple, contents)),
        captions=_captions(view, board),
        status=view.status,
        move="" if last is None else _move(view, last[1]),
        counts=_counts(view.game.config.num_tokens, len(view.game.config.letters)),
    )


@functools.cache
def _counts(num_tokens: int, num_types: int) -> tuple[Count, ...]:
    """Return what is counted: the tokens beside the board, the animals on it."""
    tokens = (Count(f"{name} tokens", f"{name} token", num_tokens) for name in PLAYERS)
    return (*tokens, *(Count(name, name) for name in ANIMAL_NAMES[:num_types]))


def _contents(view: MammalathView, space: int) -> list[Symbol]:
    """Return the symbols on a space, from back to front."""
    found = []
    animal, token = view.animals.get(space), view.tokens.get(space)
    finished = space in view.finished
    if animal is not None:
        found.append(TILES[animal])
    if finished:
        found.append(LOST_GROUND if view.lost else WON_GROUND)
    if token is not None:
        found.append((TOKENS if animal is None else TOKENS_UNDER)[token])
    if animal is not None:
        found.append((ANIMALS_ALONE if token is None else ANIMALS_ON_TOKENS)[animal])
    if space in view.released:
        found.append(RELEASED[view.released[space]])
    if space == view.effect.placed:
        found.append(PLACED)
    if space == view.effect.swapped:
        found.append(SWAPPED)
    if finished:
        found.append(LOST_BADGE if view.lost else WON_BADGE)
    return found


def _mark_legal_moves(view: MammalathView, contents: list[list[Symbol]]) -> None:
    """Mark where the player to move may place, release and swap."""
    in_lines: set[int] = set()
    for action in view.position.legal_actions():
        kind, index = view.game.codec.decode(action)
        if kind == "place":
            contents[index].append(MAY_PLACE)
        elif kind == "pattern":
            in_lines.update(view.game.patterns[index])
        elif kind == "swap":
            for space in view.tokens:
                contents[space].append(MAY_SWAP)
    for space in sorted(in_lines):
        contents[space].append(MAY_RELEASE)


def _move(view: MammalathView, action: int) -> str:
    """Return the last move as a sentence without its full stop."""
    mover = view.mover.capitalize()
    kind, index = view.game.codec.decode(action)
    if kind == "place":
        return f"{mover} placed a token on {view.move}"
    if kind == "type":
        return f"{mover} released type {view.move[1:]}, {ANIMAL_NAMES[index]}"
    if kind == "pattern":
        return f"{mover} released the animals on {view.move[1:].replace('-', ' to ')}"
    (space,) = view.tokens
    return f"{mover} swapped the token on {space_name(space, view.game.config.size)}"


def marks(position: Position, action: int) -> Marks:
    """Return the spaces of a move, and an arrow from end to end of a line or square."""
    effect: MammalathEffect = position.effect(action)
    spaces = [effect.placed, effect.swapped, *(space for space, _ in effect.released)]
    size = position.game.config.size if isinstance(position.game, MammalathGame) else 0
    names = tuple(space_name(space, size) for space in spaces if space is not None)
    tail, dash, head = position.move_text(action)[1:].partition("-")
    return Marks(names, ((tail, head),) if dash else ())


def _captions(view: MammalathView, board: Layout) -> tuple[Caption, ...]:
    """Return the line below the board: a token, who is next or who won, and the last move."""
    y = board.height - 0.45
    right = _LEFT + view.game.config.size
    line = caption_line(_LEFT + 0.4, right, y, view.status, view.move, _LAST_WIDTH)
    if view.player is None:
        return line
    inside, rim, _ = TOKEN_COLORS[view.player]
    disc = Ellipse(0.17, 0.17, 0.14, fill=inside, stroke=rim, width=0.02)
    name = f"small-token-{PLAYERS[view.player]}"
    return (Caption(Symbol(name, (disc,), "", 0.34, 0.34), _LEFT, y + 0.01), *line)
