"""Action ids and the blocks they lie in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mammalath_env.core.codec import Block, Codec


@given(sizes=st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_round_trip_over_all_ids(sizes: list[int]) -> None:
    """Ids are the moves of the blocks in order, and decoding is total."""
    codec = Codec({f"kind{k}": size for k, size in enumerate(sizes)})
    moves = [(f"kind{k}", index) for k, size in enumerate(sizes) for index in range(size)]
    assert codec.num_actions == len(moves)
    assert [codec.decode(action) for action in range(codec.num_actions)] == moves
    assert [codec.encode(*move) for move in moves] == list(range(codec.num_actions))


def test_blocks_follow_each_other() -> None:
    """Blocks follow each other; an empty one holds no id."""
    codec = Codec({"place": 36, "type": 6, "pattern": 80, "swap": 1})
    assert codec.num_actions == 123
    assert list(codec.blocks.values()) == [
        Block("place", 0, 36),
        Block("type", 36, 6),
        Block("pattern", 42, 80),
        Block("swap", 122, 1),
    ]
    assert [block.stop for block in codec.blocks.values()] == [36, 42, 122, 123]
    assert codec.encode("swap") == 122
    empty = Codec({"place": 2, "none": 0, "swap": 1})
    assert empty.blocks["none"].start == empty.blocks["none"].stop == 2
    assert empty.decode(2) == ("swap", 0)


@pytest.mark.parametrize("action", [-1, -123, 3, 4, 10**9])
def test_no_such_action(action: int) -> None:
    """Ids outside the range are refused with the range."""
    codec = Codec({"place": 2, "swap": 1})
    with pytest.raises(ValueError, match=f"action {action} is out of range: expected 0 to 2"):
        codec.decode(action)


@pytest.mark.parametrize(("kind", "index"), [("place", -1), ("place", 2), ("swap", 1), ("none", 0)])
def test_no_such_move(kind: str, index: int) -> None:
    """An index outside its block never reaches into the next one."""
    codec = Codec({"place": 2, "none": 0, "swap": 1})
    with pytest.raises(ValueError, match=f"{kind} {index} does not exist"):
        codec.encode(kind, index)
