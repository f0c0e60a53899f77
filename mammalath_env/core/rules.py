"""The rules of a game as compiled functions, and how shared kernels reach them.

A game describes itself by `tables`, a structured array of one element that holds its constants.
Its dtype is unlike that of any other game or board size, so a kernel written once against the
functions below is compiled for each game with that game's rules inside, and with its board sizes
as constants. Fields are read as ``tables[0]["name"]``, compiled and plain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from mammalath_env.core.bits import Int8s, Words

Tables = NDArray[np.void]


def pack_tables(fields: Mapping[str, NDArray[Any] | np.generic]) -> Tables:
    """Return a structured array of one element with these fields."""
    dtype = np.dtype([(name, value.dtype, value.shape) for name, value in fields.items()])
    tables = np.zeros(1, dtype)
    for name, value in fields.items():
        tables[name] = value
    return tables


class Rules(NamedTuple):
    """The kernels of one game; what each must do stands at the function of the same name."""

    apply: Callable[[Tables, Words, int], None]
    write_legal: Callable[[Tables, Words, Words], None]
    write_observation: Callable[[Tables, Words, int, bool, Int8s], None]
    deal: Callable[[Tables, Words, Words, int], None]
    return_of_player_0: Callable[[Tables, Words], int]
    can_win: Callable[[Tables, Words], bool]
    must_lose: Callable[[Tables, Words], bool]
    evaluate: Callable[[Tables, Words, int], int]


_RULES: dict[np.dtype[Any], Rules] = {}


def register_rules(tables: Tables, rules: Rules) -> None:
    """Let the shared kernels use `rules` for every `tables` of this dtype."""
    _RULES[tables.dtype] = rules


def _rules_of(tables_type: Any) -> Rules:
    """Return the rules for the Numba type of a `tables` argument."""
    from numba.np.numpy_support import as_dtype

    return _RULES[as_dtype(tables_type.dtype)]


def apply(tables: Tables, row: Words, action: int) -> None:
    """Play a legal `action` in place: change `row` to the position after it."""
    _RULES[tables.dtype].apply(tables, row, action)


def write_legal(tables: Tables, row: Words, legal: Words) -> None:
    """Write the set of the mover's legal actions, empty after the end.

    Args:
        tables: The game's constants.
        row: Position; never modified.
        legal: uint64[(num_actions + 63) // 64]; every word is written.
    """
    _RULES[tables.dtype].write_legal(tables, row, legal)


def write_observation(
    tables: Tables, row: Words, player: int, channels_first: bool, out: Int8s
) -> None:
    """Write what `player` sees.

    Args:
        tables: The game's constants.
        row: Position; never modified.
        player: 0 or 1, whether to move or not.
        channels_first: Planes as the first axis; without meaning for a game without planes.
        out: int8 of the observation's size, flat; every entry is written.
    """
    _RULES[tables.dtype].write_observation(tables, row, player, channels_first, out)


def deal(tables: Tables, row: Words, stream: Words, first_player: int) -> None:
    """Write a start position.

    Args:
        tables: The game's constants.
        row: uint64[num_words]; every word is written.
        stream: Source of the deal. It advances equally whether or not `first_player` is drawn.
        first_player: 0, 1, or -1 to draw one.
    """
    _RULES[tables.dtype].deal(tables, row, stream, first_player)


def return_of_player_0(tables: Tables, row: Words) -> int:
    """Return the sum of player 0's rewards since the start; player 1's is the negative.

    The reward of a ply is the difference that it makes.
    """
    return _RULES[tables.dtype].return_of_player_0(tables, row)


def can_win(tables: Tables, row: Words) -> bool:
    """Return whether the player to move of a running position has an action that wins at once."""
    return _RULES[tables.dtype].can_win(tables, row)


def must_lose(tables: Tables, row: Words) -> bool:
    """Return whether the opponent wins with the next ply, whatever the player to move does.

    Asked only of running positions that the player to move cannot win at once. A game may miss
    such positions, but not claim others.
    """
    return _RULES[tables.dtype].must_lose(tables, row)


def evaluate(tables: Tables, row: Words, player: int) -> int:
    """Return how good a running position looks to `player`, from -10,000 to 10,000."""
    return _RULES[tables.dtype].evaluate(tables, row, player)


@overload(apply)
def _overload_apply(tables, row, action):  # type: ignore[no-untyped-def]
    implementation = _rules_of(tables).apply
    return lambda tables, row, action: implementation(tables, row, action)


@overload(write_legal)
def _overload_write_legal(tables, row, legal):  # type: ignore[no-untyped-def]
    implementation = _rules_of(tables).write_legal
    return lambda tables, row, legal: implementation(tables, row, legal)


@overload(write_observation)
def _overload_write_observation(tables, row, player, channels_first, out):  # type: ignore[no-untyped-def]
    implementation = _rules_of(tables).write_observation
    return lambda tables, row, player, channels_first, out: implementation(
        tables, row, player, channels_first, out
    )


@overload(deal)
def _overload_deal(tables, row, stream, first_player):  # type: ignore[no-untyped-def]
    implementation = _rules_of(tables).deal
    return lambda tables, row, stream, first_player: implementation(
        tables, row, stream, first_player
    )


@overload(return_of_player_0)
def _overload_return_of_player_0(tables, row):  # type: ignore[no-untyped-def]
    implementation = _rules_of(tables).return_of_player_0
    return lambda tables, row: implementation(tables, row)


@overload(can_win)
def _overload_can_win(tables, row):  # type: ignore[no-untyped-def]
    implementation = _rules_of(tables).can_win
    return lambda tables, row: implementation(tables, row)


@overload(must_lose)
def _overload_must_lose(tables, row):  # type: ignore[no-untyped-def]
    implementation = _rules_of(tables).must_lose
    return lambda tables, row: implementation(tables, row)


@overload(evaluate)
def _overload_evaluate(tables, row, player):  # type: ignore[no-untyped-def]
    implementation = _rules_of(tables).evaluate
    return lambda tables, row, player: implementation(tables, row, player)
