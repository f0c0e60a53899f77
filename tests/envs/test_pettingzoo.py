"""PettingZoo's own tests, its wrappers and its registry."""

from __future__ import annotations

import contextlib
import importlib
import json
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import gymnasium
import pettingzoo
import pytest
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from mammalath_env.core.game import Game
from mammalath_env.envs import registration
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.games import GAMES
from tests.envs.play import MakeEnv
from tests.processes import run_code

with warnings.catch_warnings():
    # It imports games of PettingZoo in a way that PettingZoo 1.27 warns about.
    warnings.simplefilter("ignore", DeprecationWarning)
    import pettingzoo.test as pz

# An environment or wrappers around it, which have no types.
Env: TypeAlias = Any
MakeAnyEnv = Callable[..., Env]

# `api_test` says this of every environment whose observation is a dict, but for a list of
# PettingZoo's own; both name what PettingZoo's documentation asks of games with action masks.
UNAVOIDABLE = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box "
    "or gymnasium.spaces.discrete",
}

needs_registry = pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="PettingZoo has a registry from 1.27 on"
)


def wrap(env: Env) -> Env:
    """Return `env` in the wrappers that PettingZoo puts around its own board games."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, -1)))


@pytest.fixture(params=["env", "raw_env", "wrapped env"])
def constructor(request: pytest.FixtureRequest, game: Game) -> MakeAnyEnv:
    """Each constructor of every game, and its environment in PettingZoo's wrappers."""
    module = importlib.import_module(f"mammalath_env.{game.name}_v0")
    if request.param == "wrapped env":
        return lambda *args, **options: wrap(module.env(*args, **options))
    make: MakeAnyEnv = getattr(module, request.param)
    return make


@contextlib.contextmanager
def no_warnings() -> Iterator[None]:
    """Turn every warning but the unavoidable ones into an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in UNAVOIDABLE:
            warnings.filterwarnings("ignore", rf"{re.escape(message)}\Z", UserWarning)
        yield


def test_only_the_named_warnings_pass() -> None:
    """The filter of these tests lets no other warning through."""
    with no_warnings():
        for message in UNAVOIDABLE:
            warnings.warn(message, stacklevel=1)
        for message in ("Observation is not a NumPy array at all", "Observation contains NaNs"):
            with pytest.raises(UserWarning, match=message):
                warnings.warn(message, stacklevel=1)
        with pytest.raises(DeprecationWarning):
            warnings.warn(
                "Observation is not a NumPy array", category=DeprecationWarning, stacklevel=1
            )


def test_pettingzoo_api_test_passes(constructor: MakeAnyEnv) -> None:
    """PettingZoo's test of the AEC interface passes, in both layouts."""
    with no_warnings():
        pz.api_test(constructor(), num_cycles=1000)
        pz.api_test(constructor(channels_first=True), num_cycles=100)


def test_pettingzoo_seed_test_passes(constructor: MakeAnyEnv) -> None:
    """Two environments with one seed do the same."""
    with no_warnings():
        pz.seed_test(constructor, num_cycles=500)


def test_pettingzoo_render_test_passes(constructor: MakeAnyEnv) -> None:
    """Every declared render mode gives what PettingZoo expects of it."""
    pictures: list[str] = []

    def is_picture(result: object) -> bool:
        pictures.append(str(result))
        return isinstance(result, str) and result.count("\n") > 3

    with no_warnings():
        pz.render_test(constructor, {"ansi": is_picture})
    assert len(set(pictures)) > 1


def test_pettingzoo_benchmark_runs(make_env: MakeEnv, capsys: pytest.CaptureFixture[str]) -> None:
    """PettingZoo's benchmark runs; its speed is not tested."""
    with no_warnings():
        pz.performance_benchmark(make_env())
    assert "Finished performance benchmark" in capsys.readouterr().out


def test_spaces_stay_the_same_objects(constructor: MakeAnyEnv) -> None:
    """Libraries seed the space of an agent once and expect to get it again."""
    env = constructor()
    before = {agent: env.observation_space(agent) for agent in env.possible_agents}
    actions = {agent: env.action_space(agent) for agent in env.possible_agents}
    env.reset(seed=0)
    observation, *_ = env.last()
    env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
    env.reset()
    for agent in env.possible_agents:
        assert env.observation_space(agent) is before[agent]
        assert env.action_space(agent) is actions[agent]
    # Two objects, so that the agents' samples can be seeded apart, that say the same.
    first, second = env.possible_agents
    assert env.action_space(first) is not env.action_space(second)
    assert env.action_space(first) == env.action_space(second)
    assert env.observation_space(first) == env.observation_space(second)


def test_spaces_are_plain_attributes(make_env: MakeEnv) -> None:
    """Some libraries read the dicts instead of calling the methods."""
    env = make_env()
    assert env.possible_agents == ["player_0", "player_1"]
    dicts: list[dict[str, Any]] = [env.observation_spaces, env.action_spaces]
    for spaces in dicts:
        assert type(spaces) is dict
        assert list(spaces) == env.possible_agents
    for agent in env.possible_agents:
        assert env.observation_spaces[agent] is env.observation_space(agent)
        assert env.action_spaces[agent] is env.action_space(agent)


def test_metadata_name_the_environment_and_its_modes(make_env: MakeEnv, game: Game) -> None:
    """The metadata name the environment and what it can do."""
    env = make_env()
    metadata: dict[str, Any] = env.metadata
    assert metadata["name"] == str(env) == f"{game.name}_v0"
    assert {"human", "ansi"} <= set(metadata["render_modes"])
    assert metadata["is_parallelizable"] is False
    assert metadata["render_fps"] > 0
    assert env.unwrapped is env


def test_every_layer_of_wrappers_agrees_after_an_illegal_action(make_env: MakeEnv) -> None:
    """After an illegal action and a reset, the right agent moves, whichever layer is asked."""
    env = wrap(make_env())
    layers = [env]
    while layers[-1] is not env.unwrapped:
        layers.append(layers[-1].env)
    assert len(layers) == 4
    for seed in range(10):
        env.reset(seed=seed)
        observation, *_ = env.last()
        while observation["action_mask"].all():
            env.step(0)
            observation, *_ = env.last()
        offender = env.agent_selection
        env.step(int(observation["action_mask"].argmin()))
        assert all(env.terminations.values())
        assert env.rewards[offender] == -1
        for _ in env.agent_iter():
            env.last()
            env.step(None)
        for first in (0, 1):
            env.reset(options={"first_player": first})
            position = env.unwrapped.position
            assert position.to_move == first
            assert {layer.agent_selection for layer in layers} == {f"player_{first}"}
            observation, *_ = env.last()
            assert (observation["action_mask"] == position.action_mask()).all()


@needs_registry
def test_pettingzoo_make_finds_every_environment(game: Game) -> None:
    """`pettingzoo.make` finds every game and passes options on."""
    env_id = f"mammalath_env/{game.name}-v0"
    env = pettingzoo.make("aec", env_id, render_mode="ansi", illegal_action="raise")
    assert isinstance(env, BoardGameEnv)
    assert env.game == game
    assert env.render_mode == "ansi"
    assert env.illegal_action == "raise"


@needs_registry
@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_importing_registers_each_environment_once(kind: str) -> None:
    """Importing the package is enough, and it registers each game once."""
    found = run_code(
        "import warnings; warnings.simplefilter('error')\n"
        "import json, pettingzoo, mammalath_env\n"
        f"registry = pettingzoo.{kind}_registry\n"
        "ids = [key for key in registry if key.startswith('mammalath_env/')]\n"
        f"print(json.dumps({{key: str(pettingzoo.make('{kind}', key)) for key in ids}}))"
    )
    assert json.loads(found) == {f"mammalath_env/{name}-v0": f"{name}_v0" for name in GAMES}


def test_registering_without_a_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Older versions of PettingZoo have no registry; the package imports there too."""
    monkeypatch.delattr(pettingzoo, "register", raising=False)
    monkeypatch.setattr(gymnasium.envs.registration, "registry", {})
    registration.register_environments()
