"""Results of matches: added up from their games, and as JSON."""

from __future__ import annotations

import collections
import dataclasses
import operator
from collections.abc import Mapping
from typing import Any

import msgspec

from mammalath_env.arena.decoding import DecodingError
from mammalath_env.arena.pairs import PAIR_SCORES, PairCounts, PairEstimates, estimate
from mammalath_env.arena.plan import MatchPlan
from mammalath_env.arena.records import (
    AGENT_FAILED,
    OUT_OF_TIME,
    GameMembers,
    GameRecord,
    Whole,
    members_of,
)
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game


@dataclasses.dataclass(frozen=True)
class SeatResult:
    """The wins, draws and losses of an agent in one seat, moving first or second."""

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
        """Return the result from the opponent's point of view."""
        return SeatResult(self.losses, self.draws, self.wins)


@dataclasses.dataclass(frozen=True)
class MatchResult:
    """The result of a match.

    Attributes:
        game: What was played.
        agents: Names of the first and the second agent.
        seed: Seed of the match.
        moving_first: Results of the first agent in the games where it moved first.
        moving_second: Its results where it moved second.
        plies: Length of every game in plies, by the index of the game.
        forfeits: Games that the first and the second agent lost by an illegal move or an error;
            they are among the losses too.
        forfeit_reasons: Why, for each of the two: how many games by the description of the error,
            or by ``"illegal move"``; most frequent first.
        pairs: Pentanomial counts: how many pairs of games, the two of one deal, have each of
            `PAIR_SCORES` for the first agent; None in results of older versions.
    """

    game: Game
    agents: tuple[str, str]
    seed: int
    moving_first: SeatResult
    moving_second: SeatResult
    plies: tuple[int, ...]
    forfeits: tuple[int, int]
    forfeit_reasons: tuple[Mapping[str, int], Mapping[str, int]] = dataclasses.field(
        default_factory=lambda: ({}, {}), hash=False
    )
    pairs: PairCounts | None = None

    @property
    def total(self) -> SeatResult:
        """Results of the first agent in both seats."""
        return self.moving_first + self.moving_second

    @property
    def num_games(self) -> int:
        """Games of the match, two for each deal."""
        return len(self.plies)

    @property
    def mean_plies(self) -> float:
        """Mean length of a game in plies."""
        return sum(self.plies) / max(len(self.plies), 1)

    @property
    def estimates(self) -> PairEstimates | None:
        """How much stronger the first agent is.

        None without `pairs`, or if all have the same score, which says nothing of their variance.
        """
        several = self.pairs is not None and max(self.pairs) < sum(self.pairs)
        return estimate(self.pairs) if self.pairs and several else None

    def reversed(self) -> MatchResult:
        """Return the result from the second agent's point of view."""
        return dataclasses.replace(
            self,
            agents=self.agents[::-1],
            moving_first=self.moving_second.reversed(),
            moving_second=self.moving_first.reversed(),
            forfeits=self.forfeits[::-1],
            forfeit_reasons=self.forfeit_reasons[::-1],
            pairs=None if self.pairs is None else self.pairs[::-1],
        )

    def to_data(self) -> dict[str, Any]:
        """Return the result as plain values, for JSON."""
        return {
            **members_of(vars(self)),
            "moving_first": dataclasses.asdict(self.moving_first),
            "moving_second": dataclasses.asdict(self.moving_second),
        }


class _SeatMembers(msgspec.Struct, forbid_unknown_fields=True):
    wins: Whole
    draws: Whole
    losses: Whole


class MatchMembers(GameMembers):
    """The members of a JSON object that `MatchResult.to_data` described.

    Older ones have wins, draws and losses without names, no reasons of forfeits and no pairs.
    """

    agents: tuple[str, str]
    seed: Whole
    moving_first: _SeatMembers | tuple[Whole, Whole, Whole]
    moving_second: _SeatMembers | tuple[Whole, Whole, Whole]
    plies: tuple[Whole, ...]
    forfeits: tuple[Whole, Whole]
    forfeit_reasons: tuple[dict[str, Whole], dict[str, Whole]] = ({}, {})
    pairs: tuple[Whole, Whole, Whole, Whole, Whole] | None = None

    def to_result(self) -> MatchResult:
        """Return the result.

        Raises:
            DecodingError: There is no such game, or the numbers contradict each other.
        """
        first, second = (
            SeatResult(*seat if isinstance(seat, tuple) else msgspec.structs.astuple(seat))
            for seat in (self.moving_first, self.moving_second)
        )
        if not first.num_games == second.num_games == len(self.plies) / 2:
            raise DecodingError("the games of the two seats and the game lengths do not add up")
        total = first + second
        if self.forfeits[0] > total.losses or self.forfeits[1] > total.wins:
            raise DecodingError("there are more forfeits than lost games")
        for number, reasons in zip(self.forfeits, self.forfeit_reasons, strict=True):
            if sum(reasons.values()) > number:
                raise DecodingError("there are more reasons of forfeits than forfeits")
        if self.pairs is not None:
            points = 2 * sum(map(operator.mul, PAIR_SCORES, self.pairs))
            if sum(self.pairs) != first.num_games or points != total.wins + total.draws / 2:
                raise DecodingError("the pairs and the games of the two seats do not add up")
        return MatchResult(
            self.make_game(),
            self.agents,
            self.seed,
            first,
            second,
            self.plies,
            self.forfeits,
            self.forfeit_reasons,
            self.pairs,
        )


@dataclasses.dataclass(frozen=True)
class GameScore:
    """The part of a game that counts for the result of a match.

    Attributes:
        winner: 0 if the first agent won, 1 if the second, None for a draw.
        offender: Which of the two lost by an illegal move or an error, or None.
        forfeit: Why it lost, as a key of `MatchResult.forfeit_reasons`.
        plies: The length of the game.
    """

    winner: int | None
    offender: int | None
    forfeit: str
    plies: int

    @property
    def half_points(self) -> int:
        """Half points of the first agent: 2 for a win, 1 for a draw."""
        return 1 if self.winner is None else 2 - 2 * self.winner


def score_of(record: GameRecord) -> GameScore:
    """Return the score of one game of a match."""
    assert record.match is not None
    # The player that the first agent of the match played.
    first = record.first_player ^ (record.match.index % 2)
    return GameScore(
        winner=None if record.winner is None else record.winner ^ first,
        offender=None if record.offender is None else record.offender ^ first,
        forfeit=_reason_of(record),
        plies=len(record.moves),
    )


def _reason_of(record: GameRecord) -> str:
    """Return why a game was forfeited, in words that games forfeited alike have in common."""
    if record.reason == OUT_OF_TIME:
        return record.reason
    detail = record.detail or ""
    # This description has the move and the position in it.
    is_illegal = record.reason != AGENT_FAILED and detail.startswith(IllegalMoveError.__name__)
    return record.reason if is_illegal or not detail else detail


def pair_class(scores: Mapping[int, GameScore], deal: int) -> int | None:
    """Return which of `PAIR_SCORES` the games of a deal have, or None if one is missing.

    Args:
        scores: The games that are finished, by their index.
        deal: The number of the deal.
    """
    one, other = scores.get(2 * deal), scores.get(2 * deal + 1)
    return None if one is None or other is None else one.half_points + other.half_points


def result_of(plan: MatchPlan, scores: Mapping[int, GameScore]) -> MatchResult:
    """Return the result of a match from the scores of all its games, by their index."""
    seats = []
    for parity in (0, 1):
        winners = [scores[index].winner for index in range(parity, plan.num_games, 2)]
        seats.append(SeatResult(winners.count(0), winners.count(None), winners.count(1)))
    # In the order of the games, not in that in which they were finished.
    played = [scores[index] for index in range(plan.num_games)]
    reasons = [
        collections.Counter(score.forfeit for score in played if score.offender == agent)
        for agent in (0, 1)
    ]
    pairs = collections.Counter(pair_class(scores, deal) for deal in range(plan.num_deals))
    return MatchResult(
        game=plan.game,
        agents=plan.agents,
        seed=plan.seed,
        moving_first=seats[0],
        moving_second=seats[1],
        plies=tuple(score.plies for score in played),
        forfeits=(reasons[0].total(), reasons[1].total()),
        forfeit_reasons=(dict(reasons[0].most_common()), dict(reasons[1].most_common())),
        pairs=(pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]),
    )
