"""Simulations of PUCT as kernels, in batches for a policy and value function.

A simulation goes down the tree until it reaches a position that has not been evaluated. These are
collected, evaluated in one batch, and then finished. While a simulation waits, it counts as lost
for each player on its path, so that others go elsewhere (virtual loss).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mammalath_env.agents.tree import (
    NO_CHILDREN,
    Tree,
    Workspace,
    action_of,
    back_up,
    expand,
    judge,
)
from mammalath_env.agents.values import UNPROVEN, proven_value
from mammalath_env.core import rules, status
from mammalath_env.core.bits import copy_row, expand_bits
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.rules import Tables


@kernel
def choose_child(tree: Tree, node: int, exploration: float) -> int:
    """Return the child with the best sum of value and prior-weighted exploration.

    A child without visits is given the value of its parent.
    """
    player = tree.mover[node]
    sign = 1.0 if player == 0 else -1.0
    first = tree.first[node]
    total = float(tree.visits[node] + tree.pending[node])
    parent_value = sign * tree.values[node] / max(float(tree.visits[node]), 1.0)
    best = first
    best_score = -1.0e30
    for child in range(first, first + tree.num_children[node]):
        proven = tree.proven[child]
        visits = float(tree.visits[child] + tree.pending[child])
        if proven == UNPROVEN:
            value = parent_value
            if visits > 0.0:
                value = (sign * tree.values[child] - float(tree.pending[child])) / visits
        elif proven == status.DRAW:
            value = 0.0
        else:
            value = -1.0e20  # lost, or its parent would be proven won
        score = value + exploration * tree.prior[child] * np.sqrt(total) / (1.0 + visits)
        if score > best_score:
            best_score = score
            best = child
    return best


@entry_kernel
def collect_leaves(
    tables: Tables,
    tree: Tree,
    root: NDArray[np.uint64],
    work: Workspace,
    exploration: float,
    simulations: int,
    leaf_rows: NDArray[np.uint64],
    paths: NDArray[np.int32],
    lengths: NDArray[np.int32],
) -> tuple[int, int]:
    """Start simulations until as many wait as ``leaf_rows`` has room for.

    A simulation that ends in a proven position is finished at once. One that reaches a position
    that is waiting already is abandoned, and no more are started.

    Args:
        tables: The game's constants.
        tree: Its root stands for the position `root`.
        root: Running position; never modified.
        work: Scratch.
        exploration: Weight of the exploration term.
        simulations: How many may be started.
        leaf_rows: uint64[leaves, num_words], where the positions are written.
        paths: int32[leaves, plies], where their nodes from the root are written.
        lengths: int32[leaves], where the lengths of the paths are written.

    Returns:
        How many wait for an evaluation, and how many were finished without one.
    """
    waiting = 0
    finished = 0
    row = work.row
    while waiting < len(leaf_rows) and waiting + finished < simulations:
        if tree.proven[0] != UNPROVEN:
            break
        copy_row(root, row)
        node = 0
        path = paths[waiting]
        path[0] = 0
        length = 1
        while tree.first[node] != NO_CHILDREN and tree.proven[node] == UNPROVEN:
            node = choose_child(tree, node, exploration)
            rules.apply(tables, row, action_of(tree, node))
            path[length] = node
            length += 1
            if tree.mover[node] < 0:
                judge(tables, tree, node, row)
        if tree.proven[node] != UNPROVEN:
            back_up(tree, path, length, proven_value(tree.proven[node]))
            finished += 1
            continue
        if tree.pending[node] > 0:
            break
        for k in range(length):
            tree.pending[path[k]] += 1
        copy_row(row, leaf_rows[waiting])
        lengths[waiting] = length
        waiting += 1
    return waiting, finished


@entry_kernel
def observe_rows(
    tables: Tables,
    rows: NDArray[np.uint64],
    legal: NDArray[np.uint64],
    channels_first: bool,
    observations: NDArray[np.int8],
    masks: NDArray[np.int8],
) -> None:
    """Write observation and mask of the player to move for each row.

    Args:
        tables: The game's constants.
        rows: uint64[rows, num_words].
        legal: Scratch of uint64[words of a set of actions].
        channels_first: Layout of the observations.
        observations: int8[rows, observation size].
        masks: int8[rows, num_actions].
    """
    for k in range(len(rows)):
        row = rows[k]
        rules.write_legal(tables, row, legal)
        expand_bits(legal, masks.shape[1], masks[k])
        rules.write_observation(tables, row, status.to_move(row), channels_first, observations[k])


@entry_kernel
def finish_leaves(
    tables: Tables,
    tree: Tree,
    legal: NDArray[np.uint64],
    stream: NDArray[np.uint64],
    leaf_rows: NDArray[np.uint64],
    paths: NDArray[np.int32],
    lengths: NDArray[np.int32],
    policies: NDArray[np.float32],
    values: NDArray[np.float32],
) -> None:
    """Finish the simulations that waited.

    Args:
        tables: The game's constants.
        tree: The tree; it must have room for the children of all leaves.
        legal: Scratch of uint64[words of a set of actions].
        stream: Source of the order of children.
        leaf_rows: As `collect_leaves` wrote them.
        paths: As `collect_leaves` wrote them.
        lengths: As `collect_leaves` wrote them.
        policies: float32[leaves, num_actions], at least 0; illegal actions do not count.
        values: float32[leaves], from -1 to 1, for the player to move.
    """
    for k in range(len(leaf_rows)):
        length = lengths[k]
        path = paths[k]
        node = path[length - 1]
        row = leaf_rows[k]
        expand(tables, tree, node, row, legal, stream)
        first = tree.first[node]
        total = 0.0
        for child in range(first, first + tree.num_children[node]):
            total += policies[k, tree.action[child]]
        for child in range(first, first + tree.num_children[node]):
            if total > 0.0:
                tree.prior[child] = policies[k, tree.action[child]] / total
            else:
                tree.prior[child] = 1.0 / tree.num_children[node]
        for step in range(length):
            tree.pending[path[step]] -= 1
        value = float(values[k])
        back_up(tree, path, length, value if tree.mover[node] == 0 else 0.0 - value)
