"""Whole games through the environment, compared ply by ply with the positions of the rules."""

from __future__ import annotations

import random
from typing import Any

import gymnasium
import numpy as np
import pytest

from mammalath_env.core.game import Game
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.games import GAMES
from tests.envs.play import (
    PLAYERS,
    MakeEnv,
    constructor,
    observations,
    play_to_end,
    random_game,
    snapshot,
)


@pytest.mark.parametrize("seed", range(10))
def test_games_follow_the_rules(make_env: MakeEnv, seed: int) -> None:
    """The agents to act, the flags and the infos are those of the position, at every ply."""
    env = make_env()
    env.reset(seed=seed)
    assert env.position == env.game.deal(seed)
    for position in random_game(env, random.Random(seed)):
        assert env.position == position
        assert env.agents == env.possible_agents == ["player_0", "player_1"]
        assert env.num_agents == env.max_num_agents == 2
        assert env.agent_selection == f"player_{position.to_move}"
        outcome = position.outcome
        termination = 0 if outcome is None else int(outcome.termination)
        for agent in env.agents:
            assert env.terminations[agent] is position.is_over
            assert env.truncations[agent] is False
            assert env.infos[agent] == {"ply": position.ply, "termination": termination}
            assert {type(value) for value in env.infos[agent].values()} == {int}
        assert env.infos["player_0"] is not env.infos["player_1"]
        observation, reward, terminated, truncated, info = env.last()
        assert observation is not None
        assert terminated is position.is_over
        assert truncated is False
        assert info == env.infos[env.agent_selection]
        assert (reward != 0) <= terminated
        assert env.last(observe=False) == (None, reward, terminated, truncated, info)


def test_observations_are_those_of_positions(env: BoardGameEnv, rng: random.Random) -> None:
    """Both agents can look at any time, in any order, and looking changes nothing."""
    for position in random_game(env, rng):
        before = observations(env)
        for agent in ("player_0", "player_1", "player_0", "player_1", "player_1", "player_0"):
            observation = env.observe(agent)
            assert list(observation) == ["observation", "action_mask"]
            expected = position.observation(PLAYERS[agent])
            assert np.array_equal(observation["observation"], expected)
            assert env.observation_space(agent).contains(observation)
        assert observations(env) == before
        assert env.position == position


def test_agents_never_see_the_same(env: BoardGameEnv, rng: random.Random) -> None:
    """The two agents' observations differ, from the deal to the end."""
    for _ in random_game(env, rng):
        first, second = (env.observe(agent)["observation"] for agent in env.possible_agents)
        assert not np.array_equal(first, second)


def test_only_the_agent_to_move_has_a_mask(env: BoardGameEnv, rng: random.Random) -> None:
    """The agent to move sees its legal actions; the other one, and both at the end, none."""
    for position in random_game(env, rng):
        for agent, player in PLAYERS.items():
            mask = env.observe(agent)["action_mask"]
            if player == position.to_move:
                assert np.array_equal(mask, position.action_mask())
                assert mask.any() != position.is_over
            else:
                assert not mask.any()
    while env.agents:
        assert not any(env.observe(agent)["action_mask"].any() for agent in PLAYERS)
        env.step(None)
    assert not any(env.observe(agent)["action_mask"].any() for agent in PLAYERS)


def test_arrays_suit_libraries(env: BoardGameEnv, rng: random.Random) -> None:
    """Arrays are C-contiguous int8; `Discrete.sample` takes the mask and obeys it."""
    space = env.action_space("player_0")
    space.seed(1)
    for position in random_game(env, rng):
        for agent in env.possible_agents:
            for array in env.observe(agent).values():
                assert array.dtype == np.int8
                assert array.flags["C_CONTIGUOUS"]
                assert array.flags["WRITEABLE"]
            mask = env.observe(agent)["action_mask"]
            assert mask.shape == (space.n,)
            assert set(mask.tolist()) <= {0, 1}
        mask = env.observe(env.agent_selection)["action_mask"]
        if not position.is_over:
            assert {int(space.sample(mask)) for _ in range(20)} <= set(position.legal_actions())


def test_flattened_observations_start_with_the_mask(env: BoardGameEnv) -> None:
    """Gymnasium sorts the keys of a Dict space, and all leaves have one dtype."""
    agent = env.agent_selection
    space, observation = env.observation_space(agent), env.observe(agent)
    flat = gymnasium.spaces.flatten(space, observation)
    assert isinstance(flat, np.ndarray)
    assert flat.dtype == np.int8
    expected = [observation["action_mask"], observation["observation"].ravel()]
    assert np.array_equal(flat, np.concatenate(expected))


def test_arrays_are_fresh(env: BoardGameEnv, rng: random.Random) -> None:
    """No array that was given out changes later, nor does writing to it change the game."""
    kept = []
    for _ in random_game(env, rng):
        before = snapshot(env)
        for _ in range(2):
            arrays = [env.state()]
            for agent in env.possible_agents:
                arrays.extend(env.observe(agent).values())
            observation = env.last()[0]
            assert observation is not None
            arrays.extend(observation.values())
            for array in arrays:
                array[...] = 99
        assert snapshot(env) == before
        kept.append((env.observe("player_0"), observations(env)["player_0"]))
    for observation, content in kept:
        for key, (dtype, shape, data) in content.items():
            array = observation[key]
            assert (array.dtype.str, array.shape, array.tobytes()) == (dtype, shape, data)


def test_the_state_is_the_whole_position(env: BoardGameEnv, rng: random.Random) -> None:
    """The state is what player 0 observes, whoever is to move."""
    for position in random_game(env, rng):
        state = env.state()
        assert state in env.state_space
        assert np.array_equal(state, position.observation(0))


# The end


def test_dead_steps(env: BoardGameEnv, rng: random.Random) -> None:
    """After the end each agent gets one more turn, to read its reward, and then is gone."""
    last = play_to_end(env, rng)
    assert last.outcome is not None
    infos = {agent: dict(info) for agent, info in env.infos.items()}
    order = [f"player_{last.to_move}", f"player_{1 - last.to_move}"]
    for number, agent in enumerate(order):
        left = order[number:]
        assert env.agent_selection == agent
        assert sorted(env.agents) == sorted(left)
        for values in (env.rewards, env.terminations, env.truncations, env.infos):
            assert sorted(values) == sorted(left)
        observation, reward, terminated, truncated, info = env.last()
        assert observation is not None
        seen = last.observation(PLAYERS[agent])
        assert np.array_equal(observation["observation"], seen)
        assert reward == last.outcome.returns[PLAYERS[agent]]
        assert (terminated, truncated, info) == (True, False, infos[agent])
        env.step(None)
        assert set(env.rewards.values()) <= {0.0}
    assert env.agents == []
    assert env.num_agents == 0
    assert list(env.agent_iter()) == []
    # What there is to see stays.
    assert env.position == last
    for agent in env.possible_agents:
        seen = last.observation(PLAYERS[agent])
        assert np.array_equal(env.observe(agent)["observation"], seen)
    env.reset()
    assert env.agents == env.possible_agents
    assert not any(env.terminations.values())


def test_agent_iter_can_be_limited(env: BoardGameEnv) -> None:
    """The limit counts turns."""
    turns = 0
    for _ in env.agent_iter(3):
        env.step(env.position.legal_actions()[0])
        turns += 1
    assert turns == env.position.ply == 3


# Layouts and several environments


def test_channels_first_is_the_transpose(make_env: MakeEnv, rng: random.Random) -> None:
    """The other layout holds the same numbers with the last axis in front, where there are planes.

    The state and the spaces follow.
    """
    last, first = make_env(), make_env(channels_first=True)
    for env in (last, first):
        env.reset(seed=7)
    assert first.game == last.game
    for position in random_game(last, rng):
        first.position = position
        pairs = [(last.state(), first.state())]
        for agent in PLAYERS:
            pairs.append((last.observe(agent)["observation"], first.observe(agent)["observation"]))
            masks = last.observe(agent)["action_mask"], first.observe(agent)["action_mask"]
            assert np.array_equal(*masks)
            assert first.observation_space(agent).contains(first.observe(agent))
        for planes_last, planes_first in pairs:
            assert planes_first.flags["C_CONTIGUOUS"]
            if planes_last.ndim == 3:
                assert np.array_equal(planes_first, np.moveaxis(planes_last, -1, 0))
            else:
                assert np.array_equal(planes_first, planes_last)
        assert first.state() in first.state_space


def test_spaces_describe_the_game(make_env: MakeEnv, game: Game) -> None:
    """Shapes, bounds and dtypes of the spaces are those of the game, in both layouts."""
    for channels_first in (False, True):
        env = make_env(channels_first=channels_first)
        box = env.observation_space("player_0")["observation"]
        assert isinstance(box, gymnasium.spaces.Box)
        assert box == env.state_space
        assert box.dtype == np.int8
        assert box.low.min() == box.low.max() == 0
        assert box.high.min() == box.high.max() == game.observation_high
        shape = game.observation_shape
        if channels_first and len(shape) == 3:
            shape = (shape[2], shape[0], shape[1])
        assert box.shape == shape
        mask = env.observation_space("player_0")["action_mask"]
        assert mask == gymnasium.spaces.Box(0, 1, (game.num_actions,), np.int8)
        assert env.action_space("player_0") == gymnasium.spaces.Discrete(game.num_actions)


def test_environments_do_not_disturb_each_other() -> None:
    """Games of all kinds and sizes, played in turns, go as they go alone."""
    envs = [constructor(name)() for name in GAMES for _ in range(2)]
    alone = []
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
        alone.append([observations(env) for _ in random_game(env, random.Random(seed))])
    together: list[list[object]] = [[] for _ in envs]
    games = []
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
        games.append(random_game(env, random.Random(seed)))
    running = set(range(len(envs)))
    while running:
        for number in sorted(running):
            if next(games[number], None) is None:
                running.remove(number)
            else:
                together[number].append(observations(envs[number]))
    assert together == alone


def test_spaces_of_unknown_agents(env: BoardGameEnv) -> None:
    """The error names the agents, as that of `observe` does."""
    unknown: list[Any] = ["black", 0, None, []]
    for space in (env.observation_space, env.action_space):
        for agent in unknown:
            with pytest.raises(ValueError, match=r"unknown agent .*: expected one of 'player_0'"):
                space(agent)
