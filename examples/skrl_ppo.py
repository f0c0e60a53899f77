"""Train PPO of skrl in the batched environment, against an agent of the package.

    pip install -e ".[skrl]"
    python examples/skrl_ppo.py --opponent random

skrl does not handle action masks: the model takes the mask from its observation and applies it
itself. With the defaults it took 18 seconds on one core.
"""

from __future__ import annotations

import argparse
import tempfile
from typing import Any

from mammalath_env import GAMES
from mammalath_env.core.extras import from_extra
from mammalath_env.envs.opponent_vector import OpponentVectorEnv

with from_extra("skrl", "torch", "skrl"):
    import torch
    from skrl.agents.torch.ppo import PPO, PPO_CFG
    from skrl.envs.wrappers.torch import wrap_env
    from skrl.memories.torch import RandomMemory
    from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
    from skrl.trainers.torch import SequentialTrainer
    from skrl.utils import set_seed
    from skrl.utils.spaces.torch import unflatten_tensorized_space
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


def train(game: str, opponent: str, steps: int, num_envs: int, seed: int) -> tuple[Any, Any]:
    """Train for about `steps` steps; return the agent and the wrapped environment."""
    set_seed(seed)
    # skrl expects a lane to be reset in the step in which its game ends. An illegal action would
    # raise.
    lanes = OpponentVectorEnv(
        game, num_envs, opponent=opponent, autoreset_mode="SameStep", illegal_action="raise"
    )
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
    rounds = max(1, steps // (ROLLOUTS * num_envs)) * ROLLOUTS
    trainer_cfg = {
        "timesteps": rounds,
        "headless": True,
        "disable_progressbar": True,
        "close_environment_at_exit": False,
    }
    SequentialTrainer(env=env, agents=agent, cfg=trainer_cfg).train()
    return agent, env


def evaluate(agent: Any, env: Any, games: int) -> float:
    """Return the mean return of at least `games` games."""
    observations, _ = env.reset()
    total, ended = 0.0, 0
    while ended < games:
        with torch.no_grad():
            actions, _ = agent.act(observations, None, timestep=0, timesteps=1)
        observations, rewards, terminated, _, _ = env.step(actions)
        total += float(rewards.sum())
        ended += int(terminated.sum())
    return total / ended


def main(arguments: argparse.Namespace) -> None:
    """Train, evaluate, and print the mean return."""
    torch.set_num_threads(1)
    agent, env = train(
        arguments.game, arguments.opponent, arguments.steps, arguments.num_envs, arguments.seed
    )
    mean = evaluate(agent, env, arguments.games)
    print(f"mean return {mean:+.2f} against {arguments.opponent}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
    parser.add_argument("--opponent", default="random", help="agent to train against")
    parser.add_argument("--steps", type=int, default=100_000, help="environment steps to train for")
    parser.add_argument("--num-envs", type=int, default=64, help="games side by side")
    parser.add_argument("--games", type=int, default=500, help="games to evaluate with")
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random")
    main(parser.parse_args())
