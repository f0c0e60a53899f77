"""Matches that are to be played, as values: every game follows from the plan and its index."""

from __future__ import annotations

import dataclasses
import zlib

from mammalath_env.agents import require_plays
from mammalath_env.arena.play import (
    AgentSpec,
    GameSeeds,
    build_agent,
    checked_seed,
    name_of,
    play_from,
    try_to_build,
)
from mammalath_env.arena.records import GameRecord, MatchPlace
from mammalath_env.arena.results import MatchResult, SeatResult
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.stream import derive_seeds


@dataclasses.dataclass(frozen=True)
class MatchPlan:
    """A match that is to be played. Each game depends on the plan and its index only.

    Attributes:
        game: What to play.
        specs: The first and the second agent.
        num_deals: Deals; there are twice as many games.
        seed: The deals depend on it and on their number, the agents' seeds on the names of the
            agents too.
    """

    game: Game
    specs: tuple[AgentSpec, AgentSpec]
    num_deals: int
    seed: int

    def __post_init__(self) -> None:
        """Check the plan. Every agent is made once, with seed 0.

        Raises:
            TypeError: A value has the wrong type.
            ValueError: There is no such agent, it cannot play the game, or a number is impossible.
            ImportError: An agent needs a library that is not installed.
            Exception: What else the factory or constructor of an agent raises.
        """
        checked_integer("num_deals", self.num_deals, 1)
        checked_seed(self.seed)
        for spec in self.specs:
            name_of(spec)
            if not isinstance(spec, (str, type)) and hasattr(spec, "act"):
                raise TypeError(
                    f"a match makes its agents anew for every game: give a text or a callable "
                    f"from a seed to an agent, not the agent {spec!r}"
                )
            require_plays(build_agent(spec, 0)[0], self.game)

    @property
    def agents(self) -> tuple[str, str]:
        """The names of the agents."""
        return name_of(self.specs[0]), name_of(self.specs[1])

    @property
    def num_games(self) -> int:
        """Games of the match."""
        return 2 * self.num_deals

    def start(self, index: int) -> Position:
        """Return the start position of a game."""
        return self.game.deal(self._deal_seed(index))

    def _deal_seed(self, index: int) -> int:
        return derive_seeds(self.seed, 1, index // 2)[0]

    def play(self, index: int) -> GameRecord:
        """Play one game, which an agent that cannot be made loses."""
        start = self.start(index)
        # Seeds by seat in the match, so that an agent has its seed whatever player it is.
        names = zlib.crc32("\n".join(self.agents).encode("utf-8", "backslashreplace"))
        seeds = derive_seeds(self.seed, 2, index // 2, 1 + index % 2, names)
        one, other = _agents_by_player(start, index)
        return play_from(
            start,
            (
                try_to_build(self.specs[one], seeds[one]),
                try_to_build(self.specs[other], seeds[other]),
            ),
            players=(self.agents[one], self.agents[other]),
            seeds=GameSeeds(self._deal_seed(index), (seeds[one], seeds[other])),
            place=MatchPlace(self.agents, self.seed, index),
        )

    def matches(self, record: GameRecord) -> bool:
        """Return whether `record` has the start and the players of its game in this match."""
        assert record.match is not None
        start = self.start(record.match.index)
        one, other = _agents_by_player(start, record.match.index)
        players = (self.agents[one], self.agents[other])
        return record.start == start.to_text() and record.players == players


def _agents_by_player(start: Position, index: int) -> tuple[int, int]:
    """Return which agent of the match, 0 or 1, plays player 0, and which plays player 1."""
    return (0, 1) if start.to_move == index % 2 else (1, 0)


@dataclasses.dataclass(frozen=True)
class GameScore:
    """What a match keeps of a game.

    Attributes:
        winner: 0 if the first agent won, 1 if the second, None for a draw.
        offender: Which of the two lost by an illegal move or an error, or None.
        plies: The length of the game.
    """

    winner: int | None
    offender: int | None
    plies: int


def score_of(record: GameRecord) -> GameScore:
    """Return what a match keeps of one of its games."""
    assert record.match is not None
    # The player that the first agent of the match played.
    first = record.first_player ^ (record.match.index % 2)
    return GameScore(
        winner=None if record.winner is None else record.winner ^ first,
        offender=None if record.offender is None else record.offender ^ first,
        plies=len(record.moves),
    )


def result_of(plan: MatchPlan, scores: dict[int, GameScore]) -> MatchResult:
    """Return the result of a match whose games are all played, by their index."""
    seats = []
    for parity in (0, 1):
        winners = [scores[index].winner for index in range(parity, plan.num_games, 2)]
        seats.append(SeatResult(winners.count(0), winners.count(None), winners.count(1)))
    offenders = [score.offender for score in scores.values()]
    return MatchResult(
        game=plan.game,
        agents=plan.agents,
        seed=plan.seed,
        moving_first=seats[0],
        moving_second=seats[1],
        plies=tuple(scores[index].plies for index in range(plan.num_games)),
        forfeits=(offenders.count(0), offenders.count(1)),
    )
