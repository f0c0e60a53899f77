"""Start Ray once for each module that asks for it."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from typing import Any

import pytest

# Ray gives its workers a low priority, with which tests on a busy machine wait for minutes.
os.environ.setdefault("RAY_worker_niceness", "0")

NUM_CPUS = 4
"""CPUs that Ray schedules, whether the machine has them or not."""


@pytest.fixture(scope="module")
def ray_of_one_machine() -> Iterator[Any]:
    """Run Ray on this machine alone."""
    ray: Any = importlib.import_module("ray")
    ray.init(
        address="local", num_cpus=NUM_CPUS, include_dashboard=False, object_store_memory=200 * 2**20
    )
    yield ray
    ray.shutdown()
