"""Mammalath positions and moves as text."""

from __future__ import annotations

import re

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import Words
from mammalath_env.core.errors import InvalidMoveError, PositionError
from mammalath_env.core.grid import Pattern, parse_space, space_name
from mammalath_env.games.mammalath.config import MammalathConfig
from mammalath_env.games.mammalath.state import ANIMAL_WORD, TOKEN_WORD

TOKEN_LETTERS = "bw"
"""The letters of black and white, for tokens and for the side to move."""

NUMBERS = {3: "three", 4: "four"}
"""Words for the lengths of lines."""

_SPACES = re.compile(r"[a-z][0-9]+|x[a-z][0-9]+-[a-z][0-9]+")


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


def pattern_word(config: MammalathConfig, pattern: Pattern) -> str:
    """Return whether a pattern is a ``line`` or a ``square``."""
    # The second space of a square's second row lies one row and one column from the start.
    is_square = config.squares and pattern[-1] - pattern[0] == config.size + 1
    return "square" if is_square else "line"


def parse_move(config: MammalathConfig, patterns: list[Pattern], text: str) -> tuple[str, int]:
    """Return the kind of the move and its index within the kind.

    Args:
        config: The size of the board.
        patterns: Lines and squares in the order of their ids.
        text: ``c4``, ``xF``, ``xa1-c3`` (ends in either order) or ``swap``.

    Raises:
        InvalidMoveError: `text` is none of these on this board; the message says what is wrong.
    """
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
        raise _invalid(config, patterns, text, _what_is_wrong(config, text)) from None
    for index, pattern in enumerate(patterns):
        if {pattern[0], pattern[-1]} == ends:
            return "pattern", index
    number = NUMBERS[config.line_length]
    wrong = f"no line has these ends: a line is {number} spaces in a row, and there are no squares"
    if config.squares:
        wrong = (
            f"no line or square has these ends: a line is {number} spaces in a row, a square 2x2"
        )
    raise _invalid(config, patterns, text, wrong)


def _invalid(
    config: MammalathConfig, patterns: list[Pattern], text: str, wrong: str
) -> InvalidMoveError:
    """Return the error of a text that is no move, with examples of moves on this board."""
    examples = {
        word: f"x{format_pattern(pattern, config.size)}"
        for pattern in reversed(patterns)
        for word in [pattern_word(config, pattern)]
    }
    forms = [f"a {word} by its ends ({examples[word]})" for word in sorted(examples)]
    kinds = ", ".join(["a space (c4)", "a type (xF)", *forms])
    why = f"{wrong}; " if wrong else ""
    return InvalidMoveError(
        f"{text!r} is not a move of {config.title}: {why}expected {kinds} or swap"
    )


def _what_is_wrong(config: MammalathConfig, text: str) -> str:
    """Return what is wrong with a text that almost has the form of a move, else nothing."""
    if text == "pass":
        return "passing is not possible (R3)"
    if re.fullmatch(r"x[A-Za-z]", text):
        return f"types are {config.letters[0]} to {config.letters[-1]}"
    if re.fullmatch(r"[a-z][0-9]-[a-z][0-9]", text):
        return "a release begins with x"
    for column, row in re.findall(r"([a-z])([0-9]+)", text if _SPACES.fullmatch(text) else ""):
        last = space_name(config.num_spaces - 1, config.size)
        if ord(column) > ord(last[0]):
            return f"columns are a to {last[0]}"
        if not 1 <= int(row[:4]) <= config.size:
            return f"rows are 1 to {last[1:]}"
    return ""
