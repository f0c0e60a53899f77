"""Rewards: what steps pay, what `last` reads, and what a whole game gives."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.games import GAMES
from mammalath_env.games.mancala.game import MancalaGame
from tests.envs.play import (
    PLAYERS,
    constructor,
    drain,
    illegal_action,
    random_game,
)

Scale = Callable[[int], int]

ANIMALS = "ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE"
ANIMALS_PLUS = "/".join("ABCDEFGH"[row:] + "ABCDEFGH"[:row] for row in range(8))
# For every game, a position and the move in it that draws the game: in Mammalath the last token,
# in Mancala the last seed of a player who cannot be fed.
DRAWS = {
    "mammalath": (f"{ANIMALS} 1b1wbb/wwbbww/bbwwbb/wwbbww/bbwwbb/wwbbww b 34", "a1"),
    "mammalath_plus": (
        f"{ANIMALS_PLUS} " + "1b1wbbww/wwbbwwbb/" + "bbwwbbww/wwbbwwbb/" * 2
        + "bbwwbbww/wwbbwwbb b 62", "a1",
    ),
    "mancala": ("0,0,0,0,0,0/0,0,0,0,0,1 23-24 n 1 60", "f"),
}  # fmt: skip


def test_rewards_come_once_at_the_end(env: BoardGameEnv, scale: Scale) -> None:
    """Steps pay nothing but the last one, which pays the result to both."""
    for seed in range(scale(20)):
        env.reset(seed=seed)
        rng = random.Random(seed)
        for position in random_game(env, rng):
            outcome = position.outcome
            expected = (0.0, 0.0) if outcome is None else outcome.returns
            assert env.rewards == dict(zip(env.possible_agents, expected, strict=True))
            assert {type(reward) for reward in env.rewards.values()} == {float}
        assert outcome is not None
        if outcome.winner is not None:
            loser = 1 - outcome.winner
            assert env.rewards == {f"player_{outcome.winner}": 1.0, f"player_{loser}": -1.0}


def test_steps_and_last_pay_the_same(env: BoardGameEnv, scale: Scale) -> None:
    """Rewards summed over steps and rewards read by `last` are both the result of the game."""
    check_sums(env, scale(20))


def check_sums(env: BoardGameEnv, number: int) -> None:
    """Play games by the loop that libraries use, and add up the rewards in both ways."""
    for seed in range(number):
        env.reset(seed=seed)
        rng = random.Random(seed)
        steps = dict.fromkeys(env.possible_agents, 0.0)
        read = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            read[agent] += env.last()[1]
            last = env.position
            env.step(None if last.is_over else rng.choice(last.legal_actions()))
            for other, reward in env.rewards.items():
                steps[other] += reward
        assert last.outcome is not None
        expected = dict(zip(env.possible_agents, last.outcome.returns, strict=True))
        assert steps == read == expected


@pytest.mark.parametrize("name", GAMES)
def test_draws_pay_nothing(name: str) -> None:
    """A drawn game is over, and its rewards are exactly 0 for both."""
    env = constructor(name)()
    text, move = DRAWS[name]
    env.position = text
    env.step(env.game.parse_move(move, env.position))
    outcome = env.position.outcome
    assert outcome is not None
    assert outcome.winner is None
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.truncations == {"player_0": False, "player_1": False}
    assert env.infos["player_0"]["termination"] == outcome.termination != 0
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    # A negative zero would print as -0.
    assert {str(reward) for reward in env.rewards.values()} == {"0.0"}
    assert drain(env) == {"player_0": 0.0, "player_1": 0.0}


@pytest.fixture
def paid_by_seeds() -> BoardGameEnv:
    """A game with rewards at many plies."""
    env = BoardGameEnv(MancalaGame.mancala(reward="seeds"))
    env.reset(seed=1)
    return env


def test_rewards_at_every_ply(paid_by_seeds: BoardGameEnv, scale: Scale) -> None:
    """Each ply pays what it gained, to both; the sums are the result of the game."""
    env = paid_by_seeds
    paying = 0
    for seed in range(scale(20)):
        env.reset(seed=seed)
        before = 0.0
        for _ in random_game(env, random.Random(seed)):
            stores = env.observe("player_0")["observation"]
            gained = float(stores[12]) - float(stores[13])
            assert env.rewards == {"player_0": gained - before, "player_1": before - gained}
            paying += gained != before
            before = gained
        outcome = env.position.outcome
        assert outcome is not None
        assert outcome.returns == (gained, -gained)
    assert paying > 5 * scale(20)
    check_sums(env, scale(20))


def test_unread_rewards_of_others_are_kept(paid_by_seeds: BoardGameEnv) -> None:
    """An agent that waits reads later what it lost; a step uses up what the mover could read.

    An illegal action treats both alike.
    """
    env = paid_by_seeds
    # South captures two seeds with F, and north's next move captures nothing.
    for illegal in (False, True):
        env.position = "1,0,0,0,0,1/1,1,0,0,0,0 21-23 s 1 60"
        env.step(5)
        assert env.rewards == {"player_0": 2.0, "player_1": -2.0}
        assert env.last()[1] == -2.0
        env.step(5 if illegal else 1)
        assert env.terminations == {"player_0": illegal, "player_1": illegal}
        assert env.agent_selection == "player_0"
        assert env.last()[1] == 2.0
        if illegal:
            assert env.rewards == {"player_0": 0.0, "player_1": -1.0}
            assert drain(env) == {"player_0": 2.0, "player_1": -1.0}


def test_an_illegal_action_pays_once(env: BoardGameEnv, rng: random.Random) -> None:
    """Steps and `last` agree about the penalty."""
    action = illegal_action(env, rng)
    offender = env.agent_selection
    env.step(action)
    paid = dict(env.rewards)
    assert paid == {agent: -1.0 if agent == offender else 0.0 for agent in PLAYERS}
    assert drain(env) == paid
