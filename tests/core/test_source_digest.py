"""The digest that tells compiled code of different sources apart."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from mammalath_env.core import disk_cache


def test_source_digest_notices_every_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edited, renamed, added or removed source of a part with kernels changes the digest."""
    package = tmp_path / "package"
    shutil.copytree(disk_cache._PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    digest = disk_cache.source_digest
    digests = [digest()]
    monkeypatch.setattr(disk_cache, "_PACKAGE", package)
    assert digest() == digests[0]
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
    using = {
        path.relative_to(disk_cache._PACKAGE).parts[0]
        for path in disk_cache._PACKAGE.rglob("*.py")
        if re.search(r"core\.jit import .*kernel", path.read_text("utf-8"))
    }
    assert using == set(disk_cache.KERNEL_PARTS)
