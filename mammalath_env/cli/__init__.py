"""The command ``mammalath``."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Annotated

import typer

import mammalath_env
from mammalath_env.cli import contests, play, positions, puzzles, replay, rules, watch
from mammalath_env.cli.terminal import never_fail_to_encode, show_compiling
from mammalath_env.core.texts import printable_lines

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
    replay.replay,
    puzzles.puzzles,
    positions.solve,
    contests.bench,
    positions.perft,
    positions.show,
    positions.games,
):
    app.command()(command)


def main() -> None:
    """Run the command line."""
    # Otherwise worker processes import from the current folder first.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    never_fail_to_encode()
    show_compiling()
    try:
        app()
    except Exception as error:
        # Only now, as it is slow to load.
        from mammalath_env.arena.faults import PackageFaultError, describe_error, is_machine_fault

        if isinstance(error, PackageFaultError):
            traceback.print_exc()
        elif not is_machine_fault(error):
            raise
        typer.echo(printable_lines(f"stopped: {describe_error(error)}"), err=True)
        sys.exit(1)
