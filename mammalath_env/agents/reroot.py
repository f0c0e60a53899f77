"""Reuse of a search tree: the part below the current position is kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mammalath_env.agents.tree import NO_CHILDREN, USED, Tree, action_of
from mammalath_env.core import rules
from mammalath_env.core.bits import Words, copy_row
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.rules import Tables


@kernel
def same_row(one: Words, other: Words) -> bool:
    """Return whether two rows hold the same position."""
    same = True
    for word in range(len(one)):
        same &= one[word] == other[word]
    return same


@entry_kernel
def find_node(
    tables: Tables, tree: Tree, root: Words, target: Words, child: Words, grandchild: Words
) -> int:
    """Return the visited node, at most two plies below the root, of a position.

    Args:
        tables: The game's constants.
        tree: Its root stands for the position `root`.
        root: uint64[num_words].
        target: The position to look for.
        child: Scratch of uint64[num_words].
        grandchild: Scratch of uint64[num_words].

    Returns:
        The node, or -1.
    """
    if same_row(root, target):
        return 0
    first = tree.first[0]
    for node in range(first, first + tree.num_children[0]):
        if tree.visits[node] == 0:
            continue
        copy_row(root, child)
        rules.apply(tables, child, action_of(tree, node))
        if same_row(child, target):
            return node
        below = tree.first[node]
        for deeper in range(below, below + tree.num_children[node]):
            if tree.visits[deeper] > 0:
                copy_row(child, grandchild)
                rules.apply(tables, grandchild, action_of(tree, deeper))
                if same_row(grandchild, target):
                    return deeper
    return -1


@kernel
def copy_node(tree: Tree, source: int, target: int) -> None:
    """Copy the entry of a node, with its children where they are."""
    tree.visits[target] = tree.visits[source]
    tree.pending[target] = tree.pending[source]
    tree.values[target] = tree.values[source]
    tree.first[target] = tree.first[source]
    tree.num_children[target] = tree.num_children[source]
    tree.opened[target] = tree.opened[source]
    tree.action[target] = tree.action[source]
    tree.prior[target] = tree.prior[source]
    tree.estimate[target] = tree.estimate[source]
    tree.proven[target] = tree.proven[source]
    tree.plies_left[target] = tree.plies_left[source]
    tree.mover[target] = tree.mover[source]


@entry_kernel
def reroot(tree: Tree, node: int, places: NDArray[np.int32]) -> None:
    """Make `node` the root, and drop all nodes that are not below it.

    Nodes keep their order, and move towards the front only, so that they can be moved one after
    the other.

    Args:
        tree: Changed in place.
        node: A node of the tree.
        places: Scratch of int32[nodes].
    """
    used = tree.sizes[USED]
    for k in range(used):
        places[k] = -1
    places[node] = 0
    kept = 0
    # Children come after their parents, and stay so.
    for k in range(used):
        if places[k] < 0:
            continue
        places[k] = kept
        kept += 1
        if tree.first[k] != NO_CHILDREN:
            for child in range(tree.first[k], tree.first[k] + tree.num_children[k]):
                places[child] = 0
    for k in range(used):
        if places[k] >= 0:
            if tree.first[k] != NO_CHILDREN:
                tree.first[k] = places[tree.first[k]]
            copy_node(tree, k, places[k])
    tree.sizes[USED] = kept
