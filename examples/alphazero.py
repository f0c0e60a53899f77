"""Train a network on the results of its own searches, in the manner of AlphaZero.

    python examples/alphazero.py --minutes 30 --seed 1 --output runs/alphazero

Each move of many games side by side is chosen by a tree search (PUCT) that asks the network about
the leaves of all games in one batch. The network then learns to foretell where searches go and how
games end. Its weights are shared by all symmetries of the board, so no images need to be added.
"""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from evaluation import (
    draw_curves,
    evaluate_batch,
    format_ladder,
    network_policy,
    play_ladder,
    search_policy,
)
from numpy.typing import NDArray
from policy_value_network import NETWORK_GAMES, PolicyValueNetwork, read_checkpoint
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from run_options import option, parse_options
from torch import nn

from mammalath_env.agents.puct import PUCTSearch
from mammalath_env.envs.vector import SelfPlayVectorEnv


@dataclasses.dataclass
class Options:
    """What a run can be told on the command line."""

    output: str = option("runs/alphazero", "folder of checkpoints, logs and curves")
    game: str = option("mammalath", "game to learn", NETWORK_GAMES)
    seed: int = option(1, "seed of network, games and searches")
    minutes: float = option(30.0, "end after so much time, and anneal over it; 0 for no limit")
    plies: int = option(0, "end after so many plies, and anneal over them; 0 for no limit")
    resume: bool = option(
        False,
        "go on from the last checkpoint in the output folder; --game, --channels and --rounds must"
        " be those of the checkpoint, other options may change",
    )
    start: str = option(
        "",
        "checkpoint, of this or of the other example, whose network to begin with; it must have the"
        " same game, channels and rounds",
    )
    threads: int = option(1, "threads of torch")
    channels: int = option(32, "channels of the network")
    rounds: int = option(3, "rounds of the network")
    lanes: int = option(128, "games side by side")
    simulations: int = option(48, "simulations of each search")
    leaves: int = option(4, "leaves of each game in a batch")
    exploration: float = option(1.5, "weight of the exploration term of a search")
    noise: float = option(0.25, "share of noise in the chances at the root")
    opening: int = option(
        8, "plies of each game whose actions are drawn by visits; later ones are the most visited"
    )
    capacity: int = option(60_000, "positions that the replay buffer holds")
    least: int = option(2_000, "positions in the buffer before learning begins")
    reuse: float = option(6.0, "how often a position is learnt from, on average")
    minibatch: int = option(256, "positions in a gradient step")
    learning_rate: float = option(2e-3, "step size at the start; it falls linearly to a twentieth")
    weight_decay: float = option(1e-4, "decay of the weights")
    search_share: float = option(
        0.5,
        "share of the value found by the search in the target of values; the rest is the result",
    )
    evaluate_every: float = option(2.0, "minutes between evaluations")
    games: int = option(250, "games for each seat and opponent in an evaluation")

    def __post_init__(self) -> None:
        """Check what would make a run that never learns."""
        if self.capacity < self.least:
            raise ValueError(
                f"--capacity {self.capacity} is below --least {self.least}: the buffer would never"
                " hold the positions with which learning begins"
            )


class ReplayBuffer:
    """The latest positions with what the network should have answered."""

    def __init__(self, env: SelfPlayVectorEnv, capacity: int) -> None:
        """Allocate room for `capacity` positions."""
        self.observations = np.zeros((capacity, *env.game.shape(True)), np.int8)
        self.masks = np.zeros((capacity, env.game.num_actions), np.bool_)
        self.policies = np.zeros((capacity, env.game.num_actions), np.float32)
        self.values = np.zeros(capacity, np.float32)
        self.added = 0

    def __len__(self) -> int:
        """Return how many positions it holds."""
        return min(self.added, len(self.values))

    def add(
        self,
        observation: NDArray[np.int8],
        mask: NDArray[np.int8],
        policy: NDArray[np.float32],
        value: float,
    ) -> None:
        """Put a position in the place of the oldest one."""
        index = self.added % len(self.values)
        self.observations[index] = observation
        self.masks[index] = mask
        self.policies[index] = policy
        self.values[index] = value
        self.added += 1

    def draw(self, rng: np.random.Generator, count: int) -> tuple[torch.Tensor, ...]:
        """Return observations, masks, policies and values of `count` positions."""
        chosen = rng.integers(len(self), size=count)
        columns = (self.observations, self.masks, self.policies, self.values)
        return tuple(torch.from_numpy(column[chosen]) for column in columns)


@dataclasses.dataclass
class Ply:
    """One position of a game that still runs."""

    player: int
    observation: NDArray[np.int8]
    mask: NDArray[np.int8]
    policy: NDArray[np.float32]
    search_value: float


class Trainer:
    """A run: network, games, buffer, and how far it has come."""

    def __init__(self, options: Options) -> None:
        """Start a run, or go on with the last one."""
        self.options = options
        self.output = Path(options.output)
        self.output.mkdir(parents=True, exist_ok=True)
        torch.set_num_threads(options.threads)
        torch.manual_seed(options.seed)
        self.network = PolicyValueNetwork(options.channels, options.rounds, options.game)
        if options.start and not options.resume:
            saved = read_checkpoint(options.start, self.network, "--start")
            self.network.load_state_dict(saved["network"])
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay
        )
        self.seconds = 0.0
        self.plies = 0
        self.steps_due = 0.0
        self.curve: list[dict[str, float]] = []
        last = self.output / "last.pt"
        if options.resume:
            self._load(last)
        elif last.exists():
            # So that a run that was started by mistake does not overwrite an earlier one.
            last.replace(self.output / "previous.pt")
        # A run that goes on deals new games and fills the buffer anew.
        seed = options.seed + 1_000_003 * self.plies
        self.rng = np.random.default_rng(seed)
        self.env = SelfPlayVectorEnv(
            options.game, options.lanes, autoreset_mode="SameStep", channels_first=True
        )
        self.observation, self.info = self.env.reset(seed=seed)
        self.games: list[list[Ply]] = [[] for _ in range(options.lanes)]
        self.buffer = ReplayBuffer(self.env, options.capacity)
        self.search = PUCTSearch(
            lambda observations, masks: evaluate_batch(self.network, observations, masks),
            simulations=options.simulations,
            leaves=options.leaves,
            exploration=options.exploration,
            noise_fraction=options.noise,
            channels_first=True,
            seed=seed,
        )

    def _load(self, path: Path) -> None:
        saved = read_checkpoint(path, self.network, "--resume")
        self.network.load_state_dict(saved["network"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.seconds, self.plies, self.curve = saved["seconds"], saved["plies"], saved["curve"]

    def save(self, name: str) -> None:
        """Write a checkpoint that `--resume` and `export_network.py` can read."""
        part = self.output / f"{name}.part"
        torch.save(
            {
                "hyperparameters": self.network.hyperparameters,
                "network": self.network.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "seconds": self.seconds,
                "plies": self.plies,
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

    def play(self) -> None:
        """Search and play one ply in every lane; games that end go into the buffer."""
        visits, values = self.search.search(self.env.positions())
        policies = visits / visits.sum(1, keepdims=True)
        drawn = (policies.cumsum(1) > self.rng.random((len(policies), 1))).argmax(1)
        actions = np.where(self.info["ply"] < self.options.opening, drawn, visits.argmax(1))
        for lane, game in enumerate(self.games):
            game.append(
                Ply(
                    int(self.info["to_move"][lane]),
                    self.observation["observation"][lane],
                    self.observation["action_mask"][lane],
                    policies[lane].astype(np.float32),
                    float(values[lane]),
                )
            )
        self.observation, _, ended, _, self.info = self.env.step(actions)
        share = self.options.search_share
        for lane in np.flatnonzero(ended).tolist():
            winner = int(self.info["winner"][lane])
            for ply in self.games[lane]:
                result = 0.0 if winner > 1 else 1.0 if winner == ply.player else -1.0
                target = share * ply.search_value + (1 - share) * result
                self.buffer.add(ply.observation, ply.mask, ply.policy, target)
            self.steps_due += self.options.reuse * len(self.games[lane]) / self.options.minibatch
            self.games[lane] = []
        self.plies += len(actions)

    def learn(self) -> dict[str, float]:
        """Take the gradient steps that are due; return losses by name, none if there was none."""
        options = self.options
        figures: dict[str, float] = {}
        if len(self.buffer) < options.least:
            self.steps_due = 0.0
        for group in self.optimizer.param_groups:
            group["lr"] = options.learning_rate * (1.0 - 0.95 * self.fraction)
        while self.steps_due >= 1.0:
            self.steps_due -= 1.0
            observations, masks, policies, targets = self.buffer.draw(self.rng, options.minibatch)
            logits, values = self.network(observations.float())
            log_policy = torch.log_softmax(logits.masked_fill(~masks, -1e9), 1)
            policy_loss = -(policies * log_policy).sum(1).mean()
            value_loss = (values - targets).square().mean()
            self.optimizer.zero_grad()
            (policy_loss + value_loss).backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimizer.step()
            figures = {"policy_loss": policy_loss.item(), "value_loss": value_loss.item()}
        return figures

    def evaluate(self) -> dict[str, float]:
        """Return the score of the network alone against compiled opponents, by name."""
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
        figures: dict[str, float] = {}
        next_evaluation = trainer.seconds + 60 * options.evaluate_every
        while trainer.fraction < 1.0:
            started, plies = time.perf_counter(), trainer.plies
            trainer.play()
            figures |= trainer.learn()
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
                losses = "  ".join(
                    f"{name.replace('_', ' ')} {figures[name]:.3f}"
                    for name in ("policy_loss", "value_loss")
                    if name in figures
                )
                progress.console.print(
                    f"{point['minutes']:5.1f} min {trainer.plies:>9,} plies  {scores}  {losses}"
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
    name = finished.options.game
    opponents = {"greedy": 250, "alphabeta:depth=2": 50, "mcts:simulations=200": 50}
    print("The network alone:")
    print(format_ladder(play_ladder(network_policy(finished.network), opponents, 1, name)))
    print("Searching 50 simulations:")
    print(format_ladder(play_ladder(search_policy(finished.network, 50), opponents, 1, name)))
