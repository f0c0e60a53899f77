"""Opponents inside: one seat of many games at once, and what one game has in common with it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from numpy.typing import NDArray

from mammalath_env.agents import GreedyAgent, RandomAgent
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.opponents import Opponent
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.envs.spaces import FORMS
from tests.envs.test_single_agent import IDS
from tests.games.random_play import random_games

Scale = Callable[[int], int]
Make = Callable[..., VectorEnv[Any, Any, Any]]

MODES = list(AutoresetMode)
DISABLED = AutoresetMode.DISABLED


def first_legal(observation: Any, masks: NDArray[Any]) -> NDArray[np.int64]:
    """Play the first legal action in every lane."""
    return np.asarray(masks.argmax(axis=-1))


OPPONENTS: list[Opponent] = ["random", "greedy", RandomAgent(1), GreedyAgent(1), first_legal]
IDS_OF_OPPONENTS = ["random", "greedy", "random agent", "greedy agent", "function"]


@pytest.fixture(params=["one by one", "batch"])
def make(request: pytest.FixtureRequest, game: Game) -> Make:
    """Two lanes: environments side by side, or a batch."""

    def one_by_one(**options: Any) -> VectorEnv[Any, Any, Any]:
        singles = [lambda: SingleAgentEnv(game, **options)] * 2
        return SyncVectorEnv(singles, autoreset_mode=DISABLED)

    def batch(**options: Any) -> VectorEnv[Any, Any, Any]:
        return OpponentVectorEnv(game, 2, autoreset_mode=DISABLED, **options)

    return batch if request.param == "batch" else one_by_one


def choose(env: OpponentVectorEnv, rng: random.Random) -> NDArray[np.int64]:
    """Return a random legal action of every lane, 0 where there is none."""
    masks = env.action_masks()
    return np.array([rng.choice(np.flatnonzero(mask).tolist() or [0]) for mask in masks])


def state(env: OpponentVectorEnv) -> list[bytes]:
    """Return all state that decides later steps, except an agent's own draws."""
    seating = env._seating
    arrays = [*env._lanes, seating.player, seating.games, seating.streams]
    return [array.tobytes() for array in arrays]


# For one environment and for many


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"opponent": "strong"}, ValueError, r"'strong'.*'random'.*'greedy'"),
        ({"opponent": 3}, TypeError, "an opponent must be the name of an agent"),
        ({"opponent": None}, TypeError, "an opponent must be the name of an agent"),
        ({"seat": "third"}, ValueError, r"'third'.*'first'.*'second'.*'alternate'.*'random'"),
        ({"observation": "image"}, ValueError, r"'image'.*'dict'.*'planes'.*'flat'"),
        ({"illegal_action": "ignore"}, ValueError, r"'ignore'.*'terminate'.*'raise'"),
        ({"illegal_reward": "bad"}, TypeError, "illegal_reward must be a number"),
        ({"channels_first": 1}, TypeError, "channels_first must be True or False"),
        ({"swap_rule": True}, TypeError, "options go with the name of a game"),
    ],
)
def test_impossible_options_are_refused(
    make: Make, options: dict[str, Any], kind: Any, message: str
) -> None:
    """The message names the option and the choices there are."""
    with pytest.raises(kind, match=message):
        make(**options)


def decided_by_reply(game: Game) -> tuple[Position, int, int]:
    """Return a position, an action, and a reply to it that wins."""
    for positions, actions in random_games(game, 400, seed=5):
        outcome = positions[-1].outcome
        assert outcome is not None
        movers = [position.to_move for position in positions[-3:-1]]
        if len(movers) == 2 and movers[0] != movers[1] == outcome.winner:
            return positions[-3], actions[-2], actions[-1]
    raise AssertionError("nobody has won with the last action")


def begin_at(env: VectorEnv[Any, Any, Any], position: Position) -> None:
    """Begin at `position` in both lanes."""
    batch = isinstance(env, OpponentVectorEnv)
    env.reset(options={"positions": [position.to_text()] * 2} if batch else {"position": position})


def test_a_loss_arrives_at_once(make: Make, game: Game) -> None:
    """The step whose reply ends the game pays for it, and says that it ended."""
    position, action, reply = decided_by_reply(game)
    env = make(opponent=lambda observation, mask: mask.sum(-1) * 0 + reply, seat="first")
    begin_at(env, position)
    _, reward, terminated, truncated, info = env.step(np.array([action] * 2))
    assert reward.tolist() == [-1, -1]
    assert terminated.all()
    assert not truncated.any()
    outcome = position.play(action).play(reply).outcome
    assert outcome is not None
    assert (info["termination"] == int(outcome.termination)).all()
    assert not info["action_mask"].any()
    assert (info["player"] == position.to_move).all()


def test_a_win_arrives_at_once(make: Make, game: Game) -> None:
    """The learner's last action is paid without a reply."""
    position, action, reply = decided_by_reply(game)
    env = make(opponent=lambda observation, mask: mask.sum(-1) * 0 + action, seat="second")
    begin_at(env, position)
    _, reward, terminated, _, info = env.step(np.array([reply] * 2))
    assert reward.tolist() == [1, 1]
    assert terminated.all()
    assert (info["player"] != position.to_move).all()


@pytest.mark.parametrize("seat", ["first", "second"])
def test_where_games_begin(make: Make, game: Game, seat: str) -> None:
    """Options of `reset` say who begins and where."""
    env = make(seat=seat)
    for player in (0, 1):
        _, info = env.reset(options={"first_player": player, "unknown": 1})
        assert (info["player"] == (player if seat == "first" else 1 - player)).all()
        assert (info["ply"] == (seat == "second")).all()
    position = game.deal(8).play(3)
    begin_at(env, position)
    observation, *_, info = env.step(np.array([-1, -1]))
    assert (info["player"] == position.to_move ^ (seat == "second")).all()
    assert (info["ply"] == position.ply + (seat == "second")).all()
    if seat == "first":
        expected = position.observation(position.to_move)
        assert (observation["observation"] == expected).all()


# Batches


def test_make_vec_builds_the_batch_of_every_game(game: Game) -> None:
    """`gymnasium.make_vec` finds the batch of every game and passes options on."""
    env = gymnasium.make_vec(
        IDS[game.name],
        num_envs=12,
        vectorization_mode="vector_entry_point",
        opponent="greedy",
        seat="second",
        observation="flat",
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    assert isinstance(env.unwrapped, OpponentVectorEnv)
    assert env.unwrapped.game == game
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observation, info = env.reset(seed=1)
    assert observation.shape == (12, int(np.prod(game.observation_shape)))
    assert (info["ply"] == 1).all()
    usual = gymnasium.make_vec(IDS[game.name], num_envs=2, vectorization_mode="vector_entry_point")
    assert usual.reset()[0]["action_mask"].shape == (2, game.num_actions)


@pytest.mark.parametrize("opponent", OPPONENTS, ids=IDS_OF_OPPONENTS)
@pytest.mark.parametrize("mode", MODES)
def test_steps_agree_with_positions(
    game: Game, mode: AutoresetMode, opponent: Opponent, scale: Scale
) -> None:
    """The learner is to move or the game is over; rewards are the changes of the return."""
    env, rng = OpponentVectorEnv(game, 9, opponent=opponent, autoreset_mode=mode), random.Random(1)
    _, info = env.reset(seed=1)
    over, num_ends = np.zeros(9, np.bool_), 0
    for step in range(max(4, scale(80))):
        before, players, actions = env.positions(), info["player"], choose(env, rng)
        illegal = (np.array([rng.random() for _ in range(9)]) < 0.01) & ~over
        illegal[0] |= step == 1 and not over[0]
        actions[illegal] = game.num_actions
        observation, reward, terminated, _, info = env.step(actions)
        num_ends += int(terminated.sum())
        same_step = mode is AutoresetMode.SAME_STEP
        for k, position in enumerate(env.positions()):
            fresh = over[k] or (terminated[k] and same_step)
            if illegal[k]:
                assert (reward[k], terminated[k]) == (-1, True)
                assert same_step or info["termination"][k] == -1
            elif over[k]:
                assert (reward[k], terminated[k], info["winner"][k]) == (0, False, -1)
            elif not (terminated[k] and same_step):
                # The learner's action and one reply, or the action that ended the game.
                assert position.ply - before[k].ply in ((1, 2) if position.is_over else (2,))
                gains = [each.return_so_far(players[k]) for each in (before[k], position)]
                assert reward[k] == gains[1] - gains[0]
                assert terminated[k] == position.is_over
            if fresh:
                assert position.ply in (0, 1)
            else:
                assert info["player"][k] == players[k]
            done = terminated[k] and not same_step
            player = info["player"][k]
            assert done or position.to_move == player
            assert info["ply"][k] == position.ply
            mask = np.zeros(game.num_actions) if done else position.action_mask()
            for each in (observation, info):
                assert np.array_equal(each["action_mask"][k], mask)
            assert np.array_equal(env.action_masks()[k], mask)
            assert np.array_equal(observation["observation"][k], position.observation(player))
            if terminated[k] and not illegal[k]:
                won = {players[k]: 1, 1 - players[k]: -1, 2: 0}
                assert reward[k] == won[info["winner"][k]]
        assert ("final_obs" in info) == (same_step and bool(terminated.any()))
        over = terminated & (not same_step)
        if mode is DISABLED and over.any():
            _, info = env.reset(options={"reset_mask": over.copy()})
            over[:] = False
    assert num_ends > 0


@pytest.mark.parametrize("form", FORMS)
def test_forms_and_last_observations(game: Game, form: str, scale: Scale) -> None:
    """All forms are in their spaces, and the same-step mode keeps what was seen at the end."""
    options: dict[str, Any] = {"opponent": "greedy", "observation": form}
    same = OpponentVectorEnv(game, 7, autoreset_mode="SameStep", **options)
    alone = OpponentVectorEnv(game, 7, autoreset_mode="Disabled", **options)
    seen, _ = same.reset(seed=6)
    assert data_equivalence(seen, alone.reset(seed=6)[0])
    rng = random.Random(1)
    for step in range(max(3, scale(40))):
        actions = choose(same, rng)
        if step == 1:  # an illegal action ends the games of all lanes
            actions[:] = game.num_actions
        seen, reward, terminated, _, info = same.step(actions)
        expected, expected_reward, ended, _, expected_info = alone.step(actions)
        assert same.observation_space.contains(seen)
        assert np.array_equal(reward, expected_reward)
        assert np.array_equal(terminated, ended)
        for k in np.flatnonzero(ended):
            if form == "dict":
                last = {name: array[k] for name, array in expected.items()}
            else:
                last = expected[k]
            assert data_equivalence(info["final_obs"][k], last)
            for name in ("player", "ply", "winner", "termination"):
                assert info["final_info"][name][k] == expected_info[name][k]
        if ended.any():
            assert np.array_equal(info["_final_obs"], ended)
            expected, _ = alone.reset(options={"reset_mask": ended.copy()})
        assert data_equivalence(seen, expected)


@pytest.mark.parametrize("opponent", OPPONENTS[:4], ids=IDS_OF_OPPONENTS[:4])
def test_replies_are_legal_and_greedy_ones_win(
    game: Game, opponent: Opponent, scale: Scale
) -> None:
    """Replies are legal, and the greedy opponent wins at once wherever it can."""
    env = OpponentVectorEnv(game, 8, opponent=opponent, seat="first", autoreset_mode=DISABLED)
    # In half of the lanes, the first reply can win.
    start, action, _ = decided_by_reply(game)
    env.reset(seed=1, options={"positions": [start] * 4 + [game.deal(k) for k in range(4)]})
    rng, missed, taken = random.Random(1), 0, 0
    for step in range(scale(40)):
        before, actions = env.positions(), choose(env, rng)
        if step == 0:
            actions[:4] = action
        _, reward, terminated, _, _ = env.step(actions)
        for position, chosen, after in zip(before, actions, env.positions(), strict=True):
            replied = position.play(int(chosen))
            if not replied.is_over:
                results = [replied.play(reply) for reply in replied.legal_actions()]
                assert after in results
                wins = [each for each in results if each.return_so_far(replied.to_move) > 0]
                taken += after in wins
                missed += bool(wins) and after not in wins
        assert (terminated >= (reward != 0)).all()
        if terminated.any():
            env.reset(options={"reset_mask": terminated.copy()})
    if opponent == "greedy" or isinstance(opponent, GreedyAgent):
        assert missed == 0
        assert taken >= 4


@pytest.mark.parametrize("form", FORMS)
def test_a_function_sees_the_lanes_in_which_it_moves(game: Game, form: str) -> None:
    """It gets the opponent's view of these lanes, in the learner's form."""
    sizes: set[int] = set()

    def spy(observation: Any, masks: NDArray[Any]) -> NDArray[np.int64]:
        positions = [env._position(lane) for lane in range(5)]
        waiting = [
            positions[lane]
            for lane in range(5)
            if not env._lanes.over[lane] and positions[lane].to_move != env._seating.player[lane]
        ]
        sizes.add(len(waiting))
        assert masks.dtype == np.bool_
        assert np.array_equal(masks, [position.action_mask() for position in waiting])
        if form == "dict":
            assert np.array_equal(observation["action_mask"], masks)
            assert observation["action_mask"].dtype == np.int8
            observation = observation["observation"]
        expected = np.array([position.observation(position.to_move) for position in waiting])
        shape = (len(waiting), -1) if form == "flat" else expected.shape
        assert np.array_equal(observation, expected.reshape(shape))
        choice = first_legal(observation, masks)
        observation[...] = 1
        masks[...] = True
        return choice

    env, rng = OpponentVectorEnv(game, 5, opponent=spy, observation=form), random.Random(1)
    env.reset(seed=2)
    for _ in range(40):
        env.step(choose(env, rng))
    assert len(sizes) > 1
    assert 0 not in sizes


@pytest.mark.parametrize("mode", MODES[:2])
def test_record_episode_statistics(game: Game, mode: AutoresetMode) -> None:
    """Gymnasium's wrapper adds up rewards and counts steps."""
    inner = OpponentVectorEnv(game, 6, autoreset_mode=mode)
    env, rng = RecordEpisodeStatistics(inner), random.Random(1)
    env.reset(seed=1)
    num_ends = 0
    for _ in range(80):
        _, reward, terminated, _, info = env.step(choose(inner, rng))
        if terminated.any():
            num_ends += int(terminated.sum())
            assert np.array_equal(info["episode"]["r"][terminated], reward[terminated])
            assert (info["episode"]["l"][terminated] > 0).all()
    assert env.episode_count == num_ends > 0
