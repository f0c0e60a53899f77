"""Alpha-beta search as a kernel that can be interrupted and resumed.

The search keeps its stack in arrays instead of calling itself, so that it can return after any
number of nodes and resume where it was: that is how time limits work without a clock in compiled
code.

Values are seen from the player to move. A win in n plies is `WIN` - n and a loss in n plies
n - `WIN`, so that quick wins and slow losses are best. All values between are evaluations; 0 is
a draw. A value is *exact* if no evaluation had a part in it: then it is the value of the game.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core import rules, status
from mammalath_env.core.bits import ONE, Words, copy_row
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import mix
from mammalath_env.core.transition import is_legal

WIN = 1_000_000
PROVEN = WIN - 10_000
"""Values beyond it, on either side, are proven wins and losses."""
INFINITY = 2 * WIN
EXACT_DEPTH = 255
"""Depth at which the table stores a value in which no evaluation had a part."""

# Columns of Stack.numbers.
ALPHA, BETA, BEST, BEST_ACTION, COUNT, NEXT, EXACT, LOWEST = range(8)
NUM_NUMBERS = 8

# Entries of Stack.control: depth of the iteration, top of the stack, nodes, whether the top has
# returned a value, that value, whether it is exact, and whether actions of the root are left out.
DEPTH, TOP, NODES, RETURNING, VALUE, VALUE_EXACT, IS_PARTIAL = range(7)
NUM_CONTROLS = 7

BOUND_EXACT = 0
_BOUND_LOWER = 1
_BOUND_UPPER = 2
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Stack(NamedTuple):
    """The stack of a search, one entry for each ply from the root.

    Attributes:
        rows: uint64[plies, num_words], positions.
        actions: int16[plies, num_actions], legal actions, best first.
        values: int32[plies, num_actions], by which they are ordered.
        numbers: int64[plies, NUM_NUMBERS], window, best so far and place in the list.
        legal: uint64[words of a set of actions], scratch.
        control: int64[NUM_CONTROLS], where the search is.
    """

    rows: NDArray[np.uint64]
    actions: NDArray[np.int16]
    values: NDArray[np.int32]
    numbers: NDArray[np.int64]
    legal: NDArray[np.uint64]
    control: NDArray[np.int64]


class Table(NamedTuple):
    """A transposition table; the size is a power of two.

    Attributes:
        keys: uint64[size], hashes of positions; 0 is an empty entry.
        values: int32[size], with wins and losses counted from the entry's position.
        actions: int16[size], best actions.
        depths: uint8[size], plies that were searched.
        bounds: uint8[size], whether the value is exact within its depth, or a bound.
    """

    keys: NDArray[np.uint64]
    values: NDArray[np.int32]
    actions: NDArray[np.int16]
    depths: NDArray[np.uint8]
    bounds: NDArray[np.uint8]


@kernel
def hash_row(row: Words) -> np.uint64:
    """Return a hash of a position row that is not 0."""
    key = _GOLDEN
    for word in range(len(row)):
        key = mix(key ^ row[word]) + _GOLDEN
    return key | ONE


@kernel
def shift_proven(value: int, plies: int) -> int:
    """Return `value` with a proven win or loss put off by `plies`."""
    if value > PROVEN:
        return value - plies
    if value < -PROVEN:
        return value + plies
    return value


@kernel
def push_root(stack: Stack, depth: int) -> None:
    """Prepare a search of `depth` plies from the position in ``stack.rows[0]``."""
    stack.control[DEPTH] = depth
    stack.control[TOP] = 0
    stack.control[RETURNING] = 0
    stack.numbers[0, ALPHA] = -INFINITY
    stack.numbers[0, BETA] = INFINITY
    stack.numbers[0, COUNT] = -1


@kernel
def return_value(stack: Stack, value: int, exact: bool) -> None:
    """Return the value of the top of the stack to the entry below."""
    stack.control[RETURNING] = 1
    stack.control[VALUE] = value
    stack.control[VALUE_EXACT] = 1 if exact else 0


@kernel
def store(table: Table, key: np.uint64, stack: Stack, top: int, depth: int) -> None:
    """Store what the search found at entry `top`."""
    numbers = stack.numbers[top]
    slot = key & np.uint64(len(table.keys) - 1)
    exact = numbers[EXACT] == 1
    if table.keys[slot] == key and table.depths[slot] > depth and not exact:
        return
    table.keys[slot] = key
    table.values[slot] = numbers[BEST]
    table.actions[slot] = numbers[BEST_ACTION]
    table.depths[slot] = EXACT_DEPTH if exact else depth
    if numbers[BEST] >= numbers[BETA]:
        table.bounds[slot] = _BOUND_LOWER
    elif numbers[BEST] <= numbers[LOWEST]:
        table.bounds[slot] = _BOUND_UPPER
    else:
        table.bounds[slot] = BOUND_EXACT


@kernel
def visit(tables: Tables, stack: Stack, table: Table, top: int) -> None:
    """Visit the top of the stack for the first time: return its value, or list its actions."""
    row = stack.rows[top]
    numbers = stack.numbers[top]
    depth = stack.control[DEPTH] - top
    player = status.to_move(row)
    stack.control[NODES] += 1
    if status.is_over(row):
        winner = status.winner_code(row)
        if winner == status.DRAW:
            return_value(stack, 0, True)
        else:
            return_value(stack, WIN if winner == player else -WIN, True)
        return
    if rules.can_win(tables, row) and (depth <= 0 or top > 0):
        # Nothing is better than to win at once, so that one ply is enough.
        return_value(stack, WIN - 1, True)
        return
    if top > 0 and rules.must_lose(tables, row):
        return_value(stack, 2 - WIN, True)
        return
    if depth <= 0:
        return_value(stack, rules.evaluate(tables, row, player), False)
        return
    key = hash_row(row)
    slot = key & np.uint64(len(table.keys) - 1)
    first_action = -1
    if table.keys[slot] == key:
        first_action = table.actions[slot]
        value = table.values[slot]
        bound = table.bounds[slot]
        if top > 0 and table.depths[slot] >= depth:
            exact = table.depths[slot] == EXACT_DEPTH
            if (
                bound == BOUND_EXACT
                or (bound == _BOUND_LOWER and value >= numbers[BETA])
                or (bound == _BOUND_UPPER and value <= numbers[ALPHA])
            ):
                return_value(stack, value, exact)
                return
    rules.write_legal(tables, row, stack.legal)
    child = stack.rows[top + 1]
    count = 0
    for action in range(stack.actions.shape[1]):
        if not is_legal(stack.legal, action):
            continue
        copy_row(row, child)
        rules.apply(tables, child, action)
        winner = status.winner_code(child)
        if winner == player:
            order = WIN
        elif winner == status.DRAW:
            order = 0
        elif winner >= 0:
            order = -WIN
        elif depth > 1 or action == first_action:
            order = rules.evaluate(tables, child, player)
        else:
            order = 0
        if action == first_action:
            order += WIN
        stack.actions[top, count] = action
        stack.values[top, count] = order
        count += 1
    numbers[COUNT] = count
    numbers[NEXT] = 0
    numbers[BEST] = -INFINITY
    numbers[BEST_ACTION] = stack.actions[top, 0]
    numbers[LOWEST] = numbers[ALPHA]
    numbers[EXACT] = 1


@kernel
def push_next(tables: Tables, stack: Stack, top: int) -> None:
    """Push the position after the next best action of entry `top`."""
    numbers = stack.numbers[top]
    k = numbers[NEXT]
    best = k
    for other in range(k + 1, numbers[COUNT]):
        if stack.values[top, other] > stack.values[top, best]:
            best = other
    action = stack.actions[top, best]
    value = stack.values[top, best]
    # The others keep their order, so that equals are searched by their ids.
    for other in range(best, k, -1):
        stack.actions[top, other] = stack.actions[top, other - 1]
        stack.values[top, other] = stack.values[top, other - 1]
    stack.actions[top, k] = action
    stack.values[top, k] = value
    row = stack.rows[top]
    child = stack.rows[top + 1]
    copy_row(row, child)
    rules.apply(tables, child, action)
    below = stack.numbers[top + 1]
    below[COUNT] = -1
    # As seen one ply later, where proven ends are one ply nearer.
    below[ALPHA] = shift_proven(numbers[ALPHA], -1)
    below[BETA] = shift_proven(numbers[BETA], -1)
    if status.to_move(child) != status.to_move(row):
        below[ALPHA], below[BETA] = -below[BETA], -below[ALPHA]
    stack.control[TOP] = top + 1


@kernel
def back_up(stack: Stack, top: int) -> None:
    """Back up the returned value to entry `top`, whose action led to it."""
    numbers = stack.numbers[top]
    value = shift_proven(stack.control[VALUE], 1)
    if status.to_move(stack.rows[top + 1]) != status.to_move(stack.rows[top]):
        value = -value
    exact = stack.control[VALUE_EXACT] == 1
    action = stack.actions[top, numbers[NEXT]]
    numbers[NEXT] += 1
    stack.control[RETURNING] = 0
    if value > numbers[BEST]:
        numbers[BEST] = value
        numbers[BEST_ACTION] = action
    numbers[ALPHA] = max(numbers[ALPHA], value)
    if value >= numbers[BETA]:
        # A bound that does not depend on what the other actions are worth.
        numbers[EXACT] = 1 if exact else 0
        numbers[NEXT] = numbers[COUNT]
    elif not exact:
        numbers[EXACT] = 0


@entry_kernel
def start_search(tables: Tables, stack: Stack, table: Table, depth: int) -> None:
    """Prepare a search of `depth` plies from the running position in ``stack.rows[0]``.

    Its actions are listed afterwards; those with equal values may be given another order.
    """
    push_root(stack, depth)
    visit(tables, stack, table, 0)


@entry_kernel
def resume(tables: Tables, stack: Stack, table: Table, max_nodes: int) -> bool:
    """Search until the value of the root is known or `max_nodes` more nodes were looked at.

    Args:
        tables: The game's constants.
        stack: Prepared by `start_search`. At the end, ``numbers[0]`` holds value and best action.
        table: Transposition table.
        max_nodes: At least 1.

    Returns:
        Whether the search is finished.
    """
    last = stack.control[NODES] + max_nodes
    while True:
        top = stack.control[TOP]
        numbers = stack.numbers[top]
        if stack.control[RETURNING] == 1:
            if top == 0:
                return True
            stack.control[TOP] = top - 1
            back_up(stack, top - 1)
        elif numbers[COUNT] < 0:
            if stack.control[NODES] >= last:
                return False
            visit(tables, stack, table, top)
        elif numbers[NEXT] < numbers[COUNT]:
            push_next(tables, stack, top)
        else:
            if top > 0 or stack.control[IS_PARTIAL] == 0:
                store(table, hash_row(stack.rows[top]), stack, top, stack.control[DEPTH] - top)
            return_value(stack, numbers[BEST], numbers[EXACT] == 1)
