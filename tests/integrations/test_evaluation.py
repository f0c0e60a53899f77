"""What the examples print about a policy that learns; this needs no library."""

from __future__ import annotations

import pytest

from mammalath_env.agents import FunctionAgent, make_agent
from mammalath_env.arena import play_match
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.stream import derive_seeds
from mammalath_env.integrations.evaluation import Evaluation
from tests.integrations.examples import steps_of_progress

greedy = make_agent("greedy", 1)


def first_legal(position: Position) -> int:
    """Play the first legal action."""
    return position.legal_actions()[0]


def by_seat(position: Position) -> int:
    """Play well when moving first, and any action when moving second; Mammalath alternates."""
    return greedy.act(position) if position.ply % 2 == 0 else first_legal(position)


def test_a_report_has_progress_and_both_seats(
    game: Game, capsys: pytest.CaptureFixture[str]
) -> None:
    """Results are those of matches; progress has the same deals each time, the end has others."""
    evaluation = Evaluation(game, first_legal, "random", seed=4)
    scores = [evaluation.progress(steps) for steps in (10, 20)]
    result = evaluation.finish(3)
    printed = capsys.readouterr().out
    assert steps_of_progress(printed, "random", 3) == [10, 20]
    assert f"10 steps: score {scores[0]:.1%} in 40 games" in printed
    seeds = derive_seeds(4, 2)
    policy = FunctionAgent(first_legal, "policy")
    matches = [play_match(game, policy, "random", n, seed=seeds[n == 3]) for n in (20, 3)]
    assert scores == [matches[0].total.score] * 2
    assert result == matches[1]


def test_seats_are_counted_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """A policy that plays well in one seat alone is seen to do so."""
    Evaluation("mammalath", by_seat, "greedy").finish(8)
    first, second = capsys.readouterr().out.splitlines()
    wins = [int(line.split(": ")[1].split(" won")[0]) for line in (first, second)]
    assert first.startswith("moving first against greedy: ")
    assert second == "moving second against greedy: 0 won, 0 drawn, 8 lost in 8 games"
    assert wins[0] > 0


def test_a_policy_that_forfeits_is_an_error() -> None:
    """Its losses would pass for weak play."""

    def illegal(position: Position) -> int:
        return int(position.action_mask().argmin()) if position.ply < 2 else 0

    with pytest.raises(RuntimeError, match="forfeited 40 of 40 games: illegal move"):
        Evaluation("mancala", illegal).progress(1)

    def broken(position: Position) -> int:
        raise KeyError("weights")

    with pytest.raises(RuntimeError, match="forfeited 4 of 4 games: KeyError"):
        Evaluation("mancala", broken).finish(2)


def test_an_unknown_opponent_is_refused_before_training() -> None:
    """The error comes when the evaluation is built, as that of an impossible option."""
    with pytest.raises(ValueError, match="gredy"):
        Evaluation("mancala", greedy.act, "gredy")
    with pytest.raises(ValueError, match="depth"):
        Evaluation("mancala", greedy.act, "alphabeta:depth=0")
    with pytest.raises(ValueError, match="chess"):
        Evaluation("chess", greedy.act)
