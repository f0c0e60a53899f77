"""Replay pages in a browser: boards, controls, keys, and what readers of screens are told."""

from __future__ import annotations

import datetime
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mammalath_env import GAMES, make_game
from mammalath_env.core.game import Game
from mammalath_env.games.mammalath.config import ANIMAL_NAMES
from mammalath_env.rendering import scene_of
from mammalath_env.rendering.mammalath_view import MammalathView
from mammalath_env.rendering.replay import ReplayGame, replay_page
from mammalath_env.rendering.svg import symbol_id
from tests.browser.conftest import OpenPage
from tests.browser.replays import PHONE, replay, text

if TYPE_CHECKING:
    from playwright.sync_api import Browser


# What every slot of the board shows, in order.
SHOWN = """
() => [...document.querySelectorAll("#board > g")].map(
  (place) => [...place.querySelectorAll("use")].map((each) => each.getAttribute("href").slice(1)))
"""


def expected(game: ReplayGame, ply: int) -> list[list[str]]:
    """Return what the slots of the board should show."""
    last = () if ply == 0 else (game.positions[ply - 1], game.actions[ply - 1])
    return [list(map(symbol_id, each)) for each in scene_of(game.positions[ply], *last).contents]


def test_plies_of_a_game(game: Game, open_page: OpenPage) -> None:
    """Jumping and stepping forth and back show the drawing of each position."""
    played = replay(game.name, 1)
    page = open_page(replay_page([played]))
    end = len(played.actions)
    assert text(page, "h1") == game.title
    assert text(page, "#player-0") == f"{game.player_names[0].capitalize()}: Ada"
    order = [*range(0, end, end // 16 + 1), end, *random.Random(1).sample(range(end), 8)]
    for ply in order:
        page.locator("#ply").fill(str(ply))
        assert page.evaluate(SHOWN) == expected(played, ply)
        assert scene_of(played.positions[ply]).status in text(page, "#status")
    page.locator("#first").click()
    for ply in range(1, 6):
        page.locator("#forth").click()
        assert page.evaluate(SHOWN) == expected(played, ply)
    page.locator("#back").click()
    assert page.evaluate(SHOWN) == expected(played, 4)
    page.locator("#last").click()
    assert page.evaluate(SHOWN) == expected(played, end)
    # Pieces are really drawn: the board is not one colour.
    box = page.locator("#board > g use").first.bounding_box()
    assert box is not None
    assert box["width"] > 10


def test_moves_say_what_happened(open_page: OpenPage) -> None:
    """The live region reads each move, and the list marks it and leads to it."""
    played = replay("mammalath", 3)
    page = open_page(replay_page([played]))
    live = page.locator("#live")
    assert live.get_attribute("aria-live") == "polite"
    assert text(page, "#live") == ""
    page.keyboard.press("ArrowRight")
    first = scene_of(played.positions[1], played.positions[0], played.actions[0])
    assert text(page, "#live") == f"Ply 1. {first.move}. {first.status}."
    buttons = page.locator("#moves button")
    assert buttons.count() == len(played.positions)
    buttons.nth(4).click()
    assert page.evaluate(SHOWN) == expected(played, 4)
    current = page.locator("#moves [aria-current]")
    assert current.count() == 1
    assert current.get_attribute("aria-label") == buttons.nth(4).get_attribute("aria-label")
    before = played.positions[3]
    assert text(page, "#moves [aria-current]") == "4." + before.game.format_move(
        played.actions[3], before
    )
    assert page.locator("#ply").get_attribute("aria-valuetext") == (
        f"Ply 4 of {len(played.actions)}"
    )


def test_keys_step_jump_and_change_the_game(open_page: OpenPage) -> None:
    """Arrows step, Home and End jump, p and n change the game; choices keep their own keys."""
    games = [replay("mancala", 1), replay("mammalath", 2)]
    page = open_page(replay_page(games))
    for key, number, ply in (
        ("ArrowRight", 0, 1),
        ("ArrowRight", 0, 2),
        ("ArrowLeft", 0, 1),
        ("End", 0, len(games[0].actions)),
        ("ArrowRight", 0, len(games[0].actions)),
        ("n", 1, 0),
        ("n", 1, 0),
        ("ArrowRight", 1, 1),
        ("Home", 1, 0),
        ("p", 0, 0),
    ):
        page.keyboard.press(key)
        assert page.evaluate(SHOWN) == expected(games[number], ply), key
        assert page.evaluate("location.hash") == f"#game={number + 1}&ply={ply}"
    page.locator("#speed").focus()
    page.keyboard.press("n")
    page.keyboard.press("Control+ArrowRight")
    assert page.evaluate(SHOWN) == expected(games[0], 0)


def test_keys_on_the_bar_of_plies(open_page: OpenPage) -> None:
    """After a click on the bar all keys work, each as elsewhere, and once."""
    games = [replay("mancala", 1), replay("mammalath", 2)]
    page = open_page(replay_page(games))
    page.locator("#ply").click()
    middle = int(page.locator("#ply").input_value())
    assert 0 < middle < len(games[0].actions)
    for key, number, ply in (
        ("ArrowRight", 0, middle + 1),
        ("ArrowLeft", 0, middle),
        ("ArrowUp", 0, middle + 1),
        ("Home", 0, 0),
        ("n", 1, 0),
        ("End", 1, len(games[1].actions)),
        ("p", 0, 0),
    ):
        page.keyboard.press(key)
        assert page.evaluate(SHOWN) == expected(games[number], ply), key
        assert page.locator("#ply").input_value() == str(ply)
    page.keyboard.press("PageUp")
    assert int(page.locator("#ply").input_value()) > 1
    page.keyboard.press(" ")
    assert page.locator("#play").get_attribute("aria-label") == "Pause"
    assert page.evaluate("document.activeElement.id") == "ply"


def test_the_focus_stays_in_the_moves(open_page: OpenPage) -> None:
    """Another game takes it to its current move if it was there, and else leaves it alone."""
    page = open_page(replay_page([replay("mancala", 1), replay("mammalath", 2)]))
    page.locator("#moves button").nth(7).click()
    for key in ("n", "p"):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.matches('#moves [aria-current]')"), key
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement === document.querySelectorAll('#moves button')[1]")
    page.locator("#forth").focus()
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.id") == "forth"


def test_everything_can_be_reached_by_tab(open_page: OpenPage) -> None:
    """The focus passes all controls, and stays on a button that has come to the end."""
    page = open_page(replay_page([replay("mammalath", 1)]))
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id"))
    assert reached >= {"game", "theme", "first", "back", "play", "forth", "last", "speed", "ply"}
    page.locator("#last").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "last"
    assert page.locator("#last").get_attribute("aria-disabled") == "true"
    unnamed = page.evaluate("""
        () => [...document.querySelectorAll("button, select, input")].filter((each) =>
          !each.textContent.trim() && !each.getAttribute("aria-label") && !each.labels?.length
        ).length
    """)
    assert unnamed == 0


def test_play_runs_to_the_end(open_page: OpenPage) -> None:
    """It steps by itself, pauses, goes on, stops at the end and starts over from there."""
    played = replay("mammalath", 1)
    page = open_page(replay_page([played]))
    page.clock.install(time=datetime.datetime(2026, 1, 1, 8))
    page.reload()
    page.clock.pause_at(datetime.datetime(2026, 1, 1, 9))
    page.keyboard.press(" ")
    assert page.locator("#play").get_attribute("aria-label") == "Pause"
    assert page.locator("#play").get_attribute("title") == "Pause (space)"
    page.clock.run_for(2050)
    assert page.evaluate(SHOWN) == expected(played, 2)
    page.locator("#play").click()
    page.clock.run_for(5000)
    assert page.evaluate(SHOWN) == expected(played, 2)
    page.locator("#speed").select_option("200")
    page.locator("#play").click()
    page.clock.run_for(200 * len(played.actions))
    assert page.evaluate(SHOWN) == expected(played, len(played.actions))
    assert page.locator("#play").get_attribute("aria-label") == "Play"
    assert page.locator("#play").get_attribute("title") == "Play (space)"
    page.locator("#play").click()
    assert page.evaluate(SHOWN) == expected(played, 0)


def test_the_table_says_what_the_board_shows(open_page: OpenPage) -> None:
    """Each space is named with what is on it, row by row from the top."""
    position = make_game("mammalath").from_text(
        "ABCDEF/ABCDEF/ABCDEF/ABCDEF/ABCDEF/ABCDEF 6/b5/6/6/6/6 w 1"
    )
    played = ReplayGame([position], [], ("a", "b"), "none")
    page = open_page(replay_page([played]))
    page.locator("summary").click()
    rows = page.locator("#table tr")
    assert rows.count() == 6
    cells = rows.nth(1).locator("td").all_text_contents()
    assert cells[:2] == ["a2: black token, armadillo", "b2: badger"]
    assert rows.nth(0).locator("td").all_text_contents()[0] == "a1: armadillo"


@pytest.mark.parametrize("name", ["mammalath", "mammalath_plus"])
def test_tokens_and_animals_left_are_counted(name: str, open_page: OpenPage) -> None:
    """The numbers are those of the shown ply, as a terminal picture says them."""
    played = replay(name, 2)
    page = open_page(replay_page([played, replay("mancala", 1)]))
    for ply in (0, 1, 7, len(played.actions), 3):
        page.locator("#ply").fill(str(ply))
        view = MammalathView(played.positions[ply], None)
        held, standing = list(view.tokens.values()), list(view.animals.values())
        config = view.game.config
        wanted = [
            f"{side} tokens {config.num_tokens - held.count(player)}"
            for player, side in enumerate(view.game.player_names)
        ]
        for kind in range(len(config.letters)):
            wanted.append(f"{ANIMAL_NAMES[kind]} {standing.count(kind)}")
        assert page.locator("#counts li").all_text_contents() == wanted
    # The seeds of Mancala are counted on the board.
    page.keyboard.press("n")
    assert not page.locator("#left").is_visible()


def test_evaluations_are_drawn(open_page: OpenPage) -> None:
    """The graph goes through the values, follows the ply and leads to it; without it is hidden."""
    played = replay("mammalath", 1)
    values = [None if k == 2 else (-1) ** k * 0.5 for k in range(len(played.actions))]
    graded = replay("mammalath", 1, evaluations=values)
    page = open_page(replay_page([graded, played]))
    assert page.locator("#evaluation").is_visible()
    assert text(page, "#evaluation-text") == "Evaluation for black, -1 to 1: +0.50"
    page.keyboard.press("ArrowRight")
    assert text(page, "#evaluation-text").endswith(": -0.50")
    page.keyboard.press("ArrowRight")
    assert text(page, "#evaluation-text").endswith(": none at this ply")
    path = page.locator("#graph path").get_attribute("d")
    assert path is not None
    # One line, over the ply without a value too.
    assert path.count("M") == 1
    assert path.count(" 22") + path.count(" 58") == len(values) - 1
    box = page.locator("#graph").bounding_box()
    assert box is not None
    page.locator("#graph").click(position={"x": box["width"] - 3, "y": 20})
    assert page.evaluate(SHOWN) == expected(played, len(played.actions))
    page.keyboard.press("n")
    assert not page.locator("#evaluation").is_visible()


def test_other_scripts_are_refused(browser: Browser, tmp_path: Path) -> None:
    """Even a script that got into the page would not run, and the browser says why."""
    path = tmp_path / "page.html"
    path.write_text(replay_page([replay("mancala", 1)]), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    with page.expect_console_message() as message:
        page.evaluate("""
            () => {
              const script = document.createElement("script");
              script.textContent = "document.title = 'run'";
              document.body.append(script);
            }
        """)
    assert "Content Security Policy" in message.value.text
    assert page.title() != "run"
    page.close()


def test_a_page_of_five_hundred_games_opens(open_page: OpenPage) -> None:
    """A large file opens, any game of it can be chosen, and the address leads to a ply."""
    kinds = [replay(name, seed) for name in GAMES for seed in range(4)]
    games = [kinds[k % len(kinds)] for k in range(500)]
    page = open_page(replay_page(games), "#game=400&ply=7")
    assert page.locator("#game option").count() == 500
    assert page.evaluate(SHOWN) == expected(games[399], 7)
    page.locator("#game").select_option("498")
    assert page.evaluate(SHOWN) == expected(games[498], 0)
    page.locator("#next-game").click()
    # It says that it is disabled, but can still be pressed.
    page.locator("#next-game").click(force=True)
    assert page.evaluate(SHOWN) == expected(games[499], 0)
    page.evaluate("location.hash = '#game=3&ply=9999'")
    page.wait_for_function("document.getElementById('game').value === '2'")
    assert page.evaluate(SHOWN) == expected(games[2], len(games[2].actions))
    page.evaluate("location.hash = '#game=0'")
    page.wait_for_function("document.getElementById('game').value === '0'")


@pytest.mark.parametrize("name", ["mammalath_plus", "mancala"])
def test_a_phone(name: str, open_page: OpenPage) -> None:
    """Nothing is wider than the screen, long names and games included; buttons suit a finger."""
    long = replay(name, 1, players=("x" * 300, "y " * 200), result="z" * 300)
    page = open_page(replay_page([long]), **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for control in ("first", "back", "play", "forth", "last", "theme"):
        box = page.locator(f"#{control}").bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 40
    board = page.locator("#board").bounding_box()
    assert board is not None
    assert board["width"] > 320
