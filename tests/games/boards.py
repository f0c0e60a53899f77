"""Mammalath positions put together for a test, and lines told by rows and columns."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from mammalath_env.core.grid import parse_space, space_name
from mammalath_env.core.position import Position
from mammalath_env.games.mammalath.game import MammalathGame

SMALL = MammalathGame.mammalath()
PLUS = MammalathGame.plus()
BOTH = (SMALL, PLUS)
NAMES = [game.name for game in BOTH]
# Plies after which black, with the tokens of one line but one, can face a board with at most one
# animal, white having released only.
LATE = {SMALL: 10, PLUS: 12}


def field(size: int, pieces: Mapping[str, Iterable[int]]) -> str:
    """Return a board field of a position text from the spaces of each letter."""
    letters = ["."] * (size * size)
    for letter, spaces in pieces.items():
        for space in spaces:
            assert letters[space] == "."
            letters[space] = letter
    rows = ["".join(letters[start : start + size]) for start in range(0, size * size, size)]
    for run in range(size, 0, -1):
        rows = [row.replace("." * run, str(run)) for row in rows]
    return "/".join(rows)


def full_animals(game: MammalathGame) -> list[str]:
    """Return a type letter for each space, eight or six of each, no two rows alike."""
    size = game.config.size
    return [
        game.config.letters[(col + row * (row + 1) // 2) % size]
        for row in range(size)
        for col in range(size)
    ]


def position(
    game: MammalathGame,
    animals: Iterable[int] | str,
    black: Iterable[int] | str,
    white: Iterable[int] | str,
    side: str,
    ply: int,
) -> Position:
    """Return a position from the spaces with animals and tokens, as names or numbers."""
    size = game.config.size
    letters = full_animals(game)
    standing: dict[str, list[int]] = {}
    for space in spaces_of(game, animals):
        standing.setdefault(letters[space], []).append(space)
    tokens = {"b": spaces_of(game, black), "w": spaces_of(game, white)}
    return game.from_text(f"{field(size, standing)} {field(size, tokens)} {side} {ply}")


def spaces_of(game: MammalathGame, spaces: Iterable[int] | str) -> list[int]:
    """Return space numbers for numbers or for names with blanks between."""
    if isinstance(spaces, str):
        return [parse_space(name, game.config.size) for name in spaces.split()]
    return list(spaces)


def play_text(start: Position, *moves: str) -> Position:
    """Return the position after moves in notation."""
    for move in moves:
        start = start.play(move)
    return start


def is_line(game: MammalathGame, spaces: Iterable[int]) -> bool:
    """Return whether `spaces` are a line or square, told by rows and columns alone."""
    size, length = game.config.size, game.config.line_length
    cells = sorted(divmod(space, size) for space in spaces)
    if len(cells) != length or len(set(cells)) != length:
        return False
    steps = {(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(cells)}
    if len(steps) == 1 and steps <= {(0, 1), (1, 1), (1, 0), (1, -1)}:
        return True
    (row, col), last = cells[0], cells[-1]
    square = [(row, col), (row, col + 1), (row + 1, col), (row + 1, col + 1)]
    return game.config.squares and last == square[-1] and cells == square


def names(game: MammalathGame, spaces: Iterable[int]) -> str:
    """Return the names of `spaces` with blanks between."""
    return " ".join(space_name(space, game.config.size) for space in spaces)
