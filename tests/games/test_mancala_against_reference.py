"""Mancala's engine against the slow program written from the rules, and against golden games."""

from __future__ import annotations

import json
import random
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mammalath_env.core.position import Position
from mammalath_env.games.mancala.game import MancalaGame
from tests.games.random_play import Playthrough, play_randomly, until
from tests.reference.mancala import MancalaReference

GOLDEN = Path(__file__).parent.parent / "golden" / "playthroughs.jsonl"
PLAYTHROUGHS: list[dict[str, Any]] = [
    golden
    for line in GOLDEN.read_text(encoding="utf-8").splitlines()
    if (golden := json.loads(line))["game"] == "mancala"
]
GAMES_EACH = 2000
WINNERS = {"S": 0, "N": 1, "draw": None}
# The slow program names one end otherwise.
REASONS = {
    "majority": "majority",
    "opponent cannot be fed": "opponent cannot be fed",
    "no-capture limit": "no capture limit",
}


def _check_playthrough(playthrough: Playthrough, slow: MancalaReference) -> None:
    """Follow a game of the engine with the slow program, which agrees on everything."""
    game = playthrough.positions[0].game
    for at, action in zip(playthrough.positions, playthrough.actions, strict=False):
        assert at.to_text() == slow.to_text()
        assert at.legal_actions() == slow.legal_actions()
        assert at.outcome is None
        assert slow.result is None
        assert game.format_move(action, at) == slow.format_move(action)
        slow.apply(action)
    end = playthrough.positions[-1]
    assert end.to_text() == slow.to_text()
    assert end.legal_actions() == slow.legal_actions() == []
    assert end.outcome is not None
    assert slow.result is not None
    assert slow.reason is not None
    assert end.outcome.winner == WINNERS[slow.result]
    assert end.outcome.termination.label == REASONS[slow.reason]


def _late_start(game: MancalaGame, rng: random.Random) -> Position:
    """Return a position with full and empty holes, after many plies, that the game accepts."""
    while True:
        player = rng.randrange(2)
        rows = [[0] * 6, [0] * 6]
        stores = [rng.randrange(2, 19), rng.randrange(2, 19)]
        # Few holes share the seeds, so that some hold enough for one lap or two.
        filled = rng.sample(range(12), rng.randrange(2, 8))
        for _ in range(48 - sum(stores)):
            place = filled[min(rng.randrange(len(filled)), rng.randrange(len(filled)))]
            rows[place // 6][place % 6] += 1
        if sum(rows[player]) == 0 or min(rows[1 - player]) > 0:
            continue
        holes = "/".join(",".join(map(str, row)) for row in rows)
        since_capture = rng.randrange(1, game.config.no_capture_limit)
        text = (
            f"{holes} {stores[0]}-{stores[1]} {'sn'[player]} {since_capture} {since_capture + 60}"
        )
        slow = MancalaReference.from_text(text, **_options(game))
        if slow.result is None:
            return game.from_text(text)


def _options(game: MancalaGame) -> dict[str, Any]:
    return {
        "capture": game.config.capture,
        "no_capture_limit": game.config.no_capture_limit,
    }


@pytest.mark.parametrize("capture", ["last", "chain"])
def test_mancala_agrees_with_the_reference(capture: str, scale: Callable[[int], int]) -> None:
    """Whole random games, either player beginning, and late starts, agree throughout."""
    rng = random.Random(f"against the reference: {capture}")
    game = MancalaGame.mancala(capture=capture)
    ends: Counter[tuple[str, str]] = Counter()
    kinds = {(reason, result) for reason in REASONS for result in WINNERS} - {("majority", "draw")}
    for k in until(lambda: set(ends) == kinds, scale(GAMES_EACH), GAMES_EACH):
        start = _late_start(game, rng) if k % 4 == 2 else game.deal(rng.getrandbits(64))
        slow = MancalaReference.from_text(start.to_text(), **_options(game))
        _check_playthrough(play_randomly(start, rng), slow)
        ends[str(slow.reason), str(slow.result)] += 1
    assert set(ends) == kinds
    assert min(ends.values()) >= ends.total() // 400


@pytest.mark.parametrize("limit", [1, 2, 3, 10, 127])
@pytest.mark.parametrize("capture", ["last", "chain"])
def test_random_games_with_other_limits(
    capture: str, limit: int, scale: Callable[[int], int]
) -> None:
    """Short and long counts of plies without a capture agree as well (R26)."""
    rng = random.Random(f"against the reference: {capture} {limit}")
    game = MancalaGame.mancala(capture=capture, no_capture_limit=limit)
    for _ in range(scale(GAMES_EACH // 20)):
        start = game.deal(rng.getrandbits(64))
        slow = MancalaReference.from_text(start.to_text(), **_options(game))
        _check_playthrough(play_randomly(start, rng), slow)


@pytest.mark.parametrize("capture", ["last", "chain"])
def test_golden_games_of_mancala_show_every_winner(capture: str) -> None:
    """There are golden games of both capture rules, with each winner."""
    results = [golden["result"] for golden in PLAYTHROUGHS if golden["capture"] == capture]
    assert len(results) >= 20
    assert set(results) == set(WINNERS)


@pytest.mark.parametrize(
    "golden",
    [
        pytest.param(golden, id=f"{golden['capture']}-{number}")
        for number, golden in enumerate(PLAYTHROUGHS)
    ],
)
def test_golden_playthrough(golden: dict[str, Any]) -> None:
    """Every golden game comes out as recorded, and every position of it reads back."""
    game = MancalaGame.mancala(
        capture=golden["capture"], no_capture_limit=golden["no_capture_limit"]
    )
    position = game.deal(0, first_player=0)
    for ply, move in enumerate(golden["moves"]):
        assert position.outcome is None
        assert position.ply == ply
        listed = ",".join(str(action) for action in position.legal_actions())
        assert zlib.crc32(listed.encode()) == golden["legal_crc32"][ply]
        action = game.parse_move(move, position)
        assert game.format_move(action, position) == move
        position = position.play(action)
        assert game.from_text(position.to_text()) == position
    holes, stores, _, since_capture, plies = position.to_text().split(" ")
    assert [int(seeds) for seeds in holes.replace("/", ",").split(",")] == golden["left"]
    assert [int(seeds) for seeds in stores.split("-")] == golden["stores"]
    assert (int(since_capture), int(plies)) == (golden["quiet"], len(golden["moves"]))
    assert position.outcome is not None
    assert position.outcome.winner == WINNERS[golden["result"]]
    assert position.legal_actions() == []
