"""XuanCe: the environment, and IPPO for both seats with the mask and without."""

from __future__ import annotations

import sys
import warnings
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game
from mammalath_env.envs.parallel import BoardGameParallelEnv
from tests.integrations.examples import OPPONENT, fail_example, steps_of_progress
from tests.integrations.required import library
from tests.processes import ROOT, finish

# XuanCe and what it brings use what others have deprecated, and leave files open.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

with warnings.catch_warnings():
    # Importing XuanCe warns of what it deprecates itself.
    warnings.simplefilter("ignore")
    library("xuance")
    import torch
    from xuance.environment import make_envs
    from xuance.torch.agents import IPPO_Agents

    from mammalath_env.integrations.xuance import BoardGameRawEnv, ippo_config

STEPS = 200


def train(folder: Path, **settings: Any) -> Any:
    """Train for two batches; return for each parameter whether it has changed."""
    config = ippo_config(
        "mammalath",
        folder,
        env_options={"illegal_action": "raise"},
        parallels=2,
        buffer_size=STEPS,
        n_epochs=1,
        representation_hidden_size=[32],
        actor_hidden_size=[32],
        critic_hidden_size=[32],
        running_steps=2 * STEPS,
        seed=3,
        env_seed=3,
        **settings,
    )
    agent = IPPO_Agents(config, make_envs(config))
    before = [value.detach().clone() for value in agent.policy.parameters()]
    agent.train(STEPS)
    assert agent.current_step == 2 * STEPS
    agent.finish()
    after = list(agent.policy.parameters())
    return [not torch.equal(one, other) for one, other in zip(before, after, strict=True)]


def test_xuance_trains_without_illegal_actions(tmp_path: Path) -> None:
    """The weights change, and an illegal action of the mover would raise."""
    changed = train(tmp_path)
    assert sum(changed) > 4


def test_xuance_without_masks_plays_illegal_actions(tmp_path: Path) -> None:
    """Without masks, the same training plays illegal actions."""
    with pytest.raises(IllegalMoveError):
        train(tmp_path, use_actions_mask=False)


def test_environment_agrees_with_the_parallel_environment(game: Game) -> None:
    """The configured seed deals the first game and those after it."""
    env = BoardGameRawEnv(Namespace(env_id=game.name, env_seed=6))
    plain = BoardGameParallelEnv(game)
    rng = np.random.default_rng(1)
    plain.reset(seed=6)
    for _ in range(2):
        observations, _ = env.reset()
        assert env.env.env.position == plain.position
        terminated = {"player_0": False}
        while not any(terminated.values()):
            assert all(observations[agent] in env.observation_space[agent] for agent in env.agents)
            np.testing.assert_array_equal(env.state(), observations["player_0"])
            masks = env.avail_actions()
            mover = plain.position.to_move
            assert masks[env.agents[mover]].dtype == np.bool_
            np.testing.assert_array_equal(
                masks[env.agents[mover]], plain.position.action_mask().astype(np.bool_)
            )
            assert masks[env.agents[1 - mover]].all()
            actions = {agent: int(rng.choice(np.flatnonzero(masks[agent]))) for agent in masks}
            observations, rewards, terminated, truncated, _ = env.step(actions)
            _, expected, flags, _, _ = plain.step(actions)
            assert (rewards, terminated, truncated) == (expected, flags, False)
        plain.reset()
    plain.reset(seed=8, options={"first_player": 1})
    env.reset(seed=8, options={"first_player": 1})
    assert env.env.env.position == plain.position


def test_unknown_settings_are_refused(tmp_path: Path) -> None:
    """An unknown setting, which XuanCe would ignore, is an error."""
    with pytest.raises(TypeError, match="unknown setting of XuanCe 'learning_speed'"):
        ippo_config("mammalath", tmp_path, learning_speed=1)


def test_the_xuance_example_runs(tmp_path: Path) -> None:
    """The example ends without an illegal action, which would raise."""
    options = ["--game", "mancala", "--iterations", "2", "--batch", "100"]
    options += ["--opponent", OPPONENT, "--games", "4", "--output"]
    script = str(ROOT / "examples" / "xuance_ippo.py")
    printed = finish(sys.executable, script, *options, str(tmp_path), cwd=tmp_path).stdout
    assert steps_of_progress(printed, OPPONENT, 4) == [100, 200]


def test_the_example_refuses_a_batch_that_lanes_cannot_share() -> None:
    """The example says what XuanCe would only assert."""
    message = fail_example("xuance_ippo.py", "--batch", "102", code=2)
    assert message.endswith("--batch must be a multiple of 4, not 102\n")
