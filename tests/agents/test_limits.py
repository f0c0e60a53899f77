"""Limits of a move: clocks, and the agents that obey them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mammalath_env import make_game
from mammalath_env.agents import AlphaBetaAgent, MCTSAgent, NeuralAgent, PUCTAgent
from mammalath_env.agents.agent import act_within
from mammalath_env.agents.limits import NO_LIMITS, Clock, Limits, combined_limits
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from tests.agents.endgames import endgames

# Limits that leave no time at all.
AT_ONCE = Limits(clock=Clock((0.0, 0.0)))


class StopAfter(threading.Event):
    """An event that is set once it has been looked at so many times."""

    def __init__(self, looks: int) -> None:
        """Set the number of looks."""
        super().__init__()
        self.looks = looks

    def is_set(self) -> bool:
        """Count a look."""
        self.looks -= 1
        return self.looks < 0


@pytest.fixture
def start() -> Position:
    """A position that no search here proves."""
    return make_game("mammalath").deal(1)


# Clocks


@given(
    seconds=st.floats(0, 1e5),
    increment=st.floats(0, 60),
    player=st.integers(0, 1),
    moves=st.integers(1, 1000),
)
def test_a_clock_never_runs_out(seconds: float, increment: float, player: int, moves: int) -> None:
    """An agent that spends its budget has time left after any number of moves."""
    for _ in range(moves):
        pair = (seconds, 1e9) if player == 0 else (1e9, seconds)
        increments = (increment, 1e9) if player == 0 else (1e9, increment)
        budget = Clock(pair, increments).budget(player)
        assert 0 <= budget <= seconds / 2
        assert budget > 0 or seconds < 1e-300
        seconds += increment - budget


def test_a_clock_is_used() -> None:
    """A game of 60 own moves takes most of the time, and no move more than a tenth of it."""
    left = 60.0
    budgets = []
    for _ in range(60):
        budgets.append(Clock((left, 0.0)).budget(0))
        left -= budgets[-1]
    assert sum(budgets) > 45
    assert max(budgets) < 6
    assert Clock((10.0, 10.0), (1.0, 1.0)).budget(1) > Clock((10.0, 10.0)).budget(1)


def test_the_time_for_a_move() -> None:
    """Of two limits the shorter one holds; the clock is that of the player."""
    clock = Clock((100.0, 1.0))
    assert Limits(seconds=0.5, clock=clock).seconds_for(0) == 0.5
    assert Limits(seconds=0.5, clock=clock).seconds_for(1) == clock.budget(1) < 0.5
    assert NO_LIMITS.seconds_for(0) == float("inf")
    assert NO_LIMITS.deadline_for(0) == float("inf")


# Which limits hold


@pytest.mark.parametrize(
    ("given", "own", "default", "expected"),
    [
        (Limits(), Limits(), Limits(nodes=9), Limits(nodes=9)),
        (Limits(nodes=5), Limits(), Limits(nodes=9), Limits(nodes=5)),
        (Limits(nodes=50), Limits(), Limits(nodes=9), Limits(nodes=50)),
        (Limits(nodes=50), Limits(nodes=20), Limits(nodes=9), Limits(nodes=20)),
        (Limits(nodes=5), Limits(nodes=20), Limits(nodes=9), Limits(nodes=5)),
        (Limits(), Limits(seconds=2), Limits(nodes=9), Limits(seconds=2)),
        (Limits(seconds=1), Limits(seconds=2), Limits(depth=3), Limits(seconds=1)),
        (Limits(seconds=3), Limits(seconds=2), Limits(depth=3), Limits(seconds=2)),
        (Limits(seconds=1), Limits(nodes=7), Limits(depth=3), Limits(seconds=1, nodes=7)),
        (Limits(is_infinite=True), Limits(), Limits(depth=3), Limits(is_infinite=True)),
        (
            Limits(is_infinite=True),
            Limits(nodes=7),
            Limits(nodes=9),
            Limits(is_infinite=True, nodes=7),
        ),
        (Limits(depth=7), Limits(depth=4), Limits(depth=3), Limits(depth=4)),
        (Limits(depth=7), Limits(), Limits(depth=3), Limits(depth=7)),
        (Limits(depth=7), Limits(), Limits(nodes=9), Limits(nodes=9)),
        (Limits(depth=7, seconds=1), Limits(), Limits(nodes=9), Limits(seconds=1)),
    ],
)
def test_combined_limits(given: Limits, own: Limits, default: Limits, expected: Limits) -> None:
    """The smaller limit of a kind holds, and the default only where nothing else does."""
    assert combined_limits(given, own, default) == expected


def test_a_default_can_be_stopped() -> None:
    """Somebody who may stop a search sets no limit."""
    stop = threading.Event()
    combined = combined_limits(Limits(stop=stop), Limits(), Limits(nodes=9))
    assert combined == Limits(stop=stop, nodes=9)
    assert not combined.is_stopped
    stop.set()
    assert combined.is_stopped


# Agents


@pytest.mark.parametrize(
    ("options", "limits", "simulations"),
    [
        ({}, NO_LIMITS, 1000),
        ({}, Limits(depth=2), 1000),
        ({}, Limits(nodes=30), 30),
        ({}, Limits(nodes=1200), 1200),
        ({"simulations": 20}, Limits(nodes=30), 20),
        ({"simulations": 50}, Limits(nodes=30), 30),
        ({"simulations": 70}, Limits(is_infinite=True), 70),
        ({"simulations": 70}, Limits(seconds=1e6), 70),
        ({"seconds": 1e6}, Limits(nodes=130), 130),
    ],
)
def test_mcts_counts_simulations(
    start: Position, options: dict[str, Any], limits: Limits, simulations: int
) -> None:
    """Explicit limits and those of the move bind, and the default only without any."""
    agent = MCTSAgent(1, playouts="random", **options)
    result = agent.search(start, limits)
    assert result.simulations == sum(result.visits.values()) == simulations


@pytest.mark.parametrize(
    ("options", "limits", "simulations"),
    [
        ({}, NO_LIMITS, 200),
        ({}, Limits(depth=2), 200),
        ({}, Limits(nodes=30), 30),
        ({}, Limits(nodes=300), 300),
        ({"simulations": 20}, Limits(nodes=30), 20),
        ({"simulations": 50}, Limits(nodes=30), 30),
        ({"simulations": 70}, Limits(is_infinite=True), 70),
    ],
)
def test_puct_counts_simulations(
    start: Position, options: dict[str, Any], limits: Limits, simulations: int
) -> None:
    """Explicit limits and those of the move bind, and the default only without any."""
    assert PUCTAgent(1, **options).analyze(start, limits).nodes == simulations


@pytest.mark.parametrize(
    ("options", "limits", "depth"),
    [
        ({}, NO_LIMITS, 3),
        ({}, Limits(depth=2), 2),
        ({}, Limits(depth=4), 4),
        ({"depth": 2}, Limits(depth=4), 2),
        ({"depth": 3}, Limits(depth=2), 2),
        ({"depth": 2}, Limits(nodes=10**9), 2),
        ({"depth": 2}, Limits(is_infinite=True), 2),
    ],
)
def test_alphabeta_counts_plies(options: dict[str, Any], limits: Limits, depth: int) -> None:
    """Explicit limits and those of the move bind, and the default only without any."""
    position = make_game("mancala").deal(1)
    assert AlphaBetaAgent(1, **options).search(position, limits).depth == depth


def test_alphabeta_counts_positions(start: Position) -> None:
    """A search ends at the number of positions, and goes deeper than by default with many."""
    few = AlphaBetaAgent(1).search(start, Limits(nodes=2000))
    assert 1000 < few.nodes <= 2000
    assert AlphaBetaAgent(1, nodes=1000).search(start, Limits(nodes=2000)).nodes <= 1000
    many = AlphaBetaAgent(1).search(make_game("mancala").deal(1), Limits(nodes=50_000))
    assert many.depth > 3


def test_neural_obeys_limits_where_it_searches(start: Position) -> None:
    """Without a search there is nothing to limit."""
    assert NeuralAgent(1, simulations=30).analyze(start, Limits(nodes=10)).nodes == 10
    assert NeuralAgent(1, simulations=30).analyze(start, Limits(nodes=40)).nodes == 30
    agents = [NeuralAgent(1), NeuralAgent(1)]
    for limits in (Limits(nodes=1), Limits(is_infinite=True), AT_ONCE):
        assert agents[0].act_within(start, limits) == agents[1].act(start)
        assert agents[0].last_value == agents[1].last_value


AGENTS: list[Callable[[], Any]] = [
    lambda: MCTSAgent(1),
    lambda: AlphaBetaAgent(1),
    lambda: PUCTAgent(1),
]


@pytest.mark.parametrize("make", AGENTS)
def test_no_time_is_enough_for_a_move(game: Game, make: Callable[[], Any]) -> None:
    """However short the time, and though it is stopped already, an agent has a legal move."""
    stop = threading.Event()
    stop.set()
    for position in (game.deal(1), *endgames(game, 3, plies_left=6)):
        for limits in (AT_ONCE, Limits(seconds=1e-9), Limits(is_infinite=True, stop=stop)):
            assert position.action_mask()[make().act_within(position, limits)]
            analysis = make().analyze(position, limits, lines=2)
            assert analysis.nodes <= 2 * game.num_actions
            assert all(position.action_mask()[line.action] for line in analysis.lines)


@pytest.mark.parametrize("make", AGENTS)
def test_without_limits_nothing_changes(game: Game, make: Callable[[], Any]) -> None:
    """The same seed plays the same by ``act`` and without limits of the move."""
    position = game.deal(2)
    agents = [make(), make()]
    for _ in range(3):
        action = agents[0].act(position)
        assert act_within(agents[1], position, NO_LIMITS) == action
        assert agents[0].last_value == agents[1].last_value
        position = position.play(action)


def test_infinite_searches_go_on(start: Position) -> None:
    """They go beyond the default, until they are stopped."""
    nodes = MCTSAgent(1).search(start, Limits(is_infinite=True, stop=StopAfter(60))).simulations
    assert 2000 < nodes < 4000
    limits = Limits(is_infinite=True, stop=StopAfter(100))
    assert PUCTAgent(1).analyze(start, limits).nodes > 200
    plies = AlphaBetaAgent(1).search(
        make_game("mancala").deal(1), Limits(is_infinite=True, stop=StopAfter(200))
    )
    assert plies.depth > 3


@pytest.mark.parametrize("make", AGENTS)
def test_another_thread_can_stop_a_search(start: Position, make: Callable[[], Any]) -> None:
    """A search without an end goes on until then, and still answers with a move."""
    stop = threading.Event()
    answers = []
    limits = Limits(is_infinite=True, stop=stop)
    search = threading.Thread(target=lambda: answers.append(make().act_within(start, limits)))
    search.start()
    search.join(0.5)
    assert search.is_alive()
    stop.set()
    search.join(60)
    assert not search.is_alive()
    assert start.action_mask()[answers[0]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seconds": 0}, "seconds must be above 0"),
        ({"nodes": 0}, "nodes must be at least 1"),
        ({"depth": 0}, "depth must be at least 1"),
    ],
)
def test_impossible_limits_are_refused(options: dict[str, Any], words: str) -> None:
    """The message says what is possible."""
    with pytest.raises(ValueError, match=words):
        Limits(**options)
