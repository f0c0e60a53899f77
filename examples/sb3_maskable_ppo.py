"""Train MaskablePPO of sb3-contrib against agents, after imitating one.

    pip install -e ".[sb3]"
    python examples/sb3_maskable_ppo.py --opponents greedy
    python examples/sb3_maskable_ppo.py --opponents greedy --pool 4    # and past checkpoints

An untrained policy loses every game against the greedy agent, and has nothing to learn from. After
imitating that agent it wins some games, and improves from there, against its opponents alone:
docs/integrations.md has a longer recipe, whose policy wins games against a search too.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from mammalath_env import GAMES, make_game
from mammalath_env.agents import make_agent
from mammalath_env.core.extras import from_extra
from mammalath_env.core.game import Game
from mammalath_env.integrations.evaluation import Evaluation
from mammalath_env.integrations.sb3 import CheckpointPool, OpponentVecEnv, PolicyAgent

with from_extra("sb3", "torch", "sb3_contrib", "stable_baselines3"):
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from torch import nn

BATCH = 1024


class PlanesExtractor(BaseFeaturesExtractor):
    """Convolutions over planes; the features are the channels at every space."""

    def __init__(self, space: Any, channels: int = 32, layers: int = 3) -> None:
        """Build `layers` layers of `channels` channels."""
        planes, rows, cols = space.shape
        super().__init__(space, channels * rows * cols)
        stack: list[nn.Module] = []
        for inputs in [planes] + [channels] * (layers - 1):
            stack += [nn.Conv2d(inputs, channels, 3, padding=1), nn.ReLU()]
        self.layers = nn.Sequential(*stack, nn.Flatten())

    def forward(self, planes: torch.Tensor) -> Any:
        """Return the features of a batch."""
        return self.layers(planes)


class ActionHead(nn.Module):
    """Logits from all features, plus for each placement logits from the features of its space.

    All spaces share the weights of the second part, so that what is learned on one holds for all.
    """

    def __init__(self, features: int, spaces: int, num_actions: int) -> None:
        """Initialize with almost equal logits."""
        super().__init__()
        self.by_space = features // spaces, spaces
        self.all_actions = nn.Linear(features, num_actions)
        self.placing = nn.Conv1d(features // spaces, 1, 1)
        self.other_actions = num_actions - spaces
        nn.init.orthogonal_(self.all_actions.weight, 0.01)
        for parameter in (self.all_actions.bias, self.placing.weight, self.placing.bias):
            nn.init.zeros_(parameter)

    def forward(self, features: torch.Tensor) -> Any:
        """Return the logits of a batch."""
        placing = self.placing(features.unflatten(1, self.by_space)).flatten(1)
        return self.all_actions(features) + nn.functional.pad(placing, (0, self.other_actions))


class BoardPolicy(MaskableActorCriticPolicy):
    """A policy with an `ActionHead`, for games whose first actions are placements on a board."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        spaces = int(np.prod(self.observation_space.shape[1:]))
        self.action_net = ActionHead(self.features_dim, spaces, int(self.action_space.n))
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


def make_model(game: Game, env: OpponentVecEnv, learning_rate: float, seed: int) -> MaskablePPO:
    """Return the learner, convolutional where the game has planes."""
    has_planes = len(game.observation_shape) == 3
    board = {
        "features_extractor_class": PlanesExtractor,
        "net_arch": {"pi": [], "vf": [64]},
        "activation_fn": nn.ReLU,
        "normalize_images": False,
    }
    plain = {"net_arch": [128, 128], "activation_fn": nn.ReLU}
    return MaskablePPO(
        BoardPolicy if has_planes else "MlpPolicy",
        env,
        n_steps=32,
        batch_size=BATCH,
        n_epochs=3,
        learning_rate=lambda left: learning_rate * max(left, 0.05),
        gamma=1.0,
        gae_lambda=0.8,
        ent_coef=0.003,
        policy_kwargs=board if has_planes else plain,
        stats_window_size=1000,
        device="cpu",
        seed=seed,
    )


def collect_demonstrations(
    game: Game, expert_name: str, num: int, seed: int
) -> tuple[torch.Tensor, ...]:
    """Return `num` positions with the action of an agent and the return of the mover.

    The agent plays against itself; a quarter of the moves played are random, so that positions
    vary.
    """
    rng = np.random.default_rng(seed)
    expert = make_agent(expert_name, rng)
    planes = np.empty((num, *game.shape(channels_first=True)), np.int8)
    masks = np.empty((num, game.num_actions), np.bool_)
    actions, returns = np.empty(num, np.int64), np.zeros(num, np.float32)
    count = 0
    while count < num:
        position, movers, start = game.deal(rng), [], count
        while not position.is_over and count < num:
            action = expert.act(position)
            planes[count] = position.observation(position.to_move, channels_first=True)
            masks[count], actions[count] = position.action_mask(), action
            movers.append(position.to_move)
            count += 1
            if rng.random() < 0.25:
                action = int(rng.choice(position.legal_actions()))
            position = position.play(action)
        if position.outcome is not None:
            returns[start:count] = [position.outcome.returns[mover] for mover in movers]
    return tuple(torch.as_tensor(array) for array in (planes, masks, actions, returns))


def imitate(
    model: MaskablePPO, demonstrations: tuple[torch.Tensor, ...], epochs: int, learning_rate: float
) -> None:
    """Fit the policy to the actions, and the value function to the returns (behavior cloning)."""
    policy = model.policy
    policy.set_training_mode(True)
    batches = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(*demonstrations), batch_size=BATCH // 2, shuffle=True
    )
    for group in policy.optimizer.param_groups:
        group["lr"] = learning_rate
    schedule = torch.optim.lr_scheduler.LinearLR(
        policy.optimizer, 1.0, 0.05, total_iters=epochs * len(batches)
    )
    for _ in range(epochs):
        for planes, masks, actions, returns in batches:
            values, log_probs, _ = policy.evaluate_actions(planes.float(), actions, masks)
            loss = -log_probs.mean() + 0.5 * (values.flatten() - returns).square().mean()
            policy.optimizer.zero_grad()
            loss.backward()
            policy.optimizer.step()
            schedule.step()


class Progress(BaseCallback):
    """Prints lines of progress after every tenth of the training."""

    def __init__(self, evaluations: list[Evaluation], steps: int) -> None:
        """Take the evaluations, and the steps of the whole training."""
        super().__init__()
        self.evaluations, self.interval = evaluations, max(1, steps // 10)
        self.due = self.interval

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        if self.num_timesteps >= self.due:
            self.due += self.interval
            for evaluation in self.evaluations:
                evaluation.progress(self.num_timesteps)


def main(arguments: argparse.Namespace) -> None:
    """Imitate, train, and play the matches."""
    torch.set_num_threads(1)
    game, seed = make_game(arguments.game), arguments.seed
    pool = CheckpointPool(max(arguments.pool, 1), every=arguments.pool_every, seed=seed)
    opponents = [*arguments.opponents, *(pool.opponents if arguments.pool else [])]
    env = OpponentVecEnv(game, arguments.num_envs, opponents)
    model = make_model(game, env, arguments.learning_rate, seed)
    agent = PolicyAgent(model)
    evaluations = [
        Evaluation(game, agent.act, name, seed=seed) for name in arguments.evaluate_against
    ]
    if arguments.positions:
        demonstrations = collect_demonstrations(game, arguments.expert, arguments.positions, seed)
        imitate(model, demonstrations, epochs=3, learning_rate=4 * arguments.learning_rate)
        for evaluation in evaluations:
            evaluation.progress(0)
    model.learn(arguments.steps, callback=[pool, Progress(evaluations, arguments.steps)])
    for evaluation in evaluations:
        evaluation.finish(arguments.games)
    print(f"illegal actions in training: {env.illegal_actions}")
    if arguments.output:
        model.save(arguments.output)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
    parser.add_argument(
        "--opponents", nargs="+", default=["greedy"], help="agents to train against"
    )
    parser.add_argument("--pool", type=int, default=0, help="past checkpoints to train against")
    parser.add_argument("--pool-every", type=int, default=50_000, help="steps between checkpoints")
    parser.add_argument("--expert", default="greedy", help="agent to imitate")
    parser.add_argument(
        "--positions", type=int, default=150_000, help="positions to imitate; 0 for none"
    )
    parser.add_argument("--steps", type=int, default=200_000, help="environment steps to train for")
    parser.add_argument("--num-envs", type=int, default=128, help="games side by side")
    parser.add_argument("--learning-rate", type=float, default=5e-4, help="initial learning rate")
    parser.add_argument(
        "--evaluate-against",
        nargs="+",
        default=["greedy", "mcts:simulations=200"],
        help="agents to play matches against",
    )
    parser.add_argument("--games", type=int, default=100, help="games of a match, in each seat")
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random")
    parser.add_argument("--output", help="file for the trained model")
    main(parser.parse_args())
