"""Run the examples, which are scripts, or import them as modules."""

from __future__ import annotations

import importlib.util
import re
import sys
from types import ModuleType
from typing import Any

from tests.processes import ROOT, finish, run

OPPONENT = "level:1"
"""No default of an example, and so weak that an untrained policy wins some games of Mancala."""


def example(file_name: str) -> ModuleType:
    """Return an example as a module, without running it as a script."""
    path = ROOT / "examples" / file_name
    spec = importlib.util.spec_from_file_location(f"examples.{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Scripts find their neighbours in the folder that they are in.
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


def run_python(*arguments: str) -> str:
    """Run this Python, which must succeed, and return what it printed.

    Unlike `tests.processes.run`, this allows libraries to log to the standard error.
    """
    return finish(sys.executable, *arguments).stdout


def run_example(file_name: str, *arguments: str) -> str:
    """Run an example as a script and return what it printed."""
    return run_python(f"examples/{file_name}", *arguments)


def fail_example(file_name: str, *arguments: str, code: int = 1) -> str:
    """Run an example as a script, which must exit with `code`, and return its standard error."""
    command = (sys.executable, "-W", "ignore", f"examples/{file_name}", *arguments)
    return finish(*command, code=code, COLUMNS="200").stderr


def run_examples(code: str) -> str:
    """Run code that can import the examples, print no warnings, and return what it printed."""
    # Without the message that rules are being compiled, which appears on an empty cache only.
    prelude = "import logging, sys; logging.disable(); sys.path.insert(0, 'examples')"
    return run(sys.executable, "-W", "ignore", "-c", f"{prelude}\n{code}")


def parameters(module: Any) -> list[Any]:
    """Return copies of the parameters of a PyTorch module."""
    return [parameter.detach().clone() for parameter in module.parameters()]


def any_changed(before: list[Any], module: Any) -> bool:
    """Return whether a parameter of a PyTorch module differs from its copy."""
    now = module.parameters()
    return any(bool((old != new).any()) for old, new in zip(before, now, strict=True))


_PROGRESS = re.compile(r"(\d+) steps: score (\d+\.\d)% in 40 games against (\S+)")
_SEAT = re.compile(
    r"moving (first|second) against (\S+): (\d+) won, (\d+) drawn, (\d+) lost in (\d+) games"
)


def steps_of_progress(printed: str, opponent: str, games: int) -> list[int]:
    """Return the steps of the lines of progress that an example has printed for an opponent.

    The output must end with a match against it, of as many games in each seat.
    """
    lines = [found for line in printed.splitlines() if (found := _PROGRESS.fullmatch(line))]
    assert all(0 <= float(score) <= 100 for _, score, _ in map(re.Match.groups, lines))
    seats = [found for line in printed.splitlines() if (found := _SEAT.fullmatch(line))]
    seats = [found for found in seats if found[2] == opponent]
    assert [found[1] for found in seats] == ["first", "second"]
    assert printed.find(seats[0][0]) > max([printed.find(found[0]) for found in lines], default=-1)
    for found in seats:
        *results, total = map(int, found.groups()[2:])
        assert sum(results) == total == games
    return [int(found[1]) for found in lines if found[3] == opponent]
