"""Mancala positions and moves as text."""

from __future__ import annotations

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import Words
from mammalath_env.core.errors import InvalidMoveError, PositionError
from mammalath_env.games.mancala.config import NUM_HOLES, NUM_SEEDS
from mammalath_env.games.mancala.state import NUM_WORDS, PLAYERS, SIDE_WORD

SIDE_LETTERS = "sn"
HOLE_LETTERS = ("ABCDEF", "abcdef")
"""Letters of south's holes and of north's."""


def format_position(row: Words) -> str:
    """Return the five fields: holes, stores, side to move, plies since a capture, plies played."""
    now = status.read_status(row)
    sides = [int(side).to_bytes(8, "little") for side in row[SIDE_WORD : SIDE_WORD + 2]]
    holes = "/".join(",".join(map(str, side[:NUM_HOLES])) for side in sides)
    stores = "-".join(str(side[NUM_HOLES]) for side in sides)
    return f"{holes} {stores} {SIDE_LETTERS[now.to_move]} {now.counter} {now.ply}"


def _parse_count(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and str(int(text)) == text):
        raise PositionError(f"{what} must be a whole number, not {text!r}")
    return int(text)


def _parse_counts(text: str, separator: str, count: int, what: str) -> list[int]:
    parts = text.split(separator)
    if len(parts) != count:
        raise PositionError(f"{what} must be {count} numbers, not {len(parts)}: {text!r}")
    return [_parse_count(part, what) for part in parts]


def parse_position(text: str) -> tuple[Words, list[list[int]], list[int]]:
    """Return the row that `text` describes, and its holes and stores.

    Raises:
        PositionError: `text` does not have the form of a position.
    """
    fields = text.split(" ")
    if len(fields) != 5:
        raise PositionError(
            "expected five fields (holes, stores, side, plies since a capture, plies), "
            f"not {len(fields)}"
        )
    rows = fields[0].split("/")
    if len(rows) != 2:
        raise PositionError(f"holes must be two rows, not {len(rows)}: {fields[0]!r}")
    holes = [
        _parse_counts(row_text, ",", NUM_HOLES, f"holes of {side}")
        for row_text, side in zip(rows, PLAYERS, strict=True)
    ]
    stores = _parse_counts(fields[1], "-", 2, "stores")
    if fields[2] not in tuple(SIDE_LETTERS):
        raise PositionError(f"side to move must be 's' or 'n', not {fields[2]!r}")
    plies_since_capture = _parse_count(fields[3], "plies since a capture")
    plies = _parse_count(fields[4], "plies played")
    row = np.zeros(NUM_WORDS, np.uint64)
    for player in (0, 1):
        seeds = [*holes[player], stores[player]]
        if max(seeds) <= NUM_SEEDS:  # others are refused by their sum, but would not fit a byte
            row[SIDE_WORD + player] = sum(count << 8 * k for k, count in enumerate(seeds))
    status.start(row, SIDE_LETTERS.index(fields[2]), plies)
    status.set_counter(row, plies_since_capture)
    return row, holes, stores


def format_move(action: int, player: int) -> str:
    """Return the letter of the hole."""
    return HOLE_LETTERS[player][action]


def parse_move(text: str, player: int) -> int:
    """Return the hole of `player` that `text` names.

    Raises:
        InvalidMoveError: The player has no such hole.
    """
    letters = HOLE_LETTERS[player]
    if len(text) != 1 or text not in letters:
        side = PLAYERS[player]
        raise InvalidMoveError(
            f"{text!r} is not a move of {side} in Mancala: expected a hole, "
            f"{letters[0]} to {letters[-1]}"
        )
    return letters.index(text)
