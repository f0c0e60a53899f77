"""``mammalath puzzles``: how many puzzles an agent solves."""

from __future__ import annotations

from typing import Annotated

import typer

from mammalath_env.cli.agents import AgentArgument, build_agent, prints_to_stderr
from mammalath_env.cli.options import JsonOption, complete
from mammalath_env.cli.terminal import helpful_errors, print_json, print_table
from mammalath_env.core.texts import printable

PUZZLE_GAMES = ("mammalath", "mammalath_plus")
"""The games that have puzzles; a copy, since `mammalath_env.arena` is slow to load."""


def puzzles(
    agent: AgentArgument,
    game: Annotated[
        str,
        typer.Option(
            help=f"Game: {', '.join(PUZZLE_GAMES)}.", autocompletion=complete(PUZZLE_GAMES)
        ),
    ] = "mammalath",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the agent.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Let an agent solve the puzzles of a game."""
    from rich.table import Table
    from rich.text import Text

    from mammalath_env.arena.puzzles import load_puzzles, score

    with helpful_errors():
        found = load_puzzles(game)
    with prints_to_stderr():
        scores = score(build_agent(agent, seed, found[0].position.game), found)
    if as_json:
        print_json(
            {each.kind.value: {"solved": each.solved, "total": each.total} for each in scores}
        )
        return
    table = Table("puzzles", "solved", "of", title=Text(printable(f"{agent} on {game}")))
    for each in scores:
        table.add_row(each.kind.value, str(each.solved), str(each.total))
    solved, total = sum(each.solved for each in scores), sum(each.total for each in scores)
    table.add_row("all", str(solved), str(total))
    print_table(table)
