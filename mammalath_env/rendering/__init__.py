"""Pictures of positions.

Pictures are pure: a position goes in, text or pixels come out, and nothing is printed. The drawing
code of a game is imported by the first picture of that game.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TextIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core.checks import checked_integer, unknown_choice
from mammalath_env.core.game import Game
from mammalath_env.core.position import LastMove, Position

if TYPE_CHECKING:
    from rich.console import RenderableType

    from mammalath_env.rendering.scene import Marks, Scene

    Picture = Callable[[Position, "LastMove | None", bool], RenderableType]
    """Draws a position: the position, the move that led to it if known, and whether to use ASCII
    characters only. The result is at most `mammalath_env.rendering.console.WIDTH` columns wide;
    what rich gives it as ``options.max_width`` may be less. Raises TypeError for a position of
    another game."""

    DrawScene = Callable[[Position, "LastMove | None", bool], Scene]
    """Draws a position for pixels and SVG: the position, the move that led to it if known, and
    whether to mark the legal moves. Raises TypeError for a position of another game."""

Ply: TypeAlias = tuple[Position, "Position | None", "int | None"]
"""A position, the position before and the action that led from it; both None for a start."""

# name of the game: its terminal picture, as "module:function"
PICTURES: dict[str, str] = {
    "mammalath": "mammalath_env.rendering.mammalath:draw",
    "mammalath_plus": "mammalath_env.rendering.mammalath:draw",
    "mancala": "mammalath_env.rendering.mancala:draw",
}

# name of the game: its drawing for pixels and SVG, as "module:function"
SCENES: dict[str, str] = {
    "mammalath": "mammalath_env.rendering.mammalath_board:scene",
    "mammalath_plus": "mammalath_env.rendering.mammalath_board:scene",
    "mancala": "mammalath_env.rendering.mancala_board:scene",
}

# name of the game: what marks a move that may be made, as "module:function"; it may lack one
MOVE_MARKS: dict[str, str] = {
    "mammalath": "mammalath_env.rendering.mammalath_board:marks",
    "mammalath_plus": "mammalath_env.rendering.mammalath_board:marks",
    "mancala": "mammalath_env.rendering.mancala_board:marks",
}

DEFAULT_SIZE = 480
SIZES = range(64, 4097)
"""Widths of a picture in pixels: the default one, and the allowed ones."""


def picture_of(game: Game) -> Picture:
    """Return the function that draws positions of `game` for a terminal.

    Raises:
        ValueError: The game has no picture.
    """
    picture: Picture = _find(PICTURES, game)
    return picture


def scene_of(
    position: Position,
    previous: Position | None = None,
    action: SupportsIndex | None = None,
    *,
    legal_moves: bool = False,
    highlights: Iterable[str] = (),
    arrows: Iterable[tuple[str, str]] = (),
) -> Scene:
    """Return the description of a drawing, for the back ends; arguments as for `render_svg`."""
    draw_scene: DrawScene = _find(SCENES, position.game)
    scene = draw_scene(position, _last_move(position, previous, action), legal_moves)
    return scene.marked(_checked_names("highlights", highlights), _checked_names("arrows", arrows))


def marks_of(position: Position, action: int) -> Marks:
    """Return the highlights and arrows that show a legal move, none for a game without any."""
    from mammalath_env.rendering.scene import Marks

    if position.game.name not in MOVE_MARKS:
        return Marks()
    marks: Marks = _find(MOVE_MARKS, position.game)(position, action)
    return marks


def _checked_names(what: str, given: Iterable[Any]) -> tuple[Any, ...]:
    """Return names of spaces, or pairs of them, as a tuple.

    Raises:
        TypeError: `given` is not iterable.
        ValueError: It is a text, whose letters are no names.
    """
    if isinstance(given, str):
        raise ValueError(f"{what} must be a list, not the text {given!r}")
    if not isinstance(given, Iterable):
        raise TypeError(f"{what} must be a list, not {given!r}")
    return tuple(given)


def with_last_moves(positions: Sequence[Position], actions: Sequence[int]) -> list[Ply]:
    """Return the positions of a game, each with the position before and the action played there."""
    return [(positions[0], None, None), *zip(positions[1:], positions, actions, strict=False)]


def _find(table: dict[str, str], game: Game) -> Any:
    """Return the function of `game` in a table.

    Raises:
        ValueError: It has none.
    """
    if game.name not in table:
        raise ValueError(unknown_choice("picture", game.name, table))
    module_name, _, function = table[game.name].partition(":")
    return getattr(importlib.import_module(module_name), function)


def checked_size(size: SupportsIndex) -> int:
    """Return the width of a picture as an int.

    Raises:
        TypeError: `size` is not an integer.
        ValueError: It is not in `SIZES`.
    """
    return checked_integer("the size of a picture in pixels", size, SIZES[0], SIZES[-1])


def render_svg(
    position: Position,
    previous: Position | None = None,
    action: SupportsIndex | None = None,
    *,
    size: SupportsIndex | None = None,
    legal_moves: bool = False,
    highlights: Iterable[str] = (),
    arrows: Iterable[tuple[str, str]] = (),
) -> str:
    """Return a picture of `position` as an SVG document; arguments as for `Position.to_svg`.

    Raises:
        ValueError, TypeError: As for `Position.to_svg`, or the game has no picture.
    """
    from mammalath_env.rendering.svg import to_svg

    width = None if size is None else checked_size(size)
    marks: Any = {"legal_moves": legal_moves, "highlights": highlights, "arrows": arrows}
    return to_svg(scene_of(position, previous, action, **marks), width)


def notebook_svg(position: Position) -> str | None:
    """Return the picture that notebooks show, `DEFAULT_SIZE` pixels wide or as wide as there is.

    None for a game without pictures.
    """
    from mammalath_env.rendering.svg import to_svg

    if position.game.name not in SCENES:
        return None
    return to_svg(scene_of(position), DEFAULT_SIZE, may_shrink=True)


def render_rgb(
    position: Position,
    previous: Position | None = None,
    action: SupportsIndex | None = None,
    *,
    size: SupportsIndex = DEFAULT_SIZE,
    legal_moves: bool = False,
    highlights: Iterable[str] = (),
    arrows: Iterable[tuple[str, str]] = (),
) -> NDArray[np.uint8]:
    """Return a picture of `position` as pixels; arguments as for `Position.to_svg`.

    The width must be one of `SIZES`. The height is the same for Mammalath, half of it for Mancala.

    Returns:
        A new uint8[height, width, 3], red, green and blue.

    Raises:
        ValueError, TypeError: As for `Position.to_svg`, or the game has no picture.
    """
    # The first picture loads Pillow.
    from mammalath_env.rendering.raster import rasterize

    width = checked_size(size)
    marks: Any = {"legal_moves": legal_moves, "highlights": highlights, "arrows": arrows}
    return rasterize(scene_of(position, previous, action, **marks), width)


def render_ansi(
    position: Position,
    previous: Position | None = None,
    action: int | None = None,
    *,
    color: bool | None = None,
    ascii_only: bool = False,
    width: SupportsIndex | None = None,
) -> str:
    """Return a picture of `position` for a terminal.

    Args:
        position: The position, running or finished.
        previous: The position before it, to mark the last move; needs `action`.
        action: The action that led from `previous` to `position`.
        color: Whether to add escape codes for colours, which only repeat what the characters say.
            None adds them if standard output is a terminal, and its ``TERM`` is not ``dumb``;
            before that, the environment variable ``NO_COLOR`` says no and ``FORCE_COLOR`` yes.
        ascii_only: Use ASCII characters only, and never colours.
        width: Most columns, at least 20; None for 79, which all pictures fit into. In less room
            the facts are below the board, then the board is smaller, and at last the position is
            given as text.

    Returns:
        Lines without spaces at their ends, and without a line break at the end.

    Raises:
        ValueError: Only one of `previous` and `action` is given, `action` does not lead from
            `previous` to `position`, `width` is below 20, or the game has no picture.
        TypeError: `action` or `width` is not an integer, or `previous` is not a position.
    """
    # The first picture loads rich, not the import of this package.
    from mammalath_env.rendering.console import LEAST_WIDTH, WIDTH, to_text, wants_color

    columns = WIDTH if width is None else checked_integer("width", width, LEAST_WIDTH)
    last = _last_move(position, previous, action)
    picture = picture_of(position.game)
    return to_text(
        picture(position, last, ascii_only),
        color=not ascii_only and (wants_color(sys.stdout) if color is None else color),
        width=min(columns, WIDTH),
    )


def render_for(
    stream: TextIO | None,
    position: Position,
    previous: Position | None = None,
    action: int | None = None,
    *,
    ascii_only: bool = False,
) -> str:
    """Return a picture as `stream` can show it: its width, its colours and its characters.

    Other arguments, what is returned and raised are as for `render_ansi`. The width is that of
    the terminal, or that of the environment variable ``COLUMNS``. A stream whose encoding lacks a
    character of the picture gets ASCII.
    """
    from mammalath_env.rendering.console import wants_color, width_of

    width = width_of(stream)
    if ascii_only:
        return render_ansi(position, previous, action, ascii_only=True, width=width)
    color = wants_color(stream)
    return render_encodable(stream, position, previous, action, color=color, width=width)


def render_encodable(
    stream: TextIO | None,
    position: Position,
    previous: Position | None = None,
    action: int | None = None,
    *,
    color: bool | None = None,
    width: int | None = None,
) -> str:
    """Return a picture in characters that `stream` can encode, in ASCII if need be.

    Other arguments, what is returned and raised are as for `render_ansi`.
    """
    from mammalath_env.rendering.console import can_encode

    drawn = render_ansi(position, previous, action, color=color, width=width)
    if can_encode(stream, drawn):
        return drawn
    return render_ansi(position, previous, action, ascii_only=True, width=width)


def _last_move(
    position: Position, previous: Position | None, action: SupportsIndex | None
) -> LastMove | None:
    """Return the last move if it is given.

    Raises:
        ValueError: Only half of it is given, or it does not lead to `position`.
        TypeError: `previous` is not a position, or `action` not an integer.
    """
    if previous is None and action is None:
        return None
    if previous is None or action is None:
        given, missing = ("action", "previous") if previous is None else ("previous", "action")
        raise ValueError(f"previous and action go together: {given} is given, {missing} is not")
    if not isinstance(previous, Position):
        raise TypeError(f"previous must be a position, not {previous!r}")
    if previous.game != position.game:
        raise ValueError(
            f"previous is a position of another game: {previous.game!r}, not {position.game!r}"
        )
    if previous.play(action) != position:
        move = previous.move_text(action)
        raise ValueError(
            f"{move} (action {action}) leads from {previous.to_text()!r} "
            f"to another position than {position.to_text()!r}"
        )
    return previous, previous.game.check_action(action, previous)


__all__ = ["PICTURES", "SCENES", "render_ansi", "render_for", "render_rgb", "render_svg"]


def __dir__() -> list[str]:
    return __all__
