"""Agents that are plain functions of a position."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from mammalath_env.core.position import Position


class FunctionAgent:
    """A function of a position, such as ``lambda position: position.legal_moves()[0]``.

    A match takes it too, for a function that needs another name than its own. It is not made anew
    for every game: what the function remembers, all games share that one process plays.

    Attributes:
        function: Returns a legal action of a position, as its number or as a move in notation.
        name: For tables, pictures and records.
    """

    def __init__(self, function: Callable[[Position], int | str], name: str | None = None) -> None:
        """Take the function; without a name it has the function's own, or "function"."""
        self.function = function
        self.name = name or str(getattr(function, "__qualname__", "function"))

    def act(self, position: Position) -> int | str:
        """Return what the function does."""
        return self.function(position)


def takes_position(given: object) -> TypeGuard[Callable[[Position], int | str]]:
    """Return whether `given` is a function of a position.

    It is if its first parameter is named ``position`` or annotated as a `Position`. Classes never
    are, and every other callable is something else: in contests, a factory of a seed.

    Raises:
        TypeError: The name and the annotation contradict each other.
    """
    first = first_parameter(given)
    if first is None or isinstance(given, type):
        return False
    kind = first.annotation
    # A string under "from __future__ import annotations".
    kind_name = kind if isinstance(kind, str) else getattr(kind, "__name__", "")
    kind_name = kind_name.strip("'\"").rpartition(".")[2]
    if (first.name, kind_name) in (("position", "int"), ("seed", "Position")):
        raise TypeError(
            f"{given!r} may be a function of a position or of a seed: its first parameter is "
            f"named {first.name!r} and annotated {kind_name!r}"
        )
    return first.name == "position" or kind_name == "Position"


def first_parameter(given: object) -> inspect.Parameter | None:
    """Return the first parameter of a callable, None if there is none or it is not known."""
    if not callable(given):
        return None
    call: Callable[..., Any] = given
    try:
        return next(iter(inspect.signature(call).parameters.values()), None)
    except (TypeError, ValueError):  # builtins may have no signature
        return None
