"""Evaluations of the games on the scale of returns."""

from __future__ import annotations

from mammalath_env.core.jit import kernel

ESTIMATE_SCALE = 200.0
"""Evaluation that stands for half a win."""


@kernel
def estimate(evaluation: float) -> float:
    """Return an evaluation of `rules.evaluate` as a return between -1 and 1."""
    return evaluation / (abs(evaluation) + ESTIMATE_SCALE)
