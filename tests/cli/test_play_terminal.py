"""``mammalath play`` and ``mammalath rules`` in a terminal of 24 lines of 80 columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from mammalath_env.arena import read_records
from tests.terminals import Screen

LOST = "DEDBEE/CFCEC1/1CFCE1/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7"
CTRL_C, CTRL_D, UP = "\x03", "\x04", "\x1b[A"


def whole_board(lines: list[str]) -> bool:
    """Return whether a whole board stands on the screen, from its letters to its last row."""
    letters = [k for k, line in enumerate(lines) if line.split()[:6] == list("abcdef")]
    rows = [k for k, line in enumerate(lines) if line.startswith("6 ")]
    return bool(letters and rows) and rows[-1] - letters[-1] == 12


def test_the_board_stays_on_the_screen() -> None:
    """When the agent begins, and after a move and its reply."""
    screen = Screen("play", "random", "--seed", "3", "--seat", "second")
    screen.see("Last move: black", "ply 1")
    screen.see_prompt("white>")
    assert whole_board(screen.lines)
    assert any("--seed 3" in line for line in screen.lines)
    screen.enter("C4", "white>")
    screen.see("ply 3")
    screen.see_prompt("white>")
    assert whole_board(screen.lines)
    screen.enter("help", "white>")
    screen.see("help, h")
    screen.enter("quit", "white>")
    assert screen.exit_code() == 0


def test_lines_are_edited_completed_and_remembered() -> None:
    """The tabulator key completes, the arrow up brings back what was typed."""
    screen = Screen("play", "human", "--seed", "3")
    screen.see_prompt("black>")
    screen.type("posi\t\r")
    screen.see("black> position")
    screen.see_prompt("black>")
    screen.type("x\x7fd3\r")
    screen.see("Last move: black d3")
    screen.see_prompt("white>")
    screen.type(f"{UP}\r")
    screen.see("d3 is not possible: d3 is taken by black")
    screen.see_prompt("white>")
    assert "\x1b[6n" not in screen.shown  # asks where the cursor is, and warns if nobody answers
    screen.type(CTRL_D)
    screen.see("left unfinished, and not saved")
    assert screen.exit_code() == 0


def test_a_lost_game_is_taken_back_and_played_again(tmp_path: Path) -> None:
    """It shows where it was lost; undo goes on with it, and a rematch swaps the seats."""
    path = tmp_path / "games.jsonl"
    screen = Screen("play", "random", "--seat", "first", "--position", LOST, "--save", str(path))
    screen.enter("e3", "black>")
    text = screen.see("You lose: black's line e3-c5 still had an elephant on e3", "Play again?")
    assert "[E!●]" in text
    screen.type("undo\r")
    screen.see_prompt("black>")
    screen.enter("e3", "black>")
    screen.see("You lose", "Play again?")
    screen.type("maybe\r")
    screen.see("answer yes, same, undo, no")
    screen.type("y\r")
    screen.see("You are white, random is black.")
    screen.enter("quit", "white>")
    assert screen.exit_code() == 0
    lost, left = read_records(path)
    assert (lost.reason, lost.players) == ("animals captured", ("person", "random"))
    assert (left.reason, left.players) == ("unfinished", ("random", "person"))
    assert lost.start == left.start == LOST


def test_a_resignation_is_taken_back() -> None:
    """The game goes on in the position that was given up."""
    screen = Screen("play", "random", "--seed", "3", "--seat", "first")
    screen.enter("resign", "black>")
    screen.see("You resigned: random wins.", "Play again?")
    screen.type("undo\r")
    screen.see_prompt("black>")
    screen.enter("c3", "black>")
    screen.see("ply 2")
    screen.see_prompt("black>")
    screen.type(CTRL_D)
    assert screen.exit_code() == 0


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
def test_keys_that_end_programs_save_the_game(tmp_path: Path, key: str) -> None:
    """And the command that is shown goes on with it."""
    path = tmp_path / "games.jsonl"
    screen = Screen("play", "random", "--seed", "3", "--seat", "first", "--save", str(path))
    screen.enter("c3", "black>")
    screen.see("ply 2")
    screen.see_prompt("black>")
    screen.type(key)
    screen.see("saved to", "To go on: mammalath play --resume")
    assert screen.exit_code() == (130 if key == CTRL_C else 0)
    (record,) = read_records(path)
    assert (record.reason, record.moves[0]) == ("unfinished", "c3")
    screen = Screen("play", "--resume", str(path))
    screen.see("Going on after ply 2.", "ply 2")
    screen.enter("resign", "black>")
    screen.see("Play again?")
    screen.type("\r")
    assert screen.exit_code() == 0
    assert [each.reason for each in read_records(path)] == ["resigned"]


def test_rules_are_read_page_by_page() -> None:
    """Enter turns the page, q stops; each page is whole on the screen."""
    screen = Screen("rules")
    screen.see("1/9: The board and the goal", "Enter for the next page")
    assert "Mammalath 1/9" in "\n".join(screen.lines)
    screen.type("\r")
    text = screen.see("2/9: Placing a token", "Enter for the next page")
    assert "●" in text
    screen.type("q\r")
    assert screen.exit_code() == 0
    assert "3/9" not in screen.shown
