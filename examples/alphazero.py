"""Train a network for Mammalath on the results of its own searches, as AlphaZero does.

    pip install -e ".[learning]"
    python examples/alphazero.py --minutes 30 --seed 1 --output runs/alphazero

A run takes as long as --minutes says, on one core. That is little for this method: from scratch,
the network alone still lost nine games in ten against `greedy` after eight minutes. It gains more
from the network of a PPO run (--start runs/ppo/last.pt); docs/learning.md has the figures.

Each move of many games side by side is chosen by a tree search (PUCT), which evaluates the leaves
of all games in one batch of the network. The network learns to predict the visit counts of the
searches (policy targets) and the results of the games (value targets).

The network, checkpoints, logs and evaluation are in `learning_common.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from learning_common import (
    PolicyValueNetwork,
    TrainingRun,
    draw_curve,
    format_ladder,
    masked_log_softmax,
    network_policy,
    parse_training,
    play_ladder,
    policy_and_value,
    read_checkpoint,
    search_policy,
    training_parser,
)
from numpy.typing import NDArray

from mammalath_env.agents.puct import PUCTSearch
from mammalath_env.core.extras import from_extra
from mammalath_env.envs.vector import SelfPlayVectorEnv

with from_extra("learning", "torch"):
    import torch
    from torch import nn


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of a run, from the command line if `argv` is None."""
    parser = training_parser(
        (__doc__ or "").splitlines()[0],
        output="runs/alphazero",
        num_envs=128,
        learning_rate=2e-3,
        evaluate_every=2.0,
        games=250,
    )
    add = parser.add_argument
    add(
        "--start",
        default="",
        help="checkpoint of either learning example whose network to begin with; --game,"
        " --channels and --rounds must match it",
    )
    add("--simulations", type=int, default=48, help="simulations of each search")
    add("--leaves", type=int, default=4, help="leaves of each game in a batch")
    add("--exploration", type=float, default=1.5, help="exploration constant c_puct")
    add("--noise", type=float, default=0.25, help="share of the root prior that is Dirichlet noise")
    add(
        "--opening",
        type=int,
        default=8,
        help="plies of each game whose actions are sampled in proportion to visits; later ones"
        " are the most visited",
    )
    add("--capacity", type=int, default=60_000, help="positions that the replay buffer holds")
    add("--least", type=int, default=2_000, help="positions in the buffer before training starts")
    add("--reuse", type=float, default=6.0, help="how often a position is trained on, on average")
    add("--weight-decay", type=float, default=1e-4, help="weight decay of AdamW")
    add(
        "--search-share",
        type=float,
        default=0.5,
        help="share of the root value of the search in the value target; the rest is the result",
    )
    arguments: argparse.Namespace = parse_training(parser, argv)
    if arguments.capacity < arguments.least:
        parser.error(
            f"--capacity {arguments.capacity} is below --least {arguments.least}: the buffer would"
            " never hold the positions with which training starts"
        )
    return arguments


class Ply(NamedTuple):
    """One position of a game that is not over yet, and what the search found there."""

    player: int
    observation: NDArray[np.int8]
    mask: NDArray[np.int8]
    policy_target: NDArray[np.float32]
    root_value: float


class ReplayBuffer:
    """The latest positions with their policy and value targets."""

    def __init__(self, env: SelfPlayVectorEnv, capacity: int) -> None:
        """Allocate room for `capacity` positions."""
        self.observations = np.zeros((capacity, *env.game.shape(True)), np.int8)
        self.masks = np.zeros((capacity, env.game.num_actions), np.bool_)
        self.policy_targets = np.zeros((capacity, env.game.num_actions), np.float32)
        self.value_targets = np.zeros(capacity, np.float32)
        self.added = 0

    def __len__(self) -> int:
        """Return the number of positions that it holds."""
        return min(self.added, len(self.value_targets))

    def add(self, ply: Ply, value_target: float) -> None:
        """Put a position in the place of the oldest one."""
        index = self.added % len(self.value_targets)
        self.observations[index] = ply.observation
        self.masks[index] = ply.mask
        self.policy_targets[index] = ply.policy_target
        self.value_targets[index] = value_target
        self.added += 1

    def sample(self, rng: np.random.Generator, count: int) -> tuple[torch.Tensor, ...]:
        """Return observations, masks, policy targets and value targets of `count` positions."""
        chosen = rng.integers(len(self), size=count)
        columns = (self.observations, self.masks, self.policy_targets, self.value_targets)
        return tuple(torch.from_numpy(column[chosen]) for column in columns)


class SelfPlay:
    """Games side by side whose moves are chosen by searches with the network."""

    def __init__(self, network: nn.Module, arguments: argparse.Namespace, seed: int) -> None:
        """Deal the first games."""
        self.arguments = arguments
        self.rng = np.random.default_rng(seed)
        self.env = SelfPlayVectorEnv(
            arguments.game, arguments.num_envs, autoreset_mode="SameStep", channels_first=True
        )
        self.observation, self.info = self.env.reset(seed=seed)
        self.games: list[list[Ply]] = [[] for _ in range(arguments.num_envs)]
        self.search = PUCTSearch(
            lambda observations, masks: policy_and_value(network, observations, masks),
            simulations=arguments.simulations,
            leaves=arguments.leaves,
            exploration=arguments.exploration,
            noise_fraction=arguments.noise,
            channels_first=True,
            seed=seed,
        )

    def play(self, buffer: ReplayBuffer) -> list[int]:
        """Play one ply in every lane; put games that end into the buffer, return their lengths."""
        visits, root_values = self.search.search(self.env.positions())
        policies = visits / visits.sum(1, keepdims=True)
        sampled = (policies.cumsum(1) > self.rng.random((len(policies), 1))).argmax(1)
        is_opening = self.info["ply"] < self.arguments.opening
        actions = np.where(is_opening, sampled, visits.argmax(1))
        for lane, game in enumerate(self.games):
            game.append(
                Ply(
                    int(self.info["to_move"][lane]),
                    self.observation["observation"][lane],
                    self.observation["action_mask"][lane],
                    policies[lane].astype(np.float32),
                    float(root_values[lane]),
                )
            )
        self.observation, _, terminated, _, self.info = self.env.step(actions)
        lengths = []
        share = self.arguments.search_share
        for lane in np.flatnonzero(terminated).tolist():
            winner = int(self.info["winner"][lane])
            for ply in self.games[lane]:
                result = 0.0 if winner > 1 else 1.0 if winner == ply.player else -1.0
                buffer.add(ply, value_target=share * ply.root_value + (1 - share) * result)
            lengths.append(len(self.games[lane]))
            self.games[lane] = []
        return lengths


def gradient_step(
    network: nn.Module, optimizer: torch.optim.Optimizer, batch: tuple[torch.Tensor, ...]
) -> dict[str, float]:
    """Fit the network to the targets of a minibatch; return the losses by name."""
    observations, masks, policy_targets, value_targets = batch
    logits, values = network(observations.float())
    policy_loss = -(policy_targets * masked_log_softmax(logits, masks)).sum(1).mean()
    value_loss = (values - value_targets).square().mean()
    optimizer.zero_grad()
    (policy_loss + value_loss).backward()
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    return {"policy_loss": policy_loss.item(), "value_loss": value_loss.item()}


def train(arguments: argparse.Namespace) -> TrainingRun:
    """Train up to the limit of the run."""
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    network = PolicyValueNetwork(arguments.channels, arguments.rounds, arguments.game)
    if arguments.start and not arguments.resume:
        saved = read_checkpoint(arguments.start, network, "--start")
        network.load_state_dict(saved["network"])
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=arguments.learning_rate, weight_decay=arguments.weight_decay
    )
    run = TrainingRun(arguments, network, optimizer)
    # A resumed run deals other games than those before, and fills the buffer anew.
    self_play = SelfPlay(network, arguments, arguments.seed + 1_000_003 * run.steps)
    buffer = ReplayBuffer(self_play.env, arguments.capacity)
    steps_due = 0.0
    figures: dict[str, float] = {}
    with run:
        while run.fraction < 1.0:
            for length in self_play.play(buffer):
                steps_due += arguments.reuse * length / arguments.minibatch
            run.steps += arguments.num_envs
            if len(buffer) < arguments.least:
                steps_due = 0.0
            run.set_learning_rate()
            while steps_due >= 1.0:
                steps_due -= 1.0
                batch = buffer.sample(self_play.rng, arguments.minibatch)
                figures = gradient_step(network, optimizer, batch)
            run.record(figures)
    return run


if __name__ == "__main__":
    finished = train(parse_arguments())
    draw_curve(finished)
    game = finished.arguments.game
    opponents = {"greedy": 250, "alphabeta:depth=2": 50, "mcts:simulations=200": 50}
    print("The network alone:")
    print(format_ladder(play_ladder(network_policy(finished.network), opponents, 1, game)))
    print("With 50 simulations a move:")
    print(format_ladder(play_ladder(search_policy(finished.network, 50), opponents, 1, game)))
