"""Both back ends draw the same: SVG as a browser shows it, and pixels."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pytest
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
        difference = np.abs(np.array(shown).astype(int) - pixels).max(axis=-1)
        assert difference.shape == pixels.shape[:2]
        assert (difference > 60).mean() < 0.02
