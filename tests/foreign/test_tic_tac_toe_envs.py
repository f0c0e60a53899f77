"""Tic-tac-toe in every environment, single and batched."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.utils import parallel_to_aec

from mammalath_env.agents import RandomAgent, make_agent
from mammalath_env.core.game import Game
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.parallel import BoardGameParallelEnv
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.envs.vector import SelfPlayVectorEnv
from tests.envs.test_pettingzoo import no_warnings
from tests.foreign.tic_tac_toe import (
    TicTacToeTermination,
)

with warnings.catch_warnings():
    # It imports games of PettingZoo in a way that PettingZoo 1.27 warns about.
    warnings.simplefilter("ignore", DeprecationWarning)
    import pettingzoo.test as pz

LINE, BOARD_FULL = TicTacToeTermination.LINE, TicTacToeTermination.BOARD_FULL


# Environments


def test_pettingzoo(unnamed: Game) -> None:
    """PettingZoo's tests of both interfaces pass."""
    with no_warnings():
        pz.api_test(BoardGameEnv(unnamed), num_cycles=200)
        pz.api_test(BoardGameEnv(unnamed, channels_first=True), num_cycles=50)
        pz.seed_test(lambda: BoardGameEnv(unnamed), num_cycles=50)
        pz.parallel_api_test(BoardGameParallelEnv(unnamed), num_cycles=200)
        pz.api_test(parallel_to_aec(BoardGameParallelEnv(unnamed)), num_cycles=50)
        pz.state_test(BoardGameEnv(unnamed), BoardGameParallelEnv(unnamed))


def test_aec_game(unnamed: Game) -> None:
    """A game by hand: who is to act, masks, rewards and the reason of the end."""
    env = BoardGameEnv(unnamed)
    assert str(env) == "tic_tac_toe_v0"
    env.reset(options={"first_player": 1})
    for action, agent in zip([0, 3, 1, 4, 2], itertools.cycle(["player_1", "player_0"])):
        assert env.agent_selection == agent
        observation, _, over, _, _ = env.last()
        assert observation is not None
        assert observation["action_mask"].tolist() == env.position.action_mask().tolist()
        assert not over
        env.step(action)
    assert env.position.to_text() == "ooo/xx./... x"
    assert env.rewards == {"player_0": -1.0, "player_1": 1.0}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.infos["player_0"] == {"ply": 5, "termination": LINE}


def test_parallel_game(unnamed: Game) -> None:
    """The agent to move moves, the other one's action is ignored, and a draw pays nothing."""
    env = BoardGameParallelEnv(unnamed)
    _, infos = env.reset(options={"first_player": 0})
    for action in [0, 1, 2, 4, 3, 5, 7, 6, 8]:
        assert env.agents
        mover = f"player_{infos['player_0']['to_move']}"
        idle = "player_1" if mover == "player_0" else "player_0"
        _, rewards, over, _, infos = env.step({mover: action, idle: 0})
        assert rewards == {"player_0": 0.0, "player_1": 0.0}
    assert over == {"player_0": True, "player_1": True}
    assert infos["player_0"]["termination"] == BOARD_FULL
    assert env.agents == []


def test_illegal_action(unnamed: Game) -> None:
    """It ends the game, with a reward for the offender alone."""
    env = BoardGameEnv(unnamed, illegal_reward=-3.0)
    env.reset(options={"first_player": 0})
    for _ in range(2):
        env.step(4)
    assert env.rewards == {"player_0": 0.0, "player_1": -3.0}
    assert env.terminations["player_0"]


@pytest.mark.parametrize("opponent", ["random", "greedy", "alphabeta:depth=9"])
def test_single_agent(unnamed: Game, opponent: str) -> None:
    """Rewards are the learner's, and replies are played at once, by an agent of any kind."""
    env = SingleAgentEnv(unnamed, opponent=opponent, seat="alternate")
    env.reset(seed=1)
    rewards = set()
    for number in range(1, 20):
        observation, info = env.reset()
        assert info["ply"] == number % 2
        over = False
        while not over:
            assert env.position.to_move == info["player"]
            action = int(observation["action_mask"].argmax())
            observation, reward, over, _, info = env.step(action)
            rewards.add(reward)
        assert info["termination"] in (LINE, BOARD_FULL)
        expected = {info["player"]: 1.0, 1 - info["player"]: -1.0, 2: 0.0}
        assert reward == expected[info["winner"]]
    assert rewards >= {-1.0, 0.0}
    if opponent == "alphabeta:depth=9":
        assert 1.0 not in rewards


def test_gymnasium_environment_checker(unnamed: Game) -> None:
    """It finds nothing to warn of."""
    env = SingleAgentEnv(unnamed, observation="planes", illegal_reward=-1.0)
    check_env(env, skip_render_check=True)


def test_gymnasium_names(game: Game) -> None:
    """A program can register the game as the package registers its own."""
    entry = "mammalath_env.envs.single_agent:SingleAgentEnv"
    gymnasium.register("TicTacToe-v0", entry, kwargs={"game": game.name})
    try:
        env = gymnasium.make("TicTacToe-v0", seat="first")
        assert env.reset(seed=1)[0]["action_mask"].all()
    finally:
        del gymnasium.registry["TicTacToe-v0"]


# Batches


@pytest.mark.parametrize("threads", [1, 2])
def test_self_play_batch(unnamed: Game, threads: int) -> None:
    """Each lane plays by the rules: played again by hand, its games are the same."""
    env = SelfPlayVectorEnv(unnamed, 16, num_threads=threads, autoreset_mode="SameStep")
    observation, info = env.reset(seed=5)
    positions = [unnamed.deal(5 + lane) for lane in range(16)]
    ends = []
    for _ in range(30):
        for lane, position in enumerate(positions):
            mover = info["to_move"][lane]
            assert mover == position.to_move
            assert np.array_equal(observation["observation"][lane], position.observation(mover))
            assert np.array_equal(observation["action_mask"][lane], position.action_mask())
        observation, reward, over, _, info = env.random_step()
        for lane, before in enumerate(positions):
            after = before.play(info["actions"][lane])
            assert over[lane] == after.is_over
            outcome = after.outcome
            if outcome is None:
                assert (reward[lane], info["winner"][lane]) == (0, -1)
                positions[lane] = after
                continue
            assert reward[lane] == outcome.returns[before.to_move]
            assert tuple(info["rewards"][lane]) == outcome.returns
            assert info["winner"][lane] == (2 if outcome.winner is None else outcome.winner)
            assert info["termination"][lane] == outcome.termination
            ends.append(outcome)
            positions[lane] = env.positions([lane])[0]
            assert positions[lane].ply == 0
    assert {(end.winner, end.termination) for end in ends} == {
        (0, LINE),
        (1, LINE),
        (None, BOARD_FULL),
    }


def test_opponent_batch(unnamed: Game) -> None:
    """A learner that plays by a perfect agent never loses, whoever the opponent is."""
    learner = make_agent("alphabeta:depth=9", 1)

    def lowest(observations: Any, masks: Any) -> Any:
        return masks.argmax(axis=1)

    for opponent in ("random", "greedy", "mcts:simulations=5", RandomAgent(3), lowest):
        env = OpponentVectorEnv(unnamed, 8, opponent=opponent, seat="alternate", num_threads=1)
        _, info = env.reset(seed=2)
        winners: list[int] = []
        over = np.zeros(8, np.bool_)
        for _ in range(24):
            actions = [
                0 if over[lane] else learner.act(position)
                for lane, position in enumerate(env.positions())
            ]
            _, reward, over, _, info = env.step(actions)
            won = info["winner"] == info["player"]
            assert np.array_equal(reward == 1, over & won)
            assert reward.min() >= 0
            winners += info["winner"][over].tolist()
        assert len(winners) >= 32


def test_batch_of_one_is_the_single_agent_environment(unnamed: Game) -> None:
    """The same seed gives the same games in both."""
    single = SingleAgentEnv(unnamed, opponent="greedy")
    many = OpponentVectorEnv(unnamed, 3, opponent="greedy", autoreset_mode="Disabled")
    many.reset(seed=4)
    for lane in range(3):
        single.reset(seed=4 + lane)
        assert single.position == many.positions([lane])[0]
