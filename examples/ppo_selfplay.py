"""Train one network for both seats of Mammalath by PPO, in self-play and against agents.

    pip install -e ".[learning]"
    python examples/ppo_selfplay.py --minutes 30 --seed 1 --output runs/ppo

A run takes as long as --minutes says, on one core. One such run beat the agent `greedy` in all
games after ten minutes; docs/learning.md has the figures.

Both players of a game of self-play act by the same network, which sees each position from the
mover's side. So the value of the next position counts negatively if the other player moves there.
Otherwise this is PPO as for a single agent.

The network, checkpoints, logs and evaluation are in `learning_common.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

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
    training_parser,
)
from numpy.typing import NDArray

from mammalath_env.agents import make_agent
from mammalath_env.core.extras import from_extra
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.vector import SelfPlayVectorEnv

with from_extra("learning", "torch"):
    import torch
    from torch import Tensor, nn


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of a run, from the command line if `argv` is None."""
    parser = training_parser(
        (__doc__ or "").splitlines()[0],
        output="runs/ppo",
        num_envs=192,
        learning_rate=7e-4,
        evaluate_every=1.0,
        games=500,
    )
    add = parser.add_argument
    add(
        "--opponents",
        default="greedy=64,random=24",
        help="further games side by side against agents, as name=games; empty for none",
    )
    add("--horizon", type=int, default=32, help="steps in each game between updates")
    add("--epochs", type=int, default=2, help="passes over the steps of an update")
    add("--discount", type=float, default=1.0, help="discount factor gamma, per ply")
    add("--gae-lambda", type=float, default=0.9, help="lambda of generalized advantage estimation")
    add("--clip", type=float, default=0.2, help="clipping range of the probability ratio")
    add("--value-weight", type=float, default=1.0, help="coefficient of the value loss")
    add(
        "--entropy",
        type=float,
        default=0.1,
        help="initial coefficient of the entropy bonus; decays linearly to a twentieth",
    )
    arguments: argparse.Namespace = parse_training(parser, argv)
    try:
        opponents = parse_opponents(arguments.opponents)
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    if not arguments.num_envs and not opponents:
        parser.error("nothing to play: --num-envs is 0 and --opponents is empty")
    return arguments


def parse_opponents(text: str) -> list[tuple[str, int]]:
    """Return names of agents and how many games each plays, from ``"greedy=64,random=24"``.

    Raises:
        ValueError: A number is missing, or there is no such agent.
        TypeError: An option of an agent has the wrong type.
    """
    opponents = []
    for entry in filter(None, map(str.strip, text.split(","))):
        # An agent may have an option, as in alphabeta:depth=2=16.
        name, _, games = map(str.strip, entry.rpartition("="))
        if not name or not games.isdecimal() or int(games) == 0:
            raise ValueError(f"--opponents: expected name=games with games above 0, not {entry!r}")
        make_agent(name)
        opponents.append((name, int(games)))
    return opponents


class Rollout(NamedTuple):
    """The steps of an update, each an array over all steps of all lanes."""

    observations: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    advantages: Tensor


class Lanes:
    """Games side by side, of self-play or against an agent, from which rollouts are collected."""

    def __init__(self, env: SelfPlayVectorEnv | OpponentVectorEnv, seed: int) -> None:
        """Deal the first games."""
        self.env = env
        self.observation: dict[str, NDArray[np.int8]]
        self.observation, info = env.reset(seed=seed)
        self.player = self._player(info)

    def _player(self, info: dict[str, Any]) -> NDArray[np.int8]:
        """Return int8[lanes], who acts next: against an agent, always the learner."""
        return np.array(info["to_move" if "to_move" in info else "player"])

    @torch.no_grad()
    def collect(self, network: nn.Module, arguments: argparse.Namespace) -> Rollout:
        """Play `horizon` steps in every lane and estimate their advantages."""
        steps: list[tuple[Tensor, ...]] = []
        rewards, discounts = [], []
        for _ in range(arguments.horizon):
            observations = torch.from_numpy(self.observation["observation"])
            masks = torch.from_numpy(self.observation["action_mask"]).bool()
            logits, values = network(observations.float())
            log_policy = masked_log_softmax(logits, masks)
            # The Gumbel-max trick: the argmax of log probabilities plus Gumbel noise is a sample.
            gumbel = -torch.log(torch.empty_like(logits).exponential_())
            actions = (log_policy + gumbel).masked_fill(~masks, -torch.inf).argmax(1)
            log_probs = log_policy.gather(1, actions[:, None]).squeeze(1)
            steps.append((observations, masks, actions, log_probs, values))

            self.observation, reward, terminated, _, info = self.env.step(actions.numpy())
            rewards.append(torch.from_numpy(reward).float())
            # A discount with a sign: what follows counts for the player who acted if the same
            # player acts next, against it if the other one does, and not at all in the next game.
            player = self._player(info)
            sign = np.where(player == self.player, 1.0, -1.0) * ~terminated
            discounts.append(torch.from_numpy(sign).float() * arguments.discount)
            self.player = player

        _, next_values = network(torch.from_numpy(self.observation["observation"]).float())
        advantages = generalized_advantages(
            rewards, [values for *_, values in steps], discounts, next_values, arguments.gae_lambda
        )
        columns = [torch.cat(column) for column in zip(*steps, strict=True)]
        return Rollout._make([*columns, torch.cat(advantages)])


def generalized_advantages(
    rewards: Sequence[Tensor],
    values: Sequence[Tensor],
    discounts: Sequence[Tensor],
    next_values: Tensor,
    gae_lambda: float,
) -> list[Tensor]:
    """Return the advantages of generalized advantage estimation (Schulman et al., 2016).

    Args:
        rewards: float[lanes] for each step, of the player who acted.
        values: float[lanes] for each step, of the position in which it was taken.
        discounts: float[lanes] for each step: gamma with the sign of the player who acts next,
            0 at the end of a game.
        next_values: float[lanes], values of the positions after the last step.
        gae_lambda: Lambda, from 0 to 1.
    """
    advantages = []
    advantage = torch.zeros_like(next_values)
    for step in reversed(range(len(rewards))):
        delta = rewards[step] + discounts[step] * next_values - values[step]
        advantage = delta + gae_lambda * discounts[step] * advantage
        advantages.append(advantage)
        next_values = values[step]
    return advantages[::-1]


def ppo_step(
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    batch: Rollout,
    entropy_weight: float,
    arguments: argparse.Namespace,
) -> dict[str, float]:
    """Take one gradient step on a minibatch; return losses and other figures by name."""
    logits, values = network(batch.observations.float())
    log_policy = masked_log_softmax(logits, batch.masks)
    entropy = -(log_policy.exp() * log_policy).sum(1).mean()
    log_ratio = log_policy.gather(1, batch.actions[:, None]).squeeze(1) - batch.log_probs
    ratio = log_ratio.exp()

    advantages = batch.advantages
    # The last minibatch may be a single step, for which a corrected deviation is not a number.
    deviation = advantages.std(correction=min(1, len(advantages) - 1))
    advantages = (advantages - advantages.mean()) / (deviation + 1e-8)
    clipped_ratio = ratio.clamp(1 - arguments.clip, 1 + arguments.clip)
    policy_loss = -torch.minimum(ratio * advantages, clipped_ratio * advantages).mean()
    # The value targets are the returns: values as they were in the rollout, plus advantages.
    value_loss = (values - batch.values - batch.advantages).square().mean()
    loss = policy_loss + arguments.value_weight * value_loss - entropy_weight * entropy

    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 0.5)
    optimizer.step()
    return {
        "policy_loss": policy_loss.item(),
        "value_loss": value_loss.item(),
        "entropy": entropy.item(),
        "clipped": (ratio - 1).abs().gt(arguments.clip).float().mean().item(),
        "approximate_kl": (ratio - 1 - log_ratio).mean().item(),
    }


def make_lanes(arguments: argparse.Namespace, seed: int) -> list[Lanes]:
    """Return the games of self-play and those against each agent."""
    shared: dict[str, Any] = {"autoreset_mode": "SameStep", "channels_first": True}
    lanes = []
    if arguments.num_envs:
        env = SelfPlayVectorEnv(arguments.game, arguments.num_envs, **shared)
        lanes.append(Lanes(env, seed))
    for index, (opponent, num_envs) in enumerate(parse_opponents(arguments.opponents)):
        against = OpponentVectorEnv(arguments.game, num_envs, opponent=opponent, **shared)
        lanes.append(Lanes(against, seed + 100_000 * (index + 1)))
    return lanes


def train(arguments: argparse.Namespace) -> TrainingRun:
    """Train up to the limit of the run."""
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    network = PolicyValueNetwork(arguments.channels, arguments.rounds, arguments.game)
    optimizer = torch.optim.Adam(network.parameters(), lr=arguments.learning_rate, eps=1e-5)
    run = TrainingRun(arguments, network, optimizer)
    # A resumed run deals other games than those before.
    all_lanes = make_lanes(arguments, arguments.seed + 1_000_003 * run.updates)
    with run:
        while run.fraction < 1.0:
            run.set_learning_rate()
            entropy_weight = arguments.entropy * (1.0 - 0.95 * run.fraction)
            rollouts = [lanes.collect(network, arguments) for lanes in all_lanes]
            rollout = Rollout(*(torch.cat(column) for column in zip(*rollouts, strict=True)))
            figures: list[dict[str, float]] = []
            for _ in range(arguments.epochs):
                for chosen in torch.randperm(len(rollout.actions)).split(arguments.minibatch):
                    batch = Rollout(*(column[chosen] for column in rollout))
                    figures.append(ppo_step(network, optimizer, batch, entropy_weight, arguments))
            run.steps += len(rollout.actions)
            run.record(
                {name: float(np.mean([each[name] for each in figures])) for name in figures[0]}
            )
    return run


if __name__ == "__main__":
    finished = train(parse_arguments())
    draw_curve(finished)
    opponents = {"random": 500, "greedy": 500, "alphabeta:depth=2": 50, "mcts:simulations=200": 50}
    policy = network_policy(finished.network)
    game = finished.arguments.game
    print(format_ladder(play_ladder(policy, opponents, seed=123_456_789, game=game)))
