"""Pictures of positions.

Pictures are pure: a position goes in, a string comes out, and nothing is printed. The drawing of
each game is imported when a picture of that game is asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from mammalath_env.core.errors import choose_from
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position

if TYPE_CHECKING:
    from rich.console import RenderableType

    Picture = Callable[[Position, "LastMove | None", bool], RenderableType]
    """Draws a position: the position, the move that led to it if known, and whether to use ASCII
    characters only. The result is at most `mammalath_env.rendering.console.WIDTH` columns wide."""

LastMove = tuple[Position, int]
"""A position and the action that was played in it."""

# name of the game: its terminal picture, as "module:function"
PICTURES: dict[str, str] = {
    "mammalath": "mammalath_env.rendering.mammalath:draw",
    "mammalath_plus": "mammalath_env.rendering.mammalath:draw",
    "mancala": "mammalath_env.rendering.mancala:draw",
}


def picture_of(game: Game) -> Picture:
    """Return the function that draws positions of `game` for a terminal.

    Raises:
        ValueError: The game has no picture.
    """
    if game.name not in PICTURES:
        raise ValueError(choose_from("picture", game.name, PICTURES))
    module_name, _, function = PICTURES[game.name].partition(":")
    return cast("Picture", getattr(importlib.import_module(module_name), function))


def render_ansi(
    position: Position,
    previous: Position | None = None,
    action: int | None = None,
    *,
    color: bool | None = None,
    ascii_only: bool = False,
) -> str:
    """Return a picture of `position` for a terminal, at most 79 columns wide.

    Args:
        position: What to draw, running or finished.
        previous: The position before it, to mark the last move; goes together with `action`.
        action: The action that led from `previous` to `position`.
        color: Whether to add the escape codes of colours; they say nothing that the characters do
            not say. None adds them unless the environment variable ``NO_COLOR`` is set and not
            empty.
        ascii_only: Use ASCII characters only, and no colours whatever `color` says.

    Returns:
        Lines without spaces at their ends, and without a line break at the end.

    Raises:
        ValueError: Only one of `previous` and `action` is given, `action` does not lead from
            `previous` to `position`, or the game has no picture.
        TypeError: `action` is not an integer.
    """
    # Whoever imports this package need not draw anything: rich is loaded by the first picture.
    from mammalath_env.rendering.console import to_text, wants_color

    last = _last_move(position, previous, action)
    picture = picture_of(position.game)
    return to_text(
        picture(position, last, ascii_only),
        color=not ascii_only and (wants_color() if color is None else color),
    )


def _last_move(
    position: Position, previous: Position | None, action: int | None
) -> LastMove | None:
    """Return the last move if it is given and is one.

    Raises:
        ValueError: It is given in part, or leads elsewhere.
    """
    if previous is None and action is None:
        return None
    if previous is None or action is None:
        given, missing = ("action", "previous") if previous is None else ("previous", "action")
        raise ValueError(f"previous and action go together: {given} is given, {missing} is not")
    if previous.game != position.game:
        raise ValueError(
            f"previous is a position of another game: {previous.game!r}, not {position.game!r}"
        )
    if previous.play(action) != position:
        move = previous.game.format_move(action, previous)
        raise ValueError(
            f"{move} (action {action}) leads from {previous.to_text()!r} "
            f"to another position than {position.to_text()!r}"
        )
    return previous, previous.game.check_action(action, previous)
