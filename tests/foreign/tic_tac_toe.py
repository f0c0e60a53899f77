"""Tic-tac-toe, as a game outside of the package: rules as kernels, texts, and the game object.

Crosses and noughts take turns to mark one of nine spaces. Three marks in a row, column or diagonal
win; a full board without them is a draw. Either may begin.

A position is a row of three words:

====  ===============================================================
word  content
====  ===============================================================
0     status, see `mammalath_env.core.status`
1     the spaces that player 0, crosses, has marked; bit 0 is ``a1``
2     the spaces that player 1, noughts, has marked
====  ===============================================================

Spaces are numbered row by row, and action k marks space k.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import ONE, ZERO, Int8s, Words, popcount
from mammalath_env.core.errors import InvalidMoveError, PositionError
from mammalath_env.core.game import Game
from mammalath_env.core.grid import lines, parse_space, space_name
from mammalath_env.core.jit import kernel
from mammalath_env.core.outcome import Termination
from mammalath_env.core.position import LastMove, Position
from mammalath_env.core.rules import Rules, Tables, pack_tables
from mammalath_env.core.stream import next_below

SIZE = 3
NUM_SPACES = SIZE * SIZE
NUM_PLANES = 4
MARKS_WORD = 1
"""Word of player 0's marks; player 1's follows."""
NUM_WORDS = 3
MARKS = "xo"

_BOARD = np.uint64((1 << NUM_SPACES) - 1)
_TWO_MARKS = 10
"""Worth of two marks in an open line; one is worth 1."""


class TicTacToeTermination(Termination):
    """Why a game ended."""

    LINE = 1
    """Three marks in a line."""
    BOARD_FULL = 2
    """No space is left: a draw."""


_LINE = int(TicTacToeTermination.LINE)
_BOARD_FULL = int(TicTacToeTermination.BOARD_FULL)


# The rules. What each kernel must do stands in `mammalath_env.core.rules`.


@kernel
def deal(tables: Tables, row: Words, stream: Words, first_player: int) -> None:
    """Write the empty board, with the first player drawn if -1."""
    drawn = next_below(stream, 2)
    status.start(row, drawn if first_player < 0 else first_player, 0)
    row[MARKS_WORD] = ZERO
    row[MARKS_WORD + 1] = ZERO


@kernel
def write_legal(tables: Tables, row: Words, legal: Words) -> None:
    """Write the empty spaces, none after the end."""
    legal[0] = ZERO
    if not status.is_over(row):
        legal[0] = _BOARD & ~(row[MARKS_WORD] | row[MARKS_WORD + 1])


@kernel
def apply(tables: Tables, row: Words, action: int) -> None:
    """Mark a space, and end the game if that decides it."""
    mover = status.to_move(row)
    row[MARKS_WORD + mover] |= ONE << np.uint64(action)
    status.pass_turn(row)
    end_game_if_decided(tables, row)


@kernel
def end_game_if_decided(tables: Tables, row: Words) -> None:
    """End the game if the ply that led to `row` has made a line or filled the board."""
    waiting = 1 - status.to_move(row)
    if has_line(tables, row[MARKS_WORD + waiting]):
        status.finish(row, waiting, _LINE)
    elif status.ply(row) == NUM_SPACES:
        status.finish(row, status.DRAW, _BOARD_FULL)


@kernel
def has_line(tables: Tables, marks: np.uint64) -> bool:
    """Return whether `marks` hold a whole line."""
    for k in range(len(tables[0]["tic_tac_toe_lines"])):
        line = tables[0]["tic_tac_toe_lines"][k]
        if marks & line == line:
            return True
    return False


@kernel
def return_of_player_0(tables: Tables, row: Words) -> int:
    """Return 1 if player 0 has won, -1 if player 1 has, else 0."""
    return status.outcome_return(row)


@kernel
def write_observation(
    tables: Tables, row: Words, player: int, channels_first: bool, out: Int8s
) -> None:
    """Write planes: own marks, the opponent's, empty spaces, ones if `player` is to move."""
    own = row[MARKS_WORD + player]
    other = row[MARKS_WORD + 1 - player]
    empty = _BOARD & ~(own | other)
    for space in range(NUM_SPACES):
        # Where the entry of the first plane is, and how far it is to the next plane's.
        first = space if channels_first else NUM_PLANES * space
        step = NUM_SPACES if channels_first else 1
        out[first] = (own >> np.uint64(space)) & ONE
        out[first + step] = (other >> np.uint64(space)) & ONE
        out[first + 2 * step] = (empty >> np.uint64(space)) & ONE
        out[first + 3 * step] = 1 if status.to_move(row) == player else 0


# What agents ask.


@kernel
def threats(tables: Tables, own: np.uint64, other: np.uint64) -> np.uint64:
    """Return the empty spaces that complete a line of the marks `own`."""
    found = ZERO
    for k in range(len(tables[0]["tic_tac_toe_lines"])):
        missing = tables[0]["tic_tac_toe_lines"][k] & ~own
        if popcount(missing) == 1 and missing & other == ZERO:
            found |= missing
    return found


@kernel
def can_win(tables: Tables, row: Words) -> bool:
    """Return whether the player to move can complete a line."""
    mover = status.to_move(row)
    return threats(tables, row[MARKS_WORD + mover], row[MARKS_WORD + 1 - mover]) != ZERO


@kernel
def must_lose(tables: Tables, row: Words) -> bool:
    """Return whether the waiting player has two threats, of which one move blocks only one."""
    mover = status.to_move(row)
    return popcount(threats(tables, row[MARKS_WORD + 1 - mover], row[MARKS_WORD + mover])) > 1


@kernel
def evaluate(tables: Tables, row: Words, player: int) -> int:
    """Return the worth of the lines still open to `player` less those open to the opponent."""
    own = row[MARKS_WORD + player]
    other = row[MARKS_WORD + 1 - player]
    total = 0
    for k in range(len(tables[0]["tic_tac_toe_lines"])):
        line = tables[0]["tic_tac_toe_lines"][k]
        if other & line == ZERO:
            total += line_worth(popcount(own & line))
        if own & line == ZERO:
            total -= line_worth(popcount(other & line))
    return total


@kernel
def line_worth(count: int) -> int:
    """Return the worth of an open line with `count` marks, 0 to 2."""
    return _TWO_MARKS if count == 2 else count


RULES = Rules(
    apply=apply,
    write_legal=write_legal,
    write_observation=write_observation,
    deal=deal,
    return_of_player_0=return_of_player_0,
    can_win=can_win,
    must_lose=must_lose,
    evaluate=evaluate,
)


def make_tables() -> Tables:
    """Return the constants: the eight lines as sets of spaces.

    The name of the field is that of the game: no other game may have tables of the same type.
    """
    words = [sum(1 << space for space in line) for line in lines(SIZE, SIZE)]
    return pack_tables({"tic_tac_toe_lines": np.array(words, np.uint64)})


# Texts, and what a move does.


def format_position(row: Words) -> str:
    """Return the rows of the board and the player to move, such as ``xo./.x./..o x``."""
    marks = [int(word) for word in row[MARKS_WORD:]]
    letters = [
        next((MARKS[player] for player in (0, 1) if marks[player] >> space & 1), ".")
        for space in range(NUM_SPACES)
    ]
    board = "/".join("".join(letters[k : k + SIZE]) for k in range(0, NUM_SPACES, SIZE))
    return f"{board} {MARKS[status.read_status(row).to_move]}"


def parse_position(tables: Tables, text: str) -> Words:
    """Return the row that `text` describes.

    The plies and the end of the game follow from the board.

    Raises:
        PositionError: `text` has another form, or no game leads to the position.
    """
    board, _, side = text.partition(" ")
    if [len(part) for part in board.split("/")] != [SIZE] * SIZE or not set(board) <= set("xo./"):
        raise PositionError("expected three rows of 'x', 'o' and '.', with '/' between them")
    if side not in tuple(MARKS):
        raise PositionError(f"the player to move must be 'x' or 'o', not {side!r}")
    mover = MARKS.index(side)
    letters = board.replace("/", "")
    counts = [letters.count(mark) for mark in MARKS]
    if not 0 <= counts[1 - mover] - counts[mover] <= 1:
        raise PositionError(f"{counts[0]} crosses and {counts[1]} noughts, and {side} to move")
    row = np.zeros(NUM_WORDS, np.uint64)
    status.start(row, mover, sum(counts))
    for player in (0, 1):
        row[MARKS_WORD + player] = sum(
            1 << space for space, letter in enumerate(letters) if letter == MARKS[player]
        )
    if has_line(tables, row[MARKS_WORD + mover]):
        raise PositionError(f"{side} is to move, but has a line and won before")
    end_game_if_decided(tables, row)
    return row


@dataclasses.dataclass(frozen=True)
class TicTacToeEffect:
    """What a move does.

    Attributes:
        space: The space that is marked.
        lines: The lines that this completes, as spaces.
    """

    space: int
    lines: tuple[tuple[int, ...], ...]


def draw(position: Position, last: LastMove | None, ascii_only: bool) -> str:
    """Return a picture for terminals, as `mammalath_env.rendering.PICTURES` describes."""
    board, side = position.to_text().split(" ")
    outcome = position.outcome
    if outcome is None:
        state = f"{side} to move"
    else:
        state = "draw" if outcome.winner is None else f"{MARKS[outcome.winner]} has won"
    move = "" if last is None else f" after {last[0].move_text(last[1])}"
    return "\n".join([*board.split("/"), state + move])


class TicTacToe(Game):
    """Tic-tac-toe, which has no options."""

    termination = TicTacToeTermination
    player_names = ("crosses", "noughts")

    def __init__(self) -> None:
        """Build the constants of the game."""
        super().__init__(
            name="tic_tac_toe",
            title="Tic-tac-toe",
            options={},
            tables=make_tables(),
            rules=RULES,
            num_words=NUM_WORDS,
            num_actions=NUM_SPACES,
            observation_shape=(SIZE, SIZE, NUM_PLANES),
            observation_high=1,
            max_plies=NUM_SPACES,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return TicTacToe, ()

    def _parse_row(self, given: str) -> Words:
        return parse_position(self.tables, given)

    def _format_row(self, row: Words) -> str:
        return format_position(row)

    def _format_move(self, action: int, position: Position) -> str:
        return space_name(action, SIZE)

    def _parse_move(self, given: str, position: Position) -> int:
        try:
            return parse_space(given, SIZE)
        except ValueError as error:
            raise InvalidMoveError(f"{given!r} is not a move of {self.title}: {error}") from None

    def _effect(self, action: int, position: Position, after: Position) -> TicTacToeEffect:
        marks = int(after.row[MARKS_WORD + position.to_move])
        completed = [
            line
            for line in lines(SIZE, SIZE)
            if action in line and all(marks >> space & 1 for space in line)
        ]
        return TicTacToeEffect(action, tuple(completed))
