"""Tournaments: everyone against everyone, or one challenger against all."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mammalath_env.arena.fields import Fields, parse_json
from mammalath_env.arena.match import run_plans
from mammalath_env.arena.parallel import DEFAULT_BACKEND
from mammalath_env.arena.plan import MatchPlan
from mammalath_env.arena.play import AgentSpec
from mammalath_env.arena.records import GameRecord
from mammalath_env.arena.results import MatchResult, SeatResult
from mammalath_env.core.checks import unknown_choice
from mammalath_env.core.game import Game
from mammalath_env.games import checked_game

if TYPE_CHECKING:
    from rich.table import Table

FORMAT = 1
"""The version of the format of tournaments, the member ``format`` of their JSON."""


@dataclasses.dataclass(frozen=True)
class Tournament:
    """The results of a tournament.

    Attributes:
        matches: One for each pair that met.
    """

    matches: tuple[MatchResult, ...]

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of all agents, in the order in which the matches name them."""
        names = itertools.chain.from_iterable(match.agents for match in self.matches)
        return tuple(dict.fromkeys(names))

    def between(self, agent: str, opponent: str) -> MatchResult:
        """Return the match of two agents as `agent` sees it.

        Raises:
            ValueError: They have not met.
        """
        for match in self.matches:
            if match.agents == (agent, opponent):
                return match
            if match.agents == (opponent, agent):
                return match.reversed()
        pairs = [match.agents for match in self.matches]
        raise ValueError(unknown_choice("match", (agent, opponent), pairs))

    def total(self, agent: str) -> SeatResult:
        """Return what an agent reached in all its matches.

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
        """Return the tournament that `to_json` wrote.

        Raises:
            ValueError: `text` is nothing that `to_json` writes; the message says why.
        """
        fields = Fields(parse_json(text), "a tournament")
        version = fields.whole("format")
        if version != FORMAT:
            raise ValueError(f"expected tournament format {FORMAT}, not {version}")
        matches = tuple(MatchResult.from_data(data) for data in fields.items("matches"))
        fields.finish()
        return cls(matches)

    def render(self) -> Table:
        """Return a table for a terminal, one row for each match.

        Wins, draws and losses (+ = -) are those of the agent that is named first: in all games,
        where it moved first, and where it moved second. Forfeits of the two are shown if there
        are any. In a terminal of less than some 65 columns print it with ``crop=False``.
        """
        return render_matches(self.matches)


def render_matches(matches: Sequence[MatchResult]) -> Table:
    """Return a table of `matches` for a terminal; see `Tournament.render`."""
    from mammalath_env.arena.tables import NamesTable

    headings = ["agent\nopponent", "games", "score"]
    headings += ["+ = -", "first\n+ = -", "second\n+ = -", "plies"]
    with_forfeits = any(any(match.forfeits) for match in matches)
    if with_forfeits:
        headings.append("forfeits")
    rows = []
    for match in matches:
        seats = (match.total, match.moving_first, match.moving_second)
        row = [
            "\n".join(match.agents),
            str(match.num_games),
            f"{match.total.score:.1%}",
            *(f"{seat.wins} {seat.draws} {seat.losses}" for seat in seats),
            f"{match.mean_plies:.1f}",
        ]
        if with_forfeits:
            row.append(f"{match.forfeits[0]} {match.forfeits[1]}")
        rows.append(row)
    titles = dict.fromkeys(_titled(match.game) for match in matches)
    return NamesTable(headings, rows, ", ".join(titles))


def _titled(game: Game) -> str:
    """Return the title of a game with its options."""
    options = ", ".join(f"{name}={value}" for name, value in game.options.items())
    return f"{game.title} ({options})"


def round_robin(
    game: str | Game,
    specs: Sequence[AgentSpec],
    num_deals: int,
    *,
    seed: int,
    jobs: int = 1,
    backend: str = DEFAULT_BACKEND,
    record_path: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool = False,
    on_record: Callable[[GameRecord], None] | None = None,
) -> Tournament:
    """Let each agent play a match against each other one.

    All matches have the same deals, and each is what `play_match` gives for the same seed.

    Args:
        game: What to play, a game or the name of one.
        specs: Two agents or more, whose names all differ.
        num_deals: Deals for each pair; every deal is played in both seats.
        seed: As for `play_match`, like all that follows.
        jobs: Games at a time.
        backend: A backend of joblib.
        record_path: A file for the games of all matches.
        resume: Whether to go on where the file ends.
        progress: Whether to show a progress bar on standard error.
        on_record: Called with every finished game.

    Raises:
        ValueError: There are fewer than two agents, or two of the same name. Other errors are
            those of `play_match`.
    """
    plans = _plans(game, list(itertools.combinations(specs, 2)), num_deals, seed)
    results = run_plans(
        plans,
        jobs=jobs,
        backend=backend,
        record_path=record_path,
        resume=resume,
        progress=progress,
        on_record=on_record,
    )
    return Tournament(tuple(results))


def gauntlet(
    game: str | Game,
    challenger: AgentSpec,
    specs: Sequence[AgentSpec],
    num_deals: int,
    *,
    seed: int,
    jobs: int = 1,
    backend: str = DEFAULT_BACKEND,
    record_path: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool = False,
    on_record: Callable[[GameRecord], None] | None = None,
) -> Tournament:
    """Let one agent play a match against each of several others.

    Args:
        game: What to play, a game or the name of one.
        challenger: The first agent of every match.
        specs: Its opponents, one or more, whose names all differ.
        num_deals: Deals for each match; every deal is played in both seats.
        seed: As for `play_match`, like all that follows.
        jobs: Games at a time.
        backend: A backend of joblib.
        record_path: A file for the games of all matches.
        resume: Whether to go on where the file ends.
        progress: Whether to show a progress bar on standard error.
        on_record: Called with every finished game.

    Raises:
        ValueError: There is no opponent, or two agents have the same name. Other errors are those
            of `play_match`.
    """
    plans = _plans(game, [(challenger, spec) for spec in specs], num_deals, seed)
    results = run_plans(
        plans,
        jobs=jobs,
        backend=backend,
        record_path=record_path,
        resume=resume,
        progress=progress,
        on_record=on_record,
    )
    return Tournament(tuple(results))


def _plans(
    game: str | Game, pairs: Sequence[tuple[AgentSpec, AgentSpec]], num_deals: int, seed: int
) -> list[MatchPlan]:
    """Return the matches of a tournament.

    Raises:
        ValueError: There are none, or two agents have the same name.
    """
    if not pairs:
        raise ValueError("a tournament needs at least two agents")
    game = checked_game(game, {})
    plans = [MatchPlan(game, pair, num_deals, seed) for pair in pairs]
    seen: set[frozenset[str]] = set()
    for plan in plans:
        names = frozenset(plan.agents)
        if len(names) == 1 or names in seen:
            raise ValueError(
                f"agents of a tournament must have different names: {plan.agents[1]!r} is there "
                f"twice"
            )
        seen.add(names)
    return plans
