"""``mammalath replay`` and ``mammalath watch`` say how games ended, and keys go back and forth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mammalath_env import make_game
from mammalath_env.arena import GameRecord
from mammalath_env.cli import app, replay

WON = "DEDBEE/CFCEC1/1CFC2/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7"
LOST = "DEDBEE/CFCEC1/1CFCE1/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7"


def record_of(start: str, winner: int, reason: str) -> GameRecord:
    """Return a game of one move."""
    return GameRecord(make_game("mammalath"), start, ("e3",), ("me", "you"), winner, reason)


RECORDS = [record_of(LOST, 1, "animals captured"), record_of(WON, 0, "empty line")]


def test_results_are_sentences(tmp_path: Path) -> None:
    """In words of the rules; records and JSON keep the label."""
    for record, words in zip(RECORDS, ("(R9)", "(R10)"), strict=True):
        reason = record.reason
        path = tmp_path / "one.jsonl"
        path.write_text(record.to_json() + "\n", "utf-8")
        output = CliRunner().invoke(app, ["replay", str(path)]).output
        last = output.rstrip().splitlines()[-1]
        assert " won: " in last
        assert last.endswith(words)
        assert (
            f'"reason": "{reason}"'
            in CliRunner().invoke(app, ["replay", str(path), "--json"]).output
        )


def test_one_game_is_checked_alone(tmp_path: Path) -> None:
    """Other lines may be broken; where it is broken or missing itself, the error says so."""
    path = tmp_path / "games.jsonl"
    lost, won = (record.to_json() for record in RECORDS)
    path.write_text(f"\ufeff{lost}\n{{}}\n{won}\n{lost[:-9]}", "utf-8")
    for number, record in ((1, RECORDS[0]), (3, RECORDS[1])):
        result = CliRunner().invoke(app, ["replay", str(path), "--game", str(number)])
        assert result.exit_code == 0
        assert f"Game {number}, " in result.stdout
        assert record.start in result.stdout
        assert result.stderr == ""
    for number, words in ((2, "line 2: "), (4, "line 4: the last line is cut off"), (5, "3 games")):
        result = CliRunner().invoke(app, ["replay", str(path), "--game", str(number)])
        assert result.exit_code == 2
        assert words in " ".join(result.stderr.replace("│", " ").split())


def test_watch_ends_with_a_sentence() -> None:
    """That says who won, and by which rule."""
    output = CliRunner().invoke(app, ["watch", "greedy", "random", "--seed", "2"]).output
    assert re.search(r"\n(greedy|random) \((black|white)\) won: .* \(R\d+\)\n$", output)


def test_keys_go_back_to_the_game_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """To its end, from where they can go on."""
    keys: Iterator[str] = iter("nbbq")
    seen: list[tuple[int, bool]] = []
    original = replay.step_with_keys

    def step(pictures: list[object], at_end: bool) -> int:
        seen.append((len(pictures), at_end))
        return original([lambda: "picture"] * len(pictures), at_end)

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.getchar", lambda: next(keys))
    monkeypatch.setattr(replay, "step_with_keys", step)
    replay.step_through(RECORDS, 1, True)
    assert seen == [(2, False), (2, False), (2, True)]
