"""Measure Monte Carlo tree search against OpenSpiel's C++ bot, in simulations a second.

Both sides search start positions with 1000 simulations and random playouts on one thread, in
alternating rounds of one process. ``python benchmarks/search.py`` needs OpenSpiel:
``pip install ".[bench]"``. Its bot is called through ``mcts_search``, as ``step``
crashes on some of its games.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from mammalath_env import GAMES, make_game
from mammalath_env.agents import AlphaBetaAgent, MCTSAgent

PEERS = ("hex(board_size=6)", "connect_four")
SIMULATIONS = 1000

Run = Callable[[float], float]
"""Runs for about so many seconds and returns simulations or positions a second."""


def ours(name: str) -> Run:
    """Return a run of `MCTSAgent` that knows the rules alone, with a new tree for each deal."""
    game = make_game(name)
    seeds = iter(range(1 << 30))

    def run(seconds: float) -> float:
        done = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            agent = MCTSAgent(1, simulations=SIMULATIONS, prior_visits=0, playouts="random")
            done += agent.search(game.deal(next(seeds))).simulations
        return done / (time.perf_counter() - start)

    return run


def alphabeta(name: str) -> Run:
    """Return a run of `AlphaBetaAgent`, which is counted in positions."""
    game = make_game(name)
    seeds = iter(range(1 << 30))
    agent = AlphaBetaAgent(1, depth=3)

    def run(seconds: float) -> float:
        done = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            done += agent.search(game.deal(next(seeds))).nodes
        return done / (time.perf_counter() - start)

    return run


def openspiel(name: str) -> Run:
    """Return a run of OpenSpiel's C++ bot with random rollouts."""
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, SIMULATIONS, 1000, True, 7, False)

    def run(seconds: float) -> float:
        done = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            bot.mcts_search(game.new_initial_state())
            done += SIMULATIONS
        return done / (time.perf_counter() - start)

    return run


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=7, help="alternating rounds")
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds a round and contender")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    runs = {f"MCTSAgent, {name}": ours(name) for name in GAMES}
    missing = ""
    try:
        runs |= {f"OpenSpiel MCTSBot, {name}": openspiel(name) for name in PEERS}
    except ImportError as error:
        missing = str(error)
    runs |= {f"AlphaBetaAgent depth 3, {name}, positions": alphabeta(name) for name in GAMES}
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run(0.1)
    for _ in range(arguments.rounds):
        for name, run in runs.items():
            rates[name].append(run(arguments.seconds))
    medians = {name: float(np.round(statistics.median(found))) for name, found in rates.items()}
    if arguments.json:
        print(json.dumps(medians))
        return
    reference = medians.get(f"OpenSpiel MCTSBot, {PEERS[0]}")
    table = Table("contender", "a second", "this / OpenSpiel on hex", title="Search, one thread")
    for name, rate in medians.items():
        ratio = "" if reference is None else f"{rate / reference:.2f}"
        table.add_row(name, f"{rate:,.0f}", ratio)
    Console().print(table)
    if missing:
        print(f"OpenSpiel is missing: {missing}")


if __name__ == "__main__":
    main()
