"""Agents for tests: some that are weak on purpose, and some that break the rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mammalath_env.agents import Agent, RandomAgent
from mammalath_env.core.position import Position


class BadAgent(RandomAgent):
    """Plays at random, and misbehaves at its third move.

    Attributes:
        name: ``"bad"``.
    """

    name = "bad"

    def __init__(self, misbehave: Callable[[], Any], seed: int = 0, moves_before: int = 2) -> None:
        """Store what to do after how many moves."""
        super().__init__(seed)
        self._misbehave = misbehave
        self._left = moves_before

    def act(self, position: Position) -> int:
        """Return a legal action, or what misbehaving returns."""
        self._left -= 1
        if self._left >= 0:
            return super().act(position)
        answer: int = self._misbehave()
        return answer


def fail() -> int:
    """Raise an error."""
    raise RuntimeError("out\nof order")


def failing(seed: int) -> Agent:
    """Return an agent that fails at its third move."""
    return BadAgent(fail, seed)


def cheating(seed: int) -> Agent:
    """Return an agent that answers -1 at its third move."""
    return BadAgent(lambda: -1, seed)


class FirstAgent:
    """Plays the first legal action.

    Attributes:
        name: ``"first"``.
    """

    name = "first"

    def __init__(self, seed: int) -> None:
        """Take a seed, like other factories."""

    def act(self, position: Position) -> int:
        """Return the first legal action."""
        return position.legal_actions()[0]


class LastAgent(FirstAgent):
    """Plays the last legal action: the swap of Mammalath whenever it may.

    Attributes:
        name: ``"last"``.
    """

    name = "last"

    def act(self, position: Position) -> int:
        """Return the last legal action."""
        return position.legal_actions()[-1]
