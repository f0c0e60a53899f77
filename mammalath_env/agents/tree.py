"""Monte Carlo search trees, which the searches UCT and PUCT grow.

A tree is a set of arrays with one entry for each node; the children of a node are neighbours.
Positions are not stored: a simulation plays its way down from the root. Values are those of
player 0: +1 won, -1 lost. A node is proven once the rules decide it, or its children do (Winands,
Björnsson and Saito, 2008).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mammalath_env.agents.values import UNPROVEN, proven_value, proven_winner
from mammalath_env.core import rules, status
from mammalath_env.core.bits import WORD_BITS, Int8s, Words
from mammalath_env.core.checks import checked_number
from mammalath_env.core.game import Game
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import next_below
from mammalath_env.core.transition import is_legal

NO_CHILDREN = -1

# Nodes are numbered by int32.
_MOST_NODES = 2**31 - 1

# More plies than any proof has.
_NO_WIN = 1 << 14

# Entry of Tree.sizes: how many nodes are in use.
USED = 0
NUM_SIZES = 1


class Tree(NamedTuple):
    """A search tree; node 0 is the root.

    Attributes:
        visits: int32[nodes], finished simulations through the node.
        pending: int32[nodes], simulations through the node that wait for an evaluation.
        values: float64[nodes], sum of their results for player 0.
        first: int32[nodes], first child, or `NO_CHILDREN`.
        num_children: int16[nodes].
        opened: int16[nodes], children that had a first visit.
        action: int16[nodes], the action that leads to the node.
        prior: float32[nodes], its probability under the policy.
        estimate: float32[nodes], its value by the game's evaluation, for player 0.
        proven: int8[nodes], the code of the winner, or `UNPROVEN`.
        plies_left: int16[nodes], plies to the end of a proven node by the proof that was found: a
            win is as quick, and a loss as slow, as its children's proofs allow.
        mover: int8[nodes], the player to move, -1 until the node is first reached.
        sizes: int64[NUM_SIZES].
    """

    visits: NDArray[np.int32]
    pending: NDArray[np.int32]
    values: NDArray[np.float64]
    first: NDArray[np.int32]
    num_children: NDArray[np.int16]
    opened: NDArray[np.int16]
    action: NDArray[np.int16]
    prior: NDArray[np.float32]
    estimate: NDArray[np.float32]
    proven: Int8s
    plies_left: NDArray[np.int16]
    mover: Int8s
    sizes: NDArray[np.int64]


class Workspace(NamedTuple):
    """Scratch memory of a search.

    Attributes:
        row: uint64[num_words], the position of the simulation.
        child: uint64[num_words], for playouts.
        legal: uint64[words of a set of actions].
        path: int32[plies], nodes from the root.
    """

    row: Words
    child: Words
    legal: Words
    path: NDArray[np.int32]


def new_workspace(game: Game) -> Workspace:
    """Return scratch memory for searches of a game."""
    return Workspace(
        row=np.empty(game.num_words, np.uint64),
        child=np.empty(game.num_words, np.uint64),
        legal=game.new_legal(),
        path=np.empty(game.max_plies + 2, np.int32),
    )


DEFAULT_MEMORY = 512.0
"""Megabytes (2**20 bytes) that the tree of a search may take by default."""

BYTES_PER_NODE = 38
"""Bytes that a node takes in the arrays of a `Tree`."""


def new_tree(capacity: int) -> Tree:
    """Return a tree with room for `capacity` nodes and nothing in it.

    The entries of nodes that are not in use hold anything: `clear_node` sets all of them.
    """
    return Tree(
        visits=np.empty(capacity, np.int32),
        pending=np.empty(capacity, np.int32),
        values=np.empty(capacity, np.float64),
        first=np.empty(capacity, np.int32),
        num_children=np.empty(capacity, np.int16),
        opened=np.empty(capacity, np.int16),
        action=np.empty(capacity, np.int16),
        prior=np.empty(capacity, np.float32),
        estimate=np.empty(capacity, np.float32),
        proven=np.empty(capacity, np.int8),
        plies_left=np.empty(capacity, np.int16),
        mover=np.empty(capacity, np.int8),
        sizes=np.zeros(NUM_SIZES, np.int64),
    )


def checked_memory(memory: float) -> float:
    """Return the limit of a tree in megabytes.

    Raises:
        TypeError: It is not a number.
        ValueError: It is not above 0, or not finite.
    """
    return checked_number("memory", memory, above=0)


def nodes_within(memory: float, expansion: int) -> int:
    """Return how many nodes a tree may have.

    Args:
        memory: The limit in megabytes.
        expansion: The most children that a node can have; those of the root always fit.
    """
    return min(max(int(memory * 2**20) // BYTES_PER_NODE, 1 + expansion), _MOST_NODES)


def make_room(tree: Tree, nodes: int, most: int) -> bool:
    """Enlarge `tree` in place so that so many more nodes fit into it.

    Args:
        tree: The tree; nothing else may refer to its arrays.
        nodes: How many more nodes.
        most: Nodes that the tree may have at most.

    Returns:
        Whether they fit.
    """
    needed = int(tree.sizes[USED]) + nodes
    capacity = len(tree.visits)
    if needed > capacity:
        if needed > most:
            return False
        while capacity < needed:
            capacity *= 2
        for array in tree[:-1]:
            # In place, so that old and new arrays are never there together.
            array.resize(min(capacity, most), refcheck=False)
    return True


def root_children(tree: Tree) -> slice:
    """Return where the children of the root are."""
    first = int(tree.first[0])
    return slice(first, first + int(tree.num_children[0]))


def root_value(tree: Tree) -> float:
    """Return the value of the root for the player to move: proven, or the mean of its results."""
    sign = 1.0 if tree.mover[0] == 0 else -1.0
    if tree.proven[0] != UNPROVEN:
        return sign * proven_value(int(tree.proven[0]))
    return sign * float(tree.values[0]) / max(int(tree.visits[0]), 1)


def mean_of_child(tree: Tree, node: int, child: int, prior_visits: float = 0.0) -> float:
    """Return the mean result of a child for the player to move at `node`, its parent.

    Its estimate counts as `prior_visits` visits. A child without any has the mean of its parent.
    """
    sign = 1.0 if tree.mover[node] == 0 else -1.0
    weight = int(tree.visits[child]) + prior_visits
    if weight == 0:
        return sign * float(tree.values[node]) / max(int(tree.visits[node]), 1)
    total = float(tree.values[child]) + prior_visits * float(tree.estimate[child])
    return sign * total / weight


def ranked_children(tree: Tree, node: int, prior_visits: float = 0.0) -> list[int]:
    """Return the children of a node, the best one for the player to move first.

    A proven win comes before open ones, the quickest first, and a proven loss after them, the
    slowest first. Then they rank by visits, by the mean of their results, and by prior. Children
    stand in random order, and equals keep it.

    Args:
        tree: The tree.
        node: A node of it, with or without children.
        prior_visits: Visits that the estimate of a child counts as in its value.
    """
    player = int(tree.mover[node])

    def rank(child: int) -> tuple[float, ...]:
        plies_left = int(tree.plies_left[child])
        proven = int(tree.proven[child])
        place, speed = {player: (2, -plies_left), 1 - player: (0, plies_left)}.get(proven, (1, 0))
        mean = mean_of_child(tree, node, child, prior_visits)
        return place, speed, int(tree.visits[child]), mean, float(tree.prior[child])

    first = int(tree.first[node])
    # Reversed, the sort keeps the order of equals too.
    return sorted(range(first, first + int(tree.num_children[node])), key=rank, reverse=True)


def best_at_root(tree: Tree, prior_visits: float = 0.0) -> int:
    """Return the child of the root to play, the first of `ranked_children`; it must have some."""
    return ranked_children(tree, 0, prior_visits)[0]


@kernel
def clear_node(tree: Tree, node: int, action: int, mover: int) -> None:
    """Make `node` a leaf without visits."""
    tree.visits[node] = 0
    tree.pending[node] = 0
    tree.values[node] = 0.0
    tree.first[node] = NO_CHILDREN
    tree.num_children[node] = 0
    tree.opened[node] = 0
    tree.action[node] = action
    tree.prior[node] = 0.0
    tree.estimate[node] = 0.0
    tree.proven[node] = UNPROVEN
    tree.plies_left[node] = 0
    tree.mover[node] = mover


@kernel
def action_of(tree: Tree, node: int) -> int:
    """Return the action that leads to `node`, as rules take it: they are compiled for one type."""
    return np.int64(tree.action[node])


def init_root(tree: Tree, row: Words) -> None:
    """Empty a tree, and put the position `row` at its root."""
    clear_node(tree, 0, -1, status.to_move(row))
    tree.sizes[USED] = 1


@kernel
def has_room(tree: Tree, nodes: int) -> bool:
    """Return whether so many more nodes fit into the tree."""
    return tree.sizes[USED] + nodes <= len(tree.visits)


@kernel
def expand(tables: Tables, tree: Tree, node: int, row: Words, legal: Words, stream: Words) -> None:
    """Give `node`, whose position is `row`, its children in random order; there must be room."""
    used = tree.sizes[USED]
    rules.write_legal(tables, row, legal)
    count = 0
    for action in range(len(legal) * WORD_BITS):
        if is_legal(legal, action):
            clear_node(tree, used + count, action, -1)
            count += 1
    for k in range(count - 1, 0, -1):
        other = next_below(stream, k + 1)
        first, second = used + k, used + other
        tree.action[first], tree.action[second] = tree.action[second], tree.action[first]
    tree.first[node] = used
    tree.num_children[node] = count
    tree.opened[node] = 0
    tree.sizes[USED] = used + count


@kernel
def judge(tables: Tables, tree: Tree, node: int, row: Words) -> None:
    """Note who is to move at `node`, and prove it if the rules decide its position `row`."""
    mover = status.to_move(row)
    winner = proven_winner(tables, row)
    tree.mover[node] = mover
    tree.proven[node] = winner
    if winner != UNPROVEN and not status.is_over(row):
        tree.plies_left[node] = 1 if winner == mover else 2


@kernel
def prove(tree: Tree, node: int) -> bool:
    """Prove `node` by its children if they decide it, and return whether they do."""
    player = tree.mover[node]
    first = tree.first[node]
    open_children = 0
    draws = 0
    quickest_win = _NO_WIN
    slowest = 0
    for child in range(first, first + tree.num_children[node]):
        proven = tree.proven[child]
        if proven == UNPROVEN:
            open_children += 1
            continue
        plies = int(tree.plies_left[child])
        if proven == player:
            quickest_win = min(quickest_win, plies)
        elif proven == status.DRAW:
            draws += 1
        slowest = max(slowest, plies)
    if quickest_win < _NO_WIN:
        tree.proven[node] = player
        tree.plies_left[node] = quickest_win + 1
        return True
    if open_children > 0:
        return False
    tree.proven[node] = status.DRAW if draws > 0 else 1 - player
    tree.plies_left[node] = slowest + 1
    return True


@kernel
def back_up(tree: Tree, path: NDArray[np.int32], length: int, result: float) -> None:
    """Count a finished simulation along its path, and prove what its last node decides."""
    proving = tree.proven[path[length - 1]] != UNPROVEN
    for k in range(length - 1, -1, -1):
        node = int(path[k])
        tree.visits[node] += 1
        tree.values[node] += result
        if proving and k < length - 1 and tree.proven[node] == UNPROVEN:
            proving = prove(tree, node)
