"""The picture of the ladder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mammalath_env.arena import Rating, draw_ladder

LADDER = [
    Rating("mcts:simulations=100", 310.0, 280.0, 340.0, 100),
    Rating("greedy $5", 100.0, 70.0, 130.0, 100),
    Rating("random", 0.0, 0.0, 0.0, 100),
]


def test_each_game_has_a_panel(tmp_path: Path) -> None:
    """A panel for each game, the strongest on top."""
    path = tmp_path / "ladder.png"
    draw_ladder({"Mammalath": LADDER}, path)
    with Image.open(path) as image:
        width, height = image.size
        assert len(image.convert("RGB").getcolors(1 << 20) or []) > 10
    draw_ladder({"Mammalath": LADDER, "Mancala": LADDER[1:]}, path)
    with Image.open(path) as image:
        assert image.width == width
        assert height < image.height < 2 * height


def test_the_same_ratings_give_the_same_svg(tmp_path: Path) -> None:
    """The same ratings give the same file, and names stand in it as they are."""
    paths = [tmp_path / name for name in ("one.svg", "two.SVG")]
    for path in paths:
        draw_ladder({"Mammalath": LADDER}, path)
    text = paths[0].read_text(encoding="utf-8")
    assert text == paths[1].read_text(encoding="utf-8")
    names = ["<!-- random -->", "<!-- greedy $5 -->", "<!-- mcts:simulations=100 -->"]
    places = [text.index(name) for name in names]
    assert places == sorted(places)


@pytest.mark.parametrize("ratings", [{}, {"Mammalath": []}])
def test_an_empty_ladder_is_refused(tmp_path: Path, ratings: dict[str, Any]) -> None:
    """A picture without any rating is refused."""
    with pytest.raises(ValueError, match="no ratings to draw"):
        draw_ladder(ratings, tmp_path / "ladder.png")


def test_unknown_formats_and_folders_are_refused(tmp_path: Path) -> None:
    """Unknown formats and missing folders are refused."""
    with pytest.raises(ValueError, match="xyz"):
        draw_ladder({"Mammalath": LADDER}, tmp_path / "ladder.xyz")
    with pytest.raises(FileNotFoundError):
        draw_ladder({"Mammalath": LADDER}, tmp_path / "nowhere" / "ladder.png")
