"""Let the greedy agent play against the random one through the PettingZoo environment.

    pip install -e .
    python examples/greedy_vs_random.py --game mancala

Prints the board after each move, and the rewards. It takes a moment.
"""

from __future__ import annotations

import argparse
import importlib

from mammalath_env import GAMES
from mammalath_env.agents import make_agent
from mammalath_env.envs.seat import AECPolicy

parser = argparse.ArgumentParser(
    description=(__doc__ or "").splitlines()[0],
    formatter_class=argparse.ArgumentDefaultsHelpFormatter,
)
parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
parser.add_argument("--seed", type=int, default=7, help="seed of the deal and of the agents")
arguments = parser.parse_args()

env = importlib.import_module(f"mammalath_env.{arguments.game}_v0").env(render_mode="ansi")
env.reset(seed=arguments.seed)
policies = {
    "player_0": AECPolicy(make_agent("greedy", seed=arguments.seed + 1)),
    "player_1": AECPolicy(make_agent("random", seed=arguments.seed + 2)),
}
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    action = policies[agent](env)
    if action is None:
        print(f"{agent} ({policies[agent].agent.name}): reward {reward:+.0f}")
    env.step(action)
    if action is not None:
        print(env.render(), end="\n\n")
env.close()
