"""One seat of a game as a Gymnasium environment."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.utils.env_match import check_environments_match
from numpy.typing import NDArray

from mammalath_env.agents import AlphaBetaAgent, RandomAgent
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.opponents import Opponent
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.envs.spaces import FORMS
from mammalath_env.games import GAMES
from tests.generators import seed_globals, state_of_globals
from tests.processes import run_code

Scale = Callable[[int], int]
IDS = {
    "mammalath": "mammalath_env/Mammalath-v0",
    "mammalath_plus": "mammalath_env/MammalathPlus-v0",
    "mancala": "mammalath_env/Mancala-v0",
}
ResetNeeded = gymnasium.error.ResetNeeded


def first_legal(observation: Any, mask: NDArray[Any]) -> int:
    """Play the first legal action."""
    return int(mask.argmax())


OPPONENTS: dict[str, Opponent] = {
    "random": "random",
    "greedy": "greedy",
    "random agent": RandomAgent(1),
    "search agent": AlphaBetaAgent(depth=1),
    "function": first_legal,
}


def last_legal(env: SingleAgentEnv) -> int:
    """Return the learner's last legal action, which ends no game early on."""
    return int(env.action_masks().nonzero()[0][-1])


def play_game(env: Any, rng: random.Random) -> list[Any]:
    """Play random actions to the end of the game that was begun, and return the steps."""
    steps: list[Any] = []
    while not steps or not steps[-1][2]:
        steps.append(env.step(rng.choice(np.flatnonzero(env.action_masks()).tolist())))
    return steps


def learner(env: SingleAgentEnv) -> int:
    """Return which player the learner is."""
    return int(env._lane._seating.player[0])


def state(env: SingleAgentEnv) -> list[bytes]:
    """Return all state that decides later steps, as values that can be compared."""
    lane = env._lane
    seating = lane._seating
    arrays = [*lane._lanes, seating.player, seating.games, seating.streams]
    return [array.tobytes() for array in arrays]


# Making one


def test_make_builds_every_game(game: Game) -> None:
    """`gymnasium.make` finds every game and passes options on."""
    env = gymnasium.make(IDS[game.name], opponent="greedy", seat="second", observation="flat")
    inner = env.unwrapped
    assert isinstance(inner, SingleAgentEnv)
    assert inner.game == game
    assert env.reset(seed=1)[1]["ply"] == 1
    assert env.observation_space.shape == (int(np.prod(game.observation_shape)),)
    env = gymnasium.make(IDS[game.name], max_episode_steps=1, seat="first")
    env.reset(seed=1)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.tolist() == env.unwrapped.action_masks().tolist()  # type: ignore[attr-defined]
    assert env.step(int(masks.argmax()))[2:4] == (False, True)


def test_ids_in_a_new_process() -> None:
    """The id may name the package to import, and each game is registered once."""
    names = [IDS[name] for name in GAMES]
    printed = run_code(
        "import warnings; warnings.simplefilter('error')\n"
        "import json, gymnasium\n"
        f"envs = [gymnasium.make('mammalath_env:' + name) for name in {names}]\n"
        "found = [env.reset(seed=0)[1]['ply'] in (0, 1) for env in envs]\n"
        "ids = [name for name in gymnasium.registry if name.startswith('mammalath_env/')]\n"
        "print(json.dumps([found, ids]))"
    )
    assert json.loads(printed) == [[True] * len(names), names]


# Observations


@pytest.mark.parametrize("channels_first", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_in_its_space(game: Game, form: str, channels_first: bool) -> None:
    """Every form is in its space and shows what the learner sees, at the end too."""
    env = SingleAgentEnv(game, observation=form, channels_first=channels_first)
    rng = random.Random(1)
    for seed in range(4):
        observation, info = env.reset(seed=seed)
        while True:
            assert env.observation_space.contains(observation)
            mask, player = env.action_masks(), info["player"]
            expected = env.position.observation(player, channels_first)
            if form == "dict":
                assert set(observation) == {"observation", "action_mask"}
                assert np.array_equal(observation["action_mask"], mask)
                observation = observation["observation"]
            if form == "flat":
                expected = expected.reshape(-1)
            assert observation.dtype == np.int8
            assert observation.flags.c_contiguous
            assert np.array_equal(observation, expected)
            assert mask.dtype == np.bool_
            assert info["action_mask"].dtype == np.int8
            assert np.array_equal(info["action_mask"], mask)
            assert mask.tolist() == env.position.action_mask().tolist()
            if env.position.is_over:
                break
            assert env.position.to_move == info["player"]
            observation, _, _, _, info = env.step(rng.choice(np.flatnonzero(mask).tolist()))


@pytest.mark.parametrize("form", FORMS)
def test_returned_arrays_are_the_callers(game: Game, form: str) -> None:
    """Writing to them, or to the masks, changes no game."""
    env, twin = (SingleAgentEnv(game, observation=form) for _ in range(2))
    for one in (env, twin):
        one.reset(seed=3)
    for _ in range(3):
        action = last_legal(twin)
        observation, _, _, _, info = env.step(action)
        for array in observation.values() if form == "dict" else [observation]:
            array[...] = 1
        info["action_mask"][:] = 1
        env.action_masks()[:] = True
        twin.step(action)
        assert state(env) == state(twin)


def test_infos_have_the_same_keys_to_the_end(game: Game) -> None:
    """Infos have the same keys and types of numbers from the first to the last."""
    env = SingleAgentEnv(game, seat="alternate")
    kinds = set()
    for seed in range(3):
        infos = [env.reset(seed=seed)[1]]
        infos.extend(step[4] for step in play_game(env, random.Random(seed)))
        kinds |= {tuple((key, type(value)) for key, value in info.items()) for info in infos}
        assert [info["termination"] for info in infos[:-1]] == [0] * (len(infos) - 1)
        outcome = env.position.outcome
        assert infos[-1]["termination"] == int(outcome.termination)  # type: ignore[union-attr]
        assert infos[-1]["ply"] == env.position.ply
    numbers = dict.fromkeys(["player", "ply", "winner", "termination"], int)
    assert [dict(kind) for kind in kinds] == [{"action_mask": np.ndarray, **numbers}]


# Seats and opponents


def seats(env: SingleAgentEnv, number: int) -> list[int]:
    """Return for some games whether the learner moved first (0) or second (1)."""
    return [env.reset()[1]["ply"] for _ in range(number)]


def test_seats_are_fixed_or_alternate(game: Game) -> None:
    """A learner moves first, second, or in turn; a seed starts the turns over."""
    for seat, expected in {"first": [0] * 4, "second": [1] * 4, "alternate": [0, 1, 0, 1]}.items():
        env = SingleAgentEnv(game, seat=seat)
        assert seats(env, 4) == expected
        assert env.reset(seed=1)[1]["ply"] == expected[0]
        assert seats(env, 3) == expected[1:]


def test_random_seats(game: Game) -> None:
    """Both seats are drawn as often, for both players."""
    env = SingleAgentEnv(game, seat="random")
    counts = np.zeros((2, 2), np.int64)
    for k in range(600):
        _, info = env.reset(seed=None if k else 1)
        counts[info["ply"], info["player"]] += 1
    # Five times the standard deviation of a quarter of them.
    assert (abs(counts - 150) < 5 * (600 * 3 / 16) ** 0.5).all()


@pytest.mark.parametrize("opponent", OPPONENTS.values(), ids=OPPONENTS)
def test_every_kind_of_opponent_plays_to_the_end(
    game: Game, opponent: Opponent, scale: Scale
) -> None:
    """Names, agents and functions play to the end; rewards add up to the learner's result."""
    env = SingleAgentEnv(game, opponent=opponent)
    for seed in range(scale(5)):
        env.reset(seed=seed)
        before = env.position.return_so_far(learner(env))
        rewards = [step[1] for step in play_game(env, random.Random(seed))]
        assert {type(reward) for reward in rewards} == {float}
        assert sum(rewards) + before == env.position.return_so_far(learner(env))


@pytest.mark.parametrize("form", FORMS)
def test_a_function_sees_the_opponents_view(game: Game, form: str) -> None:
    """It gets the opponent's own view and legal actions, in the learner's form."""
    calls: list[Position] = []

    def spy(observation: Any, mask: NDArray[Any]) -> int:
        position, player = env.position, 1 - learner(env)
        calls.append(position)
        assert env.observation_space.contains(observation)
        if form == "dict":
            assert np.array_equal(observation["action_mask"], mask)
            observation = observation["observation"]
        expected = position.observation(player)
        assert np.array_equal(observation.reshape(expected.shape), expected)
        assert mask.dtype == np.bool_
        assert mask.tolist() == position.action_mask().tolist()
        assert position.to_move == player
        choice = int(mask.argmax())
        mask[:] = True
        observation[...] = 1
        return choice

    env = SingleAgentEnv(game, opponent=spy, observation=form, seat="second")
    for seed in range(3):
        env.reset(seed=seed)
        play_game(env, random.Random(seed))
    assert len(calls) > 6


# Errors


@pytest.mark.parametrize("kind", ["illegal", "n", "-1", "huge"])
def test_an_illegal_action_costs_the_learner_or_raises(game: Game, kind: str) -> None:
    """They end the game at the learner's cost, or raise and change nothing."""
    ending = SingleAgentEnv(game, illegal_reward=-3, seat="second")
    raising = SingleAgentEnv(game, illegal_action="raise", seat="second")
    for env in (ending, raising):
        env.reset(seed=2)
        while env.action_masks().all():
            env.step(last_legal(env))
    illegal = int(raising.action_masks().argmin())
    action = {"illegal": illegal, "n": game.num_actions, "-1": -1, "huge": 2**70}[kind]
    before, position = state(raising), ending.position
    with pytest.raises(IllegalMoveError) as caught:
        raising.step(action)
    assert repr(position.to_text()) in str(caught.value)
    assert state(raising) == before
    observation, reward, terminated, truncated, info = ending.step(action)
    assert (reward, terminated, truncated) == (-3.0, True, False)
    assert info["termination"] == -1
    assert ending.position == position
    for mask in (ending.action_masks(), info["action_mask"], observation["action_mask"]):
        assert not mask.any()
    assert ending.observation_space.contains(observation)
    assert np.array_equal(observation["observation"], position.observation(info["player"]))
    with pytest.raises(ResetNeeded, match="the game is over"):
        ending.step(0)


@pytest.mark.parametrize("action", [1.0, None, "3", [3], np.array([0]), np.array(1.0)])
def test_actions_of_other_types_change_nothing(game: Game, action: Any) -> None:
    """A value that is not an integer is refused in both modes, and nothing changes."""
    env = SingleAgentEnv(game)
    env.reset(seed=1)
    before = state(env)
    with pytest.raises(TypeError, match="an action must be an integer"):
        env.step(action)
    assert state(env) == before
    for number in (np.int64(last_legal(env)), np.array(last_legal(env)), np.int32(0)):
        env.reset(seed=1)
        env.step(number)


def test_nothing_can_be_played_before_a_reset(game: Game) -> None:
    """There is nothing to play, to see or to draw yet."""
    env = SingleAgentEnv(game, render_mode="ansi")
    for call in (lambda: env.step(0), lambda: env.position, env.render):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            call()
    assert not env.action_masks().any()


# Gymnasium's own tests, seeds, pictures and copies


@pytest.mark.parametrize("channels_first", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_check_env(game: Game, form: str, channels_first: bool) -> None:
    """Gymnasium's test passes without a warning, the render modes included."""
    options = {"observation": form, "channels_first": channels_first}
    for opponent in ("random", "greedy"):
        env = gymnasium.make(IDS[game.name], opponent=opponent, **options)  # type: ignore[arg-type]
        check_env(env.unwrapped)


def test_two_environments_match(game: Game, scale: Scale) -> None:
    """The same seeds and actions give the same, pictures included."""
    options: dict[str, Any] = {"opponent": "greedy", "render_mode": "ansi"}
    one, other = (gymnasium.make(IDS[game.name], **options) for _ in range(2))
    check_environments_match(one, other, num_steps=scale(60), seed=4)


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_a_seed_decides_all_games_to_come(game: Game, opponent: str, scale: Scale) -> None:
    """A seed decides deals, seats and opponents of all games to come, and nothing else does."""
    runs = []
    for seed, noise in [(1, 5), (1, 6), (2, 5)]:
        seed_globals(noise)
        before = state_of_globals()
        env, run = SingleAgentEnv(game, opponent=opponent), []
        env.reset(seed=seed)
        for k in range(scale(4)):
            run.append([step[4]["ply"] for step in play_game(env, random.Random(k))])
            run.append([env.position])
            env.reset()
        runs.append(run)
        assert state_of_globals() == before
    assert runs[0] == runs[1] != runs[2]


def test_text_pictures_are_returned_or_printed(
    game: Game, capsys: pytest.CaptureFixture[str]
) -> None:
    """Text is returned, or printed after every step; without a mode there is a warning."""
    envs = {mode: SingleAgentEnv(game, mode, seat="first") for mode in (None, "ansi", "human")}
    for env in envs.values():
        env.reset(seed=1)
    printed, picture = capsys.readouterr().out, envs["ansi"].render()
    assert printed.strip()
    assert picture.count("\n") > 3
    for env in envs.values():
        env.step(last_legal(env))
    assert envs["ansi"].render() != picture
    assert capsys.readouterr().out not in ("", printed)
    with pytest.warns(UserWarning, match="render"):
        envs[None].render()
    with pytest.raises(ValueError, match=r"'rgb'.*'human'.*'ansi'"):
        SingleAgentEnv(game, "rgb")


@pytest.mark.parametrize("opponent", ["random", RandomAgent(3)], ids=["name", "agent"])
@pytest.mark.parametrize(
    "copier", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
)
def test_copies_of_a_single_agent_environment_are_independent(
    game: Game, opponent: Opponent, copier: Callable[[Any], Any]
) -> None:
    """A copy continues as the original does, and neither disturbs the other."""
    env = SingleAgentEnv(game, opponent=opponent, seat="alternate")
    assert copier(env).reset(seed=3)[1]["player"] in (0, 1)
    env.reset(seed=2)
    env.step(last_legal(env))
    before, runs = state(env), []
    for one in [copier(env), env, copier(env)]:
        assert state(one) == before
        run = play_game(one, random.Random(1))
        run.append((one.reset()[0], 0.0, False, False, one.reset()[1]))
        runs.append(run)
    assert data_equivalence(runs[0], runs[1])
    assert data_equivalence(runs[0], runs[2])
