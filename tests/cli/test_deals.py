"""Random deals can be had again: commands show their seeds and positions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mammalath_env.cli import app
from mammalath_env.core.game import Game
from mammalath_env.games import make_game

SEED = re.compile(r"^seed (\d+), deal (.+)$", re.MULTILINE)


def output(*arguments: str, code: int = 0) -> str:
    """Return what a command prints."""
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result.stdout


def shown_deal(text: str, game: Game) -> tuple[str, str]:
    """Return the seed and the position that are shown, which belong together."""
    found = SEED.search(text)
    assert found is not None, text
    assert game.deal(int(found[1])).to_text() == found[2]
    return found[1], found[2]


def test_show_tells_the_seed(game: Game) -> None:
    """The same seed gives the same output again, and so does the text of the position."""
    text = output("show", "--game", game.name)
    seed, position = shown_deal(text, game)
    again = output("show", "--game", game.name, "--seed", seed)
    assert again == text.replace(f"seed {seed}, deal ", "")
    assert output("show", position, "--game", game.name) == again
    assert shown_deal(output("show", "--game", game.name), game)[0] != seed


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["solve", "--nodes", "10"], 1),
        (["perft", "--depth", "1"], 0),
        (["watch", "random", "random"], 0),
    ],
)
def test_other_commands_do_too(arguments: list[str], code: int) -> None:
    """Commands that deal tell how to have the deal again, unless the user knows."""
    text = output(*arguments, code=code)
    seed, position = shown_deal(text, make_game("mammalath"))
    assert not SEED.search(output(*arguments, "--seed", seed, code=code))
    if arguments[0] != "watch":
        assert not SEED.search(output(*arguments[:1], position, *arguments[1:], code=code))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["show"], 0), (["solve", "--nodes", "10"], 1), (["perft", "--depth", "1"], 0)],
)
def test_json_has_the_seed(arguments: list[str], code: int) -> None:
    """Drawn or given, the seed is in the JSON, with the position; for a position it is null."""
    data: Any = json.loads(output(*arguments, "--json", code=code))
    assert make_game("mammalath").deal(data["seed"]).to_text() == data["position"]
    given = json.loads(output(*arguments, "--seed", str(data["seed"]), "--json", code=code))
    assert given == data
    text = json.loads(output(*arguments[:1], data["position"], *arguments[1:], "--json", code=code))
    assert text == {**data, "seed": None}


def test_pictures_of_deals_tell_the_seed(tmp_path: Path) -> None:
    """A file with a picture of a random deal can be had again."""
    path = tmp_path / "deal.svg"
    shown_deal(output("show", "--svg", str(path)), make_game("mammalath"))


def test_replays_tell_the_seed(tmp_path: Path) -> None:
    """The seed of a record is shown, with the deal; a record without one shows the deal alone."""
    path = tmp_path / "games.jsonl"
    output("match", "random", "random", "--deals", "1", "--seed", "4", "--record", str(path))
    line = json.loads(path.read_text("utf-8").splitlines()[0])
    path.write_text(f"{json.dumps(line)}\n{json.dumps({**line, 'deal_seed': None})}\n", "utf-8")
    text = output("replay", str(path))
    assert len(SEED.findall(text)) == 1
    assert f"\ndeal {line['start']}\n" in text
    data = json.loads(output("replay", str(path), "--json"))
    assert [each["seed"] for each in data] == [line["deal_seed"], None]
