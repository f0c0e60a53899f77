"""Names of players and results on replay pages: as text, in their place, of any length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mammalath_env.rendering.replay import replay_page
from tests.browser.conftest import OpenPage
from tests.browser.replays import PHONE, replay, text

if TYPE_CHECKING:
    from playwright.sync_api import Page

NASTY = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"
DESK = {"viewport": {"width": 1280, "height": 800}}

# The left edge of the first occurrence of a text in an element, in pixels.
LEFT_OF = """
([selector, part]) => {
  const node = document.querySelector(selector).firstChild;
  const start = node.data.indexOf(part);
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, start + part.length);
  return range.getBoundingClientRect().left;
}
"""


def test_names_cannot_run(open_page: OpenPage) -> None:
    """Whatever players are called is shown as text, everywhere."""
    page = open_page(replay_page([replay("mancala", 1, players=(NASTY, NASTY), result=NASTY)]))
    page.wait_for_timeout(200)
    assert page.title() == f"{NASTY} - {NASTY}, Mancala"
    assert page.locator("img").count() == 0
    assert text(page, "#player-1") == f"North: {NASTY}"
    assert text(page, "#result") == NASTY
    assert NASTY in text(page, "#game option")


def test_overrides_do_not_turn_the_line_round(open_page: OpenPage) -> None:
    """Text after a name with a bidi override stands to its right, in its own direction."""
    name = "\u202elive"
    played = replay("mammalath", 1, players=(name, "bob"), result=f"{name} won: line")
    page = open_page(replay_page([played]))
    assert page.title() == "\ufffdlive - bob, Mammalath"
    assert text(page, "#game option") == "1. Mammalath: \ufffdlive - bob, \ufffdlive won: line"
    assert text(page, "#player-0") == "Black: \ufffdlive"
    assert _left(page, "#player-0", "e") > _left(page, "#player-0", "l")
    assert _left(page, "#result", "won") > _left(page, "#result", "live")


def test_right_to_left_names_stay_in_their_place(open_page: OpenPage) -> None:
    """Each is read from the right, but the first player is named first."""
    first, second = "\u05d0\u05d1", "\u05d2\u05d3"
    page = open_page(replay_page([replay("mammalath", 1, players=(first, second))]))
    # A list of choices does not say where its letters are: its text is put into the result.
    page.evaluate("""
        () => {
          const option = document.querySelector("#game option");
          document.getElementById("result").textContent = option.textContent;
        }
    """)
    assert _left(page, "#result", first) < _left(page, "#result", second)
    assert _left(page, "#result", first[0]) > _left(page, "#result", first[1])


def _left(page: Page, selector: str, part: str) -> float:
    return float(page.evaluate(LEFT_OF, [selector, part]))


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("word", ["x", "word "])
def test_long_names_leave_room(word: str, screen: dict[str, object], open_page: OpenPage) -> None:
    """Two lines of a name and three of a result are seen, the rest is in the text and the title."""
    long = (word * 10_000)[:10_000].strip()
    played = replay("mammalath", 1, players=(long, long), result=long)
    page = open_page(replay_page([played]), **screen)
    for selector, lines in (("#player-0", 2), ("#player-1", 2), ("#result", 3)):
        full = text(page, selector)
        assert long in full
        assert page.locator(selector).get_attribute("title") == full
        box = page.locator(selector).bounding_box()
        assert box is not None
        assert 23 * lines <= box["height"] < 24 * lines
    board = page.locator("#board").bounding_box()
    assert board is not None
    assert board["y"] + board["height"] < page.evaluate("innerHeight")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
