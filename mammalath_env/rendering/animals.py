"""The heads of the animals, drawn on 100 by 100.

Each differs from the others in outline and not in colour alone. The colours are those of the rules
(R1, R13).
"""

from __future__ import annotations

import dataclasses

from mammalath_env.rendering.shapes import Ellipse, Path, Shape, path

COLORS = (
    "#d8393f",
    "#ef7d21",
    "#f6c92f",
    "#41a053",
    "#3f7fd0",
    "#8a57bf",
    "#fbf8f0",
    "#37373d",
)
"""Red, orange, yellow, green, blue, violet, white, black."""

_DARK = "#241d1a"
_PALE = "#fff4e2"
_HALO = "#fffdf6"
_LINE = 3.0


def _solid(data: str, fill: str, stroke: str | None = _DARK, width: float = _LINE) -> Path:
    return Path(path(data), fill=fill, stroke=stroke, width=width)


def _stroke(data: str, color: str = _DARK, width: float = _LINE) -> Path:
    return Path(path(data), stroke=color, width=width)


def _oval(x: float, y: float, rx: float, ry: float, fill: str, line: bool = True) -> Ellipse:
    return Ellipse(x, y, rx, ry, fill=fill, stroke=_DARK if line else None, width=_LINE)


def _mirrored(*shapes: Path | Ellipse) -> tuple[Shape, ...]:
    """Return shapes of the left half, then their mirror images in the right half."""
    return (*shapes, *map(_mirror_image, shapes))


def _mirror_image(shape: Path | Ellipse) -> Shape:
    if isinstance(shape, Ellipse):
        return dataclasses.replace(shape, x=100 - shape.x)
    commands = (
        (letter, tuple(n if k % 2 else 100 - n for k, n in enumerate(numbers)))
        for letter, numbers in shape.commands
    )
    return dataclasses.replace(shape, commands=tuple(commands))


def _eye(x: float, y: float, radius: float = 4.2) -> tuple[Shape, ...]:
    return (
        Ellipse(x, y, radius, fill=_DARK),
        Ellipse(x + radius * 0.3, y - radius * 0.35, radius * 0.34, fill="#ffffff"),
    )


def _eyes(x: float, y: float, radius: float = 4.2) -> tuple[Shape, ...]:
    """Return two eyes, `x` from the middle, lit from the same side."""
    return (*_eye(50 - x, y, radius), *_eye(50 + x, y, radius))


def _armadillo(color: str) -> tuple[Shape, ...]:
    """From the side: a shell with bands, a long snout, a tail."""
    shade = "#8f1f27"
    return (
        _solid("M84 62C94 66 98 76 98 88C90 86 80 82 74 76Z", color),
        _solid("M40 70L40 88L54 88L54 72Z", color),
        _solid("M68 70L68 88L82 88L80 70Z", color),
        _solid("M36 44C28 44 22 50 17 58L4 78C3 83 8 85 12 83C24 80 36 78 42 70Z", color),
        _solid("M34 50C22 40 22 26 28 18C38 24 42 36 40 48Z", "#f0a3a0"),
        _solid("M36 76C28 42 44 16 64 16C84 16 94 40 92 76C74 82 54 82 36 76Z", color),
        _stroke("M49 25C45 40 45 60 48 75", shade, 4.5),
        _stroke("M60 21C58 36 58 60 60 76", shade, 4.5),
        _stroke("M72 22C74 36 74 60 72 76", shade, 4.5),
        _stroke("M82 30C86 44 86 60 84 74", shade, 4.5),
        *_eye(22, 63, 3.6),
        Ellipse(7, 80, 3.4, fill=_DARK),
    )


def _badger(color: str) -> tuple[Shape, ...]:
    """A wedge of a face with a pale stripe between two dark ones."""
    return (
        *_mirrored(_oval(19, 26, 12, 12, color)),
        *_mirrored(_oval(19, 26, 5, 5, _PALE, line=False)),
        _solid(
            "M50 10C74 10 92 24 92 44C92 60 72 68 64 84C58 95 42 95 36 84"
            "C28 68 8 60 8 44C8 24 26 10 50 10Z",
            color,
        ),
        _solid("M42 11C43 36 40 56 33 78C36 97 64 97 67 78C60 56 57 36 58 11Z", _PALE, None),
        *_mirrored(
            _solid("M26 17C30 14 36 12 42 11C44 36 42 58 36 77C26 62 22 38 26 17Z", _DARK, None)
        ),
        *_mirrored(Ellipse(35, 46, 4.4, fill="#ffffff")),
        *_mirrored(Ellipse(35.5, 46.5, 2.4, fill=_DARK)),
        _oval(50, 82, 10, 7.5, _DARK, line=False),
    )


def _cougar(color: str) -> tuple[Shape, ...]:
    """A round cat's face with whiskers."""
    return (
        *_mirrored(_oval(21, 24, 14, 14, color)),
        *_mirrored(_oval(21, 25, 7, 7, "#7a5a1c", line=False)),
        _solid(
            "M50 12C78 12 94 30 92 54C90 78 72 92 50 92C28 92 10 78 8 54C6 30 22 12 50 12Z", color
        ),
        *_mirrored(_oval(39, 70, 15, 13, _PALE, line=False)),
        _oval(50, 82, 11, 8, _PALE, line=False),
        *_mirrored(_solid("M26 40C32 34 40 36 43 46C36 50 29 48 26 40Z", "#ffffff", width=2.4)),
        *_mirrored(Ellipse(36, 43, 4.0, fill=_DARK)),
        _solid("M41 57L59 57L50 67Z", "#c4574f"),
        _stroke("M50 67L50 74", width=2.6),
        *_mirrored(_stroke("M50 74C46 80 40 80 36 77", width=2.6)),
        *_mirrored(_stroke("M30 68L4 62", width=2), _stroke("M30 73L5 76", width=2)),
        *_mirrored(_stroke("M46 18L46 28", "#9a7423", 3.4)),
    )


def _deer(color: str) -> tuple[Shape, ...]:
    """A long face under antlers."""
    horn = "#8a6a45"
    antlers = ("M40 38C28 32 20 22 18 6", "M26 26C18 26 11 22 8 14", "M33 33C35 24 34 14 31 6")
    return (
        *_mirrored(*(_stroke(data, _DARK, 9) for data in antlers)),
        *_mirrored(*(_stroke(data, horn, 4.6) for data in antlers)),
        *_mirrored(_solid("M36 46C24 36 12 38 5 46C12 58 26 60 36 54Z", color)),
        *_mirrored(_solid("M30 48C23 43 17 43 12 47C18 53 26 54 31 52Z", "#cfe6c4", None)),
        _solid(
            "M50 32C66 32 70 42 68 54C66 64 63 72 61 84C59 94 54 96 50 96"
            "C46 96 41 94 39 84C37 72 34 64 32 54C30 42 34 32 50 32Z",
            color,
        ),
        _solid(
            "M50 74C58 74 61 80 60 86C58 93 54 95 50 95C46 95 42 93 40 86C39 80 42 74 50 74Z",
            "#dff0d6",
            None,
        ),
        *_eyes(12, 56, 4.4),
        _solid("M43 82C46 79 54 79 57 82C56 88 53 90 50 90C47 90 44 88 43 82Z", _DARK, None),
    )


def _elephant(color: str) -> tuple[Shape, ...]:
    """Big ears, a trunk and tusks."""
    inside = "#a9c8ee"
    return (
        *_mirrored(_solid("M34 24C20 6 2 14 3 38C4 58 14 74 30 64Z", color)),
        *_mirrored(_solid("M29 29C20 18 10 24 10 39C11 53 18 62 28 56Z", inside, None)),
        *_mirrored(_solid("M36 60C30 70 29 78 33 86C37 84 41 76 44 66Z", "#ffffff")),
        _solid(
            "M50 12C68 12 76 26 74 42C73 52 66 58 60 62L60 78C60 84 66 86 68 82C70 78 78 80 77 86"
            "C75 97 60 99 52 94C43 90 40 82 40 74L40 62C34 58 27 52 26 42C24 26 32 12 50 12Z",
            color,
        ),
        _stroke("M42 68L57 68", "#2a5fa8", 2.8),
        _stroke("M42 76L57 76", "#2a5fa8", 2.8),
        _stroke("M45 84L58 83", "#2a5fa8", 2.8),
        *_eyes(13, 42, 4.2),
    )


def _fox(color: str) -> tuple[Shape, ...]:
    """Pointed ears and a pointed face with pale cheeks."""
    face = (
        "M50 24C66 24 80 32 86 44C90 52 95 58 97 66C84 68 70 78 50 96"
        "C30 78 16 68 3 66C5 58 10 52 14 44C20 32 34 24 50 24Z"
    )
    return (
        *_mirrored(_solid("M12 4C8 22 8 38 14 52L44 30C36 18 24 8 12 4Z", color)),
        *_mirrored(_solid("M17 15C15 26 15 34 18 42L34 29C30 23 24 18 17 15Z", "#3b2452", None)),
        _solid(face, color),
        *_mirrored(_solid("M5 65C20 52 38 54 47 70L50 95C32 78 18 69 5 65Z", _PALE, None)),
        _stroke(face),
        *_eyes(17, 51, 4.4),
        _solid("M42 84C46 80 54 80 58 84C58 90 54 96 50 96C46 96 42 90 42 84Z", _DARK, None),
    )


def _giraffe(color: str) -> tuple[Shape, ...]:
    """From the side: a long neck with patches, horns with knobs."""
    patch = "#b8935f"
    return (
        _stroke("M50 22L47 8", _DARK, 8),
        _stroke("M62 24L64 9", _DARK, 8),
        _stroke("M50 22L47 8", color, 3),
        _stroke("M62 24L64 9", color, 3),
        _oval(46.5, 7, 5, 4.5, patch),
        _oval(64.5, 8, 5, 4.5, patch),
        _solid("M66 30C74 20 84 20 92 24C88 34 78 40 68 38Z", color),
        _solid(
            "M52 18C62 17 70 23 71 33C72 52 78 76 92 98L52 98C56 82 54 66 50 54C40 54 26 56 16 54"
            "C6 52 4 42 12 37C24 32 36 21 52 18Z",
            color,
        ),
        _solid("M56 48L66 44L69 56L59 60Z", patch, None),
        _solid("M60 66L71 62L75 74L63 77Z", patch, None),
        _solid("M60 83L77 80L84 93L60 94Z", patch, None),
        _solid("M58 27C64 26 67 30 66 36L57 39Z", patch, None),
        _stroke("M12 50C18 50 24 48 28 46", width=2.6),
        Ellipse(15, 42, 2.6, fill=_DARK),
        *_eye(44, 33, 4.4),
    )


def _hippopotamus(color: str) -> tuple[Shape, ...]:
    """A muzzle wider than the head, with large nostrils and two teeth."""
    light = "#a9a9b5"
    return (
        *_mirrored(_oval(27, 14, 9, 9, color)),
        *_mirrored(_oval(27, 14, 4, 4, "#d99aa0", line=False)),
        _solid("M36 80L36 96L46 96L46 80Z", "#ffffff"),
        _solid("M54 80L54 96L64 96L64 80Z", "#ffffff"),
        _solid(
            "M50 10C66 10 76 20 76 36C76 42 78 45 82 47C92 51 97 60 96 70C94 84 78 88 50 88"
            "C22 88 6 84 4 70C3 60 8 51 18 47C22 45 24 42 24 36C24 20 34 10 50 10Z",
            color,
        ),
        _stroke("M20 50C30 43 70 43 80 50", light, 3),
        _stroke("M10 72C26 80 74 80 90 72", light, 3),
        *_mirrored(_oval(33, 59, 6.5, 5, light, line=False)),
        *_mirrored(_oval(33, 60, 4, 3, "#15151a", line=False)),
        *_mirrored(Ellipse(37, 29, 5.2, fill="#ffffff")),
        *_mirrored(Ellipse(37.5, 29.5, 2.8, fill=_DARK)),
    )


def _with_halo(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Return shapes with a pale rim, so that they can be seen on any ground."""
    rims = tuple(
        dataclasses.replace(shape, stroke=_HALO, width=_LINE + 6, fill=_HALO)
        if shape.fill is not None
        else dataclasses.replace(shape, stroke=_HALO, width=shape.width + 5)
        for shape in shapes
        if shape.stroke == _DARK and shape.width >= _LINE
    )
    return rims + shapes


_PORTRAITS = (_armadillo, _badger, _cougar, _deer, _elephant, _fox, _giraffe, _hippopotamus)

HEADS: tuple[tuple[Shape, ...], ...] = tuple(
    _with_halo(portrait(color)) for portrait, color in zip(_PORTRAITS, COLORS, strict=True)
)
"""The shapes of each animal, from A, on 100 by 100."""
