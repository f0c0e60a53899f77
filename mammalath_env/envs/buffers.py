"""Arrays that batched environments hand out: the caller's own, or two sets by turns."""

from __future__ import annotations

import sys

import numpy as np

from mammalath_env.core.game import Game
from mammalath_env.envs.lanes import StepResult

# Without a global interpreter lock the count of references says less than is needed here.
_COUNTS_ARE_EXACT = getattr(sys, "_is_gil_enabled", lambda: True)()


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
        self.flat = self.shaped._replace(observation=self.shaped.observation.reshape(num_lanes, -1))
        self._unused = self._references()

    def _references(self) -> list[int]:
        # The arrays themselves own their memory, so that views of them count as references.
        return [sys.getrefcount(array) for array in self.shaped]

    @property
    def is_unused(self) -> bool:
        """Whether nobody outside holds any of the arrays, or a view of one."""
        return _COUNTS_ARE_EXACT and self._references() == self._unused

    def __reduce__(self) -> tuple[type[Buffers], tuple[Game, int, bool]]:
        # Copies have buffers of their own; what stands in them is of no use to a later step.
        return Buffers, self._arguments


class BufferPool:
    """Hands out buffers for step after step.

    With `copy`, arrays are the caller's to keep: a set is used again only when nobody holds any of
    its arrays any more, which spares the operating system from handing out and clearing fresh
    memory at every step. Without, two sets take turns whoever holds them.
    """

    _MOST_KEPT = 4

    def __init__(self, game: Game, num_lanes: int, channels_first: bool, copy: bool) -> None:
        """Start without buffers."""
        self._arguments = game, num_lanes, channels_first
        self._copy = copy
        self._kept: list[Buffers] = []
        self._turn = 0

    def next(self) -> Buffers:
        """Return buffers to write the next step to."""
        if not self._copy:
            self._turn ^= 1
            if len(self._kept) < 2:
                self._kept.append(Buffers(*self._arguments))
                self._turn = len(self._kept) - 1
            return self._kept[self._turn]
        for buffers in self._kept:
            if buffers.is_unused:
                return buffers
        fresh = Buffers(*self._arguments)
        if len(self._kept) >= self._MOST_KEPT:
            # A caller who keeps steps, a replay buffer say, will keep the next ones too.
            self._kept.pop(0)
        self._kept.append(fresh)
        return fresh

    def __reduce__(self) -> tuple[type[BufferPool], tuple[Game, int, bool, bool]]:
        return BufferPool, (*self._arguments, self._copy)
