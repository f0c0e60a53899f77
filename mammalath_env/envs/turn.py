"""A turn in an environment: the transition with its rewards, or the end by an illegal action."""

from __future__ import annotations

from mammalath_env.core import status
from mammalath_env.core.bits import ZERO, Int8s, Words, expand_bits
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.position import Position
from mammalath_env.core.rules import Tables
from mammalath_env.core.transition import ILLEGAL, transition

ILLEGAL_ACTIONS = ("terminate", "raise")
"""What an environment does with an illegal action: end the game, or raise an error."""

ILLEGAL_TERMINATION = -1
"""The termination of a game that an illegal action ended."""


def reason_of(action: int, position: Position) -> str:
    """Return the ``reason`` in infos of a game that the illegal `action` ended in `position`."""
    try:
        position.play(action)
    except IllegalMoveError as error:
        return f"illegal action: {error}"
    raise AssertionError(f"action {action} is legal in {position!r}")


def short_reason_of(action: int) -> str:
    """Return the ``reason`` in infos of a batch, where a longer one would take too much time."""
    return f"illegal action {action}"


@kernel
def take_turn(
    tables: Tables, row: Words, legal: Words, action: int, illegal_reward: float
) -> tuple[int, float, float]:
    """Play `action` in a running game; an illegal one ends it.

    Args:
        tables: The game's constants.
        row: Position, changed in place unless the action is illegal.
        legal: Its legal set, changed likewise; empty once the game has ended.
        action: Any integer.
        illegal_reward: Reward of an illegal action; the other player gets 0.

    Returns:
        `ILLEGAL`, `RUNNING` or `OVER`, and the rewards of player 0 and of player 1.
    """
    mover = status.to_move(row)
    event, gain = transition(tables, row, legal, action)
    if event != ILLEGAL:
        return event, float(gain), 0.0 - float(gain)
    for k in range(len(legal)):
        legal[k] = ZERO
    if mover == 0:
        return event, illegal_reward, 0.0
    return event, 0.0, illegal_reward


@entry_kernel
def take_turn_and_write_mask(
    tables: Tables, row: Words, legal: Words, mask: Int8s, action: int, illegal_reward: float
) -> tuple[int, float, float, int]:
    """Take a turn, and write the legal set after it as int8[num_actions] of 0 and 1.

    Returns:
        What `take_turn` returns, and the player to move.
    """
    event, reward_0, reward_1 = take_turn(tables, row, legal, action, illegal_reward)
    expand_bits(legal, len(mask), mask)
    return event, reward_0, reward_1, status.to_move(row)
