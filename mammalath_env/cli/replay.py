"""``mammalath replay``: step through recorded games."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from mammalath_env.arena.records import GameRecord, read_records
from mammalath_env.cli.options import (
    AsciiOption,
    DelayOption,
    JsonOption,
    default_delay,
    draw,
    helpful_errors,
    print_json,
)


def replay(
    file: Annotated[Path, typer.Argument(help="File of records, one JSON line a game.")],
    game_number: Annotated[
        int | None, typer.Option("--game", min=1, help="Show this game of the file alone.")
    ] = None,
    delay: DelayOption = None,
    keys: Annotated[
        bool, typer.Option(help="Wait for a key: Enter next, b back, n next game, q quit.")
    ] = False,
    ascii_only: AsciiOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check a file of records and show its games move by move."""
    with helpful_errors():
        records = list(read_records(file))
    if not records:
        raise typer.BadParameter(f"{file} holds no games")
    if game_number is not None:
        if game_number > len(records):
            raise typer.BadParameter(f"{file} holds {len(records)} games, not {game_number}")
        records = records[game_number - 1 : game_number]
    if as_json:
        print_json(
            [
                {
                    "game": record.game.name,
                    "players": record.players,
                    "winner": record.winner,
                    "reason": record.reason,
                    "positions": [position.to_text() for position in record.positions()],
                    "moves": record.moves,
                }
                for record in records
            ]
        )
        return
    for number, record in enumerate(records, start=1 if game_number is None else game_number):
        typer.echo(f"Game {number}, {record.game.title}: {' against '.join(record.players)}")
        if not (step_with_keys(record, ascii_only) if keys else run(record, delay, ascii_only)):
            return
        typer.echo(f"{describe_result(record)}\n")


def describe_result(record: GameRecord) -> str:
    """Return who won and why."""
    if record.winner is None:
        return f"{'Drawn' if record.is_draw else 'No result'}: {record.reason}"
    side = record.game.player_names[record.winner]
    return f"{record.players[record.winner]} ({side}) won: {record.reason}"


def picture(record: GameRecord, ply: int, ascii_only: bool) -> str:
    """Return the position after `ply` moves and the move that led to it."""
    positions = record.positions()
    if ply == 0:
        return draw(positions[0], ascii_only=ascii_only)
    return draw(
        positions[ply], positions[ply - 1], record.actions()[ply - 1], ascii_only=ascii_only
    )


def run(record: GameRecord, delay: float | None, ascii_only: bool) -> bool:
    """Show all positions one after the other."""
    for ply in range(len(record.moves) + 1):
        if ply:
            time.sleep(default_delay(delay))
        typer.echo(picture(record, ply, ascii_only) + "\n")
    return True


def step_with_keys(record: GameRecord, ascii_only: bool) -> bool:
    """Show positions as keys ask for; return whether to go on with the next game."""
    if not sys.stdin.isatty():
        raise typer.BadParameter("--keys needs a terminal")
    ply = 0
    typer.echo(picture(record, ply, ascii_only))
    while True:
        key = typer.getchar()
        if key in ("q", "\x03", "\x04"):
            return False
        if key == "n":
            return True
        if key in ("b", "\x1b[D"):
            ply = max(ply - 1, 0)
        elif ply == len(record.moves):
            return True
        else:
            ply += 1
        typer.echo("\n" + picture(record, ply, ascii_only))
