"""The arrays that batched environments hand out."""

from __future__ import annotations

import numpy as np

from mammalath_env.core.game import Game
from mammalath_env.envs.lanes import StepResult


class Buffers:
    """The arrays of one step.

    Attributes:
        shaped: The result as it is handed out: observations have the shape of the game's.
        flat: The same memory for the kernels: observations are flat.
    """

    def __init__(self, game: Game, num_lanes: int, channels_first: bool) -> None:
        """Allocate the arrays, of undefined content."""
        self._arguments = game, num_lanes, channels_first
        self.shaped = StepResult(
            observation=np.empty((num_lanes, *game.shape(channels_first)), np.int8),
            action_mask=np.empty((num_lanes, game.num_actions), np.int8),
            reward=np.empty(num_lanes, np.float64),
            rewards=np.empty((num_lanes, 2), np.float64),
            terminated=np.empty(num_lanes, np.bool_),
            to_move=np.empty(num_lanes, np.int8),
            ply=np.empty(num_lanes, np.int16),
            winner=np.empty(num_lanes, np.int8),
            termination=np.empty(num_lanes, np.int8),
        )
        planes = self.shaped.observation
        self.flat = StepResult(planes.reshape(num_lanes, -1), *self.shaped[1:])

    def __reduce__(self) -> tuple[type[Buffers], tuple[Game, int, bool]]:
        # Copies have buffers of their own; what stands in them is of no use to a later step.
        return Buffers, self._arguments


class BufferPool:
    """Buffers for step after step: new ones with `copy`, else two sets that alternate."""

    def __init__(self, game: Game, num_lanes: int, channels_first: bool, copy: bool) -> None:
        """Allocate the two sets, if there are to be two."""
        self._arguments = game, num_lanes, channels_first
        self._alternating = [] if copy else [Buffers(*self._arguments) for _ in range(2)]

    def next(self) -> Buffers:
        """Return buffers to write the next step to."""
        if not self._alternating:
            return Buffers(*self._arguments)
        self._alternating.reverse()
        return self._alternating[0]
