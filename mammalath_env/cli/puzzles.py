"""``mammalath puzzles``: how many puzzles an agent solves."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mammalath_env.arena.puzzles import load_puzzles, puzzle_games, score
from mammalath_env.cli.options import (
    AgentArgument,
    JsonOption,
    build_agent,
    complete,
    helpful_errors,
    print_json,
)


def puzzles(
    agent: AgentArgument,
    game: Annotated[
        str,
        typer.Option(
            help=f"Game: {', '.join(puzzle_games())}.", autocompletion=complete(puzzle_games)
        ),
    ] = "mammalath",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the agent.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Let an agent solve the puzzles of a game."""
    with helpful_errors():
        found = load_puzzles(game)
    scores = score(build_agent(agent, seed, found[0].position.game), found)
    if as_json:
        print_json(
            {each.kind.value: {"solved": each.solved, "total": each.total} for each in scores}
        )
        return
    table = Table("puzzles", "solved", "of", title=Text(f"{agent} on {game}"))
    for each in scores:
        table.add_row(each.kind.value, str(each.solved), str(each.total))
    solved, total = sum(each.solved for each in scores), sum(each.total for each in scores)
    table.add_row("all", str(solved), str(total))
    Console().print(table)
