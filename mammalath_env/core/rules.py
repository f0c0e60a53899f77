"""The rules of a game as compiled functions, and how shared kernels reach them.

A game describes itself by `tables`, a structured array of one element that holds its constants.
Its dtype is unlike that of any other game or board size, so a kernel written once against the
functions below is compiled for each game with that game's rules inside, and with its board sizes
as constants. Fields are read as ``tables[0]["name"]``, compiled and plain.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
from numba.np.numpy_support import as_dtype
from numpy.typing import NDArray

from mammalath_env.core.bits import Int8s, Words
from mammalath_env.core.disk_cache import has_digest, never_store
from mammalath_env.core.jit import JIT_ENABLED, Function, overload_kernel

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
    """Let the shared kernels use `rules` for every `tables` of this dtype.

    Raises:
        ValueError: The dtype already has other rules, which may have been compiled.
    """
    if _RULES.setdefault(tables.dtype, rules) != rules:
        raise ValueError(
            f"other rules are registered for tables of {tables.dtype}: give these tables a field "
            "of a name of its own; after an edit of the rules, start Python anew"
        )
    if JIT_ENABLED and not all(has_digest(rule) for rule in rules):
        never_store(tables)


def by_tables(function: Function) -> Function:
    """Make `function` call the kernel of its name among the rules of the `tables` it is given."""
    name = function.__name__

    @functools.wraps(function)
    def call(tables: Tables, *args: Any) -> Any:
        return getattr(_RULES[tables.dtype], name)(tables, *args)

    def choose(tables: Any, *args: Any) -> Any:
        # Here arguments are Numba's types. The function without what makes it plain is compiled.
        return inspect.unwrap(getattr(_RULES[as_dtype(tables.dtype)], name))

    if JIT_ENABLED:
        overload_kernel(call, choose)
    return cast(Function, call)


@by_tables
def apply(tables: Tables, row: Words, action: int) -> None:
    """Play a legal `action` in place: change `row` to the position after it."""
    raise NotImplementedError


@by_tables
def write_legal(tables: Tables, row: Words, legal: Words) -> None:
    """Write the set of the mover's legal actions, empty after the end.

    Args:
        tables: The game's constants.
        row: Position; never modified.
        legal: uint64[(num_actions + 63) // 64]; every word is written.
    """
    raise NotImplementedError


@by_tables
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
    raise NotImplementedError


@by_tables
def deal(tables: Tables, row: Words, stream: Words, first_player: int) -> None:
    """Write a start position.

    Args:
        tables: The game's constants.
        row: uint64[num_words]; every word is written.
        stream: Source of the deal. It moves on equally whether or not `first_player` is drawn.
        first_player: 0, 1, or -1 to draw one.
    """
    raise NotImplementedError


@by_tables
def return_of_player_0(tables: Tables, row: Words) -> int:
    """Return the sum of player 0's rewards since the start; player 1's is the negative.

    The reward of a ply is the difference that it makes.
    """
    raise NotImplementedError


@by_tables
def can_win(tables: Tables, row: Words) -> bool:
    """Return whether the player to move of a running position has an action that wins at once."""
    raise NotImplementedError


@by_tables
def must_lose(tables: Tables, row: Words) -> bool:
    """Return whether the opponent wins with the next ply, whatever the player to move does.

    Asked only of running positions that the player to move cannot win at once. A game may miss
    such positions, but not claim others.
    """
    raise NotImplementedError


@by_tables
def evaluate(tables: Tables, row: Words, player: int) -> int:
    """Return how good a running position looks to `player`, from -10,000 to 10,000."""
    raise NotImplementedError
