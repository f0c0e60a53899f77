"""The pictures of the docs are those that their script draws."""

from __future__ import annotations

import re
import runpy

import pytest

from tests.processes import ROOT
from tests.rendering.drawings import uses

FOLDER = ROOT / "docs" / "pictures"
MAX_BYTES = 120_000


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    """The pictures that the script draws now, by the name of the file."""
    script = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
    pictures: dict[str, str] = script["pictures"]()
    return pictures


def test_pictures_are_up_to_date(drawn: dict[str, str]) -> None:
    """If this fails, run ``python docs/pictures.py`` and look at what has changed."""
    committed = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    assert committed.keys() == drawn.keys()
    for name, text in committed.items():
        assert text == drawn[name], f"{name} is not what docs/pictures.py draws"
        assert len(text) < MAX_BYTES


def test_pages_show_every_picture() -> None:
    """Each picture is shown somewhere, and each that is shown exists."""
    pages = [(ROOT / "README.md").read_text("utf-8")]
    pages += [(ROOT / "docs" / name).read_text("utf-8") for name in ("pictures.md", "rules.md")]
    shown = {
        name for page in pages for name in re.findall(r"!\[[^]]+\]\([^)]*?([\w-]+\.svg)\)", page)
    }
    assert shown == {path.name for path in FOLDER.iterdir()}


def test_the_sheet_of_pieces_holds_all(drawn: dict[str, str]) -> None:
    """Every animal alone, on both tokens and released, and tokens in all their states."""
    names = [name for each in uses(drawn["pieces.svg"]).values() for name in each]
    for letter in "abcdefgh":
        assert names.count(f"animal-{letter}") == 1
        assert names.count(f"released-{letter}") == 1
        assert names.count(f"animal-{letter}-on-token") >= 2
    assert {"placed", "swapped", "won", "lost", "token-black", "token-white"} <= set(names)
