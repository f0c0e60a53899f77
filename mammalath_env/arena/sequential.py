"""Contests that end as soon as a sequential test knows which of two agents is stronger."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from mammalath_env.arena.match import RunOptions, run_plans
from mammalath_env.arena.pairs import PAIR_SCORES, Estimate
from mammalath_env.arena.plan import MatchPlan
from mammalath_env.arena.records import GameRecord
from mammalath_env.arena.results import GameScore, MatchResult, pair_class, result_of, score_of
from mammalath_env.arena.specs import AgentSpec, check_contestants
from mammalath_env.arena.sprt import Hypothesis, SequentialTest
from mammalath_env.arena.time_control import UNTIMED, TimeControl
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.game import Game
from mammalath_env.games import checked_game

if TYPE_CHECKING:
    from typing_extensions import Unpack

DEFAULT_MAX_DEALS = 20_000
"""Deals after which a contest ends without a decision."""


@dataclasses.dataclass(frozen=True)
class SPRTResult:
    """The result of a sequential test.

    Attributes:
        test: What was asked.
        decision: ``"H0"`` or ``"H1"``, the hypothesis that was accepted; None if there were too few
            deals for a decision.
        llr: The log-likelihood ratio of H1 to H0 after the last pair.
        match: The games up to the decision, as a match of that many deals. Its `estimates` are
            biased, see `PairEstimates`.
    """

    test: SequentialTest
    decision: Hypothesis | None
    llr: float
    match: MatchResult

    def to_data(self) -> dict[str, Any]:
        """Return the result as plain values, for JSON; an infinite Elo difference is None."""
        found = self.match.estimates
        return {
            "decision": self.decision,
            "llr": self.llr,
            "bounds": list(self.test.bounds),
            "test": dataclasses.asdict(self.test),
            "estimates": None
            if found is None
            else {
                "score": _finite(found.score),
                "elo": _finite(found.elo),
                "normalized_elo": _finite(found.normalized_elo),
            },
            "match": self.match.to_data(),
        }


def _finite(found: Estimate) -> dict[str, float | None]:
    """Return an estimate as plain values, with None for infinities."""
    return {
        name: value if math.isfinite(value) else None
        for name, value in dataclasses.asdict(found).items()
    }


def run_sprt(
    game: str | Game,
    first: AgentSpec,
    second: AgentSpec,
    *,
    test: SequentialTest,
    seed: int,
    max_deals: int = DEFAULT_MAX_DEALS,
    time_control: TimeControl = UNTIMED,
    **options: Unpack[RunOptions],
) -> SPRTResult:
    """Let two agents play until `test` accepts a hypothesis about the first one's strength.

    Every deal is played twice, with seats swapped, and the test looks at the pairs in the order of
    the deals: the first one after which the ratio reaches a bound is the last that counts. So the
    result depends on `game`, the agents, `test`, `max_deals` and `seed` only, as that of
    `play_match` does. With several games at a time, or with a file, some games of later deals may
    be finished: they are recorded, and do not count.

    Args:
        game: What to play, a game or the name of one.
        first: The first agent, as for `play_match`.
        second: The second agent, likewise.
        test: What to find out.
        seed: From 0 to 2**64 - 1; the games are those of `play_match` with this seed.
        max_deals: Deals after which there is no decision, at least 1.
        time_control: The time that the agents have.
        **options: How the games are run and recorded, as for `play_match`; progress is shown with
            the ratio. A file may hold games of a match, or of another test, of the same agents and
            seed.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A number is out of range. Other errors are those of `play_match` too.
    """
    max_deals = checked_integer("max_deals", max_deals, 1)
    plan = MatchPlan(checked_game(game, {}), (first, second), max_deals, seed, time_control)
    check_contestants(plan.specs, plan.game)
    return run_sprt_plan(plan, test, **options)


def run_sprt_plan(
    plan: MatchPlan, test: SequentialTest, **options: Unpack[RunOptions]
) -> SPRTResult:
    """Play the games of a match until `test` accepts a hypothesis; see `run_sprt`."""
    shown = options.pop("progress", False)
    report = options.pop("on_record", None)
    with _progress(test, shown) as show:
        tally = _Tally(test, show)

        def look(record: GameRecord) -> None:
            if report is not None:
                report(record)
            tally.add(record)
            if tally.decision is not None:
                raise _DecidedError

        options["on_record"] = look
        with contextlib.suppress(_DecidedError):
            run_plans([plan], **options)
    played = dataclasses.replace(plan, num_deals=sum(tally.counts))
    return SPRTResult(test, tally.decision, tally.llr, result_of(played, tally.scores))


class _DecidedError(Exception):
    """Ends the games, as any error of a function for records does."""


class _Tally:
    """The pairs that a test has looked at, in the order of their deals.

    Attributes:
        scores: Scores of finished games by their index, also of games after the decision.
        counts: Pentanomial counts up to the decision.
        llr: The log-likelihood ratio after them.
        decision: The hypothesis that was accepted, or None.
    """

    def __init__(self, test: SequentialTest, show: Callable[[_Tally], None]) -> None:
        """Begin before the first pair; `show` is called after each."""
        self._test = test
        self._show = show
        self.scores: dict[int, GameScore] = {}
        self.counts = [0] * len(PAIR_SCORES)
        self.llr = 0.0
        self.decision: Hypothesis | None = None

    def add(self, record: GameRecord) -> None:
        """Add a game, and look at the pairs that are complete up to the first that is not."""
        assert record.match is not None
        self.scores[record.match.index] = score_of(record)
        while self.decision is None:
            found = pair_class(self.scores, deal=sum(self.counts))
            if found is None:
                return
            self.counts[found] += 1
            self.llr = float(self._test.llr(self.counts))
            self.decision = self._test.decision(self.llr)
            self._show(self)


@contextlib.contextmanager
def _progress(test: SequentialTest, shown: bool) -> Iterator[Callable[[_Tally], None]]:
    """Yield a function that shows the ratio, its bounds and the pairs, if asked to."""
    if not shown:
        yield lambda tally: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn("line"), TextColumn("{task.description}"), TimeElapsedColumn()
    low, high = test.bounds

    def describe(llr: float, pairs: int) -> str:
        return f"{pairs} pairs, LLR {llr:.2f} ({low:.2f} to {high:.2f})"

    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(describe(0.0, 0), total=None)
        yield lambda tally: bar.update(task, description=describe(tally.llr, sum(tally.counts)))
