"""Queries for analyses as lines of JSON, their answers, and requests to end them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import mammalath_env
from mammalath_env import make_game
from mammalath_env.agents import make_agent
from mammalath_env.arena import PackageFaultError, analyze_position
from mammalath_env.arena.analysis_queries import AnalysisEngine
from tests.arena.analysts import Broken, FirstMoves, Waiter

START = "4,4,4,4,4,4/4,4,4,4,4,4 0-0 s 0 0"


class Client:
    """Sends lines to an engine and keeps its answers."""

    def __init__(self, agent: Any = FirstMoves, **options: Any) -> None:
        """Start the engine."""
        self.answers: list[dict[str, Any]] = []
        self.engine = AnalysisEngine(
            lambda line: self.answers.append(json.loads(line)), agent, **options
        )

    def ask(self, query_id: str, **members: Any) -> None:
        """Send a query, by default of a start position of Mancala."""
        if "action" not in members:
            members = {"game": "mancala", "position": START, **members}
        self.engine.handle(json.dumps({"id": query_id, **members}))

    def ended(self) -> list[dict[str, Any]]:
        """Return all answers, once there are no more."""
        self.engine.close()
        return self.answers


@pytest.fixture(autouse=True)
def _fresh_waiter() -> Iterator[None]:
    """No search of an earlier test counts."""
    Waiter.reset()
    yield
    Waiter.released.set()


def test_answers_are_the_analysis() -> None:
    """The same as from the library, with the id and the turn."""
    client = Client("mcts:simulations=20", seed=3)
    client.ask("one", moves=["A", "b"], analyzeTurns=[0, 2], multipv=2)
    client.ask("two", agent="alphabeta:depth=2")
    position = make_game("mancala").from_text(START)
    turns = {0: position, 2: position.play("A").play("b")}
    expected = [
        {
            "id": "one",
            "turnNumber": turn,
            **analyze_position(at, "mcts:simulations=20", multipv=2, seed=3).to_data(),
        }
        for turn, at in turns.items()
    ]
    other = analyze_position(position, "alphabeta:depth=2", seed=3).to_data()
    assert client.ended() == [*expected, {"id": "two", "turnNumber": 0, **other}]


def test_the_last_turn_is_analyzed_by_default() -> None:
    """As the position after all moves."""
    client = Client(multipv=2)
    client.ask("a", moves=["A", "b", "C"])
    (answer,) = client.ended()
    assert answer["turnNumber"] == 3
    assert len(answer["lines"]) == 2


def test_limits_of_a_query() -> None:
    """They hold for its searches."""
    client = Client("mcts:simulations=5000")
    client.ask("few", nodes=7)
    client.ask("shallow", depth=2, agent="alphabeta:depth=5")
    few, shallow = client.ended()
    assert few["nodes"] == 7
    assert shallow["depth"] == 2


def test_answers_come_in_any_order() -> None:
    """A search that takes long does not keep others waiting."""
    client = Client(Waiter, jobs=2)
    client.ask("slow")
    assert Waiter.began.acquire(timeout=60)
    client.ask("quick", agent="alphabeta:depth=1")
    for _ in range(6000):  # a minute
        if client.answers or Waiter.released.wait(0.01):
            break
    Waiter.released.set()
    assert [answer["id"] for answer in client.ended()] == ["quick", "slow"]


def test_searches_are_ended() -> None:
    """One that has begun answers with what it has, one that has not says so."""
    client = Client(Waiter)
    client.ask("one", moves=["A", "b"], analyzeTurns=[0, 1, 2])
    client.ask("other")
    assert Waiter.began.acquire(timeout=60)
    client.ask("x", action="terminate", terminateId="one", turnNumbers=[0, 2])
    assert Waiter.began.acquire(timeout=60)
    client.ask("y", action="terminate_all")
    echo, *answers = [answer for answer in client.ended() if answer["id"] != "y"]
    assert echo == {
        "id": "x",
        "action": "terminate",
        "terminateId": "one",
        "turnNumbers": [0, 2],
    }
    assert [(each["id"], each["turnNumber"]) for each in answers] == [
        *(("one", turn) for turn in range(3)),
        ("other", 0),
    ]
    assert ["noResults" in each for each in answers] == [False, False, True, True]
    assert {"id": "y", "action": "terminate_all"} in client.answers


def test_the_version_is_told() -> None:
    """With the members of the request."""
    client = Client()
    client.ask("v", action="query_version")
    assert client.ended() == [
        {"id": "v", "action": "query_version", "version": mammalath_env.__version__}
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("nonsense", "not JSON"),
        ("[1]", "Expected `object`"),
        ('{"position": "x"}', "missing required field `id`"),
        ('{"id": 3}', "Expected `str`"),
    ],
)
def test_lines_without_an_id(line: str, expected: str) -> None:
    """The error has none either, and the engine goes on."""
    client = Client()
    client.engine.handle(line)
    client.ask("next")
    error, answer = client.ended()
    assert set(error) == {"error"}
    assert expected in error["error"]
    assert answer["id"] == "next"


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"options": {"colour": 1}}, "unknown option of mancala 'colour'"),
        ({"position": "x"}, "'x' is not a position of Mancala"),
        ({"moves": ["A", "A"]}, "'A' is not a move of north in Mancala"),
        ({"analyzeTurns": [1]}, "there is no turn 1 after 0 moves"),
        ({"analyzeTurns": [-1]}, "Expected `int` >= 0"),
        ({"position": "0,0,0,0,0,0/0,0,0,0,0,0 25-23 n 3 80"}, "the game is over at turn 0"),
        ({"multipv": 0}, "Expected `int` >= 1"),
        ({"maxVisits": 3}, "unknown field `maxVisits`"),
        ({"seconds": -1}, "seconds must be above 0"),
        ({"agent": "nobody"}, "cannot name an agent of another module: 'nobody'"),
        ({"agent": "tests.arena.analysts:Broken"}, "cannot name an agent of another module"),
        ({"agent": "random"}, "agent 'random' does not analyze positions"),
        ({"agent": "mcts:simulations=0"}, "simulations must be"),
        ({"agent": "neural"}, "no network"),
        ({"action": "sing"}, "an action is one of query_version, terminate and terminate_all"),
        ({"action": "terminate"}, "terminate needs the member 'terminateId'"),
    ],
)
def test_queries_that_cannot_be_answered(members: dict[str, Any], expected: str) -> None:
    """One error for the whole query."""
    client = Client()
    client.ask("q", **members)
    (error,) = client.ended()
    assert set(error) == {"id", "error"}
    assert error["id"] == "q"
    assert expected in error["error"]


def test_an_agent_of_another_module_fails() -> None:
    """Its error is the answer, and the next query has another one."""
    client = Client(Broken)
    client.ask("a")
    client.ask("b", agent="alphabeta:depth=1")
    first, second = client.ended()
    assert first == {"id": "a", "turnNumber": 0, "error": "RuntimeError: out of order"}
    assert "lines" in second


def ask_until_refused(client: Client) -> None:
    """Send queries for a minute: only after a while is it known how a search ended."""
    for _ in range(6000):
        client.ask("b", agent="mcts:simulations=1")
        Waiter.released.wait(0.01)


def test_faults_end_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the machine and of the package: they are no answers."""
    agent = type(make_agent("alphabeta"))
    for error, expected in (
        (MemoryError("full"), MemoryError),
        (KeyError("bug"), PackageFaultError),
    ):

        def fail(*arguments: Any, error: Exception = error, **options: Any) -> Any:
            raise error

        monkeypatch.setattr(agent, "analyze", fail)
        client = Client("alphabeta:depth=1")
        client.ask("a")
        with pytest.raises(expected):
            ask_until_refused(client)
        with pytest.raises(expected):
            client.ended()
        assert "error" in client.answers[0]
