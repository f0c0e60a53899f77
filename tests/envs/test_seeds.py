"""One seed means one board, in every environment; the table of docs/batches.md lists them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.registration import gymnasium_id
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.envs.vector import SelfPlayVectorEnv

SEEDS = [0, 7, 2**63, 2**64 - 1, 2**64, 2**100 + 3]


def deal_of_game(game: Game, seed: int) -> bytes:
    """Return the row of ``Game.deal``."""
    return game.deal(seed).row.tobytes()


def deal_of_module(game: Game, seed: int, name: str) -> bytes:
    """Return the row that a PettingZoo environment of the game's module starts with."""
    env = getattr(import_module(f"mammalath_env.{game.name}_v0"), name)()
    env.reset(seed=seed)
    position: Position = env.unwrapped.position
    return position.row.tobytes()


def deal_of_lane(envs: Any, seed: int) -> bytes:
    """Return the row that lane 0 of a batch starts with."""
    envs.reset(seed=seed)
    position: Position = envs.positions([0])[0]
    return position.row.tobytes()


def deal_of_vectorization(game: Game, seed: int, mode: str | None) -> np.ndarray[Any, Any]:
    """Return what the learner of the first environment of ``make_vec`` observes."""
    envs = gymnasium.make_vec(gymnasium_id(game.name), 3, mode, seat="first")
    try:
        observation: np.ndarray[Any, Any] = envs.reset(seed=seed)[0]["observation"][0]
        return observation
    finally:
        envs.close()


ROWS: dict[str, Callable[[Game, int], bytes]] = {
    "aec": lambda game, seed: deal_of_module(game, seed, "env"),
    "parallel": lambda game, seed: deal_of_module(game, seed, "parallel_env"),
    "single": lambda game, seed: deal_of_lane(SingleAgentEnv(game, seat="first")._lane, seed),
    "self-play": lambda game, seed: deal_of_lane(SelfPlayVectorEnv(game, 3), seed),
    "opponent": lambda game, seed: deal_of_lane(OpponentVectorEnv(game, 3, seat="first"), seed),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ROWS)
def test_a_seed_deals_one_board(game: Game, name: str, seed: int) -> None:
    """Seed s deals what ``Game.deal`` deals from it, the player who moves first included."""
    assert ROWS[name](game, seed) == deal_of_game(game, seed)


@pytest.mark.parametrize("mode", [None, "sync", "async", "vector_entry_point"])
def test_all_vectorization_modes_deal_the_same(game: Game, mode: str | None) -> None:
    """``make`` and ``make_vec`` show the board of ``Game.deal`` in every mode."""
    for seed in (7, 2**40):
        start = game.deal(seed)
        expected = start.observation(start.to_move)
        assert np.array_equal(deal_of_vectorization(game, seed, mode), expected)
        env = gymnasium.make(gymnasium_id(game.name), seat="first")
        assert np.array_equal(env.reset(seed=seed)[0]["observation"], expected)


@pytest.mark.parametrize("seed", [3, 2**64 - 2, 2**64 + 5, 2**90])
def test_lane_i_is_seed_plus_i(game: Game, seed: int) -> None:
    """Lane i deals what seed + i deals, also where the sum does not fit in 64 bits."""
    envs = SelfPlayVectorEnv(game, 5)
    envs.reset(seed=seed)
    assert [position.row.tobytes() for position in envs.positions()] == [
        deal_of_game(game, seed + lane) for lane in range(5)
    ]


def test_later_deals_of_a_seed_are_the_same(game: Game) -> None:
    """Further games of a stream are equal in the AEC environment, single-agent and batch."""
    aec = import_module(f"mammalath_env.{game.name}_v0").env()
    single = SingleAgentEnv(game, seat="first")
    batch = SelfPlayVectorEnv(game, 2)
    for seed in (5, None, None):
        aec.reset(seed=seed)
        single.reset(seed=seed)
        batch.reset(seed=seed)
        assert aec.unwrapped.position == single.position == batch.positions([0])[0]


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_a_single_environment_is_lane_0(game: Game, opponent: str) -> None:
    """The same seed gives the same games against the same replies, with the same infos."""
    single = SingleAgentEnv(game, opponent=opponent)
    batch = OpponentVectorEnv(game, 3, opponent=opponent, autoreset_mode=AutoresetMode.DISABLED)
    observation, info = single.reset(seed=11)
    observations, infos = batch.reset(seed=11)
    for _ in range(40):
        for key, values in observations.items():
            assert np.array_equal(observation[key], values[0])
        assert info.keys() == infos.keys()
        assert all(np.array_equal(info[key], values[0]) for key, values in infos.items())
        actions = infos["action_mask"].argmax(axis=1)
        observation, reward, terminated, _, info = single.step(int(actions[0]))
        observations, rewards, ends, _, infos = batch.step(actions)
        assert (reward, terminated) == (rewards[0], ends[0])
        if ends.any():
            observations, infos = batch.reset(options={"reset_mask": ends})
            if terminated:
                observation, info = single.reset()


@pytest.mark.parametrize("opponent", ["mcts:simulations=5", "alphabeta:depth=1"])
def test_a_single_environment_is_a_batch_of_one_lane(game: Game, opponent: str) -> None:
    """The same seed gives the same games against any agent, if no other lane asks it too."""
    single = SingleAgentEnv(game, opponent=opponent)
    batch = OpponentVectorEnv(game, 1, opponent=opponent, autoreset_mode=AutoresetMode.DISABLED)
    single.reset(seed=11)
    batch.reset(seed=11)
    for _ in range(12):
        assert single.position == batch.positions()[0]
        actions = batch.action_masks().argmax(axis=1)
        terminated = single.step(int(actions[0]))[2]
        batch.step(actions)
        if terminated:
            single.reset()
            batch.reset()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="OpenSpiel has no wheels for Python 3.10")
@pytest.mark.parametrize("first_player", [0, 1])
def test_openspiel_deals_the_same(game: Game, first_player: int) -> None:
    """The first deal of OpenSpiel's game with seed s is that of ``Game.deal(s)``."""
    import pyspiel

    import_module("mammalath_env.integrations.openspiel")
    for seed in (0, 7, 12345):
        parameters = f"deals=1,seed={seed},first_player={first_player}"
        loaded = pyspiel.load_game(f"python_{game.name}({parameters})")
        assert loaded.new_initial_state().position == game.deal(seed, first_player)
