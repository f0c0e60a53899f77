"""RLlib on a Ray cluster that loses a node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.examples import run_example, steps_of_progress
from tests.integrations.required import library

ray: Any = library("ray")

from ray.cluster_utils import Cluster  # noqa: E402

from tests.integrations.older.training import (  # noqa: E402
    equal,
    runners_of,
    small,
    train_until_restarted,
    weights_of,
)

pytestmark = [
    # Workers of Ray import PyTorch and RLlib, one after the other on a busy machine.
    pytest.mark.timeout(600),
    # Ray's own code uses what it or NumPy has deprecated, and leaves files and sockets open.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A cluster whose head runs no actors; each node is a set of processes on this machine."""
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    ray.init(address=cluster.address)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_training_survives_a_lost_node(cluster: Any) -> None:
    """Its env runner is restarted on another node."""
    lost = cluster.add_node(num_cpus=1)
    config = small("mancala", env_runners=1).fault_tolerance(
        restart_failed_env_runners=True, env_runner_health_probe_timeout_s=5
    )
    algorithm = config.build_algo()
    algorithm.train()
    assert [node for _, node in runners_of(algorithm).values()] == [lost.node_id]
    before = weights_of(algorithm)
    other = cluster.add_node(num_cpus=1)
    cluster.remove_node(lost, allow_graceful=False)
    train_until_restarted(algorithm, 1)
    assert [node for _, node in runners_of(algorithm).values()] == [other.node_id]
    assert not equal(before, weights_of(algorithm))
    algorithm.stop()


def test_the_example_runs_on_a_cluster(cluster: Any, tmp_path: Path) -> None:
    """With a remote env runner, a checkpoint, and a second run that is restored from it."""
    cluster.add_node(num_cpus=1)
    options = ["--address", cluster.address, "--game", "mancala", "--env-runners", "1"]
    options += ["--batch", "120", "--iterations", "2"]
    printed = []
    for more in (
        ["--output", str(tmp_path), "--games", "0"],
        ["--restore", str(tmp_path / "00002"), "--games", "3"],
    ):
        printed.append(run_example("rllib_selfplay.py", *options, *more))
    lines = [line for line in "".join(printed).splitlines() if line.startswith("iteration")]
    assert [line.split(":")[0] for line in lines] == [f"iteration {n}" for n in (1, 2, 3, 4)]
    assert all(" 0 illegal actions" in line for line in lines)
    assert "moving" not in printed[0]
    assert steps_of_progress(printed[1], "random", 3) == []
