"""The protocol of agents, and checks of agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, SupportsIndex, TypeGuard, runtime_checkable

from mammalath_env.agents.function import takes_position
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.errors import GameOverError

if TYPE_CHECKING:
    from mammalath_env.agents.limits import Limits
    from mammalath_env.core.game import Game
    from mammalath_env.core.position import Position


@runtime_checkable
class Agent(Protocol):
    """Something that chooses actions.

    An agent that evaluates positions may also have an attribute ``last_value``: its value of the
    last position for the player to move, from -1 to 1, or None. Records keep it.

    Attributes:
        name: A short name for tables and pictures.
    """

    name: str

    def act(self, position: Position) -> int:
        """Return a legal action of the player to move.

        Raises:
            GameOverError: The game is over.
        """


class TextAgent(Protocol):
    """An agent that may also answer with a move in notation, such as ``"c4"``.

    Whatever asks agents takes these too, through `chosen_action`; every `Agent` is one.

    Attributes:
        name: As for `Agent`.
    """

    name: str

    def act(self, position: Position) -> int | str:
        """Return a legal action of the player to move, as its number or in notation."""


def act_within(agent: TextAgent, position: Position, limits: Limits | None) -> int | str:
    """Ask an agent for a move with limits, which one without a method ``act_within`` ignores.

    Args:
        agent: Its ``act_within(position, limits)`` is what ``act(position)`` is, but ends within
            the limits. All agents of the package that search have it.
        position: Where the game is not over.
        limits: What the move may take; None for nothing but the agent's own limits.

    Raises:
        Exception: Whatever the agent raises.
    """
    within = None if limits is None else getattr(agent, "act_within", None)
    answer: int | str = agent.act(position) if within is None else within(position, limits)
    return answer


def is_agent(given: object) -> TypeGuard[TextAgent]:
    """Return whether `given` has a method ``act`` and is no class; it needs no name."""
    return hasattr(given, "act") and not isinstance(given, type)


def chosen_action(agent: TextAgent | Callable[[Position], int | str], position: Position) -> int:
    """Ask an agent or a function of a position, and return the action that it chose, legal or not.

    Raises:
        TypeError: It is neither (`make_agent` makes an agent of a text, a class or a factory), or
            it answered with neither an integer nor a text.
        InvalidMoveError: Its text is not a move of the game.
        Exception: Whatever the agent raises.
    """
    if is_agent(agent):
        return as_action(agent.act(position), position)
    if takes_position(agent):
        return as_action(agent(position), position)
    raise TypeError(
        "expected an agent, or a function whose first parameter is named 'position', "
        f"not {agent!r}; make_agent makes an agent of a text, a class or a factory"
    )


def as_action(answer: SupportsIndex | str, position: Position) -> int:
    """Return an agent's answer, a number or a move in notation, as a number, legal or not.

    Raises:
        TypeError: It is neither an integer nor a text.
        InvalidMoveError: The text is not a move of the game.
    """
    if isinstance(answer, str):
        return position.game.parse_move(answer, position)
    try:
        return checked_integer("an action", answer)
    except TypeError:
        hint = ": is a return missing?" if answer is None else ""
        raise TypeError(
            f"an answer must be an integer, the number of a legal action, or its text, "
            f"not {answer!r}{hint}"
        ) from None


def require_plays(agent: TextAgent, game: Game) -> None:
    """Check that an agent can play a game.

    An agent that cannot play every game says so by a method ``check_game(game)`` that raises.

    Raises:
        ValueError: It cannot play this one.
        ImportError: It needs a library that is not installed.
    """
    check = getattr(agent, "check_game", None)
    if check is not None:
        check(game)


def require_running(position: Position) -> None:
    """Check that there is an action to choose.

    Raises:
        GameOverError: The game is over.
    """
    if position.is_over:
        raise GameOverError(f"no action to choose after the end: {position.to_text()!r}")
