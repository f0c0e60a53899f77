"""The worked example of docs/agents.md: from an empty file to a match with forfeits explained."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

from tests.processes import finish
from tests.test_readme import ROOT, blocks

PAGE = (ROOT / "docs" / "agents.md").read_text("utf-8")
EXAMPLE = PAGE[PAGE.index("## Your own agent") : PAGE.index("### What is taken where")]


def test_the_example_does_what_the_page_says(tmp_path: Path) -> None:
    """Its files are the first blocks; the commands run, and print what is shown."""
    function, taker, *_ = blocks(EXAMPLE, "python")
    path = tmp_path / "my_taker.py"
    path.write_text(taker, "utf-8")
    (tmp_path / "my_agents.py").write_text(function, "utf-8")
    trace, note = blocks(EXAMPLE, "text")
    (failing,) = (line for line in EXAMPLE.splitlines() if "--record games.jsonl" in line)
    command = (sys.executable, "-m", "mammalath_env")
    note = " ".join(note.split())

    def run(line: str) -> tuple[str, str]:
        done = finish(*command, *shlex.split(line)[1:], cwd=tmp_path, COLUMNS="120")
        return done.stdout, done.stderr

    printed, errors = run(failing)
    assert note in " ".join(printed.split())
    for line in trace.splitlines():
        # Paths, lines of the standard library and marks below the code depend on the Python.
        if "..." not in line and set(line) - set(" ^~") and "raise IndexError(" not in line:
            assert line in errors
    assert re.search(r'my_taker.py", line 14, in act', errors)
    assert "line 14, in act" in trace
    (mended,) = re.findall(r"`(if taking and .*:)`", EXAMPLE)
    path.write_text(path.read_text("utf-8").replace("if self.rng.random() < self.skill:", mended))
    commands = [line for block in blocks(EXAMPLE, "sh") for line in block.splitlines()]
    commands = [line for line in commands if not line.startswith("#")]
    assert len(commands) == 6
    for line in commands:
        if " play " not in line and line != failing:
            printed, errors = run(line.replace("--deals 10", "--deals 1"))
            assert "forfeit" not in printed + errors
