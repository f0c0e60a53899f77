"""Statistics of games: who wins, how long they last, how many legal actions there are."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable

from mammalath_env.arena.records import UNFINISHED, GameRecord
from mammalath_env.core.extras import load

CONFIDENCE = 0.95
"""The probability that an interval holds the true value."""

SWAP = "swap"
"""The text of the move by which the second player swaps, in games that have one."""


@dataclasses.dataclass(frozen=True)
class Share:
    """A share of games.

    Attributes:
        count: The games that are counted.
        total: All games, at least 1.
    """

    count: int
    total: int

    @property
    def value(self) -> float:
        """The share, from 0 to 1."""
        return self.count / self.total

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of its 95% confidence interval, by Wilson (1927).

        Raises:
            ImportError: statsmodels is not installed.
        """
        proportion = load("statsmodels.stats.proportion")
        low, high = proportion.proportion_confint(
            self.count, self.total, alpha=1 - CONFIDENCE, method="wilson"
        )
        return float(low), float(high)


@dataclasses.dataclass(frozen=True)
class GameStatistics:
    """Statistics of a set of games.

    Attributes:
        num_games: Finished games, to which all other attributes refer.
        num_unfinished: Games that were stopped before their end.
        first_player_wins: Won by the player who moved first.
        draws: Drawn.
        mean_plies: Mean length in plies.
        min_plies: Length of the shortest game.
        max_plies: Length of the longest game.
        mean_branching: Legal actions per ply, the mean over all plies of all games.
        swaps: Games with a swap.
        first_player_wins_after_swap: Of those, won by the player who moved first; None without any.
        first_player_wins_without_swap: Of the others, likewise.
        terminations: Games by the reason of their end, most frequent first.
    """

    num_games: int
    num_unfinished: int
    first_player_wins: Share
    draws: Share
    mean_plies: float
    min_plies: int
    max_plies: int
    mean_branching: float
    swaps: Share
    first_player_wins_after_swap: Share | None
    first_player_wins_without_swap: Share | None
    terminations: dict[str, Share]


def summarize(records: Iterable[GameRecord]) -> GameStatistics:
    """Return the statistics of games.

    Every game is replayed. Forfeited games count like others.

    Raises:
        ValueError: No game is finished, or they are of several games.
        RecordError: A move is not possible.
    """
    given = list(records)
    finished = [record for record in given if record.reason != UNFINISHED]
    if not finished:
        raise ValueError("there is no finished game to look at")
    _check_one_game(finished)
    total = len(finished)
    plies = [len(record.moves) for record in finished]
    choices = sum(
        len(position.legal_actions())
        for record in finished
        for position, action in record.replay()
        if action is not None
    )
    swapped = [SWAP in record.moves for record in finished]
    first_wins = [record.winner == record.first_player for record in finished]
    reasons = collections.Counter(record.reason for record in finished)
    return GameStatistics(
        num_games=total,
        num_unfinished=len(given) - total,
        first_player_wins=Share(sum(first_wins), total),
        draws=Share(sum(record.is_draw for record in finished), total),
        mean_plies=sum(plies) / total,
        min_plies=min(plies),
        max_plies=max(plies),
        mean_branching=choices / max(sum(plies), 1),
        swaps=Share(sum(swapped), total),
        first_player_wins_after_swap=_wins_where(first_wins, swapped, True),
        first_player_wins_without_swap=_wins_where(first_wins, swapped, False),
        terminations={reason: Share(count, total) for reason, count in reasons.most_common()},
    )


def _check_one_game(records: list[GameRecord]) -> None:
    if len({record.game for record in records}) > 1:
        raise ValueError("statistics are for one game: the records are of several")


def _wins_where(first_wins: list[bool], swapped: list[bool], wanted: bool) -> Share | None:
    wins = [won for won, swap in zip(first_wins, swapped, strict=True) if swap == wanted]
    return Share(sum(wins), len(wins)) if wins else None


def summarize_by_players(
    records: Iterable[GameRecord],
) -> dict[tuple[str, str], GameStatistics]:
    """Return the statistics of the games of each pair of agents.

    Args:
        records: Games of one game, each of which is counted once.

    Returns:
        Statistics by the names of the two agents in alphabetical order, which are the same where
        an agent played itself. Pairs without a finished game are left out.

    Raises:
        ValueError: The records are of several games.
        RecordError: A move is not possible.
    """
    groups: dict[tuple[str, str], list[GameRecord]] = {}
    given = list(records)
    _check_one_game(given)
    for record in given:
        one, other = sorted(record.players)
        groups.setdefault((one, other), []).append(record)
    return {
        players: summarize(group)
        for players, group in groups.items()
        if any(record.reason != UNFINISHED for record in group)
    }
