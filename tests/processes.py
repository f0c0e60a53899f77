"""Run Python and the command of the package in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder that holds the package, the tests and the examples."""

_COMPILING = "compiling the rules; later runs use the cache\n"


def finish(
    *command: str, code: int = 0, cwd: Path = ROOT, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with more environment variables; it must exit with `code`."""
    completed = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert completed.returncode == code, completed.stdout + completed.stderr
    return completed


def run(*command: str) -> str:
    """Run a command and return what it printed.

    It must succeed and print nothing to its standard error, but that it compiles.
    """
    completed = finish(*command)
    assert completed.stderr.replace(_COMPILING, "") == ""
    return completed.stdout


def run_python(*arguments: str) -> str:
    """Run this Python with `arguments` and return what it printed."""
    return run(sys.executable, *arguments)


def run_code(code: str) -> str:
    """Run `code` in a new process and return what it printed."""
    return run_python("-c", code)
