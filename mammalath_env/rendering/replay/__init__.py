"""Recorded games as one page to step through, without a server or a network.

The page knows no rules. It holds the symbols of the drawings once, each content of a space once,
and for each ply the spaces that changed, with their new contents.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import importlib.resources
import json
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, TypeVar

from mammalath_env.core.checks import checked_number
from mammalath_env.core.position import Position
from mammalath_env.core.texts import isolated, printable
from mammalath_env.rendering import marks_of, scene_of, with_last_moves
from mammalath_env.rendering.scene import INK, PAPER, Count, Layout, label_of
from mammalath_env.rendering.shapes import Symbol
from mammalath_env.rendering.svg import definition, symbol_id

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
"""Digits of the numbers in changes: one for the slot, some for the content."""

Entry = TypeVar("Entry", bound=Hashable)


@dataclasses.dataclass(frozen=True)
class MoveNote:
    """What an analysis says of a move.

    Attributes:
        value_lost: Win probability that the move lost, from 0 to 1.
        is_blunder: Whether to mark it.
        remark: More to be said of it, such as ``missed win in 3``; empty for nothing.
        better: A better action, or None.

    Raises:
        TypeError, ValueError: `value_lost` is not a number from 0 to 1.
    """

    value_lost: float
    is_blunder: bool = False
    remark: str = ""
    better: int | None = None

    def __post_init__(self) -> None:
        checked = checked_number("the value lost", self.value_lost, 0, 1)
        object.__setattr__(self, "value_lost", checked)


@dataclasses.dataclass(frozen=True)
class ReplayGame:
    """A game for the page.

    Attributes:
        positions: From the start to the end, one more than there are actions.
        actions: The actions played.
        players: Names of the agents or people who played player 0 and player 1; any text.
        result: Who won and why; any text.
        evaluations: For each action, the evaluation of the position before it for player 0, from
            -1 to 1, or None; or None if there are none. Stored as a list of float.
        notes: What an analysis says of each action, or None if there is none. Evaluations are
            then shown as win probabilities: 1 is a certain win of player 0.

    Raises:
        ValueError: There is no position, a wrong number of actions, players, evaluations or notes,
            or an evaluation outside -1 to 1.
        TypeError: `players` is a text, or an evaluation is not a number.
    """

    positions: Sequence[Position]
    actions: Sequence[int]
    players: tuple[str, str]
    result: str
    evaluations: Sequence[float | None] | None = None
    notes: Sequence[MoveNote] | None = None

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
        if self.notes is not None and len(self.notes) != len(self.actions):
            raise ValueError(
                f"there must be a note for each of {len(self.actions)} actions, "
                f"not {len(self.notes)}"
            )
        if self.evaluations is None:
            return
        if len(self.evaluations) != len(self.actions):
            raise ValueError(
                f"there must be an evaluation for each of {len(self.actions)} actions, "
                f"not {len(self.evaluations)}"
            )
        # As floats, since JSON does not know other types of numbers, such as NumPy's.
        checked = [
            value if value is None else checked_number("an evaluation", value, -1, 1)
            for value in self.evaluations
        ]
        object.__setattr__(self, "evaluations", checked)


def replay_page(games: Sequence[ReplayGame]) -> str:
    """Return a page of HTML that shows `games` and needs nothing else.

    Names and results are shown as plain text. Characters in them that would reorder or break the
    line around them are replaced by U+FFFD.

    Raises:
        ValueError: There is no game, or an action does not lead to the next position.
    """
    if not games:
        raise ValueError("a page needs at least one game")
    tables = _Tables()
    records = [_write_game(game, tables) for game in games]
    num_digits = 1
    while len(DIGITS) ** num_digits < len(tables.contents):
        num_digits += 1
    for record in records:
        record["changes"] = [
            "".join(DIGITS[slot] + _digits(content, num_digits) for slot, content in change)
            for change in record["changes"]
        ]
    contents = [[tables.symbols[symbol] for symbol in each] for each in tables.contents]
    data = {
        "digits": num_digits,
        "symbols": list(map(symbol_id, tables.symbols)),
        "contents": contents,
        "labels": list(map(label_of, tables.contents)),
        "layouts": list(map(_write_layout, tables.layouts)),
        "games": records,
        "turns": list(tables.turns),
        "counts": list(tables.counts),
        "texts": list(tables.texts),
        "marks": list(tables.marks),
    }
    # The style sheet has the colours of paper and ink, as it has two of each.
    grounds = [
        definition(layout.ground)
        .replace(f' fill="{PAPER}"', ' class="paper"')
        .replace(f' fill="{INK}"', ' class="ink"')
        for layout in tables.layouts
    ]
    style, script = _asset("page.css"), _asset("page.js")
    values = {
        "POLICY": _policy(style, script),
        "STYLE": style,
        "SCRIPT": script,
        "SYMBOLS": "\n".join([*grounds, *map(definition, tables.symbols)]),
        "DATA": _embedded(data),
    }
    # Split at the marks of the template, so that inserted text is not searched for marks.
    parts = _asset("page.html").split("@@")
    return "".join(values[part] if k % 2 else part for k, part in enumerate(parts))


class _Table(dict[Entry, int]):
    """Numbers of entries, from 0 in the order in which they were first looked up."""

    def __missing__(self, entry: Entry) -> int:
        self[entry] = len(self)
        return self[entry]


class _Tables:
    """The tables that the games of a page share. Content 0 is that of an empty slot."""

    def __init__(self) -> None:
        self.symbols: _Table[Symbol] = _Table()
        self.contents: _Table[tuple[Symbol, ...]] = _Table({(): 0})
        self.layouts: _Table[Layout] = _Table()
        self.texts: _Table[str] = _Table()
        self.counts: _Table[tuple[Count, ...]] = _Table()
        self.turns: _Table[tuple[int, ...]] = _Table()
        self.marks: _Table[tuple[tuple[int, float, float], ...]] = _Table()


def _write_game(game: ReplayGame, tables: _Tables) -> dict[str, Any]:
    """Return the data of a game, and add its entries to the tables.

    The changes are slots with the numbers of their new contents, for each position. Turns have the
    move that led to the position, the same as a sentence, and the status.
    """
    changes, turns = [], []
    shown: list[int] = []
    for position, previous, action in with_last_moves(game.positions, game.actions):
        scene = scene_of(position, previous, action)
        contents = [tables.contents[symbols] for symbols in scene.contents]
        shown = shown or [0] * len(contents)
        changes.append([(k, new) for k, new in enumerate(contents) if new != shown[k]])
        shown = contents
        move = "" if previous is None or action is None else previous.move_text(action)
        turns.append(
            tables.turns[tuple(tables.texts[text] for text in (move, scene.move, scene.status))]
        )
    evaluations = game.evaluations
    return {
        "title": position.game.title,
        "sides": position.game.player_names,
        "players": [isolated(printable(name)) for name in game.players],
        "result": printable(game.result),
        "layout": tables.layouts[scene.layout],
        "counts": tables.counts[scene.counts],
        "movers": "".join(str(position.to_move) for position in game.positions[:-1]),
        "changes": changes,
        "turns": turns,
        "evaluations": None
        if evaluations is None
        else [value if value is None else round(value, 3) for value in evaluations],
        "notes": None
        if game.notes is None
        else [
            _write_note(note, position, tables)
            for note, position in zip(game.notes, game.positions, strict=False)
        ],
    }


def _write_note(note: MoveNote, position: Position, tables: _Tables) -> list[int]:
    """Return the data of a note, and add its entries to the tables.

    These are the per cent that were lost, 1 for a blunder, the note as a sentence without its full
    stop, and the better move with its marks, if there is one.
    """
    percent = round(100 * note.value_lost)
    parts = ["Blunder"] if note.is_blunder else []
    parts += [f"{percent}% lost"] if percent else []
    parts += [printable(note.remark)] if note.remark else []
    data = [percent, int(note.is_blunder)]
    if note.better is None:
        return [*data, tables.texts[", ".join(parts)]]
    better = position.move_text(note.better)
    sentence = "; ".join(filter(None, [", ".join(parts), f"better: {better}"]))
    return [
        *data,
        tables.texts[sentence],
        tables.texts[better],
        tables.marks[tuple(_marked(position, note.better, tables))],
    ]


def _marked(position: Position, action: int, tables: _Tables) -> Iterator[tuple[int, float, float]]:
    """Yield the numbers of the symbols that mark a move, each with its left side and its top."""
    layout = scene_of(position).layout
    marks = marks_of(position, action)
    for name in marks.highlights:
        slot = layout.slots[layout.find(name)]
        yield tables.symbols[slot.highlight], round(slot.x, 4), round(slot.y, 4)
    for ends in marks.arrows:
        # Drawn once for the whole page, on boards of one size.
        name = f"arrow-{layout.width}-{'-'.join(ends)}"
        if shapes := layout.arrows([ends]):
            yield tables.symbols[Symbol(name, shapes)], 0.0, 0.0


def _write_layout(layout: Layout) -> dict[str, Any]:
    return {
        "width": layout.width,
        "height": layout.captions_top,
        "ground": symbol_id(layout.ground),
        "slots": [[slot.name, round(slot.x, 4), round(slot.y, 4)] for slot in layout.slots],
        "rows": layout.rows,
    }


def _digits(number: int, count: int) -> str:
    """Return `number` with `count` digits, the most significant first."""
    base = len(DIGITS)
    return "".join(DIGITS[number // base**k % base] for k in reversed(range(count)))


def _asset(name: str) -> str:
    """Return the text of a file beside this module."""
    return importlib.resources.files(__name__).joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return a content security policy that allows only this style and this script."""

    def allowed(text: str) -> str:
        digest = hashlib.sha256(text.encode("utf-8")).digest()
        return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

    return (
        f"default-src 'none'; style-src {allowed(style)}; script-src {allowed(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _embedded(data: Any) -> str:
    """Return `data` as JSON that cannot end the element around it.

    Characters outside ASCII are escaped, among them line separators that scripts do not allow.
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
