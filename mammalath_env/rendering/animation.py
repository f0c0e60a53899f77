"""Games as animated pictures, with Pillow."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mammalath_env.core.checks import checked_number
from mammalath_env.core.position import Position
from mammalath_env.rendering import DEFAULT_SIZE, render_rgb, scene_of
from mammalath_env.rendering.shapes import Symbol

_COLORS = 256
_LAST_FRAMES = 4
"""How much longer the last picture stays than the others."""
_LONGEST = 65535
"""Hundredths of a second that a file can let a picture stay."""


def render_gif(
    positions: Sequence[Position],
    actions: Sequence[int],
    *,
    size: int = DEFAULT_SIZE,
    seconds: float = 1.0,
) -> bytes:
    """Return a game as an animated GIF that starts over at its end.

    Args:
        positions: From the start to the end, one more than there are actions.
        actions: What was played.
        size: Width in pixels.
        seconds: How long each position stays, in steps of a hundredth; the last one stays
            four times as long, but never longer than 655.35 seconds.

    Raises:
        TypeError: `size` is not an integer, or `seconds` is not a number.
        ValueError: There is no position, an action does not lead to the next one, or `size` or
            `seconds` is impossible.
    """
    if len(positions) != len(actions) + 1:
        raise ValueError(f"{len(actions)} actions lead to {len(positions)} positions")
    seconds = checked_number("seconds", seconds, 0.02, 600)

    def turn(ply: int) -> tuple[Position] | tuple[Position, Position, int]:
        position = positions[ply]
        return (position, positions[ply - 1], actions[ply - 1]) if ply else (position,)

    def colors(ply: int) -> NDArray[np.uint32]:
        red, green, blue = np.moveaxis(render_rgb(*turn(ply), size=size), -1, 0).astype(np.uint32)
        packed: NDArray[np.uint32] = red << 16 | green << 8 | blue
        return packed

    drawings = (scene_of(*turn(ply)).contents for ply in range(len(positions)))
    palette = _Palette(colors(ply) for ply in _with_something_new(drawings))
    # One after the other, since a long game of large frames takes much memory.
    drawn = (palette.image(colors(ply)) for ply in range(len(positions)))
    stay = round(seconds * 100)
    stays = [stay] * len(actions) + [min(stay * _LAST_FRAMES, _LONGEST)]
    file = io.BytesIO()
    next(drawn).save(
        file,
        "GIF",
        save_all=True,
        append_images=drawn,
        duration=[10 * hundredths for hundredths in stays],
        loop=0,
    )
    return file.getvalue()


def _with_something_new(drawings: Iterable[Sequence[Sequence[Symbol]]]) -> list[int]:
    """Return the numbers of the drawings that have a symbol that is in none before them."""
    seen: set[str] = set()
    found = []
    for number, slots in enumerate(drawings):
        names = {symbol.name for symbols in slots for symbol in symbols}
        if not names <= seen or number == 0:
            seen |= names
            found.append(number)
    return found


class _Palette:
    """Colours that suit all frames of a game: the same for all, so that nothing flickers.

    Pillow's own palettes go by the pixels of all frames together, and lose the colour of a mark
    that is seen for a ply of a long game; and it takes near colours for those that are there.
    """

    def __init__(self, frames: Iterable[NDArray[np.uint32]]) -> None:
        """Choose the colours that fill most of any one frame, uint32[height, width] each."""
        most: dict[int, int] = {}
        for frame in frames:
            found, counts = np.unique(frame, return_counts=True)
            for color, count in zip(found.tolist(), counts.tolist(), strict=True):
                most[color] = max(most.get(color, 0), count)
        chosen = sorted(most, key=lambda color: (-most[color], color))[:_COLORS]
        self._parts = _parts_of(np.array(chosen, np.uint32))
        # The number in the palette of every colour there is, and whether it was looked up yet.
        self._numbers = np.zeros(1 << 24, np.uint8)
        self._is_known = np.zeros(1 << 24, np.bool_)

    def image(self, frame: NDArray[np.uint32]) -> Image.Image:
        """Return a frame with the nearest of the colours everywhere."""
        new = np.unique(frame[~self._is_known[frame]])
        distances = (_parts_of(new)[:, None] - self._parts[None]) ** 2
        self._numbers[new] = distances.sum(axis=2).argmin(axis=1)
        self._is_known[new] = True
        image = Image.fromarray(self._numbers[frame])
        image.putpalette(self._parts.astype(np.uint8).tobytes())
        return image


def _parts_of(colors: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Return red, green and blue of colours, int32[colors, 3]."""
    return np.stack([colors >> 16, colors >> 8 & 255, colors & 255], axis=1).astype(np.int32)
