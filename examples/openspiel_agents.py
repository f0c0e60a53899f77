"""Run an algorithm of OpenSpiel against random play: tree search, Q-learning or DQN.

    pip install -e ".[openspiel]" torch dm-tree    # the last two for DQN alone
    python examples/openspiel_agents.py --algorithm mcts
    python examples/openspiel_agents.py --algorithm dqn --game python_mammalath

With the defaults each took less than half a minute on one core.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import mammalath_env.integrations.openspiel  # noqa: F401, registers the games
from mammalath_env.core.extras import from_extra

with from_extra("openspiel", "pyspiel", "open_spiel"):
    import pyspiel
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import evaluate_bots, mcts, random_agent, tabular_qlearner
    from open_spiel.python.bots import uniform_random


def search_returns(game: pyspiel.Game, games: int, simulations: int, seed: int) -> list[float]:
    """Let the Python MCTS bot play games as player 0; return its return in each."""
    rng = np.random.RandomState(seed)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    # The C++ bot, pyspiel.MCTSBot, crashes the process when its step() meets a Python game.
    bots = [
        mcts.MCTSBot(game, 2.0, simulations, evaluator, random_state=rng),
        uniform_random.UniformRandomBot(1, rng),
    ]
    states = (game.new_initial_state() for _ in range(games))
    return [evaluate_bots.evaluate_bots(state, bots, rng)[0] for state in states]


def make_learner(kind: str, env: rl_environment.Environment, seed: int) -> Any:
    """Return a tabular Q-learner or a DQN agent for player 0."""
    num_actions = env.action_spec()["num_actions"]
    if kind == "q":
        return tabular_qlearner.QLearner(0, num_actions)
    from open_spiel.python.pytorch import dqn

    return dqn.DQN(
        0,
        env.observation_spec()["info_state"][0],
        num_actions,
        hidden_layers_sizes=[128, 128],
        learning_rate=1e-3,
        optimizer_str="adam",
        min_buffer_size_to_learn=200,
        epsilon_decay_duration=5000,
        seed=seed,
    )


def learn(env: rl_environment.Environment, learner: Any, steps: int) -> list[float]:
    """Train against random play for `steps` steps; return the learner's return in each game."""
    opponent = random_agent.RandomAgent(1, env.action_spec()["num_actions"])
    returns, step = [], 0
    while step < steps:
        time_step = env.reset()
        while not time_step.last():
            agent = (learner, opponent)[time_step.current_player()]
            time_step = env.step([agent.step(time_step).action])
            step += 1
        learner.step(time_step)
        returns.append(time_step.rewards[0])
    return returns


def main(arguments: argparse.Namespace) -> None:
    """Play or train, and print the results."""
    # OpenSpiel's learners draw from the global generator.
    np.random.seed(arguments.seed)  # noqa: NPY002
    game = pyspiel.load_game(arguments.game)
    if arguments.algorithm == "mcts":
        returns = search_returns(game, arguments.games, arguments.simulations, arguments.seed)
    else:
        sampler = rl_environment.ChanceEventSampler(arguments.seed)
        # With this check an illegal action would raise.
        env = rl_environment.Environment(
            game, chance_event_sampler=sampler, enable_legality_check=True
        )
        returns = learn(
            env, make_learner(arguments.algorithm, env, arguments.seed), arguments.steps
        )
    late = returns[len(returns) // 2 :]
    print(f"{game} {arguments.algorithm}: {len(returns)} games against random play")
    print(f"mean return {np.mean(returns):+.2f}, in the second half {np.mean(late):+.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument(
        "--game", default="python_mancala", help="game of OpenSpiel, with or without parameters"
    )
    parser.add_argument(
        "--algorithm", choices=["mcts", "q", "dqn"], default="dqn", help="algorithm"
    )
    parser.add_argument("--steps", type=int, default=20_000, help="environment steps to train for")
    parser.add_argument("--games", type=int, default=5, help="games of mcts")
    parser.add_argument(
        "--simulations", type=int, default=50, help="simulations of mcts for each move"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random")
    main(parser.parse_args())
