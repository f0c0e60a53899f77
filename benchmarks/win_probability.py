"""Fit how values of agents become win probabilities, by games of each agent against itself.

Prints the rows of `mammalath_env.arena.win_probability.SLOPES`, and how the fit to the games of
even seeds suits those of odd seeds. Needs the extra ``arena``.
"""

from __future__ import annotations

import argparse
import itertools
from typing import NamedTuple

import numpy as np
import statsmodels.api as sm
from numpy.typing import NDArray

from mammalath_env import GAMES, make_game
from mammalath_env.agents import make_agent, require_plays
from mammalath_env.arena import GameRecord, play_game
from mammalath_env.arena.win_probability import log_odds
from mammalath_env.core.game import Game

AGENTS = ("alphabeta:depth=3", "mcts:simulations=500", "neural:simulations=100")
RANDOM_PLIES = 4
"""Plies at random before the agents play, so that games differ and some positions are uneven."""

_EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


class Sample(NamedTuple):
    """Positions of games.

    Attributes:
        odds: float64[positions], log odds of the values for player 0.
        results: float64[positions], of the games: 1 if player 0 won, 0.5 for a draw.
        games: int64[positions], the seed of the game.
    """

    odds: NDArray[np.float64]
    results: NDArray[np.float64]
    games: NDArray[np.int64]

    def of_parity(self, parity: int) -> Sample:
        """Return the positions of the games with even (0) or odd (1) seeds."""
        chosen = self.games % 2 == parity
        return Sample(self.odds[chosen], self.results[chosen], self.games[chosen])


def play(game: Game, agent: str, seed: int) -> GameRecord:
    """Return a game of an agent against itself that begins with random plies."""
    rng = np.random.default_rng(seed)
    position = game.deal(seed)
    for _ in range(RANDOM_PLIES):
        following = position.play(int(rng.choice(position.legal_actions())))
        if not following.is_over:
            position = following
    return play_game(game, (agent, agent), seed=seed, position=position)


def sample(game: Game, agent: str, seeds: range) -> Sample:
    """Return the positions of games but those with a proof, whose value is the result itself."""
    found = []
    for seed in seeds:
        record = play(game, agent, seed)
        result = 0.5 if record.winner is None else 1.0 - record.winner
        for value in record.evaluations or ():
            if value is not None and abs(value) < 1:
                found.append((log_odds(value), result, seed))
    odds, results, games = zip(*found, strict=True)
    return Sample(np.array(odds), np.array(results), np.array(games))


def fit(found: Sample) -> tuple[float, float]:
    """Return the slope and its standard error, with the positions of a game as one cluster."""
    model = sm.GLM(found.results, found.odds[:, None], family=sm.families.Binomial())
    fitted = model.fit(cov_type="cluster", cov_kwds={"groups": found.games})
    return float(fitted.params[0]), float(fitted.bse[0])


def calibration(found: Sample, slope: float) -> list[str]:
    """Return for each bin of probabilities their mean, the mean result and the positions."""
    probabilities = 1 / (1 + np.exp(-slope * found.odds))
    cells = []
    for low, high in itertools.pairwise(_EDGES):
        inside = (probabilities >= low) & (probabilities < high)
        if inside.any():
            expected, scored = probabilities[inside].mean(), found.results[inside].mean()
            cells.append(f"{expected:.2f}: {scored:.2f} ({inside.sum()})")
    return cells


def main() -> None:
    """Fit and check every agent in every game that it plays."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=400, help="games of each kind")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first game")
    parser.add_argument("--agents", nargs="+", default=AGENTS, metavar="AGENT")
    parser.add_argument("--game", nargs="+", choices=GAMES, default=list(GAMES))
    arguments = parser.parse_args()
    for agent in arguments.agents:
        for name in arguments.game:
            game = make_game(name)
            kind = make_agent(agent, 0)
            try:
                require_plays(kind, game)
            except ValueError:  # no network for this game
                continue
            found = sample(game, agent, range(arguments.seed, arguments.seed + arguments.games))
            slope, error = fit(found)
            half, _ = fit(found.of_parity(0))
            print(f'    ("{kind.name}", "{name}"): {slope:.2f},  # +-{error:.2f}, {agent}')
            print("   ", ", ".join(calibration(found.of_parity(1), half)), flush=True)


if __name__ == "__main__":
    main()
