"""Commands about one position: ``show``, ``solve``, ``perft`` and ``games``."""

from __future__ import annotations

import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mammalath_env.cli.options import (
    DEFAULT_SIZE,
    AsciiOption,
    GameOption,
    GameOptions,
    JsonOption,
    PixelsOption,
    build_game,
    check_files,
    read_position,
)
from mammalath_env.cli.terminal import busy, draw, helpful_errors, print_json, print_table, say
from mammalath_env.core.checks import checked_integer
from mammalath_env.games import GAMES, make_game

if TYPE_CHECKING:
    from mammalath_env.core.position import Position

PositionArgument = Annotated[
    list[str] | None,
    typer.Argument(help="Text of a position, quoted or not (docs/rules.md); a deal if left out."),
]
DealOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="Seed of the deal; random if left out.")
]


def show(
    position: PositionArgument = None,
    game: GameOption = "mammalath",
    option: GameOptions = None,
    seed: DealOption = None,
    ascii_only: AsciiOption = False,
    as_json: JsonOption = False,
    png: Annotated[Path | None, typer.Option(help="Write a picture in PNG instead.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Write a picture in SVG instead.")] = None,
    size: PixelsOption = DEFAULT_SIZE,
    legal_moves: Annotated[
        bool, typer.Option("--legal-moves", help="Mark the legal moves in these pictures.")
    ] = False,
) -> None:
    """Draw a position or a deal, with its text and its legal moves."""
    check_files(as_json, png=png, svg=svg)
    found, deal_seed = read_position(build_game(game, option), position, seed)
    seeded = describe_deal(found, deal_seed, seed)
    if png is not None or svg is not None:
        with helpful_errors():
            write_pictures(found, png, svg, size, legal_moves)
        if seeded:
            say(seeded)
        return
    moves = found.legal_moves()
    outcome = found.outcome
    if as_json:
        result = None
        if outcome is not None:
            result = {"winner": outcome.winner, "reason": outcome.termination.label}
        print_json(
            {
                "position": found.to_text(),
                "seed": deal_seed,
                "to_move": found.to_move,
                "ply": found.ply,
                "moves": moves,
                "outcome": result,
            }
        )
        return
    above = [draw(found, ascii_only=ascii_only), "", seeded or found.to_text()]
    typer.echo("\n".join(above))
    say(fill_screen(f"{len(moves)} legal moves{': ' if moves else ''}{' '.join(moves)}", above))


def fill_screen(text: str, above: list[str]) -> str:
    """Return as much of a long line as a terminal has room for below other lines.

    The board at the top must not scroll away. Where there is no terminal, all is returned.
    """
    if not sys.stdout.isatty():
        return text
    columns, rows = shutil.get_terminal_size()
    used = sum(-(-max(len(line), 1) // columns) for line in above[1:])
    used += above[0].count("\n") + 1
    return textwrap.fill(
        text,
        columns - 1,
        # The last row is for the prompt that follows.
        max_lines=max(rows - 1 - used, 1),
        placeholder=" ... (--json lists all)",
        break_long_words=False,
        break_on_hyphens=False,
    )


def describe_deal(position: Position, deal_seed: int | None, seed: int | None) -> str:
    """Return what a random deal can be had again by, empty if a position or a seed was given."""
    if deal_seed is None or seed is not None:
        return ""
    return f"seed {deal_seed}, deal {position.to_text()}"


def write_pictures(
    position: Position, png: Path | None, svg: Path | None, size: int, legal_moves: bool
) -> None:
    """Write a picture in one format or both, and say where."""
    from mammalath_env.rendering import render_rgb, render_svg

    if png is not None:
        from PIL import Image

        pixels = render_rgb(position, size=size, legal_moves=legal_moves)
        Image.fromarray(pixels).save(png, "PNG")
        say(f"wrote {png}")
    if svg is not None:
        drawing = render_svg(position, size=size, legal_moves=legal_moves)
        svg.write_text(drawing, encoding="utf-8")
        say(f"wrote {svg}")


def solve(
    position: PositionArgument = None,
    game: GameOption = "mammalath",
    option: GameOptions = None,
    seed: DealOption = None,
    nodes: Annotated[int, typer.Option(min=1, help="Positions to search at most.")] = 5_000_000,
    seconds: Annotated[float | None, typer.Option(help="Time limit.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Prove whether the player to move wins, loses or draws; exit code 1 if that fails."""
    from mammalath_env.agents.solver import Verdict
    from mammalath_env.agents.solver import solve as prove

    found, deal_seed = read_position(build_game(game, option), position, seed)
    if not as_json and (seeded := describe_deal(found, deal_seed, seed)):
        say(seeded)
    with helpful_errors(), busy("The solver searches"):
        solution = prove(found, nodes=nodes, seconds=seconds)
    moves = found.line_moves(solution.line)
    if as_json:
        print_json(
            {
                "verdict": solution.verdict.value,
                "plies": solution.plies,
                "line": moves,
                "nodes": solution.nodes,
                "position": found.to_text(),
                "seed": deal_seed,
            }
        )
    elif solution.verdict is Verdict.UNKNOWN:
        say(f"unknown after {solution.nodes:,} positions")
    else:
        mover = found.game.player_names[found.to_move]
        plies = "ply" if solution.plies == 1 else "plies"
        length = "" if solution.plies is None else f" in {solution.plies} {plies}"
        say(f"{solution.verdict.value} for {mover}{length}: {' '.join(moves)}")
        say(f"{solution.nodes:,} positions")
    if solution.verdict is Verdict.UNKNOWN:
        raise typer.Exit(1)


def count_in_parts(position: Position, depth: int, first_plies: int = 2) -> int:
    """Count like `mammalath_env.core.perft`, in parts, so that Ctrl-C works between them."""
    from mammalath_env.core.perft import perft as count

    if depth == 1 or first_plies == 0:
        return count(position, depth)
    following = map(position.play, position.legal_actions())
    return sum(
        count_in_parts(each, depth - 1, first_plies - 1) for each in following if not each.is_over
    )


def perft(
    position: PositionArgument = None,
    depth: Annotated[int, typer.Option(help="Plies.")] = 2,
    game: GameOption = "mammalath",
    option: GameOptions = None,
    seed: DealOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count the move sequences of each length up to a depth.

    The JSON has the counts in a list, the position and the seed of a deal.
    """
    from mammalath_env.core.perft import MAX_DEPTH

    with helpful_errors():
        checked_integer("depth", depth, 1, MAX_DEPTH)
    found, deal_seed = read_position(build_game(game, option), position, seed)
    if not as_json and (seeded := describe_deal(found, deal_seed, seed)):
        say(seeded)
    counts = []
    for plies in range(1, depth + 1):
        with busy(f"Counting sequences of {plies} plies"):
            counts.append(count_in_parts(found, plies))
    if as_json:
        print_json({"counts": counts, "position": found.to_text(), "seed": deal_seed})
        return
    for plies, sequences in enumerate(counts, start=1):
        say(f"{plies} {sequences}")


def games(as_json: JsonOption = False) -> None:
    """List the games."""
    built = [make_game(name) for name in GAMES]
    if as_json:
        fields = ("name", "title", "options", "num_actions", "observation_shape", "max_plies")
        print_json([{field: getattr(game, field) for field in fields} for game in built])
        return
    from rich import box
    from rich.table import Table

    # Two columns, to be readable in a narrow terminal.
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("name", no_wrap=True)
    table.add_column("size and options", overflow="fold")
    for game in built:
        about = [
            game.title,
            f"{game.num_actions} actions",
            f"observation {game.observation_shape}",
            f"at most {game.max_plies} plies",
            *(f"{option}={value}" for option, value in game.options.items()),
        ]
        table.add_row(game.name, "\n".join(about), end_section=True)
    print_table(table)
