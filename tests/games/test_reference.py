"""The slow reference programs against the golden games and counts."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.reference.mammalath import PATTERNS, MammalathReference
from tests.reference.mancala import CANNOT_FEED, MAJORITY, NO_CAPTURE, MancalaReference

GOLDEN = Path(__file__).parent.parent / "golden"
MOST_LEAVES = 15_000


def _games(*names: str) -> list[Any]:
    """Return the golden games of these names, as parameters with readable ids."""
    lines = (GOLDEN / "playthroughs.jsonl").read_text(encoding="utf-8").splitlines()
    games = [json.loads(line) for line in lines]
    return [
        pytest.param(game, id=f"{game['game']}-{number}")
        for number, game in enumerate(games)
        if game["game"] in names
    ]


def _counts() -> list[Any]:
    """Return game, position, length and expected count for every count that is small enough."""
    roots = json.loads((GOLDEN / "perft.json").read_text(encoding="utf-8"))
    return [
        pytest.param(
            root["game"], root["position"], length, leaves, id=f"{root['game']}-{number}-{length}"
        )
        for number, root in enumerate(roots)
        for length, leaves in enumerate(root["leaves"], start=1)
        if leaves <= MOST_LEAVES
    ]


def _crc32(actions: list[int]) -> int:
    return zlib.crc32(",".join(str(action) for action in actions).encode())


def _count_leaves(position: MammalathReference, length: int) -> int:
    if length == 0:
        return 1
    total = 0
    for action in position.legal_actions():
        following = position.copy()
        following.apply(action)
        total += _count_leaves(following, length - 1)
    return total


def _check_mammalath_text(position: MammalathReference) -> None:
    text = position.to_text()
    again = MammalathReference.from_text(text, position.game)
    assert again.to_text() == text
    assert (again.result, again.reason) == (position.result, position.reason)
    assert again.legal_actions() == position.legal_actions()


def _check_mancala_text(position: MancalaReference) -> None:
    text = position.to_text()
    again = MancalaReference.from_text(text, position.capture, position.no_capture_limit)
    assert again.to_text() == text
    assert (again.result, again.reason) == (position.result, position.reason)
    assert again.legal_actions() == position.legal_actions()


@pytest.mark.parametrize("golden", _games("mammalath", "mammalath_plus"))
def test_mammalath_playthrough(golden: dict[str, Any]) -> None:
    """Every golden game comes out as recorded, move by move."""
    position = MammalathReference.from_text(golden["start"], golden["game"])
    for move, count, crc32 in zip(
        golden["moves"], golden["legal"], golden["legal_crc32"], strict=True
    ):
        assert position.result is None
        _check_mammalath_text(position)
        legal = position.legal_actions()
        assert len(legal) == count
        assert _crc32(legal) == crc32
        action = position.parse_move(move)
        assert position.format_move(action) == move
        position.apply(action)
    assert position.result == golden["result"]
    assert position.reason == golden["reason"]
    assert position.to_text() == golden["end"]
    assert position.legal_actions() == []
    _check_mammalath_text(position)


@pytest.mark.parametrize(("game", "text", "length", "leaves"), _counts())
def test_mammalath_counts(game: str, text: str, length: int, leaves: int) -> None:
    """The numbers of move sequences agree."""
    assert _count_leaves(MammalathReference.from_text(text, game), length) == leaves


@pytest.mark.parametrize("golden", _games("mancala"))
def test_mancala_playthrough(golden: dict[str, Any]) -> None:
    """Every golden game comes out as recorded, move by move."""
    position = MancalaReference(golden["capture"], golden["no_capture_limit"])
    for move, crc32 in zip(golden["moves"], golden["legal_crc32"], strict=True):
        assert position.result is None
        _check_mancala_text(position)
        assert _crc32(position.legal_actions()) == crc32
        action = position.parse_move(move)
        assert position.format_move(action) == move
        position.apply(action)
    assert position.result == golden["result"]
    assert position.stores == golden["stores"]
    assert position.holes == golden["left"]
    assert position.plies_since_capture == golden["quiet"]
    assert position.legal_actions() == []
    _check_mancala_text(position)


@pytest.mark.parametrize(
    ("game", "lines", "squares", "actions"),
    [("mammalath", 80, 0, 123), ("mammalath_plus", 130, 49, 252)],
)
def test_action_ids(game: str, lines: int, squares: int, actions: int) -> None:
    """The ids are as many as the rules say and every text names one of them, either way round."""
    patterns = PATTERNS[game]
    assert len(patterns) == lines + squares
    size = 6 if game == "mammalath" else 8
    types = "ABCDEFGH"[:size]
    animals = "/".join(letter * size for letter in types)
    tokens = "/".join([str(size)] * size)
    position = MammalathReference.from_text(f"{animals} {tokens} b 0", game)
    for action in range(actions):
        text = position.format_move(action)
        assert position.parse_move(text) == action
        if "-" in text:
            assert position.parse_move(f"x{text[4:]}-{text[1:3]}") == action
    assert text == "swap"
    with pytest.raises(ValueError, match="no action"):
        position.format_move(actions)


def test_swap_is_optional() -> None:
    """Without R8 the last id and its text do not exist."""
    text = "FEDBCA/EADADF/CEAEEC/EAFBFF/DDCDCB/FBBBCA 6/6/1b4/6/6/6 w 1"
    with_swap = MammalathReference.from_text(text)
    assert with_swap.legal_actions()[-1] == with_swap.parse_move("swap") == 122
    assert with_swap.planes(1)[0][0][-2:] == [1, 1]
    with_swap.apply(122)
    assert with_swap.to_text() == text.replace("1b4", "1w4").replace("w 1", "b 2")
    without = MammalathReference.from_text(text, swap_rule=False)
    assert without.legal_actions()[-1] == 121
    assert without.planes(1)[0][0][-2:] == [0, 1]
    with pytest.raises(ValueError, match="illegal action 122"):
        without.apply(122)
    with pytest.raises(ValueError, match="no move 'swap'"):
        without.parse_move("swap")


def test_planes_of_the_reference_hold_what_they_should() -> None:
    """Types, own tokens, other tokens, swap and turn, with a1 in the first entry (R1)."""
    position = MammalathReference.from_text(
        "DCFBDF/1BCFCB/C3F1/1B4/F1D3/B1D1CC 6/6/5b/1w4/6/1b1w2 w 8"
    )
    white = position.planes(1)
    black = position.planes(0)
    assert [len(white), len(white[0]), len(white[0][0])] == [6, 6, 10]
    assert white[0][0] == [0, 0, 0, 1, 0, 0, 0, 0, 0, 1]
    assert white[3][1] == [0, 1, 0, 0, 0, 0, 1, 0, 0, 1]
    assert black[3][1] == [0, 1, 0, 0, 0, 0, 0, 1, 0, 0]
    assert black[2][5] == [0, 0, 0, 0, 0, 0, 1, 0, 0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "DCFBDF/1BCFCB/C3F1/1B4/F1D3/B1D1CC 6/6/5b/1w4/6/1b1w2 x 8",
        "DCFBDF/1BCFCB/C3F1/1B4/F1D3/B1D1CC 6/6/5b/1w4/6/1b1w2 w 08",
        "DCFBDF/1BCFCB/C3F1/1B4/F1D3/B1D1CC 6/6/5b/1w4/6/1b1w2 w 3",
        "DCFBDF/1BCFCB/C3F1/1B4/F1D3/B1D1CC 6/6/5b/1w4/15/1b1w2 w 8",
        "DCFBDF/1BCFCB/C3F1/1B4/F1D3/B1D1CC 6/6/5b/1w4/6/1www2 w 8",
        "DCFBDG/1BCFCB/C3F1/1B4/F1D3/B1D1CC 6/6/5b/1w4/6/1b1w2 w 8",
    ],
)
def test_mammalath_bad_text(text: str) -> None:
    """A text that is not a position is quoted in the error."""
    with pytest.raises(ValueError, match=r"position|fields|form"):
        MammalathReference.from_text(text)


@pytest.mark.parametrize(
    ("text", "move", "after", "reason"),
    [
        # Twelve seeds go round once without the hole they came from (R21).
        (
            "12,0,0,0,0,0/1,1,1,1,1,1 15-15 s 0 60",
            "A",
            "0,2,1,1,1,1/2,2,2,2,2,2 15-15 n 1 61",
            None,
        ),
        # The only seeds of north would go, so they stay (R23).
        (
            "0,0,0,0,1,1/1,0,0,0,0,0 23-22 s 3 80",
            "F",
            "0,0,0,0,1,0/2,0,0,0,0,0 23-22 n 4 81",
            None,
        ),
        # North has nothing that reaches south and takes it all (R24).
        (
            "0,0,0,0,0,1/0,1,0,0,0,0 23-23 s 3 80",
            "F",
            "0,0,0,0,0,0/0,0,0,0,0,0 23-25 n 4 81",
            CANNOT_FEED,
        ),
        # The same on the ply that reaches the limit is put down to R26.
        (
            "0,0,0,0,0,1/0,1,0,0,0,0 23-23 s 99 180",
            "F",
            "0,0,0,0,0,0/0,0,0,0,0,0 23-25 n 100 181",
            NO_CAPTURE,
        ),
        # Enough seeds end the game with the rest still in the holes (R25).
        (
            "1,0,0,0,0,1/1,1,0,0,0,0 23-21 s 3 80",
            "F",
            "1,0,0,0,0,0/0,1,0,0,0,0 25-21 n 0 81",
            MAJORITY,
        ),
    ],
)
def test_mancala_turns(text: str, move: str, after: str, reason: str | None) -> None:
    """Single turns that each show one rule."""
    position = MancalaReference.from_text(text)
    position.apply(position.parse_move(move))
    assert position.to_text() == after
    assert position.reason == reason
    _check_mancala_text(position)


def test_mancala_chain() -> None:
    """A chain runs back through twos and threes and stops at the first other hole (R22)."""
    text = "0,0,0,0,0,4/3,1,2,1,0,1 20-16 s 5 50"
    chain = MancalaReference.from_text(text, "chain")
    chain.apply(5)
    assert chain.to_text() == "0,0,0,0,0,0/4,0,0,0,0,1 27-16 n 0 51"
    last = MancalaReference.from_text(text, "last")
    last.apply(5)
    assert last.to_text() == "0,0,0,0,0,0/4,2,3,0,0,1 22-16 n 0 51"


def test_mancala_must_feed() -> None:
    """Facing an empty row only moves that reach it are legal (R24), for either player."""
    south = MancalaReference.from_text("1,0,3,0,2,0/0,0,0,0,0,0 21-21 s 9 70")
    assert south.legal_actions() == [4]
    north = MancalaReference.from_text("0,0,0,0,0,0/1,0,0,3,2,0 21-21 n 9 70")
    assert north.legal_actions() == [3, 4]


def test_mancala_first_player() -> None:
    """North may begin (R20)."""
    game = MancalaReference("chain").start(1)
    assert game.to_text() == "4,4,4,4,4,4/4,4,4,4,4,4 0-0 n 0 0"
    assert game.capture == "chain"
    assert game.format_move(0) == "a"
    with pytest.raises(ValueError, match="no move 'A' for n"):
        game.parse_move("A")
