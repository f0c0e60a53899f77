"""Calls at the wrong time and with wrong arguments say what was given and what is expected."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from gymnasium.error import ResetNeeded

from mammalath_env.agents import make_agent
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.games import GAMES
from tests.envs.play import MakeEnv, drain, illegal_action, play_to_end

Call = Callable[[BoardGameEnv], object]

# What each message begins with, and the call.
NEED_A_GAME: dict[str, Call] = {
    "step()": lambda env: env.step(0),
    "step() with None": lambda env: env.step(None),
    "last()": lambda env: env.last(),
    "last() unseen": lambda env: env.last(observe=False),
    "observe()": lambda env: env.observe("player_0"),
    "render()": lambda env: env.render(),
    "agent_iter()": lambda env: env.agent_iter(),
    "position": lambda env: env.position,
    "state()": lambda env: env.state(),
}
NEED_AGENTS = ["step()", "step() with None", "last()", "last() unseen"]

BAD_OPTIONS = [
    ({"render_mode": "ascii"}, ValueError, ["render_mode", "'ascii'", "None", "'human'", "'ansi'"]),
    ({"render_mode": 3}, ValueError, ["render_mode", "3", "'ansi'"]),
    ({"illegal_action": "lose"}, ValueError, ["illegal_action", "'lose'", "'terminate', 'raise'"]),
    ({"illegal_action": None}, ValueError, ["illegal_action", "None", "'terminate', 'raise'"]),
    ({"channels_first": 1}, TypeError, ["channels_first", "1", "True or False"]),
    ({"channels_first": "yes"}, TypeError, ["channels_first", "'yes'", "True or False"]),
    ({"illegal_reward": "much"}, TypeError, ["illegal_reward", "'much'"]),
    ({"illegal_reward": float("nan")}, ValueError, ["illegal_reward", "nan"]),
    ({"illegal_reward": None}, TypeError, ["None"]),
    ({"colour": "red"}, TypeError, ["'colour'"]),
    ({"swap_rules": True}, TypeError, ["'swap_rules'"]),
]


@pytest.mark.parametrize("call", NEED_A_GAME)
@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_calls_before_the_first_reset_need_one(
    make_env: MakeEnv, call: str, render_mode: str | None
) -> None:
    """Without a game there is nothing to see and nothing to play; the message says reset."""
    env = make_env(render_mode)
    for _ in range(2):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first") as info:
            NEED_A_GAME[call](env)
        assert str(info.value).startswith(call.split(" ")[0])
    env.reset()
    assert env.agents == ["player_0", "player_1"]


@pytest.mark.parametrize("illegally", [False, True])
@pytest.mark.parametrize("call", NEED_A_GAME)
def test_when_no_agent_is_left(
    env: BoardGameEnv, rng: random.Random, call: str, illegally: bool
) -> None:
    """Nobody can act any more, but what there is to see stays."""
    if illegally:
        env.step(illegal_action(env, rng))
    else:
        play_to_end(env, rng)
    drain(env)
    if call in NEED_AGENTS:
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first") as info:
            NEED_A_GAME[call](env)
        assert str(info.value).startswith(call.split(" ")[0])
    else:
        assert NEED_A_GAME[call](env) is not None
    env.reset()
    env.step(env.position.legal_actions()[0])


@pytest.mark.parametrize(("options", "error", "words"), BAD_OPTIONS)
def test_bad_options(
    make_env: MakeEnv, options: dict[str, Any], error: type[Exception], words: list[str]
) -> None:
    """A bad option of the constructor is refused, and the message names value and choices."""
    with pytest.raises(error) as info:
        make_env(**options)
    for word in words:
        assert word in str(info.value)


@pytest.mark.parametrize("agent", ["player_2", "player", "", 0, None])
def test_unknown_agents_cannot_observe(env: BoardGameEnv, agent: Any) -> None:
    """Only the two agents can observe; the error lists them."""
    with pytest.raises(ValueError, match="agent") as info:
        env.observe(agent)
    for word in (repr(agent), "'player_0', 'player_1'"):
        assert word in str(info.value)


@pytest.mark.parametrize("name", ["chess", "", "Mammalath", "mammalath-v0"])
def test_unknown_games_are_refused(name: str) -> None:
    """The message lists the games there are."""
    with pytest.raises(ValueError, match="game") as info:
        BoardGameEnv(name)
    for word in (name, *GAMES):
        assert repr(word) in str(info.value)


@pytest.mark.parametrize("name", ["minimax", "", "Random", None])
def test_unknown_players(name: Any) -> None:
    """`make_agent` lists the agents there are."""
    with pytest.raises(ValueError, match="agent") as info:
        make_agent(name)
    for word in (name, "random", "greedy"):
        assert repr(word) in str(info.value)
