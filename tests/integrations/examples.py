"""Run the examples and import them, which are scripts and no package."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from types import ModuleType
from typing import Any

from tests.processes import ROOT, run


def example(file_name: str) -> ModuleType:
    """Return an example as a module; what it does as a script is left out."""
    path = ROOT / "examples" / file_name
    spec = importlib.util.spec_from_file_location(f"examples.{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_python(*arguments: str) -> str:
    """Run this Python, which must succeed, and return what it printed.

    Unlike `tests.processes.run`, this allows for what libraries log to the standard error.
    """
    completed = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=280,
        check=False,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


def run_example(file_name: str, *arguments: str) -> str:
    """Run an example as a script and return what it printed."""
    return run_python(f"examples/{file_name}", *arguments)


def fail_example(file_name: str, *arguments: str) -> str:
    """Run an example as a script, which must fail, and return its standard error."""
    completed = subprocess.run(
        [sys.executable, "-W", "ignore", f"examples/{file_name}", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "COLUMNS": "200"},
        capture_output=True,
        encoding="utf-8",
        timeout=280,
        check=False,
    )
    assert completed.returncode != 0, completed.stdout
    return completed.stderr


def run_examples(code: str) -> str:
    """Run code that can import the examples, print no warnings, and return what it printed."""
    # Without the message that rules are compiled, which only the first process of all gives.
    prelude = "import logging, sys; logging.disable(); sys.path.insert(0, 'examples')"
    return run(sys.executable, "-W", "ignore", "-c", f"{prelude}\n{code}")


def parameters(module: Any) -> list[Any]:
    """Return copies of the parameters of a PyTorch module."""
    return [parameter.detach().clone() for parameter in module.parameters()]


def any_changed(before: list[Any], module: Any) -> bool:
    """Return whether a parameter of a PyTorch module differs from its copy."""
    now = module.parameters()
    return any(bool((old != new).any()) for old, new in zip(before, now, strict=True))
