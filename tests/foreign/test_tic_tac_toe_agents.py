"""Agents, contests and commands on tic-tac-toe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mammalath_env.agents import Agent, make_agent
from mammalath_env.agents.alphabeta import AlphaBetaAgent
from mammalath_env.arena import (
    RecordError,
    Tournament,
    play_game,
    play_match,
    read_records,
    round_robin,
)
from mammalath_env.cli import app
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.games import GAMES
from mammalath_env.rendering import PICTURES
from tests.foreign.positions import play, start
from tests.foreign.tic_tac_toe import (
    TicTacToe,
)

# Agents


def replies(position: Position, agent: Agent, player: int) -> Iterator[Position]:
    """Yield every end that an agent as `player` lets the opponent reach."""
    seen, new = {position}, [position]
    while new:
        current = new.pop()
        if current.is_over:
            yield current
        elif current.to_move == player:
            new.append(current.play(agent.act(current)))
        else:
            found = {current.play(action) for action in current.legal_actions()} - seen
            seen |= found
            new += found


@pytest.mark.parametrize("name", ["alphabeta:depth=9", "mcts:simulations=1000"])
@pytest.mark.parametrize("player", [0, 1])
def test_searches_never_lose(name: str, player: int) -> None:
    """Moving first or second, whatever the opponent plays; against mistakes they win."""
    ends = list(replies(start(), make_agent(name, 7), player))
    winners = {end.outcome.winner for end in ends if end.outcome is not None}
    assert winners == {player, None}


def test_perfect_play_draws() -> None:
    """A search of the whole game proves a draw, and against itself it gets one."""
    agent = AlphaBetaAgent(1, depth=9)
    result = agent.search(start())
    assert (result.value, result.is_exact, result.plies_to_end) == (0, True, None)
    for seed in range(5):
        record = play_game(TicTacToe(), ["alphabeta:depth=9", "alphabeta:depth=9"], seed=seed)
        assert (record.winner, record.reason, len(record.moves)) == (None, "board full", 9)


def test_a_fork_is_proven() -> None:
    """Two threats at once win in three plies, or lose in two."""
    fork = play(start(), "a1 b2 c3 c1")
    assert AlphaBetaAgent(1, depth=9).search(fork).action == 6
    assert AlphaBetaAgent(1, depth=9).search(fork).plies_to_end == 3
    assert AlphaBetaAgent(1, depth=9).search(fork.play("a3")).plies_to_end == -2


@pytest.mark.parametrize("name", ["greedy", "alphabeta", "mcts:simulations=20"])
def test_agents_win_and_block(name: str) -> None:
    """They complete a line of their own before they stop one of the opponent's."""
    for seed in range(10):
        agent = make_agent(name, seed)
        block = play(start(), "a1 b2 b1")
        assert block.move_text(agent.act(block)) == "c1"
        win = play(start(), "a1 b2 b1 a2")
        assert win.move_text(agent.act(win)) == "c1"


def test_random_agent() -> None:
    """It plays every legal action at some time, and no other."""
    agent = make_agent("random", 1)
    position = play(start(), "a1 b2")
    assert sorted({agent.act(position) for _ in range(200)}) == position.legal_actions()


def test_the_neural_agent_has_no_network() -> None:
    """It says so before anything is played."""
    with pytest.raises(ValueError, match="there is no network for 'tic_tac_toe'"):
        SingleAgentEnv(TicTacToe(), opponent="neural")


# The arena


def first_legal(seed: int) -> Agent:
    """Return an agent that plays the first legal action: a factory, as a contest takes it."""

    class FirstLegal:
        name = "first legal"

        def act(self, position: Position) -> int:
            return position.legal_actions()[0]

    return FirstLegal()


def test_match(unnamed: Game) -> None:
    """Names and factories play, and games, results and both points of view agree."""
    records: list[Any] = []
    result = play_match(unnamed, first_legal, "random", 10, seed=3, on_record=records.append)
    assert result.agents == ("first_legal", "random")
    assert result.num_games == len(records) == 20
    assert result.forfeits == (0, 0)
    assert result.reversed().total == result.total.reversed()
    for record in records:
        record.validate()
    won = sum(
        record.winner is not None and record.players[record.winner] == "first_legal"
        for record in records
    )
    assert result.total.wins == won > 0
    assert result.total.draws == sum(record.is_draw for record in records)
    assert result.plies == tuple(len(record.moves) for record in records)
    assert play_match(unnamed, first_legal, "random", 10, seed=3) == result


def test_an_illegal_move_forfeits(unnamed: Game) -> None:
    """The record names the offender."""

    class Stubborn:
        name = "stubborn"

        def act(self, position: Position) -> int:
            return 4

    record = play_game(unnamed, [Stubborn(), Stubborn()], seed=1)
    assert (record.moves, record.reason) == (("b2",), "illegal move")
    assert record.offender == 1 - record.first_player


def test_round_robin(game: Game, tmp_path: Path) -> None:
    """The better player has the better score; the tournament is read back from its text."""
    path = tmp_path / "games.jsonl"
    agents = ["random", "greedy", "alphabeta:depth=9"]
    found = round_robin(game, agents, 10, seed=1, record_path=path)
    assert found.agents == tuple(agents)
    assert found.total("alphabeta:depth=9").losses == 0
    scores = [found.total(agent).score for agent in agents]
    assert scores == sorted(scores)
    assert sum(scores) == pytest.approx(1.5)
    assert found.between("random", "greedy") == play_match(game, "random", "greedy", 10, seed=1)
    assert Tournament.from_json(found.to_json()) == found
    assert round_robin(game, agents, 10, seed=1, record_path=path, resume=True) == found


def test_records(unnamed: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games are written without an entry in the table of games, and read with one."""
    path = tmp_path / "games.jsonl"
    play_match(unnamed, "random", "random", 2, seed=1, record_path=path)
    line = json.loads(path.read_text("utf-8").splitlines()[0])
    assert (line["game"], line["options"]) == ("tic_tac_toe", {})
    with pytest.raises(RecordError, match="line 1: unknown game 'tic_tac_toe'"):
        read_records(path)
    monkeypatch.setitem(GAMES, "tic_tac_toe", "tests.foreign.tic_tac_toe:TicTacToe")
    records = read_records(path)
    assert len(records) == 4
    assert all(record.game == unnamed for record in records)
    assert records[0].moves == tuple(line["moves"])


def test_commands(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that adds the game to the tables has all commands for it."""
    monkeypatch.setitem(PICTURES, game.name, "tests.foreign.tic_tac_toe:draw")

    def run(*arguments: str) -> list[str]:
        found = CliRunner().invoke(app, [*arguments, "--game", game.name, "--seed", "1"])
        assert found.exit_code == 0, found.output
        return found.output.splitlines()

    watched = run("watch", "greedy", "alphabeta:depth=9")
    assert watched[0].startswith(
        "Tic-tac-toe: greedy (crosses) against alphabeta:depth=9 (noughts)"
    )
    assert "...\n...\n..." in "\n".join(watched)
    assert watched[-3].startswith("draw after")
    assert watched[-1] == "Drawn: board full"
    lines = [line.strip() for line in run("match", "random", "greedy", "--deals", "1")]
    assert "Tic-tac-toe" in lines  # without brackets, as there are no options


def test_games_in_other_processes(unnamed: Game) -> None:
    """They import the module of the game, and play the same games."""
    results = [play_match(unnamed, "random", first_legal, 4, seed=2, jobs=jobs) for jobs in (1, 2)]
    assert results[0] == results[1]
