"""How good a Mammalath position looks, against windows counted one by one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mammalath_env.core.position import Position
from mammalath_env.games.mammalath.game import MammalathGame
from mammalath_env.games.mammalath.state import ANIMAL_WORD, TOKEN_WORD
from tests.games.boards import BOTH, LATE, NAMES, SMALL, position
from tests.games.random_play import evaluate, random_games


def _worth(game: MammalathGame, at: Position, player: int) -> int:
    """Return the sum over all lines and squares that the opponent has no token in."""
    row = [int(word) for word in at.row]
    own, other = row[TOKEN_WORD + player], row[TOKEN_WORD + 1 - player]
    animals = sum(row[ANIMAL_WORD:])
    worth = 0
    for pattern in game.patterns:
        spaces = sum(1 << space for space in pattern)
        if not spaces & other:
            weights = game.tables[0]["animal_window" if spaces & animals else "free_window"]
            worth += int(weights[(spaces & own).bit_count()])
    return worth


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_worth_of_windows(game: MammalathGame, scale: Callable[[int], int]) -> None:
    """The player's windows less the opponent's, so that one's gain is the other's loss."""
    for positions, _ in random_games(game, scale(60), seed=13):
        for at in positions[:-1]:
            worth = _worth(game, at, 0) - _worth(game, at, 1)
            assert abs(worth) <= 10_000
            assert evaluate(game.tables, at.row, 0) == worth
            assert evaluate(game.tables, at.row, 1) == -worth


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_weights_grow_with_tokens_and_shrink_with_animals(game: MammalathGame) -> None:
    """More tokens are worth more, and those of a window with an animal less."""
    free = game.tables[0]["free_window"].tolist()
    animal = game.tables[0]["animal_window"].tolist()
    assert len(free) == len(animal) == game.config.line_length
    assert free == sorted(set(free))
    assert animal == sorted(set(animal))
    assert free[0] == animal[0] == 0
    assert all(one > other for one, other in zip(free[1:], animal[1:], strict=True))


def test_an_animal_makes_a_window_worth_less() -> None:
    """The same tokens without the animal look better to their owner."""
    values = []
    for animals in ("", "c1"):
        at = position(SMALL, animals, "a1 b1", "", "b", LATE[SMALL])
        values.append(evaluate(SMALL.tables, at.row, 0))
    assert values[0] > values[1] > 0
