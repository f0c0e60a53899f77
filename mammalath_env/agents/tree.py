"""Monte Carlo search trees as kernels.

A tree is a set of arrays with one entry for each node; the children of a node are neighbours.
Positions are not stored: a simulation plays its way down from the root. What a node is worth is
counted for player 0: +1 won, -1 lost. A node is proven once the rules decide it, or its children
do (Winands, Björnsson and Saito, 2008).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mammalath_env.agents.estimate import estimate
from mammalath_env.agents.greedy import choose_greedily
from mammalath_env.core import rules, status
from mammalath_env.core.bits import Int8s, Words, copy_row
from mammalath_env.core.game import Game
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.playout import play_out
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import next_below
from mammalath_env.core.transition import is_legal

UNPROVEN = 0
"""Other values of `Tree.proven` are 1 + the code of the winner: 0, 1 or `status.DRAW`."""

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
        prior: float32[nodes], its probability as a policy has it.
        estimate: float32[nodes], what the evaluation of the game makes of it, for player 0.
        proven: int8[nodes], `UNPROVEN` or 1 + the code of the winner.
        mover: int8[nodes], the player to move.
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
        proven=np.zeros(capacity, np.int8),
        mover=np.zeros(capacity, np.int8),
        sizes=np.zeros(NUM_SIZES, np.int64),
    )


def grown(tree: Tree) -> Tree:
    """Return a copy of `tree` with twice the room."""
    bigger = new_tree(2 * len(tree.visits))
    for name, old in tree._asdict().items():
        getattr(bigger, name)[: len(old)] = old
    return bigger


@entry_kernel
def find_win(tables: Tables, row: Words, legal: Words, child: Words) -> int:
    """Return an action of the running position `row` that wins at once, or -1.

    Args:
        tables: The game's constants.
        row: uint64[num_words]; never modified.
        legal: Scratch for a set of actions.
        child: Scratch of uint64[num_words].
    """
    player = status.to_move(row)
    if not rules.can_win(tables, row):
        return -1
    rules.write_legal(tables, row, legal)
    for action in range(len(legal) * 64):
        if is_legal(legal, action):
            copy_row(row, child)
            rules.apply(tables, child, action)
            if status.winner_code(child) == player:
                return action
    return -1


@kernel
def clear_node(tree: Tree, node: int, action: int, mover: int) -> None:
    """Make `node` a leaf that nobody has visited."""
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


@entry_kernel
def plant(tree: Tree, row: Words) -> None:
    """Start a tree with the position `row` at its root."""
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
    for action in range(len(legal) * 64):
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
def result_of(proven: int) -> float:
    """Return what a proven node is worth to player 0."""
    if proven == 1:
        return 1.0
    return -1.0 if proven == 2 else 0.0


@kernel
def prove(tree: Tree, node: int) -> bool:
    """Prove `node` by its children if they decide it, and say whether they do."""
    player = tree.mover[node]
    first = tree.first[node]
    can_draw = False
    open_children = False
    for child in range(first, first + tree.num_children[node]):
        proven = tree.proven[child]
        if proven == 1 + player:
            tree.proven[node] = proven
            return True
        if proven == UNPROVEN:
            open_children = True
        elif proven == 1 + status.DRAW:
            can_draw = True
    if open_children:
        return False
    tree.proven[node] = 1 + status.DRAW if can_draw else 2 - player
    return True


@kernel
def back_up(tree: Tree, path: NDArray[np.int32], length: int, result: float) -> None:
    """Count a finished simulation along its path, and prove what its last node decides."""
    proving = tree.proven[path[length - 1]] != UNPROVEN
    for k in range(length - 1, -1, -1):
        node = path[k]
        tree.visits[node] += 1
        tree.values[node] += result
        if proving and k < length - 1 and tree.proven[node] == UNPROVEN:
            proving = prove(tree, node)


@kernel
def decided(tables: Tables, row: Words) -> int:
    """Return what `Tree.proven` holds for a position that the rules decide within two plies."""
    if status.is_over(row):
        return 1 + status.winner_code(row)
    if rules.can_win(tables, row):
        return 1 + status.to_move(row)
    if rules.must_lose(tables, row):
        return 2 - status.to_move(row)
    return UNPROVEN


@kernel
def judge(tables: Tables, tree: Tree, node: int, row: Words) -> None:
    """Note who is to move at `node`, and prove it if its position `row` is `decided`."""
    tree.mover[node] = status.to_move(row)
    tree.proven[node] = decided(tables, row)


@kernel
def estimate_children(tables: Tables, tree: Tree, node: int, row: Words, child_row: Words) -> None:
    """Judge all children of `node`, whose position is `row`, and estimate what they are worth."""
    first = tree.first[node]
    for child in range(first, first + tree.num_children[node]):
        copy_row(row, child_row)
        rules.apply(tables, child_row, tree.action[child])
        judge(tables, tree, child, child_row)
        if status.is_over(child_row):
            tree.estimate[child] = result_of(tree.proven[child])
        else:
            tree.estimate[child] = estimate(float(rules.evaluate(tables, child_row, 0)))


@kernel
def mean_value(tree: Tree, node: int, knowledge: float) -> float:
    """Return what a node is worth to player 0, its estimate counting as `knowledge` visits."""
    total = tree.values[node] + knowledge * tree.estimate[node]
    return total / (tree.visits[node] + knowledge)


@kernel
def best_child(tree: Tree, node: int, exploration: float, knowledge: float) -> int:
    """Return the child with the largest upper confidence bound (UCB1).

    All children have been visited, or `knowledge` is above 0 and all have an estimate.
    """
    sign = 1.0 if tree.mover[node] == 0 else -1.0
    first = tree.first[node]
    log_visits = np.log(float(tree.visits[node]) + 1.0)
    best = first
    best_bound = -1.0e30
    for child in range(first, first + tree.num_children[node]):
        proven = tree.proven[child]
        if proven == UNPROVEN:
            bound = sign * mean_value(tree, child, knowledge)
            bound += exploration * np.sqrt(log_visits / (tree.visits[child] + knowledge))
        elif proven == 1 + status.DRAW:
            bound = 0.0
        else:
            bound = -1.0e20  # lost, or its parent would be proven won
        if bound > best_bound:
            best_bound = bound
            best = child
    return best


@kernel
def play_out_greedily(tables: Tables, row: Words, legal: Words, child: Words, stream: Words) -> int:
    """Let the greedy agent play both sides in place until the game is decided.

    Returns:
        1 + the code of the winner.
    """
    while True:
        proven = decided(tables, row)
        if proven != UNPROVEN:
            return proven
        rules.apply(tables, row, choose_greedily(tables, row, stream, legal, child))


@entry_kernel
def simulate(
    tables: Tables,
    tree: Tree,
    root: Words,
    work: Workspace,
    stream: Words,
    exploration: float,
    knowledge: float,
    greedy_playouts: bool,
    simulations: int,
) -> int:
    """Run simulations of UCT.

    Args:
        tables: The game's constants.
        tree: Its root stands for the position `root`.
        root: Running position; never modified.
        work: Scratch.
        stream: Source of all draws.
        exploration: Weight of the exploration term.
        knowledge: Visits that the estimate of a child counts as; 0 for none.
        greedy_playouts: Whether the greedy agent plays out games, or chance.
        simulations: How many to run.

    Returns:
        How many were run: fewer if the root was proven, or if the tree had no more room.
    """
    row = work.row
    path = work.path
    for done in range(simulations):
        if tree.proven[0] != UNPROVEN or not has_room(tree, len(work.legal) * 64):
            return done
        copy_row(root, row)
        node = 0
        length = 1
        path[0] = 0
        while tree.proven[node] == UNPROVEN and length < len(path):
            if tree.first[node] == NO_CHILDREN:
                if node != 0 and tree.visits[node] == 0:
                    break
                expand(tables, tree, node, row, work.legal, stream)
                if knowledge > 0.0:
                    estimate_children(tables, tree, node, row, work.child)
                    if prove(tree, node):
                        break
            if knowledge == 0.0 and tree.opened[node] < tree.num_children[node]:
                child = tree.first[node] + tree.opened[node]
                tree.opened[node] += 1
            else:
                child = best_child(tree, node, exploration, knowledge)
            rules.apply(tables, row, tree.action[child])
            if tree.mover[child] < 0:
                judge(tables, tree, child, row)
            node = child
            path[length] = node
            length += 1
        if tree.proven[node] != UNPROVEN:
            result = result_of(tree.proven[node])
        else:
            if greedy_playouts:
                proven = play_out_greedily(tables, row, work.legal, work.child, stream)
            else:
                play_out(tables, row, work.legal, stream)
                proven = 1 + status.winner_code(row)
            result = result_of(proven)
        back_up(tree, path, length, result)
    return simulations
