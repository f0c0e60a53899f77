"""Agents of another module, some of which take down the process that they run in."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from mammalath_env.agents import RandomAgent
from mammalath_env.agents.limits import Limits
from mammalath_env.core.position import Position

MOVES_BEFORE = 3


class Guest(RandomAgent):
    """Plays at random, and does something else after `MOVES_BEFORE` moves of a game."""

    name = "guest"

    def __init__(self, seed: int) -> None:
        """Start a game."""
        super().__init__(seed)
        self._left = MOVES_BEFORE

    def act(self, position: Position) -> int:
        """Return a legal action."""
        self._left -= 1
        if self._left < 0:
            self.misbehave()
        return super().act(position)

    def misbehave(self) -> None:
        """Do nothing."""


class Leaving(Guest):
    """Ends its process."""

    def misbehave(self) -> None:
        """End it without a word."""
        os._exit(7)


class Crashing(Guest):
    """Crashes as a broken library does."""

    def misbehave(self) -> None:
        """Abort."""
        os.abort()


class Hanging(Guest):
    """Never answers, and has started another process."""

    def misbehave(self) -> None:
        """Write the numbers of both processes, and sleep."""
        child = subprocess.Popen(["sleep", "3600"], start_new_session=True)
        with Path(os.environ["PROCESSES"]).open("a", encoding="utf-8") as file:
            print(os.getpid(), child.pid, file=file)
        time.sleep(3600)


class Talking(Guest):
    """Writes to standard output, by Python and by another program, and reads standard input."""

    def misbehave(self) -> None:
        """Say something."""
        print("hello")
        subprocess.run([sys.executable, "-c", "print('hello')"], check=True)
        assert sys.stdin.read() == ""


class OutOfMemory(Guest):
    """Meets a fault of the machine."""

    def misbehave(self) -> None:
        """Have no memory."""
        raise MemoryError


class Slow(Guest):
    """Takes its time for one move."""

    def misbehave(self) -> None:
        """Sleep for a while."""
        if self._left == -1:
            time.sleep(0.5)


class Counting(Guest):
    """Plays at random; its value is a tenth of how many of it were made in this process.

    Attributes:
        made: How many.
    """

    made = 0

    def __init__(self, seed: int) -> None:
        """Count."""
        super().__init__(seed)
        Counting.made += 1
        self.last_value = Counting.made / 10


class Asked(Guest):
    """Plays at random, with the time that it has, a hundredth of it, as the value."""

    last_value: float | None = None

    def act_within(self, position: Position, limits: Limits) -> int:
        """Return a legal action."""
        seconds = limits.seconds_for(position.to_move)
        self.last_value = None if seconds > 100 else seconds / 100
        return super().act(position)


class Unmade(Guest):
    """Cannot be made for a game, though it can for the check before."""

    def __init__(self, seed: int) -> None:
        """End the process."""
        super().__init__(seed)
        if seed:
            os._exit(9)


class Forking(Guest):
    """Has a child that ends by an exception, as programs do."""

    def misbehave(self) -> None:
        """Fork, and leave the child."""
        if os.name == "posix":
            child = os.fork()
            if child == 0:
                sys.exit(0)
            os.waitpid(child, 0)


class _OwnMemoryError(MemoryError):
    def __init__(self, wanted: int, unit: str) -> None:
        super().__init__(f"no {wanted} {unit}")


class OutOfOwnMemory(Guest):
    """Meets a fault of the machine that cannot be read when it was pickled."""

    def misbehave(self) -> None:
        """Have no memory."""
        raise _OwnMemoryError(3, "GB")


class Orphaned(Guest):
    """Kills the process that watches over it."""

    def misbehave(self) -> None:
        """Kill the parent, and go on for ever."""
        with Path(os.environ["PROCESSES"]).open("a", encoding="utf-8") as file:
            print(os.getpid(), file=file)
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(3600)


def failing_search(seed: int) -> RandomAgent:
    """Return an agent of the package that fails."""
    agent = RandomAgent(seed)
    agent.act = lambda position: 1 // 0  # type: ignore[method-assign]
    return agent


@dataclasses.dataclass
class Factory:
    """Makes agents; it cannot be hashed."""

    skill: float
    name: str = "factory"
    in_own_process: bool = True

    def __call__(self, seed: int) -> RandomAgent:
        """Return an agent."""
        return RandomAgent(seed)


class Ending(RandomAgent):
    """Has a method that means nothing to contests."""

    name = "ending"

    def end_game(self) -> None:
        """Fail if it is called."""
        raise AssertionError("called")
