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
from mammalath_env.core.game import Game
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import next_below
from mammalath_env.core.transition import is_legal

NO_CHILDREN = -1

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


def new_tree(capacity: int) -> Tree:
    """Return a tree with room for `capacity` nodes and nothing in it."""
    return Tree(
        visits=np.zeros(capacity, np.int32),
        pending=np.zeros(capacity, np.int32),
        values=np.zeros(capacity, np.float64),
        first=np.full(capacity, NO_CHILDREN, np.int32),
        num_children=np.zeros(capacity, np.int16),
        opened=np.zeros(capacity, np.int16),
        action=np.zeros(capacity, np.int16),
        prior=np.zeros(capacity, np.float32),
        estimate=np.zeros(capacity, np.float32),
        proven=np.full(capacity, UNPROVEN, np.int8),
        mover=np.zeros(capacity, np.int8),
        sizes=np.zeros(NUM_SIZES, np.int64),
    )


def with_room(tree: Tree, nodes: int) -> Tree:
    """Return `tree`, or a copy that is larger, so that as many more nodes fit into it."""
    while not has_room(tree, nodes):
        tree = doubled(tree)
    return tree


def doubled(tree: Tree) -> Tree:
    """Return a copy of `tree` with twice the room."""
    bigger = new_tree(2 * len(tree.visits))
    for name, old in tree._asdict().items():
        getattr(bigger, name)[: len(old)] = old
    return bigger


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
    tree.mover[node] = status.to_move(row)
    tree.proven[node] = proven_winner(tables, row)


@kernel
def prove(tree: Tree, node: int) -> bool:
    """Prove `node` by its children if they decide it, and return whether they do."""
    player = tree.mover[node]
    first = tree.first[node]
    can_draw = False
    open_children = False
    for child in range(first, first + tree.num_children[node]):
        proven = tree.proven[child]
        if proven == player:
            tree.proven[node] = proven
            return True
        if proven == UNPROVEN:
            open_children = True
        elif proven == status.DRAW:
            can_draw = True
    if open_children:
        return False
    tree.proven[node] = status.DRAW if can_draw else 1 - player
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
