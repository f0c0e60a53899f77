"""Opponents for people, from one who has just learnt the rules to a strong one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mammalath_env.agents.agent import require_running
from mammalath_env.agents.limits import NO_LIMITS, Limits
from mammalath_env.agents.mcts import MCTSAgent
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.position import Position
from mammalath_env.core.stream import new_stream

NUM_LEVELS = 10

DEFAULT_LEVEL = 3


class Level(NamedTuple):
    """Options of the tree search of one level; see `MCTSAgent`.

    Attributes:
        simulations: For each move.
        temperature: Of the choice of a move by its visits; 0 plays the best.
        prior_visits: What the evaluation counts as.
        playouts: By which agent.
    """

    simulations: int
    temperature: float
    prior_visits: int
    playouts: str


LEVELS: dict[str, tuple[Level, ...]] = {
    "mammalath": (
        Level(4, 1.0, 0, "random"),
        Level(100, 0.65, 0, "random"),
        Level(1000, 0.1, 0, "random"),
        Level(400, 20.0, 1, "random"),
        Level(100, 0.7, 3, "random"),
        Level(200, 0.5, 40, "random"),
        Level(80, 0.5, 60, "greedy"),
        Level(200, 0.2, 60, "greedy"),
        Level(400, 0.0, 60, "greedy"),
        Level(4000, 0.0, 60, "greedy"),
    ),
    "mammalath_plus": (
        Level(4, 1.0, 0, "random"),
        Level(150, 0.5, 0, "random"),
        Level(2000, 0.2, 0, "random"),
        Level(100, 8.0, 1, "random"),
        Level(100, 1.0, 3, "random"),
        Level(120, 0.6, 20, "random"),
        Level(50, 0.8, 60, "greedy"),
        Level(100, 0.3, 60, "greedy"),
        Level(250, 0.0, 60, "greedy"),
        Level(1000, 0.0, 60, "greedy"),
    ),
    "mancala": (
        Level(5, 1.0, 0, "random"),
        Level(20, 1.0, 0, "random"),
        Level(60, 0.7, 0, "random"),
        Level(200, 0.5, 0, "random"),
        Level(1000, 0.3, 0, "random"),
        Level(8, 8.0, 60, "greedy"),
        Level(10, 1.0, 60, "greedy"),
        Level(25, 0.5, 60, "greedy"),
        Level(60, 0.2, 60, "greedy"),
        Level(600, 0.0, 60, "greedy"),
    ),
}
"""The levels of each game, weakest first, 80 Elo or more apart; see ``docs/strength.md``."""

OTHER_GAMES = LEVELS["mammalath_plus"]
"""The levels of all other games; how far they are apart depends on the game."""


class LevelAgent:
    """Plays at one of `NUM_LEVELS` levels, by a tree search of the size for that level and game.

    Low levels search little and choose at random among the moves that they have looked at, the
    better ones more often; they win at once where they can.
    """

    name = "level"
    last_value: float | None = None

    def __init__(
        self, seed: int | np.random.Generator | None = None, *, number: int = DEFAULT_LEVEL
    ) -> None:
        """Set the level.

        Args:
            seed: Seed of all draws.
            number: The level, from 1, the weakest, to 10.

        Raises:
            TypeError: `number` is not an integer.
            ValueError: There is no such level.
        """
        self._number = checked_integer("number", number, 1, NUM_LEVELS)
        self._seed = int(new_stream(seed)[0])
        self._game_name = ""
        self._search = MCTSAgent(self._seed)

    def act(self, position: Position) -> int:
        """See `Agent.act`."""
        return self.act_within(position, NO_LIMITS)

    def act_within(self, position: Position, limits: Limits) -> int:
        """See `mammalath_env.agents.agent.act_within`."""
        search = self._searching(position)
        action = search.act_within(position, limits)
        self.last_value = search.last_value
        return action

    def _searching(self, position: Position) -> MCTSAgent:
        """Return the search for the game of a position, the same one throughout a game."""
        require_running(position)
        name = position.game.name
        if name != self._game_name:
            level = LEVELS.get(name, OTHER_GAMES)[self._number - 1]
            self._search = MCTSAgent(self._seed, **level._asdict())
            self._game_name = name
        return self._search
