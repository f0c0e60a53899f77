"""Mammalath positions and moves as text."""

from __future__ import annotations

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import Words
from mammalath_env.core.errors import InvalidMoveError, PositionError
from mammalath_env.core.grid import Pattern, parse_space, space_name
from mammalath_env.games.mammalath.config import MammalathConfig
from mammalath_env.games.mammalath.state import ANIMAL_WORD, TOKEN_WORD

TOKEN_LETTERS = "bw"
"""The letters of black and white, for tokens and for the side to move."""


def _format_grid(words: Words, letters: str, size: int) -> str:
    """Return the rows from the top: a letter for a set bit, a digit for a run of empty spaces."""
    boards = [int(word) for word in words]
    rows = []
    for row in range(size):
        text, empty = "", 0
        for space in range(row * size, (row + 1) * size):
            found = [
                letter for letter, board in zip(letters, boards, strict=True) if board >> space & 1
            ]
            if not found:
                empty += 1
                continue
            text += (str(empty) if empty else "") + found[0]
            empty = 0
        rows.append(text + (str(empty) if empty else ""))
    return "/".join(rows)


def _parse_grid(text: str, letters: str, size: int, what: str) -> list[int]:
    """Return one bitboard for each letter.

    Raises:
        PositionError: The text is not such a grid; the message does not quote the whole position.
    """
    rows = text.split("/")
    if len(rows) != size:
        raise PositionError(f"{what} need {size} rows, not {len(rows)}")
    boards = [0] * len(letters)
    for row, row_text in enumerate(rows):
        col = 0
        after_digit = False
        for character in row_text:
            if character in letters:
                if col < size:
                    boards[letters.index(character)] |= 1 << (row * size + col)
                col += 1
                after_digit = False
            elif character in "12345678" and not after_digit:
                col += int(character)
                after_digit = True
            else:
                raise PositionError(f"{what} row {row + 1} {row_text!r}: bad {character!r}")
        if col != size:
            raise PositionError(f"{what} row {row + 1} {row_text!r} has {col} spaces, not {size}")
    return boards


def format_position(config: MammalathConfig, row: Words) -> str:
    """Return the four fields: animals, tokens, side to move, plies played."""
    mover, plies, *_ = status.read_status(row)
    return " ".join(
        (
            _format_grid(row[ANIMAL_WORD:], config.letters, config.size),
            _format_grid(row[TOKEN_WORD:ANIMAL_WORD], TOKEN_LETTERS, config.size),
            TOKEN_LETTERS[mover],
            str(plies),
        )
    )


def parse_position(config: MammalathConfig, text: str) -> Words:
    """Return the row that `text` describes, without judging whether a game can reach it.

    Raises:
        PositionError: `text` does not have the form of a position.
    """
    fields = text.split(" ")
    if len(fields) != 4:
        raise PositionError(
            f"expected four fields (animals, tokens, side, plies), not {len(fields)}"
        )
    animals = _parse_grid(fields[0], config.letters, config.size, "animals")
    tokens = _parse_grid(fields[1], TOKEN_LETTERS, config.size, "tokens")
    side, plies = fields[2:]
    if side not in tuple(TOKEN_LETTERS):
        raise PositionError(f"side to move must be 'b' or 'w', not {side!r}")
    if not (plies.isascii() and plies.isdigit() and len(plies) <= 4 and str(int(plies)) == plies):
        raise PositionError(f"plies played must be a whole number, not {plies!r}")
    row = np.array([0, *tokens, *animals], np.uint64)
    status.start(row, TOKEN_LETTERS.index(side), int(plies))
    return row


def format_pattern(pattern: Pattern, size: int) -> str:
    """Return the two ends of a line or square, the start first, such as ``a1-c3``."""
    return f"{space_name(pattern[0], size)}-{space_name(pattern[-1], size)}"


def parse_move(config: MammalathConfig, patterns: list[Pattern], text: str) -> tuple[str, int]:
    """Return the kind of the move and its index within the kind.

    Args:
        config: The size of the board.
        patterns: Lines and squares in the order of their ids.
        text: ``c4``, ``xF``, ``xa1-c3`` (ends in either order) or ``swap``.

    Raises:
        InvalidMoveError: `text` is none of these on this board.
    """
    form = "expected a space (c4), a type (xF), a line by its ends (xa1-c3) or swap"
    if text == "swap":
        return "swap", 0
    try:
        if not text.startswith("x"):
            return "place", parse_space(text, config.size)
        if len(text) == 2 and text[1] in config.letters:
            return "type", config.letters.index(text[1])
        first, last = text[1:].split("-")
        ends = {parse_space(first, config.size), parse_space(last, config.size)}
    except ValueError:
        raise InvalidMoveError(f"{text!r} is not a move of {config.title}: {form}") from None
    for index, pattern in enumerate(patterns):
        if {pattern[0], pattern[-1]} == ends:
            return "pattern", index
    raise InvalidMoveError(
        f"{text!r} is not a move of {config.title}: no line or square has these ends; {form}"
    )
