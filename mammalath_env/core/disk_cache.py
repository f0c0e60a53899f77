"""Machine code on disk: never broken, never older than its sources.

Stands in for Numba's own cache, which fails on damaged files, notices edits in one file only, and
writes an index that can come to point to code of other sources. Here all that decides about the
code is part of the path of its file, and a file that cannot be read back whole counts as missing.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import pickle
import platform
import re
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np

_LOGGER = logging.getLogger("mammalath_env")

KERNEL_PARTS = ("agents", "core", "envs", "games")
"""The parts of the package that have kernels."""

_PACKAGE = Path(__file__).resolve().parents[1]
_FOLDER_PREFIX = "mammalath_env-"
_DAYS_KEPT = 30
_NEVER_STORED: set[str] = set()


def source_digest() -> str:
    """Return a digest of every source file of the `KERNEL_PARTS`."""
    digest = hashlib.sha256()
    for part in KERNEL_PARTS:
        for path in sorted((_PACKAGE / part).rglob("*.py")):
            digest.update(path.relative_to(_PACKAGE).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


_DIGEST = source_digest()


def _version_digest() -> str:
    """Return a digest of all that decides about compiled code but the types of arguments."""
    config = [
        getattr(numba.config, name, None)
        for name in ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")
    ]
    versions = [numba.__version__, np.__version__, sys.version]
    decisive = [_DIGEST, *versions, platform.machine(), config]
    return hashlib.sha256(repr(decisive).encode()).hexdigest()[:24]


def _candidate_folders() -> Iterator[Path]:
    """Yield where compiled code may be stored, the best place first."""
    if numba.config.CACHE_DIR:
        yield Path(numba.config.CACHE_DIR)
    yield _PACKAGE / "__pycache__"
    from numba.misc.appdirs import AppDirs

    user = Path(AppDirs("mammalath_env", appauthor=False).user_cache_dir)
    if user.is_absolute():  # there may be no home
        yield user


@functools.cache
def _cache_folder() -> Path:
    """Return the folder for the compiled code of this version.

    All that decides about the code is part of the path, so that no process ever reads code of
    other sources.

    Raises:
        OSError: No place can be written to.
    """
    version = _version_digest()
    for root in _candidate_folders():
        folder = root / f"{_FOLDER_PREFIX}{version}"
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            os.utime(folder)
            _remove_old_versions(root)
            return folder
    raise OSError("no folder can be written to; NUMBA_CACHE_DIR may name one")


def _remove_old_versions(root: Path) -> None:
    """Remove the folders of versions that no process has opened for `_DAYS_KEPT` days.

    A process that uses one of them all the same compiles again what it misses.
    """
    oldest = time.time() - _DAYS_KEPT * 24 * 60 * 60
    for folder in root.iterdir():
        if re.fullmatch(f"{_FOLDER_PREFIX}[0-9a-f]{{24}}", folder.name):
            with contextlib.suppress(OSError):
                if folder.stat().st_mtime < oldest:
                    shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def _announce_compilation() -> None:
    """Say once in a process why the first call takes seconds."""
    _LOGGER.warning("compiling the rules; later runs use the cache")


@functools.cache
def _warn_of_failed_save() -> None:
    """Say once in a process that the next one will be as slow; called in an `except` block."""
    _LOGGER.warning("cannot store compiled rules: %s", sys.exc_info()[1])


class DiskCache:
    """The machine code of one function, a file for each signature, as Numba's dispatchers use it.

    Any fault while loading is a miss, any fault while saving a warning, once. The beginning and the
    end of each compilation are logged as information, which the command line shows.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        """Start the cache of `function`."""
        self._name = f"{function.__module__}.{function.__qualname__}"

    @property
    def cache_path(self) -> str | None:
        """The folder of the files, None if there is no place for one."""
        try:
            return str(_cache_folder())
        except OSError:
            return None

    def _path(self, signature: Any, codegen: Any) -> Path:
        # The "magic tuple" describes the processor.
        key = repr((self._name, signature, codegen.magic_tuple())).encode()
        return _cache_folder() / f"{self._name}-{hashlib.sha256(key).hexdigest()[:24]}.nbc"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compilation result for `signature`, or None if there is none to be had."""
        from numba.core.compiler import CompileResult

        target_context.refresh()
        if not is_stored(signature):
            _LOGGER.info("compiling %s", self._name)
            return None
        try:
            content = self._path(signature, target_context.codegen()).read_bytes()
            if content[:32] == hashlib.sha256(content[32:]).digest():
                return CompileResult._rebuild(target_context, *pickle.loads(content[32:]))
        except Exception as error:
            _LOGGER.debug("no compiled code of %s: %r", self._name, error)
        _announce_compilation()
        _LOGGER.info("compiling %s", self._name)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store a compilation result: another process sees the whole file, or none."""
        from numba.core.serialize import dumps

        _LOGGER.info("compiled %s", self._name)
        if not is_stored(signature):
            return
        try:
            data = dumps(result._reduce())
            path = self._path(signature, result.codegen)
            path.parent.mkdir(exist_ok=True)
            unfinished = path.with_name(f"{uuid.uuid4().hex}.tmp")
            try:
                unfinished.write_bytes(hashlib.sha256(data).digest() + data)
                unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)
        except Exception:
            _warn_of_failed_save()

    def flush(self) -> None:
        """Do nothing: what is stored is right as long as its version is."""


def has_digest(function: Callable[..., Any]) -> bool:
    """Return whether `source_digest` covers the source of `function`."""
    package, part, *_ = *function.__module__.split("."), ""
    return package == __name__.partition(".")[0] and part in KERNEL_PARTS


def never_store(argument: Any) -> None:
    """Store no code that was compiled for arguments of this one's type.

    It has parts that `source_digest` does not cover.
    """
    _NEVER_STORED.add(repr(numba.typeof(argument)))


def is_stored(signature: Any) -> bool:
    """Return whether code for this signature is kept on disk.

    None is while sources are others than those that were imported, or missing.
    """
    sources = source_digest()
    known = sources == _DIGEST != hashlib.sha256().hexdigest()
    return known and not any(name in repr(signature) for name in _NEVER_STORED)
