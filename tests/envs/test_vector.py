"""Batched self-play: every lane is a game played with positions, one action after the other."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

from mammalath_env.core import transition
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.stream import new_stream, next_below, seed_words
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.playouts import random_playouts
from mammalath_env.envs.spaces import observation_space
from mammalath_env.envs.turn import ILLEGAL_TERMINATION
from mammalath_env.envs.vector import SelfPlayVectorEnv
from mammalath_env.games import GAMES, make_game
from mammalath_env.games.mancala.game import MancalaGame
from tests.games.random_play import random_games

Scale = Callable[[int], int]
Arrays = dict[str, NDArray[Any]]

MODES = list(AutoresetMode)
INFOS = ("rewards", "to_move", "ply", "winner", "termination")
WITH_OPTIONS: dict[str, Callable[[], Game]] = {
    "no swap": lambda: make_game("mammalath", swap_rule=False),
    "seeds": lambda: MancalaGame.mancala(capture="chain", no_capture_limit=9, reward="seeds"),
}
DTYPES: dict[str, type[np.generic]] = {
    "observation": np.int8,
    "action_mask": np.int8,
    "reward": np.float64,
    "rewards": np.float64,
    "terminated": np.bool_,
    "truncated": np.bool_,
    "to_move": np.int8,
    "ply": np.int16,
    "winner": np.int8,
    "termination": np.int8,
}


@pytest.fixture(params=[*GAMES, *WITH_OPTIONS])
def game(request: pytest.FixtureRequest) -> Game:
    """Every game of the package, and two with options that change actions and rewards."""
    make = WITH_OPTIONS.get(request.param)
    return make_game(request.param) if make is None else make()


class Lane:
    """The expected behaviour of a lane, from positions and the deals of an AEC environment."""

    def __init__(self, game: Game, seed: int | None, channels_first: bool = False) -> None:
        """Deal the first game."""
        self.game, self.channels_first = game, channels_first
        self.deals = BoardGameEnv(game)
        self.final: dict[str, Any] = {}
        self.deal(seed)

    def deal(self, seed: int | None = None) -> None:
        """Begin the next game."""
        self.deals.reset(seed=seed)
        self.position = self.deals.position
        self.over = False
        self.rest()

    def rest(self) -> None:
        """Note that nobody has moved."""
        self.rewards = 0.0, 0.0
        self.reward, self.terminated, self.winner, self.termination = 0.0, False, -1, 0
        self.reason: str | None = None

    def play(self, action: int, mode: AutoresetMode) -> None:
        """Do what a step should do."""
        if self.over:
            assert mode is AutoresetMode.NEXT_STEP
            self.deal()
            return
        self.rest()
        before, mover = self.position, self.position.to_move
        if action in before.legal_actions():
            self.position = before.play(action)
            gains = [
                self.position.return_so_far(player) - before.return_so_far(player)
                for player in (0, 1)
            ]
            self.rewards = gains[0], gains[1]
            outcome = self.position.outcome
            if outcome is not None:
                self.over = True
                self.winner = 2 if outcome.winner is None else outcome.winner
                self.termination = int(outcome.termination)
        else:
            self.over = True
            self.rewards = (-1.0, 0.0) if mover == 0 else (0.0, -1.0)
            self.winner, self.termination = 1 - mover, ILLEGAL_TERMINATION
            self.reason = f"illegal action {action}"
        self.reward, self.terminated = self.rewards[mover], self.over
        if self.over and mode is AutoresetMode.SAME_STEP:
            self.final = self.seen()
            happened = self.rewards, self.reward, self.winner, self.termination, self.reason
            self.deal()
            self.rewards, self.reward, self.winner, self.termination, self.reason = happened
            self.terminated = True

    def seen(self) -> dict[str, Any]:
        """Return what a step should tell."""
        position = self.position
        mask = np.zeros(self.game.num_actions, np.int8) if self.over else position.action_mask()
        return {
            "observation": position.observation(position.to_move, self.channels_first),
            "action_mask": mask,
            "reward": self.reward,
            "rewards": self.rewards,
            "terminated": self.terminated,
            "truncated": False,
            "to_move": position.to_move,
            "ply": position.ply,
            "winner": self.winner,
            "termination": self.termination,
        }

    def choose(self, rng: random.Random) -> int:
        """Return a legal action, sometimes an illegal one or one out of range."""
        n = self.game.num_actions
        if self.over:
            return rng.choice([0, -1, n, 2**62])
        legal = self.position.legal_actions()
        if rng.random() < 0.99:
            return rng.choice(legal)
        return rng.choice([-1, -n, -(2**63), n, 2**63 - 1, *(set(range(n)) - set(legal))])


def told(env: SelfPlayVectorEnv, result: Sequence[Any]) -> Arrays:
    """Return what `reset` or `step` returned as arrays by name."""
    zeros = np.zeros(env.num_envs)
    if len(result) == 2:
        result = [result[0], zeros, zeros.astype(np.bool_), zeros.astype(np.bool_), result[1]]
    observation, reward, terminated, truncated, info = result
    found = {"reward": reward, "terminated": terminated, "truncated": truncated, **observation}
    return found | {key: value for key, value in info.items() if "final" not in key}


def check(found: Arrays, lanes: Sequence[Lane]) -> None:
    """Compare what an environment tells with what the lanes do."""
    seen = [lane.seen() for lane in lanes]
    check_reasons(found, lanes)
    found = {key: values for key, values in found.items() if "reason" not in key}
    assert found.keys() == DTYPES.keys()
    for name, dtype in DTYPES.items():
        expected = np.array([each[name] for each in seen], dtype)
        assert found[name].dtype == dtype, name
        assert found[name].shape == expected.shape, name
        assert found[name].flags.c_contiguous, name
        assert np.array_equal(found[name], expected), name


def check_reasons(info: Mapping[str, Any], lanes: Sequence[Lane]) -> None:
    """Compare the reasons of illegal actions, of which there is nothing to tell in most steps."""
    reasons = [lane.reason for lane in lanes]
    assert ("reason" in info) == ("_reason" in info) == any(reasons)
    if any(reasons):
        assert info["reason"].tolist() == reasons
        assert info["_reason"].tolist() == [reason is not None for reason in reasons]


def check_final(info: dict[str, Any], lanes: Sequence[Lane]) -> None:
    """Compare what is told of the lanes that ended with what their last positions show."""
    ended = np.array([lane.terminated for lane in lanes])
    if not ended.any():
        return
    assert (info["_final_obs"] == ended).all()
    assert (info["_final_info"] == ended).all()
    final_info = info["final_info"]
    check_reasons(final_info, lanes)
    names = {*INFOS, *(f"_{name}" for name in INFOS)}
    assert set(final_info) - {"reason", "_reason"} == names
    for k, lane in enumerate(lanes):
        if not lane.terminated:
            assert info["final_obs"][k] is None
            continue
        assert info["final_obs"][k].keys() == {"observation", "action_mask"}
        for name, array in info["final_obs"][k].items():
            assert array.dtype == np.int8
            assert (array == lane.final[name]).all()
        for name in INFOS:
            assert np.array_equal(final_info[name][k], lane.final[name]), name
            assert final_info[f"_{name}"][k]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("num_envs", "steps"), [(1, 250), (2, 250), (257, 40)])
def test_lanes_agree_with_positions(
    game: Game, mode: AutoresetMode, num_envs: int, steps: int, scale: Scale
) -> None:
    """All results agree with games played with positions, illegal actions included."""
    rng = random.Random(num_envs)
    channels_first = num_envs == 2
    env = SelfPlayVectorEnv(game, num_envs, autoreset_mode=mode, channels_first=channels_first)
    lanes = [Lane(game, 7 + k, channels_first) for k in range(num_envs)]
    check(told(env, env.reset(seed=7)), lanes)
    # Near the ends of games: their last two plies come first, and illegal actions at the end.
    games = list(itertools.islice(random_games(game, 40), max(4, scale(40))))
    for k, lane in enumerate(lanes):
        lane.position = games[k % len(games)].positions[-3]
    starts = [lane.position.to_text() for lane in lanes]
    check(told(env, env.reset(options={"positions": starts})), lanes)
    ends, number = set(), max(5, scale(steps))
    for step in range(number):
        actions = [lane.choose(rng) for lane in lanes]
        if step < 2:
            actions = [games[k % len(games)].actions[step - 2] for k in range(num_envs)]
        elif step >= number - 2:
            actions = [-1] * num_envs
        for lane, action in zip(lanes, actions, strict=True):
            lane.play(action, mode)
        result = env.step(np.array(actions))
        check(told(env, result), lanes)
        ends |= {lane.termination for lane in lanes}
        if mode is AutoresetMode.SAME_STEP:
            check_final(result[4], lanes)
        over = np.array([lane.over for lane in lanes])
        if mode is AutoresetMode.DISABLED and over.any():
            # Others go on as if nothing had happened.
            for lane in lanes:
                if lane.over:
                    lane.deal()
                lane.rest()
            check(told(env, env.reset(options={"reset_mask": over})), lanes)
    assert env.positions() == [lane.position for lane in lanes]
    assert ILLEGAL_TERMINATION in ends
    assert ends & set(game.termination)


class MoverEnv(gymnasium.Env[Any, Any]):
    """One lane as an environment of its own."""

    def __init__(self, game: Game) -> None:
        """Take the game."""
        self.lane = Lane(game, None)
        self.observation_space: gymnasium.Space[Any] = observation_space(game)
        self.action_space: gymnasium.Space[Any] = gymnasium.spaces.Discrete(game.num_actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal a game."""
        self.lane.deal(seed)
        told = self._told()
        return told[0], told[4]

    def step(self, action: SupportsIndex) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action."""
        self.lane.play(int(action), AutoresetMode.DISABLED)
        return self._told()

    def _told(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        seen = self.lane.seen()
        observation = {name: seen.pop(name) for name in ("observation", "action_mask")}
        reward, terminated = seen.pop("reward"), seen.pop("terminated")
        seen.pop("truncated")
        info: dict[str, Any] = {
            name: np.asarray(value, DTYPES[name])[()] for name, value in seen.items()
        }
        if self.lane.reason is not None:
            info["reason"] = self.lane.reason
        return observation, reward, terminated, False, info


@pytest.mark.parametrize("mode", MODES)
def test_a_batch_agrees_with_gymnasiums_vector(
    game: Game, mode: AutoresetMode, scale: Scale
) -> None:
    """A batch returns what Gymnasium's own vector of single environments returns."""
    ours = SelfPlayVectorEnv(game, 5, autoreset_mode=mode)
    theirs = SyncVectorEnv([lambda: MoverEnv(game)] * 5, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"] is mode
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert data_equivalence(ours.reset(seed=3)[0], theirs.reset(seed=3)[0])
    rng, num_ends = random.Random(4), 0
    for step in range(max(10, scale(200))):
        lanes = [env.unwrapped.lane for env in theirs.envs]  # type: ignore[attr-defined]
        # Its spaces do not take what is out of range.
        actions = np.array([lane.choose(rng) % game.num_actions for lane in lanes])
        if step == 8:
            # By now, an action is illegal in every game.
            actions = ours.masks().argmin(axis=1)
        found, expected = ours.step(actions), theirs.step(actions)
        assert data_equivalence(found[:4], expected[:4])
        ended, info, their_info = found[2], found[4], expected[4]
        num_ends += int(ended.sum())
        for name in INFOS:
            lanes_alike = np.ones(5, np.bool_)
            if mode is AutoresetMode.SAME_STEP and name in ("rewards", "winner", "termination"):
                # Ours are those of the step; Gymnasium has those of the new game.
                lanes_alike = ~ended
            assert np.array_equal(info[name][lanes_alike], their_info[name][lanes_alike]), name
        for name in ("_final_obs", "_final_info", "final_info"):
            assert data_equivalence(info.get(name), their_info.get(name)), name
        final, their_final = (list(each.get("final_obs", [])) for each in (info, their_info))
        assert data_equivalence(final, their_final)
        assert ("final_obs" in info) == (mode is AutoresetMode.SAME_STEP and bool(ended.any()))
        if mode is AutoresetMode.DISABLED and ended.any():
            resets = [env.reset(options={"reset_mask": ended.copy()}) for env in (ours, theirs)]
            assert data_equivalence(resets[0][0], resets[1][0])
    assert num_ends > 0


def test_observations_are_in_the_declared_spaces(game: Game) -> None:
    """Batches and single lanes are in the spaces that are declared."""
    env = SelfPlayVectorEnv(game, 3)
    assert env.single_observation_space == observation_space(game)
    assert env.single_action_space == gymnasium.spaces.Discrete(game.num_actions)
    observation, _ = env.reset(seed=0)
    for _ in range(30):
        assert env.observation_space.contains(observation)
        lanes = [{name: array[k] for name, array in observation.items()} for k in range(3)]
        assert all(env.single_observation_space.contains(lane) for lane in lanes)
        observation, *_ = env.random_step()
    assert env.action_space.contains(env.draw_actions())


def test_random_steps_are_legal(game: Game, scale: Scale) -> None:
    """The actions are told, they are legal, and playing them gives what is shown."""
    env = SelfPlayVectorEnv(game, 20)
    lanes = [Lane(game, 3 + k) for k in range(20)]
    env.reset(seed=3)
    for step in range(max(4, scale(150))):
        if step == 2:  # illegal actions end all games, so that the next step deals
            env.step(np.full(20, -1))
            for lane in lanes:
                lane.play(-1, AutoresetMode.NEXT_STEP)
        found = told(env, env.random_step())
        actions = found.pop("actions")
        assert actions.dtype == np.int64
        for lane, action in zip(lanes, actions.tolist(), strict=True):
            assert lane.over or action in lane.position.legal_actions()
            assert not lane.over or action == 0
            lane.play(action, AutoresetMode.NEXT_STEP)
        check(found, lanes)


def playout(game: Game, start: Position | None, stream: NDArray[np.uint64]) -> Position:
    """Return the last position of a random game."""
    if start is None:
        row = np.empty(game.num_words, np.uint64)
        transition.deal(game.tables, row, stream, -1)
        start = Position(game, row)
    while legal := start.legal_actions():
        start = start.play(legal[next_below(stream, len(legal))])
    return start


@pytest.mark.parametrize("plies", [None, 5])
def test_playouts_agree_with_positions(game: Game, plies: int | None, scale: Scale) -> None:
    """Playing the same draws with positions gives the same winners and lengths."""
    start = None
    if plies is not None:
        start = game.deal(2)
        for _ in range(plies):
            start = start.play(start.legal_actions()[-1])
    number = scale(60)
    streams = np.zeros(number, np.uint64)
    seed_words(new_stream(9)[0], streams)
    found = random_playouts(game, number, seed=9, position=start)
    assert found.winners.dtype == np.int8
    assert found.plies.dtype == np.int32
    for k in range(number):
        last = playout(game, start, streams[k : k + 1])
        assert last.outcome is not None
        winner = 2 if last.outcome.winner is None else last.outcome.winner
        assert (found.winners[k], found.plies[k]) == (winner, last.ply - (plies or 0))


def test_playouts_are_like_random_games(game: Game, scale: Scale) -> None:
    """Lengths and results agree with those of games that `random` plays with positions."""
    rng, number = random.Random(1), max(12, scale(150))
    plies, won = [], 0
    for _ in range(number):
        position = game.deal(rng.getrandbits(32))
        while not position.is_over:
            position = position.play(rng.choice(position.legal_actions()))
        assert position.outcome is not None
        plies.append(position.ply)
        won += position.outcome.winner == 0
    found = random_playouts(game, max(100, scale(4000)), seed=2)
    assert found.plies.max() <= game.max_plies
    error = (np.var(plies) / number + found.plies.var() / len(found.plies)) ** 0.5
    assert abs(np.mean(plies) - found.plies.mean()) < 5 * error
    assert abs(won / number - (found.winners == 0).mean()) < 5 * (0.25 / number) ** 0.5


def test_playouts_from_the_end(game: Game) -> None:
    """A finished game is played out already."""
    last = playout(game, None, new_stream(1))
    assert last.outcome is not None
    found = random_playouts(game, 3, position=last)
    assert found.plies.tolist() == [0, 0, 0]
    assert set(found.winners.tolist()) == {
        2 if last.outcome.winner is None else last.outcome.winner
    }
