"""Lessons: the rules of a game in small steps, each with positions that show it."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class Example:
    """A position that shows a rule, and what the rules make of it.

    Attributes:
        text: What to see in it, in a sentence or two.
        start: Text of the position that it begins with.
        moves: Moves from there, in notation; the position after the last one is shown.
        result: What the last move did to the player who made it: ``win``, ``loss`` or ``draw``;
            empty if the game goes on.
        after: Text of the position after the moves, where the sentence speaks of what the picture
            alone does not show; else empty.
        legal: Some moves that are legal then.
        illegal: Some moves that are not.
        options: Options of the game that are not the default ones, as pairs of name and value.
        name: A name for the picture in the docs, of letters and ``_``; empty for none.
    """

    text: str
    start: str
    moves: tuple[str, ...] = ()
    result: str = ""
    after: str = ""
    legal: tuple[str, ...] = ()
    illegal: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    name: str = ""


@dataclasses.dataclass(frozen=True)
class Lesson:
    """Some rules, for people.

    Attributes:
        title: What they are about.
        rules: Their numbers in ``docs/rules.md``, such as ``R9``.
        text: The rules in plain words.
        examples: Positions that show them.
    """

    title: str
    rules: tuple[str, ...]
    text: str
    examples: tuple[Example, ...] = ()
