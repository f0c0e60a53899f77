"""Processes that are kept from game to game, so that they need not be started for every one."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from mammalath_env.ugi.process import EngineProcess

MAX_IDLE = 8
"""Processes that are kept at most; others than the last ones are ended."""


class _Kept(Protocol):
    process: EngineProcess

    def quit(self) -> None:
        """End it."""


Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept", bound=_Kept)


class Pool(Generic[Key, Kept]):
    """Running processes that nobody uses, by what was started."""

    def __init__(self, start: Callable[[Key], Kept]) -> None:
        """Take the function that starts what belongs to a key; all are ended with Python."""
        self._start = start
        # The garbage collector may give back a process in the middle of a call.
        self._lock = threading.RLock()
        # The one that has waited longest first.
        self._idle: list[tuple[Key, Kept]] = []
        self._owner = os.getpid()
        atexit.register(self.quit_all)

    def take(self, key: Key) -> Kept:
        """Return a process that nobody uses, started if there is none; errors are those of it."""
        with self._lock:
            if self._owner != os.getpid():  # forked: they are the parent's
                self._idle.clear()
                self._owner = os.getpid()
            # Some may have ended since their last game.
            ended = [kept for _, kept in self._idle if kept.process.has_ended]
            self._idle = [each for each in self._idle if each[1] not in ended]
            places = [place for place, (known, _) in enumerate(self._idle) if known == key]
            found = self._idle.pop(places[-1])[1] if places else None
        for kept in ended:
            kept.process.close()
        return self._start(key) if found is None else found

    def give_back(self, key: Key, kept: Kept) -> None:
        """Keep a process for the next game, unless it has been ended."""
        with self._lock:
            if self._owner == os.getpid() and not kept.process.is_closed:
                self._idle.append((key, kept))
            too_many = self._idle[:-MAX_IDLE]
            del self._idle[:-MAX_IDLE]
        for _, oldest in too_many:
            oldest.quit()

    def quit_all(self) -> None:
        """End the processes that nobody uses."""
        with self._lock:
            idle = self._idle.copy()
            self._idle.clear()
        if self._owner == os.getpid():
            for _, kept in idle:
                kept.quit()
