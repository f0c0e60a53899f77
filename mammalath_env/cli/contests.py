"""Commands that let agents play many games: ``match``, ``arena`` and ``bench``."""

from __future__ import annotations

import contextlib
import secrets
import shlex
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from mammalath_env.agents import AGENTS
from mammalath_env.agents.registry import is_in_module
from mammalath_env.cli.agents import (
    AGENT_HELP,
    AgentArgument,
    NamedAgent,
    build_agent,
    prints_to_stderr,
)
from mammalath_env.cli.options import (
    GameOption,
    GameOptions,
    JsonOption,
    SeedOption,
    build_game,
    complete,
)
from mammalath_env.cli.terminal import helpful_errors, mistake, print_json, print_table, say
from mammalath_env.core.checks import checked_choice
from mammalath_env.core.extras import load
from mammalath_env.core.texts import printable_lines

if TYPE_CHECKING:
    from mammalath_env.arena import AgentSpec, GameRecord
    from mammalath_env.arena.time_control import TimeControl
    from mammalath_env.core.game import Game
    from mammalath_env.envs.vector import SelfPlayVectorEnv

MAX_SECONDS = 3600
DEFAULT_MARGIN = 0.05
DEFAULT_TIMEOUT = 60.0
"""Copies of the defaults of `TimeControl`, whose module is slow to load."""
LAYOUTS = ("first", "last")
"""Where the planes of observations are, see ``channels_first``."""

DealsOption: TypeAlias = Annotated[
    int, typer.Option(min=1, help="Deals; each is played twice, with seats swapped.")
]
JobsOption: TypeAlias = Annotated[
    int, typer.Option(help="Games played at a time; -1 for one per core.")
]
BackendOption: TypeAlias = Annotated[
    str, typer.Option(help="Backend of joblib: loky, threading, or ray for a cluster.")
]
RecordOption: TypeAlias = Annotated[
    Path | None, typer.Option("--record", help="File that every finished game is appended to.")
]
ResumeOption: TypeAlias = Annotated[
    bool,
    typer.Option("--resume", help="Resume the contest in the file of --record, with its seed."),
]
MoveSecondsOption: TypeAlias = Annotated[
    float | None, typer.Option(help="Seconds for each move; later moves lose the game.")
]
ClockOption: TypeAlias = Annotated[
    str | None, typer.Option(help="Seconds for all moves of a player + seconds a move: 60+0.5.")
]
MarginOption: TypeAlias = Annotated[
    float, typer.Option(help="Seconds that a move may take beyond its time.")
]
TimeoutOption: TypeAlias = Annotated[
    float,
    typer.Option(
        help="Without a time limit: seconds for a move of an engine or an agent of another module."
    ),
]


def match(
    context: typer.Context,
    first: AgentArgument,
    second: AgentArgument,
    game: GameOption = "mammalath",
    option: GameOptions = None,
    deals: DealsOption = 50,
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
    """Let two agents play a match, both seats for each deal."""
    from mammalath_env.arena.match import run_plans
    from mammalath_env.arena.plan import MatchPlan
    from mammalath_env.arena.tables import render_matches

    built = build_game(game, option)
    check_workers(jobs, backend)
    time_control = build_time_control(move_seconds, clock, margin, timeout)
    one, other = checked_contestants([first, second], built)
    options = contest_options(seed, jobs, backend, record, resume, as_json)
    with helpful_errors():
        plan = MatchPlan(built, (one, other), deals, options.pop("seed"), time_control)
    with running(context, options, plan.seed):
        (result,) = run_plans([plan], **options)
    if as_json:
        print_json(result.to_data())
        return
    print_table(render_matches([result]))
    say(f"seed {result.seed}")


@helpful_errors()
def build_time_control(
    move_seconds: float | None, clock: str | None, margin: float, timeout: float
) -> TimeControl:
    """Return the time control that the options describe."""
    from mammalath_env.arena.time_control import TimeControl, parse_clock

    seconds, increment = (None, 0.0) if clock is None else parse_clock(clock)
    return TimeControl(move_seconds, seconds, increment, margin, timeout)


@helpful_errors()
def check_workers(jobs: int, backend: str) -> None:
    """Check --jobs and --backend, before a seed is shown."""
    if (jobs, backend) != (1, "loky"):  # the module is slow to load
        from mammalath_env.arena.parallel import checked_jobs

        checked_jobs(jobs, backend)


def contest_options(
    seed: int | None, jobs: int, backend: str, record: Path | None, resume: bool, as_json: bool
) -> dict[str, Any]:
    """Return the options of a match or tournament.

    Without a seed it is that of the games to resume from; if there are none it is drawn and shown.
    """
    if resume and record is None:
        raise mistake("--resume needs --record, the file to resume from")
    if resume and seed is None:
        with helpful_errors():
            seed = recorded_seed(record)
    if seed is None:
        seed = secrets.randbits(32)
        say_aside(f"seed {seed}")
    return {
        "seed": seed,
        "jobs": jobs,
        "backend": backend,
        "record_path": record,
        "resume": resume,
        "progress": not as_json,
    }


def recorded_seed(path: Path | None) -> int | None:
    """Return the seed of the contest whose games are in a file, None if it holds no games."""
    from mammalath_env.arena.record_files import first_record

    record = None if path is None else first_record(path)
    if record is None:
        return None
    if record.match is None:
        raise mistake(f"the first game in {path} belongs to no match, so that it has no seed")
    return record.match.seed


def say_aside(text: str) -> None:
    """Print to standard error, which does not belong to the result."""
    typer.echo(printable_lines(text), err=True)


@contextlib.contextmanager
def running(context: typer.Context, options: dict[str, Any], seed: int) -> Iterator[None]:
    """Run games: what agents print goes to standard error, and no error loses finished games.

    An error before the first game is taken for a mistake of the user. Later ones, and Ctrl-C, end
    the command with exit code 1 or 130, and a message that says how many games are kept.
    """
    from mammalath_env.arena import PackageFaultError, WorkerDiedError
    from mammalath_env.arena.faults import describe_stop, is_machine_fault

    finished = 0

    def count(record: GameRecord) -> None:
        nonlocal finished
        finished += 1

    options["on_record"] = count
    try:
        with prints_to_stderr():
            yield
    except (KeyboardInterrupt, Exception) as error:
        is_outside = isinstance(error, WorkerDiedError) or is_machine_fault(error)
        is_fault = is_outside or isinstance(error, PackageFaultError)
        if finished == 0 and not is_fault and isinstance(error, Exception):
            with helpful_errors():
                raise
        if isinstance(error, KeyboardInterrupt):
            say_aside("\ninterrupted")
        else:
            if not is_outside:
                say_aside("".join(traceback.format_exception(error)))
            say_aside(describe_stop(error))
        say_aside(what_is_kept(context, options["record_path"], seed, finished))
        raise typer.Exit(130 if isinstance(error, KeyboardInterrupt) else 1) from error


def what_is_kept(context: typer.Context, path: Path | None, seed: int, finished: int) -> str:
    """Return how many games are in the file, and how to go on."""
    if path is not None and path.is_file():
        # Ctrl-C may come when a game has been written, and not counted yet.
        with path.open("rb") as file:
            finished = sum(line.endswith(b"\n") for line in file)
    games = f"{finished} finished {'game' if finished == 1 else 'games'}"
    if path is None:
        return f"{games}, not kept: --record FILE keeps them"
    command = shlex.join(resume_command(context, seed))
    return f"{games} kept in {path}; to play the others:\n{command}"


def resume_command(context: typer.Context, seed: int) -> list[str]:
    """Return the words of the command that resumes a contest."""
    values = {**context.params, "seed": seed, "resume": True}
    words = ["mammalath", str(context.info_name)]
    for parameter in context.command.params:
        value = values.get(str(parameter.name))
        if parameter.param_type_name == "argument":
            words += value if isinstance(value, (list, tuple)) else [str(value)]
        elif value is True:
            words.append(parameter.opts[0])
        elif value is not None and value is not False and value != parameter.default:
            for each in value if isinstance(value, (list, tuple)) else [value]:
                words += [parameter.opts[0], str(each)]
    return words


def checked_contestants(names: list[str], game: Game) -> list[AgentSpec]:
    """Return the agents in a form for every process, if they can be made and play the game."""
    for name in names:
        build_agent(name, 0, game)
    return [NamedAgent(name) if is_in_module(name) else name for name in names]


def arena(
    context: typer.Context,
    agents: Annotated[
        list[str],
        typer.Argument(help=f"Two agents or more: {AGENT_HELP}.", autocompletion=complete(AGENTS)),
    ],
    game: GameOption = "mammalath",
    option: GameOptions = None,
    deals: DealsOption = 50,
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
    """Let all agents play each other, and rate them (Elo, with 95% intervals)."""
    from mammalath_env.arena import Tournament, rate
    from mammalath_env.arena.match import run_plans
    from mammalath_env.arena.tables import NamesTable
    from mammalath_env.arena.tournament import plan_round_robin

    if len(agents) < 2:
        raise mistake("an arena needs at least two agents")
    with helpful_errors():
        # Ratings need it; fail now, not after hours of games.
        load("statsmodels")
    built = build_game(game, option)
    check_workers(jobs, backend)
    time_control = build_time_control(move_seconds, clock, margin, timeout)
    contestants = checked_contestants(agents, built)
    options = contest_options(seed, jobs, backend, record, resume, as_json)
    drawn: int = options.pop("seed")
    with helpful_errors():
        plans = plan_round_robin(built, contestants, deals, drawn, time_control)
    with running(context, options, drawn):
        tournament = Tournament(tuple(run_plans(plans, **options)))
    with helpful_errors():
        ratings = rate(tournament, agents[0])
    if as_json:
        matches = [one.to_data() for one in tournament.matches]
        rated = [vars(rating) for rating in ratings]
        print_json({"matches": matches, "ratings": rated, "seed": drawn})
        return
    print_table(tournament.render())
    rows = [
        (
            rating.name,
            f"{round(rating.elo):+d}",
            # The others are compared with it.
            "anchor"
            if rating.name == agents[0]
            else f"{round(rating.low):+d} to {round(rating.high):+d}",
            str(rating.games),
        )
        for rating in ratings
    ]
    print_table(NamesTable(("agent", "Elo", "95% interval", "games"), rows))
    say(f"seed {drawn}")


def bench(
    game: GameOption = "mammalath",
    option: GameOptions = None,
    lanes: Annotated[int, typer.Option(min=1, help="Lanes of the batch.")] = 4096,
    threads: Annotated[int, typer.Option(min=1, help="Threads; each needs 3072 lanes.")] = 1,
    layout: Annotated[
        str,
        typer.Option(
            help="Planes of the observation: first, last, or both in turn.",
            autocompletion=complete((*LAYOUTS, "both")),
        ),
    ] = "first",
    seconds: Annotated[float, typer.Option(help="Seconds to measure, for each layout.")] = 2.0,
    as_json: JsonOption = False,
) -> None:
    """Measure how many moves a second this machine plays in a batch."""
    from mammalath_env.envs.lane_vector import LANES_PER_THREAD
    from mammalath_env.envs.vector import SelfPlayVectorEnv

    with helpful_errors():
        checked_choice("layout", layout, (*LAYOUTS, "both"))
    if not 0.01 <= seconds <= MAX_SECONDS:
        raise mistake(f"seconds must be from 0.01 to {MAX_SECONDS}, not {seconds}")
    built = build_game(game, option)
    layouts = LAYOUTS if layout == "both" else (layout,)
    if len(built.observation_shape) < 3:  # without planes, all layouts are the same
        layouts = ("none",)
    measured: list[dict[str, Any]] = []
    for each in layouts:
        with helpful_errors():
            env = SelfPlayVectorEnv(
                built, lanes, num_threads=threads, channels_first=each == "first", copy=False
            )
        env.reset(seed=0)
        env.random_step()
        rate_, used = steps_per_second(env, seconds), env.num_threads_used
        if as_json:
            about = {"game": built.name, "lanes": lanes, "threads": used, "layout": each}
            measured.append({**about, "steps_per_s": rate_})
            continue
        shared = "1 thread" if used == 1 else f"{used} threads"
        if used < threads:
            shared += f" ({threads} need {threads * LANES_PER_THREAD} lanes)"
        planes = "no planes" if each == "none" else f"planes {each}"
        say(
            f"{built.title}: {rate_ / 1e6:.2f} million steps/s with {lanes} lanes, {shared}, "
            f"{planes}, observations and masks written"
        )
    if as_json:
        print_json(measured)


def steps_per_second(env: SelfPlayVectorEnv, seconds: float) -> float:
    """Return how many games a batch steps in a second; only `step` is timed, not the draws.

    Args:
        env: The batch, after its first reset.
        seconds: How long to step.
    """
    steps, spent = 0, 0.0
    while spent < seconds:
        actions = env.draw_actions()
        start = time.perf_counter()
        env.step(actions)
        spent += time.perf_counter() - start
        steps += env.num_envs
    return steps / spent
