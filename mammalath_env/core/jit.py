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

Function = TypeVar("Function", bound=Callable[..., Any])

JIT_ENABLED: bool = not numba.config.DISABLE_JIT
"""Whether kernels are compiled in this process."""


# nogil: batches run on threads. error_model: no division in a kernel can fail, so none is checked.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "forceinline": True}
# Not documented, so that it may go. Kernels allocate nothing, and without reference counts they
# run four times as fast.
if hasattr(CPUTargetOptions, "_nrt"):
    _OPTIONS["_nrt"] = False


def _link_once() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return options for kernels and for entry kernels, none where Numba lacks what they need.

    Numba optimizes each function together with all that it calls, and makes machine code of each.
    Here kernels are linked as they are, and only entry kernels are optimized and made machine code
    of. That takes two runs, since a search is 9% slower after one, and leaves out the cheap passes
    before, which remove reference counts. Kernels have the options of entry kernels while they are
    typed: Numba compiles what a function calls once for each set of options of its callers.
    """
    try:
        from numba._dynfunc import make_function
        from numba.core.codegen import CPUCodegen, JITCodeLibrary
        from numba.core.compiler import CompilerBase, DefaultPassBuilder
        from numba.core.compiler_machinery import AnalysisPass, register_pass
        from numba.core.typed_passes import NativeLowering
    except ImportError:
        return {}, {}
    private = [
        (JITCodeLibrary, "_optimize_final_module"),
        (JITCodeLibrary, "_finalize_final_module"),
        (CPUCodegen, "_module_pass_manager"),
    ]
    if not all(hasattr(owner, name) for owner, name in private):
        return {}, {}

    class Part(JITCodeLibrary):  # type: ignore[misc]
        def _optimize_final_module(self) -> None:
            """Leave it to the entry kernel."""

        def _finalize_final_module(self) -> None:
            self._finalized = True

    class Whole(JITCodeLibrary):  # type: ignore[misc]
        def _optimize_final_module(self) -> None:
            for _ in range(2):
                found = self._codegen._module_pass_manager()
                manager, *builder = found if isinstance(found, tuple) else (found,)
                manager.run(self._final_module, *builder)

    def use_library(state: Any, kind: type) -> None:
        state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()

    @register_pass(mutates_CFG=False, analysis_only=True)
    class OfferPart(AnalysisPass):  # type: ignore[misc]
        """Let other code call the part, as lowering does of what it makes machine code of."""

        _name = "offer_part"

        def __init__(self) -> None:
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            lowered, parts = state.cr, (state.library,)
            # Numba wants a function of C as a name for the part; nothing calls it.
            module = lowered.fndesc.lookup_module()
            stub = make_function(module, lowered.fndesc.qualname, "", 0, lowered.env, parts)
            state.targetctx.insert_user_function(stub, lowered.fndesc, parts)
            state.cr = lowered._replace(cfunc=stub)
            return False

    class PartCompiler(CompilerBase):  # type: ignore[misc]
        def define_pipelines(self) -> list[Any]:
            use_library(self.state, Part)
            self.state.flags.no_compile = True
            self.state.flags.no_cpython_wrapper = True
            passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
            passes.add_pass_after(OfferPart, NativeLowering)
            passes.finalize()
            return [passes]

    class WholeCompiler(CompilerBase):  # type: ignore[misc]
        def define_pipelines(self) -> list[Any]:
            use_library(self.state, Whole)
            return [DefaultPassBuilder.define_nopython_pipeline(self.state)]

    part = {"pipeline_class": PartCompiler, "no_cpython_wrapper": False}
    return part, {"pipeline_class": WholeCompiler}


_PART_OPTIONS, _ENTRY_OPTIONS = _link_once()


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
