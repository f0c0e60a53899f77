"""Copies of environments: the same state, and independent from then on."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable

import pytest

from mammalath_env.envs.aec import BoardGameEnv
from tests.envs.play import MakeEnv, drain, illegal_action, next_deals, play_to_end, snapshot

Copier = Callable[[BoardGameEnv], BoardGameEnv]


def pickled(env: BoardGameEnv) -> BoardGameEnv:
    """Return `env` after a trip through pickle."""
    twin: BoardGameEnv = pickle.loads(pickle.dumps(env))
    return twin


@pytest.fixture(params=[copy.copy, copy.deepcopy, pickled])
def copier(request: pytest.FixtureRequest) -> Copier:
    """A way to copy an environment."""
    function: Copier = request.param
    return function


def test_copies_at_every_ply(make_env: MakeEnv, rng: random.Random, copier: Copier) -> None:
    """A copy is the same; then whatever one of the two does leaves the other as it was."""
    env = make_env()
    env.reset(seed=1)
    while env.agents:
        before = snapshot(env)
        twin, kept, restarted = copier(env), copier(env), copier(env)
        assert type(twin) is type(env)
        assert snapshot(twin) == before
        action = None if env.position.is_over else rng.choice(env.position.legal_actions())
        twin.step(action)
        after = snapshot(twin) if twin.agents else None
        assert snapshot(env) == before
        restarted.reset()
        assert restarted.position == before["next deals"][0]
        assert snapshot(env) == before
        env.step(action)
        assert snapshot(kept) == before
        assert (snapshot(env) if env.agents else None) == after


def test_copies_play_on_to_the_same_end(env: BoardGameEnv, copier: Copier) -> None:
    """With the same actions, copy and original give the same games, deals included."""
    twin = copier(env)
    for seed in range(4):
        for one in (env, twin):
            play_to_end(one, random.Random(seed))
        assert snapshot(twin) == snapshot(env)
        assert drain(twin) == drain(env)
        for one in (env, twin):
            one.reset()
        assert snapshot(twin) == snapshot(env)


def test_writing_to_a_copy(env: BoardGameEnv, copier: Copier) -> None:
    """The dicts and lists of a copy are its own."""
    before = snapshot(env)
    twin = copier(env)
    twin.agents.clear()
    for values in (twin.rewards, twin._cumulative_rewards):
        values["player_0"] = 9.0
    for flags in (twin.terminations, twin.truncations):
        flags["player_1"] = True
    twin.infos["player_0"]["ply"] = -1
    del twin.infos["player_1"]
    assert snapshot(env) == before


def test_copies_before_the_first_reset(make_env: MakeEnv, copier: Copier) -> None:
    """Copies have the stream of deals even before the first one."""
    env = make_env()
    twin = copier(env)
    assert twin.agents == env.agents == []
    expected = next_deals(env, 40)
    assert next_deals(twin, 40) == expected
    twin.reset()
    assert twin.position == expected[0]
    assert env.agents == []
    assert next_deals(env, 40) == expected


def test_copies_after_the_end(env: BoardGameEnv, rng: random.Random, copier: Copier) -> None:
    """Also with one agent left, with none, and after an illegal action."""
    for ending in ("legal", "illegal"):
        env.reset()
        if ending == "legal":
            play_to_end(env, rng)
        else:
            env.step(illegal_action(env, rng))
        while env.agents:
            twin = copier(env)
            assert snapshot(twin) == snapshot(env)
            env.step(None)
            assert len(twin.agents) == len(env.agents) + 1
        twin = copier(env)
        assert snapshot(twin) == snapshot(env)
        twin.reset()
        assert twin.agents == twin.possible_agents
        assert env.agents == []


def test_options_are_copied(make_env: MakeEnv, rng: random.Random, copier: Copier) -> None:
    """A copy has the options of the original."""
    env = make_env(
        render_mode="ansi", channels_first=True, illegal_action="terminate", illegal_reward=-3
    )
    env.reset(seed=1)
    twin = copier(env)
    assert twin.game == env.game
    assert twin.metadata == env.metadata
    assert twin.possible_agents == env.possible_agents
    assert twin.observation_spaces == env.observation_spaces
    assert twin.action_spaces == env.action_spaces
    assert twin.state_space == env.state_space
    assert twin.render_mode == "ansi"
    assert twin.channels_first is True
    twin.step(illegal_action(twin, rng))
    assert -3.0 in twin.rewards.values()
