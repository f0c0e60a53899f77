"""Starting games: options of `reset`, seeds, and setting the position."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import pytest

from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.aec import BoardGameEnv
from tests.envs.play import (
    MakeEnv,
    another_game,
    constructor,
    drain,
    play_to_end,
    random_game,
    snapshot,
    text_of_another_game,
)
from tests.generators import seed_globals, state_of_globals

SEEDS = (0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, 2**64, 2**200, np.int64(7), np.uint64(2**63))
BAD_SEEDS = [
    (-1, ValueError),
    (np.int64(-3), ValueError),
    (1.0, TypeError),
    ("7", TypeError),
    (True, TypeError),
    ([1], TypeError),
]
BAD_OPTIONS = [
    ("first_player", 2, ValueError),
    ("first_player", -1, ValueError),
    ("first_player", "black", TypeError),
    ("first_player", 0.0, TypeError),
    ("position", "", ValueError),
    ("position", "no position", ValueError),
    ("position", 7, TypeError),
    ("position", [[0]], TypeError),
]


def deals(env: BoardGameEnv, number: int) -> list[Position]:
    """Return the first positions of `number` games that follow without a seed."""
    found = []
    for _ in range(number):
        env.reset()
        found.append(env.position)
    return found


def bad_positions(env: BoardGameEnv) -> list[Position | str]:
    """Return positions and texts that `env` must refuse."""
    broken = env.position.row
    broken[1:] = ~np.uint64(0)
    return [
        text_of_another_game(env),
        constructor(another_game(env))().game.deal(0),
        Position(env.game, broken),
    ]


# Options


@pytest.mark.parametrize("first", [0, 1, np.int64(1)])
def test_first_player_can_be_chosen(make_env: MakeEnv, first: int) -> None:
    """The option says who moves first, whatever the seed would draw."""
    env = make_env()
    for seed in range(10):
        env.reset(seed=seed, options={"first_player": first})
        assert env.position.to_move == first
        assert env.agent_selection == f"player_{first}"
        env.reset(options={"first_player": first})
        assert env.agent_selection == f"player_{first}"


@pytest.mark.parametrize("options", [None, {}, {"first_player": None}])
def test_first_player_is_drawn_otherwise(make_env: MakeEnv, options: dict[str, Any] | None) -> None:
    """Both agents begin about as often."""
    env = make_env()
    env.reset(seed=5)
    first = []
    for _ in range(400):
        env.reset(options=options)
        first.append(env.agent_selection)
    # Five standard deviations of 400 fair draws.
    assert 150 < first.count("player_0") < 250


def test_first_player_does_not_change_the_deals(make_env: MakeEnv) -> None:
    """Whoever begins, the seed gives the same deal and the same ones after it."""
    envs = []
    for first in (None, 0, 1):
        env = make_env()
        env.reset(seed=3, options={"first_player": first})
        assert env.position == env.game.deal(3, first_player=first)
        envs.append(env)
    later = [deals(env, 3) for env in envs]
    assert later[0] == later[1] == later[2]


@pytest.mark.parametrize("as_text", [False, True])
def test_position_can_be_given(env: BoardGameEnv, rng: random.Random, as_text: bool) -> None:
    """A game starts at any position, running or finished, with flags to match and no rewards."""
    other = copy.deepcopy(env)
    for position in random_game(env, rng):
        other.reset(options={"position": position.to_text() if as_text else position})
        assert other.position == position
        assert other.agents == other.possible_agents
        assert other.agent_selection == f"player_{position.to_move}"
        assert set(other.terminations.values()) == {position.is_over}
        assert set(other.truncations.values()) == {False}
        assert set(other.rewards.values()) == {0.0}
        assert other.last()[1] == 0.0
        assert other.infos["player_0"]["ply"] == position.ply
        for agent in other.agents:
            mask = other.observe(agent)["action_mask"]
            if agent == other.agent_selection:
                assert (mask == position.action_mask()).all()
            else:
                assert not mask.any()
    # The loop has left it at a finished position, which pays nothing.
    assert drain(other) == {"player_0": 0.0, "player_1": 0.0}


def test_given_positions_play_on(env: BoardGameEnv, rng: random.Random) -> None:
    """A game from a given position can be played to its end, with rewards."""
    positions = list(random_game(env, rng))
    middle = positions[len(positions) // 2]
    env.reset(options={"position": middle})
    last = play_to_end(env, rng)
    assert last.outcome is not None
    assert drain(env) == dict(zip(env.possible_agents, last.outcome.returns, strict=True))


def test_given_positions_leave_the_stream_of_deals(make_env: MakeEnv) -> None:
    """Games from given positions in between do not change the deals."""
    plain, other = make_env(), make_env()
    plain.reset(seed=4)
    other.reset(seed=4)
    text = other.position.to_text()
    other.reset(options={"position": text})
    other.position = other.position
    assert deals(other, 3) == deals(plain, 3)


def test_a_seed_counts_with_a_given_position_too(make_env: MakeEnv) -> None:
    """The seed starts the stream although the first game needs no deal."""
    streams = []
    for junk in (11, 12):
        env = make_env()
        env.reset(seed=junk)
        env.reset(seed=8, options={"position": env.game.deal(0)})
        assert env.position == env.game.deal(0)
        streams.append(deals(env, 3))
    assert streams[0] == streams[1]


def test_unknown_options_are_ignored(make_env: MakeEnv) -> None:
    """Options that other libraries pass are ignored."""
    env = make_env()
    env.reset(seed=6, options={"options": 1, "reset_mask": 7})
    assert env.position == env.game.deal(6)


@pytest.mark.parametrize(("key", "value", "error"), BAD_OPTIONS)
def test_bad_options_change_nothing(
    env: BoardGameEnv, key: str, value: object, error: type[Exception]
) -> None:
    """A bad option is refused, and neither the game nor later deals change."""
    env.step(env.position.legal_actions()[0])
    before = snapshot(env)
    with pytest.raises(error) as info:
        env.reset(seed=9, options={key: value})
    assert repr(value) in str(info.value)
    assert snapshot(env) == before


def test_impossible_positions_change_nothing(env: BoardGameEnv) -> None:
    """Positions of other games and rows that no game reaches are refused."""
    env.step(env.position.legal_actions()[0])
    before = snapshot(env)
    for position in bad_positions(env):
        with pytest.raises(ValueError, match="position"):
            env.reset(seed=9, options={"position": position})
        assert snapshot(env) == before
        with pytest.raises(ValueError, match="position"):
            env.position = position
        assert snapshot(env) == before


@pytest.mark.parametrize(("seed", "error"), BAD_SEEDS)
def test_bad_seeds_change_nothing(env: BoardGameEnv, seed: Any, error: type[Exception]) -> None:
    """A bad seed starts no game and no stream."""
    before = snapshot(env)
    for options in (None, {"position": env.game.deal(0)}):
        with pytest.raises(error, match="seed") as info:
            env.reset(seed=seed, options=options)
        assert str(seed) in str(info.value)
        assert snapshot(env) == before


# Seeds


@pytest.mark.parametrize("seed", SEEDS)
def test_any_seed_from_0_gives_one_deal(make_env: MakeEnv, seed: int) -> None:
    """The same seed gives the same deal, in other environments and again in the same one."""
    env, other = make_env(), make_env()
    env.reset(seed=seed)
    other.reset(seed=seed)
    assert env.position == other.position == env.game.deal(seed)
    first = deals(env, 3)
    env.reset(seed=seed)
    assert env.position == env.game.deal(seed)
    assert deals(env, 3) == first


def test_seeds_give_different_streams(make_env: MakeEnv) -> None:
    """All bits of a seed count, and neighbouring ones do not give shifted streams."""
    seeds = (0, 1, 2, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 2**200)
    streams = []
    for seed in seeds:
        env = make_env()
        env.reset(seed=seed)
        # In some games only the first player is random, so that many deals are compared.
        streams.append((env.position, *deals(env, 40)))
    assert len(set(streams)) == len(seeds)
    assert not any(a[1:] == b[:-1] for a in streams for b in streams)


def test_later_games_continue_the_stream(make_env: MakeEnv, rng: random.Random) -> None:
    """Two environments agree over ten games after one seed, however their games go."""
    env, other = make_env(), make_env()
    env.reset(seed=10)
    other.reset(seed=10)
    found = []
    for _ in range(10):
        play_to_end(env, rng)
        env.reset()
        other.reset()
        assert env.position == other.position
        found.append(env.position)
    assert len(set(found)) > 1


def test_environments_without_a_seed_differ(make_env: MakeEnv) -> None:
    """Without a seed, the operating system gives one."""
    streams = []
    for _ in range(4):
        env = make_env()
        streams.append(tuple(deals(env, 64)))
    assert len(set(streams)) == 4


def test_resets_leave_global_generators_alone(make_env: MakeEnv) -> None:
    """Nothing depends on the generators of Python and NumPy, or moves them on."""
    games = []
    for junk in (1, 2):
        seed_globals(junk)
        before = state_of_globals()
        env = make_env()
        env.reset(seed=12)
        game = list(random_game(env, random.Random(0)))
        env.reset()
        games.append([*game, env.position])
        assert state_of_globals() == before
    assert games[0] == games[1]


# The property `position`


@pytest.mark.parametrize("as_text", [False, True])
def test_position_can_be_set(
    env: BoardGameEnv, make_env: MakeEnv, rng: random.Random, as_text: bool
) -> None:
    """Setting a position is starting a game from it, before the first `reset` too."""
    for position in list(random_game(env, rng)):
        for other in (env, make_env(render_mode="ansi")):
            expected = copy.deepcopy(other)
            expected.reset(options={"position": position})
            other.position = position.to_text() if as_text else position
            assert snapshot(other) == snapshot(expected)
            assert other.position == position


def test_position_is_a_value(env: BoardGameEnv) -> None:
    """A position that was read does not change with later steps."""
    start = env.position
    text = start.to_text()
    env.step(start.legal_actions()[0])
    assert start.to_text() == text
    assert env.position == start.play(start.legal_actions()[0])
    # A row is a copy, also for whoever writes to it.
    before = env.position
    env.position.row[:] = 0
    assert env.position == before


@pytest.mark.parametrize("position", [None, 3, b"text"])
def test_position_refuses_other_types(env: BoardGameEnv, position: Any) -> None:
    """Whatever is neither a position nor a text is a TypeError that names it."""
    before = snapshot(env)
    with pytest.raises(TypeError, match=repr(position)):
        env.position = position
    assert snapshot(env) == before


def test_swap_rule_is_an_option() -> None:
    """Without the swap rule the last action does not exist, and positions do not mix."""
    env, plain = constructor("mammalath")(), constructor("mammalath")(swap_rule=False)
    assert env.action_space("player_0").n == 123
    assert plain.action_space("player_0").n == 122
    for one in (env, plain):
        one.reset(seed=1)
        one.step(0)
        assert one.observe(one.agent_selection)["action_mask"].shape == (one.game.num_actions,)
    assert env.observe(env.agent_selection)["action_mask"][122] == 1
    with pytest.raises(ValueError, match="swap_rule=False"):
        plain.position = env.position
    plain.step(122)
    assert plain.terminations == {"player_0": True, "player_1": True}


def test_game_objects_can_be_given(game: Game) -> None:
    """The class takes a game instead of its name, but then no options of games."""
    env = BoardGameEnv(game)
    assert env.game is game
    with pytest.raises(TypeError, match="name of a game"):
        BoardGameEnv(game, swap_rule=False)
