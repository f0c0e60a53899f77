"""Compile the rules with Numba.

``NUMBA_DISABLE_JIT=1`` turns every kernel into the plain Python function it was written as, which
is how the rules are debugged and how their coverage is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.cpu import CPUTargetOptions
from numba.extending import overload

from mammalath_env.core.disk_cache import DiskCache, has_digest
from mammalath_env.core.linking import link_once_options

Function = TypeVar("Function", bound=Callable[..., Any])

JIT_ENABLED: bool = not numba.config.DISABLE_JIT
"""Whether kernels are compiled in this process."""


# nogil: batches run on threads. error_model: no division in a kernel can fail, so none is checked.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "forceinline": True}
# Not documented, so that it may go. Kernels allocate nothing, and without reference counts they
# run four times as fast.
if hasattr(CPUTargetOptions, "_nrt"):
    _OPTIONS["_nrt"] = False

_PART_OPTIONS, _ENTRY_OPTIONS = link_once_options()


def overload_kernel(plain: Function, choose: Callable[..., Function]) -> None:
    """Let compiled code that calls `plain` call what `choose` returns for the types instead."""
    # Numba may look at the parameters' names only: annotations here are for readers.
    options = {**_OPTIONS, "no_cfunc_wrapper": True, **_PART_OPTIONS}
    overload(plain, jit_options=options, strict=False)(choose)


def kernel(function: Function) -> Function:
    """Make `function` part of every compiled kernel that calls it.

    Called from Python it runs as plain Python. Kernels trust their arguments: whoever calls one
    has checked them. Words are ``np.uint64`` and never mix with signed integers, since Numba
    turns the result into a float.
    """
    # Words wrap around by design; compiled code is silent about it, NumPy scalars are not.
    plain: Function = np.errstate(over="ignore")(function)
    if JIT_ENABLED:
        overload_kernel(plain, lambda *args: function)
    return plain


def entry_kernel(function: Function) -> Function:
    """Compile `function` for calls from Python, and store the machine code on disk."""
    if not JIT_ENABLED:
        return np.errstate(over="ignore")(function)
    compiled = numba.njit(**_OPTIONS, no_cfunc_wrapper=True, **_ENTRY_OPTIONS)(function)
    if has_digest(function):
        compiled._cache = DiskCache(function)
    return compiled
