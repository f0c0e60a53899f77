"""Random games in environments, and all that can be seen of an environment."""

from __future__ import annotations

import copy
import importlib
import random
from collections.abc import Callable, Iterator
from typing import Any

from mammalath_env.core.position import Position
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.games import GAMES, make_game

MakeEnv = Callable[..., BoardGameEnv]

PLAYERS = {"player_0": 0, "player_1": 1}


def constructor(name: str) -> MakeEnv:
    """Return the function ``env`` of the module of a game."""
    make: MakeEnv = importlib.import_module(f"mammalath_env.{name}_v0").env
    return make


def text_of_another_game(env: BoardGameEnv) -> str:
    """Return the text of a position that the game of `env` does not have."""
    return make_game(another_game(env)).deal(0).to_text()


def another_game(env: BoardGameEnv) -> str:
    """Return the name of a game that `env` does not play."""
    return next(name for name in GAMES if name != env.game.name)


def random_game(env: BoardGameEnv, rng: random.Random) -> Iterator[Position]:
    """Play random actions up to the end, without the steps of the agents whose game is over.

    Yields:
        The position that the rules give, the one before the first action and those after each.
    """
    position = env.position
    yield position
    while not position.is_over:
        action = rng.choice(position.legal_actions())
        env.step(action)
        position = position.play(action)
        yield position


def play_to_end(env: BoardGameEnv, rng: random.Random) -> Position:
    """Play random actions up to the end and return the last position."""
    *_, last = random_game(env, rng)
    return last


def drain(env: BoardGameEnv) -> dict[str, float]:
    """Take the steps of the agents whose game is over; return the reward that each one read."""
    rewards = {}
    for agent in env.agent_iter():
        _, rewards[agent], termination, _, _ = env.last()
        assert termination
        env.step(None)
    return rewards


def illegal_action(env: BoardGameEnv, rng: random.Random) -> int:
    """Play at random until an action is illegal, and return one."""
    for position in random_game(env, rng):
        illegal = [k for k, legal in enumerate(position.action_mask()) if not legal]
        if illegal and not position.is_over:
            return rng.choice(illegal)
    raise AssertionError("every action was legal all the time")


def observations(env: BoardGameEnv) -> dict[str, dict[str, tuple[str, tuple[int, ...], bytes]]]:
    """Return what both agents see, as values that can be compared."""
    return {
        agent: {
            key: (array.dtype.str, array.shape, array.tobytes())
            for key, array in env.observe(agent).items()
        }
        for agent in env.possible_agents
    }


def next_deals(env: BoardGameEnv, number: int = 2) -> list[Position]:
    """Return the deals that would come next, without drawing them."""
    twin = copy.deepcopy(env)
    deals = []
    for _ in range(number):
        twin.reset()
        deals.append(twin.position)
    return deals


def snapshot(env: BoardGameEnv) -> dict[str, Any]:
    """Return all that can be seen of `env`, which has a game, as values that can be compared."""
    return {
        "position": env.position,
        "agents": list(env.agents),
        "agent_selection": env.agent_selection,
        "rewards": dict(env.rewards),
        "unread rewards": dict(env._cumulative_rewards),
        "terminations": dict(env.terminations),
        "truncations": dict(env.truncations),
        "infos": {agent: dict(info) for agent, info in env.infos.items()},
        "observations": observations(env),
        "picture": env.render() if env.render_mode == "ansi" else None,
        "next deals": next_deals(env),
    }
