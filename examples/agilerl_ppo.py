"""Train one seat by AgileRL's PPO, against one of the package's agents."""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.training.train_on_policy import train_on_policy

from mammalath_env import GAMES
from mammalath_env.envs.registration import gymnasium_id

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--game", choices=list(GAMES), default="mammalath")
parser.add_argument("--opponent", default="random")
parser.add_argument("--iterations", type=int, default=10)
parser.add_argument("--steps", type=int, default=512, help="steps in an iteration")
parser.add_argument("--seed", type=int, default=7)
arguments = parser.parse_args()
np.random.seed(arguments.seed)  # noqa: NPY002 (AgileRL draws from it)
torch.manual_seed(arguments.seed)

# The mask arrives as info["action_mask"], where PPO looks for it. An illegal action would stop
# the run.
envs = gymnasium.make_vec(
    gymnasium_id(arguments.game),
    num_envs=2,
    vectorization_mode="sync",
    opponent=arguments.opponent,
    observation="flat",
    illegal_action="raise",
)
envs.reset(seed=arguments.seed)
learner = PPO(
    envs.single_observation_space,
    envs.single_action_space,
    net_config={"encoder_config": {"hidden_size": [128]}},
    num_envs=2,
    learn_step=arguments.steps // 2,
    batch_size=64,
    lr=3e-4,
    gamma=1.0,
)
_, fitness = train_on_policy(
    env=envs,
    env_name=arguments.game,
    algo="PPO",
    pop=[learner],
    max_steps=arguments.iterations * arguments.steps,
    evo_steps=arguments.steps,
    eval_loop=10,
    verbose=False,
)
print(f"mean reward in the last games against {arguments.opponent}: {fitness[-1]:+.2f}")
