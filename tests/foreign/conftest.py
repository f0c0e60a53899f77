"""Tic-tac-toe as a game with a name in the table of games, and as one without."""

from __future__ import annotations

import pytest

from mammalath_env.core.game import Game
from mammalath_env.games import GAMES, make_game
from tests.foreign.tic_tac_toe import (
    TicTacToe,
)


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch) -> Game:
    """Tic-tac-toe, with its name in the table of games."""
    monkeypatch.setitem(GAMES, "tic_tac_toe", "tests.foreign.tic_tac_toe:TicTacToe")
    return make_game("tic_tac_toe")


@pytest.fixture
def unnamed() -> Game:
    """Tic-tac-toe as an object alone, which is enough for all but reading files."""
    assert "tic_tac_toe" not in GAMES
    return TicTacToe()
