"""Measure batched self-play against its peers, on one machine and in one run.

Every contender is run in turn, several times over; medians and their ratios are printed as a table
and written as JSON and as a plot. See ``benchmarks/README.md`` for how to read the figures.

``pip install ".[bench]"`` installs the peers. A peer that is missing is named in the
table.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import os
import platform
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from mammalath_env import GAMES, make_game
from mammalath_env.cli.contests import steps_per_second
from mammalath_env.envs.playouts import random_playouts
from mammalath_env.envs.threads import default_num_threads
from mammalath_env.envs.vector import SelfPlayVectorEnv

Run = Callable[[float], float]
"""Runs for about so many seconds and returns steps per second."""

LANES = (1, 64, 1024, 4096, 16384)
PEER_LANES = 4096
PGX_GAMES = ("connect_four", "hex", "othello", "go_9x9")
OPENSPIEL_GAMES = ("connect_four", "hex(board_size=6)")
MAIN = "mammalath, planes first, copy=False, 4096 lanes, 1 thread"


@dataclasses.dataclass
class Contender:
    """Something to measure: its name, what sets it up, and what a step of it is."""

    name: str
    start: Callable[[], Run]
    note: str = ""


def timed(step: Callable[[], Any], steps_per_call: int) -> Run:
    """Return a run that calls `step` over and over."""

    def run(seconds: float) -> float:
        calls = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            step()
            calls += 1
        return calls * steps_per_call / (time.perf_counter() - start)

    return run


def self_play(name: str, lanes: int, threads: int, **options: Any) -> Contender:
    """Return a contender: `SelfPlayVectorEnv.step` with legal actions drawn beforehand.

    Only `step` is timed. The actions of every step are drawn between the timed parts.
    """

    def start() -> Run:
        env = SelfPlayVectorEnv(name, lanes, num_threads=threads, **options)
        env.reset(seed=0)
        for _ in range(100):
            env.random_step()

        return functools.partial(steps_per_second, env)

    layout = "planes first" if options.get("channels_first") else "planes last"
    if name == "mancala":
        layout = "no planes"
    copy = options.get("copy", True)
    plural = "" if lanes == 1 else "s", "" if threads == 1 else "s"
    return Contender(
        f"{name}, {layout}, copy={copy}, {lanes} lane{plural[0]}, {threads} thread{plural[1]}",
        start,
        "step with observation, mask and auto reset; legal actions given",
    )


def random_steps(name: str, lanes: int) -> Contender:
    """Return a contender: `random_step`, which also draws the actions."""

    def start() -> Run:
        env = SelfPlayVectorEnv(name, lanes, num_threads=1, channels_first=True, copy=False)
        env.reset(seed=0)
        return timed(env.random_step, lanes)

    return Contender(
        f"{name}, random_step, {lanes} lanes, 1 thread", start, "actions drawn in the kernel too"
    )


def playouts(name: str, threads: int) -> Contender:
    """Return a contender: whole random games, with neither observations nor masks."""

    def start() -> Run:
        seeds = iter(range(1 << 30))

        def run(seconds: float) -> float:
            plies = 0
            begin = time.perf_counter()
            while time.perf_counter() - begin < seconds:
                found = random_playouts(name, 4096, seed=next(seeds), num_threads=threads)
                plies += int(found.plies.sum())
            return plies / (time.perf_counter() - begin)

        return run

    plural = "" if threads == 1 else "s"
    return Contender(f"{name}, playouts, {threads} thread{plural}", start, "plies, deals included")


def step_alone(name: str) -> Contender:
    """Return a contender: the rules' `apply` by itself, one legal action in each of 4096 rows."""
    from mammalath_env.core import rules
    from mammalath_env.core.jit import entry_kernel

    @entry_kernel
    def apply_all(
        tables: Any, rows: Any, actions: Any, scratch: Any
    ) -> None:  # pragma: no cover - timed only
        for i in range(len(rows)):
            for word in range(rows.shape[1]):
                scratch[word] = rows[i, word]
            rules.apply(tables, scratch, actions[i])

    def start() -> Run:
        env = SelfPlayVectorEnv(name, PEER_LANES, num_threads=1)
        env.reset(seed=0)
        for _ in range(100):
            env.random_step()
        positions = env.positions()
        running = [lane for lane, position in enumerate(positions) if not position.is_over]
        rows = np.stack([positions[lane].row for lane in running])
        actions = env.draw_actions()[running]
        scratch = np.empty(env.game.num_words, np.uint64)
        return timed(lambda: apply_all(env.game.tables, rows, actions, scratch), len(running))

    return Contender(f"{name}, step alone, 4096 rows, 1 thread", start, "apply, nothing written")


def fill_floor(name: str, channels_first: bool = True) -> Contender:
    """Return a contender: filling the arrays of one step of 4096 lanes with a constant."""

    def start() -> Run:
        game = make_game(name)
        arrays = [
            np.empty((PEER_LANES, *game.shape(channels_first)), np.int8),
            np.empty((PEER_LANES, game.num_actions), np.int8),
        ]

        def fill() -> None:
            for array in arrays:
                array.fill(1)

        return timed(fill, PEER_LANES)

    return Contender(f"{name}, fill floor, 4096 lanes", start, "observation and mask filled with 1")


def pgx_game(name: str) -> Contender:
    """Return a contender: a pgx game under jit and vmap, with auto reset, on all cores."""

    def start() -> Run:
        import jax
        import jax.numpy as jnp
        import pgx
        from pgx.experimental import auto_reset

        env = pgx.make(name)
        init = jax.jit(jax.vmap(env.init))
        step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))

        @jax.jit
        def draw(key: Any, mask: Any) -> Any:
            return jax.random.categorical(key, jnp.where(mask, 0.0, -jnp.inf), axis=-1)

        key = jax.random.PRNGKey(0)
        state = init(jax.random.split(key, PEER_LANES))

        def run(seconds: float) -> float:
            nonlocal key, state
            spent, steps = 0.0, 0
            while spent < seconds:
                key, key_draw, key_step = jax.random.split(key, 3)
                actions = jax.block_until_ready(draw(key_draw, state.legal_action_mask))
                keys = jax.block_until_ready(jax.random.split(key_step, PEER_LANES))
                begin = time.perf_counter()
                state = jax.block_until_ready(step(state, actions, keys))
                spent += time.perf_counter() - begin
                steps += PEER_LANES
            return steps / spent

        run(0.1)
        return run

    return Contender(
        f"pgx {name}, {PEER_LANES} lanes, all cores",
        start,
        "jit(vmap(auto_reset(step))); legal actions given",
    )


def openspiel_game(name: str) -> Contender:
    """Return a contender: an OpenSpiel game from Python, with observation and mask."""

    def start() -> Run:
        import pyspiel

        game = pyspiel.load_game(name)
        rng = np.random.default_rng(0)

        def run(seconds: float) -> float:
            steps = 0
            begin = time.perf_counter()
            while time.perf_counter() - begin < seconds:
                state = game.new_initial_state()
                while not state.is_terminal():
                    player = state.current_player()
                    np.array(state.observation_tensor(player), np.float32)
                    np.array(state.legal_actions_mask(player), np.int8)
                    legal = state.legal_actions()
                    state.apply_action(legal[int(rng.random() * len(legal))])
                    steps += 1
            return steps / (time.perf_counter() - begin)

        return run

    return Contender(f"OpenSpiel {name}, Python", start, "step, observation tensor and mask")


def pettingzoo_connect_four() -> Contender:
    """Return a contender: PettingZoo's connect_four_v3 in a loop of reset, step and observe."""

    def start() -> Run:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pettingzoo.classic import connect_four_v3
        env = connect_four_v3.raw_env()
        rng = np.random.default_rng(0)

        def run(seconds: float) -> float:
            steps = 0
            begin = time.perf_counter()
            while time.perf_counter() - begin < seconds:
                env.reset()
                while True:
                    agent = env.agent_selection
                    if env.terminations[agent]:
                        break
                    legal = env.observe(agent)["action_mask"].nonzero()[0]
                    env.step(legal[int(rng.random() * len(legal))])
                    steps += 1
            return steps / (time.perf_counter() - begin)

        return run

    return Contender("PettingZoo connect_four_v3, raw", start, "reset, observe and step")


def contenders() -> Iterator[Contender]:
    """Yield all contenders, the main one first."""
    cores = default_num_threads()
    for threads in sorted({1, cores}):
        for lanes in reversed(LANES):
            for channels_first in (True, False):
                for copy in (False, True):
                    yield self_play(
                        "mammalath", lanes, threads, channels_first=channels_first, copy=copy
                    )
    for name in list(GAMES)[1:]:
        for channels_first in (True, False) if name != "mancala" else (False,):
            for threads in sorted({1, cores}):
                yield self_play(
                    name, PEER_LANES, threads, channels_first=channels_first, copy=False
                )
    for name in GAMES:
        yield random_steps(name, PEER_LANES)
        yield step_alone(name)
        for threads in sorted({1, cores}):
            yield playouts(name, threads)
        yield fill_floor(name)
    for name in PGX_GAMES:
        yield pgx_game(name)
    for name in OPENSPIEL_GAMES:
        yield openspiel_game(name)
    yield pettingzoo_connect_four()


def measure(rounds: int, seconds: float, only: str) -> tuple[dict[str, float], dict[str, str]]:
    """Return the median steps per second by name, and what could not be run and why."""
    runs: dict[str, Run] = {}
    missing: dict[str, str] = {}
    for contender in contenders():
        if only not in contender.name:
            continue
        try:
            runs[contender.name] = contender.start()
        except ImportError as error:
            missing[contender.name] = str(error)
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            rates[name].append(run(seconds))
    return {name: statistics.median(found) for name, found in rates.items()}, missing


def versions() -> dict[str, str]:
    """Return the versions that the figures belong to."""
    names = ("mammalath_env", "numpy", "numba", "pgx", "jax", "open_spiel", "pettingzoo")
    installed = {each.name.replace("-", "_"): each.version for each in metadata.distributions()}
    found = {name: installed.get(name, "missing") for name in names}
    return {"python": platform.python_version(), "cores": str(default_num_threads())} | found


def draw_plot(medians: dict[str, float], path: Path) -> None:
    """Write a bar chart of all figures, on a logarithmic axis."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    names = sorted(medians, key=lambda name: medians[name])
    figure, axes = plt.subplots(figsize=(9, 0.24 * len(names) + 1))
    peers = [name.startswith(("pgx", "OpenSpiel", "PettingZoo")) for name in names]
    colors = ["tab:orange" if peer else "tab:blue" for peer in peers]
    axes.barh(names, [medians[name] for name in names], color=colors)
    axes.set_xscale("log")
    axes.set_xlabel("steps/s (logarithmic)")
    axes.tick_params(axis="y", labelsize=7)
    axes.margins(y=0.01)
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5, help="alternating rounds")
    parser.add_argument("--seconds", type=float, default=0.3, help="seconds a round and contender")
    parser.add_argument("--only", default="", help="only contenders with this in their name")
    parser.add_argument("--out", type=Path, help="where to write peers.json and peers.svg")
    arguments = parser.parse_args()
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    medians, missing = measure(arguments.rounds, arguments.seconds, arguments.only)
    reference = medians.get(MAIN)
    notes = {contender.name: contender.note for contender in contenders()}
    table = Table(title="Batched self-play and its peers: medians")
    table.add_column("contender")
    table.add_column("million steps/s", justify="right")
    table.add_column("main / this", justify="right")
    table.add_column("a step is")
    for name, rate in medians.items():
        ratio = "" if reference is None else f"{reference / rate:.2f}"
        table.add_row(name, f"{rate / 1e6:.3f}", ratio, notes[name])
    for name, why in missing.items():
        table.add_row(name, "missing", "", why)
    console = Console(width=150)
    console.print(table)
    console.print(f"main: {MAIN}")
    console.print(", ".join(f"{name} {version}" for name, version in versions().items()))
    if arguments.out is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
        report = {
            "versions": versions(),
            "steps_per_second": medians,
            "main": MAIN,
            "missing": missing,
        }
        (arguments.out / "peers.json").write_text(json.dumps(report, indent=1) + "\n")
        draw_plot(medians, arguments.out / "peers.svg")


if __name__ == "__main__":
    main()
