"""Games of a policy against the agents of the package, and the curves that they make."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from mammalath_env.agents.puct import PUCTSearch
from mammalath_env.envs.opponent_vector import OpponentVectorEnv

Policy = Callable[[OpponentVectorEnv, NDArray[np.int8], NDArray[np.int8]], NDArray[np.int64]]
"""From an environment, its observations and its masks to an action for each lane."""


class Score(NamedTuple):
    """Results of games against one opponent, all from one seat.

    Attributes:
        wins: Games won.
        draws: Games drawn.
        losses: Games lost, illegal actions included.
        illegal: Games that ended by an illegal action.
    """

    wins: int
    draws: int
    losses: int
    illegal: int

    @property
    def games(self) -> int:
        """All games."""
        return self.wins + self.draws + self.losses

    @property
    def rate(self) -> float:
        """Share of games won, a draw counting half, 0 to 1."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def error(self) -> float:
        """Standard error of the rate."""
        return math.sqrt(max(self.rate * (1 - self.rate), 1e-9) / self.games)


@torch.no_grad()
def evaluate_batch(
    network: nn.Module, observations: NDArray[np.int8], masks: NDArray[np.generic]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return policies over legal actions float32[batch, num_actions] and values float32[batch].

    This is what `mammalath_env.agents.puct` calls a `PolicyValue`, for planes first.
    """
    logits, values = network(torch.from_numpy(observations).float())
    legal = torch.from_numpy(masks.astype(np.bool_))
    policies = torch.softmax(logits.masked_fill(~legal, -1e9), 1)
    return policies.numpy(), values.numpy()


def network_policy(network: nn.Module) -> Policy:
    """Return the policy that plays the likeliest legal action of a network."""

    def act(
        env: OpponentVectorEnv, observations: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        policies, _ = evaluate_batch(network, observations, masks)
        chosen: NDArray[np.int64] = np.where(masks > 0, policies, -1.0).argmax(1)
        return chosen

    return act


def search_policy(network: nn.Module, simulations: int, seed: int = 0) -> Policy:
    """Return the policy that plays the most visited action of a search with a network."""
    search = PUCTSearch(
        lambda observations, masks: evaluate_batch(network, observations, masks),
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
    """Play games against an agent from one seat.

    Args:
        policy: Who plays.
        opponent: Text for `make_agent`.
        seat: ``"first"`` or ``"second"``.
        games: How many games; all are played at once.
        seed: Seed of deals and of the opponent.
        game: Name for `make_game`.
    """
    env = OpponentVectorEnv(
        game, games, opponent=opponent, seat=seat, channels_first=True, copy=False
    )
    observation, info = env.reset(seed=seed)
    running = np.ones(games, np.bool_)
    rewards = np.zeros(games)
    illegal = 0
    while running.any():
        # A lane that has ended plays on with another game, which counts for nothing.
        actions = policy(env, observation["observation"], observation["action_mask"])
        observation, reward, ended, _, info = env.step(actions)
        first_end = ended & running
        rewards[first_end] = reward[first_end]
        illegal += int((first_end & (info["termination"] == -1)).sum())
        running &= ~ended
    return Score(
        int((rewards > 0).sum()), int((rewards == 0).sum()), int((rewards < 0).sum()), illegal
    )


def play_ladder(
    policy: Policy, opponents: Mapping[str, int], seed: int, game: str = "mammalath"
) -> dict[str, dict[str, Score]]:
    """Play so many games for each opponent and seat; return scores by opponent and seat."""
    return {
        opponent: {
            seat: play_games(policy, opponent, seat, games, seed, game)
            for seat in ("first", "second")
        }
        for opponent, games in opponents.items()
    }


def format_ladder(ladder: Mapping[str, Mapping[str, Score]]) -> str:
    """Return a line for each opponent: scores by seat, in per cent with standard errors."""
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


def draw_curves(curve: Sequence[Mapping[str, float]], path: Path) -> None:
    """Draw scores over minutes as an SVG picture.

    Args:
        curve: One entry for each evaluation: ``minutes`` and, by opponent, the score from 0 to 1.
        path: File to write.
    """
    import matplotlib

    matplotlib.use("svg")
    # Letters as letters, and the same file for the same curve.
    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "mammalath_env"}
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
    minutes = [point["minutes"] for point in curve]
    for opponent in [name for name in curve[0] if name not in ("minutes", "plies")]:
        scores = [100 * point[opponent] for point in curve]
        axes.plot(minutes, scores, label=opponent, linewidth=1.5)
    axes.set(xlabel="minutes", ylabel="score, per cent", ylim=(0, 100), xlim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
