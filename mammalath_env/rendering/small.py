"""Small pictures for terminals: the board alone, with the signs of the large picture."""

from __future__ import annotations

from typing import SupportsIndex

from mammalath_env.core.game import Game
from mammalath_env.core.position import LastMove, Position
from mammalath_env.games.mammalath.game import MammalathGame
from mammalath_env.games.mancala.effect import Hole
from mammalath_env.games.mancala.game import MancalaGame
from mammalath_env.games.mancala.text import HOLE_LETTERS
from mammalath_env.rendering import mammalath, mancala, render_ansi
from mammalath_env.rendering.mammalath_view import MammalathView
from mammalath_env.rendering.mancala_view import NORTH, SOUTH, MancalaView, row_of

_MANCALA_WIDTH = 47
_EMPTY = " .   "
_SIGNS = {
    MammalathGame: "● black, ○ white, [ ] placed, < > swapped, "
    f"{mammalath.RELEASED}a released, ★ wins, ! loses",
    MancalaGame: f"-4 sown from, +1 sown into, {mancala.CAPTURED_SIGN}2 captured, "
    f"{mancala.TAKEN_SIGN}2 taken at the end",
}
_ASCII = {MammalathGame: mammalath.ASCII, MancalaGame: mancala.ASCII}


def render_small(
    position: Position,
    previous: Position | None = None,
    action: SupportsIndex | None = None,
    *,
    width: int = 79,
    ascii_only: bool = False,
) -> str:
    """Return the board alone, at most 49 columns and 9 lines for the games of the package.

    In narrow terminals it has smaller spaces, and 34 columns at most. It never has fewer than 26.

    A game that has no such picture gets that of `render_ansi`.

    Args:
        position: The position, running or finished.
        previous: The position before it, to mark the last move; goes together with `action`.
        action: The action that led from `previous` to `position`.
        width: Columns that there is room for.
        ascii_only: Use ASCII characters only.
    """
    last = None if previous is None or action is None else (previous, int(action))
    if isinstance(position.game, MammalathGame):
        lines = _mammalath(position, last, width)
    elif isinstance(position.game, MancalaGame):
        lines = _mancala(position, last, width)
    else:
        return render_ansi(position, *last or (None, None), color=False, ascii_only=ascii_only)
    text = "\n".join(line.rstrip() for line in lines)
    return text.translate(_ASCII[type(position.game)]) if ascii_only else text


def signs(game: Game, *, ascii_only: bool = False) -> str:
    """Return a line that explains the signs of `render_small`, empty for other games."""
    text = _SIGNS.get(type(game), "")
    return text.translate(_ASCII[type(game)]) if ascii_only and text else text


def _mammalath(position: Position, last: LastMove | None, width: int) -> list[str]:
    """Return the lines of the board, five characters a space: ``[A!●]``.

    Where there is no room for the fifth, it is left out.
    """
    view = MammalathView(position, last)
    size = view.game.config.size
    each = 5 if 2 + 5 * size <= width else 4
    lines = ["  " + "".join(f" {chr(ord('a') + col):<{each - 1}}" for col in range(size))]
    for row in range(size):
        spaces = range(row * size, (row + 1) * size)
        drawn = [mammalath.draw_space(view, space).plain for space in spaces]
        cells = [(cell if cell.strip() else _EMPTY)[:each] for cell in drawn]
        lines.append(f"{row + 1} {''.join(cells)}")
    return lines


def _mancala(position: Position, last: LastMove | None, width: int) -> list[str]:
    """Return the lines of the two rows, with the change by the last move below each hole.

    Where there is no room beside the rows, the stores stand below, and holes are narrower.
    """
    view = MancalaView(position, last)
    name_width, each = 6, 5
    below = width < _MANCALA_WIDTH
    if below and name_width + 6 * each > width:
        name_width, each = 5, 4
    lines = []
    for player in (NORTH, SOUTH):
        holes = row_of(player)
        cells = [
            (HOLE_LETTERS[player][hole], view.seeds[player, hole], _change(view, (player, hole)))
            for _, hole in holes
        ]
        letters, seeds, changes = (
            "".join(f"{cell:>{each}}" for cell in row) for row in zip(*cells, strict=True)
        )
        lines += [
            f"{'':{name_width}}{letters}",
            f"{view.game.player_names[player]:{name_width}}{seeds}"
            + ("" if below else f"   store {view.stores[player]}"),
            f"{'':{name_width}}{changes}",
        ]
    if below:
        lines.append(f"stores: north {view.stores[NORTH]}, south {view.stores[SOUTH]}")
    return [line for line in lines if line.strip()]


def _change(view: MancalaView, hole: Hole) -> str:
    """Return what the last move did to a hole."""
    if hole in view.captured:
        return f"{mancala.CAPTURED_SIGN}{view.captured[hole]}"
    if hole in view.taken:
        return f"{mancala.TAKEN_SIGN}{view.taken[hole]}"
    return f"{view.sown[hole]:+}" if view.sown[hole] else ""
