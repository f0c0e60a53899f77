"""Action ids as consecutive blocks: one block for each kind of move."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Block:
    """Consecutive action ids that stand for one kind of move.

    Attributes:
        kind: What the actions of the block do.
        start: The first action id.
        size: How many ids there are.
    """

    kind: str
    start: int
    size: int

    @property
    def stop(self) -> int:
        """One past the last action id of the block."""
        return self.start + self.size


class Codec:
    """Translate between action ids and (kind, index within the kind).

    Decoding needs no position and is total over ``range(num_actions)``.
    """

    def __init__(self, sizes: dict[str, int]) -> None:
        """Lay out the blocks in the order of `sizes`; a block may be empty."""
        self.blocks: dict[str, Block] = {}
        start = 0
        for kind, size in sizes.items():
            self.blocks[kind] = Block(kind, start, size)
            start += size
        self.num_actions = start

    def encode(self, kind: str, index: int = 0) -> int:
        """Return the action id of the move `index` of `kind`.

        Raises:
            ValueError: The block has no such move.
        """
        block = self.blocks[kind]
        if not 0 <= index < block.size:
            raise ValueError(f"{kind} {index} does not exist: there are {block.size}")
        return block.start + index

    def decode(self, action: int) -> tuple[str, int]:
        """Return the kind of `action` and its index within the kind.

        Raises:
            ValueError: `action` is not in ``range(num_actions)``.
        """
        if action >= 0:
            for block in self.blocks.values():
                if action < block.stop:
                    return block.kind, action - block.start
        raise ValueError(f"action {action} is out of range: expected 0 to {self.num_actions - 1}")
