"""Reading the pictures of Mammalath back, and positions to draw."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mammalath_env.core.position import Position
from mammalath_env.games import make_game
from mammalath_env.rendering import render_ansi

GOLDEN = Path(__file__).parent.parent / "golden" / "playthroughs.jsonl"
NAMES = ("mammalath", "mammalath_plus")
TIMES = "\N{MULTIPLICATION SIGN}"


class Ply(NamedTuple):
    """The arguments of `render_ansi` after one ply of a game."""

    position: Position
    previous: Position | None = None
    action: int | None = None


def plies(record: dict[str, Any]) -> list[Ply]:
    """Return a golden game from its deal to its end."""
    names = ("capture", "no_capture_limit")
    game = make_game(record["game"], **{name: record[name] for name in names if name in record})
    start = game.from_text(record["start"]) if "start" in record else game.deal(0, first_player=0)
    found = [Ply(start)]
    for text in record["moves"]:
        before = found[-1].position
        action = game.parse_move(text, before)
        found.append(Ply(before.play(action), before, action))
    return found


def golden(number: int) -> list[Ply]:
    """Return the golden game in line `number` of the file, counted from 0."""
    return plies(json.loads(GOLDEN.read_text(encoding="utf-8").splitlines()[number]))


def _records(*names: str) -> list[dict[str, Any]]:
    """Return the golden games of some of the games."""
    records = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    return [record for record in records if record["game"] in names]


def sample() -> Iterator[Ply]:
    """Yield the deal, some positions between and the end of every eighth golden game and draws."""
    for number, record in enumerate(_records(*NAMES)):
        if number % 8 == 0 or record["result"] == "draw":
            found = plies(record)
            yield from (*found[:3], *found[3:-1:7], found[-1])


def mancala_sample() -> Iterator[Ply]:
    """Yield such positions of every fifth golden game of Mancala, and the ends of all."""
    for number, record in enumerate(_records("mancala")):
        found = plies(record)
        if number % 5 == 0:
            yield from (*found[:3], *found[3:-1:7])
        yield found[-1]


def ascii_picture(ply: Ply) -> str:
    """Return the picture in ASCII."""
    return render_ansi(*ply, ascii_only=True)


def spaces(picture: str) -> dict[str, str]:
    """Return the five characters of each space of an ASCII picture, by the name of the space.

    The names come from the letters and numbers in the picture.
    """
    lines = picture.splitlines()
    letters = re.match(r"[ a-h]*", lines[0])[0].split()  # type: ignore[index]
    found: dict[str, str] = {}
    for line in lines:
        if row := re.match(r"(\d) \|", line):
            cells = line.split("|")[1:-1]
            assert len(cells) == len(letters)
            found |= {f"{col}{row[1]}": cell for col, cell in zip(letters, cells, strict=True)}
    return found


def marked(picture: str, place: int, mark: str) -> set[str]:
    """Return the spaces with `mark` at `place` of their five characters."""
    return {name for name, cell in spaces(picture).items() if cell[place] == mark}


def expected_spaces(position: Position) -> dict[str, str]:
    """Return the spaces of `position` without marks, read from its text."""
    grids = []
    for field in position.to_text().split()[:2]:
        rows = re.sub(r"\d", lambda run: " " * int(run[0]), field).split("/")
        grids.append(rows)
    animals, tokens = grids
    return {
        f"{chr(ord('a') + col)}{row + 1}": f" {animals[row][col]} {token} "
        for row, tokens_of_row in enumerate(tokens)
        for col, token in enumerate(tokens_of_row.replace("b", "#").replace("w", "o"))
    }


def facts(picture: str) -> list[str]:
    """Return the lines at the right of the board without spaces around them."""
    lines = picture.splitlines()
    width = len(lines[1].rstrip().partition("   ")[0])
    return [line[width:].strip() for line in lines[:-1]]
