"""The commands of ``mammalath``."""

from __future__ import annotations

from typing import Annotated

import typer

import mammalath_env
from mammalath_env.cli import (
    analyze,
    contests,
    engine,
    play,
    positions,
    puzzles,
    replay,
    rules,
    sprt,
    watch,
)

app = typer.Typer(
    name="mammalath",
    no_args_is_help=True,
    # color: what is printed has colours only where they are wanted; nothing removes them after.
    context_settings={"help_option_names": ["-h", "--help"], "color": True},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mammalath_env {mammalath_env.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Mammalath, Mammalath Plus and Mancala in the terminal."""


for command in (
    rules.rules,
    play.play,
    watch.watch,
    contests.match,
    contests.arena,
    sprt.sprt,
    replay.replay,
    analyze.analyze,
    engine.engine,
    engine.engine_check,
    puzzles.puzzles,
    positions.solve,
    contests.bench,
    positions.perft,
    positions.show,
    positions.games,
):
    app.command()(command)
