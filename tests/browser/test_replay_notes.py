"""Replay pages of games that were analyzed: value lost, blunders, and the better move."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from mammalath_env.core.game import Game
from mammalath_env.games import make_game
from mammalath_env.rendering import marks_of, scene_of
from mammalath_env.rendering.replay import MoveNote, ReplayGame, replay_page
from mammalath_env.rendering.svg import symbol_id
from tests.browser.conftest import OpenPage
from tests.browser.replays import PHONE, replay, text

if TYPE_CHECKING:
    from playwright.sync_api import Page

BLUNDER_AT = 3
"""The index of the move of which a note says that it was a blunder."""

# The drawings over the board: their symbols, and where each is.
MARKS = """
() => [...document.querySelectorAll("#board > .mark")].map(
  (each) => [each.getAttribute("href").slice(1), ...["x", "y"].map((k) => +each.getAttribute(k))])
"""


def analyzed(name: str, remark: str = "missed win in 3") -> tuple[ReplayGame, str]:
    """Return a game with one blunder, and the better move in notation."""
    plain = replay(name, 1)
    position = plain.positions[BLUNDER_AT]
    better = next(each for each in position.legal_actions() if each != plain.actions[BLUNDER_AT])
    notes = [MoveNote(0.0)] * len(plain.actions)
    notes[1] = MoveNote(0.042)
    notes[BLUNDER_AT] = MoveNote(0.451, True, remark, better)
    values = [(-0.5) ** k for k in range(len(plain.actions))]
    return replay(name, 1, notes=notes, evaluations=values), position.move_text(better)


def test_moves_say_what_they_lost(game: Game, open_page: OpenPage) -> None:
    """In the list, in words below the board, and to readers of screens."""
    played, better = analyzed(game.name)
    page = open_page(replay_page([played]))
    blunders = page.locator("#moves .blunder")
    assert blunders.all_text_contents() == ["??"]
    assert page.locator("#moves .lost").all_text_contents() == ["\u22124%", "\u221245%"]
    button = page.locator("#moves button").nth(BLUNDER_AT + 1)
    sentence = f"Blunder, 45% lost, missed win in 3; better: {better}"
    assert (button.get_attribute("aria-label") or "").endswith(f". {sentence}")
    assert text(page, "#note") == ""
    button.click()
    assert text(page, "#note") == f"{sentence}."
    assert text(page, "#live").endswith(f". {sentence}.")
    page.keyboard.press("ArrowLeft")
    assert text(page, "#note") == f"Better than the next move: {better}."
    assert text(page, "#live").endswith(f"Better than the next move: {better}.")
    page.locator("#moves button").nth(2).click()
    assert text(page, "#note") == "4% lost."


def test_the_better_move_is_drawn(game: Game, open_page: OpenPage) -> None:
    """Over the position in which it could have been made, and there alone."""
    played, _ = analyzed(game.name)
    note = (played.notes or [])[BLUNDER_AT]
    assert note.better is not None
    position = played.positions[BLUNDER_AT]
    marks = marks_of(position, note.better)
    slots = {slot.name: slot for slot in scene_of(position).layout.slots}
    page = open_page(replay_page([played, replay(game.name, 2)]), f"#game=1&ply={BLUNDER_AT}")
    drawn = page.evaluate(MARKS)
    highlighted = [slots[name] for name in marks.highlights]
    assert drawn[: len(highlighted)] == [
        [symbol_id(slot.highlight), pytest.approx(slot.x), pytest.approx(slot.y)]
        for slot in highlighted
    ]
    assert len(drawn) == len(marks.highlights) + len(marks.arrows) > 0
    for other in (BLUNDER_AT - 1, BLUNDER_AT + 1):
        page.locator("#ply").fill(str(other))
        assert page.evaluate(MARKS) == []
    page.locator("#ply").fill(str(BLUNDER_AT))
    assert page.evaluate(MARKS) == drawn
    page.keyboard.press("n")
    assert page.evaluate(MARKS) == []
    assert not page.locator("#note").is_visible()


def test_arrows_point_from_end_to_end(open_page: OpenPage) -> None:
    """Of a line that would be released, and along the seeds that would be sown."""
    for game, start, move, arrow in (
        (
            "mammalath",
            "FFABBE/BEACDF/ACECDD/CCDAAD/EBEDBB/FAFFEC 6/6/2b3/6/6/6 w 1",
            "xb2-b4",
            "b2-b4",
        ),
        ("mancala", "4,4,4,4,4,4/4,4,4,4,4,4 0-0 s 0 0", "D", "D-b"),
    ):
        position = make_game(game).from_text(start)
        better = position.game.parse_move(move, position)
        other = next(each for each in position.legal_actions() if each != better)
        note = MoveNote(0.5, True, "", better)
        played = ReplayGame([position, position.play(other)], [other], ("a", "b"), "", None, [note])
        page = open_page(replay_page([played]))
        *_, (symbol, x, y) = page.evaluate(MARKS)
        assert symbol.endswith(f"-{arrow}")
        assert (x, y) == (0, 0)
        shape = page.locator("#board > .mark").last.bounding_box()
        assert shape is not None
        assert max(shape["width"], shape["height"]) > 40


def test_the_graph_marks_blunders(open_page: OpenPage) -> None:
    """With a dot where the move led to; the values are win probabilities in words."""
    played, _ = analyzed("mancala")
    page = open_page(replay_page([played]), f"#game=1&ply={BLUNDER_AT + 1}")
    assert text(page, "#evaluation-text") == "Win probability of south: 53%"
    (place,) = [
        re.findall(r"[\d.]+", each.get_attribute("d") or "")
        for each in page.locator("#graph .blunder").all()
    ]
    now = page.locator("#graph .now").get_attribute("x1")
    assert now is not None
    assert [float(each) for each in place[:2]] == pytest.approx(
        [float(now), 40 - 36 / 16], abs=0.05
    )


def test_remarks_cannot_run(open_page: OpenPage) -> None:
    """Whatever a note says is shown as text."""
    remark = "</script><img src=x onerror=\"document.title='run'\">"
    played, _ = analyzed("mammalath", remark)
    page = open_page(replay_page([played]), f"#game=1&ply={BLUNDER_AT + 1}")
    assert remark in text(page, "#note")
    assert page.locator("img").count() == 0
    assert page.title() != "run"


@pytest.mark.parametrize("name", ["mammalath_plus", "mancala"])
def test_notes_fit_a_phone(name: str, open_page: OpenPage) -> None:
    """They wrap, and move no control."""
    played, _ = analyzed(name)
    page = open_page(replay_page([played, replay(name, 1)]), **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    plies = (0, 2, BLUNDER_AT, BLUNDER_AT + 1)
    tops = [_top_of_controls(page, ply) for ply in plies]
    page.locator("#next-game").click()
    assert [_top_of_controls(page, ply) for ply in plies] == tops


def _top_of_controls(page: Page, ply: int) -> float:
    page.locator("#ply").fill(str(ply))
    box = page.locator(".controls").bounding_box()
    assert box is not None
    return box["y"]
