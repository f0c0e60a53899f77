"""Kernels: plain from Python, compiled for entries, and never older than their sources."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from mammalath_env.core import jit
from mammalath_env.core.bits import Words


def _scramble(word: np.uint64) -> np.uint64:
    product: np.uint64 = word * np.uint64(0x9E3779B97F4A7C15) + np.uint64(2**63)
    return product


scramble = jit.kernel(_scramble)


def _scramble_all(words: Words) -> int:
    for k in range(len(words)):
        words[k] = scramble(words[k])
    return len(words)


def _expected(values: list[int]) -> list[int]:
    return [(value * 0x9E3779B97F4A7C15 + 2**63) % 2**64 for value in values]


def _hits_and_misses(entry: Any) -> tuple[int, int]:
    return sum(entry.stats.cache_hits.values()), sum(entry.stats.cache_misses.values())


def test_kernel_called_from_python_is_plain_and_silent() -> None:
    """Words wrap around without a warning."""
    assert type(scramble(np.uint64(2**64 - 1))) is np.uint64
    assert int(scramble(np.uint64(2**64 - 1))) == _expected([2**64 - 1])[0]


def test_entry_kernel_agrees_with_plain_python() -> None:
    """An entry kernel calls kernels and does what the plain function does."""
    values = [0, 1, 2**63, 2**64 - 1]
    words = np.array(values, np.uint64)
    entry = jit.entry_kernel(_scramble_all)
    assert entry(words) == len(values)
    assert words.tolist() == _expected(values)
    with np.errstate(over="ignore"):
        plain = np.array(values, np.uint64)
        _scramble_all(plain)
    assert plain.tolist() == words.tolist()


def test_entry_kernels_are_compiled_unless_switched_off() -> None:
    """The constant says what happens."""
    assert jit.JIT_ENABLED is not bool(numba.config.DISABLE_JIT)
    assert hasattr(jit.entry_kernel(_scramble_all), "nopython_signatures") is jit.JIT_ENABLED


def test_source_digest_notices_every_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edited, renamed, added or removed source of a part with kernels changes the digest."""
    package = tmp_path / "package"
    shutil.copytree(
        Path(jit.__file__).parents[1], package, ignore=shutil.ignore_patterns("__pycache__")
    )
    original = jit.source_digest()
    assert original == jit.source_digest()
    monkeypatch.setattr(jit, "__file__", str(package / "core" / "jit.py"))
    digests = [original]
    digest = jit.source_digest.__wrapped__
    assert digest() == original
    (package / "core" / "bits.py").write_bytes(b"# edited\n")
    digests.append(digest())
    (package / "core" / "bits.py").rename(package / "core" / "words.py")
    digests.append(digest())
    (package / "games" / "another.py").touch()
    digests.append(digest())
    (package / "core" / "words.py").unlink()
    digests.append(digest())
    assert len(set(digests)) == len(digests)
    (package / "rendering" / "another.py").touch()
    assert digest() == digests[-1]


def test_parts_with_kernels() -> None:
    """No other part of the package makes kernels: its changes leave compiled code valid."""
    package = Path(jit.__file__).parents[1]
    using = {
        path.relative_to(package).parts[0]
        for path in package.rglob("*.py")
        if re.search(r"core\.jit import .*kernel", path.read_text("utf-8"))
    }
    assert using == set(jit.KERNEL_PARTS)


def test_disk_cache_is_stamped_with_the_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiled code is read back under the same digest and compiled anew under another."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    expected = []
    for digest in ("one", "one", "two"):
        monkeypatch.setattr(jit, "source_digest", lambda digest=digest: digest)
        words = np.array([5], np.uint64)
        entry = jit.entry_kernel(_scramble_all)
        entry(words)
        assert words.tolist() == _expected([5])
        if jit.JIT_ENABLED:
            expected.append(_hits_and_misses(entry))
    assert expected == ([(0, 1), (1, 0), (0, 1)] if jit.JIT_ENABLED else [])


def test_no_place_for_a_disk_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be stored, entry kernels are compiled all the same."""

    def refuse(function: object) -> None:
        raise RuntimeError(f"cannot cache {function}")

    monkeypatch.setattr(jit, "_disk_cache", refuse)
    words = np.array([5], np.uint64)
    assert jit.entry_kernel(_scramble_all)(words) == 1
    assert words.tolist() == _expected([5])
