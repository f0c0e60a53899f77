"""Run the code blocks of the README and the docs as a reader would who begins at the top.

The blocks of a page run in one empty folder, in their order: Python in one interpreter, shell
commands with the environment activated. It needs no library but the package, so that
``python tests/pages.py`` also shows what runs where only that is installed.

Two lines say more about a block:

- ``# needs: pip install ".[arena]"``, first in the block, where the reader sees it: it runs only
  where that extra is installed, or that package.
- ``<!-- not run: trains for minutes -->``, before the block: it does not run here.

If the text before a block of Python ends with a name as in "file `my_agents.py`", the block is
written to that file too.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "benchmarks" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
RUN = ("python", "sh")
"""The languages of blocks that run."""

_SECONDS = 400

_FENCE = re.compile(r"```(\S*)")
_NOT_RUN = re.compile(r"<!-- not run: (.*) -->")
_NEEDS = re.compile(r"# needs: pip install (?:\"\.\[([\w,]+)\]\"|(\w+))")
_FILE = re.compile(r"file `(\w+\.py)`")

# Run in a process of its own, in the folder of the page.
_DRIVER = """
import json, pathlib, subprocess, sys

namespace = {"__name__": "__main__"}
for block in json.loads(pathlib.Path("blocks.json").read_text("utf-8")):
    print("==", block["where"], flush=True)
    if block["language"] == "sh":
        command = ["bash", "-euo", "pipefail", "-c", block["code"]]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        continue
    if block["file"]:
        pathlib.Path(block["file"]).write_text(block["code"], "utf-8")
    exec(compile(block["code"], block["where"], "exec"), namespace)
"""


@dataclasses.dataclass(frozen=True)
class Block:
    """A code block of a page.

    Attributes:
        where: The page and the line of the block's first line.
        language: What stands behind the fence; ``{...}`` for a directive of Sphinx.
        code: The lines between the fences.
        not_run: Why it does not run here, or None.
        file: The file that it is written to, or None.
    """

    where: str
    language: str
    code: str
    not_run: str | None
    file: str | None

    def lacks(self, extras: Collection[str]) -> bool:
        """Return whether the block needs what is not installed, given the extras that are.

        Raises:
            ValueError: Its first line says what it needs, but not in the form for that.
        """
        first = self.code.partition("\n")[0]
        found = _NEEDS.fullmatch(first)
        if found is None:
            if "needs:" in first:
                raise ValueError(f"{self.where}: what it needs must read {_NEEDS.pattern}")
            return False
        if found[2]:
            return importlib.util.find_spec(found[2]) is None
        return not set(found[1].split(",")) <= set(extras)


def read_blocks(page: Path) -> list[Block]:
    """Return the code blocks of a page, in their order."""
    name = page.relative_to(ROOT).as_posix()
    blocks: list[Block] = []
    lines = page.read_text("utf-8").splitlines()
    before, start = "", None
    for number, line in enumerate(lines):
        if start is not None:
            if line == "```":
                code = "".join(f"{each}\n" for each in lines[start + 1 : number])
                language = _FENCE.match(lines[start])
                not_run, file = _NOT_RUN.fullmatch(before), _FILE.search(before)
                blocks.append(
                    Block(
                        f"{name}:{start + 2}",
                        language[1] if language else "",
                        code,
                        not_run[1] if not_run else None,
                        file[1] if file else None,
                    )
                )
                before, start = "", None
        elif line.startswith("```"):
            start = number
        elif line:
            before = line
    return blocks


def blocks_to_run(page: Path, extras: Collection[str]) -> list[Block]:
    """Return the blocks of a page that can run with these extras of the package installed."""
    return [
        block
        for block in read_blocks(page)
        if block.language in RUN and block.not_run is None and not block.lacks(extras)
    ]


def run_page(page: Path, extras: Collection[str]) -> subprocess.CompletedProcess[str]:
    """Run the blocks of a page with this Python; the extras are those that are installed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # What the reader has: an environment to activate, and the files of the checkout.
        scripts = folder / ".venv" / "bin"
        scripts.mkdir(parents=True)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        (scripts / "activate").write_text(f"export PATH='{path}'\n", "utf-8")
        for each in ("examples", "tests"):
            (folder / each).symlink_to(ROOT / each)
        blocks = [dataclasses.asdict(block) for block in blocks_to_run(page, extras)]
        (folder / "blocks.json").write_text(json.dumps(blocks), "utf-8")
        (folder / "driver.py").write_text(_DRIVER, "utf-8")
        return subprocess.run(
            [sys.executable, "-W", "error", "driver.py"],
            cwd=folder,
            env={**os.environ, "PATH": path, "PYTHONUTF8": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )


def main() -> None:
    """Run all pages with no extra; exit with the number of those that fail."""
    failed = 0
    for page in PAGES:
        finished = run_page(page, ())
        print(page.relative_to(ROOT), "failed" if finished.returncode else "ok", flush=True)
        if finished.returncode:
            failed += 1
            print(finished.stdout)
    sys.exit(failed)


if __name__ == "__main__":
    main()
