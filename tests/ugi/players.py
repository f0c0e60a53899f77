"""Agents that show what a server makes of agents."""

from __future__ import annotations

import os
import sys

from mammalath_env.agents.analysis import Analysis, Line
from mammalath_env.agents.limits import Limits
from mammalath_env.core.position import Position


class Patient:
    """Thinks until it is stopped, and then plays the last legal action."""

    name = "patient"

    def __init__(self, seed: int | None) -> None:
        """Take the seed that every agent gets."""

    def act(self, position: Position) -> int:
        """Return the first legal action."""
        return position.legal_actions()[0]

    def act_within(self, position: Position, limits: Limits) -> int:
        """Wait for `stop` unless the size of the search is limited."""
        if limits.nodes is None:
            assert limits.stop is not None
            limits.stop.wait()
        return position.legal_actions()[-1]


class Told:
    """Tells how it was made and with which limits it is asked, as its analysis."""

    name = "told"

    def __init__(self, seed: int, step: int = 1, loud: bool = False) -> None:
        """Take a seed and options."""
        if step < 1:
            raise ValueError(f"agent 'told': step must be at least 1, not {step}")
        self.seed, self.step = seed, step
        self.asked = 0

    def act(self, position: Position) -> int:
        """Never called, as there is an analysis."""
        raise AssertionError

    def analyze(
        self, position: Position, limits: Limits | None = None, *, lines: int = 1
    ) -> Analysis:
        """Return a line whose numbers are those of the seed, the option and the limits.

        The depth is how often it was asked since it was made, times the step.
        """
        assert limits is not None
        self.asked += self.step
        action = position.legal_actions()[self.seed]
        after = position.play(action)
        variation = (action, after.legal_actions()[0])
        time = limits.seconds_for(position.to_move)
        nodes = limits.nodes or (0 if time > 1e6 else round(1000 * time))
        if limits.depth is not None:
            winner = position.to_move if limits.depth % 2 else 1 - position.to_move
            line = Line(variation, 1.0, winner=winner, plies=limits.depth)
        else:
            line = Line(variation, 0.5)
        return Analysis((line,), nodes, self.asked)


def failing(position: Position) -> int:
    """Raise an error."""
    raise RuntimeError("no idea")


def illegal(position: Position) -> str:
    """Return a move that is never legal in a start position."""
    return "swap"


def loud(position: Position) -> int:
    """Print before it plays, by Python and by the system."""
    print("bestmove a1")
    sys.stdout.flush()
    os.write(1, b"bestmove a2\n")
    os.system("echo bestmove a3")
    return position.legal_actions()[0]
