"""The examples run as they stand, for every game."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from mammalath_env.core.game import Game
from tests.processes import ROOT, run_python

PLAIN = ("random_episode.py", "greedy_vs_random.py")
"""Examples that need no more than the package; tests/integrations run the others."""
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SOURCES = {path.name: path.read_text("utf-8") for path in EXAMPLES}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *EXAMPLES]
REWARD = re.compile(r"(player_[01])(?: \(\w+\))?: reward ([+-]\d)")


def options_of(name: str) -> set[str]:
    """Return the options that an example defines, with those that it has from its neighbour."""
    source = SOURCES[name]
    if "training_parser(" in source:
        source += SOURCES["learning_common.py"]
    return set(re.findall(r'"(--[a-z-]+)"', source))


@pytest.mark.parametrize("name", sorted(set(SOURCES) - set(PLAIN)))
def test_examples_with_libraries_are_run(name: str) -> None:
    """A test that needs the library names each of them."""
    folder = ROOT / "tests" / "integrations"
    assert any(name in path.read_text("utf-8") for path in folder.rglob("test_*.py"))


@pytest.mark.parametrize("name", sorted(set(SOURCES) - set(PLAIN)))
def test_examples_say_which_extra_they_need(name: str) -> None:
    """They import libraries where a missing one is answered with what to install."""
    extras = re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    tree = ast.parse(SOURCES[name])
    guards = [node for node in tree.body if isinstance(node, ast.With)]
    assert len(guards) == 1
    guard = ast.unparse(guards[0].items[0])
    found = re.match(r"from_extra\('(\w+)', '\w+'", guard)
    assert found is not None, guard
    assert found[1] in extras
    plain = {"numpy", "gymnasium", "rich", "mammalath_env", "learning_common"}
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            module = node.names[0].name if isinstance(node, ast.Import) else node.module or ""
            assert module.partition(".")[0] in plain | sys.stdlib_module_names, module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_run_examples(page: Path) -> None:
    """Every example of a command exists and has the options that the command gives it."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    for name, arguments in re.findall(r"python examples/(\w+\.py)([^\n#]*)", text):
        assert name in SOURCES
        assert set(re.findall(r"--[a-z-]+", arguments)) <= options_of(name)


@pytest.mark.parametrize("name", PLAIN)
def test_example_ends_with_rewards(name: str, game: Game) -> None:
    """The last two lines are the rewards of both agents, which sum to 0."""
    output = run_python(f"examples/{name}", "--game", game.name, "--seed", "3")
    lines = [line for line in output.splitlines() if line]
    found = [REWARD.fullmatch(line) for line in lines[-2:]]
    rewards = {match[1]: int(match[2]) for match in found if match}
    assert set(rewards) == {"player_0", "player_1"}
    assert sum(rewards.values()) == 0
    assert not any(REWARD.fullmatch(line) for line in lines[:-2])


@pytest.mark.parametrize("name", PLAIN)
def test_example_repeats_with_a_seed(name: str) -> None:
    """A seed gives the same output again; the defaults have one, so that readers see the same."""
    output = run_python(f"examples/{name}")
    assert output == run_python(f"examples/{name}", "--game", "mammalath", "--seed", "7")
    assert output != run_python(f"examples/{name}", "--seed", "8")
