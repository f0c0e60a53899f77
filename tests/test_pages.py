"""The code blocks of the README and the docs run, in order of their page and copied alone."""

from __future__ import annotations

import ast
import builtins
import os
from pathlib import Path

import pytest

from tests.pages import PAGES, ROOT, RUN, Block, read_blocks, run_page

SHOWN = ("text", "bibtex")
"""Languages of blocks that are only there to be read."""

NOT_RUN = (
    ".ci/run does, in a clone",
    "for developers, in the checkout",
    "trains for minutes",
    "needs several machines",
    "asks for moves",
    "needs a C compiler",
)
"""Why a block does not run here. Tests of the examples run the commands that train, for less."""

MOST_NOT_RUN = 20

EXTRAS = ("arena", "neural", "test")
"""The extras that the extra ``test`` contains."""

CONTINUES = "# continues the block above"
"""The first line of a block that uses names of earlier ones."""

BLOCKS = {page: read_blocks(page) for page in PAGES}
EVERY = [block for blocks in BLOCKS.values() for block in blocks]


def name_of(page: Path) -> str:
    """Return the name of a page in reports."""
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCKS[page]], ids=name_of)
def test_blocks_run(monkeypatch: pytest.MonkeyPatch, page: Path) -> None:
    """As for a reader who begins at the top of the page, in an empty folder."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)
    finished = run_page(page, EXTRAS)
    assert finished.returncode == 0, finished.stdout


@pytest.mark.parametrize("block", EVERY, ids=lambda block: block.where)
def test_blocks_are_of_known_kinds(block: Block) -> None:
    """A block runs, is there to be read, or says why it does not run."""
    assert block.language in (*RUN, *SHOWN) or block.language.startswith("{")
    assert block.not_run is None or (block.not_run in NOT_RUN and block.language in RUN)


def test_few_blocks_do_not_run() -> None:
    """It stays the exception."""
    assert sum(block.not_run is not None for block in EVERY) <= MOST_NOT_RUN


def names(code: str) -> tuple[set[str], set[str]]:
    """Return the names that code binds, and those that it takes from elsewhere."""
    bound: set[str] = set(dir(builtins))
    used: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
    return bound, used - bound


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_can_be_copied_alone(page: Path) -> None:
    """A block binds all names that it uses, or says that it continues the one above."""
    above: set[str] = set()
    for block in BLOCKS[page]:
        if block.language == "python":
            bound, missing = names(block.code)
            continues = CONTINUES in block.code.splitlines()[:2]
            assert missing <= (above if continues else set()), (block.where, missing)
            assert bool(missing) == continues, block.where
            above |= bound


def test_a_block_that_fails_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In Python and in the shell; what a block needs keeps it from running where that is not."""
    monkeypatch.setattr("tests.pages.ROOT", tmp_path)
    for each in ("examples", "tests"):
        (tmp_path / each).mkdir()
    page = tmp_path / "page.md"
    for block, fails in (
        ("```python\nprint('fine')\n```", False),
        ("```python\nundefined\n```", True),
        ("```python\nimport warnings\n\nwarnings.warn('soon')\n```", True),
        ("```sh\ntrue\n```", False),
        ("```sh\nfalse\ntrue\n```", True),
        ("```sh\nsource .venv/bin/activate  # as on the page\npython -c 'pass'\n```", False),
        ("With this file `own.py`,\n\n```python\nx = 1\n```\n\n```python\nimport own\n```", False),
        ("```python\nx = 1\n```\n\n```sh\ntest -e own.py\n```", True),
        ("```python\nx = 1\n```\n\n```python\nassert x == 1\n```", False),
        ("<!-- not run: trains for minutes -->\n```sh\nfalse\n```", False),
        ('```sh\n# needs: pip install ".[arena]"\nfalse\n```', True),
        ('```sh\n# needs: pip install ".[sb3]"\nfalse\n```', False),
        ("```python\n# needs: pip install no_such_package\nundefined\n```", False),
    ):
        page.write_text(f"# Title\n\n{block}\n", "utf-8")
        assert bool(run_page(page, EXTRAS).returncode) is fails, block
    page.write_text("```sh\n# needs: a lot\ntrue\n```\n", "utf-8")
    with pytest.raises(ValueError, match=r"page.md:2: what it needs must read"):
        run_page(page, EXTRAS)
