"""Commands that let agents play many games: ``match``, ``arena`` and ``bench``."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from mammalath_env.agents import AGENTS
from mammalath_env.cli.agents import AGENT_HELP, AgentArgument, NamedAgent, build_agent
from mammalath_env.cli.options import (
    GameOption,
    GameOptions,
    JsonOption,
    SeedOption,
    build_game,
    complete,
)
from mammalath_env.cli.terminal import helpful_errors, mistake, print_json, print_table, say
from mammalath_env.core.checks import unknown_choice
from mammalath_env.core.extras import load

if TYPE_CHECKING:
    from mammalath_env.arena import AgentSpec
    from mammalath_env.core.game import Game

MAX_SECONDS = 3600
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
    bool, typer.Option("--resume", help="Resume the contest in the file of --record.")
]


def match(
    first: AgentArgument,
    second: AgentArgument,
    game: GameOption = "mammalath",
    option: GameOptions = None,
    deals: DealsOption = 50,
    seed: SeedOption = None,
    jobs: JobsOption = 1,
    backend: BackendOption = "loky",
    record: RecordOption = None,
    resume: ResumeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Let two agents play a match, both seats for each deal."""
    from mammalath_env.arena import play_match
    from mammalath_env.arena.tables import render_matches

    options = contest_options(seed, jobs, backend, record, resume, as_json)
    built = build_game(game, option)
    one, other = checked_contestants([first, second], built)
    with helpful_errors():
        result = play_match(built, one, other, deals, **options)
    if as_json:
        print_json({**result.to_data(), "seed": options["seed"]})
        return
    print_table(render_matches([result]))
    say(f"seed {options['seed']}")


def contest_options(
    seed: int | None, jobs: int, backend: str, record: Path | None, resume: bool, as_json: bool
) -> dict[str, Any]:
    """Return the options of a match or tournament, with a random seed if there is none."""
    if resume and record is None:
        raise mistake("--resume needs --record, the file to resume from")
    if resume and seed is None:
        raise mistake("--resume needs the --seed of the match that was interrupted")
    return {
        "seed": secrets.randbits(32) if seed is None else seed,
        "jobs": jobs,
        "backend": backend,
        "record_path": record,
        "resume": resume,
        "progress": not as_json,
    }


def checked_contestants(names: list[str], game: Game) -> list[AgentSpec]:
    """Return the agents in a form for every process, if they can be made and play the game."""
    for name in names:
        build_agent(name, 0, game)
    return [name if name.partition(":")[0] in AGENTS else NamedAgent(name) for name in names]


def arena(
    agents: Annotated[
        list[str],
        typer.Argument(help=f"Two agents or more: {AGENT_HELP}.", autocompletion=complete(AGENTS)),
    ],
    game: GameOption = "mammalath",
    option: GameOptions = None,
    deals: DealsOption = 50,
    seed: SeedOption = None,
    jobs: JobsOption = 1,
    backend: BackendOption = "loky",
    record: RecordOption = None,
    resume: ResumeOption = False,
    as_json: JsonOption = False,
) -> None:
    """Let all agents play each other, and rate them (Elo, with 95% intervals)."""
    from mammalath_env.arena import rate, round_robin
    from mammalath_env.arena.tables import NamesTable

    options = contest_options(seed, jobs, backend, record, resume, as_json)
    built = build_game(game, option)
    contestants = checked_contestants(agents, built)
    with helpful_errors():
        # Ratings need it; fail now, not after hours of games.
        load("statsmodels")
        tournament = round_robin(built, contestants, deals, **options)
        ratings = rate(tournament)
    if as_json:
        matches = [one.to_data() for one in tournament.matches]
        rated = [vars(rating) for rating in ratings]
        print_json({"matches": matches, "ratings": rated, "seed": options["seed"]})
        return
    print_table(tournament.render())
    rows = [
        (
            rating.name,
            f"{rating.elo:+.0f}",
            f"{rating.low:+.0f} to {rating.high:+.0f}",
            str(rating.games),
        )
        for rating in ratings
    ]
    print_table(NamesTable(("agent", "Elo", "95% interval", "games"), rows))
    say(f"seed {options['seed']}")


def bench(
    game: GameOption = "mammalath",
    option: GameOptions = None,
    lanes: Annotated[int, typer.Option(min=1, help="Lanes of the batch.")] = 4096,
    threads: Annotated[int, typer.Option(min=1, help="Threads; few lanes use fewer.")] = 1,
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
    """Measure how many moves a second this machine plays in a batch.

    JSON is one line for each layout.
    """
    from mammalath_env.envs.vector import SelfPlayVectorEnv

    if layout not in (*LAYOUTS, "both"):
        raise mistake(unknown_choice("layout", layout, (*LAYOUTS, "both")))
    if not 0.01 <= seconds <= MAX_SECONDS:
        raise mistake(f"seconds must be from 0.01 to {MAX_SECONDS}, not {seconds}")
    built = build_game(game, option)
    layouts = LAYOUTS if layout == "both" else (layout,)
    if len(built.observation_shape) < 3:  # without planes, all layouts are the same
        layouts = ("none",)
    for each in layouts:
        with helpful_errors():
            env = SelfPlayVectorEnv(
                built, lanes, num_threads=threads, channels_first=each == "first", copy=False
            )
        env.reset(seed=0)
        env.random_step()
        steps, spent = 0, 0.0
        while spent < seconds:
            actions = env.draw_actions()
            start = time.perf_counter()
            env.step(actions)
            spent += time.perf_counter() - start
            steps += lanes
        rate_, used = steps / spent, env.num_threads_used
        if as_json:
            measured = {"game": built.name, "lanes": lanes, "threads": used, "layout": each}
            print_json({**measured, "steps_per_s": rate_})
            continue
        shared = "1 thread" if used == 1 else f"{used} threads"
        planes = "no planes" if each == "none" else f"planes {each}"
        say(
            f"{built.title}: {rate_ / 1e6:.2f} million steps/s with {lanes} lanes, {shared}, "
            f"{planes}, observations and masks written"
        )
