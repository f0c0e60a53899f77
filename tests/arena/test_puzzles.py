"""The puzzles of the package, checked by a slow search that knows nothing of the engine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import pytest
from typer.testing import CliRunner

from mammalath_env import make_game
from mammalath_env.agents import make_agent
from mammalath_env.arena.puzzles import (
    Puzzle,
    PuzzleKind,
    load_puzzles,
    make_puzzles,
    puzzle_games,
    score,
)
from mammalath_env.cli import app
from tests.arena.players import BadAgent, fail
from tests.reference.mammalath import MammalathReference

NAMES = ["mammalath", "mammalath_plus"]


def after(position: MammalathReference, action: int) -> MammalathReference:
    """Return a copy of the position with `action` played."""
    copy = position.copy()
    copy.apply(action)
    return copy


def won_by(position: MammalathReference) -> int | None:
    """Return who has won, 0 or 1; None if nobody has."""
    return {"b": 0, "w": 1}.get(position.result or "")


def wins(position: MammalathReference, action: int, moves: int) -> bool:
    """Return whether `action` wins in `moves` moves of the player, by trying all replies."""
    player = position.to_move
    reached = after(position, action)
    if reached.result is not None:
        return won_by(reached) == player
    if moves == 1:
        return False
    for reply in reached.legal_actions():
        answered = after(reached, reply)
        if answered.result is not None:
            if won_by(answered) != player:
                return False
        elif not any(wins(answered, next_, moves - 1) for next_ in answered.legal_actions()):
            return False
    return True


def survives(position: MammalathReference, action: int) -> bool:
    """Return whether `action` neither loses nor lets the opponent win at once."""
    player = position.to_move
    reached = after(position, action)
    if reached.result is not None:
        return won_by(reached) != 1 - player
    return not any(won_by(after(reached, reply)) == 1 - player for reply in reached.legal_actions())


def check(puzzle: Puzzle) -> None:
    """Check a puzzle with the reference rules."""
    position = MammalathReference.from_text(
        puzzle.position.to_text(), game=puzzle.position.game.name
    )
    actions = position.legal_actions()
    moves = puzzle.kind.moves
    if moves is None:
        good = [action for action in actions if survives(position, action)]
    else:
        good = [action for action in actions if wins(position, action, moves)]
        if moves > 1:
            assert not any(wins(position, action, 1) for action in actions)
    assert good == [puzzle.solution], puzzle


@pytest.mark.parametrize("name", NAMES)
def test_puzzles_are_many_and_of_all_kinds(name: str) -> None:
    """There are many puzzles, of all kinds, all of them different."""
    puzzles = load_puzzles(name)
    assert len({puzzle.position for puzzle in puzzles}) == len(puzzles) >= 200
    assert set(Counter(puzzle.kind for puzzle in puzzles)) == set(PuzzleKind)


@pytest.mark.parametrize("kind", PuzzleKind)
@pytest.mark.parametrize("name", NAMES)
def test_a_slow_search_finds_the_same_solutions(
    name: str, kind: PuzzleKind, scale: Callable[[int], int]
) -> None:
    """The solution is the only one, as the reference rules have it; wins in 3 take it long."""
    puzzles = [puzzle for puzzle in load_puzzles(name) if puzzle.kind is kind]
    puzzles.sort(key=lambda puzzle: len(puzzle.position.legal_actions()))
    most = len(puzzles) if kind is not PuzzleKind.WIN_IN_3 else 6
    for puzzle in puzzles[: scale(most)]:
        check(puzzle)


@pytest.mark.parametrize("name", NAMES)
def test_searches_solve_wins_in_1_and_only_moves(name: str) -> None:
    """Alpha-beta and MCTS find every win in one and every only move."""
    near = [
        puzzle
        for puzzle in load_puzzles(name)
        if puzzle.kind in (PuzzleKind.WIN_IN_1, PuzzleKind.ONLY_MOVE)
    ]
    for agent in ("alphabeta:depth=2", "mcts:simulations=1000"):
        for found in score(make_agent(agent, 1), near):
            assert found.solved == found.total, (agent, found)


def test_alphabeta_solves_all_puzzles() -> None:
    """A depth of four plies, and the look one ply further, is enough for a win in three."""
    for name in NAMES:
        for found in score(make_agent("alphabeta:depth=4", 1), load_puzzles(name)):
            assert found.solved == found.total


def test_an_agent_that_fails_solves_nothing() -> None:
    """The puzzles that it fails in count as those that it gets wrong."""
    puzzles = load_puzzles("mammalath")
    solver = BadAgent(fail, moves_before=0)
    found = score(solver, puzzles)
    assert sum(each.total for each in found) == len(puzzles)
    assert not any(each.solved for each in found)


def test_puzzle_games_names_the_games_with_puzzles() -> None:
    """`puzzle_games` lists the games that have a file of puzzles."""
    assert puzzle_games() == NAMES


def test_puzzles_can_be_made() -> None:
    """The same seed gives the same puzzles, and lines of JSON read back."""
    game = make_game("mammalath")
    wanted = {PuzzleKind.WIN_IN_1: 1, PuzzleKind.ONLY_MOVE: 1}
    made = [list(make_puzzles(game, wanted, seed=3, most_actions=34)) for _ in range(2)]
    assert made[0] == made[1]
    assert len(made[0]) == 2
    for puzzle in made[0]:
        assert Puzzle.from_json(puzzle.to_json()) == puzzle
        check(puzzle)


def test_the_command_counts_solved_puzzles_by_kind() -> None:
    """The command counts by kind, and knows which games have puzzles."""
    result = CliRunner().invoke(app, ["puzzles", "greedy", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert found["win in 1"]["solved"] == found["win in 1"]["total"]
    assert "solved" in CliRunner().invoke(app, ["puzzles", "random"]).output
    result = CliRunner().invoke(app, ["puzzles", "random", "--game", "mancala"])
    assert result.exit_code == 2
    assert "mancala has no puzzles" in result.output
