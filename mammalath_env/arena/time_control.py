"""Time controls of contests, and the clocks of a game."""

from __future__ import annotations

import dataclasses
import re

from mammalath_env.agents.limits import Clock, Limits
from mammalath_env.core.checks import checked_number

MAX_SECONDS = 1e6
"""Longest time of a time control, in seconds."""

DEFAULT_MARGIN = 0.05
DEFAULT_TIMEOUT = 60.0

# A clock may be at 0, and the margin too.
_SHORTEST_TIMEOUT = 0.001

_CLOCK = re.compile(r"([0-9.]+)(?:\+([0-9.]+))?")


@dataclasses.dataclass(frozen=True)
class TimeControl:
    """How much time players have, in seconds.

    Attributes:
        move_seconds: Time for each move; None for no such limit.
        clock: Time for all moves of a player; None for no clock.
        increment: What a player gets on the clock after each move.
        margin: What a move may take beyond its time before the game is lost: starting and stopping
            takes time, too.
        timeout: Without a limit of time, what an agent in another process has for a move.
    """

    move_seconds: float | None = None
    clock: float | None = None
    increment: float = 0.0
    margin: float = DEFAULT_MARGIN
    timeout: float = DEFAULT_TIMEOUT

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            TypeError: One has the wrong type.
            ValueError: One is out of range, there are both kinds of time, or an increment without
                a clock.
        """
        for name in ("move_seconds", "clock", "timeout"):
            value = getattr(self, name)
            if value is not None:
                checked_number(name, value, above=0, highest=MAX_SECONDS)
        for name in ("increment", "margin"):
            checked_number(name, getattr(self, name), 0, MAX_SECONDS)
        if self.move_seconds is not None and self.clock is not None:
            raise ValueError("a time control has a time for each move or a clock, not both")
        if self.clock is None and self.increment > 0:
            raise ValueError("an increment needs a clock")

    @property
    def is_timed(self) -> bool:
        """Whether time is limited, so that games can be lost on time."""
        return self.move_seconds is not None or self.clock is not None

    @property
    def text(self) -> str | None:
        """The time as ``"60+0.5"`` for a clock, ``"1/move"`` for each move, or None."""
        if self.clock is not None:
            return f"{self.clock:g}+{self.increment:g}"
        return None if self.move_seconds is None else f"{self.move_seconds:g}/move"


UNTIMED = TimeControl()
"""No limit of time."""


def parse_clock(text: str) -> tuple[float, float]:
    """Return the seconds and the increment in a text such as ``"60+0.5"`` or ``"60"``.

    Raises:
        ValueError: It has another form.
    """
    found = _CLOCK.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        return float(found[1]), float(found[2] or 0)
    except ValueError:
        raise ValueError(
            f"a clock must be seconds and an increment, as in 60+0.5, not {text!r}"
        ) from None


class GameClocks:
    """The clocks of the two players in a game.

    Attributes:
        control: The time control.
    """

    def __init__(self, control: TimeControl) -> None:
        """Start with the time of the time control."""
        self.control = control
        self._remaining = [control.clock, control.clock]

    def limits(self, player: int) -> Limits:
        """Return what the next move of `player` may take."""
        control = self.control
        one, other = self._remaining
        if one is None or other is None:
            timeout = control.timeout
            if control.move_seconds is not None:
                timeout = control.move_seconds + control.margin
            return Limits(seconds=control.move_seconds, timeout=timeout)
        clock = Clock((one, other), (control.increment, control.increment))
        timeout = max(clock.remaining[player] + control.margin, _SHORTEST_TIMEOUT)
        return Limits(clock=clock, timeout=timeout)

    def spend(self, player: int, seconds: float) -> str | None:
        """Take the time of a move from the clock of `player`.

        Returns:
            What is wrong if it took too long, else None.
        """
        control = self.control
        left = self._remaining[player]
        allowed = control.move_seconds if left is None else left
        if allowed is None:
            return None
        if seconds > allowed + control.margin:
            return f"took {seconds:.3f} of {allowed:.3f} seconds"
        if left is not None:
            self._remaining[player] = max(left - seconds, 0.0) + control.increment
        return None
