"""Run an algorithm of OpenSpiel: tree search, or Q-learning or DQN against random play.

    pip install -e ".[openspiel]" torch dm-tree    # the last two for DQN alone
    python examples/openspiel_agents.py --algorithm mcts
    python examples/openspiel_agents.py --algorithm dqn --game python_mammalath

The learners are player 0 in training, and play both seats in the match.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from mammalath_env.core.extras import from_extra
from mammalath_env.core.position import Position
from mammalath_env.integrations.evaluation import Evaluation
from mammalath_env.integrations.openspiel import BoardState  # also registers the games

with from_extra("openspiel", "pyspiel", "open_spiel"):
    import pyspiel
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import mcts, random_agent, tabular_qlearner


def state_of(game: pyspiel.Game, position: Position) -> BoardState:
    """Return a state of OpenSpiel in a position; its history lacks the moves before."""
    state: BoardState = game.new_initial_state()
    state.position = position
    return state


def search_policy(game: pyspiel.Game, simulations: int, seed: int) -> Callable[[Position], int]:
    """Return the Python MCTS bot as a policy."""
    rng = np.random.RandomState(seed)
    # The C++ bot, pyspiel.MCTSBot, crashes the process when its step() meets a Python game.
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = mcts.MCTSBot(game, 2.0, simulations, evaluator, random_state=rng)
    return lambda position: bot.step(state_of(game, position))


def learned_policy(game: pyspiel.Game, learner: Any) -> Callable[[Position], int]:
    """Return what a learner plays when it does not explore, in either seat."""

    def policy(position: Position) -> int:
        state = state_of(game, position)
        # The learner is player 0: it gets the observation of the player to move as its own.
        seen = {
            "info_state": [state.observation_tensor(position.to_move)],
            "legal_actions": [position.legal_actions()],
            "current_player": 0,
        }
        step = rl_environment.TimeStep(seen, None, None, rl_environment.StepType.MID)
        return int(learner.step(step, is_evaluation=True).action)

    return policy


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


def learn(
    env: rl_environment.Environment, learner: Any, steps: int, evaluation: Evaluation
) -> None:
    """Train against random play for `steps` steps, and print ten lines of progress."""
    opponent = random_agent.RandomAgent(1, env.action_spec()["num_actions"])
    step, lines = 0, 0
    while step < steps:
        time_step = env.reset()
        while not time_step.last():
            agent = (learner, opponent)[time_step.current_player()]
            time_step = env.step([agent.step(time_step).action])
            step += 1
        learner.step(time_step)
        if 10 * step >= (lines + 1) * steps:
            evaluation.progress(step)
            lines += 1


def main(arguments: argparse.Namespace) -> None:
    """Train, and play a match."""
    seed = arguments.seed
    # OpenSpiel's learners draw from the global generator.
    np.random.seed(seed)  # noqa: NPY002
    game = pyspiel.load_game(arguments.game)
    if arguments.algorithm == "mcts":
        policy = search_policy(game, arguments.simulations, seed)
        evaluation = Evaluation(game.rules, policy, arguments.opponent, seed=seed)
    else:
        sampler = rl_environment.ChanceEventSampler(seed)
        # With this check an illegal action would raise.
        env = rl_environment.Environment(
            game, chance_event_sampler=sampler, enable_legality_check=True
        )
        learner = make_learner(arguments.algorithm, env, seed)
        policy = learned_policy(game, learner)
        evaluation = Evaluation(game.rules, policy, arguments.opponent, seed=seed)
        learn(env, learner, arguments.steps, evaluation)
    print(f"{game} {arguments.algorithm}")
    default = 2 if arguments.algorithm == "mcts" else 50
    evaluation.finish(default if arguments.games is None else arguments.games)


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
    parser.add_argument("--opponent", default="random", help="agent to play the match against")
    parser.add_argument(
        "--games", type=int, help="games of the match, in each seat; by default 2 for mcts, else 50"
    )
    parser.add_argument(
        "--simulations", type=int, default=50, help="simulations of mcts for each move"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random")
    main(parser.parse_args())
