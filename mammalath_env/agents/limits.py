"""Limits of a single move: time, clocks, and the size of a search."""

from __future__ import annotations

import dataclasses
import math
import threading
import time
from typing import TypeVar

from mammalath_env.core.checks import checked_integer, checked_number

_Number = TypeVar("_Number", int, float)

# An agent plans for this many more moves of its own, so that its time never runs out.
_MOVES_AHEAD = 20
# The share of an increment that is spent at once.
_OF_INCREMENT = 0.75
# The most that a single move takes of what is left.
_MOST_OF_REST = 0.5
# Seconds for all that is not search.
_OVERHEAD = 0.02
# Seconds that a move takes however little is planned for it, if that much is left.
_LEAST = 0.001


@dataclasses.dataclass(frozen=True)
class Clock:
    """The time that two players have left, in seconds.

    Attributes:
        remaining: Of player 0 and player 1, before the move.
        increment: What player 0 and player 1 get for each move.
    """

    remaining: tuple[float, float]
    increment: tuple[float, float] = (0.0, 0.0)

    def budget(self, player: int) -> float:
        """Return how many seconds an agent should take for a move of `player`.

        It is at most half of what is left.
        """
        left = self.remaining[player]
        most = _MOST_OF_REST * left
        planned = left / _MOVES_AHEAD + _OF_INCREMENT * self.increment[player]
        return max(min(planned, most) - _OVERHEAD, min(_LEAST, most))


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a single move may take; what is not given is not limited.

    Limits that an agent was made with hold too. Its default limit does not.

    Attributes:
        seconds: Time for the move.
        clock: The clocks of the game; the agent decides how much of its time it takes.
        nodes: Simulations or positions of the search, whatever the agent counts.
        depth: Plies of the search, for agents that search by depth.
        is_infinite: Whether to search until `stop` is set.
        stop: Set to end the search early; the agent then plays the best move that it has.
        timeout: Seconds after which an agent in another process is given up; None for never.
    """

    seconds: float | None = None
    clock: Clock | None = None
    nodes: int | None = None
    depth: int | None = None
    is_infinite: bool = False
    stop: threading.Event | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            TypeError: One has the wrong type.
            ValueError: One is out of range.
        """
        for name in ("seconds", "timeout"):
            value = getattr(self, name)
            if value is not None:
                checked_number(name, value, above=0)
        for name in ("nodes", "depth"):
            value = getattr(self, name)
            if value is not None:
                checked_integer(name, value, 1)

    @property
    def has_any(self) -> bool:
        """Whether anything is limited, or the search is to be infinite."""
        given = (self.seconds, self.clock, self.nodes, self.depth)
        return self.is_infinite or any(value is not None for value in given)

    @property
    def is_stopped(self) -> bool:
        """Whether somebody has asked to end the search."""
        return self.stop is not None and self.stop.is_set()

    def seconds_for(self, player: int) -> float:
        """Return the time for a move of `player`, infinite if there is no limit."""
        seconds = math.inf if self.seconds is None else self.seconds
        return seconds if self.clock is None else min(seconds, self.clock.budget(player))

    def deadline_for(self, player: int) -> float:
        """Return when a move of `player` that begins now must end, by `time.perf_counter`."""
        return time.perf_counter() + self.seconds_for(player)


NO_LIMITS = Limits()
"""Nothing is limited but by the agent itself."""


def combined_limits(given: Limits, own: Limits, default: Limits) -> Limits:
    """Return what a search has to obey.

    Args:
        given: The limits of the move.
        own: Those that the agent was made with: seconds, nodes and depth. Of two limits of a kind
            the smaller one holds.
        default: The nodes or the depth that hold where nothing else does. An agent whose default is
            no depth does not search by depth, and that of `given` is ignored.
    """
    combined = dataclasses.replace(
        given,
        seconds=_smaller(given.seconds, own.seconds),
        nodes=_smaller(given.nodes, own.nodes),
        depth=None if default.depth is None else _smaller(given.depth, own.depth),
    )
    if combined.has_any:
        return combined
    return dataclasses.replace(combined, nodes=default.nodes, depth=default.depth)


def _smaller(one: _Number | None, other: _Number | None) -> _Number | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
