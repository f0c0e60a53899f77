"""Kernels: plain from Python, compiled for entries."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from numba.core.codegen import JITCPUCodegen

from mammalath_env.core import jit
from mammalath_env.core.bits import Words
from tests.processes import run_code


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
    """`JIT_ENABLED` says whether entry kernels are compiled."""
    assert jit.JIT_ENABLED is not bool(numba.config.DISABLE_JIT)
    assert hasattr(jit.entry_kernel(_scramble_all), "nopython_signatures") is jit.JIT_ENABLED


def test_option_that_numba_may_drop() -> None:
    """Where Numba no longer knows the undocumented option, the rules work without it."""
    code = """
from numba.core import cpu
for owner in cpu.CPUTargetOptions.__mro__:
    if "_nrt" in vars(owner):
        del owner._nrt
from mammalath_env import make_game
from mammalath_env.core import jit
print("_nrt" in jit._OPTIONS, len(make_game("mancala").deal(seed=1).play(0).legal_actions()))
"""
    assert run_code(code).split() == ["False", "6"]


def test_private_parts_that_numba_may_drop() -> None:
    """Where Numba lacks what linking once needs, it compiles the rules in its own way."""
    code = """
import sys
import numba.core.cpu
sys.modules["numba._dynfunc"] = None
from mammalath_env import make_game
from mammalath_env.core import jit
print(jit._PART_OPTIONS, len(make_game("mancala").deal(seed=1).play(0).legal_actions()))
"""
    assert run_code(code).split() == ["{}", "6"]


@pytest.mark.skipif(not jit.JIT_ENABLED, reason="nothing is compiled")
def test_only_entry_kernels_become_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels that an entry kernel calls are parts of its machine code."""
    modules: list[object] = []
    add_module = JITCPUCodegen._add_module

    def count(codegen: object, module: object) -> None:
        modules.append(module)
        add_module(codegen, module)

    monkeypatch.setattr(JITCPUCodegen, "_add_module", count)

    @jit.kernel
    def doubled(number: int) -> int:
        return 2 * number

    def quadrupled(number: int) -> int:
        return doubled(doubled(number))

    assert jit.entry_kernel(quadrupled)(3) == 12
    assert len(modules) == 1
