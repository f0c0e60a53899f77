"""Bad input to the batched environments: a clear error, and no lane has changed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeAlias

import gymnasium
import numba
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs import lanes, opponent_lanes
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.playouts import random_playouts
from mammalath_env.envs.vector import SelfPlayVectorEnv
from mammalath_env.games import make_game
from mammalath_env.games.mancala.game import MancalaGame

ResetNeeded = gymnasium.error.ResetNeeded
LaneEnv: TypeAlias = SelfPlayVectorEnv | OpponentVectorEnv
Make = Callable[..., LaneEnv]

LANES = 5


@pytest.fixture(params=[SelfPlayVectorEnv, OpponentVectorEnv])
def make(request: pytest.FixtureRequest, game: Game) -> Make:
    """Both batched environments for every game."""
    return lambda num_envs=LANES, **options: request.param(game, num_envs, **options)


def state(env: LaneEnv) -> list[bytes]:
    """Return all state that decides later steps."""
    arrays: list[NDArray[Any]] = list(env._lanes)
    if isinstance(env, SelfPlayVectorEnv):
        arrays.append(env._side_streams)
    else:
        arrays.extend([env._seating.player, env._seating.games, env._seating.streams])
    return [array.tobytes() for array in arrays]


def legal(env: LaneEnv) -> NDArray[np.int64]:
    """Return the last legal action of every lane, which ends no game early on."""
    return np.array([position.legal_actions()[-1] for position in env.positions()])


def started(make: Make, **options: Any) -> LaneEnv:
    """Return a batch in the middle of its games."""
    env = make(**options)
    env.reset(seed=3)
    for _ in range(2):
        env.step(legal(env))
    return env


# Constructors


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"num_envs": 0}, ValueError, "num_envs must be at least 1, not 0"),
        ({"num_envs": -3}, ValueError, "num_envs must be at least 1, not -3"),
        ({"num_envs": 4.0}, TypeError, "num_envs must be an integer, not 4.0"),
        ({"num_envs": "4"}, TypeError, "num_envs must be an integer, not '4'"),
        ({"num_envs": True}, TypeError, "num_envs must be an integer, not True"),
        ({"num_envs": None}, TypeError, "num_envs must be an integer, not None"),
        ({"num_threads": 0}, ValueError, "num_threads must be at least 1, not 0"),
        ({"num_threads": -1}, ValueError, "num_threads must be at least 1, not -1"),
        ({"autoreset_mode": "sometimes"}, ValueError, "'sometimes'.*'NextStep'"),
        ({"autoreset_mode": None}, ValueError, "autoreset_mode"),
        ({"illegal_action": "ignore"}, ValueError, "'ignore'.*'terminate'.*'raise'"),
        ({"illegal_reward": "much"}, TypeError, "illegal_reward must be a number, not 'much'"),
        ({"channels_first": 1}, TypeError, "channels_first must be True or False, not 1"),
        ({"swap_rule": True}, TypeError, "options go with the name of a game"),
    ],
)
def test_impossible_options_of_batches_are_refused(
    make: Make, options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    """The message names the option and the choices there are."""
    with pytest.raises(kind, match=message):
        make(**options)


@pytest.mark.parametrize("kind", [SelfPlayVectorEnv, OpponentVectorEnv])
def test_unknown_games_of_batches_are_refused(kind: Any) -> None:
    """Unknown games and options of games are refused, with those that exist."""
    with pytest.raises(ValueError, match=r"'chess'.*'mammalath'"):
        kind("chess", 2)
    with pytest.raises(TypeError, match=r"'colour'.*'swap_rule'"):
        kind("mammalath", 2, colour="red")
    with pytest.raises(ValueError, match="None"):
        kind(None, 2)


@pytest.mark.parametrize("mode", [*AutoresetMode, *(mode.value for mode in AutoresetMode)])
def test_modes_as_text(make: Make, mode: AutoresetMode | str) -> None:
    """Modes may be given as Gymnasium's values too."""
    assert make(autoreset_mode=mode).metadata["autoreset_mode"] is AutoresetMode(mode)


# Actions


@pytest.mark.parametrize(
    ("actions", "kind", "message"),
    [
        ([0.0] * LANES, TypeError, "actions must be integers, not float64"),
        (np.zeros(LANES, np.float32), TypeError, "actions must be integers, not float32"),
        ([True] * LANES, TypeError, "actions must be integers, not bool"),
        (["0"] * LANES, TypeError, "actions must be integers"),
        ([None] * LANES, TypeError, "actions must be integers"),
        (None, TypeError, "actions must be integers"),
        ([0] * (LANES - 1), ValueError, r"shape \(5,\), not \(4,\)"),
        ([0] * (LANES + 1), ValueError, r"shape \(5,\), not \(6,\)"),
        (0, ValueError, r"shape \(5,\), not \(\)"),
        (np.zeros((LANES, 1), np.int64), ValueError, r"shape \(5,\), not \(5, 1\)"),
        (np.zeros((1, LANES), np.int64), ValueError, r"shape \(5,\), not \(1, 5\)"),
        ([[0, 0]] * LANES, ValueError, r"shape \(5,\), not \(5, 2\)"),
    ],
)
def test_actions_must_be_one_integer_a_lane(
    make: Make, actions: Any, kind: type[Exception], message: str
) -> None:
    """Actions are one integer for each lane."""
    env = started(make)
    before = state(env)
    with pytest.raises(kind, match=message):
        env.step(actions)
    assert state(env) == before


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])
def test_dtypes_of_actions(make: Make, dtype: type[np.generic]) -> None:
    """All integer types and memory layouts are accepted."""
    envs = [started(make) for _ in range(3)]
    actions = legal(envs[0])
    spread = np.zeros((LANES, 2), dtype)
    spread[:, 0] = actions
    frozen = actions.astype(dtype)
    frozen.setflags(write=False)
    given: list[Any] = [frozen, spread[:, 0], actions.tolist()]
    observations = [env.step(each)[0]["observation"] for env, each in zip(envs, given, strict=True)]
    assert all(np.array_equal(each, observations[0]) for each in observations)
    assert state(envs[0]) == state(envs[1]) == state(envs[2])


def test_arrays_of_callers_compile_nothing_again(make: Make) -> None:
    """Numba gives read-only and spread arrays types of their own; kernels get copies of them."""
    env = started(make, illegal_action="raise")
    spread = np.zeros((LANES, 2), np.int64)
    spread[:, 0] = legal(env)
    frozen_mask, spread_mask = np.ones(LANES, np.bool_), np.ones((LANES, 2), np.bool_)
    frozen_mask.setflags(write=False)
    env.step(spread[:, 0])
    for mask in (frozen_mask, spread_mask[:, 0]):
        env.reset(options={"reset_mask": mask})
    frozen = legal(env)
    frozen.setflags(write=False)
    env.step(frozen)
    for kernel in (*vars(lanes).values(), *vars(opponent_lanes).values()):
        # Plain functions, without compilation, have no signatures.
        for signature in getattr(kernel, "signatures", []):
            arrays = [each for each in signature if isinstance(each, numba.types.Array)]
            assert all(array.mutable and array.layout == "C" for array in arrays), signature


@pytest.mark.parametrize(
    "action", [-1, -(2**63), 2**63 - 1, 2**64 - 1, -(2**70), 2**70, "n", "illegal"]
)
@pytest.mark.parametrize("lane", [0, 3])
def test_illegal_actions_that_raise(make: Make, lane: int, action: int | str) -> None:
    """The error names lane, move and position; nothing has moved in any lane."""
    env = started(make, illegal_action="raise")
    while (position := env.positions([lane])[0]).action_mask().all():
        env.step(legal(env))
    refused = int(position.action_mask().argmin())
    assert not position.action_mask()[refused]
    numbers = {"n": env.game.num_actions, "illegal": refused}
    number = numbers[action] if isinstance(action, str) else action
    actions = legal(env)
    # Beyond 64 bits, Python's integers.
    dtype = object if abs(number) > 2**64 else np.uint64 if number > 0 else np.int64
    given: Any = actions.astype(dtype)
    given[lane] = number
    if dtype is object:
        given = given.tolist()
    before = state(env)
    with pytest.raises(IllegalMoveError, match=f"lane {lane}: ") as caught:
        env.step(given)
    message = str(caught.value)
    assert repr(position.to_text()) in message
    if action == "illegal":
        assert env.game.format_move(refused, position) in message
    else:
        assert f"lane {lane}: action {number} is out of range" in message
    assert state(env) == before
    env.step(actions)
    assert state(env) != before


@pytest.mark.parametrize("number", [-(2**63), 2**63 + 5, -(2**70), 2**70])
def test_reasons_name_the_number_that_was_given(make: Make, number: int) -> None:
    """Also where it fits in no array of the kernels."""
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        env = started(make, autoreset_mode=mode)
        actions: list[int] = legal(env).tolist()
        actions[3] = number
        dtype = object if abs(number) > 2**64 else np.uint64 if number > 0 else np.int64
        info = env.step(np.array(actions, dtype))[4]
        assert info["reason"][3] == f"illegal action {number}"


# Order of calls


def test_batches_need_a_reset_first(make: Make) -> None:
    """Nothing but `reset` works without games."""
    env = make()
    actions = np.zeros(LANES, np.int64)
    calls: list[Callable[[], Any]] = [lambda: env.step(actions), env.positions]
    if isinstance(env, SelfPlayVectorEnv):
        calls += [env.random_step, env.draw_actions]
    else:
        calls += [env.action_masks]
    before = state(env)
    for call in calls:
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            call()
    assert state(env) == before


def test_the_first_reset_is_of_all_lanes(make: Make) -> None:
    """A mask of some lanes leaves the others without games; a full one is accepted."""
    env = make()
    mask = np.ones(LANES, np.bool_)
    mask[2] = False
    before = state(env)
    with pytest.raises(ResetNeeded, match="the first reset must be of all lanes"):
        env.reset(seed=1, options={"reset_mask": mask})
    assert state(env) == before
    with pytest.raises(ResetNeeded):
        env.step(np.zeros(LANES, np.int64))
    env.reset(seed=1, options={"reset_mask": np.ones(LANES, np.bool_)})


def test_finished_lanes_without_autoreset(make: Make) -> None:
    """They must be reset first, and the error says which they are."""
    env = started(make, autoreset_mode=AutoresetMode.DISABLED)
    actions = legal(env)
    actions[[1, 4]] = -1
    assert env.step(actions)[2].nonzero()[0].tolist() == [1, 4]
    before = state(env)
    with pytest.raises(ResetNeeded, match=r"lanes \[1, 4\] have ended.*reset_mask"):
        env.step(legal(env))
    assert state(env) == before
    if isinstance(env, SelfPlayVectorEnv):
        drawn = copy.deepcopy(env).draw_actions()
        with pytest.raises(ResetNeeded, match=r"lanes \[1, 4\]"):
            env.random_step()
        assert (env.draw_actions() == drawn).all()
    mask = np.array([False, True, False, False, False])
    env.reset(options={"reset_mask": mask})
    with pytest.raises(ResetNeeded, match=r"lanes \[4\]"):
        env.step(legal(env))
    env.reset(options={"reset_mask": np.roll(mask, 3)})
    assert not env.step(legal(env))[2][[1, 4]].any()


def test_lanes_that_do_not_exist(make: Make) -> None:
    """Positions of lanes that do not exist are refused."""
    env = started(make)
    for lane in (LANES, -1):
        with pytest.raises(IndexError):
            env.positions([0, lane])
    with pytest.raises(TypeError):
        env.positions([0.0])  # type: ignore[list-item]


# Reset

NO_MASKS: list[Any] = [
    [True] * LANES,
    True,
    np.ones(LANES, np.int8),
    np.ones(LANES - 1, np.bool_),
    np.ones((LANES, 1), np.bool_),
    np.zeros(LANES, np.bool_),
]


@pytest.mark.parametrize("mask", NO_MASKS)
def test_masks_of_other_shapes_and_types_are_refused(make: Make, mask: Any) -> None:
    """A mask is a bool array that chooses at least one lane."""
    env = started(make)
    before = state(env)
    with pytest.raises(ValueError, match="reset_mask"):
        env.reset(seed=1, options={"reset_mask": mask})
    assert state(env) == before


@pytest.mark.parametrize(
    ("seed", "kind", "message"),
    [
        (-1, ValueError, "a seed must be at least 0, not -1"),
        (1.0, TypeError, "a seed must be an integer, not 1.0"),
        (True, TypeError, "a seed must be an integer, not True"),
        ([1, 2, 3, 4], ValueError, "4 seeds for 5 lanes"),
        ([1, 2, 3, 4, 5, 6], ValueError, "6 seeds for 5 lanes"),
        ([], ValueError, "0 seeds for 5 lanes"),
        ([1, 2, 3, 4, -5], ValueError, "a seed must be at least 0, not -5"),
        ([1, 2, 3, 4, 0.5], TypeError, "a seed must be an integer, not 0.5"),
        ("seeds", TypeError, "a seed must be an integer, not 's'"),
    ],
)
def test_bad_seeds_change_no_lane(
    make: Make, seed: Any, kind: type[Exception], message: str
) -> None:
    """Seeds are checked before any lane has got one."""
    env = started(make)
    before = state(env)
    with pytest.raises(kind, match=message):
        env.reset(seed=seed)
    assert state(env) == before


@pytest.mark.parametrize("first_player", [2, -1, True, "0", "black", 0.5])
def test_first_players_must_be_0_or_1(make: Make, first_player: Any) -> None:
    """Other values are refused; a bool is not an integer."""
    env = started(make)
    before = state(env)
    with pytest.raises(
        ValueError if type(first_player) is int else TypeError, match="first_player"
    ):
        env.reset(seed=1, options={"first_player": first_player})
    assert state(env) == before


def wrong_positions(game: Game) -> list[tuple[Any, type[Exception], str]]:
    """Return impossible values of the option ``positions``, and what is said about them."""
    good = game.deal(1)
    others: list[Game] = [make_game("mammalath"), MancalaGame.mancala(no_capture_limit=7)]
    stranger = next(other for other in others if other != game).deal(1)
    impossible = Position(game, np.full(game.num_words, 2**64 - 1, np.uint64))
    return [
        ([good] * (LANES - 1), ValueError, "must be 5 positions or texts"),
        ([], ValueError, "must be 5 positions or texts"),
        (good, ValueError, "must be 5 positions or texts"),
        ("x" * LANES, ValueError, "must be 5 positions or texts"),
        ([good] * 4 + [5], TypeError, "must be a Position or its text, not 5"),
        ([good] * 4 + ["nonsense"], ValueError, "'nonsense' is not a position of"),
        ([good] * 4 + [stranger], ValueError, "expected a position of"),
        ([good] * 4 + [impossible], ValueError, "is not a position of"),
    ]


def test_bad_positions_change_no_lane(make: Make) -> None:
    """All positions are checked before any lane begins."""
    env = started(make)
    before = state(env)
    for positions, kind, message in wrong_positions(env.game):
        with pytest.raises(kind, match=message):
            env.reset(seed=1, options={"positions": positions})
        assert state(env) == before
    good = env.game.deal(1)
    for one, kind, message in wrong_positions(env.game):
        if isinstance(one, list) and len(one) == LANES:
            with pytest.raises(kind, match=message):
                env.reset(options={"position": one[-1]})
    with pytest.raises(ValueError, match="exclude each other"):
        env.reset(options={"position": good, "positions": [good] * LANES})
    assert state(env) == before
    mask = np.arange(LANES) < 2
    options = {"reset_mask": mask, "positions": [env.game.deal(1)] * LANES}
    with pytest.raises(ValueError, match="must be 2 positions or texts, one for each lane"):
        env.reset(options=options)
    assert state(env) == before


# Playouts


def test_impossible_playouts_are_refused(game: Game) -> None:
    """Impossible numbers, seeds and positions are refused."""
    for number in (0, -1):
        with pytest.raises(ValueError, match=f"num_games must be at least 1, not {number}"):
            random_playouts(game, number)
    with pytest.raises(ValueError, match="num_threads must be at least 1, not 0"):
        random_playouts(game, 3, num_threads=0)
    with pytest.raises(TypeError):
        random_playouts(game, 1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a seed must be at least 0"):
        random_playouts(game, 3, seed=-1)
    with pytest.raises(TypeError, match="a seed must be an integer"):
        random_playouts(game, 3, seed="7")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'go'"):
        random_playouts("go", 3)
    for given, kind, message in wrong_positions(game)[4:]:
        with pytest.raises(kind, match=message):
            random_playouts(game, 3, position=given[-1])
