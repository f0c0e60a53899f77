"""The symmetries of Mammalath: turning and mirroring the board, and renaming animal types."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core.bits import Words
from mammalath_env.core.grid import Pattern
from mammalath_env.games.mammalath.config import NUM_EXTRA_PLANES, MammalathConfig

SQUARE_SYMMETRIES = tuple(
    (transpose, flip_rows, flip_cols)
    for transpose, flip_rows, flip_cols in itertools.product((False, True), repeat=3)
)
"""The eight of the square: transpose first, then flip rows, then flip columns."""


@dataclasses.dataclass(frozen=True, eq=False)
class Symmetry:
    """A symmetry as three permutations, all in the same direction, old to new.

    What stood at index ``i`` stands at ``spaces[i]``, ``types[i]`` or ``actions[i]`` afterwards:
    playing ``actions[a]`` in the image of a position gives the image of playing ``a``.

    Attributes:
        spaces: int64[num_spaces].
        types: int64[num_types].
        actions: int64[num_actions].
    """

    spaces: NDArray[np.int64]
    types: NDArray[np.int64]
    actions: NDArray[np.int64]

    def apply_to_actions(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        """Return masks or policies, any[..., num_actions], of the image."""
        image = np.empty_like(values)
        image[..., self.actions] = values
        return image

    def apply_to_observation(
        self, observation: NDArray[np.generic], channels_first: bool = False
    ) -> NDArray[np.generic]:
        """Return the planes of the image.

        Args:
            observation: any[..., rows, cols, planes], or any[..., planes, rows, cols].
            channels_first: Which of the two.
        """
        planes_last = np.moveaxis(observation, -3, -1) if channels_first else observation
        *lead, rows, cols, num_planes = planes_last.shape
        planes = np.concatenate(
            [self.types, len(self.types) + np.arange(NUM_EXTRA_PLANES, dtype=np.int64)]
        )
        flat = planes_last.reshape(*lead, rows * cols, num_planes)
        image = np.empty_like(flat)
        image[..., self.spaces[:, None], planes[None, :]] = flat
        image = image.reshape(*lead, rows, cols, num_planes)
        return np.ascontiguousarray(np.moveaxis(image, -1, -3)) if channels_first else image


def space_permutation(size: int, which: tuple[bool, bool, bool]) -> NDArray[np.int64]:
    """Return where each space goes under one of `SQUARE_SYMMETRIES`."""
    transpose, flip_rows, flip_cols = which
    row, col = np.divmod(np.arange(size * size, dtype=np.int64), size)
    if transpose:
        row, col = col, row
    if flip_rows:
        row = size - 1 - row
    if flip_cols:
        col = size - 1 - col
    return row * size + col


def move_spaces(boards: Words, spaces: NDArray[np.int64]) -> Words:
    """Return bitboards, uint64[boards], of which each bit has moved from ``i`` to ``spaces[i]``."""
    octets = boards.astype("<u8").view(np.uint8).reshape(-1, 8)
    bits = np.unpackbits(octets, axis=1, bitorder="little")
    image = np.zeros_like(bits)
    image[:, spaces] = bits[:, : len(spaces)]
    return np.packbits(image, axis=1, bitorder="little").view("<u8")[:, 0].astype(np.uint64)


def make_symmetry(
    config: MammalathConfig,
    patterns: list[Pattern],
    swap_rule: bool,
    which: tuple[bool, bool, bool] = (False, False, False),
    types: Sequence[int] | None = None,
) -> Symmetry:
    """Return a symmetry of the board that also renames types.

    Args:
        config: The size of the board.
        patterns: Lines and squares in the order of their ids.
        swap_rule: Whether the last action is the swap.
        which: One of `SQUARE_SYMMETRIES`.
        types: The new index of each type; None leaves them.

    Raises:
        ValueError: `types` is not a permutation of the types.
    """
    spaces = space_permutation(config.size, which)
    new_types = np.arange(config.size) if types is None else np.asarray(types, dtype=np.int64)
    if sorted(new_types.tolist()) != list(range(config.size)):
        raise ValueError(f"types must be a permutation of 0 to {config.size - 1}, not {types!r}")
    index_of = {frozenset(pattern): index for index, pattern in enumerate(patterns)}
    moved = [index_of[frozenset(spaces[list(pattern)].tolist())] for pattern in patterns]
    first_type = config.num_spaces
    first_pattern = first_type + config.size
    actions = np.concatenate(
        [spaces, first_type + new_types, first_pattern + np.array(moved, np.int64)]
    )
    if swap_rule:
        actions = np.append(actions, len(actions))
    return Symmetry(spaces, new_types.astype(np.int64), actions.astype(np.int64))
