"""Commands in terminals of all widths, with and without colours, and what they show while busy."""

from __future__ import annotations

import io
import re
import sys
import threading
from pathlib import Path

import pytest

from mammalath_env.cli import terminal
from mammalath_env.cli.terminal import busy
from tests.processes import ROOT, finish
from tests.terminals import Terminal
from tests.test_cli_commands import WIN_IN_TWO

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COMMAND = (sys.executable, "-m", "mammalath_env")


def screen(*arguments: str, columns: int, code: int = 0) -> list[str]:
    """Return the lines that a command prints in a terminal."""
    started = Terminal(*arguments, columns=columns)
    assert started.exit_code() == code
    return ESCAPE.sub("", started.shown).splitlines()


@pytest.mark.parametrize("columns", [30, 45, 60, 69, 76, 79, 80, 200])
def test_boards_fit_the_terminal(columns: int) -> None:
    """No line of a board is broken by the terminal, and the whole one is drawn where it fits."""
    lines = screen("show", "--game", "mammalath_plus", "--seed", "1", columns=columns)
    board = lines[: lines.index("")]
    assert len(board) >= 5
    assert max(map(len, board)) < columns
    assert any("Tokens left" in line for line in board) is (columns >= 78)


def test_watch_fits_a_narrow_terminal() -> None:
    """All boards of a game do."""
    lines = screen("watch", "random", "random", "--seed", "2", "--delay", "0", columns=41)
    boards = [line for line in lines if re.match(r"\d |  [┌├└]", line)]
    assert len(boards) > 50
    assert max(map(len, boards)) == 39


@pytest.mark.parametrize("game", ["mammalath", "mammalath_plus", "mancala"])
def test_show_fits_a_usual_terminal(game: str) -> None:
    """In 80 by 24 the board, its seed, its text and the moves are seen at once."""
    lines = screen("show", "--game", game, columns=80)
    # A text longer than the width takes two rows; the last row is for the prompt.
    assert sum(-(-max(len(line), 1) // 80) for line in lines) <= 23
    assert any(line.startswith("seed ") for line in lines)
    assert any("legal moves: " in line for line in lines)


def test_a_list_of_moves_is_cut_in_a_terminal_only() -> None:
    """A pipe gets all moves, a terminal as many as it has room for."""
    plain = finish(*COMMAND, "show", "--game", "mammalath_plus", "--seed", "1").stdout
    assert "h8" in plain.splitlines()[-1]
    lines = screen("show", "--game", "mammalath_plus", "--seed", "1", columns=80)
    assert lines[-1].endswith("(--json lists all)")


@pytest.mark.parametrize(
    ("variables", "colored"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colors_in_a_pipe(variables: dict[str, str], colored: bool) -> None:
    """A pipe has colours only where the user forces them."""
    given = {"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm", **variables}
    shown = finish(*COMMAND, "show", WIN_IN_TWO, code=0, cwd=ROOT, **given).stdout
    assert ("\x1b[" in shown) is colored


def test_no_color_in_a_terminal() -> None:
    """A terminal has none where the user wants none."""
    started = Terminal("show", WIN_IN_TWO, NO_COLOR="1")
    assert started.exit_code() == 0
    assert "White to move" in started.shown
    assert "\x1b[" not in started.shown


# busy

_BUSY = """
import sys, threading
from mammalath_env.cli import terminal
terminal._PATIENCE = float(sys.argv[1])
with terminal.busy("mcts is thinking"):
    for _ in range(int(sys.argv[2])):
        threading.Event().wait(0.05)
    with terminal.busy("Compiling"):
        for _ in range(int(sys.argv[2])):
            threading.Event().wait(0.05)
print("done")
"""


def test_long_work_is_shown_and_gone_after() -> None:
    """The words are on the screen while it lasts, those of inner work too, and cleared at last."""
    started = Terminal("0", "20", columns=80, code=_BUSY)
    started.wait_for("mcts is thinking (")
    started.wait_for("Compiling (")
    assert started.exit_code() == 0
    # Rich clears the line: back to its start, and erased.
    last = started.shown.rindex("\x1b[2K")
    assert "Compiling" not in started.shown[last:]
    assert "done" in started.shown[last:]


@pytest.mark.parametrize("variables", [{"patience": "1000"}, {"term": "dumb"}])
def test_short_work_and_dumb_terminals_show_nothing(variables: dict[str, str]) -> None:
    """What is over soon is not worth a line, and some terminals cannot take it back."""
    patience = variables.pop("patience", "0")
    started = Terminal(patience, "4", columns=80, code=_BUSY, **variables)
    assert started.exit_code() == 0
    assert started.shown.split() == ["done"]


def test_without_a_terminal_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe gets no words, and no thread is started."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(terminal, "_PATIENCE", 0.0)
    before = threading.active_count()
    with busy("work"):
        assert threading.active_count() == before
    assert stream.getvalue() == ""


def test_errors_pass_through_busy() -> None:
    """The error of the work is the caller's, and the words are forgotten."""
    with pytest.raises(ZeroDivisionError), busy("work"):
        _ = 1 / 0
    assert not terminal._activities


def test_compiling_is_shown() -> None:
    """What the package logs about compiling is on the screen while it lasts, warnings after."""
    code = """
import logging, threading
from mammalath_env.cli import terminal
terminal._PATIENCE = 0.0
terminal.show_compiling()
logger = logging.getLogger("mammalath_env")
logger.warning("compiling the rules; later runs use the cache")
for kernel in ("mammalath_env.core.one", "mammalath_env.agents.mcts.two"):
    logger.info("compiling %s", kernel)
    for _ in range(20):
        threading.Event().wait(0.05)
    logger.info("compiled %s", kernel)
logger.warning("cannot store compiled rules: full")
"""
    started = Terminal(columns=80, code=code)
    started.wait_for("Preparing the rules, once after installation (part 1) (")
    started.wait_for("Preparing mcts, once after installation (part 2) (")
    assert started.exit_code() == 0
    assert "cannot store compiled rules: full" in started.shown
    assert "later runs use the cache" not in started.shown


SLOW = """
import threading

class Slow:
    def __init__(self, seed=None):
        pass

    def act(self, position):
        if position.ply < 2:
            threading.Event().wait(1.0)
        return position.legal_actions()[0]
"""


def test_watch_says_that_an_agent_thinks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent is named while the others wait, and the boards are whole all the same."""
    (tmp_path / "slow.py").write_text(SLOW, "utf-8")
    monkeypatch.chdir(tmp_path)
    code = (
        "from mammalath_env.cli import main, terminal\nterminal._PATIENCE = 0.2\n"
        "if __name__ == '__main__':\n    main()"
    )
    arguments = ("watch", "slow:Slow", "random", "--seed", "1", "--delay", "0")
    started = Terminal(*arguments, columns=80, code=code)
    started.wait_for("slow:Slow (black) is thinking")
    assert started.exit_code() == 0
    assert re.search("won|draw", started.shown)
