"""Compiled code on disk: never broken, never stale. Each test runs processes on a tiny package."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mammalath_env.core import disk_cache
from mammalath_env.core.jit import JIT_ENABLED

pytestmark = pytest.mark.skipif(not JIT_ENABLED, reason="nothing is compiled")

COMPILING = "compiling the rules; later runs use the cache\n"

# `scaled` and the factor stand in files of their own, which Numba's own cache would not look at.
SOURCES = {
    "__init__.py": "",
    "core/__init__.py": "",
    "core/factor.py": "FACTOR = 10\n",
    "core/scaled.py": """
        from mammalath_env.core.factor import FACTOR
        from mammalath_env.core.jit import kernel

        @kernel
        def scaled(n):
            return FACTOR * n
    """,
    "core/entry.py": """
        from mammalath_env.core.jit import entry_kernel
        from mammalath_env.core.scaled import scaled

        @entry_kernel
        def add(n):
            return scaled(n) + 1

        @entry_kernel
        def subtract(n):
            return scaled(n) - 1
    """,
}

RUN = """
from mammalath_env.core.entry import add, subtract
results = add(2), subtract(2)
hits = [sum(entry.stats.cache_hits.values()) for entry in (add, subtract)]
print(*results, *hits)
"""


class Sandbox:
    """A package of two entry kernels with the project's `core.jit`, and a folder for its cache."""

    def __init__(self, folder: Path) -> None:
        """Write the package into `folder`."""
        self.root = folder
        self.package = folder / "site" / "mammalath_env"
        self.cache = folder / "cache"
        (self.package / "core").mkdir(parents=True)
        for name in ("jit", "linking", "disk_cache"):
            source = Path(disk_cache.__file__).with_name(f"{name}.py")
            shutil.copy(source, self.package / "core")
        for name, text in SOURCES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        """Write a file of the package."""
        (self.package / name).write_text(textwrap.dedent(text), "utf-8")

    def start(
        self,
        code: str = RUN,
        before: Callable[[], None] | None = None,
        **variables: str | None,
    ) -> subprocess.Popen[str]:
        """Start `code` in a process; a variable that is None is not set there."""
        given: dict[str, str | None] = {
            **os.environ,
            "PYTHONPATH": str(self.package.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NUMBA_CACHE_DIR": str(self.cache),
            **variables,
        }
        return subprocess.Popen(
            [sys.executable, "-c", code],
            env={name: value for name, value in given.items() if value is not None},
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=before,
        )

    def run(
        self,
        code: str = RUN,
        before: Callable[[], None] | None = None,
        **variables: str | None,
    ) -> tuple[str, str]:
        """Run `code` to its end; it must succeed."""
        process = self.start(code, before, **variables)
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        return output.strip(), errors

    def files(self) -> list[Path]:
        """Return the files of compiled code."""
        return sorted(self.cache.rglob("*.nbc"))


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    """Return a sandbox with nothing compiled."""
    return Sandbox(tmp_path)


@pytest.fixture(scope="module")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache that a first process has filled; it is the same for each sandbox."""
    sandbox = Sandbox(tmp_path_factory.mktemp("warm"))
    assert sandbox.run() == ("21 19 0 0", COMPILING)
    return sandbox.cache


@pytest.fixture
def warm(sandbox: Sandbox, warm_cache: Path) -> Sandbox:
    """Return a sandbox with compiled code in its cache."""
    shutil.copytree(warm_cache, sandbox.cache)
    return sandbox


def test_second_process_reads_what_the_first_one_wrote(warm: Sandbox) -> None:
    """Only the first one compiles, and says so."""
    assert len(warm.files()) == 2
    assert warm.run() == ("21 19 1 1", "")
    assert list(warm.cache.rglob("*.tmp")) == []


def test_each_compilation_is_logged(sandbox: Sandbox) -> None:
    """Its beginning and its end, as information; what is read from the cache is not compiled."""
    code = "import logging\nlogging.basicConfig(level=logging.INFO, format='%(message)s')\n" + (
        textwrap.dedent(RUN)
    )
    _, errors = sandbox.run(code)
    lines = [line for line in errors.splitlines() if line.startswith("compil")]
    lines.remove(COMPILING.strip())
    began = [line.split()[1] for line in lines if line.startswith("compiling")]
    ended = [line.split()[1] for line in lines if line.startswith("compiled")]
    assert sorted(began) == sorted(ended)
    assert len(began) == 2
    assert "compil" not in sandbox.run(code)[1]


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _damage(path: Path) -> None:
    """Keep the length, as a crash of the machine does that loses a block of a file."""
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(content[:middle] + bytes(512) + content[middle + 512 :])


def _replace_by_folder(path: Path) -> None:
    """Make opening it fail, even for root, who may read any file."""
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("harm", [lambda path: path.write_bytes(b""), _truncate, _damage])
def test_damaged_file_is_compiled_and_written_again(
    warm: Sandbox, harm: Callable[[Path], None], which: int
) -> None:
    """Whichever file it is, the other one is still used."""
    harm(warm.files()[which])
    hits = "0 1" if which == 0 else "1 0"
    assert warm.run() == (f"21 19 {hits}", COMPILING)
    assert warm.run() == ("21 19 1 1", "")


def test_file_that_cannot_be_opened_or_replaced(warm: Sandbox) -> None:
    """Code from such a file is compiled each time, and a warning says why it is not stored."""
    _replace_by_folder(warm.files()[0])
    output, errors = warm.run()
    assert output == "21 19 0 1"
    assert errors.startswith(COMPILING + "cannot store compiled rules: ")
    assert errors.count("\n") == 2


def test_file_that_may_not_be_read(warm: Sandbox) -> None:
    """A file that raises PermissionError counts as missing."""
    code = """
from pathlib import Path
def refuse(path):
    raise PermissionError(13, "Permission denied", str(path))
import mammalath_env.core.entry
from mammalath_env.core import disk_cache
disk_cache.source_digest = lambda: disk_cache._DIGEST
Path.read_bytes = refuse
"""
    assert warm.run(code + RUN) == ("21 19 0 0", COMPILING)


def test_full_disk_leaves_no_partial_file(sandbox: Sandbox) -> None:
    """A full disk leaves no partial file behind, and one warning says why."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    output, errors = sandbox.run(RUN, limit)
    assert output == "21 19 0 0"
    assert errors.startswith(COMPILING + "cannot store compiled rules: ")
    assert errors.count("\n") == 2
    assert [path for path in sandbox.cache.rglob("*") if path.is_file()] == []
    assert sandbox.run() == ("21 19 0 0", COMPILING)
    assert sandbox.run() == ("21 19 1 1", "")


# Ends the process, or lets another one run, at the moment before a finished file gets its name.
AT_RENAME = """
import os, pathlib, subprocess, sys
def replace(path, target, original=pathlib.Path.replace):
    {action}
    return original(path, target)
pathlib.Path.replace = replace
"""


def test_killed_while_saving(warm: Sandbox) -> None:
    """New sources never run old code, even if the process that compiles them is killed."""
    warm.write("core/factor.py", "FACTOR = 100\n")
    killed = warm.start(AT_RENAME.format(action="os.kill(os.getpid(), 9)") + RUN)
    output, errors = killed.communicate(timeout=300)
    assert (killed.returncode, output, errors) == (-9, "", COMPILING)
    assert warm.run() == ("201 199 0 0", COMPILING)
    assert warm.run() == ("201 199 1 1", "")


def test_process_that_starts_while_another_one_saves(warm: Sandbox) -> None:
    """It sees whole files of its own sources, or none."""
    warm.write("core/factor.py", "FACTOR = 100\n")
    action = "print(subprocess.check_output([sys.executable, '-c', INNER], text=True), end='')"
    code = f"INNER = {RUN!r}\n" + AT_RENAME.format(action=action) + RUN
    output, _ = warm.run(code)
    assert output.splitlines() == ["201 199 0 0", "201 199 0 1"]
    assert warm.run() == ("201 199 1 1", "")


def test_sources_of_an_earlier_time(warm: Sandbox) -> None:
    """Code of both versions stands side by side, so going back to the old one compiles nothing."""
    warm.write("core/factor.py", "FACTOR = 100\n")
    assert warm.run() == ("201 199 0 0", COMPILING)
    warm.write("core/factor.py", SOURCES["core/factor.py"])
    assert warm.run() == ("21 19 1 1", "")


def test_sources_edited_under_a_running_process(sandbox: Sandbox) -> None:
    """Code of the imported sources is not stored as code of the edited ones."""
    factor = sandbox.package / "core" / "factor.py"
    code = f"""
import mammalath_env.core.entry
open({str(factor)!r}, "w").write("FACTOR = 100")
"""
    assert sandbox.run(code + RUN) == ("21 19 0 0", "")
    assert sandbox.files() == []
    assert sandbox.run() == ("201 199 0 0", COMPILING)


def test_setting_that_changes_code(warm: Sandbox) -> None:
    """Code that was compiled with other settings of Numba is not used."""
    assert warm.run(NUMBA_BOUNDSCHECK="1") == ("21 19 0 0", COMPILING)


def test_old_versions_are_removed(warm: Sandbox) -> None:
    """Versions that nobody has used for long go, and nothing else does."""
    old, recent, current = (f"mammalath_env-{digit * 24}" for digit in "abc")
    foreign = ("mammalath_env", "mammalath_env-notes", "mancala_env-" + "a" * 24)
    long_ago = time.time() - 31 * 24 * 60 * 60
    for name in (old, recent, current, *foreign):
        (warm.cache / name).mkdir()
        (warm.cache / name / "file").touch()
        if name != recent:
            os.utime(warm.cache / name, (long_ago, long_ago))
    (own,) = {path.parent for path in warm.files()}
    own.rename(warm.cache / "elsewhere")
    (warm.cache / "elsewhere").rename(own)
    os.utime(own, (long_ago, long_ago))
    assert warm.run() == ("21 19 1 1", "")
    left = {path.name for path in warm.cache.iterdir()}
    assert left == {recent, own.name, *foreign}
    assert time.time() - own.stat().st_mtime < 24 * 60 * 60


def test_folder_removed_under_a_running_process(sandbox: Sandbox) -> None:
    """A process makes the folder of its cache again."""
    code = """
import shutil
from mammalath_env.core.entry import add
add(2)
shutil.rmtree(add.stats.cache_path)
"""
    assert sandbox.run(code + RUN) == ("21 19 0 0", COMPILING)
    assert len(sandbox.files()) == 1


def test_many_processes_on_an_empty_cache(sandbox: Sandbox) -> None:
    """Processes that start together on an empty cache all get right results."""
    processes = [sandbox.start() for _ in range(6)]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0] * 6
    assert {output[:5] for output, _ in outputs} == {"21 19"}
    assert {errors for _, errors in outputs} <= {"", COMPILING}
    assert sandbox.run() == ("21 19 1 1", "")


def test_places_for_compiled_code(sandbox: Sandbox) -> None:
    """Without NUMBA_CACHE_DIR it is the package; where that is read-only, the user's folder."""
    home = sandbox.root / "home"
    variables: dict[str, Any] = {"NUMBA_CACHE_DIR": None, "HOME": str(home), "XDG_CACHE_HOME": None}
    sandbox.run(**variables)
    sandbox.cache = sandbox.package / "__pycache__"
    assert len(sandbox.files()) == 2
    assert sandbox.run(**variables) == ("21 19 1 1", "")
    shutil.rmtree(sandbox.cache)
    sandbox.cache.touch()  # no folder can be made there, even by root
    assert sandbox.run(**variables) == ("21 19 0 0", COMPILING)
    assert len(list(home.rglob("*.nbc"))) == 2
    assert sandbox.run(**variables) == ("21 19 1 1", "")


def test_no_place_for_compiled_code(sandbox: Sandbox) -> None:
    """A read-only package and no home: each process compiles, and warns once."""
    (sandbox.package / "__pycache__").touch()
    code = """
import os
os.path.expanduser = lambda path: path  # as where the user is unknown
"""
    for _ in range(2):
        output, errors = sandbox.run(
            code + RUN, NUMBA_CACHE_DIR=None, HOME=None, XDG_CACHE_HOME=None
        )
        assert output == "21 19 0 0"
        assert errors == (
            COMPILING + "cannot store compiled rules: "
            "no folder can be written to; NUMBA_CACHE_DIR may name one\n"
        )
    assert not (sandbox.root / "~").exists()


def test_package_without_sources(sandbox: Sandbox) -> None:
    """Without sources there is no digest of the version, so nothing is stored."""
    for path in sandbox.package.rglob("*.py"):
        assert os.system(f"{sys.executable} -m compileall -q -b {path}") == 0
        path.unlink()
    assert sandbox.run() == ("21 19 0 0", "")
    assert sandbox.files() == []


def test_kernels_outside_the_package_are_not_stored(sandbox: Sandbox) -> None:
    """The digest does not cover their sources."""
    code = """
from mammalath_env.core.jit import entry_kernel
from mammalath_env.core.scaled import scaled

@entry_kernel
def double(n):
    return 2 * scaled(n)

print(double(2))
"""
    assert sandbox.run(code) == ("40", "")
    assert sandbox.files() == []


def test_types_with_code_from_outside_are_not_stored(sandbox: Sandbox) -> None:
    """Arguments may stand for rules that the digest does not cover."""
    code = """
import numpy as np
from mammalath_env.core import disk_cache
from mammalath_env.core.entry import add
disk_cache.never_store(np.float32(0))
print(add(2), add(np.float32(0)), add(0.0))
"""
    assert sandbox.run(code) == ("21 1.0 1.0", COMPILING)
    assert len(sandbox.files()) == 2
