"""Options that commands share, and how errors reach the person at the terminal."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from mammalath_env.agents import AGENTS, Agent, make_agent, option_value, parse_agent, require_plays
from mammalath_env.arena.faults import describe_error
from mammalath_env.core.checks import unknown_choice
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.games import GAMES, make_game
from mammalath_env.rendering import SIZES, render_ansi

AGENT_HELP = f"{', '.join(AGENTS)}, or module:class; options as in mcts:simulations=2000"


MAX_DELAY = 3600.0
"""Longest time between moves, in seconds."""

_MAX_MESSAGE = 1000


@contextlib.contextmanager
def helpful_errors() -> Iterator[None]:
    """Show what a user did wrong as a message and exit code 2, without a traceback."""
    try:
        yield
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        message = str(error)
        if len(message) > _MAX_MESSAGE:
            message = message[: _MAX_MESSAGE - 3] + "..."
        raise typer.BadParameter(message) from error


def check_agent(text: str) -> str:
    """Return `text` if it names an agent that can be made with its options."""
    _make_agent(text, 0, None)
    return text


def _make_agent(text: str, seed: int | None, game: Game | None) -> Agent:
    """Return an agent, or show why it cannot be made or cannot play the game."""
    try:
        with helpful_errors():
            parse_agent(text)
        agent = make_agent(text, seed)
        if game is not None:
            require_plays(agent, game)
    except (typer.BadParameter, KeyboardInterrupt):
        raise
    except BaseException as error:  # it may be anyone's code
        raise typer.BadParameter(f"agent {text!r}: {describe_error(error)}") from error
    return agent


def complete(choices: Callable[[], list[str]]) -> Callable[[str], list[str]]:
    """Return a function that completes what was typed to one of the choices."""
    # Typer looks at the parameter's name.
    return lambda incomplete: [each for each in choices() if each.startswith(incomplete)]


def check_delay(delay: float | None) -> float | None:
    """Return `delay` if it can be waited for."""
    if delay is not None and not 0.0 <= delay <= MAX_DELAY:
        raise typer.BadParameter(f"a delay must be from 0 to {MAX_DELAY:.0f} seconds, not {delay}")
    return delay


def check_no_files(as_json: bool, **files: Path | None) -> None:
    """Check that no file, by the name of its option, is to be written where JSON is printed."""
    for name, path in files.items():
        if as_json and path is not None:
            raise typer.BadParameter(f"choose one of --json and --{name}")


def check_game(name: str) -> str:
    """Return `name` if it is a game."""
    if name not in GAMES:
        raise typer.BadParameter(unknown_choice("game", name, GAMES))
    return name


AgentArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        help=f"An agent: {AGENT_HELP}.",
        callback=check_agent,
        autocompletion=complete(lambda: list(AGENTS)),
    ),
]
GameOption: TypeAlias = Annotated[
    str,
    typer.Option(
        help=f"Game: {', '.join(GAMES)}.",
        callback=check_game,
        autocompletion=complete(lambda: list(GAMES)),
    ),
]
GameOptions: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", help="Option of the game, such as swap_rule=false."),
]
SeedOption: TypeAlias = Annotated[
    int | None, typer.Option(min=0, help="Seed of deals and agents; random if left out.")
]
DelayOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        callback=check_delay,
        help="Seconds between moves; by default 0.5 in a terminal and 0 elsewhere.",
    ),
]
AsciiOption: TypeAlias = Annotated[
    bool, typer.Option("--ascii", help="Draw with ASCII characters and without colours.")
]
PixelsOption: TypeAlias = Annotated[
    int,
    typer.Option("--size", min=SIZES[0], max=SIZES[-1], help="Width of pictures in pixels."),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


def build_game(name: str, options: list[str] | None) -> Game:
    """Return the game with options given as ``name=value``."""
    found: dict[str, Any] = {}
    for text in options or []:
        option, equals, value = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"an option of a game is name=value, not {text!r}")
        if option in found:
            raise typer.BadParameter(f"option {option!r} is given twice")
        found[option] = option_value(value)
    with helpful_errors():
        return make_game(name, **found)


def build_agent(name: str, seed: int | None, game: Game) -> Agent:
    """Return the agent of this name, which has to be able to play the game."""
    return _make_agent(name, seed, game)


def read_position(game: Game, words: list[str] | None, seed: int | None = None) -> Position:
    """Return the position whose text is given, as one word or several, or a deal without any."""
    with helpful_errors():
        if not words:
            return game.deal(seed)
        return game.from_text(" ".join(" ".join(words).split()))


def check_output(path: Path | None, suffix: str, source: Path | None = None) -> None:
    """Check that a file to write is called as its format is, and is not the one that is read."""
    if path is None:
        return
    if path.suffix.lower() != suffix:
        raise typer.BadParameter(f"the name of the file must end in {suffix}, not {str(path)!r}")
    if source is not None and path.exists() and path.samefile(source):
        raise typer.BadParameter(f"{str(path)!r} is the file that is read")


def draw(
    position: Position,
    previous: Position | None = None,
    action: int | None = None,
    *,
    ascii_only: bool = False,
) -> str:
    """Return a picture with colours if standard output is a terminal."""
    color = None if sys.stdout.isatty() else False
    return render_ansi(position, previous, action, color=color, ascii_only=ascii_only)


def default_delay(delay: float | None) -> float:
    """Return `delay` in seconds, or half a second in a terminal and none elsewhere."""
    if delay is not None:
        return delay
    return 0.5 if sys.stdout.isatty() else 0.0


def print_json(value: Any) -> None:
    """Print `value` as JSON on one line."""
    typer.echo(json.dumps(value))
