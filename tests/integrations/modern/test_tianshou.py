"""Tianshou: masked DQN in the PettingZoo environment, and PPO with a masked actor."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from mammalath_env import GAMES
from mammalath_env.integrations.evaluation import Evaluation
from tests.integrations.examples import (
    OPPONENT,
    any_changed,
    example,
    parameters,
    run_example,
    steps_of_progress,
)
from tests.integrations.required import library

library("tianshou")

from tianshou.data import Batch, Collector, VectorReplayBuffer  # noqa: E402


@pytest.fixture(autouse=True)
def restored_log_level() -> Iterator[None]:
    """Restore the log level of the library, which the example changes."""
    logger = logging.getLogger("tianshou")
    level = logger.level
    yield
    logger.setLevel(level)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("kind", ["dqn", "ppo"])
def test_the_tianshou_example_trains(
    kind: str,
    name: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The learner changes its parameters; an illegal action would raise."""
    module = example("tianshou_dqn_ppo.py")
    monkeypatch.setattr(module, "EPOCHS", 2)
    algorithm, lanes = module.make_learner(kind, name, seed=1)
    before = parameters(algorithm.policy)
    evaluation = Evaluation(name, lambda position: module.best_action(kind, algorithm, position))
    module.train(kind, algorithm, lanes, 520, evaluation)
    assert any_changed(before, algorithm.policy)
    evaluation.finish(3)
    steps = steps_of_progress(capsys.readouterr().out, "random", 3)
    # DQN collects 40 steps at a time, PPO 512.
    assert steps == ([280, 560] if kind == "dqn" else [512, 1024])


@pytest.mark.parametrize("kind", ["dqn", "ppo"])
def test_the_tianshou_script_repeats_with_its_seed(kind: str) -> None:
    """It reports on the opponent that it is given."""
    small = ("--algorithm", kind, "--game", "mancala", "--steps", "520", "--games", "4")
    printed = run_example("tianshou_dqn_ppo.py", *small, "--opponent", OPPONENT)
    assert len(steps_of_progress(printed, OPPONENT, 4)) == 10
    assert printed == run_example("tianshou_dqn_ppo.py", *small, "--opponent", OPPONENT)


def test_a_loss_reaches_the_move_before_it() -> None:
    """With a horizon of two steps, the return of a player's last move is the reward of the game."""
    module = example("tianshou_dqn_ppo.py")
    logging.getLogger("tianshou").setLevel(logging.ERROR)
    algorithm, lanes = module.make_dqn("mammalath")
    lanes.seed(2)
    buffer = VectorReplayBuffer(4000, module.LANES)
    Collector[Any](algorithm, lanes, buffer).collect(n_step=600, reset_before_collect=True)
    batch, indices = buffer.sample(0)
    learner = algorithm.get_algorithm("player_0")
    assert learner.n_step == 2
    preprocessed = algorithm._preprocess_batch(Batch(batch), buffer, indices)["player_0"]
    mine = np.flatnonzero(batch.obs.agent_id == "player_0")
    following = buffer.next(indices[mine])
    # Its last move of a game that the opponent's reply has ended.
    ended = buffer.done[following] & ~buffer.done[indices[mine]] & (following != indices[mine])
    returns = np.asarray(preprocessed.returns).reshape(-1)[ended]
    assert len(returns) > 5
    assert returns.tolist() == buffer.rew[following[ended], 0].tolist()
    assert -1 in returns
