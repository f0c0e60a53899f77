"""The parallel view: two actions a step, one of which counts."""

from __future__ import annotations

import copy
import importlib
import pickle
import random
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.utils import parallel_to_aec

from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game
from mammalath_env.envs.aec import AGENTS, BoardGameEnv
from mammalath_env.envs.parallel import IDLE_MASKS, BoardGameParallelEnv
from mammalath_env.games import GAMES, make_game
from tests.envs.test_pettingzoo import no_warnings
from tests.games.random_play import random_games

with warnings.catch_warnings():
    # It imports games of PettingZoo in a way that PettingZoo 1.27 warns about.
    warnings.simplefilter("ignore", DeprecationWarning)
    import pettingzoo.test as pz

ResetNeeded = gymnasium.error.ResetNeeded
Make = Callable[..., BoardGameParallelEnv]
# What a caller may give for the agent that is not to move, besides nothing at all.
IDLE_ACTIONS: list[Any] = [0, -1, 10_000, None, "pass", 1.5, np.array([3])]


@pytest.fixture
def make(game: Game) -> Make:
    """The constructor ``parallel_env`` of the module of every game."""
    function: Make = importlib.import_module(f"mammalath_env.{game.name}_v0").parallel_env
    return function


def mover_of(env: BoardGameParallelEnv) -> str:
    """Return the agent to move."""
    return AGENTS[env.position.to_move]


def choose(env: BoardGameParallelEnv, rng: random.Random) -> dict[str, int]:
    """Return a legal action of the agent to move."""
    return {mover_of(env): rng.choice(env.position.legal_actions())}


def illegal_in(env: BoardGameParallelEnv) -> int:
    """Play the last legal actions until some action is illegal, and return one."""
    while env.position.action_mask().all():
        env.step({mover_of(env): env.position.legal_actions()[-1]})
    return int(env.position.action_mask().argmin())


def state(env: BoardGameParallelEnv) -> tuple[Any, ...]:
    """Return all state that decides later steps."""
    inner = env._env
    stream = inner._stream.tobytes()
    return (env.position, list(env.agents), inner.agent_selection, dict(inner.infos), stream)


# PettingZoo's own tests


@pytest.mark.parametrize("idle_mask", IDLE_MASKS)
def test_pettingzoo_parallel_api_test_passes(make: Make, idle_mask: str) -> None:
    """PettingZoo's test of the parallel interface passes."""
    with no_warnings():
        pz.parallel_api_test(make(idle_mask=idle_mask), num_cycles=1000)
        pz.parallel_api_test(make(channels_first=True), num_cycles=50)


def test_pettingzoo_parallel_seed_test_passes(make: Make) -> None:
    """Two environments with one seed do the same."""
    with no_warnings():
        pz.parallel_seed_test(make)


def test_pettingzoo_state_test_passes(make: Make, game: Game) -> None:
    """PettingZoo's test of states passes, for this view and the AEC environment together."""
    module = importlib.import_module(f"mammalath_env.{game.name}_v0")
    with no_warnings():
        pz.state_test(module.env(), make())


@pytest.mark.parametrize("idle_mask", IDLE_MASKS)
def test_it_converts_to_an_aec_environment(make: Make, idle_mask: str) -> None:
    """PettingZoo makes an AEC environment of it that passes its own test."""
    with no_warnings():
        pz.api_test(parallel_to_aec(make(idle_mask=idle_mask)), num_cycles=300)


# What agents see


@pytest.mark.parametrize("channels_first", [False, True])
@pytest.mark.parametrize("idle_mask", IDLE_MASKS)
def test_whole_games_agree_with_positions(game: Game, idle_mask: str, channels_first: bool) -> None:
    """Every step agrees with the position, with any action of the idle agent."""
    env = BoardGameParallelEnv(game, idle_mask=idle_mask, channels_first=channels_first)
    idle = np.ones(game.num_actions) if idle_mask == "ones" else np.eye(game.num_actions)[0]
    rng = random.Random(1)
    for seed in range(4):
        observations, infos = env.reset(seed=seed)
        position = game.deal(seed)
        rewards: dict[str, float] = dict.fromkeys(AGENTS, 0.0)
        flags = dict.fromkeys(AGENTS, False)
        returns = [0.0, 0.0]
        while True:
            assert env.position == position
            for player, agent in enumerate(AGENTS):
                seen = observations[agent]
                assert env.observation_space(agent).contains(seen)
                expected = position.observation(player, channels_first)
                assert np.array_equal(seen["observation"], expected)
                moves = player == position.to_move and not position.is_over
                assert seen["action_mask"].dtype == np.int8
                assert np.array_equal(
                    seen["action_mask"], position.action_mask() if moves else idle
                )
                returns[player] += rewards[agent]
                assert infos[agent]["ply"] == position.ply
                assert infos[agent]["to_move"] == position.to_move
            assert flags == dict.fromkeys(AGENTS, position.is_over)
            assert env.agents == ([] if position.is_over else list(AGENTS))
            assert np.array_equal(env.state(), position.observation(0, channels_first))
            if position.is_over:
                break
            actions = choose(env, rng)
            if rng.random() < 0.8:
                actions[AGENTS[1 - position.to_move]] = rng.choice(IDLE_ACTIONS)
            position = position.play(actions[mover_of(env)])
            observations, rewards, flags, truncations, infos = env.step(actions)
            assert not any(truncations.values())
        assert position.outcome is not None
        assert tuple(returns) == position.outcome.returns


def test_infos_have_the_same_keys_all_the_time(make: Make) -> None:
    """Both agents' infos have the same keys and types; an illegal action adds its reason."""
    env, rng = make(), random.Random(1)
    kinds = set()
    for seed in range(3):
        _, infos = env.reset(seed=seed)
        while True:
            assert list(infos) == list(AGENTS)
            kinds |= {
                tuple((key, type(value)) for key, value in info.items()) for info in infos.values()
            }
            if not env.agents:
                break
            illegal = env.position.ply > 5 and seed == 2
            *_, infos = env.step({mover_of(env): -1} if illegal else choose(env, rng))
    numbers = (("ply", int), ("termination", int), ("to_move", int))
    after_illegal = (*numbers[:2], ("reason", str), numbers[2])
    assert kinds == {numbers, after_illegal}


def test_writing_to_returned_values_changes_no_game(make: Make) -> None:
    """Observations, masks and dicts are the caller's own."""
    env, twin = make(), make()
    rng = random.Random(1)
    results: list[Any] = [*env.reset(seed=3)]
    twin.reset(seed=3)
    while env.agents:
        for observation in results[0].values():
            for array in observation.values():
                array[...] = 2
        for values in results[1:]:
            for agent in AGENTS:
                values[agent] = {"ply": -1} if isinstance(values[agent], dict) else True
        actions = choose(env, rng)
        results = list(env.step(actions))
        assert data_equivalence(results, list(twin.step(actions)))
        assert state(env) == state(twin)


def test_spaces_are_always_the_same_objects(make: Make, game: Game) -> None:
    """Spaces are plain attributes, always the same objects; there are no wrappers."""
    env = make()
    assert env.possible_agents == list(AGENTS)
    assert env.agents == []
    assert env.metadata["is_parallelizable"]
    assert env.metadata["name"] == str(env) == f"{game.name}_v0"
    for agent in AGENTS:
        assert env.observation_space(agent) is env.observation_spaces[agent]
        assert env.action_space(agent) is env.action_spaces[agent]
        assert env.action_space(agent).n == game.num_actions
    for space in (env.observation_space, env.action_space):
        with pytest.raises(ValueError, match="unknown agent 'black': expected one of 'player_0'"):
            space("black")
    env.reset(seed=1)
    assert env.state_space.contains(env.state())
    env.close()


def test_reset_deals_what_the_aec_environment_deals(make: Make, game: Game) -> None:
    """Seeds and options do what they do in the AEC environment."""
    env, aec = make(), BoardGameEnv(game)
    for options in ({}, {"first_player": 1}, {"position": game.deal(8).to_text(), "other": 1}):
        env.reset(seed=5, options=options)
        aec.reset(seed=5, options=options)
        assert env.position == aec.position
    for _ in range(3):
        env.reset()
        aec.reset()
        assert env.position == aec.position


# Ends and errors


@pytest.mark.parametrize("action", ["illegal", "n", -1])
def test_illegal_actions_end_the_game_or_raise(make: Make, action: Any) -> None:
    """They end the game for both at the offender's cost, or raise and change nothing."""
    ending, raising = make(illegal_reward=-2), make(illegal_action="raise")
    for env in (ending, raising):
        env.reset(seed=1)
        number = {"illegal": illegal_in(env), "n": env.game.num_actions, -1: -1}[action]
    mover, position, before = mover_of(ending), ending.position, state(raising)
    with pytest.raises(IllegalMoveError) as caught:
        raising.step({mover: number})
    assert repr(position.to_text()) in str(caught.value)
    assert state(raising) == before
    _, rewards, terminations, truncations, infos = ending.step({mover: number})
    assert rewards == {agent: -2.0 if agent == mover else 0.0 for agent in AGENTS}
    assert all(terminations.values())
    assert not any(truncations.values())
    assert [infos[agent]["termination"] for agent in AGENTS] == [-1, -1]
    assert ending.agents == []
    assert ending.position == position


def test_bad_calls_of_step_change_nothing(make: Make) -> None:
    """Missing actions, other values and calls at the wrong time are refused."""
    env = make()
    for call in (lambda: env.step({}), env.state, lambda: env.position):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            call()
    env.reset(seed=1)
    mover = mover_of(env)
    (idle,) = set(AGENTS) - {mover}
    before = state(env)
    cases: list[tuple[dict[Any, Any], type[Exception], str]] = [
        ({}, ValueError, f"needs an action of {mover}"),
        ({idle: 0}, ValueError, f"needs an action of {mover}"),
        ({mover: 0, "player_2": 0}, ValueError, "of no agent but player_0 and player_1"),
        ({mover: None}, TypeError, f"the action of {mover}, who is to move"),
        ({mover: 1.0}, TypeError, "an action must be an integer"),
        ({mover: "3", idle: 0}, TypeError, "an action must be an integer"),
    ]
    for actions, kind, message in cases:
        with pytest.raises(kind, match=message):
            env.step(actions)
        assert state(env) == before
    rng = random.Random(1)
    while env.agents:
        env.step(choose(env, rng))
    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        env.step(dict.fromkeys(AGENTS, 0))
    assert env.position.is_over


def test_bad_arguments_of_reset_change_nothing_in_parallel(make: Make, game: Game) -> None:
    """Impossible seeds and options change nothing; finished positions have no agents."""
    env = make()
    env.reset(seed=1)
    env.step(choose(env, random.Random(1)))
    before = state(env)
    end = next(random_games(game, 1)).positions[-1]
    stranger = make_game(next(name for name in GAMES if name != game.name)).deal(0)
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"seed": -1}, ValueError, "a seed must be at least 0"),
        ({"seed": 1.5}, TypeError, "a seed must be an integer"),
        ({"options": {"first_player": 2}}, ValueError, "first_player"),
        ({"options": {"position": "nonsense"}}, ValueError, "'nonsense' is not a position"),
        ({"options": {"position": stranger}}, ValueError, "expected a position of"),
        ({"options": {"position": end}}, ValueError, "the game is over in the position"),
        ({"options": {"position": end.to_text()}}, ValueError, "the game is over"),
    ]
    for arguments, kind, message in cases:
        with pytest.raises(kind, match=message):
            env.reset(**arguments)
        assert state(env) == before


def test_impossible_options_of_the_parallel_view_are_refused(make: Make) -> None:
    """The message names the option and the choices there are."""
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"idle_mask": "none"}, ValueError, r"'none'.*'ones'.*'first'"),
        ({"illegal_action": "ignore"}, ValueError, "'ignore'"),
        ({"render_mode": "rgb"}, ValueError, "'rgb'"),
        ({"colour": "red"}, TypeError, "'colour'"),
    ]
    for options, kind, message in cases:
        with pytest.raises(kind, match=message):
            make(**options)


def test_the_parallel_view_draws_positions(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    """Mode ``"ansi"`` returns the current position, mode ``"human"`` prints it."""
    env = make("ansi")
    env.reset(seed=1)
    before = env.render()
    env.step(choose(env, random.Random(1)))
    assert isinstance(before, str)
    assert before != env.render()
    human = make("human")
    human.reset(seed=1)
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    "copier", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
)
def test_copies_of_the_parallel_view_are_independent(
    make: Make, copier: Callable[[Any], Any]
) -> None:
    """A copy continues as the original does, and neither disturbs the other."""
    env = make()
    copier(env).reset(seed=1)
    env.reset(seed=2)
    env.step(choose(env, random.Random(1)))
    before = state(env)
    runs = []
    for one in [copier(env), env, copier(env)]:
        assert state(one) == before
        rng, seen = random.Random(2), []
        for _ in range(2):
            while one.agents:
                seen.append(one.step(choose(one, rng)))
            seen.append(one.reset())
        runs.append(seen)
    assert data_equivalence(runs[0], runs[1])
    assert data_equivalence(runs[0], runs[2])


# Registration


def test_pettingzoo_make_finds_every_parallel_view(game: Game) -> None:
    """`pettingzoo.make` finds every game and passes options on."""
    env = pettingzoo.make("parallel", f"mammalath_env/{game.name}-v0", idle_mask="first")
    assert isinstance(env, BoardGameParallelEnv)
    assert env.game == game
    observations, _ = env.reset(seed=1)
    assert min(seen["action_mask"].sum() for seen in observations.values()) == 1
