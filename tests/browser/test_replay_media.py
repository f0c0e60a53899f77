"""Replay pages in light, in dark, in forced colours and on paper."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from mammalath_env import GAMES
from mammalath_env.rendering.replay import replay_page
from tests.browser.conftest import OpenPage
from tests.browser.replays import replay

if TYPE_CHECKING:
    from playwright.sync_api import Page

CURRENT, OTHER = "#moves [aria-current]", "#moves button:not([aria-current])"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_light_and_dark(scheme: Any, open_page: OpenPage) -> None:
    """The page follows the reader's choice until the button changes it; text stays readable."""
    page = open_page(replay_page([replay("mammalath", 1)]), color_scheme=scheme)
    for expected_dark in (scheme == "dark", scheme != "dark"):
        assert page.locator("#theme").text_content() == ("Light" if expected_dark else "Dark")
        for selector in ("body", "#status", "#play", ".players li:not(.to-move)", "#moves button"):
            assert _contrast(page, selector) >= 4.5, selector
        page.locator("#theme").click()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_board_is_light_or_dark_too(scheme: Any, name: str, open_page: OpenPage) -> None:
    """Around the board is the colour of the page's scheme, and the names of spaces stand out."""
    page = open_page(replay_page([replay(name, 1)]), color_scheme=scheme)
    for dark in (scheme == "dark", scheme != "dark"):
        picture = Image.open(io.BytesIO(page.locator("#board").screenshot())).convert("L")
        width, height = picture.size
        # The strip above the board, with the names of columns or holes.
        side = min(width, height * 8.6 / 3.85)
        strip = picture.crop((int(width / 2 - side / 3), 2, int(width / 2 + side / 3), 6))
        grounds = strip.tobytes()
        assert (max(grounds) < 60) if dark else (min(grounds) > 200)
        names = picture.crop((int(width / 2 - side / 3), 2, int(width / 2 + side / 3), height // 9))
        shades = names.tobytes()
        assert max(shades) - min(shades) > 150
        page.locator("#theme").click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_printed_pages_show_all_moves(scheme: Any, open_page: OpenPage) -> None:
    """All moves are printed, in dark letters on nothing, whatever the screen shows."""
    played = replay("mancala", 1)
    page = open_page(replay_page([played]), "#game=1&ply=60", color_scheme=scheme)
    page.emulate_media(media="print", color_scheme=scheme)
    hidden = page.evaluate("""
        () => {
          const list = document.getElementById("moves").getBoundingClientRect();
          return [...document.querySelectorAll("#moves button")].filter((button) => {
            const { top, bottom } = button.getBoundingClientRect();
            return top < list.top || bottom > list.bottom;
          }).length;
        }
    """)
    assert hidden == 0
    for selector in ("body", "#status", "#moves button", "#moves [aria-current]"):
        assert _contrast(page, selector, paper=True) >= 4.5, selector
    current, other = (_style(page, each, "fontWeight") for each in (CURRENT, OTHER))
    assert int(current) > int(other)


def test_forced_colors_mark_the_current_move(open_page: OpenPage) -> None:
    """The current move is told from the others by its border, where backgrounds are not shown."""
    page = open_page(replay_page([replay("mammalath", 1)]), forced_colors="active")
    assert page.evaluate("matchMedia('(forced-colors: active)').matches")
    page.keyboard.press("ArrowRight")
    current, other = (_style(page, each, "borderTopWidth") for each in (CURRENT, OTHER))
    assert (current, other) == ("3px", "1px")


def _style(page: Page, selector: str, name: str) -> str:
    """Return a property of the first element as it is shown."""
    return str(
        page.evaluate(
            "([selector, name]) => getComputedStyle(document.querySelector(selector))[name]",
            [selector, name],
        )
    )


def _contrast(page: Page, selector: str, *, paper: bool = False) -> float:
    """Return the contrast of text with what is behind it, from 1 to 21, as WCAG defines it.

    On paper this is white, since backgrounds are not printed.
    """
    ratio = page.evaluate(
        """
        ([selector, paper]) => {
          const parts = (color) => color.match(/[\\d.]+/g).map(Number);
          let element = document.querySelector(selector);
          const ink = parts(getComputedStyle(element).color);
          while (element && parts(getComputedStyle(element).backgroundColor)[3] === 0) {
            element = element.parentElement;
          }
          const ground = paper ? [255, 255, 255] : parts(getComputedStyle(element).backgroundColor);
          const light = (rgb) => {
            const [r, g, b] = rgb.slice(0, 3).map((value) => {
              const share = value / 255;
              return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const [high, low] = [light(ink), light(ground)].sort((a, b) => b - a);
          return (high + 0.05) / (low + 0.05);
        }
        """,
        [selector, paper],
    )
    return float(ratio)
