"""Illegal actions in both modes, and things that are no actions."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.turn import ILLEGAL_TERMINATION
from tests.envs.play import (
    PLAYERS,
    MakeEnv,
    drain,
    illegal_action,
    play_to_end,
    snapshot,
)

KINDS = ["illegal", "n", "far above", "-1", "-n", "huge", "numpy -1"]
NO_ACTIONS = [
    1.0,
    1.5,
    np.float64(1),
    None,
    "3",
    b"3",
    [3],
    (3,),
    {},
    np.array([0]),
    np.array([0, 1]),
    np.array(1.0),
]


@pytest.fixture(params=["terminate", "raise"])
def mode(request: pytest.FixtureRequest) -> str:
    """The handling of illegal actions."""
    name: str = request.param
    return name


def find_illegal(env: BoardGameEnv, kind: str, rng: random.Random) -> int:
    """Play on to a position that some action is illegal in, and return one of the given kind."""
    action = illegal_action(env, rng)
    n = env.game.num_actions
    others = {"n": n, "far above": n + 1000, "-1": -1, "-n": -n, "huge": 2**70, "illegal": action}
    return np.int64(-1) if kind == "numpy -1" else others[kind]


# Mode "terminate"


@pytest.mark.parametrize("kind", KINDS)
def test_an_illegal_action_ends_the_game(make_env: MakeEnv, rng: random.Random, kind: str) -> None:
    """The offender pays, the other one does not, both are done, and the position stays."""
    env = make_env()
    for seed in range(6):
        env.reset(seed=seed)
        action = find_illegal(env, kind, rng)
        position, offender = env.position, env.agent_selection
        other = f"player_{1 - PLAYERS[offender]}"
        env.step(action)
        assert env.rewards == {offender: -1.0, other: 0.0}
        assert list(env.rewards) == env.agents == env.possible_agents
        assert env.terminations == {"player_0": True, "player_1": True}
        assert env.truncations == {"player_0": False, "player_1": False}
        flags = [*env.terminations.values(), *env.truncations.values()]
        assert {type(flag) for flag in flags} == {bool}
        for info in env.infos.values():
            reason = info.pop("reason")
            assert info == {"ply": position.ply, "termination": ILLEGAL_TERMINATION}
            assert {type(value) for value in info.values()} == {int}
            assert reason.startswith("illegal action: ")
            with pytest.raises(IllegalMoveError) as refused:
                position.play(action)
            assert reason.endswith(str(refused.value))
        assert env.position == position
        for agent in env.agents:
            observation = env.observe(agent)
            seen = position.observation(PLAYERS[agent])
            assert np.array_equal(observation["observation"], seen)
            assert not observation["action_mask"].any()
            assert env.observation_space(agent).contains(observation)
        assert ILLEGAL_TERMINATION not in {int(reason) for reason in env.game.termination}
        assert drain(env) == {offender: -1.0, other: 0.0}
        assert env.agents == []


def test_the_next_game_starts_with_the_right_agent(make_env: MakeEnv, rng: random.Random) -> None:
    """Nothing of a game that ended by an illegal action is left in the next one."""
    env, plain = make_env(render_mode="ansi"), make_env(render_mode="ansi")
    env.reset(seed=1)
    plain.reset(seed=1)
    for first in (0, 1, None, 1, 0, None):
        for drained in (True, False):
            env.step(illegal_action(env, rng))
            if drained:
                drain(env)
            options = {"first_player": first}
            env.reset(options=options)
            plain.reset(options=options)
            assert snapshot(env) == snapshot(plain)
            assert env.agent_selection == f"player_{env.position.to_move}"
    last = play_to_end(env, rng)
    assert last.outcome is not None
    assert drain(env) == dict(zip(env.possible_agents, last.outcome.returns, strict=True))


def test_setting_a_position_after_an_illegal_action(env: BoardGameEnv, rng: random.Random) -> None:
    """The game continues from where the illegal action ended it."""
    action = illegal_action(env, rng)
    position = env.position
    env.step(action)
    drain(env)
    env.position = position
    assert env.agents == env.possible_agents
    assert not any(env.terminations.values())
    mask = env.observe(env.agent_selection)["action_mask"]
    assert np.array_equal(mask, position.action_mask())


def test_unread_rewards_are_kept(env: BoardGameEnv, rng: random.Random) -> None:
    """An illegal action leaves rewards that the other agent has not read yet."""
    action = illegal_action(env, rng)
    offender = env.agent_selection
    other = f"player_{1 - PLAYERS[offender]}"
    env._cumulative_rewards.update({other: 0.25, offender: 0.5})
    env.step(action)
    assert drain(env) == {offender: -1.0, other: 0.25}


@pytest.mark.parametrize("reward", [-10, -0.5, 0, 0.25, np.float32(-2)])
def test_illegal_reward_is_an_option(make_env: MakeEnv, rng: random.Random, reward: float) -> None:
    """The offender gets the reward that was chosen, as a float; the other one 0."""
    env = make_env(illegal_reward=reward)
    for first in (0, 1):
        env.reset(seed=1, options={"first_player": first})
        action = illegal_action(env, rng)
        offender = env.agent_selection
        other = f"player_{1 - PLAYERS[offender]}"
        env.step(action)
        assert env.rewards == {offender: float(reward), other: 0.0}
        assert {type(value) for value in env.rewards.values()} == {float}
        assert drain(env) == {offender: float(reward), other: 0.0}


def test_legal_games_do_not_pay_it(make_env: MakeEnv, rng: random.Random) -> None:
    """The option matters for illegal actions alone."""
    env = make_env(illegal_reward=-7)
    env.reset(seed=1)
    last = play_to_end(env, rng)
    assert last.outcome is not None
    assert tuple(env.rewards.values()) == last.outcome.returns


# Mode "raise"


@pytest.mark.parametrize("kind", KINDS)
def test_raise_changes_nothing(make_env: MakeEnv, rng: random.Random, kind: str) -> None:
    """The error names the action, and nothing has changed."""
    env = make_env(render_mode="ansi", illegal_action="raise")
    for seed in range(3):
        env.reset(seed=seed)
        action = find_illegal(env, kind, rng)
        position = env.position
        before = snapshot(env)
        for _ in range(2):
            with pytest.raises(IllegalMoveError) as info:
                env.step(action)
            assert snapshot(env) == before
        message = str(info.value)
        assert f"action {action}" in message
        assert repr(position.to_text()) in message
        if kind == "illegal":
            assert env.game.format_move(action, position) in message
            assert env.game.player_names[position.to_move] in message
        else:
            assert f"0 to {env.game.num_actions - 1}" in message
        last = play_to_end(env, rng)
        assert last.outcome is not None
        assert drain(env) == dict(zip(env.possible_agents, last.outcome.returns, strict=True))


# Both modes


@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_what_is_no_integer_is_a_type_error(make_env: MakeEnv, mode: str, action: Any) -> None:
    """In both modes a value that is not an integer is refused, and nothing changes."""
    env = make_env(render_mode="ansi", illegal_action=mode)
    env.reset(seed=1)
    for _ in range(2):
        before = snapshot(env)
        with pytest.raises(TypeError, match="an action must be an integer") as info:
            env.step(action)
        assert repr(action) in str(info.value)
        assert snapshot(env) == before
        env.step(env.position.legal_actions()[0])


class Index:
    """An integer type of another library."""

    def __init__(self, value: int) -> None:
        """Take the value."""
        self.value = value

    def __index__(self) -> int:
        return self.value


@pytest.mark.parametrize(
    "convert", [int, np.int8, np.int32, np.int64, np.uint8, np.uint64, np.array, Index]
)
def test_integers_of_all_kinds_are_actions(make_env: MakeEnv, mode: str, convert: Any) -> None:
    """Libraries send integers of NumPy and arrays without a dimension; positions take them too."""
    env = make_env(illegal_action=mode)
    env.reset(seed=1)
    position = env.position
    for _ in range(3):
        action = position.legal_actions()[1]
        assert position.play(convert(action)) == position.play(action)
        position = position.play(action)
        env.step(convert(action))
        assert env.position == position
    assert not any(env.terminations.values())


@pytest.mark.parametrize("action", [0, -1, 2**70, 1.5, "3", np.int64(0)])
def test_after_the_end_only_none_is_accepted(
    make_env: MakeEnv, rng: random.Random, mode: str, action: Any
) -> None:
    """An action after the end is refused by name, and the dead steps are still to come."""
    env = make_env(render_mode="ansi", illegal_action=mode)
    env.reset(seed=1)
    play_to_end(env, rng)
    for turns_left in (2, 1):
        before = snapshot(env)
        with pytest.raises(ValueError, match=r"step\(None\)") as info:
            env.step(action)
        assert repr(action) in str(info.value)
        assert env.agent_selection in str(info.value)
        assert snapshot(env) == before
        assert len(env.agents) == turns_left
        env.step(None)
    assert env.agents == []
