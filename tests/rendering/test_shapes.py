"""Shapes as data: reading, moving and flattening them."""

from __future__ import annotations

import math

import pytest

from mammalath_env.rendering.shapes import (
    Ellipse,
    Path,
    Polygon,
    Symbol,
    Text,
    mixed,
    path,
    placed,
    rounded,
)
from mammalath_env.rendering.svg import element, number


def test_paths_are_read_as_written() -> None:
    """Letters repeat, numbers may be negative and fractions may begin with a point."""
    assert path("M1 2L.5 -3 4 5Z") == (
        ("M", (1.0, 2.0)),
        ("L", (0.5, -3.0)),
        ("L", (4.0, 5.0)),
        ("Z", ()),
    )
    assert path("M0 0C1 2 3 4 5 6")[1] == ("C", (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))


@pytest.mark.parametrize("data", ["M1", "M0 0L1", "M0 0A1 2", "M0 0Z3", "M0 0l1 1"])
def test_paths_that_are_none(data: str) -> None:
    """Other commands and wrong numbers of coordinates are refused."""
    with pytest.raises(ValueError, match="not a command of a path"):
        path(data)


def test_curves_end_where_they_should() -> None:
    """A curve begins and ends at its ends and stays inside its controls."""
    (contour,) = Path(path("M0 0C0 1 1 1 1 0Z")).contours()
    assert contour.closed
    assert contour.points[0] == (0, 0)
    assert contour.points[-1] == pytest.approx((1, 0))
    middle = contour.points[len(contour.points) // 2]
    assert middle == pytest.approx((0.5, 0.75))


def test_contours_of_parts() -> None:
    """Each M begins a contour, which is open unless a Z ends it."""
    found = Path(path("M0 0L1 0M2 2L3 3L4 2Z")).contours()
    assert [contour.closed for contour in found] == [False, True]
    assert [len(contour.points) for contour in found] == [2, 3]


def test_ellipses_and_rectangles() -> None:
    """Corners lie on the curve."""
    (contour,) = Ellipse(1, 2, 3, 4).contours()
    for x, y in contour.points:
        assert ((x - 1) / 3) ** 2 + ((y - 2) / 4) ** 2 == pytest.approx(1)
    (contour,) = Path(rounded(1, 2, 4, 6, 1)).contours()
    xs, ys = zip(*contour.points, strict=True)
    assert (min(xs), max(xs), min(ys), max(ys)) == (1, 5, 2, 8)


@pytest.mark.parametrize(
    "shape",
    [
        Polygon(((0, 0), (1, 0), (1, 2)), fill="#000000", width=0.5),
        Ellipse(1, 2, 3, 4, width=0.5),
        Ellipse(1, 2, 3, width=0.5),
        Path(path("M0 0Q1 2 3 4C1 1 2 2 3 3Z"), width=0.5),
    ],
)
def test_shapes_are_scaled_and_then_moved(shape: Polygon | Ellipse | Path) -> None:
    """Shapes are scaled about the origin and then moved, lines with them."""
    moved = shape.placed(10, 20, 2)
    assert moved.width == 1
    for old, new in zip(shape.contours(), moved.contours(), strict=True):
        for (x, y), point in zip(old.points, new.points, strict=True):
            assert point == pytest.approx((10 + 2 * x, 20 + 2 * y))
    assert placed((shape,), 10, 20, 2) == (moved,)


def test_texts_are_placed_too() -> None:
    """Texts are moved and scaled like other shapes."""
    text = Text(1, 2, "a<b", 0.5, fill="#112233").placed(10, 20, 2)
    assert (text.x, text.y, text.height) == (12, 24, 1)
    assert text.contours() == []
    assert ">a&lt;b</text>" in element(text)


def test_mixing_colors() -> None:
    """Each part goes the share of the way to the other colour."""
    assert mixed("#000000", "#ff8000", 0) == "#000000"
    assert mixed("#000000", "#ff8000", 1) == "#ff8000"
    assert mixed("#000000", "#ff8000", 0.5) == "#804000"


def test_symbols_are_their_names() -> None:
    """Equal names are equal symbols, for what back ends keep."""
    one, same, other = Symbol("a", ()), Symbol("a", ()), Symbol("b", ())
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != "a"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1, "1"), (0.5, ".5"), (-0.5, "-.5"), (10, "10"), (1.23456, "1.2346"), (-3, "-3")],
)
def test_numbers_are_short(value: float, text: str) -> None:
    """Numbers have at most four decimals, and no zero before the point."""
    assert number(value) == text
    assert math.isclose(float(text), value, abs_tol=1e-4)


def test_elements_of_all_shapes() -> None:
    """Each kind of shape has its element, with colours and lines."""
    assert (
        element(Ellipse(1, 2, 3, fill="#ff0000")) == '<circle cx="1" cy="2" r="3" fill="#ff0000"/>'
    )
    assert element(Ellipse(1, 2, 3, 4)).startswith('<ellipse cx="1" cy="2" rx="3" ry="4"')
    line = element(Path(path("M0 0L1 1"), stroke="#00ff00", width=0.1, opacity=0.5))
    assert line.startswith('<path d="M0 0L1 1" fill="none" stroke="#00ff00" stroke-width=".1"')
    assert line.endswith('opacity=".5"/>')
