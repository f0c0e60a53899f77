"""Records of games: one JSON object a line, which replays to the end that it claims."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import platform
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from mammalath_env.arena.fields import FieldError, Fields, NotJSONError, parse_json, shorten
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.games import make_game

FORMAT = 1
"""The version of the record format, the member ``format`` of every line."""

RECORD_START = b'{"format":%d,' % FORMAT
"""How every line begins that `GameRecord.to_json` writes."""

ILLEGAL_MOVE = "illegal move"
AGENT_FAILED = "agent failed"
RESIGNED = "resigned"
UNFINISHED = "unfinished"

FORFEITS = (ILLEGAL_MOVE, AGENT_FAILED, RESIGNED)
"""Reasons for which a game is lost by an offender before the rules end it."""

MAX_LINE_BYTES = 1 << 20
"""A longer line of a file is not read: no game needs as much."""

_MAX_MESSAGE = 500


class RecordError(ValueError):
    """A record that cannot be read, or that contradicts the rules or itself.

    Attributes:
        line: The line of the file, from 1, or None.
        ply: The move in the record, from 1, or None.
    """

    def __init__(self, message: str, line: int | None = None, ply: int | None = None) -> None:
        """Store what is wrong, cut where it quotes too much, and where."""
        cut = message if len(message) <= _MAX_MESSAGE else message[: _MAX_MESSAGE - 3] + "..."
        super().__init__(cut)
        self.line = line
        self.ply = ply

    def __str__(self) -> str:
        places = {"line": self.line, "ply": self.ply}
        where = ", ".join(f"{name} {number}" for name, number in places.items() if number)
        message = super().__str__()
        return f"{where}: {message}" if where else message


@dataclasses.dataclass(frozen=True)
class MatchPlace:
    """Where a game belongs in a match.

    Attributes:
        agents: Names of the first and the second agent of the match.
        seed: Seed of the match.
        index: Number of the game: deal ``index // 2``; the first agent moves first in even games.
    """

    agents: tuple[str, str]
    seed: int
    index: int


def versions() -> dict[str, str]:
    """Return the versions that a game depends on: of the package, of NumPy and of Python."""
    from mammalath_env import __version__

    return {
        "mammalath_env": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


@dataclasses.dataclass(frozen=True)
class GameRecord:
    """A game that was played, from its start position to its end.

    Creating one checks nothing; `validate` replays it.

    Attributes:
        game: The game with its options.
        start: Text of the start position.
        moves: The moves in notation.
        players: Names of who played player 0 and player 1.
        winner: 0, 1, or None for a draw or an unfinished game.
        reason: Label of the termination (`Termination.label`), one of `FORFEITS`, or
            `UNFINISHED`.
        offender: The player who lost by one of `FORFEITS`, else None. It is the player to move,
            unless it resigned, or its agent could not be made and there are no moves.
        detail: What the offender did, for people, or None.
        agent_seeds: Seeds of the agents of player 0 and player 1, None where there was none.
        deal_seed: Seed of the deal, or None if the start position was given.
        evaluations: For each move, what the position before it seemed worth to player 0, from
            -1 to 1, or None; or None if there are no evaluations at all.
        match: The match that the game belongs to, or None.
        versions: What `versions` returned when the game was played.
    """

    game: Game
    start: str
    moves: tuple[str, ...]
    players: tuple[str, str]
    winner: int | None
    reason: str
    offender: int | None = None
    detail: str | None = None
    agent_seeds: tuple[int | None, int | None] = (None, None)
    deal_seed: int | None = None
    evaluations: tuple[float | None, ...] | None = None
    match: MatchPlace | None = None
    versions: dict[str, str] = dataclasses.field(default_factory=versions, hash=False)

    @property
    def first_player(self) -> int:
        """The player who moved first, 0 or 1."""
        return self.game.from_text(self.start).to_move

    @property
    def is_draw(self) -> bool:
        """Whether the game was drawn; an unfinished game was not."""
        return self.winner is None and self.reason != UNFINISHED

    def replay(self) -> Iterator[tuple[Position, int | None]]:
        """Play the game again.

        Yields:
            Each position with the action that was played in it, the last one with None.

        Raises:
            RecordError: The start position or a move is not possible.
        """
        try:
            position = self.game.from_text(self.start)
        except ValueError as error:
            raise RecordError(str(error)) from None
        for ply, text in enumerate(self.moves, start=1):
            try:
                action = self.game.parse_move(text, position)
                following = position.play(action)
            except ValueError as error:
                raise RecordError(str(error), ply=ply) from None
            yield position, action
            position = following
        yield position, None

    def positions(self) -> list[Position]:
        """Return the positions of the game, one more than there are moves.

        Raises:
            RecordError: The start position or a move is not possible.
        """
        return [position for position, _ in self.replay()]

    def actions(self) -> list[int]:
        """Return the actions of the game.

        Raises:
            RecordError: The start position or a move is not possible.
        """
        return [action for _, action in self.replay() if action is not None]

    def validate(self) -> None:
        """Replay the game and compare its end with the result.

        Raises:
            RecordError: A move is not possible, the result is not that of the moves, there are not
                as many evaluations as moves, or one is not from -1 to 1.
        """
        last = self.positions()[-1]
        if self.evaluations is not None and len(self.evaluations) != len(self.moves):
            raise RecordError(
                f"there are {len(self.evaluations)} evaluations of {len(self.moves)} moves"
            )
        for value in self.evaluations or ():
            if value is not None and not -1 <= value <= 1:
                raise RecordError(f"an evaluation must be from -1 to 1, not {value}")
        claimed = (self.winner, self.reason, self.offender)
        outcome = last.outcome
        if outcome is not None:
            found = (outcome.winner, outcome.termination.label, None)
            if claimed != found:
                raise RecordError(f"the moves lead to {_result(*found)}, not {_result(*claimed)}")
        elif self.reason == UNFINISHED:
            if claimed != (None, UNFINISHED, None):
                raise RecordError("an unfinished game has no winner and no offender")
        elif self.reason not in FORFEITS:
            raise RecordError(f"the game is not over after its moves, not {_result(*claimed)}")
        elif self.offender not in (0, 1) or self.winner != 1 - self.offender:
            raise RecordError(f"after {self.reason!r} the winner must be whom the offender met")
        elif self.reason == AGENT_FAILED and not self.moves:
            pass  # agents are made before the first move, and either may fail then
        elif self.reason != RESIGNED and self.offender != last.to_move:
            raise RecordError(f"after {self.reason!r} the offender must be the player to move")

    def to_json(self) -> str:
        """Return the record as one line of JSON in ASCII, without a line break."""
        data: dict[str, Any] = {
            "format": FORMAT,
            "game": self.game.name,
            "options": self.game.options,
            "start": self.start,
            "moves": self.moves,
            "players": self.players,
            "winner": self.winner,
            "reason": self.reason,
            "offender": self.offender,
            "detail": self.detail,
            "agent_seeds": self.agent_seeds,
            "deal_seed": self.deal_seed,
            "evaluations": self.evaluations,
            "match": None if self.match is None else dataclasses.asdict(self.match),
            "versions": self.versions,
        }
        return json.dumps(data, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, text: str, line: int | None = None) -> GameRecord:
        """Return the record in a line of JSON, replayed and found right.

        Args:
            text: A line that `to_json` could have written; anyone may have written it.
            line: Its number, for errors.

        Raises:
            RecordError: It is not a record, or `validate` objects.
        """
        try:
            record = cls._from_fields(Fields(parse_json(text), "a record"))
        except FieldError as error:
            raise RecordError(str(error), line) from error
        try:
            record.validate()
        except RecordError as error:
            error.line = line
            raise
        return record

    @classmethod
    def _from_fields(cls, fields: Fields) -> GameRecord:
        version = fields.whole("format")
        if version != FORMAT:
            raise FieldError(f"expected record format {FORMAT}, not {version}")
        record = cls(
            game=read_game(fields),
            start=fields.text("start"),
            moves=fields.texts("moves"),
            players=fields.pair_of_texts("players"),
            winner=fields.optional_whole("winner", 1),
            reason=fields.text("reason"),
            offender=fields.optional_whole("offender", 1),
            detail=fields.optional_text("detail"),
            agent_seeds=fields.pair_of_optional_wholes("agent_seeds"),
            deal_seed=fields.optional_whole("deal_seed"),
            evaluations=fields.optional_numbers("evaluations"),
            match=_read_place(fields.optional_object("match")),
            versions=fields.text_values("versions"),
        )
        fields.finish()
        return record


def read_game(fields: Fields) -> Game:
    """Return the game that the members ``game`` and ``options`` describe.

    Raises:
        FieldError: There is no such game or option.
    """
    name, options = fields.text("game"), fields.plain_values("options")
    try:
        return make_game(name, **options)
    except (TypeError, ValueError) as error:
        raise FieldError(str(error)) from None


def _read_place(fields: Fields | None) -> MatchPlace | None:
    if fields is None:
        return None
    place = MatchPlace(
        agents=fields.pair_of_texts("agents"),
        seed=fields.whole("seed"),
        index=fields.whole("index"),
    )
    fields.finish()
    return place


def _result(winner: int | None, reason: str, offender: int | None) -> str:
    who = "no winner" if winner is None else f"a win of player {winner}"
    by = "" if offender is None else f" with offender {offender}"
    return f"{who} by {shorten(reason)}{by}"


def read_records(
    path: str | os.PathLike[str], *, whole_lines_only: bool = False
) -> list[GameRecord]:
    """Return the records of a file, each replayed and found right.

    Args:
        path: The file; anyone may have written it.
        whole_lines_only: Leave out a last line that does not end with a line break.

    Raises:
        OSError: The file cannot be read.
        RecordError: A line is not a record; the message begins with its number, and with the ply
            if a move is wrong. No line may be empty, and the last one may not be cut off.
    """
    records = []
    with Path(path).open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), 1):
            if whole_lines_only and not line.endswith(b"\n") and len(line) <= MAX_LINE_BYTES:
                break
            if len(line) > MAX_LINE_BYTES:
                raise RecordError(f"longer than {MAX_LINE_BYTES} bytes", number)
            try:
                records.append(GameRecord.from_json(line.decode("utf-8"), number))
            except UnicodeDecodeError as error:
                raise RecordError(f"not UTF-8: {error.reason}", number) from None
            except RecordError as error:
                if line.endswith(b"\n") or not isinstance(error.__cause__, NotJSONError):
                    raise
                message = f"the last line is cut off: {error.args[0]}"
                raise RecordError(message, number) from None
    return records


def write_record(target: str | os.PathLike[str] | IO[str], record: GameRecord) -> None:
    """Append a record to a file, so that it is on the disk before this returns.

    Args:
        target: A path, whose file is created if need be, or an open text file.
        record: What to append, as one line.

    Raises:
        OSError: The file cannot be written.
        RecordError: The last line of the file at this path is cut off.
    """
    line = record.to_json() + "\n"
    if not isinstance(target, (str, os.PathLike)):
        _write_line(target, line)
        return
    with _open_to_append(Path(target)) as file:
        _write_line(file, line)


def check_appendable(path: str | os.PathLike[str]) -> None:
    """Check that `write_record` can append to a file, which is created if need be.

    Raises:
        OSError: The file cannot be written.
        RecordError: Its last line is cut off.
    """
    _open_to_append(Path(path)).close()


def _open_to_append(path: Path) -> IO[str]:
    file = path.open("a", encoding="utf-8", newline="\n")
    if _ends_with_line_break(path):
        return file
    file.close()
    raise RecordError(f"the last line of {str(path)!r} is cut off")


def _ends_with_line_break(path: Path) -> bool:
    """Return whether a file is empty, ends with a line break, or is a device or pipe."""
    if not path.is_file():
        return True
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _write_line(file: IO[str], line: str) -> None:
    file.write(line)
    file.flush()
    try:
        descriptor = file.fileno()
    except io.UnsupportedOperation:
        return
    # Devices and pipes, such as /dev/null and /dev/stdout, have no disk to reach.
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.fsync(descriptor)
