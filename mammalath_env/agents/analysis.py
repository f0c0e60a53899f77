"""What an agent thinks of the moves of a position."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from mammalath_env.agents.limits import Limits
    from mammalath_env.core.position import Position


@dataclasses.dataclass(frozen=True)
class Line:
    """A move, and how the game may go on after it.

    Attributes:
        variation: The actions of the line, the move first; at least one.
        value: Value of the move for the player to move, from -1 to 1.
        visits: Simulations that went through the move, or None if the agent does not count them.
        winner: The proven winner after the move, 0, 1 or 2 for a draw, or None.
        plies: Plies from the position to the end by the proof, the move included, or None.
    """

    variation: tuple[int, ...]
    value: float
    visits: int | None = None
    winner: int | None = None
    plies: int | None = None

    @property
    def action(self) -> int:
        """The move."""
        return self.variation[0]


@dataclasses.dataclass(frozen=True)
class Analysis:
    """What an agent found out about a running position.

    Attributes:
        lines: The best moves, best first; the first is what the agent would play. Of moves that
            lead to the same position, or to one that is the same by a symmetry of the game, only
            the best one is there.
        nodes: Simulations or positions of the search.
        depth: Plies that were searched in full, or the length of the longest variation.
    """

    lines: tuple[Line, ...]
    nodes: int
    depth: int


@runtime_checkable
class Analyst(Protocol):
    """An agent that tells what it thinks of moves."""

    name: str

    def analyze(
        self, position: Position, limits: Limits | None = None, *, lines: int = 1
    ) -> Analysis:
        """Return the best moves of a running position.

        Args:
            position: Where the game is not over.
            limits: What the search may take besides the agent's own limits.
            lines: How many moves, at least 1; there may be fewer.

        Raises:
            GameOverError: The game is over.
        """
