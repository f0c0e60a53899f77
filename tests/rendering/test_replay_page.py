"""The content of replay pages; their behaviour is tested in a browser."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from typing import Any

import numpy as np
import pytest

from mammalath_env import GAMES
from mammalath_env.core.texts import isolated, printable
from mammalath_env.rendering import scene_of
from mammalath_env.rendering.replay import DIGITS, ReplayGame, replay_page
from mammalath_env.rendering.scene import label_of
from mammalath_env.rendering.svg import symbol_id
from tests.rendering.drawings import random_game

NASTY = (
    "</script><script>document.title='run'</script>&amp;<img src=x onerror=alert(1)>"
    "\u2028'\"@@DATA@@"
)


def game(name: str, seed: int, **fields: Any) -> ReplayGame:
    """Return a random game."""
    plies = list(random_game(name, seed))
    return ReplayGame(
        positions=[ply.position for ply in plies],
        actions=[ply.action for ply in plies if ply.action is not None],
        players=fields.pop("players", ("one", "two")),
        result=fields.pop("result", "one won"),
        **fields,
    )


def data_of(page: str) -> Any:
    """Return the data that a page holds."""
    found = re.findall(
        r'<script type="application/json" id="replay-data">(.*?)</script>', page, re.S
    )
    assert len(found) == 1
    return json.loads(found[0])


def unfolded(data: Any, record: Any) -> list[list[int]]:
    """Return the contents of all slots at every ply."""
    now = [0] * len(data["layouts"][record["layout"]]["slots"])
    found = []
    step = 1 + data["digits"]
    for change in record["changes"]:
        for k in range(0, len(change), step):
            content = 0
            for digit in change[k + 1 : k + step]:
                content = content * 64 + DIGITS.index(digit)
            now[DIGITS.index(change[k])] = content
        found.append(now.copy())
    return found


@pytest.fixture(scope="module")
def page() -> str:
    """A page with a game of each kind."""
    return replay_page([game(name, seed) for seed, name in enumerate(GAMES)])


def test_the_data_are_the_drawings(page: str) -> None:
    """Every slot at every ply has the symbols that the scene of the position has."""
    data = data_of(page)
    assert len(DIGITS) == len(set(DIGITS)) == 64
    for seed, name in enumerate(GAMES):
        record = data["games"][seed]
        plies = list(random_game(name, seed))
        assert len(record["changes"]) == len(record["turns"]) == len(plies)
        for ply, contents, turn in zip(plies, unfolded(data, record), record["turns"], strict=True):
            scene = scene_of(*ply)
            for symbols, content in zip(scene.contents, contents, strict=True):
                drawn = [data["symbols"][symbol] for symbol in data["contents"][content]]
                assert drawn == list(map(symbol_id, symbols))
                assert data["labels"][content] == label_of(symbols)
            move, sentence, status = (data["texts"][text] for text in data["turns"][turn])
            assert (sentence, status) == (scene.move, scene.status)
            if ply.previous is not None and ply.action is not None:
                assert move == ply.previous.move_text(ply.action)
        movers = "".join(str(ply.position.to_move) for ply in plies[:-1])
        assert record["movers"] == movers


def test_every_symbol_is_defined_once(page: str) -> None:
    """The page defines each symbol that its data and boards use, and none twice."""
    data = data_of(page)
    defined = re.findall(r'<g id="([^"]+)">', page)
    grounds = {layout["ground"] for layout in data["layouts"]}
    assert len(defined) == len(set(defined))
    assert set(defined) == {*data["symbols"], *grounds}
    assert len(data["layouts"]) == 3


def test_texts_cannot_leave_their_place() -> None:
    """Names and results are data, whatever they hold."""
    nasty = game("mancala", 1, players=(NASTY, "<b>&"), result=NASTY)
    page = replay_page([nasty])
    # A line separator would end the line.
    shown = NASTY.replace("\u2028", "\ufffd")
    assert data_of(page)["games"][0]["players"] == [shown, "<b>&"]
    assert data_of(page)["games"][0]["result"] == shown
    plain = replay_page([dataclasses.replace(nasty, players=("a", "b"), result="c")])
    assert page.count("<") == plain.count("<")
    assert page.count("&") == plain.count("&")
    assert page.isascii() == plain.isascii() is True


@pytest.mark.parametrize(
    "name",
    [
        "Zoë Ångström",
        "e\u0301",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\u2764\ufe0f",
        "山田\u3000太郎",
        "\u0915\u094d\u200d\u0937",
        "x\u00a0y",
        "",
    ],
)
def test_ordinary_names_are_kept(name: str) -> None:
    """Accents, emoji of several characters and spaces of other scripts are no controls."""
    assert isolated(printable(name)) == name
    record = data_of(replay_page([game("mancala", 1, players=(name, "b"), result=name)]))["games"][
        0
    ]
    assert (record["players"], record["result"]) == ([name, "b"], name)


@pytest.mark.parametrize(
    "character",
    [
        *"\0\t\n\x1b\x7f\x85\x9b\u061c\u200e\u200f\u2028\u2029",
        *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ud800",
    ],
    ids=ascii,
)
def test_controls_are_replaced(character: str) -> None:
    """No control, and nothing that changes the direction of letters, gets into names or results."""
    name = f"a{character}b"
    record = data_of(replay_page([game("mancala", 1, players=(name, name), result=name)]))["games"][
        0
    ]
    assert record["players"] == ["a\ufffdb", "a\ufffdb"]
    assert record["result"] == "a\ufffdb"


@pytest.mark.parametrize("name", ["\u05d0\u05d1", "abc \u0627", "\u0663\u0664"])
def test_right_to_left_names_are_isolated(name: str) -> None:
    """Hebrew, Arabic, and Arabic digits alone, which would change places too."""
    record = data_of(replay_page([game("mancala", 1, players=(name, "b\u2069"))]))["games"][0]
    assert record["players"] == [f"\u2068{name}\u2069", "b\ufffd"]


def test_the_policy_allows_the_script_of_the_page_alone(page: str) -> None:
    """The digests are those of the style and the script, and nothing is loaded from elsewhere."""
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert rules["default-src"] == "'none'"
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.S)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    addresses = set(re.findall(r"https?://[^\s\"']+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.findall(r"\s(?:src|style|on\w+)=", page)
    assert "innerHTML" not in page
    assert "@@" not in page


def test_evaluations_are_kept() -> None:
    """They are rounded to three places, and gaps stay gaps."""
    plain = game("mammalath", 2)
    values = [None if k % 3 == 0 else k % 15 / 7 - 1 for k in range(len(plain.actions))]
    data = data_of(replay_page([dataclasses.replace(plain, evaluations=values), plain]))
    kept = data["games"][0]["evaluations"]
    assert kept == [None if value is None else round(value, 3) for value in values]
    assert data["games"][1]["evaluations"] is None


def test_many_games_stay_small() -> None:
    """A ply adds a few dozen bytes, since symbols and texts are written once."""
    few: list[ReplayGame] = []
    many: list[ReplayGame] = []
    for name in GAMES:
        games = [game(name, seed) for seed in range(8)]
        few, many = [*few, *games[:4]], [*many, *games]
    grown = len(replay_page(many)) - len(replay_page(few))
    plies = sum(len(each.positions) for each in many) - sum(len(each.positions) for each in few)
    assert grown / plies < 80


def test_a_page_needs_games() -> None:
    """A page without games is refused."""
    with pytest.raises(ValueError, match="at least one game"):
        replay_page([])


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"positions": []}, ValueError, "at least one position"),
        ({"actions": [0]}, ValueError, "1 actions lead to 2 positions, not to"),
        ({"players": ("one",)}, ValueError, "two players, not 1"),
        ({"players": "ab"}, TypeError, "two names, not the text 'ab'"),
        ({"evaluations": [0.0]}, ValueError, "for each of .* actions, not 1"),
        ({"evaluations": float("nan")}, ValueError, "an evaluation must be finite, not nan"),
        ({"evaluations": -1.5}, ValueError, "-1 to 1, not -1.5"),
        ({"evaluations": "1"}, TypeError, "an evaluation must be a number, not '1'"),
        ({"evaluations": True}, TypeError, "an evaluation must be a number, not True"),
    ],
)
def test_games_are_checked(fields: dict[str, Any], error: type[Exception], message: str) -> None:
    """Games whose parts do not fit are refused before a page is written."""
    plain = game("mancala", 3)
    if "evaluations" in fields and not isinstance(fields["evaluations"], list):
        fields = {"evaluations": [fields["evaluations"]] * len(plain.actions)}
    with pytest.raises(error, match=message):
        dataclasses.replace(plain, **fields)


def test_evaluations_become_floats() -> None:
    """Arrays of NumPy can be given, whose numbers JSON does not know."""
    plain = game("mancala", 3)
    values: Any = np.linspace(-1, 1, len(plain.actions), dtype=np.float32)
    kept = dataclasses.replace(plain, evaluations=values).evaluations
    assert kept == values.tolist()
    data = data_of(replay_page([dataclasses.replace(plain, evaluations=values)]))
    assert data["games"][0]["evaluations"] == [round(value, 3) for value in values.tolist()]
