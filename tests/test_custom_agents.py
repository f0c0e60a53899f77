"""Agents that are no part of the package, by the name of their module and class."""

from __future__ import annotations

import json
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
from tests.processes import ROOT, finish

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


class Rude(Nth):
    def __init__(self, seed, label="", when="act"):
        self.when = when
        if when == "made":
            self.act(None)

    def act(self, position):
        raise RuntimeError("no \\x1b[2J\\udcffidea")


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
    """A folder that Python imports from, with the modules ``my_agents`` and ``broken_agents``."""
    (tmp_path / "my_agents.py").write_text(MODULE, "utf-8")
    (tmp_path / "broken_agents.py").write_text("import a_library_that_is_missing\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("my_agents", "broken_agents"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def run(*arguments: str, typed: str | None = None) -> str:
    """Run a command and return what it printed."""
    result = CliRunner().invoke(app, list(arguments), input=typed)
    assert result.exit_code == 0, result.output
    return result.output


def test_found_by_name() -> None:
    """The seed comes first and options by keyword, from the text and from the call."""
    agent: Any = make_agent("my_agents:Nth:number=2,label=runs/a:b.pt", 7, number=3)
    assert (agent.seed, agent.number, agent.label) == (7, 3, "runs/a:b.pt")
    position = make_game("mammalath").deal(1)
    assert agent.act(position) == position.legal_actions()[3]
    assert type(make_agent("my_agents:Outer.Inner", 1)).__qualname__ == "Outer.Inner"
    agent = make_agent("my_agents:anything:depth=2", 1, width=3)
    assert agent.options == {"depth": 2, "width": 3}
    assert agent_options("my_agents:Nth") == ["number", "label"]
    assert isinstance(make_agent("mammalath_env.agents:RandomAgent", 1), RandomAgent)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("my_agents", ValueError, "unknown agent 'my_agents': .* or module:name"),
        ("my_agents:", ValueError, "unknown agent"),
        (":Nth", ValueError, "unknown agent"),
        ("..my_agents:Nth", ValueError, "unknown agent"),
        ("own agents:Nth", ValueError, "unknown agent"),
        ("my_agents:number=2", ValueError, "unknown agent"),
        ("no_agents:Nth", ValueError, "there is no module 'no_agents'"),
        ("my_agents.inner:Nth", ValueError, "there is no module 'my_agents.inner'"),
        ("my_agents:Ninth", ValueError, "has no attribute 'Ninth'"),
        ("my_agents:constant", TypeError, "must be a class or a function that takes a seed"),
        ("my_agents:nothing", TypeError, "my_agents:nothing returned None"),
        ("my_agents:Nth:depth=2", ValueError, "unknown option 'depth': .* 'number', 'label'"),
        ("my_agents:Nth:number", ValueError, "expected options as name=value"),
        ("my_agents:Nth:number=1,number=1", ValueError, "option 'number' is given twice"),
        ("broken_agents:Nth", ModuleNotFoundError, "a_library_that_is_missing"),
    ],
)
def test_unknown_agents_are_refused(name: str, error: type[Exception], message: str) -> None:
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
    agent: Any = make_agent(f"my_agents:anything:given={text}", 1)
    assert agent.options == {"given": value}
    assert type(agent.options["given"]) is type(value)


def test_options_of_the_call_are_checked() -> None:
    """Unknown options of the call are refused like those in the text."""
    with pytest.raises(ValueError, match="'my_agents:Nth': unknown option 'depth'"):
        make_agent("my_agents:Nth", 1, depth=2)


def test_matches_and_environments_take_custom_agents(tmp_path: Path) -> None:
    """Contests in other processes, and environments, take such a name as any other."""
    path = tmp_path / "games.jsonl"
    results = [
        play_match("mancala", "my_agents:Nth:number=1", "random", 2, seed=1, **options)
        for options in ({"record_path": path}, {"jobs": 2})
    ]
    assert results[0] == results[1]
    assert {name for record in read_records(path) for name in record.players} == {
        "my_agents:Nth:number=1",
        "random",
    }
    for name in ("my_agents:Nth", "my_agents:Nameless"):
        single = gymnasium.make("mammalath_env/Mancala-v0", opponent=name, seat="second")
        assert single.reset(seed=1)[1]["ply"] == 1
        many = gymnasium.make_vec("mammalath_env/Mancala-v0", 2, opponent=name, seat="second")
        assert many.reset(seed=1)[1]["ply"].tolist() == [1, 1]


def test_commands_take_custom_agents(tmp_path: Path) -> None:
    """It is watched, played against and rated by its name."""
    output = run("watch", "my_agents:Nth", "random", "--seed", "1", "--ascii")
    assert output.startswith("Mammalath: my_agents:Nth (black) against random (white)")
    assert "my_agents:Nth on mammalath" in " ".join(run("puzzles", "my_agents:Nth").split())
    output = run("arena", "my_agents:Nth", "random", "--deals", "1", "--seed", "1", "--json")
    assert '"name": "my_agents:Nth"' in output


@pytest.mark.parametrize(
    ("agent", "detail", "reason"),
    [
        ("my_agents:Bad", "RuntimeError: no idea", "agent failed"),
        ("my_agents:Cheat", "-1", "illegal move"),
    ],
)
def test_an_agent_that_fails_loses(tmp_path: Path, agent: str, detail: str, reason: str) -> None:
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
    assert f"{agent} (black) loses: " in output
    assert detail in output


@pytest.mark.parametrize(
    "command", [["match"], ["arena"], ["watch"], ["play"], ["puzzles"]], ids=lambda each: each[0]
)
@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("my_agents:Broken", "RuntimeError: no [/b] network"),
        ("my_agents:Broken:error=SystemExit", "SystemExit: no [/b] network"),
        ("my_agents:Mancalist", "RuntimeError: mancala only"),
    ],
)
def test_commands_refuse_an_agent_that_cannot_be_made(
    command: list[str], agent: str, message: str
) -> None:
    """Every command says which agent it is and why, before anything is played."""
    opponent = [] if command[0] in ("play", "puzzles") else ["random"]
    result = CliRunner().invoke(app, [*command, agent, *opponent])
    assert result.exit_code == 2, result.output
    output = " ".join(result.output.replace("│", " ").split())
    assert "".join(f"agent '{agent}': {message}".split()) in "".join(output.split())


def test_an_agent_that_cannot_be_made_at_times_forfeits() -> None:
    """It loses these games, and the contest is not taken for a mistake of the user."""
    arguments = ("--deals", "5", "--seed", "1", "--game", "mancala", "--json")
    found = json.loads(run("match", "my_agents:Fickle", "my_agents:Nth", *arguments))
    assert 0 < found["forfeits"][0] < 10
    assert found["forfeits"][1] == 0


def test_brackets_in_names_are_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables and titles show brackets in names as they are."""
    monkeypatch.setenv("COLUMNS", "120")
    agent = "my_agents:Nth:label=[/b][red]"
    arguments = ("--deals", "1", "--seed", "1", "--game", "mancala")
    assert agent in run("match", agent, "random", *arguments)
    assert run("arena", agent, "random", *arguments).count(agent) == 2
    assert agent in "".join(run("puzzles", agent).split())


# What could command a terminal, and half of a surrogate pair, which no encoding can write.
HOSTILE = "\x1b[31m\r\udcff\u202e"


@pytest.mark.parametrize(
    "arguments",
    [
        ["match", "random", "--deals", "1", "--game", "mancala"],
        ["arena", "random", "--deals", "1", "--game", "mancala"],
        ["watch", "random"],
        ["puzzles"],
        ["play", "--seat", "second"],
        ["watch", "random", "when=made"],
    ],
    ids=" ".join,
)
def test_names_and_errors_cannot_command_the_terminal(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the name of an agent nor what its errors say."""
    monkeypatch.setenv("COLUMNS", "200")
    command, *others = arguments
    agent = f"my_agents:Rude:label={HOSTILE}"
    if others[-1:] == ["when=made"]:
        agent += f",{others.pop()}"
    result = CliRunner().invoke(app, [command, agent, *others])
    # An agent that fails in a puzzle makes the command fail, one that loses a game does not.
    failed = 1 if command == "puzzles" else 0
    assert result.exit_code == (2 if "made" in agent else failed), result.output
    assert "label=" in result.output
    if command in ("watch", "play"):
        assert "no \N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}idea" in result.output
    for character in (*HOSTILE[-3:], "\x1b"):
        assert character not in result.output.replace("\r\n", "\n")


MARK = "open(__file__ + '.ran', 'w').close()\nraise ImportError(__name__)\n"
# What libraries look for, installed or not. Before Python 3.11, worker processes begin with the
# current folder on their path, and need joblib.
LOOKED_FOR = ["cffi", "charset_normalizer", "numexpr", "pyarrow", "scipy", "statsmodels"]
LOOKED_FOR += ["joblib"] if sys.version_info >= (3, 11) else []


@pytest.fixture
def current_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with custom agents, a module that they import, and some with names of libraries."""
    folder = tmp_path_factory.mktemp("current")
    (folder / "my_agents.py").write_text(f"import my_network, tabnanny\n{MODULE}", "utf-8")
    (folder / "my_network.py").write_text("", "utf-8")
    # The agents import the last one, which Python has.
    for name in (*LOOKED_FOR, "tabnanny"):
        (folder / f"{name}.py").write_text(MARK, "utf-8")
    return folder


@pytest.mark.parametrize("isolated", [False, True])
def test_of_the_current_folder_only_agents_are_loaded(
    current_folder: Path, tmp_path: Path, isolated: bool
) -> None:
    """Also in worker processes; no library that looks for another one finds it there."""
    script = tmp_path / "command.py"
    script.write_text("from mammalath_env.cli import main; main()", "utf-8")
    options = [str(script)]
    if isolated:
        code = (
            "import sys; sys.path.insert(0, {!r}); from mammalath_env.__main__ import main; main()"
        )
        options = ["-I", "-c", code.format(str(ROOT))]

    def command(*arguments: str) -> str:
        printed = finish(sys.executable, *options, *arguments, cwd=current_folder).stdout
        assert not list(current_folder.glob("*.ran"))
        return printed

    many = ("--deals", "2", "--seed", "1", "--game", "mancala", "--jobs", "2")
    command("match", "my_agents:Nth", "my_agents:Outer.Inner", *many, "--record", "games.jsonl")
    assert "my_agents:Nth against my_agents:Outer.Inner" in command("replay", "games.jsonl")
    if isolated:
        return
    rated = json.loads(command("arena", "my_agents:Nth", "random", *many, "--json"))
    assert rated["matches"][0]["agents"] == ["my_agents:Nth", "random"]
    command("show", "--png", "board.png")
    command("watch", "my_agents:Nth", "mcts:simulations=20")
