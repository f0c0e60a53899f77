"""Games as animated pictures, with Pillow."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mammalath_env.core.checks import checked_number
from mammalath_env.core.position import Position
from mammalath_env.rendering import DEFAULT_SIZE, Ply, render_rgb, scene_of, with_last_moves

_COLORS = 256
_LAST_FRAMES = 4
"""Frames for which the last picture stays."""
_LONGEST = 65535
"""Longest stay of a picture that the format allows, in hundredths of a second."""


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
        actions: The actions played.
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

    def packed(ply: Ply) -> NDArray[np.uint32]:
        red, green, blue = np.moveaxis(render_rgb(*ply, size=size), -1, 0).astype(np.uint32)
        colors: NDArray[np.uint32] = red << 16 | green << 8 | blue
        return colors

    plies = with_last_moves(positions, actions)
    palette = _Palette(map(packed, _with_new_symbols(plies)))
    # One at a time, since a long game of large frames takes much memory.
    drawn = (palette.image(packed(ply)) for ply in plies)
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


def _with_new_symbols(plies: Iterable[Ply]) -> Iterator[Ply]:
    """Yield the plies whose drawings have a symbol that no earlier one has."""
    seen: set[str] = set()
    for ply in plies:
        scene = scene_of(*ply)
        # With the board, so that the first ply is always among them.
        symbols = itertools.chain([scene.layout.ground], *scene.contents)
        names = {symbol.name for symbol in symbols}
        if not names <= seen:
            seen |= names
            yield ply


class _Palette:
    """Colours that suit all frames of a game: the same for all, so that nothing flickers.

    Pillow's own palettes count the pixels of all frames together, lose the colour of a mark that
    is visible for one ply of a long game, and replace exact colours by near ones.
    """

    def __init__(self, frames: Iterable[NDArray[np.uint32]]) -> None:
        """Choose the most frequent colours of any one frame, each a uint32[height, width]."""
        most: dict[int, int] = {}
        for frame in frames:
            found, counts = np.unique(frame, return_counts=True)
            for color, count in zip(found.tolist(), counts.tolist(), strict=True):
                most[color] = max(most.get(color, 0), count)
        chosen = sorted(most, key=lambda color: (-most[color], color))[:_COLORS]
        self._parts = _parts_of(np.array(chosen, np.uint32))
        # The index in the palette of every possible colour, and whether it is known yet.
        self._indices = np.zeros(1 << 24, np.uint8)
        self._is_known = np.zeros(1 << 24, np.bool_)

    def image(self, frame: NDArray[np.uint32]) -> Image.Image:
        """Return a frame with each colour replaced by the nearest of the palette."""
        new = np.unique(frame[~self._is_known[frame]])
        distances = (_parts_of(new)[:, None] - self._parts[None]) ** 2
        self._indices[new] = distances.sum(axis=2).argmin(axis=1)
        self._is_known[new] = True
        image = Image.fromarray(self._indices[frame])
        image.putpalette(self._parts.astype(np.uint8).tobytes())
        return image


def _parts_of(colors: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Return red, green and blue of colours, int32[colors, 3]."""
    return np.stack([colors >> 16, colors >> 8 & 255, colors & 255], axis=1).astype(np.int32)
