"""Lines of play in search trees, for analyses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from mammalath_env.agents import tree as trees
from mammalath_env.agents.analysis import Analysis, Line
from mammalath_env.agents.values import UNPROVEN, find_win, proven_value
from mammalath_env.core.position import Position
from mammalath_env.core.status import DRAW


def analysis_of(position: Position, lines: Iterable[Line], count: int, nodes: int) -> Analysis:
    """Return an analysis of the first lines, at most `count`, whose moves differ in effect.

    Args:
        position: Where the game is not over.
        lines: Best first; no more of them are made than are needed.
        count: At least 1.
        nodes: Simulations or positions of the search.
    """
    kept: list[Line] = []
    seen: set[Position] = set()
    for line in lines:
        result = position.game.canonical_position(position.play(line.action))
        if result not in seen:
            seen.add(result)
            kept.append(line)
            if len(kept) == count:
                break
    return Analysis(tuple(kept), nodes, max(len(line.variation) for line in kept))


def decided_line(position: Position, variation: tuple[int, ...], winner: int) -> Line:
    """Return the line of a proof.

    Args:
        position: Where the line begins.
        variation: The actions to the end of the game.
        winner: The winner's code, 2 for a draw.
    """
    value = _decided_value(position, winner)
    return Line(variation, value, winner=winner, plies=len(variation))


def _decided_value(position: Position, winner: int) -> float:
    """Return what a proven result is worth to the player to move."""
    value = proven_value(winner)
    return value if position.to_move == 0 else 0.0 - value


def evaluated_line(position: Position, action: int, evaluate: Callable[[Position], float]) -> Line:
    """Return the line of an action that is judged by the position after it.

    Args:
        position: Where the action is played.
        action: The action.
        evaluate: Returns the value of a running position for the player to move.
    """
    after = position.play(action)
    outcome = after.outcome
    if outcome is not None:
        return decided_line(position, (action,), DRAW if outcome.winner is None else outcome.winner)
    value = evaluate(after)
    return Line((action,), value if after.to_move == position.to_move else 0.0 - value)


def tree_lines(position: Position, tree: trees.Tree, prior_visits: float = 0.0) -> Iterator[Line]:
    """Yield the lines of all actions at the root, in the order of `ranked_children`.

    Args:
        position: The position of the root.
        tree: The tree; its root may have no children.
        prior_visits: As for `ranked_children`.
    """
    for child in trees.ranked_children(tree, 0, prior_visits):
        variation = _variation(position, tree, child, prior_visits)
        visits = int(tree.visits[child])
        winner = int(tree.proven[child])
        if winner == UNPROVEN:
            yield Line(variation, trees.mean_of_child(tree, 0, child, prior_visits), visits)
        else:
            plies = int(tree.plies_left[child]) + 1
            yield Line(variation, _decided_value(position, winner), visits, winner, plies)


def _variation(
    position: Position, tree: trees.Tree, node: int, prior_visits: float
) -> tuple[int, ...]:
    """Return the actions to a child of the root and on, as long as they are searched or proven."""
    line = [int(tree.action[node])]
    current = position.play(line[0])
    while ranked := trees.ranked_children(tree, node, prior_visits):
        node = ranked[0]
        if tree.visits[node] == 0 and tree.proven[node] == UNPROVEN:
            return tuple(line)
        line.append(int(tree.action[node]))
        current = current.play(line[-1])
    if tree.proven[node] != UNPROVEN and not current.is_over:
        line += _last_plies(current)
    return tuple(line)


def _last_plies(position: Position) -> list[int]:
    """Return how a game ends that the rules decide within two plies."""
    win = winning_action(position)
    if win >= 0:
        return [win]
    actions = position.legal_actions()
    for action in actions:
        after = position.play(action)
        if not after.is_over:
            return [action, winning_action(after)]
    return actions[:1]


def winning_action(position: Position) -> int:
    """Return an action that wins a running position at once, or -1."""
    game = position.game
    scratch = np.empty(game.num_words, np.uint64)
    return int(find_win(game.tables, position.row, game.new_legal(), scratch))
