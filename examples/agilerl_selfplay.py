"""Train AgileRL's IPPO in self-play, with one network for both seats.

    pip install -e ".[agilerl]"
    python examples/agilerl_selfplay.py

The defaults are a short run, to see that it works: 10 iterations of 512 environment steps.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import numpy as np

from mammalath_env import GAMES
from mammalath_env.core.extras import from_extra
from mammalath_env.core.position import Position
from mammalath_env.integrations.agilerl import MaskedIPPO
from mammalath_env.integrations.evaluation import Evaluation
from mammalath_env.integrations.mask_in_info import MaskInInfoEnv, flat_observation

with from_extra("agilerl", "agilerl", "torch", "peft"):
    import torch
    from agilerl.training.train_multi_agent_on_policy import train_multi_agent_on_policy
    from agilerl.vector.pz_async_vec_env import AsyncPettingZooVecEnv


class SelfPlayer(MaskedIPPO):
    """An IPPO whose test in training is a match: in self-play, mean scores of both seats are 0."""

    evaluation: Evaluation

    def best_action(self, position: Position) -> int:
        """Return the most probable action of the player to move."""
        seen = flat_observation(position, position.to_move, with_mask=True)
        return int(self.log_probs(seen).argmax())

    def test(self, *args: Any, **kwargs: Any) -> float:
        """Print a line of progress and return the score; called by AgileRL."""
        score = self.evaluation.progress(self.metrics.steps)
        self.metrics.add_fitness(score)
        return score


def main() -> None:
    """Train with two environments, each in a process of its own."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
    parser.add_argument("--iterations", type=int, default=10, help="iterations of training")
    parser.add_argument("--batch", type=int, default=512, help="environment steps per iteration")
    parser.add_argument("--opponent", default="random", help="agent to play the match against")
    parser.add_argument("--games", type=int, default=50, help="games of the match, in each seat")
    parser.add_argument("--seed", type=int, default=7, help="seed of everything random")
    arguments = parser.parse_args()
    np.random.seed(arguments.seed)  # noqa: NPY002 (AgileRL draws from it)
    torch.manual_seed(arguments.seed)

    # An illegal action would raise.
    make = partial(MaskInInfoEnv, arguments.game, with_mask=True, illegal_action="raise")
    env = make()
    learner = SelfPlayer(
        observation_spaces=[env.observation_space(agent) for agent in env.possible_agents],
        action_spaces=[env.action_space(agent) for agent in env.possible_agents],
        agent_ids=env.possible_agents,
        net_config={"encoder_config": {"hidden_size": [128]}},
        learn_step=arguments.batch,
        batch_size=64,
        lr=3e-4,
        gamma=1.0,
    )
    learner.evaluation = Evaluation(
        arguments.game, learner.best_action, arguments.opponent, seed=arguments.seed
    )
    envs = AsyncPettingZooVecEnv([make, make])
    # Training resets them without a seed, which continues the deals of this one.
    envs.reset(seed=arguments.seed)
    train_multi_agent_on_policy(
        env=envs,
        env_name=arguments.game,
        algo="IPPO",
        pop=[learner],
        sum_scores=False,
        max_steps=arguments.iterations * arguments.batch,
        evo_steps=arguments.batch,
        verbose=False,
    )
    learner.evaluation.finish(arguments.games)


if __name__ == "__main__":
    main()
