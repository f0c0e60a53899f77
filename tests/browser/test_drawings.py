"""Both back ends draw the same: SVG as a browser shows it, and pixels."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from mammalath_env import GAMES
from mammalath_env.rendering import render_rgb, render_svg
from tests.rendering.drawings import random_game

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.parametrize("name", GAMES)
def test_svg_looks_like_pixels(name: str, browser: Browser) -> None:
    """Only edges and fonts differ, in the middle of a game and at its end."""
    # A width at which a unit of the board is a whole number of pixels, so that nothing shifts.
    size = {"mammalath": 710, "mammalath_plus": 910, "mancala": 860}[name]
    plies = list(random_game(name, 1))
    for ply in (plies[9], plies[-1]):
        pixels = render_rgb(*ply, size=size).astype(int)
        page = browser.new_page(viewport={"width": size, "height": len(pixels)})
        svg = render_svg(*ply, size=size)
        page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{svg}")
        shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        page.close()
        # Edges and fonts change the mean of half a unit by half a unit little, a piece much. The
        # caption in the last row is wider in some fonts: words at its end fall into other blocks.
        difference = np.abs(_blocks(np.array(shown).astype(int)) - _blocks(pixels))
        assert difference[:-1].max() < 24
        assert difference[-1].max() < 48
        assert difference.mean() < 2


def _blocks(pixels: NDArray[np.int_]) -> NDArray[np.float64]:
    """Return the mean colours of blocks of 50 by 50 pixels, from the top left."""
    rows, cols = pixels.shape[0] // 50, pixels.shape[1] // 50
    blocks = pixels[: rows * 50, : cols * 50].reshape(rows, 50, cols, 50, 3)
    means: NDArray[np.float64] = blocks.mean(axis=(1, 3))
    return means
