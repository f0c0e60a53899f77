"""The tables of docs/records.md are those of the JSON that the package writes."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from mammalath_env.arena import Tournament, read_records, record_schema
from mammalath_env.arena.analysis import BLUNDER
from mammalath_env.arena.faults import MAX_TRACEBACK
from mammalath_env.arena.records import FORFEITS, FORMAT, UNFINISHED
from mammalath_env.arena.tournament import FORMAT as TOURNAMENT_FORMAT
from mammalath_env.cli import app
from tests.test_readme import ROOT, rows

PAGE = (ROOT / "docs" / "records.md").read_text("utf-8")


def table_after(words: str) -> dict[str, list[str]]:
    """Return the rows of the first table after some words, by the name in their first cell."""
    table = re.search(r"\n((?:\|.*\n)+)", PAGE[PAGE.index(words) :])
    assert table is not None
    return {row[0].strip("`"): row[1:] for row in list(rows(table[1]))[2:]}


def printed(*arguments: str) -> Any:
    """Return the JSON that a command prints."""
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout)


# What a value of each type in the tables is.
TYPES: dict[str, Any] = {
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
    "text": lambda value: isinstance(value, str),
    "object": lambda value: isinstance(value, dict),
    "list": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
    "bool": lambda value: isinstance(value, bool),
}


def fits(value: Any, kind: str) -> bool:
    """Return whether a value is of a type in words, such as ``two texts``."""
    if kind.startswith(("two ", "list of ")):
        of, two = kind.removeprefix("two ").removeprefix("list of "), kind.startswith("two ")
        of = " or ".join(each.removesuffix("s") for each in of.split(" or "))
        right_length = not two or len(value) == 2
        return isinstance(value, list) and right_length and all(fits(each, of) for each in value)
    return any(TYPES[each](value) for each in kind.split(" or "))


def check(found: dict[str, Any], table: dict[str, list[str]]) -> None:
    """Compare an object with its table."""
    assert set(found) == set(table)
    for member, value in found.items():
        assert fits(value, table[member][0]), (member, value)


def named_in(text: str) -> set[str]:
    """Return the names in backticks."""
    return set(re.findall(r"`(\w+)`", text))


def test_members_of_records(tmp_path: Path) -> None:
    """In lines with and without evaluations and forfeits, and in the schema."""
    path, table = tmp_path / "games.jsonl", table_after("## Records")
    arguments = ("match", "alphabeta:depth=1", "tests.arena.players:failing", "--deals", "1")
    printed(*arguments, "--game", "mancala", "--record", str(path))
    CliRunner().invoke(app, ["play", "random", "--seed", "1", "--save", str(path)], "resign\n")
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert {line["reason"] for line in lines} == {"agent failed", "resigned"}
    for line in lines:
        check(line, table)
    assert set(lines[0]["match"]) == named_in(table["match"][1])
    schema = record_schema()["$defs"]["RecordMembers"]["properties"]
    assert set(schema) == set(table)
    assert table["format"][1].startswith(f"{FORMAT};")
    assert str(MAX_TRACEBACK) in table["traceback"][1]
    assert {*FORFEITS, UNFINISHED} <= set(re.findall("`([^`]+)`", table["reason"][1]))
    assert len(read_records(path)) == len(lines)


def test_members_of_results() -> None:
    """Those of a match and of an arena, with all that is inside."""
    table = table_after("## Results of matches")
    arguments = ("random", "tests.arena.players:failing", "--deals", "1", "--game", "mancala")
    match = printed("match", *arguments)
    check(match, table)
    for seat in ("moving_first", "moving_second"):
        assert set(match[seat]) == named_in(table["moving_first"][1])
    arena, table = printed("arena", *arguments), table_after("`mammalath arena --json`")
    check(arena, table)
    assert set(arena["matches"][0]) == set(match)
    assert set(arena["ratings"][0]) == named_in(table["ratings"][1])
    assert f"`format`, which is {TOURNAMENT_FORMAT}" in PAGE
    assert set(json.loads(Tournament(()).to_json())) == {"format", "matches"}


def test_members_of_sequential_tests() -> None:
    """With all that is inside; where all pairs are alike there are no estimates."""
    table = table_after("`mammalath sprt --json`")
    options = ("--game", "mancala", "--seed", "1")
    found = printed("sprt", "alphabeta:depth=1", "alphabeta:depth=2", *options, "--max-deals", "4")
    check(found, table)
    assert found["decision"] is None
    assert set(found["test"]) < named_in(table["test"][1])
    estimates = found["estimates"]
    assert set(estimates) | set(estimates["elo"]) == named_in(table["estimates"][1])
    alike = printed("sprt", "greedy", "random", *options)
    check(alike, table)
    assert alike["estimates"] is None
    assert alike["decision"] in named_in(table["decision"][1])
    assert set(found["match"]) == set(table_after("## Results of matches"))


def test_members_of_analyses(tmp_path: Path) -> None:
    """Of a position, and of a game with all its moves."""
    arguments = ("--agent", "alphabeta:depth=1", "--game", "mancala")
    of_position, of_line = table_after("## Analyses"), table_after("each of the `lines` has")
    found = printed("analyze", *arguments)
    check(found, of_position)
    for line in found["lines"]:
        check(line, of_line)
    path = tmp_path / "games.jsonl"
    printed("match", "random", "random", "--deals", "1", "--game", "mancala", "--record", str(path))
    game, _ = printed("analyze", *arguments, str(path))
    check(game, table_after("For a file of records it prints"))
    members = list(of_position)
    shared = {name: of_position[name] for name in members[members.index("position") :]}
    of_move = shared | table_after("Each of the `moves` has")
    for move in game["moves"]:
        check(move, of_move)
        check(move["played"], of_line)
    assert f"lost {BLUNDER} or more" in of_move["blunder"][1]


WIN = "B2A1F/C4C/3F1C/B4A/F5/A5 b3w1/4b1/1w4/bb3w/3bww/b1b3 w 20"


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("show", [WIN]),
        ("solve", [WIN, "--nodes", "1000"]),
        ("perft", [WIN, "--depth", "1"]),
        ("games", []),
        ("bench", ["--lanes", "8", "--seconds", "0.01"]),
        ("engine-check", [f"{sys.executable} -c pass"]),
        ("replay", []),
    ],
)
def test_members_of_other_commands(command: str, arguments: list[str], tmp_path: Path) -> None:
    """Objects, and lists of objects."""
    (words,) = table_after("## Other commands")[command]
    if command == "replay":
        arguments = [str(tmp_path / "games.jsonl")]
        # The agent has moved when the person leaves: a game without moves is not saved.
        CliRunner().invoke(app, ["play", "random", "--seat", "second", "--save", *arguments])
    found = printed(command, *arguments)
    assert isinstance(found, list) == words.startswith("a list of objects")
    members = re.sub(r"\([^)]*\)", "", words)
    assert set(found[0] if isinstance(found, list) else found) == named_in(members)


def test_puzzles_by_kind() -> None:
    """Each kind has its counts."""
    words = table_after("## Other commands")["puzzles"][0]
    found = printed("puzzles", "random")
    assert set(found["win in 1"]) == named_in(words)


def test_every_command_with_json_is_there() -> None:
    """Each has a table or a row."""
    commands = getattr(get_command(app), "commands")  # noqa: B009, a group has them
    with_json = {
        name
        for name, command in commands.items()
        if any("--json" in parameter.opts for parameter in command.params)
    }
    assert with_json == {*table_after("## Other commands"), "match", "arena", "sprt", "analyze"}
