"""What `ppo_selfplay.py`, `alphazero.py` and `export_network.py` have in common.

In this order: the command-line options of a training run, the network, the run with its
checkpoints and logs, and the evaluation against agents of the package.

Needs: pip install -e ".[learning]"
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from mammalath_env import make_game
from mammalath_env.agents.puct import PUCTSearch
from mammalath_env.core.extras import from_extra
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.games.mammalath.game import MammalathGame

with from_extra("learning", "torch"):
    import torch
    from torch import Tensor, nn

# ---- Options ----------------------------------------------------------------------------------


def training_parser(summary: str, **defaults: Any) -> argparse.ArgumentParser:
    """Return a parser with the options that every training run has.

    Args:
        summary: First line of the help.
        defaults: Default values that differ from those below.
    """
    parser = argparse.ArgumentParser(
        description=summary, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    add = parser.add_argument
    add("--output", help="folder for checkpoints, logs and the learning curve")
    add("--game", choices=["mammalath", "mammalath_plus"], default="mammalath", help="game to play")
    add("--seed", type=int, default=1, help="seed of everything random")
    add("--minutes", type=float, default=30.0, help="time limit of the run; 0 for none")
    add("--steps", type=int, default=0, help="limit in environment steps (plies); 0 for none")
    add(
        "--resume",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="continue from the last checkpoint in the output folder; --game, --channels and"
        " --rounds must match it, other options may change",
    )
    add("--threads", type=int, default=1, help="threads of PyTorch")
    add("--channels", type=int, default=32, help="features per node of the network")
    add("--rounds", type=int, default=3, help="rounds of message passing in the network")
    add("--num-envs", type=int, help="games of self-play side by side")
    add("--minibatch", type=int, default=256, help="positions in a gradient step")
    add("--learning-rate", type=float, help="initial learning rate; decays linearly to a twentieth")
    add("--evaluate-every", type=float, help="minutes of training between evaluations")
    add("--games", type=int, help="games in an evaluation, for each opponent and seat")
    parser.set_defaults(**defaults)
    return parser


def parse_training(
    parser: argparse.ArgumentParser, argv: Sequence[str] | None = None
) -> argparse.Namespace:
    """Return the options of a command line, which must set a limit to the run."""
    arguments = parser.parse_args(argv)
    if not arguments.minutes and not arguments.steps:
        parser.error("a run needs --minutes or --steps")
    return arguments


# ---- Network ----------------------------------------------------------------------------------


class Round(nn.Module):
    """One round of message passing between spaces, patterns and animal types.

    Arrays hold nodes first, float[nodes, batch, channels], so that the sums over the spaces of all
    patterns are one matrix product.
    """

    def __init__(self, channels: int) -> None:
        """Allocate the layers."""
        super().__init__()
        self.space_to_pattern = nn.Linear(channels, channels)
        self.pattern_to_pattern = nn.Linear(channels, channels, bias=False)
        self.pattern_to_space = nn.Linear(channels, channels)
        self.space_to_space = nn.Linear(channels, channels, bias=False)
        self.space_to_type = nn.Linear(channels, channels)
        self.board_to_space = nn.Linear(channels, channels, bias=False)

    def forward(
        self, spaces: Tensor, patterns: Tensor, types: Tensor, incidence: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return new features of spaces and patterns.

        Args:
            spaces: float[spaces, batch, channels].
            patterns: float[patterns, batch, channels].
            types: float[batch, types, spaces], 1 where an animal of the type stands.
            incidence: float[patterns, spaces], above 0 where the pattern contains the space.
        """
        from_spaces = (incidence @ spaces.flatten(1)).view_as(patterns)
        patterns = patterns + torch.relu(
            self.space_to_pattern(from_spaces) + self.pattern_to_pattern(patterns)
        )
        from_patterns = (incidence.T @ patterns.flatten(1)).view_as(spaces)
        of_type = torch.relu(self.space_to_type(types @ spaces.transpose(0, 1)))
        from_type = (types.transpose(1, 2) @ of_type).transpose(0, 1)
        from_board = self.board_to_space(spaces.mean(0))
        spaces = spaces + torch.relu(
            self.pattern_to_space(from_patterns)
            + self.space_to_space(spaces)
            + from_type
            + from_board
        )
        return spaces, patterns


class PolicyValueNetwork(nn.Module):
    """Policy and value for a batch of observations of Mammalath or Mammalath Plus.

    A graph network: its nodes are the spaces, the patterns (the winning lines of the rules) and the
    animal types. All nodes of a kind share their weights, which makes the network equivariant: for
    a reflected or rotated board, or renamed animal types, it gives the same answers reflected,
    rotated and renamed.
    """

    def __init__(self, channels: int = 32, rounds: int = 3, game: str = "mammalath") -> None:
        """Allocate the layers.

        Args:
            channels: Features of each node.
            rounds: Rounds of message passing.
            game: ``"mammalath"`` or ``"mammalath_plus"``.
        """
        super().__init__()
        self.hyperparameters = {"channels": channels, "rounds": rounds, "game": game}
        rules = make_game(game)
        assert isinstance(rules, MammalathGame)
        self.size = rules.config.size
        incidence = np.zeros((len(rules.patterns), rules.config.num_spaces), np.float32)
        for index, pattern in enumerate(rules.patterns):
            incidence[index, list(pattern)] = 0.5
        self.register_buffer("incidence", torch.from_numpy(incidence), persistent=False)
        self.incidence: Tensor
        self.space_input = nn.Linear(7, channels)
        self.pattern_input = nn.Linear(8, channels)
        self.rounds = nn.ModuleList(Round(channels) for _ in range(rounds))
        self.place_logit = nn.Linear(channels, 1)
        self.pattern_logit = nn.Linear(channels, 1)
        self.type_hidden = nn.Linear(channels, channels)
        self.type_logit = nn.Linear(channels, 1)
        self.board_hidden = nn.Linear(4 * channels, 2 * channels)
        self.swap_logit = nn.Linear(2 * channels, 1)
        self.value = nn.Linear(2 * channels, 1)
        heads = (self.place_logit, self.pattern_logit, self.type_logit, self.swap_logit, self.value)
        for layer in heads:
            nn.init.normal_(layer.weight, std=0.01)
            nn.init.zeros_(layer.bias)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits float[batch, num_actions], unmasked, and values float[batch].

        Args:
            observations: float[batch, planes, rows, cols], as the player to move sees them.
        """
        size = self.size
        planes = observations.flatten(2)
        types = planes[:, :size]
        animal = types.sum(1)
        own, other, can_swap = planes[:, size], planes[:, size + 1], planes[:, size + 2]
        inputs = [animal, own, other, can_swap, animal * own, animal * other]
        degree = self.incidence.sum(0).expand_as(own) / 4
        space_input = torch.stack([*inputs, degree], 2).transpose(0, 1)
        counts = self.incidence @ types.permute(2, 0, 1).flatten(1)
        counts = counts.view(len(counts), len(own), size)
        pattern_input = (self.incidence @ space_input.flatten(1)).view(len(counts), len(own), 7)
        # Large where the animals of a pattern share a type, so that one release removes them.
        same_type = counts.square().sum(2, keepdim=True)
        spaces = torch.relu(self.space_input(space_input))
        patterns = torch.relu(self.pattern_input(torch.cat([pattern_input, same_type], 2)))
        for each in self.rounds:
            spaces, patterns = each(spaces, patterns, types, self.incidence)
        of_type = torch.relu(self.type_hidden(types @ spaces.transpose(0, 1)))
        pooled = torch.cat([spaces.mean(0), spaces.amax(0), patterns.mean(0), patterns.amax(0)], 1)
        hidden = torch.relu(self.board_hidden(pooled))
        logits = [
            self.place_logit(spaces).squeeze(2).T,
            self.type_logit(of_type).squeeze(2),
            self.pattern_logit(patterns).squeeze(2).T,
            self.swap_logit(hidden),
        ]
        return torch.cat(logits, 1), torch.tanh(self.value(hidden)).squeeze(1)


def masked_log_softmax(logits: Tensor, masks: Tensor) -> Tensor:
    """Return the log probabilities of a policy over legal actions, float[batch, num_actions]."""
    return torch.log_softmax(logits.masked_fill(~masks, -1e9), 1)


@torch.no_grad()
def policy_and_value(
    network: nn.Module, observations: NDArray[np.int8], masks: NDArray[np.generic]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return policies over legal actions float[batch, num_actions] and values float[batch].

    With the network filled in, a `PolicyValue` of `mammalath_env.agents.puct`, for planes first.
    """
    logits, values = network(torch.from_numpy(observations).float())
    legal = torch.from_numpy(masks.astype(np.bool_))
    policies = torch.softmax(logits.masked_fill(~legal, -1e9), 1)
    return policies.numpy(), values.numpy()


# ---- Training run -----------------------------------------------------------------------------


def read_checkpoint(path: str | Path, network: PolicyValueNetwork, option: str) -> dict[str, Any]:
    """Return the content of a checkpoint; exit if it does not fit the network.

    Args:
        path: File that a training run has saved.
        network: Network that the checkpoint is for.
        option: Command-line option that asked for the checkpoint, for messages.

    Raises:
        SystemExit: There is no such file, or its network has another game or size.
    """
    if not Path(path).is_file():
        raise SystemExit(f"{option}: there is no checkpoint {path}")
    saved: dict[str, Any] = torch.load(path, weights_only=True)
    for name, value in network.hyperparameters.items():
        found = saved["hyperparameters"][name]
        if found != value:
            raise SystemExit(
                f"{option}: the checkpoint {path} is of --{name} {found}; this run has {value}"
            )
    return saved


class TrainingRun:
    """How far a run has come, with its checkpoints, logs and evaluations.

    Used as a context manager around the training loop: if that is interrupted, the run saves a
    checkpoint and exits.

    Attributes:
        seconds: Time spent on training, without evaluations.
        steps: Environment steps; the training loop counts them.
        updates: Iterations of the training loop.
        curve: One entry for each evaluation: minutes, plies and scores by opponent.
    """

    def __init__(
        self,
        arguments: argparse.Namespace,
        network: PolicyValueNetwork,
        optimizer: torch.optim.Optimizer,
    ) -> None:
        """Begin a run, or resume the last one with its network and optimizer."""
        self.arguments = arguments
        self.network = network
        self.optimizer = optimizer
        self.output = Path(arguments.output)
        self.output.mkdir(parents=True, exist_ok=True)
        self.seconds = 0.0
        self.steps = 0
        self.updates = 0
        self.curve: list[dict[str, float]] = []
        last = self.output / "last.pt"
        if arguments.resume:
            saved = read_checkpoint(last, network, "--resume")
            network.load_state_dict(saved["network"])
            optimizer.load_state_dict(saved["optimizer"])
            if "random" in saved:
                torch.set_rng_state(saved["random"])
            self.seconds, self.steps = saved["seconds"], saved["plies"]
            self.updates, self.curve = saved.get("updates", 0), saved["curve"]
        elif last.exists():
            # A run that was started by mistake must not overwrite an earlier one.
            last.replace(self.output / "previous.pt")

    def save(self) -> None:
        """Write a checkpoint that `--resume` and `export_network.py` can read."""
        part = self.output / "last.pt.part"
        torch.save(
            {
                "hyperparameters": self.network.hyperparameters,
                "network": self.network.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "random": torch.get_rng_state(),
                "seconds": self.seconds,
                "plies": self.steps,
                "updates": self.updates,
                "curve": self.curve,
                "options": vars(self.arguments),
            },
            part,
        )
        part.replace(self.output / "last.pt")

    @property
    def fraction(self) -> float:
        """How much of the run is done, from 0 to 1."""
        done = [0.0]
        if self.arguments.minutes:
            done.append(self.seconds / 60 / self.arguments.minutes)
        if self.arguments.steps:
            done.append(self.steps / self.arguments.steps)
        return min(max(done), 1.0)

    def set_learning_rate(self) -> None:
        """Decay the learning rate linearly, to a twentieth at the end of the run."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.arguments.learning_rate * (1.0 - 0.95 * self.fraction)

    def __enter__(self) -> TrainingRun:
        """Open the log, show the progress bar and start the clock."""
        try:
            from torch.utils.tensorboard import SummaryWriter

            self._log = SummaryWriter(str(self.output))
        except ImportError:
            self._log = None
        columns = [BarColumn(), TextColumn("{task.percentage:3.0f} %"), TimeElapsedColumn()]
        self._progress = Progress(*columns, TextColumn("{task.description}"))
        self._progress.start()
        self._bar = self._progress.add_task("", total=1.0)
        self._scores = ""
        self._next_evaluation = self.seconds + 60 * self.arguments.evaluate_every
        self._steps_before = self.steps
        self._started = time.perf_counter()
        return self

    def record(self, figures: Mapping[str, float]) -> None:
        """End an iteration of the training loop; evaluate and save when it is time.

        Args:
            figures: Losses and the like by name, for the log.
        """
        seconds = time.perf_counter() - self._started
        self.seconds += seconds
        self.updates += 1
        speed = (self.steps - self._steps_before) / seconds
        logged = {**figures, "plies_per_second": speed}
        if self.seconds >= self._next_evaluation or self.fraction >= 1.0:
            self._next_evaluation = self.seconds + 60 * self.arguments.evaluate_every
            scores = self.evaluate()
            self.curve.append({"minutes": self.seconds / 60, "plies": self.steps, **scores})
            self.save()
            self._scores = "  ".join(f"{name} {100 * each:.1f} %" for name, each in scores.items())
            logged |= {f"score/{name}": score for name, score in scores.items()}
            losses = "  ".join(
                f"{name.replace('_', ' ')} {value:.3f}" for name, value in figures.items()
            )
            self._progress.console.print(
                f"{self.seconds / 60:5.1f} min {self.steps:>10,} plies  {self._scores}  {losses}"
            )
        if self._log is not None:
            for name, value in logged.items():
                self._log.add_scalar(name, value, self.steps)
        self._progress.update(
            self._bar,
            completed=self.fraction,
            description=f"{speed:,.0f} plies/s  {self._scores}",
        )
        self._steps_before = self.steps
        self._started = time.perf_counter()

    def evaluate(self) -> dict[str, float]:
        """Return the score of the network alone against two agents, by their names."""
        opponents = dict.fromkeys(("random", "greedy"), self.arguments.games)
        policy = network_policy(self.network)
        ladder = play_ladder(policy, opponents, seed=987_654_321, game=self.arguments.game)
        return {
            name: sum(score.rate for score in scores.values()) / len(scores)
            for name, scores in ladder.items()
        }

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close the log; after an interrupt, save a checkpoint and exit."""
        self._progress.stop()
        if self._log is not None:
            self._log.close()
        if kind is KeyboardInterrupt:
            self.save()
            print(f"interrupted; --resume continues from {self.output / 'last.pt'}")
            raise SystemExit(130) from None


def draw_curve(run: TrainingRun) -> None:
    """Draw the scores over the minutes of a run, as ``curve.svg`` in its output folder."""
    import matplotlib

    matplotlib.use("svg")
    # Text stays text, and the same curve gives the same file.
    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "mammalath_env"}
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
    minutes = [point["minutes"] for point in run.curve]
    for opponent in [name for name in run.curve[0] if name not in ("minutes", "plies")]:
        scores = [100 * point[opponent] for point in run.curve]
        axes.plot(minutes, scores, label=opponent, linewidth=1.5)
    axes.set(xlabel="minutes", ylabel="score, per cent", ylim=(0, 100), xlim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(run.output / "curve.svg", metadata={"Date": None})
    pyplot.close(figure)


# ---- Evaluation -------------------------------------------------------------------------------

Policy = Callable[[OpponentVectorEnv, NDArray[np.int8], NDArray[np.int8]], NDArray[np.int64]]
"""From an environment, its observations and its masks to an action for each lane."""


class Score(NamedTuple):
    """Results of games against one opponent, all from one seat.

    Attributes:
        wins: Games won.
        draws: Games drawn.
        losses: Games lost, those by an illegal action included.
        illegal: Games that ended by an illegal action.
    """

    wins: int
    draws: int
    losses: int
    illegal: int

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def rate(self) -> float:
        """Share of games won, from 0 to 1; a draw counts half."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def error(self) -> float:
        """Standard error of the rate."""
        return math.sqrt(max(self.rate * (1 - self.rate), 1e-9) / self.games)


def network_policy(network: nn.Module) -> Policy:
    """Return the policy that plays the most probable legal action of a network."""

    def act(
        env: OpponentVectorEnv, observations: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        policies, _ = policy_and_value(network, observations, masks)
        chosen: NDArray[np.int64] = np.where(masks > 0, policies, -1.0).argmax(1)
        return chosen

    return act


def search_policy(network: nn.Module, simulations: int, seed: int = 0) -> Policy:
    """Return the policy that plays the most visited action of a search with a network."""
    search = PUCTSearch(
        lambda observations, masks: policy_and_value(network, observations, masks),
        simulations=simulations,
        channels_first=True,
        seed=seed,
    )

    def act(
        env: OpponentVectorEnv, observations: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        actions = np.zeros(len(masks), np.int64)
        running = np.flatnonzero(masks.any(1))
        visits, _ = search.search(env.positions(running.tolist()))
        actions[running] = visits.argmax(1)
        return actions

    return act


def play_games(
    policy: Policy, opponent: str, seat: str, games: int, seed: int, game: str = "mammalath"
) -> Score:
    """Play games against an agent from one seat, all side by side.

    Args:
        policy: Policy to evaluate.
        opponent: Text for `make_agent`.
        seat: ``"first"`` or ``"second"``.
        games: Number of games.
        seed: Seed of the deals and of the opponent.
        game: Name for `make_game`.
    """
    env = OpponentVectorEnv(
        game, games, opponent=opponent, seat=seat, channels_first=True, copy=False
    )
    observation, info = env.reset(seed=seed)
    running = np.ones(games, np.bool_)
    returns = np.zeros(games)
    illegal = 0
    while running.any():
        # A lane whose game is over goes on with another one, which does not count.
        actions = policy(env, observation["observation"], observation["action_mask"])
        observation, reward, terminated, _, info = env.step(actions)
        first_end = terminated & running
        returns[first_end] = reward[first_end]
        illegal += int((first_end & (info["termination"] == -1)).sum())
        running &= ~terminated
    return Score(
        int((returns > 0).sum()), int((returns == 0).sum()), int((returns < 0).sum()), illegal
    )


def play_ladder(
    policy: Policy, opponents: Mapping[str, int], seed: int, game: str = "mammalath"
) -> dict[str, dict[str, Score]]:
    """Play the given number of games with each opponent and seat; return scores by both."""
    return {
        opponent: {
            seat: play_games(policy, opponent, seat, games, seed, game)
            for seat in ("first", "second")
        }
        for opponent, games in opponents.items()
    }


def format_ladder(ladder: Mapping[str, Mapping[str, Score]]) -> str:
    """Return one line for each opponent: scores by seat, in per cent with standard errors."""
    lines = []
    for opponent, scores in ladder.items():
        cells = [
            f"{seat} {100 * score.rate:5.1f} ±{100 * score.error:.1f} %"
            for seat, score in scores.items()
        ]
        games = sum(score.games for score in scores.values())
        both = sum(score.rate * score.games for score in scores.values()) / games
        lines.append(
            f"{opponent:<24} {'  '.join(cells)}  both {100 * both:5.1f} %  ({games} games)"
        )
    return "\n".join(lines)
