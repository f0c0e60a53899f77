"""Commands, links and tables of the README and the docs agree with the package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from gymnasium import spaces
from typer.main import get_command
from typer.testing import CliRunner

from mammalath_env import GAMES, make_game
from mammalath_env.cli import app
from mammalath_env.core.game import Game
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.games.mammalath.game import MammalathGame

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text: str, language: str) -> list[str]:
    """Return the code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def rows(text: str) -> Iterator[list[str]]:
    """Yield the cells of each table row."""
    for line in text.splitlines():
        if line.startswith("|"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def table_row(first_cell: str, width: int) -> list[str]:
    """Return the README's only row of `width` cells that begins with `first_cell`."""
    found = [row for row in rows(README) if row[0] == first_cell and len(row) == width]
    assert len(found) == 1, found
    return found[0]


def numbers(text: str) -> list[int]:
    """Return the numbers of a range such as ``planes 0-5``, or of a single one."""
    bounds = [int(number) for number in re.findall(r"\d+", text)]
    return list(range(bounds[0], bounds[-1] + 1))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_the_package(page: Path) -> None:
    """Every command of a shell block exists and has the options that the block gives it."""
    commands = getattr(get_command(app), "commands")  # noqa: B009, a group has them
    text = "\n".join(blocks(page.read_text(encoding="utf-8"), "sh")).replace("\\\n", " ")
    for name, arguments in re.findall(r"\bmammalath ([a-z][a-z-]*)([^\n#&]*)", text):
        assert name in commands
        known = {option for parameter in commands[name].params for option in parameter.opts}
        assert set(re.findall(r"--[a-z0-9-]+", arguments)) <= known


def test_picture_is_the_end_of_the_game_that_is_watched() -> None:
    """The text is what the first `mammalath watch` of the README draws last, and the result."""
    match = re.search(r"\bmammalath (watch .*)", README)
    assert match is not None
    result = CliRunner().invoke(app, match[1].split())
    assert result.exit_code == 0
    last = result.stdout.rstrip("\n").split("\n\n")[-2:]
    assert "\n\n".join(last) == blocks(README, "text")[0].rstrip("\n")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative path in a page exists."""
    for link in re.findall(r"\]\(((?!https?:)[^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


def test_action_table(game: Game) -> None:
    """Numbers of actions and ranges of ids are those of the action space."""
    _, count, meaning = table_row(game.title, 3)
    space = BoardGameEnv(game).action_space("player_0")
    assert space == spaces.Discrete(int(count))
    blocks_of_ids = [numbers(text) for text in re.findall(r"\d+(?:-\d+)?(?= [a-z])", meaning)]
    assert [action for ids in blocks_of_ids for action in ids] == list(range(game.num_actions))
    if isinstance(game, MammalathGame):
        sizes = [block.size for block in game.codec.blocks.values()]
        assert [len(ids) for ids in blocks_of_ids] == sizes


@pytest.mark.parametrize("name", ["mammalath", "mammalath_plus"])
def test_plane_table(name: str) -> None:
    """Each plane holds what its column says."""
    game = make_game(name)
    _, shape, animals, own, other, swap, to_move = table_row(game.title, 7)
    assert shape == str(game.observation_shape)
    position = game.deal(seed=1, first_player=0).play(5)
    for player in (0, 1):
        planes = position.observation(player)
        assert planes[..., numbers(animals)].sum(axis=-1).min() == 1
        token = np.zeros(shape=planes.shape[:2], dtype=np.int8)
        token[0, 5] = 1
        mine, yours = (own, other) if player == 0 else (other, own)
        assert (planes[..., numbers(mine)[0]] == token).all()
        assert planes[..., numbers(yours)[0]].sum() == 0
        assert planes[..., numbers(swap)].min() == 1
        assert (planes[..., numbers(to_move)] == player).all()


def test_mancala_observation_table() -> None:
    """Each index holds what its column says."""
    game = make_game("mancala")
    _, shape, own, other, stores, plies_since_capture, to_move = table_row(game.title, 7)
    assert shape == str(game.observation_shape)
    position = game.from_text("1,0,3,4,5,6/0,8,0,2,1,0 8-10 n 3 30")
    assert position.observation(1)[numbers(own)].tolist() == [0, 8, 0, 2, 1, 0]
    assert position.observation(1)[numbers(other)].tolist() == [1, 0, 3, 4, 5, 6]
    assert position.observation(1)[numbers(stores)].tolist() == [10, 8]
    assert position.observation(1)[numbers(plies_since_capture)].tolist() == [3]
    assert position.observation(1)[numbers(to_move)].tolist() == [1]
    assert position.observation(0)[numbers(to_move)].tolist() == [0]


@pytest.mark.parametrize("name", GAMES)
def test_pages_state_the_longest_game(name: str) -> None:
    """The page of each game states the bound that the game publishes."""
    page = ROOT / "docs" / f"{name.removesuffix('_plus')}.md"
    cells = next(row for row in rows(page.read_text("utf-8")) if row[0] == "longest possible game")
    index = 2 if name.endswith("_plus") else 1
    assert int(cells[index].split()[0]) == make_game(name).max_plies
