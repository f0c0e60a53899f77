"""The agent that looks one ply ahead, and at the opponent's winning replies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mammalath_env.agents.agent import require_running
from mammalath_env.agents.analysis import Analysis, Line
from mammalath_env.agents.limits import Limits
from mammalath_env.agents.values import estimate
from mammalath_env.agents.variations import (
    analysis_of,
    decided_line,
    evaluated_line,
    winning_action,
)
from mammalath_env.core import rules, status
from mammalath_env.core.bits import WORD_BITS, Words, copy_row
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.position import Position
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import new_stream, next_below
from mammalath_env.core.transition import is_legal

# Classes of actions, worst first; the evaluation, at most 10,000, ranks within a class.
_LOSES = -2_000_000
_ALLOWS_WIN = -1_000_000
_WINS = 1_000_000


@kernel
def rate(tables: Tables, row: Words, action: int, child: Words) -> int:
    """Return how good a legal `action` looks to the player to move; `child` becomes its result."""
    player = status.to_move(row)
    copy_row(row, child)
    rules.apply(tables, child, action)
    winner = status.winner_code(child)
    if winner == player:
        return _WINS
    if winner == status.DRAW:
        return 0
    if winner >= 0:
        return _LOSES
    value = rules.evaluate(tables, child, player)
    if status.to_move(child) != player and rules.can_win(tables, child):
        return _ALLOWS_WIN + value
    return value


@kernel
def choose_greedily(tables: Tables, row: Words, stream: Words, legal: Words, child: Words) -> int:
    """Return the action that rates best, drawn from `stream` among equals.

    Args:
        tables: The game's constants.
        row: Running position; never modified.
        stream: Source of the draws.
        legal: Scratch of uint64[(num_actions + 63) // 64].
        child: Scratch of uint64[num_words].
    """
    rules.write_legal(tables, row, legal)
    best = -1
    best_value = 0
    num_best = 0
    for action in range(len(legal) * WORD_BITS):
        if not is_legal(legal, action):
            continue
        value = rate(tables, row, action, child)
        if best < 0 or value > best_value:
            best, best_value, num_best = action, value, 1
        elif value == best_value:
            num_best += 1
            if next_below(stream, num_best) == 0:
                best = action
    return best


@entry_kernel
def greedy_action(tables: Tables, row: Words, stream: Words, legal: Words, child: Words) -> int:
    """Return what `choose_greedily` does."""
    return choose_greedily(tables, row, stream, legal, child)


@entry_kernel
def rate_actions(
    tables: Tables, row: Words, legal: Words, child: Words, ratings: NDArray[np.int64]
) -> None:
    """Write how good each legal action looks.

    Args:
        tables: The game's constants.
        row: Running position; never modified.
        legal: Scratch of uint64[(num_actions + 63) // 64].
        child: Scratch of uint64[num_words].
        ratings: int64[num_actions]; those of illegal actions are left as they are.
    """
    rules.write_legal(tables, row, legal)
    for action in range(len(ratings)):
        if is_legal(legal, action):
            ratings[action] = rate(tables, row, action, child)


class GreedyAgent:
    """Wins at once if it can, and otherwise takes the action that looks best after it.

    Its last choice is an action that loses, the last but one an action after which the opponent
    can win at once. The others, the swap of Mammalath included, are ranked by the evaluation of
    the game (`mammalath_env.core.rules.evaluate`) after the action, with 0 for a draw; among equals
    one is drawn at random.
    """

    name = "greedy"

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        """Start the agent's own stream from `seed`, as `new_stream` does."""
        self._stream = new_stream(seed)

    def act(self, position: Position) -> int:
        """See `Agent.act`."""
        require_running(position)
        game = position.game
        child = np.empty(game.num_words, np.uint64)
        return int(greedy_action(game.tables, position.row, self._stream, game.new_legal(), child))

    def analyze(
        self, position: Position, limits: Limits | None = None, *, lines: int = 1
    ) -> Analysis:
        """See `Analyst.analyze`; the evaluation is the value, and there is nothing to limit."""
        checked_integer("lines", lines, 1)
        chosen = self.act(position)
        game = position.game
        ratings = np.zeros(game.num_actions, np.int64)
        child = np.empty(game.num_words, np.uint64)
        rate_actions(game.tables, position.row, game.new_legal(), child, ratings)
        actions = position.legal_actions()
        actions.sort(key=lambda action: (action != chosen, -ratings[action]))
        found = (self._line(position, action, int(ratings[action])) for action in actions)
        return analysis_of(position, found, lines, len(actions))

    def _line(self, position: Position, action: int, rating: int) -> Line:
        after = position.play(action)
        if not after.is_over and after.to_move != position.to_move:
            reply = winning_action(after)
            if reply >= 0:
                return decided_line(position, (action, reply), after.to_move)
        sign = 1 if after.to_move == position.to_move else -1
        return evaluated_line(position, action, lambda _: sign * estimate(float(rating)))
