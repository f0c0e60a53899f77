"""The table of games."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import TYPE_CHECKING, Any

from mammalath_env.core.checks import unknown_choice

if TYPE_CHECKING:
    from mammalath_env.core.game import Game

__all__ = ["GAMES", "make_game"]

# name: the callable that builds the game, as "module:attributes". Everything that exists once for
# each game (environments, tests, commands) reads this table. Text, so that the names are known
# before the compiler is loaded, which takes longer than all the rest of an import. A program may
# add a game of another package: its name then works for `make_game`, and so in files and commands.
GAMES: dict[str, str] = {
    "mammalath": "mammalath_env.games.mammalath.game:MammalathGame.mammalath",
    "mammalath_plus": "mammalath_env.games.mammalath.game:MammalathGame.plus",
    "mancala": "mammalath_env.games.mancala.game:MancalaGame.mancala",
}


def _check_name(name: str) -> None:
    if not isinstance(name, str) or name not in GAMES:
        raise ValueError(unknown_choice("game", name, GAMES))


def _builder(name: str) -> Any:
    """Return the callable that builds a game, a key of `GAMES`."""
    module_name, _, path = GAMES[name].partition(":")
    build = importlib.import_module(module_name)
    for attribute in path.split("."):
        build = getattr(build, attribute)
    return build


def option_names(name: str) -> list[str]:
    """Return the names of the options of a game.

    Raises:
        ValueError: There is no such game.
    """
    _check_name(name)
    return list(inspect.signature(_builder(name)).parameters)


@functools.lru_cache(maxsize=64)
def _make_game(name: str, options: tuple[tuple[str, Any, type], ...]) -> Game:
    known = option_names(name)
    for option, _, _ in options:
        if option not in known:
            raise TypeError(unknown_choice(f"option of {name}", option, known))
    from mammalath_env.core.game import Game

    game = _builder(name)(**{option: value for option, value, _ in options})
    if not isinstance(game, Game):
        raise TypeError(f"{GAMES[name]} did not return a Game")
    return game


def make_game(name: str, **options: Any) -> Game:
    """Return a game.

    Args:
        name: ``"mammalath"``, ``"mammalath_plus"`` or ``"mancala"``, or another key of `GAMES`.
        **options: Options of that game, such as ``swap_rule=False``.

    Returns:
        A game; equal to others of the same name and options, and often the same object.

    Raises:
        ValueError: There is no such game, or an option has a value that does not exist.
        TypeError: There is no such option, or its value has the wrong type.
    """
    _check_name(name)
    try:
        hash(tuple(options.values()))
    except TypeError:
        raise TypeError(f"options of {name} must be plain values: {options!r}") from None
    # With their types, as 0 and False would else be one key.
    key = tuple((option, options[option], type(options[option])) for option in sorted(options))
    return _make_game(name, key)


def checked_game(game: str | Game, options: dict[str, Any]) -> Game:
    """Return `game`, made with `options` if it is a name.

    Raises:
        TypeError: Options were given with a game, or the game has no such option.
        ValueError: There is no game of that name, or an option has a value that does not exist.
    """
    from mammalath_env.core.game import Game

    if isinstance(game, Game):
        if options:
            raise TypeError(f"options go with the name of a game, not with {game!r}")
        return game
    return make_game(game, **options)


def __dir__() -> list[str]:
    return __all__
