"""Spaces, lines and squares, against row and column arithmetic."""

from __future__ import annotations

import pytest

from mammalath_env.core import grid


@pytest.mark.parametrize("size", range(1, 10))
def test_space_names_round_trip(size: int) -> None:
    """Every space has its own name, a letter for the column and a digit for the row."""
    names = [grid.space_name(space, size) for space in range(size * size)]
    assert len(set(names)) == size * size
    assert [grid.parse_space(name, size) for name in names] == list(range(size * size))


def test_space_names() -> None:
    """The first space is the top-left one, rows are counted downward."""
    names = {0: "a1", 1: "b1", 5: "f1", 6: "a2", 20: "c4", 30: "a6", 35: "f6"}
    assert {space: grid.space_name(space, 6) for space in names} == names
    assert grid.space_name(63, 8) == "h8"


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "1", "a0", "a7", "g1", "a9", "A1", "a10", "aa", "11", "1a", "a²", "é1", "á1"),
        *(" a1", "a1 ", "a-1", "`1", "xa1", "a\n"),
    ],
)
def test_no_such_space(text: str) -> None:
    """A text that names no space is quoted in the error, with the range of spaces."""
    with pytest.raises(ValueError, match="expected a1 to f6") as caught:
        grid.parse_space(text, 6)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("size", "length", "number"), [(6, 3, 80), (8, 4, 130), (3, 3, 8), (3, 4, 0), (4, 4, 10)]
)
def test_lines_are_runs_of_equal_steps(size: int, length: int, number: int) -> None:
    """Lines are exactly the runs of equal steps inside the board, in the order of the rules."""
    expected = []
    for row in range(size):
        for col in range(size):
            # East, south-east, south, south-west.
            for down, right in ((0, 1), (1, 1), (1, 0), (1, -1)):
                cells = [(row + k * down, col + k * right) for k in range(length)]
                if all(0 <= r < size and 0 <= c < size for r, c in cells):
                    expected.append(tuple(r * size + c for r, c in cells))
    assert grid.lines(size, length) == expected
    assert len(expected) == len({frozenset(line) for line in expected}) == number


def test_order_of_lines() -> None:
    """By start space, then east, south-east, south, south-west."""
    assert list(grid.DIRECTIONS) == ["east", "south-east", "south", "south-west"]
    found = grid.lines(6, 3)
    assert found[:4] == [(0, 1, 2), (0, 7, 14), (0, 6, 12), (1, 2, 3)]
    assert [line for line in found if line[0] == 2] == [
        (2, 3, 4),
        (2, 9, 16),
        (2, 8, 14),
        (2, 7, 12),
    ]
    assert [line for line in found if line[0] == 5] == [(5, 11, 17), (5, 10, 15)]
    assert found[-1] == (33, 34, 35)


def test_squares_are_listed_by_their_top_left_space() -> None:
    """Squares by their top-left space, row after row."""
    found = grid.squares(8)
    assert len(found) == 49
    assert found[:2] == [(0, 1, 8, 9), (1, 2, 9, 10)]
    assert found[6:8] == [(6, 7, 14, 15), (8, 9, 16, 17)]
    assert found[-1] == (54, 55, 62, 63)
    assert found == sorted(found)
    for square in found:
        rows = sorted({space // 8 for space in square})
        cols = sorted({space % 8 for space in square})
        assert rows == [rows[0], rows[0] + 1]
        assert cols == [cols[0], cols[0] + 1]
