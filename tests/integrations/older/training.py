"""Small runs of RLlib and accessors to their state; importing this needs RLlib."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from mammalath_env.integrations.rllib import POLICY, self_play_config

BATCH = 120
"""Actions in an iteration."""
Weights = dict[str, Any]


def small(game: str = "mammalath", env_runners: int = 0, **arguments: Any) -> Any:
    """Return a configuration that trains in seconds."""
    arguments.setdefault("model_config", {"hidden": (32,)})
    return (
        self_play_config(game, **arguments)
        .env_runners(num_env_runners=env_runners)
        .training(train_batch_size_per_learner=BATCH, minibatch_size=60, num_epochs=1)
        .debugging(seed=5, log_level="ERROR")
    )


def weights_of(algorithm: Any) -> Weights:
    """Return the weights of the policy."""
    return as_arrays(algorithm.get_weights([POLICY])[POLICY])


def as_arrays(weights: Weights) -> Weights:
    """Return copies of weights, which may be tensors."""
    return {name: np.array(value) for name, value in weights.items()}


def remote_weights(algorithm: Any) -> list[Weights]:
    """Return the weights that each remote env runner plays with."""
    return list(
        algorithm.env_runner_group.foreach_env_runner(
            lambda runner: as_arrays(runner.module[POLICY].get_state()), local_env_runner=False
        )
    )


def equal(one: Weights, other: Weights) -> bool:
    """Return whether two sets of weights are the same."""
    return one.keys() == other.keys() and all((one[key] == other[key]).all() for key in one)


def runners_of(algorithm: Any) -> dict[int, tuple[int, str]]:
    """Return process and node of each remote env runner that answers, by its number."""

    def place(runner: Any) -> tuple[int, tuple[int, str]]:
        import ray

        return runner.worker_index, (os.getpid(), ray.get_runtime_context().get_node_id())

    return dict(algorithm.env_runner_group.foreach_env_runner(place, local_env_runner=False))


def train_until_restarted(algorithm: Any, num_runners: int) -> None:
    """Train until all remote env runners are restarted, and once more with them."""
    group = algorithm.env_runner_group
    for _ in range(120):
        # NaN while there is no runner.
        assert not algorithm.train()["env_runners"].get("illegal_actions", 0) > 0
        restarted = group.num_remote_worker_restarts() > 0
        if restarted and group.num_healthy_remote_workers() == num_runners:
            algorithm.train()
            return
        time.sleep(1)
    raise AssertionError("the env runners were not restarted")
