"""Train PPO of skrl in the batched environment, against an agent of the package.

    pip install -e ".[skrl]"
    python examples/skrl_ppo.py --opponent random

skrl does not handle action masks: the model takes the mask from its observation and applies it
itself.
"""

from __future__ import annotations

import argparse
import tempfile
from typing import Any

import numpy as np

from mammalath_env import GAMES
from mammalath_env.core.extras import from_extra
from mammalath_env.core.position import Position
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.integrations.evaluation import Evaluation

with from_extra("skrl", "torch", "skrl"):
    import torch
    from skrl.agents.torch.ppo import PPO, PPO_CFG
    from skrl.envs.wrappers.torch import wrap_env
    from skrl.memories.torch import RandomMemory
    from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
    from skrl.trainers.torch import StepTrainer
    from skrl.utils import set_seed
    from skrl.utils.spaces.torch import (
        flatten_tensorized_space,
        tensorize_space,
        unflatten_tensorized_space,
    )
    from torch import nn

ROLLOUTS = 16


class PlanesModel(Model):
    """A network over the planes of a dict observation."""

    def __init__(self, env: Any, outputs: int) -> None:
        """Build two hidden layers."""
        super().__init__(
            observation_space=env.observation_space,
            action_space=env.action_space,
            device=env.device,
        )
        inputs = int(torch.tensor(env.observation_space["observation"].shape).prod())
        self.net = nn.Sequential(
            nn.Linear(inputs, 128),
            nn.ReLU(),
            nn.Linear(128, 128),
            nn.ReLU(),
            nn.Linear(128, outputs),
        )

    def outputs_and_mask(self, inputs: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the outputs of the network and the mask of a batch."""
        # skrl flattens a dict in the order of its keys: first action_mask, then observation.
        seen = unflatten_tensorized_space(self.observation_space, inputs["observations"])
        return self.net(seen["observation"].flatten(1).float()), seen["action_mask"] == 1


class MaskedPolicy(CategoricalMixin, PlanesModel):
    """A policy whose illegal actions have no probability."""

    def __init__(self, env: Any) -> None:
        """Build the network."""
        PlanesModel.__init__(self, env, env.action_space.n)
        CategoricalMixin.__init__(self)

    def compute(
        self, inputs: dict[str, Any], role: str = ""
    ) -> tuple[torch.Tensor, dict[str, Any]]:
        """Return the logits of a batch."""
        logits, legal = self.outputs_and_mask(inputs)
        return logits.masked_fill(~legal, -1e9), {}


class Value(DeterministicMixin, PlanesModel):
    """A value function."""

    def __init__(self, env: Any) -> None:
        """Build the network."""
        PlanesModel.__init__(self, env, 1)
        DeterministicMixin.__init__(self)

    def compute(
        self, inputs: dict[str, Any], role: str = ""
    ) -> tuple[torch.Tensor, dict[str, Any]]:
        """Return the values of a batch."""
        return self.outputs_and_mask(inputs)[0], {}


def make_learner(game: str, opponent: str, num_envs: int, seed: int) -> tuple[Any, Any]:
    """Return PPO and the wrapped environment."""
    set_seed(seed)
    # skrl expects a lane to be reset in the step in which its game ends. An illegal action would
    # raise.
    lanes = OpponentVectorEnv(
        game, num_envs, opponent=opponent, autoreset_mode="SameStep", illegal_action="raise"
    )
    # skrl resets them without a seed, which continues the deals of this one.
    lanes.reset(seed=seed)
    env = wrap_env(lanes, wrapper="gymnasium", verbose=False)
    cfg = PPO_CFG(
        rollouts=ROLLOUTS,
        learning_epochs=4,
        mini_batches=4,
        discount_factor=1.0,
        entropy_loss_scale=0.01,
    )
    cfg.experiment.directory = tempfile.gettempdir()
    cfg.experiment.write_interval = 0
    cfg.experiment.checkpoint_interval = 0
    agent = PPO(
        models={"policy": MaskedPolicy(env), "value": Value(env)},
        memory=RandomMemory(memory_size=ROLLOUTS, num_envs=num_envs, device=env.device),
        observation_space=env.observation_space,
        action_space=env.action_space,
        device=env.device,
        cfg=cfg,
    )
    return agent, env


def best_action(agent: Any, position: Position) -> int:
    """Return the most probable action of the player to move."""
    seen = {
        "observation": position.observation(position.to_move)[None],
        "action_mask": position.action_mask()[None].astype(np.int8),
    }
    space = agent.observation_space
    flat = flatten_tensorized_space(tensorize_space(space, seen))
    with torch.no_grad():
        logits, _ = agent.policy.compute({"observations": flat})
    return int(logits.argmax())


def train(agent: Any, env: Any, steps: int, evaluation: Evaluation) -> None:
    """Train for about `steps` steps, and print ten lines of progress."""
    rounds = max(1, steps // (ROLLOUTS * env.num_envs)) * ROLLOUTS
    trainer_cfg = {
        "timesteps": rounds,
        "headless": True,
        "disable_progressbar": True,
        "close_environment_at_exit": False,
    }
    trainer = StepTrainer(env=env, agents=agent, cfg=trainer_cfg)
    for timestep in range(rounds):
        trainer.train(timestep=timestep)
        if (timestep + 1) % max(1, rounds // 10) == 0:
            evaluation.progress((timestep + 1) * env.num_envs)


def main(arguments: argparse.Namespace) -> None:
    """Train, and play a match."""
    torch.set_num_threads(1)
    agent, env = make_learner(
        arguments.game, arguments.opponent, arguments.num_envs, arguments.seed
    )

    def policy(position: Position) -> int:
        return best_action(agent, position)

    evaluation = Evaluation(arguments.game, policy, arguments.opponent, seed=arguments.seed)
    train(agent, env, arguments.steps, evaluation)
    evaluation.finish(arguments.games)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
    parser.add_argument(
        "--opponent", default="random", help="agent to train against and to play the match against"
    )
    parser.add_argument("--steps", type=int, default=100_000, help="environment steps to train for")
    parser.add_argument("--num-envs", type=int, default=64, help="games side by side")
    parser.add_argument("--games", type=int, default=250, help="games of the match, in each seat")
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random")
    main(parser.parse_args())
