"""Compile the rules with Numba, and keep the result on disk between processes.

``NUMBA_DISABLE_JIT=1`` turns every kernel into the plain Python function it was written as, which
is how the rules are debugged and how their coverage is measured.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numba
import numpy as np
from numba.extending import overload

Function = TypeVar("Function", bound=Callable[..., Any])

_LOGGER = logging.getLogger("mammalath_env")

JIT_ENABLED: bool = not numba.config.DISABLE_JIT
"""Whether kernels are compiled in this process."""

# nogil: batches run on threads. error_model: no division in a kernel can fail, so none is checked.
# _nrt: kernels allocate nothing, and without reference counts they run four times as fast.
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "forceinline": True,
}


KERNEL_PARTS = ("agents", "core", "games")
"""The parts of the package that have kernels."""


@functools.cache
def source_digest() -> str:
    """Return a digest of every source file of the `KERNEL_PARTS`.

    Numba's own cache looks at one file only and would keep code that an edited import has made
    stale; compiled code stored under this digest is never older than any source.
    """
    package = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for part in KERNEL_PARTS:
        for path in sorted((package / part).rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


@functools.cache
def _announce_compilation() -> None:
    """Say once in a process why the first call takes seconds."""
    _LOGGER.warning("compiling the rules; later processes will find them on disk")


def _disk_cache(function: Callable[..., Any]) -> Any:
    """Return a Numba function cache for `function` that is stamped with `source_digest`."""
    from numba.core import caching

    def stamped(name: str) -> type[Any]:
        # Their names began with an underscore before Numba 0.62.
        locator = getattr(caching, name, None) or getattr(caching, f"_{name}")
        return type(name, (locator,), {"get_source_stamp": lambda _: source_digest()})

    class PackageCacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes: ClassVar = [
            stamped(name)
            for name in ("UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator")
        ]

    class PackageCache(caching.FunctionCache):  # type: ignore[misc]
        _impl_class = PackageCacheImpl

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            found = super().load_overload(sig, target_context)
            if found is None:
                _announce_compilation()
            return found

    return PackageCache(function)


def kernel(function: Function) -> Function:
    """Make `function` part of every compiled kernel that calls it.

    Called from Python it runs as plain Python. Kernels trust their arguments: whoever calls one
    has checked them. Words are ``np.uint64`` and meet only words, since Numba turns a word
    combined with a signed integer into a float.
    """
    # Words wrap around by design; compiled code is silent about it, NumPy scalars are not.
    plain: Function = np.errstate(over="ignore")(function)
    if JIT_ENABLED:
        # Numba may look at the parameters' names only: annotations here are for readers.
        overload(plain, jit_options=_OPTIONS, strict=False)(lambda *args: function)
    return plain


def entry_kernel(function: Function) -> Function:
    """Compile `function` for calls from Python, and store the machine code on disk."""
    if not JIT_ENABLED:
        return np.errstate(over="ignore")(function)
    compiled = numba.njit(**_OPTIONS)(function)
    # Where no place is writable, or Numba is laid out otherwise, each process compiles anew.
    with contextlib.suppress(ImportError, AttributeError, RuntimeError, OSError):
        compiled._cache = _disk_cache(function)
    return compiled
