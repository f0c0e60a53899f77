"""Agents for tests of analyses: they know what they are told, and no more."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from mammalath_env.agents.analysis import Analysis, Line
from mammalath_env.agents.limits import Limits
from mammalath_env.core.position import Position


class Oracle:
    """Says of some positions what it is told, and of all others that the first move is even.

    Attributes:
        name: ``"oracle"``.
        asked: The positions that it was asked about, and how many lines for each.
    """

    name = "oracle"

    def __init__(self, told: Mapping[Position, Sequence[Line]]) -> None:
        """Store what is told."""
        self._told = told
        self.asked: list[tuple[Position, int]] = []

    def act(self, position: Position) -> int:
        """Return the best action."""
        return self.analyze(position).lines[0].action

    def analyze(
        self, position: Position, limits: Limits | None = None, *, lines: int = 1
    ) -> Analysis:
        """Return the first of the lines that were told."""
        self.asked.append((position, lines))
        even = [Line((position.legal_actions()[0],), 0.0)]
        return Analysis(tuple(self._told.get(position, even))[:lines], 1, 1)


class Waiter(Oracle):
    """Thinks until it is stopped, or all searches are released.

    Attributes:
        name: ``"waiter"``.
        began: Counts the searches that have begun.
        released: Set to end all searches.
    """

    name = "waiter"
    began = threading.Semaphore(0)
    released = threading.Event()

    def __init__(self, seed: int = 0) -> None:
        """Take a seed, like other factories."""
        super().__init__({})

    @classmethod
    def reset(cls) -> None:
        """Forget earlier searches."""
        cls.began = threading.Semaphore(0)
        cls.released = threading.Event()

    def analyze(
        self, position: Position, limits: Limits | None = None, *, lines: int = 1
    ) -> Analysis:
        """Wait, then return the first move."""
        self.began.release()
        while not self.released.wait(0.01):
            if limits is not None and limits.is_stopped:
                break
        return super().analyze(position, limits, lines=lines)


class FirstMoves(Oracle):
    """Says that the first moves are best, each a little better than the next."""

    name = "first moves"

    def __init__(self, seed: int = 0) -> None:
        """Take a seed, like other factories."""
        super().__init__({})

    def analyze(
        self, position: Position, limits: Limits | None = None, *, lines: int = 1
    ) -> Analysis:
        """Return the first moves in order."""
        actions = position.legal_actions()[:lines]
        found = [Line((action,), -0.1 * rank, 10 - rank) for rank, action in enumerate(actions)]
        return Analysis(tuple(found), 10, 1)


class Broken(FirstMoves):
    """Fails when it is asked to analyze."""

    name = "broken"

    def analyze(
        self, position: Position, limits: Limits | None = None, *, lines: int = 1
    ) -> Analysis:
        """Raise an error."""
        raise RuntimeError("out of order")
