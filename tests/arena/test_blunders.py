"""Analyses of late positions that are solved: planted blunders are found, and nothing else."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from mammalath_env.agents.solver import Verdict, solve
from mammalath_env.arena import GameRecord, PlayedMove, analyze_game
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.games import GAMES, make_game

AGENT = "mcts:simulations=2000"
POSITIONS = 30
"""Solved positions of each game at the full scale."""

_NODES = 20_000
_WORTH = {Verdict.LOSS: -1, Verdict.DRAW: 0, Verdict.WIN: 1}


class Planted(NamedTuple):
    """A solved position.

    Attributes:
        position: The position.
        worth: 1 for a proven win of the player to move, 0 for a draw.
        kept: The actions that are proven to keep it.
        blunders: The actions that are proven to lead to less.
    """

    position: Position
    worth: int
    kept: list[int]
    blunders: list[int]


def worth_of(position: Position) -> int | None:
    """Return -1, 0 or 1 for the player to move, or None if that is not proven in few nodes."""
    return _WORTH.get(solve(position, nodes=_NODES, table_bits=12).verdict)


def planted(position: Position) -> Planted | None:
    """Return a position with its blunders, or None if it has none or is not solved."""
    worth = worth_of(position)
    if worth is None or worth < 0:
        return None
    actions = position.legal_actions()
    after = [worth_of(position.play(action)) for action in actions]
    if None in after:
        return None
    lost = [other is not None and -other < worth for other in after]
    if not any(lost):
        return None
    return Planted(
        position,
        worth,
        [action for action, less in zip(actions, lost, strict=True) if not less],
        list(itertools.compress(actions, lost)),
    )


def late_positions(game: Game) -> Iterator[Planted]:
    """Yield the latest such position of each of many random games."""
    for seed in itertools.count(1):
        rng = random.Random(seed)
        positions = [game.deal(seed)]
        while not positions[-1].is_over:
            positions.append(positions[-1].play(rng.choice(positions[-1].legal_actions())))
        for position in positions[-2:-6:-1]:
            if found := planted(position):
                yield found
                break


def analyzed(position: Position, action: int) -> PlayedMove:
    """Return a move as the analysis judges it."""
    move = position.move_text(action)
    record = GameRecord(
        position.game, position.to_text(), (move,), ("one", "other"), None, "unfinished"
    )
    (found,) = analyze_game(record, AGENT, seed=1).moves
    return found


@pytest.mark.parametrize("name", GAMES)
def test_planted_blunders_are_found(name: str, scale: Callable[[int], int]) -> None:
    """All of them, and no move that keeps the result is taken for one."""
    number = scale(POSITIONS)
    rng = random.Random(name)
    for each in itertools.islice(late_positions(make_game(name)), number):
        where = each.position.to_text()
        blunder = analyzed(each.position, rng.choice(each.blunders))
        assert blunder.is_blunder, (where, blunder.played.move)
        assert blunder.better is not None
        assert blunder.better.action in each.kept, where
        assert not blunder.missed_win or each.worth == 1, where
        kept = analyzed(each.position, rng.choice(each.kept))
        assert not kept.is_blunder, (where, kept.played.move)
        assert not kept.allowed_win, (where, kept.played.move)
