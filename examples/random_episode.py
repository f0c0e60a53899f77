"""Play one game of random legal actions through the PettingZoo environment.

    pip install -e .
    python examples/random_episode.py --game mancala

Prints the board after each move, and the rewards. It takes a moment.
"""

from __future__ import annotations

import argparse
import importlib

from mammalath_env import GAMES

parser = argparse.ArgumentParser(
    description=(__doc__ or "").splitlines()[0],
    formatter_class=argparse.ArgumentDefaultsHelpFormatter,
)
parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
parser.add_argument("--seed", type=int, default=7, help="seed of the deal and of the actions")
arguments = parser.parse_args()

env = importlib.import_module(f"mammalath_env.{arguments.game}_v0").env(render_mode="ansi")
env.reset(seed=arguments.seed)
for index, agent in enumerate(env.possible_agents):
    env.action_space(agent).seed(arguments.seed + index)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    if termination or truncation:
        print(f"{agent}: reward {reward:+.0f}")
        action = None
    else:
        action = env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
    if action is not None:
        print(env.render(), end="\n\n")
env.close()
