"""Drawings as pixels, with Pillow.

Everything is drawn at a multiple of its size and scaled down. Symbols are kept once drawn, so that
most of a picture is copied.
"""

from __future__ import annotations

import functools

from PIL import Image, ImageDraw, ImageFont

from mammalath_env.rendering.scene import Scene
from mammalath_env.rendering.shapes import Shape, Symbol, Text

_SAMPLES = 4
"""Subpixels along each side of a pixel."""
_BOLD = 0.035
"""What bold text is thickened by, for the size of its font."""
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def rasterize(scene: Scene, size: int) -> Image.Image:
    """Return `scene` as a new RGB image.

    Args:
        scene: What to draw.
        size: Width of the picture in pixels; the height follows.
    """
    layout = scene.layout
    scale = size / layout.width
    image = _ground(layout.ground, scale, (size, round(layout.height * scale))).copy()
    for slot, symbols in zip(layout.slots, scene.contents, strict=True):
        if symbols:
            sprite = _sprite(symbols, scale)
            image.paste(sprite, (round(slot.x * scale), round(slot.y * scale)), sprite)
    for line in scene.captions:
        sprite = _sprite((line.symbol,), scale)
        image.paste(sprite, (round(line.x * scale), round(line.y * scale)), sprite)
    if scene.overlay:
        over = _drawn(scene.overlay, scale, image.size)
        image.paste(over, (0, 0), over)
    return image


@functools.lru_cache(maxsize=16)
def _ground(ground: Symbol, scale: float, size: tuple[int, int]) -> Image.Image:
    """Return what is behind everything else, without transparent parts."""
    return _drawn(ground.shapes, scale, size).convert("RGB")


@functools.lru_cache(maxsize=4096)
def _sprite(symbols: tuple[Symbol, ...], scale: float) -> Image.Image:
    """Return symbols drawn one over the other, as RGBA."""
    width = max(symbol.width for symbol in symbols)
    height = max(symbol.height for symbol in symbols)
    shapes = tuple(shape for symbol in symbols for shape in symbol.shapes)
    return _drawn(shapes, scale, (-int(-width * scale // 1), -int(-height * scale // 1)))


def _drawn(shapes: tuple[Shape, ...], scale: float, size: tuple[int, int]) -> Image.Image:
    """Return shapes on a transparent ground, RGBA of `size` pixels."""
    large = (size[0] * _SAMPLES, size[1] * _SAMPLES)
    image = Image.new("RGBA", large)
    for shape in shapes:
        enlarged = shape.placed(0.0, 0.0, scale * _SAMPLES)
        if shape.opacity >= 1:
            _draw(enlarged, ImageDraw.Draw(image))
            continue
        layer = Image.new("RGBA", large)
        _draw(enlarged, ImageDraw.Draw(layer))
        layer.putalpha(layer.getchannel("A").point(lambda a, share=shape.opacity: a * share))
        image.alpha_composite(layer)
    return image.reduce(_SAMPLES)


def _draw(shape: Shape, draw: ImageDraw.ImageDraw) -> None:
    """Draw a shape that is given in pixels, whatever its opacity."""
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
