"""Tournaments: round robins and gauntlets."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from mammalath_env.arena.decoding import decode
from mammalath_env.arena.match import RunOptions, run_plans
from mammalath_env.arena.plan import MatchPlan
from mammalath_env.arena.results import MatchMembers, MatchResult, SeatResult
from mammalath_env.arena.specs import NAME_THEM, AgentSpec, check_contestants
from mammalath_env.arena.time_control import UNTIMED, TimeControl
from mammalath_env.core.checks import unknown_choice
from mammalath_env.core.game import Game
from mammalath_env.games import checked_game

if TYPE_CHECKING:
    from rich.table import Table
    from typing_extensions import Unpack

FORMAT = 3
"""The version of the format of tournaments, the member ``format`` of their JSON."""

FORMATS = (1, 2, FORMAT)
"""The versions that are read."""


@dataclasses.dataclass(frozen=True)
class Tournament:
    """The results of a tournament.

    Attributes:
        matches: One for each pair of agents that met.
    """

    matches: tuple[MatchResult, ...]

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of all agents, in the order in which the matches name them."""
        names = itertools.chain.from_iterable(match.agents for match in self.matches)
        return tuple(dict.fromkeys(names))

    def between(self, agent: str, opponent: str) -> MatchResult:
        """Return the match of two agents with `agent` as the first.

        Raises:
            ValueError: They have not played each other.
        """
        for match in self.matches:
            if match.agents == (agent, opponent):
                return match
            if match.agents == (opponent, agent):
                return match.reversed()
        pairs = [match.agents for match in self.matches]
        raise ValueError(unknown_choice("match", (agent, opponent), pairs))

    def total(self, agent: str) -> SeatResult:
        """Return the wins, draws and losses of an agent in all its matches.

        Raises:
            ValueError: It has played none.
        """
        if agent not in self.agents:
            raise ValueError(unknown_choice("agent", agent, self.agents))
        total = SeatResult()
        for match in self.matches:
            if match.agents[0] == agent:
                total += match.total
            elif match.agents[1] == agent:
                total += match.total.reversed()
        return total

    def to_json(self) -> str:
        """Return the tournament as JSON text."""
        data = {"format": FORMAT, "matches": [match.to_data() for match in self.matches]}
        return json.dumps(data, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Tournament:
        """Return the tournament that `to_json` wrote, in this version or an older one.

        Raises:
            ValueError: `to_json` cannot have written `text`; the message says why.
        """
        members = decode(text, _TournamentMembers, FORMATS)
        return cls(tuple(match.to_result() for match in members.matches))

    def render(self) -> Table:
        """Return a table for a terminal, one row for each match.

        Wins, draws and losses (+ = -) are those of the agent that is named first: in all games,
        where it moved first, and where it moved second. The score has its 95% interval below it
        (`MatchResult.estimates`), unless all pairs of games have the same score. Forfeits of the
        two are shown if there are any, with their reasons below the table. In a terminal of less
        than some 70 columns print it with ``crop=False``.
        """
        from mammalath_env.arena.tables import render_matches

        return render_matches(self.matches)


class _TournamentMembers(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    matches: tuple[MatchMembers, ...]


def round_robin(
    game: str | Game,
    specs: Sequence[AgentSpec],
    num_deals: int,
    *,
    seed: int,
    time_control: TimeControl = UNTIMED,
    **options: Unpack[RunOptions],
) -> Tournament:
    """Let every agent play a match against every other agent.

    All matches have the same deals, and each is what `play_match` gives for the same seed.

    Args:
        game: What to play, a game or the name of one.
        specs: Two agents or more, whose names all differ.
        num_deals: Deals for each pair; each is played twice, with seats swapped.
        seed: From 0 to 2**64 - 1.
        time_control: The time that the agents have.
        **options: How the games are run and recorded, as for `play_match`; one file holds the
            games of all matches.

    Raises:
        ValueError: There are fewer than two agents, or two of the same name.
        PackageFaultError: An agent of the package failed, which is a bug.
        MemoryError, OSError: The machine failed. Other errors are those of `play_match` too.
    """
    plans = plan_round_robin(game, specs, num_deals, seed, time_control)
    return _play(plans, options)


def plan_round_robin(
    game: str | Game,
    specs: Sequence[AgentSpec],
    num_deals: int,
    seed: int,
    time_control: TimeControl = UNTIMED,
) -> list[MatchPlan]:
    """Return the matches of `round_robin`, and build no agent.

    Raises:
        TypeError: A value has the wrong type, or an agent no name.
        ValueError: As for `round_robin`.
    """
    pairs = list(itertools.combinations(specs, 2))
    return _plans(game, pairs, num_deals, seed, time_control)


def gauntlet(
    game: str | Game,
    challenger: AgentSpec,
    specs: Sequence[AgentSpec],
    num_deals: int,
    *,
    seed: int,
    time_control: TimeControl = UNTIMED,
    **options: Unpack[RunOptions],
) -> Tournament:
    """Let `challenger` play a match, as the first agent, against each of `specs`.

    There may be a single opponent. The other arguments and the errors are those of `round_robin`.
    """
    pairs = [(challenger, spec) for spec in specs]
    plans = _plans(game, pairs, num_deals, seed, time_control)
    return _play(plans, options)


def _plans(
    game: str | Game,
    pairs: list[tuple[AgentSpec, AgentSpec]],
    num_deals: int,
    seed: int,
    time_control: TimeControl,
) -> list[MatchPlan]:
    """Return a match between the two agents of each pair."""
    if not pairs:
        raise ValueError("a tournament needs at least two agents")
    game = checked_game(game, {})
    plans = [MatchPlan(game, pair, num_deals, seed, time_control) for pair in pairs]
    seen: set[frozenset[str]] = set()
    for plan in plans:
        names = frozenset(plan.agents)
        if len(names) == 1 or names in seen:
            raise ValueError(
                f"agents of a tournament must have different names: {plan.agents[1]!r} is there "
                f"twice; if they are different, {NAME_THEM}"
            )
        seen.add(names)
    return plans


def _play(plans: list[MatchPlan], options: RunOptions) -> Tournament:
    """Check every agent once, and play the matches."""
    check_contestants((spec for plan in plans for spec in plan.specs), plans[0].game)
    return Tournament(tuple(run_plans(plans, **options)))
