"""Drawings as pixels, with Pillow.

Everything is supersampled: drawn at a multiple of its size and scaled down. Symbols are cached as
pixels. Large pictures take much memory: they are drawn in bands, and little of them is cached.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from mammalath_env.rendering.scene import Layout, Scene
from mammalath_env.rendering.shapes import Shape, Symbol, Text, placed

_LARGE = 150
"""Pixels of a unit of the board above which pictures are large: 1065 pixels for Mammalath."""
_SAMPLES, _LARGE_SAMPLES = 4, 2
"""Subpixels along each side of a pixel."""
_BAND = 2**24
"""Most subpixels that are drawn at once, 64 MiB."""
_BOLD = 0.02
"""Stroke width of bold text, as a share of its font size."""
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}

_Drawer = TypeVar("_Drawer", bound=Callable[..., Any])


def _cached(most: int, most_large: int) -> Callable[[_Drawer], _Drawer]:
    """Cache the latest results of a function of a scale and other arguments.

    Args:
        most: How many results to cache.
        most_large: How many results to cache of scales above `_LARGE`, besides those.
    """

    def decorate(draw: _Drawer) -> _Drawer:
        small = functools.lru_cache(most)(draw)
        large = functools.lru_cache(most_large)(draw)

        @functools.wraps(draw)
        def drawn(scale: int, *args: Hashable) -> Any:
            return (large if scale > _LARGE else small)(scale, *args)

        return cast("_Drawer", drawn)

    return decorate


def rasterize(scene: Scene, size: int) -> NDArray[np.uint8]:
    """Return `scene` as pixels.

    A unit of the board is a whole number of pixels, so that all spaces look alike; the remaining
    pixels are at the edges.

    Args:
        scene: The picture.
        size: Width of the picture in pixels; the height follows.

    Returns:
        A new uint8[height, width, 3].
    """
    layout = scene.layout
    # The margin is for widths that are not exact in binary.
    scale = max(1, int(size / layout.width + 1e-9))
    pixels: NDArray[np.uint8] = _ground(scale, layout, size).copy()
    height, width, _ = pixels.shape
    left, top = _margins(layout, size, scale)
    for slot, symbols in zip(layout.slots, scene.contents, strict=True):
        if symbols:
            patch = _patch(scale, layout, slot.kind, symbols, size)
            y, x = _pixel(top + slot.y * scale), _pixel(left + slot.x * scale)
            pixels[y : y + len(patch), x : x + patch.shape[1]] = patch
    for caption in scene.captions:
        patch = _caption(scale, caption.symbol, _ground(scale, layout, size)[0, 0].tobytes())
        y, x = _pixel(top + caption.y * scale), _pixel(left + caption.x * scale)
        pixels[y : y + len(patch), x : x + patch.shape[1]] = patch[: height - y, : width - x]
    if scene.overlay:
        image = Image.fromarray(pixels)
        shapes = placed(scene.overlay, left / scale, top / scale)
        over = _drawn(shapes, scale, image.size)
        image.paste(over, (0, 0), over)
        pixels = np.array(image)
    return pixels


def _margins(layout: Layout, size: int, scale: int) -> tuple[float, float]:
    """Return the pixels to the left of and above the drawing.

    They put the first slot at a whole pixel, and with it all slots that are whole units away, so
    that all have the same background.
    """
    height = round(layout.height * size / layout.width)
    first = layout.slots[0]
    left = int(size - layout.width * scale) // 2 + first.x * scale
    top = int(height - layout.height * scale) // 2 + first.y * scale
    return _pixel(left) - first.x * scale, _pixel(top) - first.y * scale


def _pixel(value: float) -> int:
    """Return the nearest whole number, the higher one for a half.

    `round` would choose the even one, and distances between slots would vary.
    """
    # The margin is for halves that are not exact in binary.
    return math.floor(value + 0.5 + 1e-6)


@_cached(8, 1)
def _ground(scale: int, layout: Layout, size: int) -> NDArray[np.uint8]:
    """Return the background of the whole picture, uint8[height, width, 3]."""
    height = round(layout.height * size / layout.width)
    left, top = _margins(layout, size, scale)
    shapes = placed(layout.ground.shapes, left / scale, top / scale)
    drawn = _drawn(shapes, scale, (size, height))
    ground = Image.new("RGB", drawn.size, layout.ground.shapes[0].fill)
    ground.paste(drawn, (0, 0), drawn)
    return np.array(ground)


@_cached(1024, 64)
def _patch(
    scale: int, layout: Layout, kind: str, symbols: tuple[Symbol, ...], size: int
) -> NDArray[np.uint8]:
    """Return symbols on the ground of a slot of this kind, uint8[height, width, 3]."""
    slot = next(slot for slot in layout.slots if slot.kind == kind)
    left, top = _margins(layout, size, scale)
    x, y = _pixel(left + slot.x * scale), _pixel(top + slot.y * scale)
    room = (x, y, x + _pixel(slot.width * scale), y + _pixel(slot.height * scale))
    patch = Image.fromarray(_ground(scale, layout, size)).crop(room)
    for symbol in symbols:
        sprite = _sprite(scale, symbol)
        patch.paste(sprite, (0, 0), sprite)
    return np.array(patch)


@_cached(1024, 8)
def _caption(scale: int, symbol: Symbol, color: bytes) -> NDArray[np.uint8]:
    """Return a symbol on a ground of one colour, uint8[height, width, 3]."""
    sprite = _sprite(scale, symbol)
    patch = Image.new("RGB", sprite.size, (color[0], color[1], color[2]))
    patch.paste(sprite, (0, 0), sprite)
    return np.array(patch)


@_cached(512, 32)
def _sprite(scale: int, symbol: Symbol) -> Image.Image:
    """Return a symbol on a transparent ground, as RGBA."""
    size = math.ceil(symbol.width * scale), math.ceil(symbol.height * scale)
    return _drawn(symbol.shapes, scale, size)


def _drawn(shapes: tuple[Shape, ...], scale: int, size: tuple[int, int]) -> Image.Image:
    """Return shapes on a transparent ground, RGBA of `size` pixels."""
    width, height = size
    samples = _LARGE_SAMPLES if scale > _LARGE else _SAMPLES
    band = max(1, _BAND // (width * samples**2))
    if band >= height:
        return _drawn_band(shapes, scale, samples, size)
    image = Image.new("RGBA", size)
    for top in range(0, height, band):
        shifted = placed(shapes, 0.0, -top / scale)
        room = width, min(band, height - top)
        image.paste(_drawn_band(shifted, scale, samples, room), (0, top))
    return image


def _drawn_band(
    shapes: tuple[Shape, ...], scale: int, samples: int, size: tuple[int, int]
) -> Image.Image:
    """Return shapes cut off at `size`, drawn with `samples` squared subpixels to a pixel."""
    large = (size[0] * samples, size[1] * samples)
    image = Image.new("RGBA", large)
    for shape in shapes:
        enlarged = shape.placed(0.0, 0.0, scale * samples)
        if shape.opacity >= 1:
            _draw(enlarged, ImageDraw.Draw(image))
            continue
        layer = Image.new("RGBA", large)
        _draw(enlarged, ImageDraw.Draw(layer))
        layer.putalpha(layer.getchannel("A").point(lambda a, share=shape.opacity: a * share))
        image.alpha_composite(layer)
    return image.reduce(samples)


def _draw(shape: Shape, draw: ImageDraw.ImageDraw) -> None:
    """Draw a shape that is given in pixels, as if it were opaque."""
    if isinstance(shape, Text):
        draw.text(
            (shape.x, shape.y),
            shape.text,
            fill=shape.fill,
            font=ImageFont.load_default(shape.height),
            anchor=_ANCHORS[shape.anchor],
            stroke_width=round(shape.height * _BOLD) if shape.bold else 0,
        )
        return
    for points, closed in shape.contours():
        if shape.fill is not None:
            draw.polygon(points, fill=shape.fill)
        if shape.stroke is not None and shape.width > 0:
            line = [*points, points[0], points[1]] if closed else points
            draw.line(line, fill=shape.stroke, width=max(1, round(shape.width)), joint="curve")
            if not closed:
                radius = shape.width / 2
                for x, y in (points[0], points[-1]):
                    draw.ellipse((x - radius, y - radius, x + radius, y + radius), shape.stroke)
