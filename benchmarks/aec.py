"""Measure the PettingZoo environments against PettingZoo's own ``connect_four_v3``.

Both sides play the same loop of random legal moves (``agent_iter``, ``last``, a choice from the
mask, ``step``), in alternating rounds of one process. A step is one call of ``step`` that plays a
move; the calls that remove finished agents take their time but are not counted.

``python benchmarks/aec.py`` needs PettingZoo's classic games: ``pip install pettingzoo[classic]``.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import mammalath_env
from mammalath_env import GAMES

PEER = "connect_four_v3"

_FIRST_STEP = """
import time
start = time.perf_counter()
from mammalath_env import mammalath_v0
env = mammalath_v0.env()
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
print(time.perf_counter() - start)
"""


def play_games(env: Any, rng: np.random.Generator, seconds: float) -> float:
    """Play random legal moves for about `seconds` and return the steps per second."""
    steps = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        env.reset(seed=int(rng.integers(1 << 31)))
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(rng.random() * len(legal))])
            steps += 1
    return steps / (time.perf_counter() - start)


def constructors() -> dict[str, dict[str, Callable[[], Any]]]:
    """Return the peer and our environments, as ``env`` and as ``raw_env``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import connect_four_v3

    found = {PEER: {"env": connect_four_v3.env, "raw_env": connect_four_v3.raw_env}}
    for name in GAMES:
        module = __import__(f"mammalath_env.{name}_v0", fromlist=["env"])
        found[name] = {"env": module.env, "raw_env": module.raw_env}
    return found


def measure(rounds: int, seconds: float, seed: int) -> dict[str, dict[str, float]]:
    """Return the median steps per second by environment and constructor."""
    rng = np.random.default_rng(seed)
    envs = {
        (name, kind): build()
        for name, kinds in constructors().items()
        for kind, build in kinds.items()
    }
    rates: dict[tuple[str, str], list[float]] = {key: [] for key in envs}
    for env in envs.values():
        play_games(env, rng, 0.2)
    for _ in range(rounds):
        for key, env in envs.items():
            rates[key].append(play_games(env, rng, seconds))
    medians: dict[str, dict[str, float]] = {}
    for (name, kind), values in rates.items():
        medians.setdefault(name, {})[kind] = statistics.median(values)
    return medians


def first_step_seconds() -> tuple[float, float]:
    """Return the seconds from import to the first step: nothing cached, and cached."""
    import os

    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        seconds = [
            float(
                subprocess.run(
                    [sys.executable, "-c", _FIRST_STEP],
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
            )
            for _ in range(4)
        ]
    return seconds[0], statistics.median(seconds[1:])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=7, help="alternating rounds")
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds a round and side")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    medians = measure(arguments.rounds, arguments.seconds, arguments.seed)
    cold, warm = first_step_seconds()
    if arguments.json:
        print(json.dumps({"steps_per_second": medians, "first_step": [cold, warm]}))
        return
    table = Table(title=f"AEC steps/s, mammalath_env {mammalath_env.__version__}")
    for heading in ("environment", "env()", "ratio", "raw_env()", "ratio"):
        table.add_column(heading, justify="left" if heading == "environment" else "right")
    peer = medians[PEER]
    for name, rates in medians.items():
        cells = []
        for kind in ("env", "raw_env"):
            cells += [f"{rates[kind]:,.0f}", f"{rates[kind] / peer[kind]:.1f}"]
        table.add_row(name, *cells)
    console = Console()
    console.print(table)
    console.print(
        f"import to first step: {cold:.2f} s with nothing cached, {warm:.2f} s after "
        f"(Python {platform.python_version()}, {platform.machine()})"
    )


if __name__ == "__main__":
    main()
