"""Kernels as tests call them: as the plain functions they are, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import pytest

Kernel = Callable[..., Any]


def _compile(function: Kernel) -> Kernel:
    """Return `function` as part of compiled code; plain where compilation is switched off."""
    compiled: Kernel = numba.njit(lambda *args: function(*args))
    return compiled


def both_ways(*functions: Kernel) -> pytest.MarkDecorator:
    """Parametrise ``kernels`` with a tuple of `functions`, plain and then compiled."""
    return pytest.mark.parametrize(
        "kernels",
        [functions, tuple(_compile(function) for function in functions)],
        ids=["plain", "compiled"],
    )
