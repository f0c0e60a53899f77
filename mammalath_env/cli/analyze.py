"""``mammalath analyze``: the best moves of positions, and what the moves of games have lost."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from mammalath_env.agents import AGENTS
from mammalath_env.cli.agents import AGENT_HELP, NamedAgent, build_agent, prints_to_stderr
from mammalath_env.cli.messages import as_typed
from mammalath_env.cli.options import (
    GameOption,
    GameOptions,
    JsonOption,
    build_game,
    check_files,
    complete,
    read_position,
)
from mammalath_env.cli.positions import describe_deal
from mammalath_env.cli.saved_games import read_file
from mammalath_env.cli.session import DEFAULT_ANALYST
from mammalath_env.cli.terminal import (
    busy,
    helpful_errors,
    mistake,
    print_json,
    print_table,
    say,
    tell,
)
from mammalath_env.core.texts import printable, printable_lines

if TYPE_CHECKING:
    from mammalath_env.arena.analysis import GameAnalysis, PositionAnalysis
    from mammalath_env.arena.records import GameRecord
    from mammalath_env.arena.specs import AgentSpec
    from mammalath_env.core.game import Game

DEFAULT_MULTIPV = 5
"""Most moves that are shown of a position."""

_SHOWN_PLIES = 8
"""Most moves of a variation in a table."""


def analyze(
    target: Annotated[
        list[str] | None,
        typer.Argument(
            help="Text of a position, quoted or not, a file of records, or - for queries on "
            "standard input; a deal if left out."
        ),
    ] = None,
    agent: Annotated[
        str,
        typer.Option(
            help=f"An agent that analyzes, all but random and engines: {AGENT_HELP}.",
            autocompletion=complete(AGENTS),
        ),
    ] = DEFAULT_ANALYST,
    multipv: Annotated[
        int, typer.Option(min=1, help="Largest number of moves to show for a position.")
    ] = DEFAULT_MULTIPV,
    game: GameOption = "mammalath",
    option: GameOptions = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of a deal, random if left out, and of the agent, else 0."),
    ] = None,
    jobs: Annotated[
        int, typer.Option(help="Positions to analyze at a time; -1 for one per core.")
    ] = 1,
    as_json: JsonOption = False,
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Answer queries on standard input, as - does.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a page to step through the games instead.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="Append the games to this file, with their evaluations.")
    ] = None,
) -> None:
    """Show the best moves of a position, or what each move of recorded games has lost.

    Values are win probabilities of the player to move; a draw counts as half a win.
    """
    queries = stdin or target == ["-"]
    if stdin and target not in (None, ["-"]):
        raise mistake("choose one of --stdin and a position or a file")
    jobs = _checked_jobs(jobs)
    source = None if queries else _file_of(target)
    if source is None and (html is not None or record is not None):
        raise mistake("--html and --record are for files of records")
    check_files(as_json, source, html=html)
    if queries:
        answer_queries(agent, game, multipv, jobs, seed or 0)
    elif source is not None:
        games = analyze_file(source, agent, multipv, seed or 0, jobs)
        show_games(games, as_json=as_json, html=html, record=record)
    else:
        found_game = build_game(game, option)
        position, deal_seed = read_position(found_game, target, seed)
        if position.is_over:
            raise mistake(f"the game is over: {found_game.describe_end(position)}")
        from mammalath_env.arena.analysis import analyze_position

        spec = analyst(agent, found_game)
        with busy(f"{agent} analyzes"), _errors_of(agent), prints_to_stderr():
            analysis = analyze_position(position, spec, multipv=multipv, seed=seed or 0)
        if as_json:
            about = {"game": game, "options": found_game.options, "agent": agent}
            print_json({**about, "seed": deal_seed, **analysis.to_data()})
            return
        say(describe_deal(position, deal_seed, seed) or position.to_text())
        show_lines(analysis)


def _checked_jobs(jobs: int) -> int:
    """Return how many positions to analyze at a time."""
    if jobs == 0 or jobs < -1:
        raise mistake(f"--jobs must be a number of positions, or -1 for one per core, not {jobs}")
    return jobs if jobs > 0 else os.cpu_count() or 1


def _file_of(target: list[str] | None) -> Path | None:
    """Return the file that is meant, or None for a position."""
    if target is None or len(target) != 1:
        return None
    path = Path(target[0])
    with contextlib.suppress(OSError, ValueError):
        return path if path.suffix.lower() in (".jsonl", ".json") or path.exists() else None
    return None


def analyst(agent: str, game: Game) -> AgentSpec:
    """Return what makes an agent, checked to analyze positions of a game."""
    build_agent(agent, 0, game)
    spec = agent if agent.partition(":")[0] in AGENTS else NamedAgent(agent)
    from mammalath_env.arena.analysis import make_analyst

    with helpful_errors(), prints_to_stderr():
        make_analyst(spec, game)
    return spec


@contextlib.contextmanager
def _errors_of(agent: str) -> Iterator[None]:
    """Turn errors of an agent of another module into a `mistake`; ours are bugs, and stay."""
    try:
        yield
    except Exception as error:
        from mammalath_env.arena.faults import (
            PackageFaultError,
            describe_error,
            is_machine_fault,
            traceback_of,
        )

        if is_machine_fault(error):
            raise
        if agent.partition(":")[0] in AGENTS:
            raise PackageFaultError(f"agent {agent!r} of the package failed") from error
        if trace := traceback_of(error):
            typer.echo(printable_lines(trace), err=True)
        raise mistake(f"agent {agent!r}: {describe_error(error)}") from error


def analyze_file(path: Path, agent: str, multipv: int, seed: int, jobs: int) -> list[GameAnalysis]:
    """Return the games of a file, analyzed."""
    with helpful_errors():
        records, cut = read_file(path)
    if cut is not None:
        typer.echo(printable_lines(as_typed(cut)), err=True)
    if not records:
        raise mistake(f"{path} holds no games")
    return analyze_records(records, agent, multipv, seed, jobs)


def analyze_records(
    records: list[GameRecord],
    agent: str,
    multipv: int = DEFAULT_MULTIPV,
    seed: int = 0,
    jobs: int = 1,
) -> list[GameAnalysis]:
    """Return games, analyzed by the agent of a name; a bar on standard error shows how far."""
    from rich.console import Console
    from rich.progress import Progress

    from mammalath_env.arena.analysis import analyze_game

    specs = {record.game: analyst(agent, record.game) for record in records}
    console = Console(stderr=True)
    # As elsewhere, prints of an agent stay as they are.
    with Progress(
        console=console,
        transient=True,
        disable=not console.is_terminal,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as progress:
        bar = progress.add_task("moves", total=sum(len(record.moves) for record in records))
        with _errors_of(agent), prints_to_stderr():
            return [
                analyze_game(
                    record,
                    specs[record.game],
                    multipv=multipv,
                    seed=seed,
                    jobs=jobs,
                    on_move=lambda _: progress.advance(bar),
                )
                for record in records
            ]


def show_games(
    games: list[GameAnalysis],
    *,
    as_json: bool,
    html: Path | None = None,
    record: Path | None = None,
) -> None:
    """Print games that were analyzed, or write a page, and append them to a file of records."""
    if record is not None:
        from mammalath_env.arena.record_files import write_record

        with helpful_errors():
            for each in games:
                write_record(record, each.record)
    if html is not None:
        from mammalath_env.cli.replay import write_page

        write_page(html, [each.record for each in games], games)
        return
    if as_json:
        print_json([each.to_data() for each in games])
        return
    for number, each in enumerate(games, start=1):
        show_game(number, each)


def show_lines(analysis: PositionAnalysis) -> None:
    """Print the best moves of a position as a table."""
    from rich import box
    from rich.table import Table

    with_visits = any(line.visits is not None for line in analysis.lines)
    with_proofs = any(line.verdict is not None for line in analysis.lines)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("move", no_wrap=True)
    table.add_column("value", justify="right")
    if with_visits:
        table.add_column("visits", justify="right")
    if with_proofs:
        table.add_column("proven")
    table.add_column("goes on", overflow="fold")
    for line in analysis.lines:
        cells = [line.move, f"{line.value:.1%}"]
        if with_visits:
            cells.append("" if line.visits is None else str(line.visits))
        if with_proofs:
            cells.append(line.proof)
        following = line.moves[1 : 1 + _SHOWN_PLIES]
        more = " ..." if len(line.moves) > 1 + _SHOWN_PLIES else ""
        table.add_row(*cells, " ".join(following) + more)
    print_table(table)
    mover = analysis.position.game.player_names[analysis.position.to_move]
    tell(
        f"Values are win probabilities of {mover}; {analysis.nodes} nodes, depth {analysis.depth}."
    )


def show_game(number: int, game: GameAnalysis) -> None:
    """Print the moves of a game as a table, and what each player has lost."""
    from rich import box
    from rich.table import Table

    from mammalath_env.cli.replay import describe_result

    record = game.record
    tell(f"Game {number}, {record.game.title}: {' against '.join(record.players)}")
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("ply", justify="right")
    table.add_column("move", no_wrap=True)
    table.add_column("value", justify="right")
    table.add_column("lost", justify="right")
    table.add_column("better")
    table.add_column("")
    for ply, move in enumerate(game.moves, start=1):
        side = record.game.player_names[move.analysis.position.to_move]
        better = move.better
        table.add_row(
            str(ply),
            f"{side} {move.played.move}",
            f"{move.analysis.best.value:.0%}",
            "" if better is None else f"{move.value_lost:.0%}",
            "" if better is None else better.move,
            ", ".join([*(["blunder"] if move.is_blunder else []), *move.remarks]),
        )
    print_table(table)
    for player, side in enumerate(record.game.player_names):
        moves = game.moves_of(player)
        lost = sum(move.value_lost for move in moves) / max(len(moves), 1)
        tell(
            f"{side.capitalize()} ({printable(record.players[player])}) lost {lost:.1%} a move: "
            f"blunders {sum(move.is_blunder for move in moves)}, "
            f"missed wins {sum(move.missed_win for move in moves)}, "
            f"allowed wins {sum(move.allowed_win for move in moves)}"
        )
    tell(f"{describe_result(record)}\n")


def answer_queries(agent: str, game: str, multipv: int, jobs: int, seed: int) -> None:
    """Answer the lines on standard input until it ends."""
    from mammalath_env.arena.analysis_queries import AnalysisEngine

    spec = analyst(agent, build_game(game, None))
    with _standard_output() as output:

        def write(line: str) -> None:
            output.write(line + "\n")
            output.flush()

        engine = AnalysisEngine(write, spec, multipv=multipv, jobs=jobs, seed=seed)
        try:
            for line in typer.get_binary_stream("stdin"):
                if line.strip():
                    engine.handle(line.decode("utf-8", "replace"))
            engine.close()
        finally:
            engine.cancel()


@contextlib.contextmanager
def _standard_output() -> Iterator[IO[Any]]:
    """Give standard output to the result, while what agents print goes to standard error."""
    with contextlib.ExitStack() as stack:
        output: IO[Any] = sys.stdout
        with contextlib.suppress(OSError, ValueError):  # in a test it may be no file
            copy = os.dup(sys.stdout.fileno())
            output = stack.enter_context(os.fdopen(copy, "w", encoding="ascii", newline="\n"))
        stack.enter_context(prints_to_stderr())
        yield output
