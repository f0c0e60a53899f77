"""Compile kernels once, in the entry kernels that they end up in.

Numba optimizes each function together with all that it calls, and makes machine code of each. Here
kernels are linked as they are, and only entry kernels are optimized and made machine code of,
which takes a quarter of the time off the first reply of a search. Rules and agents know nothing of
it, and without it they compile as any code of Numba's does.
"""

from __future__ import annotations

from typing import Any


def link_once_options() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return options for kernels and for entry kernels, none where Numba lacks what they need.

    The optimizer runs twice, since a search is 9% slower after one run, and without the cheap
    passes before, which remove reference counts. Kernels have the options of entry kernels while
    they are typed: Numba compiles a callee once for each set of options of its callers.
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
