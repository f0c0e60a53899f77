"""What agents think of moves."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mammalath_env import make_game
from mammalath_env.agents import AlphaBetaAgent, MCTSAgent, PUCTAgent, make_agent
from mammalath_env.agents.analysis import Analysis, Analyst, Line
from mammalath_env.agents.limits import Limits
from mammalath_env.agents.solver import Verdict, solve
from mammalath_env.core.errors import GameOverError
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.status import DRAW
from tests.agents.endgames import endgames, winning_actions

Make = Callable[[int], Any]

ANALYSTS: dict[str, Make] = {
    "greedy": lambda seed: make_agent("greedy", seed),
    "alphabeta": lambda seed: AlphaBetaAgent(seed, depth=3),
    "alphabeta by nodes": lambda seed: AlphaBetaAgent(seed, nodes=3000),
    "mcts": lambda seed: MCTSAgent(seed, simulations=200),
    "mcts without priors": lambda seed: MCTSAgent(
        seed, simulations=200, prior_visits=0, playouts="random"
    ),
    "puct": lambda seed: PUCTAgent(seed, simulations=100),
    "neural": lambda seed: make_agent("neural", seed),
    "neural with a search": lambda seed: make_agent("neural", seed, simulations=40),
}


@pytest.fixture(params=ANALYSTS)
def make(request: pytest.FixtureRequest) -> Make:
    """Every agent that analyzes; where there is no network, that of the game is asked for."""
    return ANALYSTS[request.param]


def positions_of(game: Game, count: int) -> list[Position]:
    """Return the start, the first positions of a game, and late ones."""
    start = game.deal(5)
    return [start, start.play(3), *endgames(game, count, plies_left=12)]


def can_play(agent: Any, game: Game) -> bool:
    """Return whether there is a network, where the agent needs one."""
    return game.name == "mammalath" or agent.name != "neural"


def check_line(position: Position, line: Line, *, is_whole: bool) -> None:
    """Check that a line is legal, and that its numbers are those of its end.

    Args:
        position: Where it begins.
        line: The line.
        is_whole: Whether the line of a proof goes to the end of the game.
    """
    now = position
    for action in line.variation:
        now = now.play(action)
    assert -1 <= line.value <= 1
    if line.winner is None:
        assert line.plies is None
        assert not now.is_over or len(line.variation) > 1
        return
    values = {DRAW: 0, position.to_move: 1}
    assert line.value == values.get(line.winner, -1)
    if line.plies is None:
        assert line.winner == DRAW
        return
    assert len(line.variation) <= line.plies
    if is_whole:
        assert len(line.variation) == line.plies
    if len(line.variation) == line.plies:
        outcome = now.outcome
        assert outcome is not None
        assert outcome.winner == (None if line.winner == DRAW else line.winner)


def test_lines(game: Game, make: Make, scale: Callable[[int], int]) -> None:
    """The first line is what the agent plays; all are legal, different, and as many as asked."""
    if not can_play(make(1), game):
        with pytest.raises(ValueError, match="there is no network"):
            make(1).analyze(game.deal(1))
        return
    proofs = 0
    for position in positions_of(game, scale(40)):
        agent = make(3)
        analysis = agent.analyze(position, lines=4)
        lines = analysis.lines
        assert lines[0].action == make(3).act(position), position
        assert make(3).analyze(position).lines == lines[:1]
        results = {game.canonical_position(position.play(line.action)) for line in lines}
        assert len(results) == len(lines) <= 4
        everything = {
            game.canonical_position(position.play(action)) for action in position.legal_actions()
        }
        if not winning_actions(position):
            assert len(lines) == min(4, len(everything))
        for line in lines:
            check_line(position, line, is_whole=agent.name in ("mcts", "puct"))
            proofs += line.winner is not None
        assert analysis.nodes >= (0 if winning_actions(position) else 1)
        assert analysis.depth >= 1
    assert proofs or scale(40) < 40


@pytest.mark.parametrize("name", ["mcts", "mcts without priors", "puct"])
def test_the_order_of_lines(game: Game, name: str) -> None:
    """Quick wins, then open moves by visits, then slow losses; all visits are there."""
    for position in positions_of(game, 10):
        analysis = ANALYSTS[name](1).analyze(position, lines=game.num_actions)
        keys: list[tuple[int, int]] = []
        for line in analysis.lines:
            if line.winner == position.to_move:
                assert line.plies is not None
                keys.append((2, -line.plies))
            elif line.winner == 1 - position.to_move:
                assert line.plies is not None
                keys.append((0, line.plies))
            else:
                assert line.visits is not None
                keys.append((1, line.visits))
        assert keys == sorted(keys, reverse=True)
        visits = [line.visits or 0 for line in analysis.lines]
        assert sum(visits) <= analysis.nodes
        if len(visits) == len(position.legal_actions()) > 1 and keys[0][0] == 1:
            assert sum(visits) == analysis.nodes


@pytest.mark.parametrize("name", ["mcts", "puct", "alphabeta by nodes"])
def test_proofs_agree_with_the_solver(game: Game, name: str, scale: Callable[[int], int]) -> None:
    """What is proven of a move is what the solver proves of the position after it."""
    proven = 0
    for position in endgames(game, scale(60), plies_left=8, most_actions=25):
        analysis = ANALYSTS[name](2).analyze(position, lines=3)
        for line in analysis.lines:
            if line.winner is None:
                continue
            after = position.play(line.action)
            solution = solve(after, nodes=200_000)
            if solution.verdict is Verdict.UNKNOWN:
                continue
            proven += 1
            if line.winner == DRAW:
                assert solution.verdict is Verdict.DRAW
                continue
            assert (solution.verdict is Verdict.WIN) == (line.winner == after.to_move)
            assert line.plies is not None
            assert solution.plies is not None
            if name.startswith("alphabeta"):
                assert line.plies == solution.plies + 1
            elif line.winner == position.to_move:
                assert line.plies >= solution.plies + 1
    assert proven


def test_lines_of_alphabeta_are_searched_apart(scale: Callable[[int], int]) -> None:
    """Each has the value of the position after its move, searched one ply less deep."""
    game = make_game("mancala")
    compared = 0
    for position in endgames(game, scale(30), plies_left=60):
        lines = AlphaBetaAgent(1, depth=3).analyze(position, lines=6).lines
        assert len(lines) == len(position.legal_actions())
        if any(line.winner is not None for line in lines):
            continue
        for line in lines:
            agent = AlphaBetaAgent(2, depth=2)
            agent.act(position.play(line.action))
            assert agent.last_value is not None
            assert line.value == -agent.last_value
            compared += 1
        values = [line.value for line in lines]
        assert values == sorted(values, reverse=True)
    assert compared


def test_leaving_moves_out_does_not_spoil_the_table(scale: Callable[[int], int]) -> None:
    """A position whose moves were all analyzed is worth the same as without."""
    game = make_game("mancala")
    for position in endgames(game, scale(30), plies_left=60):
        for action in position.legal_actions():
            after = position.play(action)
            if after.is_over:
                continue
            agent = AlphaBetaAgent(1)
            agent.analyze(after, Limits(depth=3), lines=6)
            found = agent.search(position, Limits(depth=4))
            fresh = AlphaBetaAgent(1).search(position, Limits(depth=4))
            assert (found.value, found.depth) == (fresh.value, fresh.depth)


def test_equal_and_symmetric_moves_are_shown_once() -> None:
    """A board that is its own mirror image has half of the first moves, at most."""
    game = make_game("mammalath")
    text = "ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE 6/6/6/6/6/6 b 0"
    position = game.from_text(text)
    for name in ("greedy", "mcts", "puct", "alphabeta"):
        analysis = ANALYSTS[name](1).analyze(position, Limits(depth=1), lines=40)
        moves = {position.move_text(line.action) for line in analysis.lines}
        assert 1 < len(moves) <= 21
        for move in moves:
            column, row = tuple(move)
            mirrored = "abcdef"[int(row) - 1] + str("abcdef".index(column) + 1)
            assert mirrored == move or mirrored not in moves


def test_a_release_by_type_or_by_pattern_is_shown_once(scale: Callable[[int], int]) -> None:
    """Where both take the same animals, one of them is there."""
    game = make_game("mammalath")
    seen = 0
    for position in endgames(game, scale(100), plies_left=12, most_actions=100):
        results = Counter(position.play(action) for action in position.legal_actions())
        if len(results) == len(position.legal_actions()) or winning_actions(position):
            continue
        seen += 1
        for name in ("mcts", "alphabeta"):
            found = ANALYSTS[name](1).analyze(position, Limits(depth=1), lines=100).lines
            shown = Counter(position.play(line.action) for line in found)
            assert max(shown.values()) == 1
            assert len(shown) <= len(results)
    assert seen or scale(100) < 100


def test_a_win_at_once_is_a_line_of_one_ply(game: Game) -> None:
    """All agents see it."""
    position = next(each for each in endgames(game, 100, plies_left=2) if winning_actions(each))
    for make in ANALYSTS.values():
        if can_play(make(1), game) and make(1).name != "neural":
            line = make(1).analyze(position).lines[0]
            assert line.action in winning_actions(position)
            expected = Line((line.action,), 1.0, line.visits, position.to_move, 1)
            assert line == expected


def test_a_quicker_win_is_the_first_line() -> None:
    """Where alpha-beta search finds a quicker win than the tree, analysis shows it."""
    game = make_game("mancala")
    quicker = 0
    for position in endgames(game, 150, plies_left=24):
        agent = MCTSAgent(1, simulations=2000)
        result = agent.search(position)
        if result.winner != position.to_move or winning_actions(position):
            continue
        again = MCTSAgent(1, simulations=2000)
        line = again.analyze(position, lines=6).lines[0]
        assert (line.action, line.plies) == (result.action, result.plies_left)
        quicker += int(again._tree.plies_left[0]) > (result.plies_left or 0)
        check_line(position, line, is_whole=False)
    assert quicker


def test_analysis_is_an_interface(game: Game, make: Make) -> None:
    """Agents that analyze say so; finished games and no lines are refused."""
    agent = make(1)
    assert isinstance(agent, Analyst)
    assert not isinstance(make_agent("random", 1), Analyst)
    position = game.deal(1)
    for lines in (0, -1):
        with pytest.raises(ValueError, match="lines must be at least 1"):
            agent.analyze(position, lines=lines)
    while not position.is_over:
        position = position.play(position.legal_actions()[0])
    with pytest.raises(GameOverError):
        agent.analyze(position)
    assert Line((3, 5), 0.5).action == 3
    assert dataclasses.is_dataclass(Analysis)


# Temperature


def test_a_temperature_draws_by_visits() -> None:
    """Actions are drawn in proportion to their visits, raised to the power of 1 / temperature."""
    position = make_game("mancala").deal(1)
    visits = MCTSAgent(4, simulations=60).search(position).visits
    for temperature in (1.0, 0.5):
        agent = MCTSAgent(4, simulations=60, temperature=temperature)
        result = agent.search(position)
        assert result.visits == visits
        draws = Counter(agent._drawn(result) for _ in range(4000))
        weights = {action: count ** (1 / temperature) for action, count in visits.items()}
        for action, weight in weights.items():
            expected = 4000 * weight / sum(weights.values())
            assert abs(draws[action] - expected) < 5 * max(expected, 1) ** 0.5


def test_temperatures_repeat_with_a_seed(game: Game) -> None:
    """The draw is the agent's own, and cold agents play the best action."""
    position = game.deal(1)
    for temperature in (1e-9, 1.0, 1e6):
        actions = [
            [MCTSAgent(seed, simulations=40, temperature=temperature).act(position)]
            for seed in (1, 1, 2, 3, 4, 5, 6)
        ]
        assert actions[0] == actions[1]
        if temperature == 1e6:
            assert len(np.unique(actions)) > 2
    cold = MCTSAgent(1, simulations=40, temperature=1e-9)
    visits = cold.search(position).visits
    assert visits[MCTSAgent(1, simulations=40, temperature=1e-9).act(position)] == max(
        visits.values()
    )


def test_a_hot_agent_wins_at_once(game: Game) -> None:
    """Whatever the temperature, and an action is played also where all are proven at first."""
    for position in endgames(game, 30, plies_left=4):
        action = MCTSAgent(1, simulations=5, temperature=1e6).act(position)
        wins = winning_actions(position)
        assert action in (wins or position.legal_actions())


@pytest.mark.parametrize("temperature", [-1, 1e7, float("nan")])
def test_impossible_temperatures_are_refused(temperature: float) -> None:
    """A temperature is from 0 to 1,000,000."""
    with pytest.raises(ValueError, match="temperature must be"):
        MCTSAgent(1, temperature=temperature)
