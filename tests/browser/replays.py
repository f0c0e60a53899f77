"""Games for replay pages, and what tests read from the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mammalath_env.rendering.replay import ReplayGame
from tests.rendering.drawings import random_game

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}


def replay(name: str, seed: int, **fields: Any) -> ReplayGame:
    """Return a random game."""
    plies = list(random_game(name, seed))
    actions = [ply.action for ply in plies if ply.action is not None]
    positions = [ply.position for ply in plies]
    fields = {"players": ("Ada", "Grace"), "result": "Ada won", **fields}
    return ReplayGame(positions=positions, actions=actions, **fields)


def text(page: Page, selector: str) -> str:
    """Return the text of an element, hidden or not."""
    found = page.locator(selector).text_content()
    assert found is not None
    return found
