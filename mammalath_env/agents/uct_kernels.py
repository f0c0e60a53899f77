"""Simulations of UCT as kernels."""

from __future__ import annotations

import numpy as np

from mammalath_env.agents.greedy import choose_greedily
from mammalath_env.agents.tree import (
    NO_CHILDREN,
    Tree,
    Workspace,
    action_of,
    back_up,
    expand,
    has_room,
    judge,
    prove,
)
from mammalath_env.agents.values import UNPROVEN, estimate, proven_value, proven_winner
from mammalath_env.core import rules, status
from mammalath_env.core.bits import WORD_BITS, Words, copy_row
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.playout import play_out
from mammalath_env.core.rules import Tables


@kernel
def estimate_children(tables: Tables, tree: Tree, node: int, row: Words, child_row: Words) -> None:
    """Judge all children of `node`, whose position is `row`, and estimate their values."""
    first = tree.first[node]
    for child in range(first, first + tree.num_children[node]):
        copy_row(row, child_row)
        rules.apply(tables, child_row, action_of(tree, child))
        judge(tables, tree, child, child_row)
        if status.is_over(child_row):
            tree.estimate[child] = proven_value(int(tree.proven[child]))
        else:
            tree.estimate[child] = estimate(float(rules.evaluate(tables, child_row, 0)))


@kernel
def mean_value(tree: Tree, node: int, prior_visits: float) -> float:
    """Return the value of a node for player 0, its estimate counting as `prior_visits` visits."""
    total = tree.values[node] + prior_visits * tree.estimate[node]
    return total / (tree.visits[node] + prior_visits)


@kernel
def best_child(tree: Tree, node: int, exploration: float, prior_visits: float) -> int:
    """Return the child with the largest upper confidence bound (UCB1).

    All children have been visited, or `prior_visits` is above 0 and all have an estimate.
    """
    sign = 1.0 if tree.mover[node] == 0 else -1.0
    first = tree.first[node]
    log_visits = np.log(float(tree.visits[node]) + 1.0)
    best = first
    best_bound = -1.0e30
    for child in range(first, first + tree.num_children[node]):
        proven = tree.proven[child]
        if proven == UNPROVEN:
            bound = sign * mean_value(tree, child, prior_visits)
            bound += exploration * np.sqrt(log_visits / (tree.visits[child] + prior_visits))
        elif proven == status.DRAW:
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
        The code of the winner.
    """
    while True:
        winner = proven_winner(tables, row)
        if winner != UNPROVEN:
            return winner
        rules.apply(tables, row, choose_greedily(tables, row, stream, legal, child))


@entry_kernel
def simulate(
    tables: Tables,
    tree: Tree,
    root: Words,
    work: Workspace,
    stream: Words,
    exploration: float,
    prior_visits: float,
    greedy_playouts: bool,
    simulations: int,
    may_grow: bool,
) -> int:
    """Run simulations of UCT.

    Args:
        tables: The game's constants.
        tree: Its root stands for the position `root`.
        root: Running position; never modified.
        work: Scratch.
        stream: Source of all draws.
        exploration: Weight of the exploration term.
        prior_visits: Visits that the estimate of a child counts as; 0 for none.
        greedy_playouts: Whether playouts are greedy, or random.
        simulations: How many to run.
        may_grow: Whether to stop where the tree has no more room, so that it can be enlarged.
            Otherwise the search goes on in the tree as it is, and new leaves are not kept.

    Returns:
        How many were run: fewer if the root was proven, or if the tree had no more room.
    """
    row = work.row
    path = work.path
    for done in range(simulations):
        is_full = not has_room(tree, len(work.legal) * WORD_BITS)
        if tree.proven[0] != UNPROVEN or (is_full and may_grow):
            return done
        copy_row(root, row)
        node = 0
        length = 1
        path[0] = 0
        while tree.proven[node] == UNPROVEN and length < len(path):
            if tree.first[node] == NO_CHILDREN:
                if (node != 0 and tree.visits[node] == 0) or is_full:
                    break
                expand(tables, tree, node, row, work.legal, stream)
                if prior_visits > 0.0:
                    estimate_children(tables, tree, node, row, work.child)
                    if prove(tree, node):
                        break
            if prior_visits == 0.0 and tree.opened[node] < tree.num_children[node]:
                child = tree.first[node] + tree.opened[node]
                tree.opened[node] += 1
            else:
                child = best_child(tree, node, exploration, prior_visits)
            rules.apply(tables, row, action_of(tree, child))
            if tree.mover[child] < 0:
                judge(tables, tree, child, row)
            node = child
            path[length] = node
            length += 1
        winner = int(tree.proven[node])
        if winner == UNPROVEN:
            if greedy_playouts:
                winner = play_out_greedily(tables, row, work.legal, work.child, stream)
            else:
                play_out(tables, row, work.legal, stream)
                winner = status.winner_code(row)
        back_up(tree, path, length, proven_value(winner))
    return simulations
