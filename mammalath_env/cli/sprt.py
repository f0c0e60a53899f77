"""The command ``sprt``: a sequential test of two agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mammalath_env.cli.agents import AgentArgument
from mammalath_env.cli.contests import (
    DEFAULT_MARGIN,
    DEFAULT_TIMEOUT,
    BackendOption,
    ClockOption,
    JobsOption,
    MarginOption,
    MoveSecondsOption,
    RecordOption,
    ResumeOption,
    TimeoutOption,
    build_time_control,
    check_workers,
    checked_contestants,
    contest_options,
    running,
)
from mammalath_env.cli.options import (
    GameOption,
    GameOptions,
    JsonOption,
    SeedOption,
    build_game,
    complete,
)
from mammalath_env.cli.terminal import helpful_errors, print_json, print_table, say

if TYPE_CHECKING:
    from mammalath_env.arena.pairs import Estimate
    from mammalath_env.arena.sequential import SPRTResult

# Copies of what is slow to load, `ELO_MODELS` and `DEFAULT_MAX_DEALS` of the arena.
MODELS = ("normalized", "logistic")
MAX_DEALS = 20_000

BIASED = """\
Scores of a test that stopped by its own result are biased: too far from the middle of H0 and H1,
with intervals that are too narrow. For an estimate, play a match with another seed."""


def sprt(
    context: typer.Context,
    first: AgentArgument,
    second: AgentArgument,
    game: GameOption = "mammalath",
    option: GameOptions = None,
    elo0: Annotated[float, typer.Option(help="Elo difference of the hypothesis H0.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="Elo difference of H1, above that of H0.")] = 20.0,
    alpha: Annotated[float, typer.Option(help="Probability to accept H1 if H0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Probability to accept H0 if H1 is true.")] = 0.05,
    model: Annotated[
        str,
        typer.Option(
            help=f"What Elo means: {' or '.join(MODELS)}.", autocompletion=complete(MODELS)
        ),
    ] = "normalized",
    max_deals: Annotated[
        int, typer.Option(min=1, help="Deals after which there is no decision.")
    ] = MAX_DEALS,
    seed: SeedOption = None,
    move_seconds: MoveSecondsOption = None,
    clock: ClockOption = None,
    margin: MarginOption = DEFAULT_MARGIN,
    timeout: TimeoutOption = DEFAULT_TIMEOUT,
    jobs: JobsOption = 1,
    backend: BackendOption = "loky",
    record: RecordOption = None,
    resume: ResumeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Let two agents play until a sequential test (SPRT) knows if the first is stronger.

    Method: the generalized SPRT of Li, Liu and Ying (2014), on pairs of games.
    Formulas: Van den Bergh, https://www.cantate.be/Fishtest/normalized_elo_practical.pdf
    """
    from mammalath_env.arena.plan import MatchPlan
    from mammalath_env.arena.sequential import run_sprt_plan
    from mammalath_env.arena.sprt import SequentialTest
    from mammalath_env.arena.tables import render_matches

    with helpful_errors():
        test = SequentialTest(elo0, elo1, alpha, beta, model)  # type: ignore[arg-type]  # checked
    built = build_game(game, option)
    check_workers(jobs, backend)
    time_control = build_time_control(move_seconds, clock, margin, timeout)
    one, other = checked_contestants([first, second], built)
    options = contest_options(seed, jobs, backend, record, resume, as_json)
    with helpful_errors():
        plan = MatchPlan(built, (one, other), max_deals, options.pop("seed"), time_control)
    with running(context, options, plan.seed):
        result = run_sprt_plan(plan, test, **options)
    if as_json:
        print_json(result.to_data())
        return
    print_table(render_matches([result.match]))
    say("\n".join(describe(result)))
    say(f"seed {plan.seed}")


def describe(result: SPRTResult) -> list[str]:
    """Return lines that say what a test found, and how far that can be trusted."""
    test, pairs, found = result.test, result.match.pairs, result.match.estimates
    low, high = test.bounds
    assert pairs is not None
    scores = ", ".join(
        f"{count} of {score}"
        for score, count in zip(("0", "1/4", "1/2", "3/4", "1"), pairs, strict=True)
    )
    lines = [
        f"decision: {result.decision or 'none'}",
        f"H0: {test.elo0:g} Elo, H1: {test.elo1:g} Elo ({test.model}), "
        f"alpha {test.alpha:g}, beta {test.beta:g}",
        f"LLR {result.llr:.2f}, bounds {low:.2f} and {high:.2f}",
        f"{sum(pairs)} {'pair' if sum(pairs) == 1 else 'pairs'} of games by score: {scores}",
    ]
    if found is None:
        lines.append("all pairs have the same score: the difference cannot be estimated")
    else:
        lines.append(f"normalized Elo {_with_interval(found.normalized_elo)}")
        lines.append(f"logistic Elo {_with_interval(found.elo)}")
    return [*lines, BIASED]


def _with_interval(found: Estimate) -> str:
    """Return an Elo difference with its 95% interval."""
    return f"{found.value:+.1f} (95% interval {found.low:+.1f} to {found.high:+.1f})"
