"""The global generators of random numbers, which nothing here may use."""

from __future__ import annotations

import random
from typing import Any

import numpy as np


def seed_globals(seed: int) -> None:
    """Seed the generators that Python and NumPy share among all callers."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


def state_of_globals() -> tuple[Any, ...]:
    """Return the state of both, which every draw changes."""
    numpy_state: Any = np.random.get_state(legacy=False)  # noqa: NPY002
    words = numpy_state["state"]
    return random.getstate(), words["key"].tolist(), words["pos"]
