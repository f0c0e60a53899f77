"""Agents of the package as engines."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mammalath_env import GAMES, make_game
from mammalath_env.agents import make_agent
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.ugi.protocol import first_mover
from tests.ugi.driver import Driver

WON = "B2A1F/C4C/3F1C/B4A/F5/A5 b3w1/4b1/1w4/bb3w/3bww/b1b3 w 20"


@contextmanager
def serving(agent: str, game: str = "mammalath") -> Iterator[Driver]:
    """A server that must end well."""
    driver = Driver(agent, game)
    yield driver
    driver.close()
    assert driver.raised is None
    assert not driver.has_more


def test_hello() -> None:
    """A name, an author, and the options with the values that they have."""
    with serving("tests.ugi.players:Told:step=3") as engine:
        engine.send("ugi")
        assert engine.read_until("ugiok") == [
            "id name tests.ugi.players:Told:step=3",
            "id author unknown",
            "option name seed type spin default 0 min 0 max 9223372036854775807",
            "option name step type string default 3",
            "option name loud type check default false",
            "ugiok",
        ]
    with serving("alphabeta:nodes=100") as engine:
        engine.send("ugi")
        lines = engine.read_until("ugiok")
    assert "id author the mammalath_env developers" in lines
    assert "option name nodes type string default 100" in lines
    assert "option name seconds type string default <empty>" in lines


@pytest.mark.parametrize("game", GAMES)
def test_positions_and_queries(game: str) -> None:
    """Deals by the seed, texts and moves give the answers of the rules, in all of some games."""
    rng = random.Random(5)
    rules = make_game(game)
    with serving("random", game) as engine:
        for seed in range(4):
            engine.send(f"setoption name seed value {seed}")
            position, moves = rules.deal(seed), list[str]()
            first = position.to_move
            while True:
                whole = "position startpos" + (" moves " + " ".join(moves) if moves else "")
                for command in (whole, f"position fen {position.to_text()}"):
                    engine.send(command)
                    p1_turn, over = position.to_move == first, position.is_over
                    assert engine.ask("query p1turn") == f"response {str(p1_turn).lower()}"
                    assert engine.ask("query gameover") == f"response {str(over).lower()}"
                    outcome = position.outcome
                    result = "none"
                    if outcome is not None:
                        winner = outcome.winner
                        result = "draw" if winner is None else ("p1win", "p2win")[winner != first]
                    assert engine.ask("query result") == f"response {result}"
                if position.is_over:
                    break
                moves.append(rng.choice(position.legal_moves()))
                position = position.play(moves[-1])


@pytest.mark.parametrize("game", GAMES)
def test_moves_are_those_of_the_agent(game: str) -> None:
    """Made from the same seed, asked for the same positions; again after ``uginewgame``."""
    rules = make_game(game)
    with serving("random", game) as engine:
        engine.send("setoption name seed value 6")
        for _ in range(2):
            agent, position = make_agent("random", 6), rules.deal(6)
            moves = ["position startpos moves"]
            engine.send("uginewgame")
            for _ in range(8):
                move = position.move_text(agent.act(position))
                engine.send("go")
                assert engine.read() == f"bestmove {move}"
                moves.append(move)
                engine.send(" ".join(moves))
                position = position.play(move)


def test_bad_commands_change_nothing() -> None:
    """Each is answered by one line that says what is wrong; the position stays."""
    with serving("tests.ugi.players:Told") as engine:
        engine.send("position startpos moves c4")
        for command, words in (
            ("hello", "unknown command 'hello'"),
            ("position", "expected 'position startpos' or 'position fen TEXT'"),
            ("position startpos c4", "not 'position startpos c4'"),
            ("position fen nonsense", "'nonsense' is not a position of Mammalath"),
            ("position startpos moves c4 zz", "'zz' is not a move"),
            ("position startpos moves c4 xF c4", "c4 (action 20)"),
            ("go movetime", "movetime must be followed by a whole number, not ''"),
            ("go nodes 1.5", "nodes must be followed by a whole number, not '1.5'"),
            ("go nodes 0", "nodes must be at least 1, not 0"),
            ("go nodes " + "9" * 5000, "nodes must be followed by"),
            ("query", "unknown question ''"),
            ("query winner", "unknown question 'winner'"),
            ("setoption", "expected 'setoption name NAME value VALUE'"),
            ("setoption name steps value 2", "unknown option 'steps'"),
            ("setoption name step value 0", "step stays as it was: agent 'told': step must"),
            ("setoption name step value x", "step stays as it was: "),
            ("setoption name seed value -1", "seed must be from 0 to"),
            ("setoption name seed value x", "seed must be an integer"),
            ("setoption name seed", "seed must be an integer"),
        ):
            answer = engine.ask(command)
            assert answer.startswith("info string "), answer
            assert words in answer
        assert engine.ask("query p1turn") == "response false"
        engine.send("", "  ", "stop", "go nodes 7")
        answers = engine.read_until("bestmove")
        # A step of 1 was kept. The seed is still 0.
        assert answers[0].startswith("info depth 1 nodes 7 ")
        position = make_game("mammalath").deal(0).play("c4")
        assert answers[1] == f"bestmove {position.legal_moves()[0]}"


def test_options() -> None:
    """They make a new agent, whatever their case; an empty value is the one of the start."""
    with serving("tests.ugi.players:Told:step=3") as engine:
        for command, depth in (
            ("setoption name STEP value 5", 5),
            ("setoption name step value <empty>", 3),
            ("setoption name step value 4", 4),
            ("isready", 8),
            ("uginewgame", 4),
            ("setoption name step", 3),
        ):
            engine.send(command, "position startpos", "go nodes 1")
            assert engine.read_until("bestmove")[-2].split()[:3] == ["info", "depth", str(depth)]


def test_limits_and_scores() -> None:
    """Limits arrive as they are meant; values, proofs and variations as they are found."""
    game = make_game("mammalath")
    for first in (0, 1):
        start = game.deal(3, first_player=first)
        move = start.legal_moves()[0]
        with serving("tests.ugi.players:Told") as engine:
            for position in (start, start.play(move)):
                engine.send(f"position fen {position.to_text()}")
                pv = [position.legal_moves()[0]]
                pv.append(position.play(pv[0]).legal_moves()[0])
                clock = 10 if position is start else 20
                for go, nodes, score in (
                    ("go", 0, "cp 191"),
                    ("go movetime 250", 250, "cp 191"),
                    ("go movetime 0", 1, "cp 191"),
                    ("go movetime 10 nodes 8", 8, "cp 191"),
                    ("go depth 1", 0, "mate 1"),
                    ("go depth 2", 0, "mate -1"),
                    ("go depth 3", 0, "mate 2"),
                    ("go depth 6", 0, "mate -3"),
                    ("go p1time 10000 p2time 20000 p1inc 0 p2inc 0", clock * 50 - 20, "cp 191"),
                    ("go p1time -5 p2time -5", 0, "cp 191"),
                ):
                    engine.send(go)
                    info, best = engine.read_until("bestmove")
                    words = info.split()
                    assert words[3:5] == ["nodes", str(nodes)], go
                    assert words[5] == "time"
                    assert " ".join(words[7:]) == f"score {score} pv {' '.join(pv)}", go
                    assert best == f"bestmove {pv[0]}"
        assert first_mover(start) == first


def test_unknown_limits_are_passed_over() -> None:
    """With a message, and the rest holds."""
    with serving("tests.ugi.players:Told") as engine:
        engine.send("go ponder nodes 9 searchmoves c4")
        lines = engine.read_until("bestmove")
        assert lines[0] == "info string unknown after go: ponder searchmoves c4"
        assert "nodes 9" in lines[1]


def test_thinking_can_be_stopped() -> None:
    """Meanwhile other questions are answered, and what would disturb it is refused."""
    with serving("tests.ugi.players:Patient") as engine:
        last = make_game("mammalath").deal(0).legal_moves()[-1]
        for go in ("go movetime 1", "go infinite", "go"):
            engine.send("position startpos", go)
            for command in ("go", "position startpos", "uginewgame", "setoption name seed value 1"):
                answer = engine.ask(command)
                assert "is refused while a search goes on: wait for bestmove" in answer
            assert engine.ask("query result") == "response none"
            engine.send("stop")
            assert engine.read() == f"bestmove {last}"


def test_infinite_waits_for_stop() -> None:
    """Even if the agent has its answer long before."""
    with serving("random") as engine:
        engine.send("isready", "go infinite")
        assert engine.read() == "readyok"
        for _ in range(20):
            engine.send("isready")
            assert engine.read() == "readyok"
        engine.send("stop")
        assert engine.read().startswith("bestmove ")
        engine.send("stop")


def test_after_the_end() -> None:
    """There is no move, and the game is known to be over."""
    position = make_game("mammalath").from_text(WON)
    while not position.is_over:
        position = position.play(position.legal_moves()[0])
    with serving("random") as engine:
        engine.send(f"position fen {position.to_text()}", "go movetime 1000000")
        assert engine.read() == "info string the game is over"
        assert engine.read() == "bestmove none"
        assert engine.ask("query gameover") == "response true"


def test_quit_while_thinking() -> None:
    """Nothing more is said, and the search is told to stop."""
    for last in ("quit", None):
        driver = Driver("tests.ugi.players:Patient")
        driver.send("go infinite", *([last] if last else []))
        driver.close()
        assert driver.raised is None
        assert not driver.has_more


@pytest.mark.parametrize(
    ("agent", "error"), [("failing", RuntimeError), ("illegal", IllegalMoveError)]
)
def test_errors_of_agents_end_the_server(agent: str, error: type[Exception]) -> None:
    """They are raised to whoever runs it."""
    driver = Driver(f"tests.ugi.players:{agent}")
    driver.send("go")
    driver._thread.join(100)
    assert isinstance(driver.raised, error)


def test_agents_are_checked_first() -> None:
    """An agent that cannot play the game is not served."""
    with pytest.raises(ValueError, match="unknown agent"):
        Driver("nobody")
    with pytest.raises(ValueError, match="simulations"):
        Driver("mcts:simulations=0")
