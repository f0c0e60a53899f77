"""The status word: fields that do not touch each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mammalath_env.core import status
from mammalath_env.core.bits import Words
from tests.core.compiled import Kernel, both_ways

READERS = (
    status.to_move,
    status.winner_code,
    status.reason,
    status.ply,
    status.counter,
    status.is_over,
)
RETURNS = {-1: 0, 0: 1, 1: -1, status.DRAW: 0}


def _new_row() -> Words:
    return np.full(3, 2**64 - 1, np.uint64)


@both_ways(
    *READERS,
    status.outcome_return,
    status.start,
    status.pass_turn,
    status.set_counter,
    status.finish,
)
@given(
    player=st.integers(0, 1),
    plies=st.integers(0, 0xFFFE),
    count=st.integers(0, 0xFFFF),
    winner=st.integers(0, 2),
    why=st.integers(1, 31),
    order=st.permutations(["pass", "count", "finish"]),
)
@example(player=1, plies=0xFFFE, count=0xFFFF, winner=2, why=31, order=["count", "pass", "finish"])
def test_fields_do_not_overlap(
    kernels: tuple[Kernel, ...],
    player: int,
    plies: int,
    count: int,
    winner: int,
    why: int,
    order: list[str],
) -> None:
    """Whatever is written in whatever order, every field reads back as it was written."""
    *readers, outcome_return, start, pass_turn, set_counter, finish = kernels
    row = _new_row()
    start(row, player, plies)
    expected = [player, -1, 0, plies, 0, False]
    for step in order:
        assert [reader(row) for reader in readers] == expected
        assert outcome_return(row) == RETURNS[expected[1]]
        assert status.read_status(row).is_over == expected[5]
        if step == "pass":
            pass_turn(row)
            expected[0], expected[3] = 1 - player, plies + 1
        elif step == "count":
            set_counter(row, count ^ 0xFFFF)
            set_counter(row, count)
            expected[4] = count
        else:
            finish(row, winner, why)
            expected[1], expected[2], expected[5] = winner, why, True
    assert [reader(row) for reader in readers] == expected
    assert outcome_return(row) == RETURNS[winner]
    taken_apart = status.read_status(row)
    assert [*taken_apart, taken_apart.is_over] == [expected[k] for k in (0, 3, 1, 2, 4, 5)]
    assert int(row[status.STATUS]) < 1 << 40
    assert row[1:].tolist() == [2**64 - 1] * 2


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (1, [1, -1, 0, 0, 0, False]),
        (1 << 1, [0, 0, 0, 0, 0, True]),
        (2 << 1, [0, 1, 0, 0, 0, True]),
        (3 << 1, [0, 2, 0, 0, 0, True]),
        (31 << 3, [0, -1, 31, 0, 0, False]),
        (0xFFFF << 8, [0, -1, 0, 0xFFFF, 0, False]),
        (0xFFFF << 24, [0, -1, 0, 0, 0xFFFF, False]),
    ],
)
@both_ways(*READERS)
def test_documented_bits(kernels: tuple[Kernel, ...], word: int, expected: list[int]) -> None:
    """The bits are those of the module's table, which stored rows rely on."""
    row = np.array([word], np.uint64)
    assert [reader(row) for reader in kernels] == expected
    assert list(status.read_status(row)) == [expected[k] for k in (0, 3, 1, 2, 4)]
