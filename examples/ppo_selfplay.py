"""Train one network for both seats by proximal policy optimization (PPO) on games with itself.

    python examples/ppo_selfplay.py --minutes 30 --seed 1 --output runs/ppo

Both players of every game act by the same network. A position is always seen by the player to
move, so that the value of the next position belongs to the other player, and counts negatively.
"""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from evaluation import draw_curves, format_ladder, network_policy, play_ladder
from numpy.typing import NDArray
from policy_value_network import NETWORK_GAMES, PolicyValueNetwork, read_checkpoint
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from run_options import option, parse_options
from torch import Tensor, nn

from mammalath_env.agents import make_agent
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.vector import SelfPlayVectorEnv


@dataclasses.dataclass
class Options:
    """What a run can be told on the command line."""

    output: str = option("runs/ppo", "folder of checkpoints, logs and curves")
    game: str = option("mammalath", "game to learn", NETWORK_GAMES)
    seed: int = option(1, "seed of network, games and actions")
    minutes: float = option(30.0, "end after so much time, and anneal over it; 0 for no limit")
    plies: int = option(0, "end after so many plies, and anneal over them; 0 for no limit")
    resume: bool = option(
        False,
        "go on from the last checkpoint in the output folder; --game, --channels and --rounds must"
        " be those of the checkpoint, other options may change",
    )
    threads: int = option(1, "threads of torch")
    channels: int = option(32, "channels of the network")
    rounds: int = option(3, "rounds of the network")
    lanes: int = option(192, "games side by side of the network against itself")
    opponents: str = option(
        "greedy=64,random=24", "games side by side against agents, as name=games; empty for none"
    )
    horizon: int = option(32, "plies in each lane between updates")
    epochs: int = option(2, "passes over the plies of an update")
    minibatch: int = option(256, "plies in a gradient step")
    learning_rate: float = option(7e-4, "step size at the start; it falls linearly to a twentieth")
    entropy: float = option(
        0.1, "weight of the entropy bonus at the start; it falls linearly to a twentieth"
    )
    discount: float = option(1.0, "what a reward loses by each ply")
    trace: float = option(0.9, "lambda of generalized advantage estimation")
    clip: float = option(0.2, "how far a probability may move in an update, as a ratio")
    value_weight: float = option(1.0, "weight of the loss of the value")
    evaluate_every: float = option(1.0, "minutes between evaluations")
    games: int = option(500, "games for each seat and opponent in an evaluation")

    def __post_init__(self) -> None:
        """Check what would fail only later, or without a clear message."""
        opponents = parse_opponents(self.opponents)
        if not self.lanes and not opponents:
            raise ValueError("nothing to play: --lanes is 0 and --opponents is empty")


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
    """What was seen, done and gained, as [plies of all lanes, ...]."""

    observations: Tensor
    masks: Tensor
    actions: Tensor
    log_probabilities: Tensor
    values: Tensor
    advantages: Tensor


class Games:
    """Lanes of one environment, and what they show at the moment."""

    def __init__(self, env: SelfPlayVectorEnv | OpponentVectorEnv, seed: int) -> None:
        """Start the games."""
        self.env = env
        self.observation: dict[str, NDArray[np.int8]]
        self.observation, info = env.reset(seed=seed)
        self.actor = self._actor(info)

    def _actor(self, info: dict[str, Any]) -> NDArray[np.int8]:
        """Return int8[lanes]: which player acts next, where the opponent moves inside the env."""
        return np.array(info["to_move" if "to_move" in info else "player"])

    @torch.no_grad()
    def collect(self, network: nn.Module, options: Options) -> Rollout:
        """Play `horizon` actions in every lane and estimate their advantages."""
        seen: list[tuple[Tensor, ...]] = []
        rewards, signs = [], []
        for _ in range(options.horizon):
            observations = torch.from_numpy(self.observation["observation"])
            masks = torch.from_numpy(self.observation["action_mask"]).bool()
            logits, values = network(observations.float())
            log_policy = torch.log_softmax(logits.masked_fill(~masks, -1e9), 1)
            # The largest of logits with Gumbel noise is a draw from the policy.
            noise = -torch.log(torch.empty_like(logits).exponential_())
            actions = (log_policy + noise).masked_fill(~masks, -torch.inf).argmax(1)
            chosen = log_policy.gather(1, actions[:, None]).squeeze(1)
            seen.append((observations, masks, actions, chosen, values))
            self.observation, reward, ended, _, info = self.env.step(actions.numpy())
            actor = self._actor(info)
            rewards.append(torch.from_numpy(reward).float())
            # What follows is worth the same to the same player, the opposite to the other one,
            # and nothing behind the end of the game.
            sign = np.where(actor == self.actor, 1.0, -1.0) * ~ended
            signs.append(torch.from_numpy(sign).float() * options.discount)
            self.actor = actor
        _, next_value = network(torch.from_numpy(self.observation["observation"]).float())
        advantages = []
        advantage = torch.zeros_like(next_value)
        for (*_, value), reward, sign in zip(
            reversed(seen), reversed(rewards), reversed(signs), strict=True
        ):
            surprise = reward + sign * next_value - value
            advantage = surprise + options.trace * sign * advantage
            advantages.append(advantage)
            next_value = value
        columns = [torch.cat(column) for column in zip(*seen, strict=True)]
        return Rollout._make([*columns, torch.cat(advantages[::-1])])


class Trainer:
    """A run: network, optimizer, games, and how far it has come."""

    def __init__(self, options: Options) -> None:
        """Start a run, or go on with the last one."""
        self.options = options
        self.output = Path(options.output)
        self.output.mkdir(parents=True, exist_ok=True)
        torch.set_num_threads(options.threads)
        torch.manual_seed(options.seed)
        self.network = PolicyValueNetwork(options.channels, options.rounds, options.game)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=options.learning_rate, eps=1e-5
        )
        self.seconds = 0.0
        self.plies = 0
        self.updates = 0
        self.curve: list[dict[str, float]] = []
        last = self.output / "last.pt"
        if options.resume:
            self._load(last)
        elif last.exists():
            # So that a run that was started by mistake does not overwrite an earlier one.
            last.replace(self.output / "previous.pt")
        # A run that goes on deals new games.
        seed = options.seed + 1_000_003 * self.updates
        self.games: list[Games] = []
        if options.lanes:
            own = SelfPlayVectorEnv(
                options.game, options.lanes, autoreset_mode="SameStep", channels_first=True
            )
            self.games.append(Games(own, seed))
        for index, (opponent, lanes) in enumerate(parse_opponents(options.opponents)):
            against = OpponentVectorEnv(
                options.game,
                lanes,
                opponent=opponent,
                autoreset_mode="SameStep",
                channels_first=True,
            )
            self.games.append(Games(against, seed + 100_000 * (index + 1)))

    def _load(self, path: Path) -> None:
        saved = read_checkpoint(path, self.network, "--resume")
        self.network.load_state_dict(saved["network"])
        self.optimizer.load_state_dict(saved["optimizer"])
        torch.set_rng_state(saved["random"])
        self.seconds, self.plies = saved["seconds"], saved["plies"]
        self.updates, self.curve = saved["updates"], saved["curve"]

    def save(self, name: str) -> None:
        """Write a checkpoint that `--resume` and `export_network.py` can read."""
        part = self.output / f"{name}.part"
        torch.save(
            {
                "hyperparameters": self.network.hyperparameters,
                "network": self.network.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "random": torch.get_rng_state(),
                "seconds": self.seconds,
                "plies": self.plies,
                "updates": self.updates,
                "curve": self.curve,
                "options": dataclasses.asdict(self.options),
            },
            part,
        )
        part.replace(self.output / name)

    @property
    def fraction(self) -> float:
        """How much of the run is done, 0 to 1."""
        done = [0.0]
        if self.options.minutes:
            done.append(self.seconds / 60 / self.options.minutes)
        if self.options.plies:
            done.append(self.plies / self.options.plies)
        return min(max(done), 1.0)

    def update(self) -> dict[str, float]:
        """Play, and improve the network by it; return losses and other figures by name."""
        options = self.options
        left = 1.0 - 0.95 * self.fraction
        for group in self.optimizer.param_groups:
            group["lr"] = options.learning_rate * left
        rollouts = [games.collect(self.network, options) for games in self.games]
        rollout = Rollout(*(torch.cat(column) for column in zip(*rollouts, strict=True)))
        sums: dict[str, float] = {}
        steps = 0
        for _ in range(options.epochs):
            for chosen in torch.randperm(len(rollout.actions)).split(options.minibatch):
                figures = self._descend(Rollout(*(column[chosen] for column in rollout)), left)
                for name, value in figures.items():
                    sums[name] = sums.get(name, 0.0) + value
                steps += 1
        self.plies += len(rollout.actions)
        self.updates += 1
        return {name: value / steps for name, value in sums.items()}

    def _descend(self, batch: Rollout, left: float) -> dict[str, float]:
        """Take one gradient step on a minibatch."""
        options = self.options
        observations, masks, actions = batch.observations, batch.masks, batch.actions
        logits, values = self.network(observations.float())
        log_policy = torch.log_softmax(logits.masked_fill(~masks, -1e9), 1)
        entropy = -(log_policy.exp() * log_policy).sum(1).mean()
        change = log_policy.gather(1, actions[:, None]).squeeze(1) - batch.log_probabilities
        ratio = change.exp()
        advantages = batch.advantages
        # A last minibatch may be of one ply, whose deviation would not be a number if corrected.
        deviation = advantages.std(correction=min(1, len(advantages) - 1))
        advantages = (advantages - advantages.mean()) / (deviation + 1e-8)
        clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
        policy_loss = -torch.minimum(ratio * advantages, clipped * advantages).mean()
        value_loss = (values - batch.values - batch.advantages).square().mean()
        loss = policy_loss + options.value_weight * value_loss - options.entropy * left * entropy
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
        self.optimizer.step()
        return {
            "policy_loss": policy_loss.item(),
            "value_loss": value_loss.item(),
            "entropy": entropy.item(),
            "clipped": (ratio - 1).abs().gt(options.clip).float().mean().item(),
            "approximate_kl": (ratio - 1 - change).mean().item(),
        }

    def evaluate(self) -> dict[str, float]:
        """Return the score against compiled opponents, by name, the network playing its best."""
        policy = network_policy(self.network)
        opponents = dict.fromkeys(("random", "greedy"), self.options.games)
        ladder = play_ladder(policy, opponents, seed=987_654_321, game=self.options.game)
        return {
            name: sum(score.rate for score in scores.values()) / len(scores)
            for name, scores in ladder.items()
        }


def open_log(folder: Path) -> Any:
    """Return a TensorBoard writer, or None without TensorBoard."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder))


def run(trainer: Trainer) -> None:
    """Learn to the end that the options set."""
    options = trainer.options
    log = open_log(trainer.output)
    columns = [BarColumn(), TextColumn("{task.percentage:3.0f} %"), TimeElapsedColumn()]
    with Progress(*columns, TextColumn("{task.description}")) as progress:
        bar = progress.add_task("", total=1.0)
        scores = ""
        next_evaluation = trainer.seconds + 60 * options.evaluate_every
        while trainer.fraction < 1.0:
            started, plies = time.perf_counter(), trainer.plies
            figures = trainer.update()
            seconds = time.perf_counter() - started
            trainer.seconds += seconds
            figures["plies_per_second"] = (trainer.plies - plies) / seconds
            if trainer.seconds >= next_evaluation or trainer.fraction >= 1.0:
                next_evaluation = trainer.seconds + 60 * options.evaluate_every
                found = trainer.evaluate()
                point = {"minutes": trainer.seconds / 60, "plies": trainer.plies, **found}
                trainer.curve.append(point)
                trainer.save("last.pt")
                scores = "  ".join(f"{name} {100 * score:.1f} %" for name, score in found.items())
                figures |= {f"score/{name}": score for name, score in found.items()}
                progress.console.print(
                    f"{point['minutes']:5.1f} min {trainer.plies:>10,} plies  {scores}  "
                    f"value loss {figures['value_loss']:.3f}  entropy {figures['entropy']:.2f}  "
                    f"KL {figures['approximate_kl']:.4f}  clipped {figures['clipped']:.2f}"
                )
            if log is not None:
                for name, value in figures.items():
                    log.add_scalar(name, value, trainer.plies)
            progress.update(
                bar,
                completed=trainer.fraction,
                description=f"{figures['plies_per_second']:,.0f} plies/s  {scores}",
            )
    if log is not None:
        log.close()


def train(options: Options) -> Trainer:
    """Run to the end that the options set; if interrupted, save a checkpoint and end."""
    trainer = Trainer(options)
    try:
        run(trainer)
    except KeyboardInterrupt:
        trainer.save("last.pt")
        print(f"interrupted; --resume goes on from {trainer.output / 'last.pt'}")
        raise SystemExit(130) from None
    return trainer


if __name__ == "__main__":
    finished = train(parse_options(Options, (__doc__ or "").splitlines()[0]))
    draw_curves(finished.curve, finished.output / "curve.svg")
    print(
        format_ladder(
            play_ladder(
                network_policy(finished.network),
                {"random": 500, "greedy": 500, "alphabeta:depth=2": 50, "mcts:simulations=200": 50},
                seed=123_456_789,
                game=finished.options.game,
            )
        )
    )
