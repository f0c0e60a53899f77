"""``mammalath replay`` and ``mammalath watch`` say how games ended, and keys go back and forth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mammalath_env.arena import read_records
from mammalath_env.cli import app, replay
from tests.processes import ROOT

GAMES = ROOT / "tests" / "golden" / "playthroughs.jsonl"


def test_results_are_sentences(tmp_path: Path) -> None:
    """In words of the rules; records and JSON keep the label."""
    records = read_records(GAMES)
    for reason, words in (("animals captured", "(R9)"), ("empty line", "(R10)")):
        record = next(each for each in records if each.reason == reason)
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


def test_watch_ends_with_a_sentence() -> None:
    """That says who won, and by which rule."""
    output = CliRunner().invoke(app, ["watch", "greedy", "random", "--seed", "2"]).output
    assert re.search(r"\n(greedy|random) \((black|white)\) won: .* \(R\d+\)\n$", output)


def test_keys_go_back_to_the_game_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """To its end, from where they can go on."""
    keys: Iterator[str] = iter("nbbq")
    records = read_records(GAMES)[:2]
    frames = [len(record.moves) + 1 for record in records]
    seen: list[tuple[int, bool]] = []
    original = replay.step_with_keys

    def step(pictures: list[object], at_end: bool) -> int:
        seen.append((len(pictures), at_end))
        return original([lambda: "picture"] * len(pictures), at_end)

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.getchar", lambda: next(keys))
    monkeypatch.setattr(replay, "step_with_keys", step)
    replay.step_through(records, 1, True)
    assert seen == [(frames[0], False), (frames[1], False), (frames[0], True)]
