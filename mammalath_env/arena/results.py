"""Results of matches."""

from __future__ import annotations

import dataclasses
from typing import Any

from mammalath_env.arena.fields import FieldError, Fields
from mammalath_env.arena.records import read_game
from mammalath_env.core.game import Game


@dataclasses.dataclass(frozen=True)
class SeatResult:
    """What an agent reached in one seat, moving first or second.

    Attributes:
        wins: Games won.
        draws: Games drawn.
        losses: Games lost.
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def num_games(self) -> int:
        """Games in this seat."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 1 for a win and one half for a draw; 0 if there are no games."""
        return (self.wins + self.draws / 2) / max(self.num_games, 1)

    def __add__(self, other: SeatResult) -> SeatResult:
        return SeatResult(
            self.wins + other.wins, self.draws + other.draws, self.losses + other.losses
        )

    def reversed(self) -> SeatResult:
        """Return the same games as the opponent sees them."""
        return SeatResult(self.losses, self.draws, self.wins)


@dataclasses.dataclass(frozen=True)
class MatchResult:
    """The result of a match.

    Attributes:
        game: What was played.
        agents: Names of the first and the second agent.
        seed: Seed of the match.
        moving_first: What the first agent reached where it moved first.
        moving_second: What the first agent reached where it moved second.
        plies: Length of every game in plies, by the index of the game.
        forfeits: Games that the first and the second agent lost by an illegal move or an error;
            they are among the losses too.
    """

    game: Game
    agents: tuple[str, str]
    seed: int
    moving_first: SeatResult
    moving_second: SeatResult
    plies: tuple[int, ...]
    forfeits: tuple[int, int]

    @property
    def total(self) -> SeatResult:
        """What the first agent reached in both seats."""
        return self.moving_first + self.moving_second

    @property
    def num_games(self) -> int:
        """Games of the match, two for each deal."""
        return len(self.plies)

    @property
    def mean_plies(self) -> float:
        """Mean length of a game in plies."""
        return sum(self.plies) / max(len(self.plies), 1)

    def reversed(self) -> MatchResult:
        """Return the same games as the second agent sees them, in the same order."""
        return dataclasses.replace(
            self,
            agents=self.agents[::-1],
            moving_first=self.moving_second.reversed(),
            moving_second=self.moving_first.reversed(),
            forfeits=self.forfeits[::-1],
        )

    def to_data(self) -> dict[str, Any]:
        """Return the result as plain values, for JSON."""
        return {
            "game": self.game.name,
            "options": self.game.options,
            "agents": list(self.agents),
            "seed": self.seed,
            "moving_first": list(dataclasses.astuple(self.moving_first)),
            "moving_second": list(dataclasses.astuple(self.moving_second)),
            "plies": list(self.plies),
            "forfeits": list(self.forfeits),
        }

    @classmethod
    def from_data(cls, data: object) -> MatchResult:
        """Return the result that `to_data` described.

        Raises:
            ValueError: `data` is nothing that `to_data` returns.
        """
        fields = Fields(data, "a match")
        first, second = (
            SeatResult(*fields.wholes(key, 3)) for key in ("moving_first", "moving_second")
        )
        one, other = fields.wholes("forfeits", 2)
        result = cls(
            game=read_game(fields),
            agents=fields.pair_of_texts("agents"),
            seed=fields.whole("seed"),
            moving_first=first,
            moving_second=second,
            plies=fields.wholes("plies"),
            forfeits=(one, other),
        )
        fields.finish()
        if not first.num_games == second.num_games == len(result.plies) / 2:
            raise FieldError("the games of the two seats and the game lengths do not add up")
        if one > result.total.losses or other > result.total.wins:
            raise FieldError("there are more forfeits than lost games")
        return result
