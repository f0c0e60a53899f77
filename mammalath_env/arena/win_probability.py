"""Win probabilities from the values of agents, on one scale for all agents."""

from __future__ import annotations

import math
from collections.abc import Mapping

MOST_CERTAIN = 0.999
"""The highest win probability of a move without a proof; the lowest is as far from 0."""

SLOPES: Mapping[tuple[str, str], float] = {
    ("alphabeta", "mammalath"): 2.13,
    ("alphabeta", "mammalath_plus"): 1.00,
    ("alphabeta", "mancala"): 0.73,
    ("mcts", "mammalath"): 0.85,
    ("mcts", "mammalath_plus"): 0.46,
    ("mcts", "mancala"): 0.68,
    ("neural", "mammalath"): 1.96,
}
"""How much the log odds grow with those of the value, by the name of the agent and of the game.

Fitted by ``benchmarks/win_probability.py`` to games of each agent against itself; docs/analysis.md
has the commands and the check.
"""

SLOPE_OF_OTHERS = 1.0
"""For agents and games that are not in the table: a value of v is then a probability of
(1 + v) / 2, as if it was an expected result."""


def win_probability(value: float, agent: str, game: str) -> float:
    """Return the win probability that a value stands for; a draw counts as half a win.

    The log odds of winning are those of ``(1 + value) / 2`` times a slope, so that the
    probabilities of the two players sum to 1.

    Args:
        value: An agent's value, from -1 to 1, without a proof.
        agent: The name of the agent, such as ``mcts``.
        game: The name of the game.

    Returns:
        From ``1 - MOST_CERTAIN`` to `MOST_CERTAIN`, for the player that the value is of.

    Raises:
        ValueError: The value is not from -1 to 1.
    """
    if not -1 <= value <= 1:
        raise ValueError(f"a value must be from -1 to 1, not {value}")
    if abs(value) == 1:
        probability = (1 + value) / 2
    else:
        slope = SLOPES.get((agent, game), SLOPE_OF_OTHERS)
        probability = 1 / (1 + math.exp(-slope * log_odds(value)))
    return min(max(probability, 1 - MOST_CERTAIN), MOST_CERTAIN)


def log_odds(value: float) -> float:
    """Return the log odds of ``(1 + value) / 2``, for a value between -1 and 1."""
    return 2 * math.atanh(value)
