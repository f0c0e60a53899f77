"""The arrays that batched environments hand out."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mammalath_env.core.game import Game
from mammalath_env.envs.lanes import StepResult


class Buffers(NamedTuple):
    """The arrays of one step.

    Attributes:
        flat: The result as kernels write it: observations are flat.
        shape: The shape of all observations, lanes first.
    """

    flat: StepResult
    shape: tuple[int, ...]

    @property
    def shaped(self) -> StepResult:
        """The same memory as it is handed out: observations have the shape of the game's."""
        return StepResult(self.flat.observation.reshape(self.shape), *self.flat[1:])


def new_buffers(num_lanes: int, num_actions: int, shape: tuple[int, ...]) -> Buffers:
    """Return arrays of undefined content.

    Args:
        num_lanes: The number of lanes.
        num_actions: The number of actions of the game.
        shape: The shape of one observation.
    """
    flat = StepResult(
        observation=np.empty((num_lanes, math.prod(shape)), np.int8),
        action_mask=np.empty((num_lanes, num_actions), np.int8),
        reward=np.empty(num_lanes, np.float64),
        rewards=np.empty((num_lanes, 2), np.float64),
        terminated=np.empty(num_lanes, np.bool_),
        to_move=np.empty(num_lanes, np.int8),
        ply=np.empty(num_lanes, np.int16),
        winner=np.empty(num_lanes, np.int8),
        termination=np.empty(num_lanes, np.int8),
    )
    return Buffers(flat, (num_lanes, *shape))


class BufferPool:
    """Buffers for step after step: new ones with `copy`, else two sets that alternate."""

    def __init__(self, game: Game, num_lanes: int, channels_first: bool, copy: bool) -> None:
        """Allocate the two sets, if there are to be two."""
        self._arguments = num_lanes, game.num_actions, game.shape(channels_first)
        self._alternating = [] if copy else [new_buffers(*self._arguments) for _ in range(2)]

    def next(self) -> Buffers:
        """Return buffers to write the next step to."""
        if not self._alternating:
            return new_buffers(*self._arguments)
        self._alternating.reverse()
        return self._alternating[0]
