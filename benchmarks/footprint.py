"""Measure what a batch costs before it runs, and whether its memory grows while it does.

Run ``python benchmarks/footprint.py``: the first reset and step of a new process, with and without
compiled rules on disk, and the peak memory of a process before and after many steps.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile

from mammalath_env.envs.vector import SelfPlayVectorEnv

LANES = 4096

_FIRST_STEP = f"""
import time
from mammalath_env.envs.vector import SelfPlayVectorEnv
start = time.perf_counter()
envs = SelfPlayVectorEnv("mammalath", {LANES}, num_threads=1)
envs.reset(seed=0)
envs.random_step()
print(time.perf_counter() - start)
"""


def first_step(cache: str) -> float:
    """Return the seconds that the first reset and step of a new process take."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    command = [sys.executable, "-c", _FIRST_STEP]
    return float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


def peak_mib() -> float:
    """Return the most memory that this process has had in RAM, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Bytes on macOS, KiB elsewhere.
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--millions", type=int, default=20, help="million steps")
    steps = parser.parse_args().millions * 10**6 // LANES
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = first_step(cache), first_step(cache)
    print(f"first reset and step: {cold:.1f} s with nothing cached, {warm:.1f} s after")
    envs = SelfPlayVectorEnv("mammalath", LANES, num_threads=1)
    envs.reset(seed=0)
    for _ in range(100):
        envs.random_step()
    before = peak_mib()
    for _ in range(steps):
        envs.random_step()
    grown = peak_mib() - before
    print(f"peak memory: {before:.0f} MiB, {grown:.1f} MiB more after {steps * LANES:,} steps")


if __name__ == "__main__":
    main()
