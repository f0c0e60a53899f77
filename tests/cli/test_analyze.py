"""``mammalath analyze``: positions, games, pages and queries; and analyses while playing."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from mammalath_env import make_game
from mammalath_env.arena import GameRecord, analyze_game, read_records, write_record
from mammalath_env.arena.analysis_queries import _Query
from mammalath_env.cli import analyze as commands
from mammalath_env.cli import app
from tests.arena.analysts import FirstMoves
from tests.processes import ROOT, finish
from tests.test_readme import blocks

WON = "DEDBEE/CFCEC1/1CFC2/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7"
SHARP = "1A1BB1/1E4/3A2/6/2A3/2BB2 b3b1/w5/2wbww/b1b1b1/ww4/1b2wb b 24"
"""Black wins at once on b4 or d4, and loses by b1."""

START = "4,4,4,4,4,4/4,4,4,4,4,4 0-0 s 0 0"
FAST = ("--agent", "alphabeta:depth=2")


def run(*arguments: str, typed: str = "", code: int = 0) -> Any:
    """Run the command in this process."""
    result = CliRunner().invoke(app, ["analyze", *arguments], input=typed)
    assert result.exit_code == code, result.output
    return result


def words(result: Any) -> str:
    """Return all output in one line, without the frames that errors are drawn in."""
    return " ".join(result.output.replace("│", " ").split())


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A file of a game with a blunder in it, and of one more."""
    path = tmp_path / "games.jsonl"
    mammalath = make_game("mammalath")
    write_record(path, GameRecord(mammalath, SHARP, ("b1",), ("me", "you"), None, "unfinished"))
    write_record(
        path, GameRecord(make_game("mancala"), START, ("A", "b"), ("a", "b"), None, "unfinished")
    )
    return path


def test_the_best_moves_of_a_position() -> None:
    """With value, proof and the rest of the variation; in words and as JSON."""
    result = run(*WON.split(), *FAST, "--multipv", "3")
    assert WON in result.output
    assert re.search(r"^e3 +100\.0% +win in 1", result.output, re.MULTILINE)
    assert "Values are win probabilities of black" in result.output
    found = json.loads(run(WON, *FAST, "--multipv", "3", "--json").stdout)
    assert found["position"] == WON
    assert len(found["lines"]) == 3
    best = found["lines"][0]
    assert (best["move"], best["value"], best["verdict"], best["plies"]) == ("e3", 1, "win", 1)
    assert best["variation"] == ["e3"]


def test_visits_are_shown_where_they_are_counted() -> None:
    """That is, with Monte Carlo tree search."""
    result = run(START, "--game", "mancala", "--agent", "mcts:simulations=50")
    assert re.search(r"^move +value +visits +goes on", result.output, re.MULTILINE)
    assert "visits" not in run(START, "--game", "mancala", *FAST).output


def test_a_deal_can_be_had_again() -> None:
    """Its seed is shown, and the same seed gives the same."""
    result = run("--game", "mancala", *FAST)
    seed = re.search(r"^seed (\d+), deal", result.output, re.MULTILINE)
    assert seed is not None
    again = json.loads(run("--game", "mancala", *FAST, "--seed", seed[1], "--json").stdout)
    assert again["seed"] == int(seed[1])


def test_moves_of_games(games: Path) -> None:
    """Each with what it lost, and the wins that were missed; and a summary of each player."""
    result = run(str(games), *FAST)
    assert re.search(
        r" 1 +black b1 +100% +100% +[bd]4 +blunder, missed win in 1",
        result.output,
    )
    assert "blunders 1, missed wins 1, allowed wins 1" in result.output
    assert "Game 2, Mancala: a against b" in result.output
    found = json.loads(run(str(games), *FAST, "--json").stdout)
    expected = [
        analyze_game(record, FAST[1], multipv=5).to_data() for record in read_records(games)
    ]
    assert found == expected
    (move,) = found[0]["moves"]
    assert (move["blunder"], move["missed_win"]) == (True, True)
    assert move["lines"][0]["move"] in ("b4", "d4")
    parallel = json.loads(run(str(games), *FAST, "--json", "--jobs", "2").stdout)
    assert parallel == expected


def test_games_are_kept_with_their_evaluations(games: Path, tmp_path: Path) -> None:
    """They are valid records, and the file that was read stays as it is."""
    before, graded = games.read_bytes(), tmp_path / "graded.jsonl"
    run(str(games), *FAST, "--record", str(graded))
    assert games.read_bytes() == before
    first, second = read_records(graded)
    assert first.evaluations == (1.0,)
    assert second.evaluations is not None
    assert len(second.evaluations) == 2


def test_pages_show_the_analysis(games: Path, tmp_path: Path) -> None:
    """By either command the same page."""
    one, two = tmp_path / "one.html", tmp_path / "two.html"
    assert f"wrote {one}" in run(str(games), *FAST, "--html", str(one)).output
    arguments = ["replay", str(games), "--html", str(two), "--analyze", FAST[1]]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    page = one.read_text("utf-8")
    assert re.search("missed win in 1, allowed win in 2; better: [bd]4", page)
    assert two.read_text("utf-8") == page


def test_agents_of_other_modules() -> None:
    """They analyze, too; what they print is no result, and their errors are told."""
    found = json.loads(
        run(START, "--game", "mancala", "--agent", f"{__name__}:Chatty", "--json").stdout
    )
    assert found["lines"][0]["move"] == "A"
    result = run(START, "--game", "mancala", "--agent", "tests.arena.analysts:Broken", code=2)
    assert "RuntimeError: out of order" in words(result)


class Chatty(FirstMoves):
    """Prints what it is asked."""

    def analyze(self, *arguments: Any, **options: Any) -> Any:
        """Print, and return the first moves."""
        print("thinking")
        return super().analyze(*arguments, **options)


def test_queries_on_standard_input() -> None:
    """Answers are lines of JSON, whatever an agent prints; the end of the input ends it."""
    query = json.dumps({"id": "q", "game": "mancala", "position": START, "multipv": 2})
    finished = subprocess.run(
        [sys.executable, "-m", "mammalath_env", "analyze", "-", "--agent", f"{__name__}:Chatty"],
        cwd=ROOT,
        input=f"{query}\n\nnonsense\n",
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=True,
    )
    answers = [json.loads(line) for line in finished.stdout.splitlines()]
    answers.sort(key=lambda answer: "error" in answer)
    assert [answer.get("id") for answer in answers] == ["q", None]
    assert [line["move"] for line in answers[0]["lines"]] == ["A", "B"]
    assert "thinking" in finished.stderr
    by_option = run("--stdin", "--agent", "alphabeta:depth=1", typed=f"{query}\n")
    assert json.loads(by_option.stdout)["id"] == "q"


def test_interrupted_queries_end(tmp_path: Path) -> None:
    """A search without an end stops with the command, and leaves no process behind."""
    query = json.dumps({"id": "q", "game": "mancala", "position": START})
    code = (
        "import os, signal, sys, threading, time\n"
        "from mammalath_env.cli import main\n"
        "from tests.arena.analysts import Waiter\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # shells may have it ignored\n"
        "def interrupt():\n"
        "    Waiter.began.acquire()\n"
        "    while True:  # a signal just before a read does not end the read\n"
        "        time.sleep(1)\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        time.sleep(30)\n"
        "threading.Thread(target=interrupt, daemon=True).start()\n"
        "sys.argv = ['mammalath', 'analyze', '-', '--agent', 'tests.arena.analysts:Waiter']\n"
        "read, write = os.pipe()\n"
        "os.dup2(read, 0)\n"
        f"os.write(write, {query.encode()!r} + b'\\n')\n"
        "main()\n"
    )
    finish(sys.executable, "-c", code, code=130)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x"], "expected four fields"),
        (["--jobs", "0"], "--jobs must be a number of positions, or -1"),
        (["--agent", "random"], "agent 'random' does not analyze positions"),
        (["--agent", "nobody"], "unknown agent 'nobody'"),
        (["--agent", "neural", "--game", "mancala"], "no network"),
        (["/nonexistent/games.jsonl"], "No such file"),
        (["--html", "a.html"], "--html and --record are for files of records"),
        (["-", "--record", "a.jsonl"], "--html and --record are for files of records"),
        (["x", "--stdin"], "choose one of --stdin and a position or a file"),
        (["games.jsonl", "--html", "a.html", "--json"], "choose one of --json and --html"),
        (["--game", "mancala", "0,0,0,0,0,0/0,0,0,0,0,0 25-23 n 3 80"], "the game is over"),
        (["--multipv", "0"], "should be greater than or equal to 1"),
    ],
)
def test_mistakes(arguments: list[str], message: str) -> None:
    """Exit code 2 and a message that says what was wrong."""
    assert message in words(run(*arguments, code=2))


def test_pages_alone_are_analyzed_by_replay(games: Path) -> None:
    """Elsewhere there is the command for it."""
    result = CliRunner().invoke(app, ["replay", str(games), "--analyze", "mcts"])
    assert result.exit_code == 2
    assert "--analyze is for pages" in words(result)


def test_analyses_while_playing() -> None:
    """Of the position at hand, and the game goes on."""
    typed = "analyze\ne3\n"
    result = CliRunner().invoke(app, ["play", "human", "--position", WON], input=typed)
    assert result.exit_code == 0
    assert re.search(r"^e3 +100\.0% +win in 1", result.output, re.MULTILINE)
    assert "Black wins" in result.output


def test_the_queries_of_the_page() -> None:
    """They are answered as the page shows, in any order."""
    page = (ROOT / "docs" / "analysis.md").read_text("utf-8")
    (queries,) = (block for block in blocks(page, "sh") if "<<END" in block)
    command, *lines, end = queries.rstrip().split("\n")
    assert end == "END"
    arguments = shlex.split(command.removesuffix("<<END"))[2:]
    answers = run(*arguments, typed="\n".join(lines)).stdout.splitlines()
    (shown,) = blocks(page, "text")
    assert sorted(answers) == sorted(shown.splitlines())


def test_the_page_lists_the_members_of_queries() -> None:
    """All that a query may have, and no more."""
    page = (ROOT / "docs" / "analysis.md").read_text("utf-8")
    table = page[page.index("| member of a query") : page.index("Each turn has one answer")]
    cells = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    members = re.findall(r"`(\w+)`", " ".join(cells))
    assert set(members) == {field.name for field in msgspec.structs.fields(_Query)}


def test_one_job_per_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in contests, -1 is one for each core."""
    found: list[int] = []
    monkeypatch.setattr(commands, "answer_queries", lambda *args: found.append(args[3]))
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    run("-", "--jobs", "-1")
    run("-", "--jobs", "2")
    assert found == [7, 2]
