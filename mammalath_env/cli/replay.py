"""``mammalath replay``: step through recorded games."""

from __future__ import annotations

import dataclasses
import functools
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mammalath_env.cli.analyze import analyze_records
from mammalath_env.cli.messages import as_typed
from mammalath_env.cli.options import (
    DEFAULT_SIZE,
    AsciiOption,
    DelayOption,
    JsonOption,
    PixelsOption,
    check_files,
)
from mammalath_env.cli.saved_games import read_file, read_game
from mammalath_env.cli.terminal import (
    default_delay,
    draw,
    helpful_errors,
    mistake,
    print_json,
    say,
    tell,
)
from mammalath_env.core.texts import printable_lines

if TYPE_CHECKING:
    from mammalath_env.arena.analysis import GameAnalysis
    from mammalath_env.arena.records import GameRecord
    from mammalath_env.rendering.replay import ReplayGame

_KEYS = "Enter next, b back, n next game, q quit"


def replay(
    file: Annotated[Path, typer.Argument(help="File of records, one JSON line a game.")],
    game_number: Annotated[
        int | None, typer.Option("--game", min=1, help="Show this game of the file alone.")
    ] = None,
    delay: DelayOption = None,
    keys: Annotated[bool, typer.Option(help=f"Wait for a key: {_KEYS}.")] = False,
    ascii_only: AsciiOption = False,
    as_json: JsonOption = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a page to step through the games instead.")
    ] = None,
    gif: Annotated[
        Path | None, typer.Option(help="Write a game as an animated picture instead.")
    ] = None,
    size: PixelsOption = DEFAULT_SIZE,
    analyze: Annotated[
        str | None,
        typer.Option(help="Analyze the games of the page by this agent: mcts:simulations=2000."),
    ] = None,
) -> None:
    """Check a file of records, or one game of it, and show its games move by move."""
    check_files(as_json, file, html=html, gif=gif)
    if analyze is not None and html is None:
        raise mistake("--analyze is for pages: --html names one; see also mammalath analyze")
    cut = None
    with helpful_errors():
        if game_number is None:
            records, cut = read_file(file)
        else:
            records = [read_game(file, game_number)]
    if cut is not None:
        typer.echo(printable_lines(as_typed(cut)), err=True)
    if not records:
        raise mistake(f"{file} holds no games")
    if html is not None or gif is not None:
        with helpful_errors():
            write_pictures(records, gif, size, delay)
        if html is not None:
            write_page(
                html, records, None if analyze is None else analyze_records(records, analyze)
            )
        return
    if as_json:
        print_json(
            [
                {
                    "game": record.game.name,
                    "players": record.players,
                    "seed": record.deal_seed,
                    "winner": record.winner,
                    "reason": record.reason,
                    "offender": record.offender,
                    "detail": record.detail,
                    "positions": [position.to_text() for position in record.positions()],
                    "moves": record.moves,
                }
                for record in records
            ]
        )
        return
    first = 1 if game_number is None else game_number
    if keys:
        step_through(records, first, ascii_only)
        return
    for number, record in enumerate(records, start=first):
        introduce(number, record)
        run(pictures(record, ascii_only), default_delay(delay))
        tell(f"{describe_result(record)}\n")


def introduce(number: int, record: GameRecord) -> None:
    """Say which game it is, who plays, and of which deal."""
    tell(f"Game {number}, {record.game.title}: {' against '.join(record.players)}")
    say(f"{describe_seed(record)}deal {record.start}")


def step_through(records: list[GameRecord], first: int, ascii_only: bool) -> None:
    """Show games with keys, back and forth; `first` is the number of the first one."""
    index, at_end = 0, False
    while index < len(records):
        record = records[index]
        introduce(first + index, record)
        step = step_with_keys(pictures(record, ascii_only), at_end)
        if step == 0:
            return
        if step > 0:
            tell(f"{describe_result(record)}\n")
        at_end = step < 0 and index > 0
        index = max(index + step, 0)


def write_pictures(
    records: list[GameRecord], gif: Path | None, size: int, delay: float | None
) -> None:
    """Write an animated picture, if one is wanted, and say where."""
    if gif is not None:
        if len(records) > 1:
            raise mistake(
                f"an animated picture shows one game: choose one of {len(records)} with --game"
            )
        from mammalath_env.rendering.animation import render_gif

        seconds = 1.0 if delay is None else delay
        positions, actions = records[0].positions(), records[0].actions()
        gif.write_bytes(render_gif(positions, actions, size=size, seconds=seconds))
        say(f"wrote {gif}")


def write_page(
    path: Path, records: list[GameRecord], games: Sequence[GameAnalysis] | None = None
) -> None:
    """Write a page to step through games, with their analyses if there are any, and say where."""
    from mammalath_env.rendering.replay import replay_page

    pages = map(replay_game, records) if games is None else map(analyzed_game, games)
    with helpful_errors():
        path.write_text(replay_page(list(pages)), encoding="utf-8")
    say(f"wrote {path}")


def replay_game(record: GameRecord) -> ReplayGame:
    """Return a record as a game for the page."""
    from mammalath_env.rendering.replay import ReplayGame

    turns = list(record.replay())
    return ReplayGame(
        positions=[position for position, _ in turns],
        actions=[action for _, action in turns if action is not None],
        players=record.players,
        result=describe_result(record),
        evaluations=record.evaluations,
    )


def analyzed_game(game: GameAnalysis) -> ReplayGame:
    """Return a game for the page with notes on its moves."""
    from mammalath_env.rendering.replay import MoveNote

    notes = [
        MoveNote(
            value_lost=move.value_lost,
            is_blunder=move.is_blunder,
            remark=", ".join(move.remarks),
            better=None if move.better is None else move.better.action,
        )
        for move in game.moves
    ]
    return dataclasses.replace(replay_game(game.record), notes=notes)


def describe_seed(record: GameRecord) -> str:
    """Return the beginning of the line about the deal: its seed, if the record has one."""
    return "" if record.deal_seed is None else f"seed {record.deal_seed}, "


def describe_result(record: GameRecord) -> str:
    """Return who won and why, in a sentence of the rules or as a forfeit with its details."""
    end = record.positions()[-1]
    reason = record.game.describe_end(end) if end.is_over else record.reason
    if record.winner is None:
        return f"{'Drawn' if record.is_draw else 'No result'}: {reason}"
    side = record.game.player_names[record.winner]
    detail = "" if record.detail is None else f" ({record.detail})"
    return f"{record.players[record.winner]} ({side}) won: {reason}{detail}"


def pictures(record: GameRecord, ascii_only: bool) -> Sequence[Callable[[], str]]:
    """Return functions that draw the positions of a game with the moves that led to them."""
    from mammalath_env.rendering import with_last_moves

    plies = with_last_moves(record.positions(), record.actions())
    return [functools.partial(draw, *ply, ascii_only=ascii_only) for ply in plies]


def run(frames: Sequence[Callable[[], str]], delay: float) -> None:
    """Show pictures in turn, `delay` seconds apart."""
    for ply, frame in enumerate(frames):
        if ply:
            time.sleep(delay)
        typer.echo(frame() + "\n")


def step_with_keys(frames: Sequence[Callable[[], str]], at_end: bool = False) -> int:
    """Show the picture that each key selects, from the first one, or from the last.

    Returns:
        1 to continue with the next game, -1 with the one before, 0 to quit.
    """
    if not sys.stdin.isatty():
        raise mistake("--keys needs a terminal")
    ply = len(frames) - 1 if at_end else 0
    typer.echo(f"{_KEYS}\n\n{frames[ply]()}")
    while True:
        try:
            key = typer.getchar()
        except (EOFError, KeyboardInterrupt):  # Ctrl-D and Ctrl-C
            return 0
        if key == "q":
            return 0
        if key == "n":
            return 1
        if key in ("b", "\x1b[D"):
            if ply == 0:
                return -1
            ply -= 1
        elif ply == len(frames) - 1:
            return 1
        else:
            ply += 1
        typer.echo(f"\n{frames[ply]()}")
