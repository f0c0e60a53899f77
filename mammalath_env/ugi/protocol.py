"""What both sides of UGI share: scores, the players' numbers, positions and limits as words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mammalath_env.agents.limits import Clock, Limits
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.position import Position

if TYPE_CHECKING:
    from mammalath_env.agents.analysis import Line
    from mammalath_env.core.game import Game

MAX_SCORE = 10_000
"""Largest score of a position in hundredths, ``cp``, that is not a proven result."""

NO_MOVE = "none"
"""The answer to ``go`` where the game is over."""

_PER_DECADE = 400.0

_CLOCK_WORDS = ("p1time", "p2time", "p1inc", "p2inc")
_NUMBER_WORDS = ("movetime", "nodes", "depth", *_CLOCK_WORDS)
_LARGEST_NUMBER = 10**15


def score_of(value: float) -> int:
    """Return a value from -1 to 1 as a score in hundredths, on the logistic scale of Elo."""
    if abs(value) >= 1.0:
        return round(math.copysign(MAX_SCORE, value))
    score = _PER_DECADE * math.log10((1.0 + value) / (1.0 - value))
    return round(min(max(score, -MAX_SCORE), MAX_SCORE))


def value_of(score: float) -> float:
    """Return a score in hundredths as a value from -1 to 1; the inverse of `score_of`."""
    return math.tanh(score * math.log(10.0) / (2.0 * _PER_DECADE))


def first_mover(position: Position) -> int:
    """Return the player who moved first in the game, which UGI calls ``p1``.

    The players alternate, so that the number of plies tells.
    """
    return position.to_move ^ (position.ply & 1)


def result(position: Position) -> str:
    """Return ``p1win``, ``p2win``, ``draw``, or ``none`` while the game runs."""
    outcome = position.outcome
    if outcome is None:
        return "none"
    if outcome.winner is None:
        return "draw"
    return "p1win" if outcome.winner == first_mover(position) else "p2win"


def parse_position(words: Sequence[str], game: Game, seed: int) -> Position:
    """Return the position that the words after ``position`` mean.

    Args:
        words: ``startpos`` or ``fen`` and a text, then perhaps ``moves`` and moves.
        game: The game.
        seed: Deals the position that ``startpos`` stands for.

    Raises:
        PositionError: The text is not a position.
        InvalidMoveError: A move is none of the game.
        IllegalMoveError: A move is illegal where it is played.
        ValueError: The words have another form.
    """
    kind, *rest = words or [""]
    end = rest.index("moves") if "moves" in rest else len(rest)
    text, moves = " ".join(rest[:end]), rest[end + 1 :]
    if kind == "fen":
        position = game.from_text(text)
    elif kind == "startpos" and not text:
        position = game.deal(seed)
    else:
        given = " ".join(["position", *words])
        raise ValueError(f"expected 'position startpos' or 'position fen TEXT', not {given!r}")
    for move in moves:
        position = position.play(move)
    return position


def parse_go(words: Sequence[str], position: Position) -> tuple[Limits, list[str]]:
    """Return the limits that the words after ``go`` mean, and those that mean nothing.

    A ``movetime`` of 0 is 1 ms. A clock below 0 is at 0, and one that is not given is infinite.

    Raises:
        ValueError: A number is missing, is none, or is out of range.
    """
    numbers: dict[str, int] = {}
    unknown = []
    is_infinite = False
    rest = iter(words)
    for word in rest:
        if word in _NUMBER_WORDS:
            numbers[word] = _number(word, next(rest, ""))
        elif word == "infinite":
            is_infinite = True
        else:
            unknown.append(word)
    clock = None
    if "p1time" in numbers or "p2time" in numbers:
        p1_time, p2_time = (max(0, numbers.get(word, math.inf)) / 1000 for word in _CLOCK_WORDS[:2])
        p1_more, p2_more = (numbers.get(word, 0) / 1000 for word in _CLOCK_WORDS[2:])
        clock = Clock((p1_time, p2_time), (p1_more, p2_more))
        if first_mover(position) == 1:
            clock = Clock((p2_time, p1_time), (p2_more, p1_more))
    limits = Limits(
        seconds=max(1, numbers["movetime"]) / 1000 if "movetime" in numbers else None,
        clock=clock,
        nodes=numbers.get("nodes"),
        depth=numbers.get("depth"),
        is_infinite=is_infinite,
    )
    return limits, unknown


def _number(name: str, text: str) -> int:
    """Return the number after a word of ``go``."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
        raise ValueError(f"{name} must be followed by a whole number, not {text!r}")
    # A client may let a clock run below 0.
    return checked_integer(
        name, int(text), -_LARGEST_NUMBER if name in _CLOCK_WORDS else 0, _LARGEST_NUMBER
    )


def info_line(line: Line, position: Position, depth: int, nodes: int, seconds: float) -> str:
    """Return the line ``info ...`` that tells the best line of a search of `seconds`.

    A proven win or loss is a score ``mate``, in moves of the player to move, negative for a loss.
    """
    if line.plies is not None and line.winner in (0, 1):
        moves = (line.plies + 1) // 2
        score = f"mate {moves if line.winner == position.to_move else -moves}"
    else:
        score = f"cp {score_of(line.value)}"
    variation = []
    for action in line.variation:
        variation.append(position.move_text(action))
        position = position.play(action)
    time = round(1000 * seconds)
    return f"info depth {depth} nodes {nodes} time {time} score {score} pv {' '.join(variation)}"
