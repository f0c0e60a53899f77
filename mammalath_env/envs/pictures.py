"""Render modes of the environments; drawing code is imported when a picture is requested."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from numpy.typing import NDArray

from mammalath_env.core.checks import checked_integer
from mammalath_env.core.position import LastMove, Position

RENDER_MODES = ("human", "ansi", "rgb_array")
BATCH_RENDER_MODES = ("rgb_array",)
RENDER_FPS = 2


def checked_render_size(render_size: SupportsIndex) -> int:
    """Return the width of pictures in pixels as an int.

    Raises:
        TypeError: It is not an integer.
        ValueError: Pictures cannot be so small or so large.
    """
    from mammalath_env.rendering import checked_size

    return checked_size(render_size)


def warn_without_mode() -> None:
    """Warn that `render` does nothing without a render mode."""
    gymnasium.logger.warn(
        "render() does nothing without a render_mode, which the constructor takes"
    )


def draw(
    render_mode: str | None, render_size: int, position: Position, last: LastMove | None
) -> Any:
    """Draw a position and the move that led to it.

    Returns:
        Text in mode ``"ansi"``, a new uint8[height, width, 3] in mode ``"rgb_array"``. Mode
        ``"human"`` prints the text; without a mode there is a warning.
    """
    if render_mode is None:
        warn_without_mode()
        return None
    from mammalath_env.rendering import render_encodable, render_for, render_rgb

    previous, action = (None, None) if last is None else last
    if render_mode == "rgb_array":
        return render_rgb(position, previous, action, size=render_size)
    if render_mode == "ansi":
        return render_encodable(sys.stdout, position, previous, action)
    print(render_for(sys.stdout, position, previous, action))
    return None


def checked_lanes(lanes: Iterable[SupportsIndex] | None, num_lanes: int) -> list[int]:
    """Return the numbers of the lanes to draw, all of them for None.

    Raises:
        TypeError: They are not integers.
        IndexError: There is no such lane.
        ValueError: There are none.
    """
    if lanes is None:
        return list(range(num_lanes))
    if isinstance(lanes, str) or not isinstance(lanes, Iterable):
        raise TypeError(f"lanes must be integers, not {lanes!r}")
    chosen = [checked_integer("a lane", lane) for lane in lanes]
    if not chosen:
        raise ValueError("a grid of pictures needs at least one lane")
    for lane in chosen:
        if not 0 <= lane < num_lanes:
            raise IndexError(f"a lane must be 0 to {num_lanes - 1}, not {lane}")
    return chosen


def checked_columns(columns: SupportsIndex | None, num_pictures: int) -> int:
    """Return how many pictures stand side by side; None for about as many as there are rows.

    Raises:
        TypeError: `columns` is not an integer.
        ValueError: It is less than 1.
    """
    if columns is None:
        return math.ceil(math.sqrt(num_pictures))
    return min(checked_integer("columns", columns, 1), num_pictures)


def tiled(pictures: Sequence[NDArray[np.uint8]], columns: int) -> NDArray[np.uint8]:
    """Return pictures of one size side by side, row after row.

    Args:
        pictures: Each uint8[height, width, 3]; at least one.
        columns: How many stand in a row.
    """
    height, width, _ = pictures[0].shape
    rows = -(-len(pictures) // columns)
    # Empty places in the last row get the background colour.
    grid = np.empty((rows * height, columns * width, 3), np.uint8)
    grid[:] = pictures[0][0, 0]
    for k, picture in enumerate(pictures):
        top, left = k // columns * height, k % columns * width
        grid[top : top + height, left : left + width] = picture
    return grid
