"""Counting move sequences in compiled code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mammalath_env import make_game
from mammalath_env.core.game import Game
from mammalath_env.core.perft import perft

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "perft.json").read_text("utf-8"))


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["position"][:12])
def test_golden_counts(case: dict[str, object]) -> None:
    """Counts agree with those of the golden file."""
    position = make_game(str(case["game"])).from_text(str(case["position"]))
    leaves = case["leaves"]
    assert isinstance(leaves, list)
    deepest = [count for count in leaves if count < 20_000]
    assert [perft(position, depth + 1) for depth in range(len(deepest))] == deepest


def test_counts_are_those_of_playing(game: Game) -> None:
    """Two plies, counted with `Position.play`."""
    position = game.deal(3).play(0)
    after = [position.play(action) for action in position.legal_actions()]
    assert perft(position, 1) == len(after)
    assert perft(position, 2) == sum(len(each.legal_actions()) for each in after)


@pytest.mark.parametrize(("depth", "error"), [(0, ValueError), (13, ValueError), (1.5, TypeError)])
def test_impossible_depths(depth: int, error: type[Exception]) -> None:
    """The message names the depth."""
    with pytest.raises(error, match=str(depth)):
        perft(make_game("mancala").deal(1), depth)
