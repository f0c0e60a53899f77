"""Contracts of all agents, the random agent, and agents in the environment."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from mammalath_env.agents import AGENTS, Agent, GreedyAgent, RandomAgent, make_agent
from mammalath_env.core.errors import GameOverError
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.aec_policy import AECPolicy
from tests.generators import seed_globals, state_of_globals
from tests.processes import ROOT, run_code

Scale = Callable[[int], int]

# Options that keep agents that search quick.
OPTIONS = {"alphabeta": ":depth=2", "mcts": ":simulations=20"}


@pytest.fixture(params=AGENTS)
def name(request: pytest.FixtureRequest) -> str:
    """The name of every agent, with options."""
    agent: str = request.param
    if agent == "neural" and "game" in request.fixturenames:
        game = request.getfixturevalue("game")
        if game.name != "mammalath":
            pytest.skip(f"there is no network for {game.name}")
    return agent + OPTIONS.get(agent, "")


def play(start: Position, agents: tuple[Agent, Agent]) -> list[Position]:
    """Let two agents play from `start` to the end, and return all positions."""
    positions = [start]
    while not positions[-1].is_over:
        position = positions[-1]
        positions.append(position.play(agents[position.to_move].act(position)))
    return positions


@pytest.fixture
def start(game: Game, scale: Scale) -> Position:
    """A deal of every game; where the tests are scaled down, a position near the end of a game.

    As plain Python, a choice in the whole tree of two plies takes seconds.
    """
    positions = play(game.deal(4), (RandomAgent(1), RandomAgent(2)))
    return positions[0 if scale(100) == 100 else -4]


def test_table_of_agents(name: str) -> None:
    """`make_agent` gives a new agent of the name asked for."""
    agent = make_agent(name, seed=1)
    assert isinstance(agent, Agent)
    assert agent.name == name.split(":")[0]
    assert make_agent(name, seed=1) is not agent


def test_actions_are_legal_ints(name: str, start: Position, scale: Scale) -> None:
    """Agents play legal actions to the end, which `play` checks."""
    agents = make_agent(name, seed=1), make_agent(name, seed=2)
    assert type(agents[0].act(start)) is int
    for _ in range(scale(3)):
        assert play(start, agents)[-1].outcome is not None


def test_no_action_after_the_end(name: str, start: Position, scale: Scale) -> None:
    """A finished position is refused, quoted in the error, and takes nothing from the stream."""
    agent, other = make_agent(name, seed=3), make_agent(name, seed=3)
    last = play(start, (RandomAgent(1), RandomAgent(2)))[-1]
    for _ in range(3):
        with pytest.raises(GameOverError, match="after the end") as info:
            agent.act(last)
        assert last.to_text() in str(info.value)
    for _ in range(scale(20)):
        assert agent.act(start) == other.act(start)


def test_same_seed_same_actions(name: str, start: Position) -> None:
    """Games repeat with the seeds of the agents."""
    games = [play(start, (make_agent(name, 5), make_agent(name, 6))) for _ in range(2)]
    assert games[0] == games[1]


def test_other_seeds_other_actions(game: Game) -> None:
    """Games vary with the seeds of the agents."""
    games = {
        tuple(play(game.deal(1), (RandomAgent(seed), RandomAgent(seed + 1)))) for seed in range(10)
    }
    assert len(games) == 10


@pytest.mark.parametrize("seed", [0, 2**64, np.int32(7), np.random.default_rng(3)])
def test_seeds_and_generators(name: str, start: Position, scale: Scale, seed: Any) -> None:
    """A seed is any integer from 0, or a generator that gives the same draws from its state."""
    twin = copy.deepcopy(seed)
    agent, other = make_agent(name, seed), make_agent(name, twin)
    for _ in range(scale(30)):
        assert agent.act(start) == other.act(start)


def test_generators_move_on(name: str, game: Game) -> None:
    """Agents that share a generator do not play alike."""
    rng = np.random.default_rng(3)
    make_agent(name, rng)
    assert rng.bit_generator.state != np.random.default_rng(3).bit_generator.state
    position = game.deal(4)
    actions = [[agent.act(position) for _ in range(60)] for agent in map(RandomAgent, [rng] * 2)]
    assert actions[0] != actions[1]


def test_agents_without_a_seed_differ(game: Game) -> None:
    """Without a seed, the operating system gives one."""
    position = game.deal(1)
    actions = [tuple(RandomAgent().act(position) for _ in range(60)) for _ in range(3)]
    assert len(set(actions)) == 3


@pytest.mark.parametrize(
    ("seed", "error"),
    [(-1, ValueError), (1.5, TypeError), ("1", TypeError), (random.Random(1), TypeError)],
)
def test_bad_seeds(name: str, seed: Any, error: type[Exception]) -> None:
    """Values that are neither seeds nor NumPy generators are refused by name."""
    with pytest.raises(error, match="seed") as info:
        make_agent(name, seed)
    assert str(seed) in str(info.value)


def test_agents_leave_global_generators_alone(name: str, start: Position) -> None:
    """Agents draw from their own streams alone."""
    games = []
    for junk in (1, 2):
        seed_globals(junk)
        before = state_of_globals()
        games.append(play(start, (make_agent(name, 1), make_agent(name, 2))))
        make_agent(name).act(start)
        assert state_of_globals() == before
    assert games[0] == games[1]


def test_positions_do_not_change(name: str, start: Position) -> None:
    """Agents look at positions and leave them as they are."""
    agent = make_agent(name, seed=1)
    for position in play(start, (RandomAgent(1), RandomAgent(2)))[:-1]:
        row, text = position.row, position.to_text()
        agent.act(position)
        assert np.array_equal(position.row, row)
        assert position.to_text() == text


def test_the_random_agent_is_uniform(game: Game) -> None:
    """Every legal action comes about as often as any other one."""
    position = play(game.deal(3), (RandomAgent(1), RandomAgent(2)))[3]
    legal = position.legal_actions()
    agent = RandomAgent(5)
    draws = 200 * len(legal)
    counts = Counter(agent.act(position) for _ in range(draws))
    assert set(counts) == set(legal)
    # Pearson's statistic has the mean k and the variance 2 k for k + 1 actions.
    freedom = len(legal) - 1
    statistic = sum((counts[action] - 200) ** 2 / 200 for action in legal)
    assert abs(statistic - freedom) < 5 * (2 * freedom) ** 0.5


# In the environment


@pytest.mark.parametrize("wrapped", [False, True])
def test_aec_policies(start: Position, wrapped: bool) -> None:
    """An agent plays its seat in the loop of PettingZoo, through wrappers too."""
    env: Any = BoardGameEnv(start.game)
    if wrapped:
        env = OrderEnforcingWrapper(TerminateIllegalWrapper(env, -1))
    env.reset(options={"position": start})
    policies = {
        "player_0": AECPolicy(GreedyAgent(1)),
        "player_1": AECPolicy(RandomAgent(2)),
    }
    actions = []
    for agent in env.agent_iter():
        env.last()
        actions.append(policies[agent](env))
        env.step(actions[-1])
    # Both agents get their turn after the end, in which there is nothing to play.
    assert actions[-2:] == [None, None]
    assert None not in actions[:-2]
    expected = play(start, (GreedyAgent(1), RandomAgent(2)))
    assert env.unwrapped.position == expected[-1]
    assert len(actions) == len(expected) + 1


def test_aec_policies_after_an_illegal_action(game: Game) -> None:
    """A game that an illegal action ended needs no action either, although its position runs."""
    env = BoardGameEnv(game)
    env.reset(seed=4)
    policy = AECPolicy(RandomAgent(2))
    env.step(-1)
    assert not env.position.is_over
    assert [policy(env) for _ in range(3)] == [None] * 3


def test_aec_policies_show_their_agent() -> None:
    """A policy has its agent as an attribute, so that results can name it."""
    agent = RandomAgent(1)
    assert AECPolicy(agent).agent is agent


def test_agents_are_loaded_when_they_are_needed() -> None:
    """The names and an unknown one cost no compiled code; the public names are all there."""
    loaded = run_code(
        "import sys, types\n"
        # The package imports its environments when it is imported: leave that out.
        "package = types.ModuleType('mammalath_env')\n"
        f"package.__path__ = [{str(ROOT / 'mammalath_env')!r}]\n"
        "sys.modules['mammalath_env'] = package\n"
        "from mammalath_env import agents\n"
        "try:\n"
        "    agents.make_agent('perfect')\n"
        "except ValueError:\n"
        "    print('numba' in sys.modules)\n"
        "print(all(hasattr(agents, name) for name in agents.__all__))\n"
        "print('numba' in sys.modules, hasattr(agents, 'PerfectAgent'))\n"
    )
    assert loaded.split() == ["False", "True", "True", "False"]
