"""Resets of some lanes, and from given positions."""

from __future__ import annotations

import numpy as np
import pytest

from mammalath_env import make_game
from mammalath_env.core.game import Game
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.vector import SelfPlayVectorEnv


@pytest.mark.parametrize("build", [SelfPlayVectorEnv, OpponentVectorEnv])
def test_a_seed_is_for_the_chosen_lanes(
    build: type[SelfPlayVectorEnv] | type[OpponentVectorEnv],
) -> None:
    """Lanes that are not reset keep their own streams."""
    envs = [build("mammalath", 3), build("mammalath", 3)]
    for env in envs:
        env.reset(seed=1)
    envs[0].reset(seed=9, options={"reset_mask": np.array([True, False, False])})
    fresh = build("mammalath", 1)
    fresh.reset(seed=9)
    assert envs[0].positions([0]) == fresh.positions()
    assert envs[0].positions([1, 2]) == envs[1].positions([1, 2])
    for env in envs:
        env.reset()
    assert envs[0].positions([1, 2]) == envs[1].positions([1, 2])
    assert envs[0].positions([0]) != envs[1].positions([0])


def test_one_position_for_all_lanes(game: Game) -> None:
    """The option ``position`` starts all chosen lanes from it, as Gymnasium's own vectors do."""
    position = game.deal(3).play(1)
    for envs in (SelfPlayVectorEnv(game, 3), OpponentVectorEnv(game, 3, seat="first")):
        envs.reset(seed=1)
        others = envs.positions()
        envs.reset(options={"position": position, "reset_mask": np.array([True, False, True])})
        assert envs.positions() == [position, others[1], position]
        envs.reset(options={"position": position.to_text()})
        assert envs.positions() == [position] * 3


def test_opponents_need_a_game_for_the_learner() -> None:
    """Positions that are over are refused, and no lane changes."""
    game = make_game("mammalath")
    over = game.deal(2)
    while not over.is_over:
        over = over.play(over.legal_actions()[0])
    env = OpponentVectorEnv("mammalath", 2)
    env.reset(seed=1)
    before = env.positions()
    with pytest.raises(ValueError, match=r"before the learner moves in lanes \[1\]"):
        env.reset(options={"positions": [game.deal(1), over]})
    assert env.positions() == before


def test_opponents_of_batches_may_have_options() -> None:
    """Whatever `make_agent` takes is an opponent; it plays the same for the same seed."""
    rewards = []
    for _ in range(2):
        env = OpponentVectorEnv("mancala", 3, opponent="mcts:simulations=8", seat="second")
        env.reset(seed=4)
        rewards.append([env.step(env.action_masks().argmax(axis=1))[1] for _ in range(40)])
    assert np.array_equal(rewards[0], rewards[1])
    with pytest.raises(ValueError, match="unknown option 'depth'"):
        OpponentVectorEnv("mancala", 3, opponent="mcts:depth=8")
