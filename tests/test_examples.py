"""The examples run as they stand, for every game."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mammalath_env.core.game import Game
from tests.processes import ROOT, run_python

# Examples that begin with the name of a library need it, and those of learning need PyTorch;
# tests/integrations run them.
LIBRARIES = (
    "alphazero",
    "evaluation",
    "export_network",
    "policy_value_network",
    "ppo_selfplay",
    "run_options",
    "agilerl",
    "benchmarl",
    "openspiel",
    "rllib",
    "sb3",
    "skrl",
    "tianshou",
    "torchrl",
    "xuance",
)
ALL_EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
EXAMPLES = [path for path in ALL_EXAMPLES if not path.stem.startswith(LIBRARIES)]
REWARD = re.compile(r"(player_[01])(?: \(\w+\))?: reward ([+-]\d)")


def test_there_are_examples() -> None:
    """The tests below find them."""
    assert {"greedy_vs_random.py", "random_episode.py"} <= {path.name for path in EXAMPLES}


def test_examples_with_libraries_are_run() -> None:
    """Each of them is named by a test that needs its library."""
    folder = ROOT / "tests" / "integrations"
    tests = [path.read_text("utf-8") for path in folder.rglob("test_*.py")]
    for path in set(ALL_EXAMPLES) - set(EXAMPLES):
        assert any(path.name in test for test in tests), f"no test runs {path.name}"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, game: Game) -> None:
    """It ends with the rewards of both agents."""
    output = run_python(str(path), "--game", game.name, "--seed", "3")
    lines = [line for line in output.splitlines() if line]
    found = [REWARD.fullmatch(line) for line in lines[-2:]]
    rewards = {match[1]: int(match[2]) for match in found if match}
    assert set(rewards) == {"player_0", "player_1"}
    assert sum(rewards.values()) == 0
    assert not any(REWARD.fullmatch(line) for line in lines[:-2])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_repeats_with_a_seed(path: Path) -> None:
    """A seed gives the same output again; the defaults have one, so that readers see the same."""
    output = run_python(str(path))
    assert output == run_python(str(path), "--game", "mammalath", "--seed", "7")
    assert output != run_python(str(path), "--seed", "8")
