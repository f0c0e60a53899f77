"""Alpha-beta search and the solver, against plain minimax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mammalath_env import make_game
from mammalath_env.agents import AlphaBetaAgent
from mammalath_env.agents import alphabeta_kernels as kernels
from mammalath_env.agents.solver import Verdict, solve
from mammalath_env.core.errors import GameOverError
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from tests.agents.endgames import endgames, losing_actions, winning_actions, worth


def minimax(position: Position, depth: int) -> int:
    """Return the value by plain minimax, with the same look one ply further."""
    outcome = position.outcome
    if outcome is not None:
        if outcome.winner is None:
            return 0
        return kernels.WIN if outcome.winner == position.to_move else -kernels.WIN
    if depth == 0:
        if winning_actions(position):
            return kernels.WIN - 1
        game = position.game
        if game.rules.must_lose(game.tables, position.row):
            return 2 - kernels.WIN
        return int(game.rules.evaluate(game.tables, position.row, position.to_move))
    best = -kernels.INFINITY
    for action in position.legal_actions():
        after = position.play(action)
        value = minimax(after, depth - 1)
        if abs(value) > kernels.PROVEN:
            value -= 1 if value > 0 else -1
        best = max(best, value if after.to_move == position.to_move else -value)
    return best


def test_equal_to_minimax(game: Game, scale: Callable[[int], int]) -> None:
    """Value and action are those of plain minimax, with a table so small that entries collide."""
    for position in endgames(game, scale(40), plies_left=6, most_actions=30):
        for depth in (1, 2) if game.num_actions > 6 else (1, 2, 3, 4):
            result = AlphaBetaAgent(1, depth=depth, table_bits=8).search(position)
            assert result.value == minimax(position, result.depth), position
            after = position.play(result.action)
            value = minimax(after, result.depth - 1)
            if abs(value) > kernels.PROVEN:
                value -= 1 if value > 0 else -1
            assert result.value == (value if after.to_move == position.to_move else -value)


def test_depth_1_wins_at_once_and_avoids_losses(game: Game, scale: Callable[[int], int]) -> None:
    """Depth 1 takes every win in one, and no losing action that can be avoided."""
    for position in endgames(game, scale(60), plies_left=3):
        action = AlphaBetaAgent(2, depth=1).act(position)
        wins = winning_actions(position)
        if wins:
            assert action in wins
        elif len(losing := losing_actions(position)) < len(position.legal_actions()):
            assert action not in losing


def test_quickest_win_and_slowest_loss(game: Game, scale: Callable[[int], int]) -> None:
    """A proven end is as many plies away as the line of best play is long."""
    seen = 0
    for position in endgames(game, scale(60), plies_left=5, most_actions=25):
        result = AlphaBetaAgent(3, depth=4).search(position)
        if result.plies_to_end is None:
            continue
        seen += 1
        agent = AlphaBetaAgent(4, depth=6)
        now, plies = position, 0
        while not now.is_over:
            now = now.play(agent.act(now))
            plies += 1
        assert plies == abs(result.plies_to_end)
        outcome = now.outcome
        assert outcome is not None
        assert (outcome.winner == position.to_move) == (result.plies_to_end > 0)
    assert seen


def test_alphabeta_repeats_with_a_seed(game: Game) -> None:
    """Two agents of one seed play alike, and limits in nodes do not depend on the clock."""
    position = game.deal(3)
    results = [AlphaBetaAgent(5, nodes=3000).search(position) for _ in range(2)]
    assert results[0] == results[1]
    assert results[0].nodes <= 3000 + game.num_actions


def test_chance_decides_among_equals() -> None:
    """Equally good actions are all chosen, with different seeds."""
    position = make_game("mancala").deal(0, first_player=0)
    actions = {AlphaBetaAgent(seed, depth=1).act(position) for seed in range(40)}
    best = {
        action
        for action in position.legal_actions()
        if -minimax(position.play(action), 0) == minimax(position, 1)
    }
    assert actions == best


def test_time_limit_returns_a_legal_action(game: Game) -> None:
    """However short the time, a first ply is searched."""
    position = game.deal(4)
    assert AlphaBetaAgent(1, seconds=1e-9).act(position) in position.legal_actions()


def test_solver_agrees_with_trying_everything() -> None:
    """Verdicts are what full minimax gives, in games that cannot last long."""
    game = make_game("mancala", no_capture_limit=2)
    positions = endgames(game, 40, plies_left=6)
    verdicts = {1: Verdict.WIN, 0: Verdict.DRAW, -1: Verdict.LOSS}
    for position in positions:
        solution = solve(position, nodes=2_000_000)
        assert solution.verdict is verdicts[worth(position)], position
        now = position
        for action in solution.line:
            now = now.play(action)
        assert now.is_over
        if solution.plies is not None:
            assert solution.plies == len(solution.line)


def test_a_proof_outlives_the_search_for_its_line() -> None:
    """Where the limit suffices for the proof and not for the whole line, the proof stays."""
    text = "B2A1F/C4C/3F1C/B4A/F5/A5 b3w1/4b1/1w4/bb3w/3bww/b1b3 w 20"
    position = make_game("mammalath").from_text(text)
    whole = solve(position)
    assert (whole.verdict, whole.plies, len(whole.line)) == (Verdict.WIN, 3, 3)
    first = next(n for n in range(1, 100) if solve(position, nodes=n).verdict is Verdict.WIN)
    part = solve(position, nodes=first)
    assert part.plies == 3
    assert part.line == whole.line[: len(part.line)]
    assert 1 <= len(part.line) < 3


def test_solver_knows_its_limits() -> None:
    """Within few nodes the start position stays unknown, and finished ones need none."""
    game = make_game("mammalath")
    assert solve(game.deal(1), nodes=100).verdict is Verdict.UNKNOWN
    position = game.deal(2)
    while not position.is_over:
        position = position.play(position.legal_actions()[0])
    assert solve(position).line == ()
    assert solve(position).verdict in (Verdict.WIN, Verdict.LOSS, Verdict.DRAW)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"depth": 0}, ValueError, "depth must be from 1 to 250, not 0"),
        ({"depth": 251}, ValueError, "depth must be from 1 to 250, not 251"),
        ({"depth": 2.5}, TypeError, "depth must be an integer, not 2.5"),
        ({"depth": True}, TypeError, "depth must be an integer, not True"),
        ({"nodes": 0}, ValueError, "nodes must be at least 1"),
        ({"seconds": 0}, ValueError, "seconds must be above 0"),
        ({"seconds": "1"}, TypeError, "seconds must be a number"),
        ({"table_bits": 40}, ValueError, "table_bits"),
    ],
)
def test_impossible_limits_of_alphabeta_are_refused(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    """The message says what was given and what is possible."""
    with pytest.raises(error, match=words):
        AlphaBetaAgent(1, **options)


def test_solver_needs_a_limit() -> None:
    """Without a limit, the solver might never return."""
    with pytest.raises(ValueError, match="needs a limit"):
        solve(make_game("mammalath").deal(1), nodes=None)


def test_finished_games_are_refused(game: Game) -> None:
    """Searching a finished position raises GameOverError."""
    position = game.deal(1)
    while not position.is_over:
        position = position.play(position.legal_actions()[0])
    with pytest.raises(GameOverError):
        AlphaBetaAgent(1).search(position)
