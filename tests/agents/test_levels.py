"""Levels: what their names mean, how they play, and that each is a search of its game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from mammalath_env.agents import LevelAgent, MCTSAgent, make_agent, parse_agent
from mammalath_env.agents.analysis import Analyst
from mammalath_env.agents.levels import LEVELS, NUM_LEVELS, OTHER_GAMES
from mammalath_env.agents.limits import Limits
from mammalath_env.cli import app
from mammalath_env.core.errors import GameOverError
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.stream import new_stream
from mammalath_env.games import GAMES
from tests.foreign.tic_tac_toe import TicTacToe


def moves_of(agent: Any, start: Position, plies: int) -> list[int]:
    """Return what an agent plays against itself."""
    moves: list[int] = []
    position = start
    while len(moves) < plies and not position.is_over:
        moves.append(agent.act(position))
        position = position.play(moves[-1])
    return moves


def test_a_level_is_the_search_in_the_table(game: Game) -> None:
    """With its options and its seed, whatever it has played before."""
    assert set(LEVELS) == set(GAMES)
    for number in (1, 5):
        options = LEVELS[game.name][number - 1]._asdict()
        start = game.deal(1)
        expected = moves_of(MCTSAgent(int(new_stream(7)[0]), **options), start, 4)
        agent = LevelAgent(7, number=number)
        agent.act(TicTacToe().deal(1))
        assert moves_of(agent, start, 4) == expected


def test_each_game_has_ten_levels() -> None:
    """Each is another search; the lowest draws its moves, the highest plays its best."""
    for table in (*LEVELS.values(), OTHER_GAMES):
        assert len(table) == NUM_LEVELS == 10
        assert len(set(table)) == 10
        assert table[0].temperature > 0
        assert table[-1].temperature == 0


@pytest.mark.parametrize("number", [1, 3, 6])
def test_the_seed_decides_all(game: Game, number: int) -> None:
    """Equal seeds play alike, others and generators do not."""
    start = game.deal(2)
    first, again = (moves_of(LevelAgent(3, number=number), start, 6) for _ in range(2))
    assert first == again
    others = [moves_of(LevelAgent(seed, number=number), start, 6) for seed in range(10, 20)]
    assert any(other != first for other in others)
    drawn = [
        moves_of(LevelAgent(np.random.default_rng(4), number=number), start, 6) for _ in range(2)
    ]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("number", [1, NUM_LEVELS])
def test_levels_play_games_of_others(number: int) -> None:
    """A game without a table of its own is played to its end."""
    game = TicTacToe()
    agent = LevelAgent(1, number=number)
    for seed in range(3):
        start = game.deal(seed)
        moves = moves_of(agent, start, 9)
        for move in moves:
            start = start.play(move)
        assert start.is_over


def test_low_levels_vary_and_the_highest_does_not_lose_by_chance() -> None:
    """A new seed plays another game at level 1; at level 10 every one saves tic-tac-toe."""
    game = TicTacToe()
    start = game.deal(0)
    openings = {LevelAgent(seed, number=1).act(start) for seed in range(20)}
    assert len(openings) > 2
    for seed in range(3):
        position = start
        for move in moves_of(LevelAgent(seed, number=NUM_LEVELS), start, 9):
            position = position.play(move)
        assert position.outcome is not None
        assert position.outcome.winner is None


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("level:3", {"number": 3}),
        ("level:number=3", {"number": 3}),
        ("level:10", {"number": 10}),
        ("level", {}),
    ],
)
def test_names_of_levels(text: str, options: dict[str, Any]) -> None:
    """The number alone is enough."""
    assert parse_agent(text) == ("level", options)
    agent = make_agent(text, seed=1)
    assert isinstance(agent, LevelAgent)
    assert agent.name == "level"


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("level:11", ValueError, "number must be from 1 to 10, not 11"),
        ("level:0", ValueError, "number must be from 1 to 10, not 0"),
        ("level:3,4", ValueError, "option 'number' is given twice"),
        ("level:3,number=4", ValueError, "option 'number' is given twice"),
        ("level:three", ValueError, "expected options as name=value"),
        ("level:2.5", ValueError, "expected options as name=value"),
        ("level:-1", ValueError, "expected options as name=value"),
        ("level:number=2.5", TypeError, "number must be an integer, not 2.5"),
        ("level:depth=3", ValueError, "unknown option 'depth': expected one of 'number'"),
        ("mcts:3", ValueError, "expected options as name=value with commas between, not '3'"),
    ],
)
def test_other_names_are_refused(text: str, error: type[Exception], words: str) -> None:
    """The message says what a level is."""
    with pytest.raises(error, match=words):
        make_agent(text, seed=1)


def test_limits_are_those_of_the_search(game: Game) -> None:
    """They can stop a level early."""
    start = game.deal(3)
    agent = LevelAgent(1, number=NUM_LEVELS)
    assert agent.act_within(start, Limits(nodes=5)) in start.legal_actions()
    assert agent.last_value is not None


def test_a_level_draws_its_moves_as_an_engine_too() -> None:
    """It does not analyze, as the best move is not always the one that it plays."""
    assert not isinstance(LevelAgent(1), Analyst)


def test_no_level_plays_after_the_end() -> None:
    """As for every agent."""
    position = TicTacToe().deal(0)
    for action in moves_of(LevelAgent(1), position, 9):
        position = position.play(action)
    with pytest.raises(GameOverError):
        LevelAgent(1).act(position)


def test_people_play_a_level_unless_they_choose() -> None:
    """The name of the agent says which."""
    result = CliRunner().invoke(app, ["play", "--seed", "1", "--seat", "first"], input="quit\n")
    assert "level:3 is " in result.output
    result = CliRunner().invoke(app, ["play", "level:11"], input="quit\n")
    assert result.exit_code == 2
    assert "from 1 to 10, not 11" in " ".join(result.output.replace("│", " ").split())
