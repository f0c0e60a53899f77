"""Train DQN or PPO of Tianshou against random play, with its low-level interface.

    pip install -e ".[tianshou]"
    python examples/tianshou_dqn_ppo.py --algorithm dqn
    python examples/tianshou_dqn_ppo.py --algorithm ppo

DQN plays player_0 in the PettingZoo environment. PPO plays in the Gymnasium environment, whose
opponent is part of it: in a PettingZoo environment Tianshou computes advantages from an agent's own
steps alone, so that the loser would never see its -1.
"""

from __future__ import annotations

import argparse
import logging
from typing import Any

import numpy as np

from mammalath_env import GAMES
from mammalath_env.core.extras import from_extra
from mammalath_env.core.position import Position
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.integrations.evaluation import Evaluation

with from_extra("tianshou", "torch", "tianshou"):
    import torch
    from tianshou.algorithm import DQN, PPO
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Batch, Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv
    from tianshou.trainer import OffPolicyTrainerParams, OnPolicyTrainerParams
    from tianshou.utils.net.common import Net
    from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic
    from torch.distributions import Categorical

LANES = 4
EPOCHS = 10


class MaskedActor(DiscreteActor):
    """An actor whose illegal actions have no probability; Tianshou's own ignores masks."""

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return the logits of a batch of dict observations."""
        logits, state = super().forward(obs.observation, state)
        legal = torch.as_tensor(obs.action_mask, device=logits.device) == 1
        return logits.masked_fill(~legal, -1e9), state


class PlanesCritic(DiscreteCritic):
    """A critic of dict observations."""

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
        """Return the values of a batch."""
        return super().forward(obs.observation, state)


def make_dqn(game: str) -> tuple[Any, Any]:
    """Return DQN against random play in the PettingZoo environment, and its lanes."""

    def make_env() -> PettingZooEnv:
        # An illegal action of either player would raise.
        return PettingZooEnv(BoardGameEnv(game, illegal_action="raise"))

    env = make_env()
    planes = env.observation_space["observation"].shape
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=planes, action_shape=env.action_space.n, hidden_sizes=[128, 128]),
        action_space=env.action_space,
        eps_training=0.2,
    )
    learner = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        # Two steps, its own and the reply: so a loss reaches the move before it, and the target
        # bootstraps from a position in which the learner is to move again.
        n_step_return_horizon=2,
        target_update_freq=200,
    )
    opponent = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)
    # For self-play put a second DQN here.
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[learner, opponent], env=env)
    return algorithm, DummyVectorEnv([make_env] * LANES)


def make_ppo(game: str) -> tuple[Any, Any]:
    """Return PPO, and its lanes with random opponents inside."""

    def make_env() -> SingleAgentEnv:
        return SingleAgentEnv(game, illegal_action="raise")

    env: Any = make_env()
    planes = env.observation_space["observation"].shape
    actor = MaskedActor(
        preprocess_net=Net(state_shape=planes, hidden_sizes=[128, 128]),
        action_shape=env.action_space.n,
        softmax_output=False,
    )
    algorithm = PPO(
        policy=ProbabilisticActorPolicy(
            actor=actor,
            dist_fn=lambda logits: Categorical(logits=logits),
            action_space=env.action_space,
            action_scaling=False,
            action_bound_method=None,
            deterministic_eval=True,
        ),
        critic=PlanesCritic(preprocess_net=Net(state_shape=planes, hidden_sizes=[128, 128])),
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
    )
    return algorithm, DummyVectorEnv([make_env] * LANES)


def best_action(kind: str, algorithm: Any, position: Position) -> int:
    """Return the most valuable or most probable action of the player to move."""
    planes, mask = position.observation(position.to_move), position.action_mask()
    if kind == "dqn":
        policy = algorithm.get_algorithm("player_0").policy
        seen = Batch(obs=planes[None], mask=mask[None])
    else:
        policy = algorithm.policy
        seen = Batch(observation=planes[None], action_mask=mask[None])
    with torch.no_grad():
        return int(policy(Batch(obs=seen, info={})).act[0])


def make_learner(kind: str, game: str, seed: int) -> tuple[Any, Any]:
    """Return DQN or PPO, and its lanes, which depend on the seed."""
    # Tianshou explores with the global generator.
    np.random.seed(seed)  # noqa: NPY002
    torch.manual_seed(seed)
    # Tianshou logs for every batch that the rewards of two agents are a vector.
    logging.getLogger("tianshou").setLevel(logging.ERROR)
    algorithm, lanes = make_dqn(game) if kind == "dqn" else make_ppo(game)
    lanes.seed(seed)
    return algorithm, lanes


def train(kind: str, algorithm: Any, lanes: Any, steps: int, evaluation: Evaluation) -> None:
    """Train for about `steps` steps, and print ten lines of progress."""
    buffer = VectorReplayBuffer(20_000, LANES)
    collector = Collector[Any](algorithm, lanes, buffer, exploration_noise=kind == "dqn")
    collector.reset()
    common = {
        "training_collector": collector,
        "max_epochs": EPOCHS,
        "epoch_num_steps": max(1, steps // EPOCHS),
        "verbose": False,
        "show_progress": False,
    }
    if kind == "dqn":
        collector.collect(n_step=min(steps, 200), reset_before_collect=True)
        parameters = OffPolicyTrainerParams(
            **common,
            collection_step_num_env_steps=40,
            update_step_num_gradient_steps_per_sample=0.1,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
        )
    else:
        parameters = OnPolicyTrainerParams(
            **common, collection_step_num_env_steps=512, update_step_num_repetitions=4
        )
    trainer = algorithm.create_trainer(parameters)
    trainer.reset()
    for _ in range(EPOCHS):
        evaluation.progress(trainer.execute_epoch().info_stat.train_step)


def main(arguments: argparse.Namespace) -> None:
    """Train, and play a match."""
    torch.set_num_threads(1)
    kind, seed = arguments.algorithm, arguments.seed
    algorithm, lanes = make_learner(kind, arguments.game, seed)

    def policy(position: Position) -> int:
        return best_action(kind, algorithm, position)

    evaluation = Evaluation(arguments.game, policy, arguments.opponent, seed=seed)
    train(kind, algorithm, lanes, arguments.steps, evaluation)
    evaluation.finish(arguments.games)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--algorithm", choices=["dqn", "ppo"], default="ppo", help="algorithm")
    parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
    parser.add_argument("--steps", type=int, default=20_000, help="environment steps to train for")
    parser.add_argument("--opponent", default="random", help="agent to play the match against")
    parser.add_argument("--games", type=int, default=100, help="games of the match, in each seat")
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random")
    main(parser.parse_args())
