"""Train AgileRL's PPO for one seat, against an agent of the package.

    pip install -e ".[agilerl]"
    python examples/agilerl_ppo.py --opponent random

The defaults are a short run, to see that it works: 10 iterations of 512 environment steps.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import numpy as np

from mammalath_env import GAMES
from mammalath_env.core.extras import from_extra
from mammalath_env.core.position import Position
from mammalath_env.envs.registration import gymnasium_id
from mammalath_env.integrations.evaluation import Evaluation

with from_extra("agilerl", "agilerl", "torch", "peft"):
    import torch
    from agilerl.algorithms import PPO
    from agilerl.training.train_on_policy import train_on_policy


class Learner(PPO):
    """A PPO whose test in training is a match from both seats."""

    evaluation: Evaluation

    def best_action(self, position: Position) -> int:
        """Return the most probable action of the player to move."""
        # The actor keeps the distributions of its last batch, and asks each for one action.
        actions = torch.arange(position.game.num_actions)
        planes = torch.from_numpy(position.observation(position.to_move).reshape(-1)).float()
        mask = torch.from_numpy(position.action_mask() != 0)
        with torch.no_grad():
            self.actor(planes.expand(len(actions), -1), mask.expand(len(actions), -1))
            return int(self.actor.action_log_prob(actions).argmax())

    def test(self, *args: Any, **kwargs: Any) -> float:
        """Print a line of progress and return the score; called by AgileRL."""
        score = self.evaluation.progress(self.metrics.steps)
        self.metrics.add_fitness(score)
        return score


parser = argparse.ArgumentParser(
    description=(__doc__ or "").splitlines()[0],
    formatter_class=argparse.ArgumentDefaultsHelpFormatter,
)
parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
parser.add_argument("--opponent", default="random", help="agent to train and play against")
parser.add_argument("--iterations", type=int, default=10, help="iterations of training")
parser.add_argument("--batch", type=int, default=512, help="environment steps per iteration")
parser.add_argument("--games", type=int, default=50, help="games of the match, in each seat")
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
learner = Learner(
    envs.single_observation_space,
    envs.single_action_space,
    net_config={"encoder_config": {"hidden_size": [128]}},
    num_envs=2,
    learn_step=arguments.batch // 2,
    batch_size=64,
    lr=3e-4,
    gamma=1.0,
)
learner.evaluation = Evaluation(
    arguments.game, learner.best_action, arguments.opponent, seed=arguments.seed
)
train_on_policy(
    env=envs,
    env_name=arguments.game,
    algo="PPO",
    pop=[learner],
    max_steps=arguments.iterations * arguments.batch,
    evo_steps=arguments.batch,
    verbose=False,
)
learner.evaluation.finish(arguments.games)
