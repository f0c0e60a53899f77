"""The page for authors of engines says what is so."""

from __future__ import annotations

import re
import sys
import time

import pytest
from typer.testing import CliRunner

from mammalath_env.cli import app
from mammalath_env.ugi.client import START_TIMEOUT_S
from mammalath_env.ugi.conformance import CHECKS, MARGIN_SECONDS
from mammalath_env.ugi.process import MAX_LINE, EngineDiedError, EngineProcess
from tests.processes import ROOT

PAGE = (ROOT / "docs" / "engines.md").read_text("utf-8")
SECONDS = 240.0


def test_transcript() -> None:
    """The session of the page, line by line."""
    blocks = [block for block in re.findall(r"```text\n(.*?)```", PAGE, re.S) if block[0] == ">"]
    assert len(blocks) == 1
    lines = blocks[0].splitlines()
    words = re.search(r"A session with `mammalath (.*?)`", PAGE)
    assert words is not None
    process = EngineProcess([sys.executable, "-m", "mammalath_env", *words[1].split()])
    try:
        for line in lines:
            direction, text = line.split(" ", 1)
            if direction == ">":
                process.send(text)
                continue
            assert direction == "<"
            received = process.read_line(time.monotonic() + SECONDS)
            pattern = ".+".join(map(re.escape, text.split("...")))
            assert re.fullmatch(pattern, received), (text, received)
        with pytest.raises(EngineDiedError, match="exit code 0"):
            process.read_line(time.monotonic() + SECONDS)
    finally:
        process.close()
    # All commands of the protocol are in it.
    sent = {line.split()[1] for line in lines if line.startswith(">")}
    rows = re.findall(r"^\| `(\w+)", PAGE[PAGE.index("| command | answer") :], re.MULTILINE)
    assert sent == set(rows[: rows.index("quit") + 1])


def test_words_of_the_checks() -> None:
    """The example has checks by their names; numbers are those of the code."""
    found = re.findall(r"^(?:ok   |wrong) (.*)", PAGE, re.MULTILINE)
    assert len(found) == 3
    assert set(found) <= set(CHECKS)
    assert f"{MARGIN_SECONDS} by default" in PAGE
    assert f"a line of more than {MAX_LINE:,} bytes" in PAGE
    assert START_TIMEOUT_S == 60.0


def test_default_margin() -> None:
    """The command's help has that of the function."""
    result = CliRunner().invoke(app, ["engine-check", "--help"])
    assert f"default: {MARGIN_SECONDS}" in " ".join(result.output.replace("│", " ").split())
