"""Games as animated pictures, with Pillow."""

from __future__ import annotations

import io
import numbers
from collections.abc import Sequence

from PIL import Image

from mammalath_env.core.position import Position
from mammalath_env.rendering import DEFAULT_SIZE, render_rgb

_COLORS = 255
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
    if isinstance(seconds, bool) or not isinstance(seconds, numbers.Real):
        raise TypeError(f"seconds must be a number, not {seconds!r}")
    if not 0.02 <= seconds <= 600:
        raise ValueError(f"a picture must stay 0.02 to 600 seconds, not {seconds!r}")

    def frame(ply: int) -> Image.Image:
        last = (positions[ply - 1], actions[ply - 1]) if ply else ()
        return Image.fromarray(render_rgb(positions[ply], *last, size=size))

    # Pieces come and go, so that a few frames between the first and the last hold all colours.
    palette = _palette([frame(k * len(actions) // 5) for k in range(6)])
    # One after the other, since a long game of large frames takes much memory.
    drawn = (
        frame(ply).quantize(palette=palette, dither=Image.Dither.NONE)
        for ply in range(len(positions))
    )
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


def _palette(frames: Sequence[Image.Image]) -> Image.Image:
    """Return an image whose palette suits all frames: one for all, so that nothing flickers."""
    width, height = frames[0].size
    sheet = Image.new("RGB", (width, height * len(frames)))
    for k, frame in enumerate(frames):
        sheet.paste(frame, (0, k * height))
    return sheet.quantize(_COLORS, Image.Quantize.MEDIANCUT)
