"""Mammalath and Mammalath Plus, played with lists and loops (R1 to R15).

Nothing here is fast and nothing is shared with the package: every question is answered by
looking at the whole board again. Spaces are (row, column) pairs counted from the top left.
"""

from __future__ import annotations

from dataclasses import dataclass

Space = tuple[int, int]
Pattern = list[Space]

BLACK = 0
WHITE = 1
SIDES = "bw"
COLUMNS = "abcdefgh"
# East, south-east, south, south-west, as (row step, column step).
DIRECTIONS = [(0, 1), (1, 1), (1, 0), (1, -1)]


@dataclass(frozen=True)
class GameSize:
    """The differences between the two games (R1, R2, R13 to R15)."""

    size: int
    types: str
    tokens: int
    line: int
    squares: bool


SIZES = {
    "mammalath": GameSize(size=6, types="ABCDEF", tokens=18, line=3, squares=False),
    "mammalath_plus": GameSize(size=8, types="ABCDEFGH", tokens=32, line=4, squares=True),
}


def list_patterns(game: str) -> list[Pattern]:
    """Return the lines (R6), then in Plus the 2x2 squares (R15), in the order of their ids."""
    rules = SIZES[game]
    patterns: list[Pattern] = []
    for row in range(rules.size):
        for column in range(rules.size):
            for down, right in DIRECTIONS:
                line = [(row + i * down, column + i * right) for i in range(rules.line)]
                last_row, last_column = line[-1]
                if 0 <= last_row < rules.size and 0 <= last_column < rules.size:
                    patterns.append(line)
    if rules.squares:
        for row in range(rules.size - 1):
            for column in range(rules.size - 1):
                corner = (row, column)
                patterns.append(
                    [corner, (row, column + 1), (row + 1, column), (row + 1, column + 1)]
                )
    return patterns


SPACES = {
    game: [(row, column) for row in range(rules.size) for column in range(rules.size)]
    for game, rules in SIZES.items()
}
PATTERNS = {game: list_patterns(game) for game in SIZES}


def list_moves(game: str) -> list[tuple[str, int]]:
    """Return for each action id its kind and its number within that kind, swap last."""
    moves = [("place", number) for number in range(len(SPACES[game]))]
    moves += [("type", number) for number in range(len(SIZES[game].types))]
    moves += [("pattern", number) for number in range(len(PATTERNS[game]))]
    return [*moves, ("swap", 0)]


MOVES = {game: list_moves(game) for game in SIZES}


def _space_name(space: Space) -> str:
    row, column = space
    return f"{COLUMNS[column]}{row + 1}"


def _read_rows(field: str, size: int, letters: str, text: str) -> list[list[str]]:
    """Read one board field; an empty space becomes a full stop."""
    rows = []
    for part in field.split("/"):
        row: list[str] = []
        for character in part:
            if character in letters:
                row.append(character)
            elif character in "12345678":
                row.extend(["."] * int(character))
            else:
                raise ValueError(f"unexpected {character!r} in position {text!r}")
        if len(row) != size:
            raise ValueError(f"row {part!r} does not have {size} spaces in position {text!r}")
        rows.append(row)
    if len(rows) != size:
        raise ValueError(f"board {field!r} does not have {size} rows in position {text!r}")
    return rows


def _write_rows(rows: list[list[str]]) -> str:
    """Write one board field, runs of empty spaces as digits."""
    parts = []
    for row in rows:
        part = ""
        empty = 0
        for letter in row:
            if letter == ".":
                empty += 1
                continue
            if empty:
                part += str(empty)
                empty = 0
            part += letter
        if empty:
            part += str(empty)
        parts.append(part)
    return "/".join(parts)


class MammalathReference:
    """One game in progress or finished; `apply` changes it in place.

    Attributes:
        game: `mammalath` or `mammalath_plus`.
        swap_rule: Whether R8 is in force.
        animals: A type letter or a full stop for every space.
        tokens: `b`, `w` or a full stop for every space.
        to_move: 0 for black, 1 for white (R2); once finished, who would have been next.
        ply: Moves made so far.
        result: `b`, `w` or `draw`, and None while the game goes on.
        reason: `animals captured` (R9), `empty line` (R10), `tokens used up` (R11) or None.
    """

    def __init__(
        self,
        game: str,
        swap_rule: bool,
        animals: list[list[str]],
        tokens: list[list[str]],
        to_move: int,
        ply: int,
    ) -> None:
        """Take over a board as it is; `from_text` is the way in that checks it."""
        self.game = game
        self.swap_rule = swap_rule
        self.animals = animals
        self.tokens = tokens
        self.to_move = to_move
        self.ply = ply
        self.result: str | None = None
        self.reason: str | None = None

    @classmethod
    def from_text(
        cls, text: str, game: str = "mammalath", swap_rule: bool = True
    ) -> MammalathReference:
        """Read a position, finished ones with their result (R9 to R11).

        The side field names the next player, so the other one has made the last move. Raises
        ValueError for a text that `to_text` would not write or a position no game can reach
        for a plain reason: too many animals or tokens, or a game that must have ended earlier.
        """
        rules = SIZES[game]
        fields = text.split(" ")
        if len(fields) != 4 or fields[2] not in ("b", "w"):
            raise ValueError(f"not four fields with side b or w: {text!r}")
        if not (fields[3].isascii() and fields[3].isdigit()):
            raise ValueError(f"plies played is not a number in position {text!r}")
        position = cls(
            game,
            swap_rule,
            _read_rows(fields[0], rules.size, rules.types, text),
            _read_rows(fields[1], rules.size, SIDES, text),
            SIDES.index(fields[2]),
            int(fields[3]),
        )
        if position.to_text() != text:
            raise ValueError(f"not written in the usual form: {text!r}")
        position._check(text)
        position._settle(1 - position.to_move)
        return position

    def copy(self) -> MammalathReference:
        """Return an independent copy."""
        other = MammalathReference(
            self.game,
            self.swap_rule,
            [list(row) for row in self.animals],
            [list(row) for row in self.tokens],
            self.to_move,
            self.ply,
        )
        other.result = self.result
        other.reason = self.reason
        return other

    def to_text(self) -> str:
        """Write the position in its four fields."""
        animals = _write_rows(self.animals)
        tokens = _write_rows(self.tokens)
        return f"{animals} {tokens} {SIDES[self.to_move]} {self.ply}"

    def legal_actions(self) -> list[int]:
        """Return the ids the player to move may choose (R3 to R8), ascending."""
        if self.result is not None:
            return []
        standing = self._spaces_of(self.animals, self._rules().types)
        return [action for action in range(self._num_actions()) if self._is_legal(action, standing)]

    def apply(self, action: int) -> None:
        """Make a move and see whether it ends the game; ValueError if it is illegal."""
        if self.result is not None or not 0 <= action < self._num_actions():
            raise ValueError(f"illegal action {action} in {self.to_text()!r}")
        if not self._is_legal(action, self._spaces_of(self.animals, self._rules().types)):
            raise ValueError(f"illegal action {action} in {self.to_text()!r}")
        mover = self.to_move
        kind, number = self._split(action)
        if kind == "place":
            row, column = divmod(number, self._rules().size)
            self.tokens[row][column] = SIDES[mover]
        elif kind == "type":
            letter = self._rules().types[number]
            for space in self._spaces():
                if self._animal(space) == letter:
                    self._remove_animal(space)
        elif kind == "pattern":
            for space in PATTERNS[self.game][number]:
                self._remove_animal(space)
        else:
            for row, column in self._spaces():
                if self.tokens[row][column] == SIDES[1 - mover]:
                    self.tokens[row][column] = SIDES[mover]
        self.to_move = 1 - mover
        self.ply += 1
        self._settle(mover)

    def format_move(self, action: int) -> str:
        """Write an action as `c4`, `xF`, `xa1-c3` or `swap`."""
        if not 0 <= action < self._num_actions():
            raise ValueError(f"no action {action} in {self.game}")
        kind, number = self._split(action)
        if kind == "place":
            return _space_name(divmod(number, self._rules().size))
        if kind == "type":
            return "x" + self._rules().types[number]
        if kind == "pattern":
            pattern = PATTERNS[self.game][number]
            return f"x{_space_name(pattern[0])}-{_space_name(pattern[-1])}"
        return "swap"

    def parse_move(self, text: str) -> int:
        """Return the id of a move's text, the ends of a release in either order.

        The move need not be legal here; ValueError if it is no move of this game at all.
        """
        turned = text
        if "-" in text:
            first, _, last = text[1:].partition("-")
            turned = f"{text[0]}{last}-{first}"
        for action in range(self._num_actions()):
            if self.format_move(action) in (text, turned):
                return action
        raise ValueError(f"no move {text!r} in {self.game}")

    def planes(self, player: int) -> list[list[list[int]]]:
        """Return the observation of a player as rows x columns x planes.

        One plane for each animal type, the player's tokens, the opponent's tokens, whether swap
        is legal now, and whether `to_move` is the player, which still names the next player
        after the end.
        """
        swap = int(self.result is None and self._swap_is_legal())
        turn = int(self.to_move == player)
        board = []
        for row in range(self._rules().size):
            line = []
            for column in range(self._rules().size):
                animal = self.animals[row][column]
                token = self.tokens[row][column]
                entry = [int(animal == letter) for letter in self._rules().types]
                entry.append(int(token == SIDES[player]))
                entry.append(int(token == SIDES[1 - player]))
                entry.append(swap)
                entry.append(turn)
                line.append(entry)
            board.append(line)
        return board

    def _rules(self) -> GameSize:
        return SIZES[self.game]

    def _spaces(self) -> list[Space]:
        return SPACES[self.game]

    def _spaces_of(self, board: list[list[str]], letters: str) -> set[Space]:
        """Return the spaces of a board that hold one of the letters."""
        return {(row, column) for row, column in self._spaces() if board[row][column] in letters}

    def _animal(self, space: Space) -> str:
        row, column = space
        return self.animals[row][column]

    def _token(self, space: Space) -> str:
        row, column = space
        return self.tokens[row][column]

    def _remove_animal(self, space: Space) -> None:
        row, column = space
        self.animals[row][column] = "."

    def _count_tokens(self, player: int) -> int:
        return sum(row.count(SIDES[player]) for row in self.tokens)

    def _num_actions(self) -> int:
        return len(MOVES[self.game]) - int(not self.swap_rule)

    def _split(self, action: int) -> tuple[str, int]:
        """Name the kind of an action and its number within that kind."""
        return MOVES[self.game][action]

    def _swap_is_legal(self) -> bool:
        return self.swap_rule and self.ply == 1

    def _is_legal(self, action: int, standing: set[Space]) -> bool:
        """Judge one action while the game is going on, given the spaces where animals stand."""
        kind, number = self._split(action)
        if kind == "place":  # R4
            return self._token(divmod(number, self._rules().size)) == "."
        if self.ply == 0:  # R7
            return False
        if kind == "type":  # R5
            letter = self._rules().types[number]
            return any(letter in row for row in self.animals)
        if kind == "pattern":  # R6, R15
            return standing.issuperset(PATTERNS[self.game][number])
        return self._swap_is_legal()  # R8

    def _held_patterns(self, player: int) -> list[Pattern]:
        own = self._spaces_of(self.tokens, SIDES[player])
        return [pattern for pattern in PATTERNS[self.game] if own.issuperset(pattern)]

    def _settle(self, mover: int) -> None:
        """Decide whether the last move of `mover` has ended the game (R9 to R11)."""
        held = self._held_patterns(mover)
        if any(self._animal(space) != "." for pattern in held for space in pattern):
            self.result = SIDES[1 - mover]
            self.reason = "animals captured"
        elif held:
            self.result = SIDES[mover]
            self.reason = "empty line"
        elif self._count_tokens(mover) == self._rules().tokens:
            self.result = "draw"
            self.reason = "tokens used up"

    def _check(self, text: str) -> None:
        """Raise ValueError for what no game can show (R1, R2, R7, R12)."""
        rules = self._rules()
        letters = [self._animal(space) for space in self._spaces()]
        for letter in rules.types:
            if letters.count(letter) > rules.size:
                raise ValueError(f"too many animals {letter} in position {text!r}")
        placed = [self._count_tokens(player) for player in (BLACK, WHITE)]
        if max(placed) > rules.tokens or sum(placed) > self.ply:
            raise ValueError(f"too many tokens in position {text!r}")
        if self.ply <= 1 and ("." in letters or placed[self.to_move] != 0):
            raise ValueError(f"not a position after {self.ply} plies: {text!r}")
        if self.ply >= 1 and sum(placed) == 0:
            raise ValueError(f"no token in position {text!r}")
        if placed[self.to_move] == rules.tokens or self._held_patterns(self.to_move):
            raise ValueError(f"the game ended before this position: {text!r}")
