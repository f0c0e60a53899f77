"""The engine against the recorded games and counts of ``tests/golden``."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mammalath_env.core.position import Position
from mammalath_env.games import GAMES, make_game

GOLDEN = Path(__file__).parent.parent / "golden"
PLAYTHROUGHS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (GOLDEN / "playthroughs.jsonl").read_text(encoding="utf-8").splitlines()
]
COUNTS: list[dict[str, Any]] = json.loads((GOLDEN / "perft.json").read_text(encoding="utf-8"))
MAMMALATH = ("mammalath", "mammalath_plus")
WINNERS = {"b": 0, "w": 1, "draw": None}


def _numbered(entries: list[dict[str, Any]]) -> list[Any]:
    """Return the entries of the two Mammalath games as parameters with readable ids."""
    return [
        pytest.param(entry, id=f"{entry['game']}-{number}")
        for number, entry in enumerate(entries)
        if entry["game"] in MAMMALATH
    ]


def _count_sequences(position: Position, length: int) -> int:
    """Return how many sequences of exactly `length` legal moves there are."""
    if length == 0:
        return 1
    return sum(
        _count_sequences(position.play(action), length - 1) for action in position.legal_actions()
    )


def test_every_game_has_golden_games() -> None:
    """No game of the package goes without, and no golden entry is left out by a wrong name."""
    assert set(GAMES) <= {entry["game"] for entry in PLAYTHROUGHS}
    for name in MAMMALATH:
        assert sum(entry["game"] == name for entry in PLAYTHROUGHS) >= 30
        assert sum(entry["game"] == name for entry in COUNTS) >= 6


def test_golden_games_of_mammalath_show_every_end() -> None:
    """Each reason and each winner comes up in each size."""
    for name in MAMMALATH:
        ends = {(end["reason"], end["result"]) for end in PLAYTHROUGHS if end["game"] == name}
        assert {reason for reason, _ in ends} == {
            kind.label for kind in make_game(name).termination
        }
        assert {result for _, result in ends} == set(WINNERS)


@pytest.mark.parametrize("golden", _numbered(PLAYTHROUGHS))
def test_golden_games_replay_as_recorded(golden: dict[str, Any]) -> None:
    """Every golden game comes out as recorded, and every position of it reads back."""
    game = make_game(golden["game"])
    position = game.from_text(golden["start"])
    assert position.to_text() == golden["start"]
    for ply, move in enumerate(golden["moves"]):
        assert position.outcome is None
        assert position.ply == ply
        legal = position.legal_actions()
        assert len(legal) == golden["legal"][ply]
        listed = ",".join(str(action) for action in legal)
        assert zlib.crc32(listed.encode()) == golden["legal_crc32"][ply]
        action = game.parse_move(move, position)
        assert position.move_text(action) == move
        position = position.play(action)
        assert game.from_text(position.to_text()) == position
    assert position.to_text() == golden["end"]
    assert position.outcome is not None
    assert position.outcome.winner == WINNERS[golden["result"]]
    assert position.outcome.termination.label == golden["reason"]
    assert position.legal_actions() == []


@pytest.mark.parametrize("root", _numbered(COUNTS))
def test_count_of_sequences(root: dict[str, Any], scale: Callable[[int], int]) -> None:
    """The numbers of move sequences agree, all lengths of them unless there is little time."""
    position = make_game(root["game"]).from_text(root["position"])
    most_leaves = scale(max(root["leaves"]))
    counted = [leaves for leaves in root["leaves"] if leaves <= most_leaves]
    lengths = range(1, max(len(counted), 1) + 1)
    found = [_count_sequences(position, length) for length in lengths]
    assert found == root["leaves"][: len(found)]
