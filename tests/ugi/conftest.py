"""The example of an engine in C, compiled.

Without a C compiler named ``cc`` its tests are skipped; if ``cc`` is among the words of the
variable ``MAMMALATH_ENV_REQUIRED``, separated by commas, they fail instead.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.processes import ROOT

SOURCE = ROOT / "examples" / "engines" / "mammalath_engine.c"


@pytest.fixture(scope="session")
def c_engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program; the compiler has nothing to say about it."""
    compiler = shutil.which("cc")
    if compiler is None:
        if "cc" in os.environ.get("MAMMALATH_ENV_REQUIRED", "").replace(" ", "").split(","):
            pytest.fail("cc is missing, and MAMMALATH_ENV_REQUIRED asks for it")
        pytest.skip("needs a C compiler, cc")
    program = tmp_path_factory.mktemp("engine") / "mammalath_engine"
    flags = ["-std=c99", "-pedantic", "-O2", "-Wall", "-Wextra", "-Werror"]
    finished = subprocess.run(
        [compiler, *flags, "-o", str(program), str(SOURCE)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return program
