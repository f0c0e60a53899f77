"""Arrays that batches return, their random streams, copies and memory."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from mammalath_env.agents import AGENTS
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.vector import SelfPlayVectorEnv
from mammalath_env.games import make_game
from tests.generators import seed_globals, state_of_globals

Scale = Callable[[int], int]

MODES = list(AutoresetMode)[:2]


def arrays(result: tuple[Any, ...]) -> dict[str, NDArray[Any]]:
    """Return all arrays that `reset` or `step` returned, by name."""
    found = dict(result[0]) | {f"{k}": array for k, array in enumerate(result[1:-1])}
    return found | {name: value for name, value in result[-1].items() if "final" not in name}


@pytest.mark.parametrize("mode", MODES)
def test_held_arrays_never_change(game: Game, mode: AutoresetMode) -> None:
    """Later steps and resets do not overwrite arrays that the caller holds."""
    env, twin = (
        SelfPlayVectorEnv(game, 6, autoreset_mode=mode, copy=flag) for flag in (True, False)
    )
    held: list[Any] = []
    expected: list[list[bytes]] = []
    for k in range(50):
        results: Any = env.reset(seed=k) if k % 20 == 0 else env.random_step()
        theirs: Any = twin.reset(seed=k) if k % 20 == 0 else twin.random_step()
        held.append(arrays(results).values())
        expected.append([array.tobytes() for array in arrays(theirs).values()])
    assert [[array.tobytes() for array in found] for found in held] == expected


def test_held_views_never_change(game: Game) -> None:
    """A view of one array is enough to keep the arrays of its step."""
    env = SelfPlayVectorEnv(game, 6)
    env.reset(seed=1)
    views: list[NDArray[Any]] = []
    for k in range(12):
        observation, reward, _, _, info = env.random_step()
        views.append((observation["observation"][1:, ..., 0], reward[2:], info["rewards"].T)[k % 3])
        del observation, reward, info
        if k == 0:
            first = views[0].tobytes()
    assert views[0].tobytes() == first
    assert len({view.ctypes.data for view in views}) == len(views)


def test_final_observations_never_change(game: Game) -> None:
    """Final observations are the caller's to keep as well."""
    env = SelfPlayVectorEnv(game, 6, autoreset_mode=AutoresetMode.SAME_STEP)
    env.reset(seed=1)
    held: list[NDArray[Any]] = []
    for _ in range(20):
        before = [array.tobytes() for array in held]
        info = env.step(np.array([-1, 0, 0, -1, 0, 0]))[4]
        assert [array.tobytes() for array in held] == before
        held.extend(info["final_info"].values())
        held.extend(array for one in info["final_obs"] if one for array in one.values())


def test_two_sets_take_turns_without_copies(game: Game) -> None:
    """With ``copy=False`` every other step has the same arrays, whoever holds them."""
    env = SelfPlayVectorEnv(game, 6, copy=False)
    results: list[Any] = [env.reset(seed=1)]
    results.extend(env.random_step() for _ in range(10))
    results.append(env.reset())
    names = [name for name in arrays(results[0]) if name not in "0123"]
    for name in ["observation", "action_mask", *names]:
        places = [arrays(result)[name].ctypes.data for result in results]
        assert places == places[:2] * 6
        assert places[0] != places[1]
    assert [id(result[1]) for result in results[1:-1]] == [id(results[1][1]), id(results[2][1])] * 5


@pytest.mark.parametrize("flag", [True, False])
def test_writing_to_returned_arrays_changes_no_lane(game: Game, flag: bool) -> None:
    """Games and masks are not in the arrays that are handed out."""
    env, twin = (SelfPlayVectorEnv(game, 5, copy=flag, illegal_action="raise") for _ in range(2))
    results: Any = env.reset(seed=4)
    twin_results: Any = twin.reset(seed=4)
    for _ in range(60):
        assert data_equivalence(arrays(results), arrays(twin_results))
        for array in arrays(results).values():
            array[...] = 1
        actions = twin.draw_actions()
        env.draw_actions()
        results, twin_results = env.step(actions), twin.step(actions)
        assert env.positions() == twin.positions()


# Streams


def ended_at_once(env: SelfPlayVectorEnv, deals: int) -> list[list[Position]]:
    """Return the next `deals` deals of all lanes, by ending games with illegal actions."""
    found = []
    for _ in range(deals):
        env.step(np.full(env.num_envs, -1))
        found.append(env.positions())
    return found


@pytest.mark.parametrize("num_envs", [1, 2, 257])
def test_lanes_deal_what_single_environments_deal(game: Game, num_envs: int) -> None:
    """Lane i of seed s is the AEC environment of seed s + i, in the first deal and later ones."""
    env = SelfPlayVectorEnv(game, num_envs, autoreset_mode=AutoresetMode.SAME_STEP)
    for seed in (0, 5, 2**64 - 1):
        env.reset(seed=seed)
        deals = [env.positions(), *ended_at_once(env, 3)]
        env.reset()
        deals.append(env.positions())
        for lane in {0, num_envs // 2, num_envs - 1}:
            single = BoardGameEnv(game)
            single.reset(seed=seed + lane)
            for deal in deals:
                assert deal[lane] == single.position
                single.reset()


def test_each_lane_may_have_its_own_seed(game: Game) -> None:
    """A seed may be of any size; None continues the stream of the lane."""
    env, plain = SelfPlayVectorEnv(game, 4), SelfPlayVectorEnv(game, 4)
    seeds = [7, 2**200, 7, 0]
    env.reset(seed=seeds)
    assert env.positions() == [game.deal(seed) for seed in seeds]
    env.reset(seed=3)
    plain.reset(seed=3)
    env.reset(seed=[None, 9, np.int64(8), None])
    plain.reset()
    assert env.positions([1, 2]) == [game.deal(9), game.deal(8)]
    assert env.positions([0, 3]) == plain.positions([0, 3])


@pytest.mark.parametrize("kind", [SelfPlayVectorEnv, OpponentVectorEnv])
def test_seeds_may_be_an_array(game: Game, kind: type[SelfPlayVectorEnv]) -> None:
    """Of integers, one for each lane; what else an array may hold is refused as in a list."""
    env, plain = kind(game, 3), kind(game, 3)
    for dtype in (np.int64, np.uint8, np.uint64):
        seeds = np.array([4, 0, 9], dtype)
        env.reset(seed=seeds)
        plain.reset(seed=[4, 0, 9])
        assert env.positions() == plain.positions()
    before = env.positions()
    env.reset(seed=np.array(5))
    plain.reset(seed=5)
    assert env.positions() == plain.positions() != before
    before = env.positions()
    wrong: list[tuple[Any, type[Exception], str]] = [
        (np.arange(4), ValueError, "4 seeds for 3 lanes"),
        (np.arange(1), ValueError, "1 seeds for 3 lanes"),
        (np.arange(3) - 1, ValueError, "a seed must be at least 0, not -1"),
        (np.zeros(3), TypeError, "a seed must be an integer, not 0.0"),
        (np.ones(3, np.bool_), TypeError, "a seed must be an integer, not True"),
        (np.ones((3, 1), np.int64), TypeError, r"a seed must be an integer, not \[1\]"),
    ]
    for seed, error, message in wrong:
        with pytest.raises(error, match=message):
            env.reset(seed=seed)
        assert env.positions() == before


def test_batches_without_a_seed_differ() -> None:
    """Unseeded batches differ; all lanes of one differ."""
    game = make_game("mammalath")
    deals = set()
    for _ in range(3):
        env = SelfPlayVectorEnv(game, 20)
        env.reset()
        deals |= set(env.positions())
    assert len(deals) == 60


def test_seeds_of_random_actions(game: Game) -> None:
    """The seed decides them too, whatever was drawn before."""
    env = SelfPlayVectorEnv(game, 30)
    runs = []
    for seed in (1, 1, 2):
        env.reset(seed=seed)
        runs.append([env.random_step()[4]["actions"].tobytes() for _ in range(20)])
    assert runs[0] == runs[1] != runs[2]


def test_drawn_actions_are_uniform(game: Game, scale: Scale) -> None:
    """Each legal action is as likely as another; drawing moves neither games nor deals."""
    position, number = game.deal(4), max(50, scale(2000))
    env = SelfPlayVectorEnv(game, number)
    env.reset(seed=1, options={"positions": [position] * number})
    counts = np.zeros(game.num_actions, np.int64)
    for _ in range(10):
        counts += np.bincount(env.draw_actions(), minlength=game.num_actions)
    legal = position.action_mask()
    assert (counts[~legal] == 0).all()
    share = 10 * number / legal.sum()
    assert (abs(counts[legal] - share) < 6 * share**0.5).all()
    assert set(env.positions()) == {position}
    twin = SelfPlayVectorEnv(game, number)
    assert data_equivalence(env.reset()[0], twin.reset(seed=1)[0])


def test_seats_of_a_learner(game: Game, scale: Scale) -> None:
    """The learner moves first, second, in turn, or in a random seat."""
    number = max(20, scale(800))
    plies = {}
    for seat in ("first", "second", "alternate", "random"):
        env = OpponentVectorEnv(game, number, seat=seat)
        plies[seat] = [env.reset(seed=1)[1]["ply"].tolist() for _ in range(2)]
        plies[seat] += [env.reset()[1]["ply"].tolist() for _ in range(2)]
    assert plies["first"] == [[0] * number] * 4
    assert plies["second"] == [[1] * number] * 4
    assert plies["alternate"] == [[k] * number for k in (0, 0, 1, 0)]
    assert plies["random"][0] == plies["random"][1] != plies["random"][2]
    for drawn in plies["random"]:
        assert set(drawn) == {0, 1}
        assert abs(sum(drawn) - number / 2) < 5 * (number / 4) ** 0.5


@pytest.mark.parametrize("opponent", ["random", "greedy", "outside kernels"])
def test_seeds_with_an_opponent(
    game: Game, opponent: str, monkeypatch: pytest.MonkeyPatch, scale: Scale
) -> None:
    """A seed decides all games to come; it deals what it deals everywhere."""
    monkeypatch.setitem(AGENTS, "outside kernels", "mammalath_env.agents:RandomAgent")
    runs, steps = [], scale(40)
    for seed in (4, 4, 5):
        env = OpponentVectorEnv(game, 6, opponent=opponent, seat="first")
        run: list[Any] = [env.reset(seed=seed)[1]["player"]]
        assert env.positions() == [game.deal(seed + k) for k in range(6)]
        run.extend(env.step(env.action_masks().argmax(axis=1))[:4] for _ in range(steps))
        runs.append(run)
    assert data_equivalence(runs[0], runs[1])
    assert not data_equivalence(runs[0], runs[2])


def test_options_of_reset(game: Game) -> None:
    """The first player, which lanes to reset, and positions to start from."""
    env = SelfPlayVectorEnv(game, 40)
    drawn = env.reset(seed=1)[1]["to_move"]
    assert set(drawn.tolist()) == {0, 1}
    for player in (0, 1):
        _, info = env.reset(seed=1, options={"first_player": player, "unknown": 3})
        assert (info["to_move"] == player).all()
    mask = np.zeros(40, np.bool_)
    mask[[3, 17]] = True
    env.random_step()
    before = env.positions()
    start, end = game.deal(5), game.deal(6)
    while not end.is_over:
        end = end.play(end.legal_actions()[0])
    options = {"reset_mask": mask, "positions": [start.to_text(), end]}
    observation, info = env.reset(options=options)
    assert env.positions([17, 3]) == [end, start]
    others = np.flatnonzero(~mask).tolist()
    assert env.positions(others) == [before[lane] for lane in others]
    assert observation["action_mask"][17].sum() == 0
    assert (observation["action_mask"][3] == start.action_mask()).all()
    assert (info["ply"][others] == 1).all()
    assert options["reset_mask"] is mask


@pytest.mark.parametrize("mode", MODES)
def test_lanes_that_start_at_the_end(game: Game, mode: AutoresetMode) -> None:
    """A lane reset to a finished position deals its next game in the step after."""
    end = game.deal(6)
    while not end.is_over:
        end = end.play(end.legal_actions()[0])
    env = SelfPlayVectorEnv(game, 2, autoreset_mode=mode)
    env.reset(seed=8, options={"positions": [end, game.deal(1)]})
    observation, reward, terminated, _, info = env.random_step()
    assert info["ply"].tolist() == [0, 1]
    assert not reward.any()
    assert not terminated.any()
    assert env.positions([0]) == [game.deal(8)]
    assert observation["action_mask"][0].any()


def test_batches_leave_global_generators_alone(game: Game) -> None:
    """Nothing reads or moves the generators of Python and NumPy."""
    seen = []
    for seed in (1, 2):
        seed_globals(seed)
        before = state_of_globals()
        env = SelfPlayVectorEnv(game, 4)
        env.reset(seed=1)
        seen.append([env.random_step()[0]["observation"].tobytes() for _ in range(40)])
        SelfPlayVectorEnv(game, 4).reset()
        assert state_of_globals() == before
    assert seen[0] == seen[1]


# Copies, and how much memory there is


def play(env: Any, steps: int) -> bytes:
    """Play on in a way that depends on what is seen, and return all that was seen."""
    seen = b""
    for _ in range(steps):
        if isinstance(env, SelfPlayVectorEnv):
            result: Any = env.random_step()
        else:
            result = env.step(env.action_masks().argmax(axis=1))
        seen += b"".join(array.tobytes() for _, array in sorted(arrays(result).items()))
    return seen


@pytest.mark.parametrize("kind", [SelfPlayVectorEnv, OpponentVectorEnv])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "copier", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
)
def test_copies_of_a_batch_are_independent(
    game: Game, kind: Any, mode: AutoresetMode, copier: Callable[[Any], Any]
) -> None:
    """A copy continues as the original does, and neither disturbs the other."""
    env = kind(game, 5, autoreset_mode=mode)
    assert copier(env).reset(seed=1)[0].keys() == {"observation", "action_mask"}
    env.reset(seed=2)
    play(env, 7)
    twin, untouched = copier(env), copier(env)
    assert type(twin) is type(env)
    assert twin.positions() == env.positions()
    seen = play(twin, 60)
    assert untouched.positions() == copier(untouched).positions() == env.positions()
    assert play(env, 60) == seen
    assert play(untouched, 60) == seen
    assert twin.reset()[0]["observation"].tobytes() == env.reset()[0]["observation"].tobytes()


def test_a_lane_takes_at_most_700_bytes() -> None:
    """State, observation and mask together stay below the bound."""
    env = SelfPlayVectorEnv("mammalath", 64)
    observation, _ = env.reset()
    kept = [*env._lanes, env._side_streams, *observation.values()]
    assert sum(array.nbytes for array in kept) <= 700 * 64


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_memory_stays_flat(mode: AutoresetMode, flag: bool, scale: Scale) -> None:
    """Memory does not grow over thousands of steps."""
    env = SelfPlayVectorEnv("mammalath", 16, autoreset_mode=mode, copy=flag)
    env.reset(seed=1)
    sizes = []
    tracemalloc.start()
    try:
        for _ in range(4):
            for _ in range(scale(800)):
                env.random_step()
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert sizes[-1] - sizes[1] < 4_000
