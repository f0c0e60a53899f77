"""Agents that are no part of the package, by the name of their module and class."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from typer.testing import CliRunner

from mammalath_env import make_game
from mammalath_env.agents import RandomAgent, agent_options, make_agent
from mammalath_env.arena import play_match, read_records
from mammalath_env.cli import app

MODULE = '''
class Nth:
    """Plays the legal action of a number."""

    name = "nth"

    def __init__(self, seed, number=0, label=""):
        self.seed, self.number, self.label = seed, number, label

    def act(self, position):
        legal = position.legal_actions()
        return legal[self.number % len(legal)]


class Outer:
    class Inner(Nth):
        pass


def anything(seed, **options):
    agent = Nth(seed)
    agent.options = options
    return agent


class Broken(Nth):
    def __init__(self, seed, error="RuntimeError"):
        raise {"RuntimeError": RuntimeError, "SystemExit": SystemExit}[error]("no [/b] network")


class Fickle(Nth):
    """Can be made for a check, and for even seeds."""

    def __init__(self, seed):
        super().__init__(seed)
        if seed % 2:
            raise OSError("no device")


class Mancalist(Nth):
    def check_game(self, game):
        if game.name != "mancala":
            raise RuntimeError("mancala only")


class Bad(Nth):
    def act(self, position):
        raise RuntimeError("no idea")


class Cheat(Nth):
    def act(self, position):
        return -1


class Nameless:
    def __init__(self, seed):
        pass

    def act(self, position):
        return position.legal_actions()[0]


def nothing(seed):
    return None


constant = 5
'''


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that Python imports from, with the modules ``own_agents`` and ``broken_agents``."""
    (tmp_path / "own_agents.py").write_text(MODULE, "utf-8")
    (tmp_path / "broken_agents.py").write_text("import a_library_that_is_missing\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("own_agents", "broken_agents"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def run(*arguments: str, typed: str | None = None) -> str:
    """Run a command and return what it printed."""
    result = CliRunner().invoke(app, list(arguments), input=typed)
    assert result.exit_code == 0, result.output
    return result.output


def test_found_by_name() -> None:
    """The seed comes first and options by keyword, from the text and from the call."""
    agent: Any = make_agent("own_agents:Nth:number=2,label=runs/a:b.pt", 7, number=3)
    assert (agent.seed, agent.number, agent.label) == (7, 3, "runs/a:b.pt")
    position = make_game("mammalath").deal(1)
    assert agent.act(position) == position.legal_actions()[3]
    assert type(make_agent("own_agents:Outer.Inner", 1)).__qualname__ == "Outer.Inner"
    agent = make_agent("own_agents:anything:depth=2", 1, width=3)
    assert agent.options == {"depth": 2, "width": 3}
    assert agent_options("own_agents:Nth") == ["number", "label"]
    assert isinstance(make_agent("mammalath_env.agents:RandomAgent", 1), RandomAgent)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("own_agents", ValueError, "unknown agent 'own_agents': .* or module:name"),
        ("own_agents:", ValueError, "unknown agent"),
        (":Nth", ValueError, "unknown agent"),
        ("..own_agents:Nth", ValueError, "unknown agent"),
        ("own agents:Nth", ValueError, "unknown agent"),
        ("own_agents:number=2", ValueError, "unknown agent"),
        ("no_agents:Nth", ValueError, "there is no module 'no_agents'"),
        ("own_agents.inner:Nth", ValueError, "there is no module 'own_agents.inner'"),
        ("own_agents:Ninth", ValueError, "has no attribute 'Ninth'"),
        ("own_agents:constant", TypeError, "must be a class or a function that takes a seed"),
        ("own_agents:nothing", TypeError, "own_agents:nothing returned None"),
        ("own_agents:Nth:depth=2", ValueError, "unknown option 'depth': .* 'number', 'label'"),
        ("own_agents:Nth:number", ValueError, "expected options as name=value"),
        ("own_agents:Nth:number=1,number=1", ValueError, "option 'number' is given twice"),
        ("broken_agents:Nth", ModuleNotFoundError, "a_library_that_is_missing"),
    ],
)
def test_not_found(name: str, error: type[Exception], message: str) -> None:
    """The message says what is missing; what a module itself lacks is passed on."""
    with pytest.raises(error, match=message):
        make_agent(name, 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [("12", 12), ("-3", -3), ("0", 0), ("0.5", 0.5), (".5", 0.5), ("1e-3", 1e-3), ("2.", 2.0)]
    + [("true", True), ("False", False)]
    + [(text, text) for text in ("007", "1_000", "nan", "inf", "1e999", "00.5", "best.pt", "e5")]
    + [("9" * 5000, "9" * 5000)],
)
def test_values_of_options(text: str, value: object) -> None:
    """Numbers and flags are read as such, and what only resembles one stays a text."""
    agent: Any = make_agent(f"own_agents:anything:given={text}", 1)
    assert agent.options == {"given": value}
    assert type(agent.options["given"]) is type(value)


def test_options_of_the_call_are_checked() -> None:
    """As those in the text are."""
    with pytest.raises(ValueError, match="'own_agents:Nth': unknown option 'depth'"):
        make_agent("own_agents:Nth", 1, depth=2)


def test_in_matches_and_environments(tmp_path: Path) -> None:
    """Contests in other processes, and environments, take such a name as any other."""
    path = tmp_path / "games.jsonl"
    results = [
        play_match("mancala", "own_agents:Nth:number=1", "random", 2, seed=1, **options)
        for options in ({"record_path": path}, {"jobs": 2})
    ]
    assert results[0] == results[1]
    assert {name for record in read_records(path) for name in record.players} == {
        "own_agents:Nth:number=1",
        "random",
    }
    for name in ("own_agents:Nth", "own_agents:Nameless"):
        single = gymnasium.make("mammalath_env/Mancala-v0", opponent=name, seat="second")
        assert single.reset(seed=1)[1]["ply"] == 1
        many = gymnasium.make_vec("mammalath_env/Mancala-v0", 2, opponent=name, seat="second")
        assert many.reset(seed=1)[1]["ply"].tolist() == [1, 1]


def test_on_the_command_line(tmp_path: Path) -> None:
    """It is watched, played against and rated by its name."""
    output = run("watch", "own_agents:Nth", "random", "--seed", "1", "--ascii")
    assert output.startswith("Mammalath: own_agents:Nth (black) against random (white)")
    assert "own_agents:Nth on mammalath" in " ".join(run("puzzles", "own_agents:Nth").split())
    output = run("arena", "own_agents:Nth", "random", "--deals", "1", "--seed", "1", "--json")
    assert '"name": "own_agents:Nth"' in output


@pytest.mark.parametrize(
    ("agent", "detail", "reason"),
    [
        ("own_agents:Bad", "RuntimeError: no idea", "agent failed"),
        ("own_agents:Cheat", "-1", "illegal move"),
    ],
)
def test_one_that_fails(tmp_path: Path, agent: str, detail: str, reason: str) -> None:
    """It loses to the person, in the record too, and where it is watched."""
    path = tmp_path / "games.jsonl"
    output = run("play", agent, "--seat", "second", "--seed", "1", "--save", str(path))
    assert f"You win: {agent} failed (" in output
    assert detail in output
    (record,) = read_records(path)
    assert record.reason == reason
    assert record.winner is not None
    assert record.players[record.winner] == "person"
    output = run("watch", agent, "random", "--seed", "1")
    assert "player_0 loses: " in output
    assert detail in output


@pytest.mark.parametrize(
    "command", [["match"], ["arena"], ["watch"], ["play"], ["puzzles"]], ids=lambda each: each[0]
)
@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("own_agents:Broken", "RuntimeError: no [/b] network"),
        ("own_agents:Broken:error=SystemExit", "SystemExit: no [/b] network"),
        ("own_agents:Mancalist", "RuntimeError: mancala only"),
    ],
)
def test_one_that_cannot_be_made(command: list[str], agent: str, message: str) -> None:
    """Every command says which agent it is and why, before anything is played."""
    opponent = [] if command[0] in ("play", "puzzles") else ["random"]
    result = CliRunner().invoke(app, [*command, agent, *opponent])
    assert result.exit_code == 2, result.output
    output = " ".join(result.output.replace("│", " ").split())
    assert "".join(f"agent '{agent}': {message}".split()) in "".join(output.split())


def test_one_that_cannot_be_made_at_times() -> None:
    """It loses these games, and the contest is not taken for a mistake of the user."""
    arguments = ("--deals", "5", "--seed", "1", "--game", "mancala", "--json")
    found = json.loads(run("match", "own_agents:Fickle", "own_agents:Nth", *arguments))
    assert 0 < found["forfeits"][0] < 10
    assert found["forfeits"][1] == 0


def test_names_with_brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are no markup, in tables and in titles."""
    monkeypatch.setenv("COLUMNS", "120")
    agent = "own_agents:Nth:label=[/b][red]"
    arguments = ("--deals", "1", "--seed", "1", "--game", "mancala")
    assert agent in run("match", agent, "random", *arguments)
    assert run("arena", agent, "random", *arguments).count(agent) == 2
    assert agent in "".join(run("puzzles", agent).split())


def test_in_the_current_folder(module: Path) -> None:
    """The command finds modules where it is run, but none that stand in for a library."""
    (module / "statsmodels.py").write_text("raise ValueError('not this one')\n", "utf-8")
    (module / "bin").mkdir()
    script = module / "bin" / "command.py"
    script.write_text("from mammalath_env.cli import main; main()", "utf-8")
    arguments = ["arena", "own_agents:Nth", "random", "--deals", "1", "--seed", "1", "--json"]
    completed = subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=module,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    assert '"agents": ["own_agents:Nth", "random"]' in completed.stdout
