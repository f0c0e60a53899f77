"""Train AgileRL's PPO for one seat, against an agent of the package.

    pip install -e ".[agilerl]"
    python examples/agilerl_ppo.py --opponent random

The defaults are a short run, to see that it works: 10 iterations of 512 environment steps.
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np

from mammalath_env import GAMES
from mammalath_env.core.extras import from_extra
from mammalath_env.envs.registration import gymnasium_id

with from_extra("agilerl", "agilerl", "torch", "peft"):
    import torch
    from agilerl.algorithms import PPO
    from agilerl.training.train_on_policy import train_on_policy

parser = argparse.ArgumentParser(
    description=(__doc__ or "").splitlines()[0],
    formatter_class=argparse.ArgumentDefaultsHelpFormatter,
)
parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
parser.add_argument("--opponent", default="random", help="agent to train against")
parser.add_argument("--iterations", type=int, default=10, help="iterations of training")
parser.add_argument("--batch", type=int, default=512, help="environment steps per iteration")
parser.add_argument("--seed", type=int, default=7, help="seed of everything random")
arguments = parser.parse_args()
np.random.seed(arguments.seed)  # noqa: NPY002 (AgileRL draws from it)
torch.manual_seed(arguments.seed)

# PPO reads the mask from info["action_mask"]. An illegal action would raise.
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
    learn_step=arguments.batch // 2,
    batch_size=64,
    lr=3e-4,
    gamma=1.0,
)
_, fitness = train_on_policy(
    env=envs,
    env_name=arguments.game,
    algo="PPO",
    pop=[learner],
    max_steps=arguments.iterations * arguments.batch,
    evo_steps=arguments.batch,
    eval_loop=10,
    verbose=False,
)
print(f"mean reward in the last games against {arguments.opponent}: {fitness[-1]:+.2f}")
