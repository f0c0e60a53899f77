"""Recorded games as one page to step through, without a server or a network.

The page knows no rules. What each position shows is written into it: the symbols of the drawings
once, each different content of a space once, and for each ply what changed on which space.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import importlib.resources
import json
from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

from mammalath_env.core.checks import checked_number
from mammalath_env.core.position import Position
from mammalath_env.core.texts import isolated, printable
from mammalath_env.rendering import scene_of
from mammalath_env.rendering.scene import Layout, Scene, label_of
from mammalath_env.rendering.shapes import Symbol
from mammalath_env.rendering.svg import definition, symbol_id

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
"""Digits of the numbers in changes: one for the slot, some for the content."""

Entry = TypeVar("Entry", bound=Hashable)


@dataclasses.dataclass(frozen=True)
class ReplayGame:
    """A game for the page.

    Attributes:
        positions: From the start to the end, one more than there are actions.
        actions: What was played.
        players: Names of who played player 0 and player 1; any text.
        result: Who won and why; any text.
        evaluations: For each action, the evaluation of the position before it for player 0, from
            -1 to 1, or None; or None if there are none. Stored as a list of float.

    Raises:
        ValueError: There is no position, there are not as many actions as positions after the
            first, not two players, or evaluations are not one for each action or not in -1 to 1.
        TypeError: Players are one text, or an evaluation is not a number.
    """

    positions: Sequence[Position]
    actions: Sequence[int]
    players: tuple[str, str]
    result: str
    evaluations: Sequence[float | None] | None = None

    def __post_init__(self) -> None:
        if not len(self.positions):
            raise ValueError("a game needs at least one position")
        if len(self.positions) != len(self.actions) + 1:
            raise ValueError(
                f"{len(self.actions)} actions lead to {len(self.actions) + 1} positions, "
                f"not to {len(self.positions)}"
            )
        if isinstance(self.players, str):
            raise TypeError(f"players are two names, not the text {self.players!r}")
        if len(self.players) != 2:
            raise ValueError(f"a game has two players, not {len(self.players)}")
        if self.evaluations is None:
            return
        if len(self.evaluations) != len(self.actions):
            raise ValueError(
                f"there must be an evaluation for each of {len(self.actions)} actions, "
                f"not {len(self.evaluations)}"
            )
        # As floats, since numbers of other types, such as NumPy's, cannot be written as JSON.
        checked = [
            value if value is None else checked_number("an evaluation", value, -1, 1)
            for value in self.evaluations
        ]
        object.__setattr__(self, "evaluations", checked)


def replay_page(games: Sequence[ReplayGame]) -> str:
    """Return a page of HTML that shows `games` and needs nothing else.

    Texts from the games are shown as text, whatever they hold. Characters in them that would
    reorder or break the line around them are replaced by U+FFFD.

    Raises:
        ValueError: There is no game, or an action of one does not lead to its next position.
    """
    if not games:
        raise ValueError("a page needs at least one game")
    tables = _Tables()
    written = [_write_game(game, tables) for game in games]
    data = {
        "digits": tables.num_digits,
        "symbols": [symbol_id(symbol) for symbol in tables.symbols.entries],
        "contents": [
            [tables.symbols.number(symbol) for symbol in symbols]
            for symbols in tables.contents.entries
        ],
        "labels": [label_of(symbols) for symbols in tables.contents.entries],
        "layouts": [_write_layout(layout) for layout in tables.layouts.entries],
        "games": [game.fields(tables) for game in written],
        "turns": tables.turns.entries,
        "texts": tables.texts.entries,
    }
    grounds = [layout.ground for layout in tables.layouts.entries]
    style, script = _asset("page.css"), _asset("page.js")
    values = {
        "POLICY": _policy(style, script),
        "STYLE": style,
        "SCRIPT": script,
        "SYMBOLS": "\n".join(map(definition, [*grounds, *tables.symbols.entries])),
        "DATA": _embedded(data),
    }
    page = _asset("page.html")
    # Cut at the marks of the template, so that no inserted text is searched for other marks.
    parts = page.split("@@")
    return "".join(values[part] if k % 2 else part for k, part in enumerate(parts))


class _Table(Generic[Entry]):
    """Entries that are written once and then called by their number."""

    def __init__(self, *entries: Entry) -> None:
        self.entries: list[Entry] = []
        self._numbers: dict[Entry, int] = {}
        for entry in entries:
            self.number(entry)

    def number(self, entry: Entry) -> int:
        """Return the number of `entry`, which is new or not."""
        number = self._numbers.setdefault(entry, len(self.entries))
        if number == len(self.entries):
            self.entries.append(entry)
        return number


class _Tables:
    """The tables that the games of a page share. Content 0 is that of an empty slot."""

    def __init__(self) -> None:
        self.symbols: _Table[Symbol] = _Table()
        self.contents: _Table[tuple[Symbol, ...]] = _Table(())
        self.layouts: _Table[Layout] = _Table()
        self.texts: _Table[str] = _Table()
        self.turns: _Table[tuple[int, ...]] = _Table()

    @property
    def num_digits(self) -> int:
        """Digits of the number of a content."""
        digits = 1
        while len(DIGITS) ** digits < len(self.contents.entries):
            digits += 1
        return digits

    def turn(self, move: str, sentence: str, status: str) -> int:
        """Return the number of what is said about a position."""
        return self.turns.number(tuple(map(self.texts.number, (move, sentence, status))))

    def content(self, symbols: tuple[Symbol, ...]) -> int:
        """Return the number of a content whose symbols are written too."""
        for symbol in symbols:
            self.symbols.number(symbol)
        return self.contents.number(symbols)


@dataclasses.dataclass(frozen=True)
class _WrittenGame:
    """A game as numbers of table entries.

    Attributes:
        game: The game.
        layout: Of its board.
        changes: For each position, slots with their new contents.
        turns: For each position the move that led to it, the same as a sentence, and the status.
    """

    game: ReplayGame
    layout: int
    changes: list[list[tuple[int, int]]]
    turns: list[int]

    def fields(self, tables: _Tables) -> dict[str, Any]:
        """Return what the page reads, once all tables are filled."""
        first = self.game.positions[0]
        evaluations = self.game.evaluations
        return {
            "title": first.game.title,
            "sides": first.game.player_names,
            "players": [isolated(printable(name)) for name in self.game.players],
            "result": printable(self.game.result),
            "layout": self.layout,
            "movers": "".join(str(position.to_move) for position in self.game.positions[:-1]),
            "changes": [
                "".join(
                    DIGITS[slot] + _digits(content, tables.num_digits) for slot, content in each
                )
                for each in self.changes
            ],
            "turns": self.turns,
            "evaluations": None
            if evaluations is None
            else [value if value is None else round(value, 3) for value in evaluations],
        }


def _write_game(game: ReplayGame, tables: _Tables) -> _WrittenGame:
    """Return a game as numbers, and add what is new to the tables."""
    changes, turns = [], []
    shown: list[int] = []
    layout = 0
    for ply, scene in enumerate(_scenes(game)):
        contents = [tables.content(symbols) for symbols in scene.contents]
        shown = shown or [0] * len(contents)
        changes.append([(k, new) for k, new in enumerate(contents) if new != shown[k]])
        shown = contents
        layout = tables.layouts.number(scene.layout)
        move = ""
        if ply:
            previous, action = game.positions[ply - 1], game.actions[ply - 1]
            move = previous.move_text(action)
        turns.append(tables.turn(move, scene.move, scene.status))
    return _WrittenGame(game, layout, changes, turns)


def _scenes(game: ReplayGame) -> list[Scene]:
    """Return the drawings of all positions, each with the move that led to it."""
    scenes = [scene_of(game.positions[0])]
    for previous, action, position in zip(
        game.positions, game.actions, game.positions[1:], strict=False
    ):
        scenes.append(scene_of(position, previous, action))
    return scenes


def _write_layout(layout: Layout) -> dict[str, Any]:
    return {
        "width": layout.width,
        "height": layout.captions_top,
        "ground": symbol_id(layout.ground),
        "slots": [[slot.name, round(slot.x, 4), round(slot.y, 4)] for slot in layout.slots],
        "rows": layout.rows,
    }


def _digits(number: int, count: int) -> str:
    """Return `number` with `count` digits, the first one the highest."""
    found = ""
    for _ in range(count):
        number, digit = divmod(number, len(DIGITS))
        found = DIGITS[digit] + found
    return found


def _asset(name: str) -> str:
    """Return the text of a file beside this module."""
    return importlib.resources.files(__name__).joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return a content security policy that allows this style and this script, and no more."""

    def allowed(text: str) -> str:
        digest = hashlib.sha256(text.encode("utf-8")).digest()
        return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

    return (
        f"default-src 'none'; style-src {allowed(style)}; script-src {allowed(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _embedded(data: Any) -> str:
    """Return `data` as JSON that cannot end the element it stands in.

    All that is not ASCII is escaped, line separators that scripts do not allow among it.
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
