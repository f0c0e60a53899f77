"""Checks of engines, and what they find out about engines with a fault."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mammalath_env import GAMES, make_game
from mammalath_env.cli import app
from mammalath_env.ugi import conformance
from mammalath_env.ugi.conformance import CHECKS, check_engine
from tests.ugi import faulty_engine

# Nothing takes nearly as long, but on a machine that is busy.
PATIENT = 60.0
# For what never comes.
IMPATIENT = 5.0
FAULTY = str(Path(faulty_engine.__file__))

HELLO = "ugi is answered by id name and ugiok"
READY = "isready is answered by readyok"
PLAYS = "moves of whole games are legal"
QUERIES = "queries are answered by the rules"
STARTPOS = "a game from startpos comes to its end"
WORDS = "unknown commands, options and positions do no harm"
MOVETIME = "go movetime is kept to"
CLOCK = "go p1time p2time is kept to"
NODES = "go nodes and go depth end"
STOP = "go infinite lasts until stop"
SEED = "with an option seed, the same seed plays the same moves"
QUIT = "quit ends the process"
QUIT_THINKING = "quit ends the process while it thinks"

# The fault, the check that finds it, and words of its message.
FAULTS = [
    ("no_name", HELLO, "sent 'ugi', expected 'id name NAME' before 'ugiok', got none"),
    ("ends_no_line", HELLO, "expected ugiok, got nothing within 5 s (does each line end"),
    ("illegal", PLAYS, "expected a legal move in '"),
    ("garbage", PLAYS, "got 'bestmove'"),
    ("answers_twice", PLAYS, "got 'bestmove "),
    ("never_over", QUERIES, "sent 'query result', expected 'response p"),
    ("always_true", QUERIES, "expected 'response false', got 'response true'"),
    ("forgets_moves", STARTPOS, "sent 'query p1turn', expected 'response false'"),
    (
        "dies",
        WORDS,
        "sent 'nonsense' and 'isready', expected readyok, got its process ended with exit code 3\n"
        "cannot bear nonsense",
    ),
    ("takes_its_time", MOVETIME, "sent 'go movetime 500', expected bestmove, got nothing"),
    ("takes_the_wrong_clock", CLOCK, "sent 'go p1time 400 p2time 3600000 p1inc 0 p2inc 0'"),
    ("knows_no_nodes", NODES, "sent 'go nodes 1', expected bestmove, got nothing within"),
    ("answers_at_once", STOP, "sent 'go infinite', expected no answer, got 'bestmove"),
    ("never_stops", STOP, "sent 'stop', expected bestmove, got nothing within 5 s"),
    ("takes_any_seed", SEED, "expected the moves of the game before, ['"),
    ("does_not_end", QUIT, "sent 'quit', expected the end of its process within"),
    ("does_not_end", QUIT_THINKING, "sent 'quit', expected the end of its process within"),
]


@pytest.mark.parametrize("game", GAMES)
def test_our_own_engine(game: str) -> None:
    """It passes all checks."""
    command = [sys.executable, "-m", "mammalath_env", "engine", "random", "--game", game]
    results = list(check_engine(command, make_game(game), PATIENT))
    assert [result.check for result in results] == list(CHECKS)
    assert [result.fault for result in results if result.fault] == []


def test_engine_in_c(c_engine: Path) -> None:
    """It passes all checks, too."""
    results = list(check_engine([str(c_engine)], make_game("mammalath"), PATIENT))
    assert [result.fault for result in results if result.fault] == []
    assert len(results) == len(CHECKS)


@pytest.mark.parametrize(("fault", "check", "words"), FAULTS)
def test_faults_are_found(
    fault: str, check: str, words: str, c_engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each by the check that is meant for it, which says what was wrong."""
    never = "nothing" in words or check in (CLOCK, QUIT, QUIT_THINKING)
    if never:
        monkeypatch.setattr(conformance, "ANSWER_SECONDS", IMPATIENT)
        if check == HELLO:
            monkeypatch.setattr(conformance, "START_SECONDS", IMPATIENT)
    monkeypatch.setattr(
        conformance, "CHECKS", {name: CHECKS[name] for name in dict.fromkeys((HELLO, check))}
    )
    command = [sys.executable, FAULTY, fault, str(c_engine)]
    margin = IMPATIENT if never else PATIENT
    *before, result = check_engine(command, make_game("mammalath"), margin)
    assert [each.fault for each in before] == [None] * len(before)
    assert result.check == check
    assert result.fault is not None
    assert words in result.fault


def test_every_fault_is_tried() -> None:
    """All faults of the faulty engine, and all checks but one that fails where others do."""
    faults = [*faulty_engine.OF_ANSWERS, *faulty_engine.OF_COMMANDS]
    assert {fault for fault, *_ in FAULTS} == {each.__name__ for each in faults}
    assert {check for _, check, _ in FAULTS} == set(CHECKS) - {READY}


def test_command(c_engine: Path) -> None:
    """It prints a line for each check; the exit code tells whether any is wrong."""
    result = CliRunner().invoke(app, ["engine-check", str(c_engine), "--margin", str(PATIENT)])
    assert result.exit_code == 0, result.output
    assert result.output.splitlines() == [f"ok    {check}" for check in CHECKS]
    command = shlex.join([sys.executable, FAULTY, "no_name", str(c_engine)])
    result = CliRunner().invoke(app, ["engine-check", command])
    assert result.exit_code == 1
    fault = "sent 'ugi', expected 'id name NAME' before 'ugiok', got none"
    assert result.output.splitlines() == [f"wrong {HELLO}", f"      {fault}"]
    result = CliRunner().invoke(app, ["engine-check", command, "--json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout) == [{"check": HELLO, "fault": fault}]


def test_mistakes() -> None:
    """There must be a program."""
    for command, words in (("no-such-program", "there is no program"), ("'", "quot")):
        result = CliRunner().invoke(app, ["engine-check", command])
        assert result.exit_code == 2
        assert words in " ".join(result.output.replace("│", " ").split()).lower()
