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
    frames = [Image.fromarray(render_rgb(positions[0], size=size))]
    for previous, action, position in zip(positions, actions, positions[1:], strict=False):
        frames.append(Image.fromarray(render_rgb(position, previous, action, size=size)))
    palette = _palette(frames)
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    stay = round(seconds * 100)
    stays = [stay] * len(actions) + [min(stay * _LAST_FRAMES, _LONGEST)]
    file = io.BytesIO()
    drawn[0].save(
        file,
        "GIF",
        save_all=True,
        append_images=drawn[1:],
        duration=[10 * hundredths for hundredths in stays],
        loop=0,
    )
    return file.getvalue()


def _palette(frames: Sequence[Image.Image]) -> Image.Image:
    """Return an image whose palette suits all frames: one for all, so that nothing flickers."""
    # Pieces come and go, so that a few frames between the first and the last hold all colours.
    some = [frames[k * (len(frames) - 1) // 5] for k in range(6)]
    width, height = some[0].size
    sheet = Image.new("RGB", (width, height * len(some)))
    for k, frame in enumerate(some):
        sheet.paste(frame, (0, k * height))
    return sheet.quantize(_COLORS, Image.Quantize.MEDIANCUT)
