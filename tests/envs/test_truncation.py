"""``max_episode_steps`` truncates alike in ``make`` and in all vectorization modes."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from mammalath_env.core.game import Game
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.registration import gymnasium_id
from tests.games.random_play import random_games

STEPS = 4


def play(envs: Any, num_steps: int) -> list[Any]:
    """Play the first legal action in all lanes, and return what the steps returned."""
    observation, _ = envs.reset(seed=3)
    steps = []
    for _ in range(num_steps):
        actions = observation["action_mask"].argmax(axis=1)
        observation, reward, terminated, truncated, _ = envs.step(actions)
        steps.append((observation["observation"].tolist(), reward.tolist(), terminated.tolist()))
        steps.append(truncated.tolist())
    envs.close()
    return steps


def test_all_modes_truncate_alike(game: Game) -> None:
    """The mode that is picked by default gives what Gymnasium's `TimeLimit` gives in sync mode."""
    runs = [
        play(gymnasium.make_vec(gymnasium_id(game.name), 3, mode, max_episode_steps=STEPS), 12)
        for mode in ("sync", None, "vector_entry_point")
    ]
    assert runs[0] == runs[1] == runs[2]
    assert any(True in step for step in runs[0][1::2])


@pytest.mark.parametrize("mode", AutoresetMode)
def test_autoreset_after_truncation(game: Game, mode: AutoresetMode) -> None:
    """A truncated lane starts its next game as a finished one does; its mask is not empty."""
    envs = OpponentVectorEnv(
        game, 2, seat="first", max_episode_steps=2, autoreset_mode=mode, opponent="random"
    )
    observation, info = envs.reset(seed=5)
    for count in (1, 2):
        assert info["action_mask"].any(axis=1).all()
        *_, terminated, truncated, info = envs.step(info["action_mask"].argmax(axis=1))
        assert truncated.tolist() == [count == 2] * 2
        assert not terminated.any()
    assert info["action_mask"].any(axis=1).all()
    if mode is AutoresetMode.DISABLED:
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"lanes \[0, 1\] have ended"):
            envs.step([0, 0])
        envs.reset(options={"reset_mask": np.array([True, False])})
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"lanes \[1\] have ended"):
            envs.step([0, 0])
        return
    if mode is AutoresetMode.SAME_STEP:
        assert info["_final_obs"].all()
        assert (info["final_info"]["ply"] == 4).all()
        assert (info["ply"] == 0).all()
    else:
        assert (info["ply"] == 4).all()
        observation, reward, _, truncated, info = envs.step([0, 0])
        assert (info["ply"] == 0).all()
        assert not truncated.any()
        assert not reward.any()
    for count in (1, 2):
        observation, *_, truncated, _ = envs.step(envs.action_masks().argmax(axis=1))
        assert truncated.tolist() == [count == 2] * 2
    assert envs.observation_space.contains(observation)


def test_a_reset_starts_the_count_again(game: Game) -> None:
    """It does so in the lanes that are reset, and not at all if it fails."""
    envs = OpponentVectorEnv(
        game, 2, seat="first", max_episode_steps=3, autoreset_mode=AutoresetMode.DISABLED
    )
    envs.reset(seed=5)
    end = next(random_games(game, 1)).positions[-1]

    def step() -> list[bool]:
        truncated: np.ndarray[Any, Any]
        *_, truncated, _ = envs.step(envs.action_masks().argmax(axis=1))
        return list(truncated)

    assert step() == [False, False]
    envs.reset(options={"reset_mask": np.array([True, False])})
    assert step() == [False, False]
    with pytest.raises(ValueError, match="the game is over before the learner moves"):
        envs.reset(options={"positions": [end] * 2})
    assert step() == [False, True]
    envs.reset(options={"reset_mask": np.array([False, True])})
    assert step() == [True, False]


@pytest.mark.parametrize("steps", [0, -1, 1.5, True])
def test_limits_below_one_step_are_refused(game: Game, steps: Any) -> None:
    """A limit is an integer of at least 1."""
    with pytest.raises((TypeError, ValueError), match="max_episode_steps must be"):
        OpponentVectorEnv(game, 2, max_episode_steps=steps)
