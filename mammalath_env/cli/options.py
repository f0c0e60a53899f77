"""Options that commands share, and their values."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from mammalath_env.agents import option_value
from mammalath_env.cli.terminal import helpful_errors, mistake
from mammalath_env.core.checks import checked_choice
from mammalath_env.games import GAMES, make_game

if TYPE_CHECKING:
    from mammalath_env.core.game import Game
    from mammalath_env.core.position import Position

MAX_DELAY = 3600.0
"""Longest time between moves, in seconds."""

DEFAULT_SIZE = 480
"""Width of pictures in pixels; a copy, since `mammalath_env.rendering` is slow to load."""


def complete(choices: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that completes typed letters to one of the choices."""
    # Typer requires this name of the parameter.
    return lambda incomplete: [each for each in choices if each.startswith(incomplete)]


def check_delay(delay: float | None) -> float | None:
    """Return `delay` in seconds if it is in range."""
    if delay is not None and not 0.0 <= delay <= MAX_DELAY:
        raise mistake(f"a delay must be from 0 to {MAX_DELAY:.0f} seconds, not {delay}")
    return delay


def check_files(as_json: bool, source: Path | None = None, **files: Path | None) -> None:
    """Check files to write, each given by the name of its option, which is also its suffix.

    They exclude --json, and none of them may be `source`.
    """
    for name, path in files.items():
        if path is None:
            continue
        if as_json:
            raise mistake(f"choose one of --json and --{name}")
        if path.suffix.lower() != f".{name}":
            raise mistake(f"the name of the file must end in .{name}, not {str(path)!r}")
        if source is not None and path.exists() and path.samefile(source):
            raise mistake(f"{str(path)!r} is the file that is read")


@helpful_errors()
def check_game(name: str) -> str:
    """Return `name` if it is a game."""
    meant = [each for each in GAMES if name and each.endswith(f"_{name.lower()}")]
    if meant:
        raise ValueError(f"unknown game {name!r}; did you mean {meant[0]!r}?")
    return checked_choice("game", name, GAMES)


@helpful_errors()
def check_size(size: int) -> int:
    """Return `size` if it is a width for pictures."""
    from mammalath_env.rendering import checked_size

    return checked_size(size)


GameOption: TypeAlias = Annotated[
    str,
    typer.Option(
        help=f"Game: {', '.join(GAMES)}.", callback=check_game, autocompletion=complete(GAMES)
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
    int, typer.Option("--size", callback=check_size, help="Width of pictures in pixels.")
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


def build_game(name: str, options: list[str] | None) -> Game:
    """Return the game with its options, each given as ``name=value``."""
    found: dict[str, Any] = {}
    for text in options or []:
        option, equals, value = text.partition("=")
        if not equals:
            raise mistake(f"an option of a game is name=value, not {text!r}")
        if option in found:
            raise mistake(f"option {option!r} is given twice")
        found[option] = option_value(value)
    with helpful_errors():
        return make_game(name, **found)


@helpful_errors()
def read_position(
    game: Game, words: list[str] | None, seed: int | None = None
) -> tuple[Position, int | None]:
    """Return the position of a text, given as one word or several, or a deal without any.

    With a deal comes its seed, drawn if `seed` is None, so that it can be had again; with the
    position of a text comes None.
    """
    if words:
        return game.from_text(" ".join(" ".join(words).split())), None
    deal_seed = secrets.randbits(32) if seed is None else seed
    return game.deal(deal_seed), deal_seed
