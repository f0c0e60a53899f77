"""Square boards: names of spaces, and the lines and squares that spaces form.

Spaces are numbered row by row from the top-left one, ``a1`` = 0; the letter is the column and the
number the row counted from the top.
"""

from __future__ import annotations

# Steps as (rows, columns). Lines from one start space come in this order.
DIRECTIONS = {"east": (0, 1), "south-east": (1, 1), "south": (1, 0), "south-west": (1, -1)}

Pattern = tuple[int, ...]
"""Spaces in order from the start; of a square, its rows one after the other."""


def space_name(space: int, size: int) -> str:
    """Return the name of `space` on a board of `size` columns, such as ``c4``."""
    row, col = divmod(space, size)
    return f"{chr(ord('a') + col)}{row + 1}"


def parse_space(text: str, size: int) -> int:
    """Return the space named `text` on a board of `size` rows and columns.

    Raises:
        ValueError: No space has that name.
    """
    if len(text) == 2 and text.isascii() and text[1].isdigit():
        row, col = int(text[1]) - 1, ord(text[0]) - ord("a")
        if 0 <= row < size and 0 <= col < size:
            return row * size + col
    last = space_name(size * size - 1, size)
    raise ValueError(f"no space is called {text!r}: expected a1 to {last}")


def lines(size: int, length: int) -> list[Pattern]:
    """Return all rows, columns and diagonals of `length` spaces.

    They are ordered by start space and, for one start, as `DIRECTIONS` is.
    """
    found = []
    for start in range(size * size):
        row, col = divmod(start, size)
        for down, right in DIRECTIONS.values():
            end_row, end_col = row + down * (length - 1), col + right * (length - 1)
            if 0 <= end_row < size and 0 <= end_col < size:
                found.append(tuple(start + k * (down * size + right) for k in range(length)))
    return found


def squares(size: int) -> list[Pattern]:
    """Return all 2x2 squares, ordered by their top-left space."""
    return [
        (start, start + 1, start + size, start + size + 1)
        for start in range(size * size)
        if start % size < size - 1 and start // size < size - 1
    ]
