"""A headless Chromium for the tests of pages.

Without one, or without Playwright, the tests are skipped; if ``chromium`` is among the words of the
variable ``MAMMALATH_ENV_REQUIRED``, separated by commas, they fail instead.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")

OpenPage = Callable[..., "Page"]


def do_without(what: str) -> None:
    """Skip the test because `what` is missing, or fail if it must not be."""
    required = os.environ.get("MAMMALATH_ENV_REQUIRED", "").split(",")
    if "chromium" in [word.strip() for word in required]:
        pytest.fail(f"{what} is missing, and MAMMALATH_ENV_REQUIRED asks for chromium")
    pytest.skip(f"needs {what}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser, which is closed at the end."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        do_without("Chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        do_without("Playwright (pip install playwright)")
    with sync_playwright() as playwright:
        # Containers let nobody set up Chromium's own sandbox, and the pages are ours.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[OpenPage]:
    """A function that opens a page from its text, in a context with the given settings.

    Any error or message in the page's console fails the test, and so does any request but the
    page's own.
    """
    troubles: list[str] = []
    requests: list[str] = []
    contexts = []

    def open_text(text: str, hash_: str = "", **settings: Any) -> Page:
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda message: troubles.append(message.text))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri() + hash_)
        return page

    yield open_text
    for context in contexts:
        context.close()
    assert troubles == []
    assert {url.partition("#")[0] for url in requests} <= {(tmp_path / "page.html").as_uri()}
