"""Names of arguments and options: a misspelt one is answered with those that there are."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium

from mammalath_env.core.checks import nearest, unknown_choice
from mammalath_env.core.game import Game
from mammalath_env.games import checked_game, option_names

RESET_OPTIONS = ("first_player", "position")
"""What `reset` of one game reads in its options."""

BATCH_RESET_OPTIONS = (*RESET_OPTIONS, "positions", "reset_mask")
"""What `reset` of a batch reads in its options."""


@functools.cache
def keywords_of(*classes: type) -> tuple[str, ...]:
    """Return the keyword arguments of environments, but not ``game``.

    Of a class, these are the parameters of its constructor and of those that it inherits, as far
    as they take a game.
    """
    names: dict[str, None] = {}
    for base in (base for one in classes for base in one.__mro__):
        constructor = base.__dict__.get("__init__")
        if not inspect.isfunction(constructor):
            continue
        parameters = inspect.signature(constructor).parameters
        if "game" in parameters:
            names |= {
                name: None
                for name, parameter in parameters.items()
                if parameter.kind != parameter.VAR_KEYWORD and name not in ("self", "game")
            }
    return tuple(names)


def game_and_rest(
    game: str | Game, options: Mapping[str, Any], *classes: type
) -> tuple[Game, dict[str, Any]]:
    """Return a game, made with its share of `options`, and the other options.

    Args:
        game: A name for `make_game`, or a game.
        options: Arguments of an environment by keyword.
        *classes: The classes whose arguments the caller may give, the caller's first.

    Raises:
        TypeError: An option is neither an argument nor an option of the game; the message lists
            all of them. Or options of the game were given with a game.
        ValueError: There is no game of that name, or an option has a value that does not exist.
    """
    keywords = keywords_of(*classes)
    own = {name: value for name, value in options.items() if name not in keywords}
    # A game that is given has its options already.
    known = list(game.options) if isinstance(game, Game) else option_names(game)
    for name in own:
        if name not in known:
            if isinstance(game, Game):
                message = unknown_choice("argument", name, keywords)
                raise TypeError(
                    f"{message} (options go with the name of a game, not with {game!r})"
                )
            raise TypeError(unknown_choice("argument", name, (*keywords, *known)))
    rest = {name: value for name, value in options.items() if name in keywords}
    return checked_game(game, own), rest


def reset_options(
    options: Mapping[str, Any] | None, known: Sequence[str], game: Game, environment: type
) -> dict[str, Any]:
    """Return those options of `reset` that it reads and that say something, not None.

    A warning names those of the others that nearly have the name of a known one, or that of an
    argument of the environment or the game. The rest may be meant for a wrapper or come from a
    general test.

    Args:
        options: What `reset` was given.
        known: The options that it reads.
        game: The game of the environment.
        environment: The class of the environment.

    Raises:
        TypeError: The options are not a mapping.
        ValueError: Both a position and who moves first are given.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(
            f"options of reset() must be a dict, such as {{{known[0]!r}: 0}}, not {options!r}"
        )
    arguments = (*keywords_of(environment), *game.options)
    for name in options:
        if name in known:
            continue
        # Near enough for a slip, far enough for the words that libraries use themselves.
        near = nearest(name, known, cutoff=0.8)
        if near is not None:
            hint = f"did you mean {near!r}?"
        elif name in arguments:
            hint = "it is an argument of the environment"
        else:
            continue
        message = f"reset() ignores the option {name!r}; {hint}"
        gymnasium.logger.warn("%s", message, stacklevel=3)
    chosen = {name: options[name] for name in known if options.get(name) is not None}
    for position in ("position", "positions"):
        if position in chosen and "first_player" in chosen:
            raise ValueError(
                f"options['first_player'] and options[{position!r}] exclude each other: "
                "a position says who is to move"
            )
    return chosen
