"""Moves as people type them, and lists of moves."""

from __future__ import annotations

import contextlib
import difflib
import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mammalath_env.core.checks import nearest
from mammalath_env.core.errors import IllegalMoveError, InvalidMoveError

if TYPE_CHECKING:
    from mammalath_env.core.position import Position

_CORNERS = re.compile(r"(x[a-z])([0-9])(-[a-z])([0-9])")


def read_move(text: str, position: Position, others: Iterable[str] = ()) -> int:
    """Return the legal action that a person means by `text`.

    Spaces do not matter, and neither do upper and lower case. A square may be given by either
    diagonal. A near miss is never played.

    Args:
        text: What was typed, such as ``c4``, ``XF`` or ``xa1 - c3``.
        position: The position; its player to move is meant.
        others: Words that could have been typed instead, to be suggested like moves.

    Raises:
        InvalidMoveError: It is not a move of the game; the message names the nearest legal one,
            or the nearest of `others`.
        IllegalMoveError: The rules do not allow the move; the message says why.
    """
    try:
        action = _find_move("".join(text.split()), position)
    except InvalidMoveError as error:
        near = _near_miss(text, {*position.legal_moves(), *others})
        hint = "" if near is None else f"; did you mean {near!r}?"
        raise InvalidMoveError(f"{error}{hint}") from None
    if not position.action_mask()[action]:
        why = position.game.explain_illegal(action, position)
        raise IllegalMoveError(f"{position.move_text(action)} is not possible: {why}")
    return action


def _find_move(text: str, position: Position) -> int:
    """Return the action that `text` means, legal or not; raise InvalidMoveError."""
    # Exact notation first, as a game may tell capitals from small letters; then lines by their ends
    # in either order, which only the game itself can read.
    for spelling in (text, text.lower()):
        with contextlib.suppress(InvalidMoveError):
            return position.game.parse_move(spelling, position)
    corners = _CORNERS.fullmatch(text.lower())
    if corners is not None:
        # The ends of a line stay ends of a line when they exchange their rows: only a square has
        # other corners.
        with contextlib.suppress(InvalidMoveError):
            return position.game.parse_move("{0}{3}{2}{1}".format(*corners.groups()), position)
    return position.game.parse_move(_in_notation(text, position), position)


def _near_miss(text: str, choices: set[str]) -> str | None:
    """Return the choice that is nearest to `text`, None if there is none or several are as near."""
    first = nearest(text, choices)
    if first is None:
        return None
    second = nearest(text, choices - {first})
    return first if second is None or _likeness(text, first) > _likeness(text, second) else None


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.casefold(), other.casefold()).ratio()


def _in_notation(text: str, position: Position) -> str:
    """Return the notation of the move that is `text` but for upper and lower case, if any."""
    every = (position.move_text(action) for action in range(position.game.num_actions))
    return next((move for move in every if move.casefold() == text.casefold()), text)


def list_moves(position: Position, width: int) -> Iterator[str]:
    """Yield lines with the legal moves of `position`, each kind under its name.

    Args:
        position: The position.
        width: Columns of a line; no move is broken to keep to it.
    """
    kinds: dict[str, list[str]] = {}
    for action in position.legal_actions():
        kind = position.game.kind_of_move(action, position)
        kinds.setdefault(kind, []).append(position.move_text(action))
    for kind, moves in kinds.items():
        yield f"{kind} ({len(moves)}):"
        yield from textwrap.wrap(
            " ".join(moves),
            width,
            initial_indent="  ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
