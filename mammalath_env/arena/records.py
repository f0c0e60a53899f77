"""Records of games: one JSON object a line, which replays to the end that it claims."""

from __future__ import annotations

import dataclasses
import json
import math
import platform
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np

from mammalath_env.arena.decoding import DecodingError, cut, decode, shorten
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.games import make_game

FORMAT = 3
"""The version of the record format, the member ``format`` of every line."""

FORMATS = (1, 2, FORMAT)
"""The versions that are read.

Records of version 1 lack ``traceback`` and ``seconds``, those of version 2 ``time_control``.
"""

RECORD_STARTS = tuple(b'{"format":%d,' % version for version in FORMATS)
"""The first bytes of a line that `GameRecord.to_json` wrote, in each version."""

ILLEGAL_MOVE = "illegal move"
AGENT_FAILED = "agent failed"
OUT_OF_TIME = "out of time"
RESIGNED = "resigned"
UNFINISHED = "unfinished"

FORFEITS = (ILLEGAL_MOVE, AGENT_FAILED, OUT_OF_TIME, RESIGNED)
"""Reasons for which a game is lost by an offender before the rules end it."""

_MAX_MESSAGE = 500


Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
"""An integer of at least 0, in JSON."""

Player: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1)]
"""The number of a player, in JSON."""


class RecordError(ValueError):
    """A record that cannot be read, or that contradicts the rules or itself.

    Attributes:
        line: The line of the file, from 1, or None.
        ply: The move in the record, from 1, or None.
    """

    def __init__(self, message: str, line: int | None = None, ply: int | None = None) -> None:
        """Store the place of the error and its message, cut to a limit."""
        super().__init__(cut(message, _MAX_MESSAGE))
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
        players: Names of the agents that played player 0 and player 1.
        winner: 0, 1, or None for a draw or an unfinished game.
        reason: Label of the termination (`Termination.label`), one of `FORFEITS`, or
            `UNFINISHED`.
        offender: The player who lost by one of `FORFEITS`, else None. It is the player to move,
            unless it resigned, or its agent could not be built and there are no moves.
        detail: A description of what the offender did, or None.
        traceback: Where in the code of the offender's agent the error was raised, at most
            `MAX_TRACEBACK` characters, or None. It has no part in comparisons.
        agent_seeds: Seeds of the agents of player 0 and player 1, None where there was none.
        deal_seed: Seed of the deal, or None if the start position was given.
        evaluations: For each move, the mover's evaluation of the position before it, for player 0,
            from -1 to 1, or None; or None if there are no evaluations at all.
        seconds: For each move, the time in seconds that the mover took; None if it was not
            measured. It has no part in comparisons, as no two games take the same time.
        time_control: The time of the players, as `TimeControl.text`, or None if it was not limited.
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
    traceback: str | None = dataclasses.field(default=None, compare=False)
    agent_seeds: tuple[int | None, int | None] = (None, None)
    deal_seed: int | None = None
    evaluations: tuple[float | None, ...] | None = None
    seconds: tuple[float, ...] | None = dataclasses.field(default=None, compare=False)
    time_control: str | None = None
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
        """Return the positions of the game, one more than moves; errors are those of `replay`."""
        return [position for position, _ in self.replay()]

    def actions(self) -> list[int]:
        """Return the actions of the game; errors are those of `replay`."""
        return [action for _, action in self.replay() if action is not None]

    def validate(self) -> None:
        """Replay the game and compare its end with the result.

        Raises:
            RecordError: A move is not possible, the result is not that of the moves, there are not
                as many evaluations or times as moves, or one is out of range.
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
        elif self.reason in (AGENT_FAILED, OUT_OF_TIME) and not self.moves:
            pass  # agents are built before the first move, and either may fail then
        elif self.reason != RESIGNED and self.offender != last.to_move:
            raise RecordError(f"after {self.reason!r} the offender must be the player to move")
        if self.seconds is not None and len(self.seconds) != len(self.moves):
            raise RecordError(f"there are {len(self.seconds)} times of {len(self.moves)} moves")
        for time in self.seconds or ():
            if not 0 <= time < math.inf:
                raise RecordError(f"a time must be at least 0 seconds and finite, not {time}")

    def to_json(self) -> str:
        """Return the record as one line of JSON in ASCII, without a line break."""
        data = {"format": FORMAT, **members_of(vars(self))}
        return json.dumps(data, separators=(",", ":"), allow_nan=False, default=dataclasses.asdict)

    @classmethod
    def from_json(cls, text: str, line: int | None = None) -> GameRecord:
        """Return the record in a line of JSON, validated by replaying it.

        Args:
            text: A line that `to_json` could have written; anyone may have written it.
            line: Its number, for errors.

        Raises:
            RecordError: It is not a record, or `validate` objects.
        """
        try:
            members = decode(text, RecordMembers, FORMATS)
            record = members.to_record()
        except DecodingError as error:
            raise RecordError(str(error), line) from error
        try:
            record.validate()
        except RecordError as error:
            error.line = line
            raise
        return record


def members_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return `fields` for JSON, with the name and the options of the game in place of ``game``."""
    members = dict(fields)
    game: Game = members.pop("game")
    return {"game": game.name, "options": game.options, **members}


class GameMembers(msgspec.Struct, forbid_unknown_fields=True):
    """The members of a JSON object that describe a game."""

    game: str
    options: dict[str, str | int | float | bool | None]

    def make_game(self) -> Game:
        """Return the game.

        Raises:
            DecodingError: There is no such game or option.
        """
        try:
            return make_game(self.game, **self.options)
        except (TypeError, ValueError) as error:
            raise DecodingError(str(error)) from None


class _MatchMembers(msgspec.Struct, forbid_unknown_fields=True):
    agents: tuple[str, str]
    seed: Whole
    index: Whole


class RecordMembers(GameMembers):
    """The members of a record, a JSON object."""

    format: int
    start: str
    moves: tuple[str, ...]
    players: tuple[str, str]
    winner: Player | None
    reason: str
    offender: Player | None
    detail: str | None
    agent_seeds: tuple[Whole | None, Whole | None]
    deal_seed: Whole | None
    evaluations: tuple[float | None, ...] | None
    match: _MatchMembers | None
    versions: dict[str, str]
    traceback: str | None = None
    seconds: tuple[float, ...] | None = None
    time_control: str | None = None

    def to_record(self) -> GameRecord:
        """Return the record; a DecodingError says that there is no such game."""
        values = msgspec.structs.asdict(self)
        del values["format"], values["options"]
        values["game"] = self.make_game()
        if self.match is not None:
            values["match"] = MatchPlace(**msgspec.structs.asdict(self.match))
        return GameRecord(**values)


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema of a record, one line of a file."""
    return msgspec.json.schema(RecordMembers)


def _result(winner: int | None, reason: str, offender: int | None) -> str:
    who = "no winner" if winner is None else f"a win of player {winner}"
    by = "" if offender is None else f" with offender {offender}"
    return f"{who} by {shorten(reason)}{by}"
