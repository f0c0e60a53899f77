"""Keep the part of a search tree that is below the position which the game has come to."""

from __future__ import annotations

import numpy as np

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


def reroot(tree: Tree, node: int) -> None:
    """Make `node` the root, and drop all nodes that are not below it; the others keep their order.

    Args:
        tree: Changed in place.
        node: A node of the tree.
    """
    kept = np.zeros(int(tree.sizes[USED]), np.bool_)
    level = np.array([node])
    while level.size:
        kept[level] = True
        parents = level[tree.first[level] != NO_CHILDREN]
        counts = tree.num_children[parents].astype(np.int64)
        before = np.cumsum(counts) - counts
        level = np.repeat(tree.first[parents] - before, counts) + np.arange(counts.sum())
    places = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    num_kept = int(kept.sum())
    for name, entries in tree._asdict().items():
        if name != "sizes":
            entries[:num_kept] = entries[: len(kept)][kept]
    first = tree.first[:num_kept]
    parents = first != NO_CHILDREN
    first[parents] = places[first[parents]]
    tree.sizes[USED] = num_kept
