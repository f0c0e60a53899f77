"""Share the lanes of a batch among threads.

The threads wait on locks, which hands work over several times faster than an executor's queue
does. There is one crew of them in a process; after a fork the child starts its own.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable

Task = Callable[[int, int], None]
"""Works on the lanes from its first argument to its second, exclusive."""


class _Worker:
    """A thread that runs one task at a time."""

    def __init__(self) -> None:
        self._go = threading.Lock()
        self._ready = threading.Lock()
        self._go.acquire()
        self._ready.acquire()
        self._task: Task | None = None
        self._bounds = (0, 0)
        self._error: BaseException | None = None
        threading.Thread(target=self._loop, name="mammalath-lanes", daemon=True).start()

    def _loop(self) -> None:
        while True:
            self._go.acquire()
            task = self._task
            assert task is not None
            try:
                task(*self._bounds)
            except BaseException as error:
                self._error = error
            # Nothing of the batch is kept alive while the thread waits.
            task = self._task = None
            self._ready.release()

    def start(self, task: Task, first: int, last: int) -> None:
        self._task = task
        self._bounds = first, last
        self._go.release()

    def join(self) -> BaseException | None:
        """Wait for the end of the task and return its error."""
        self._ready.acquire()
        error, self._error = self._error, None
        return error

    def outwait(self) -> None:
        """Wait for the end of the task whatever signals arrive."""
        while self._task is not None:
            with contextlib.suppress(BaseException):
                time.sleep(1e-4)


class _Crew:
    """The workers of this process, used by one batch at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.workers: list[_Worker] = []


_crew = _Crew()


def _forget_crew() -> None:
    """Start over in a forked child, where the threads of the parent do not exist."""
    global _crew
    _crew = _Crew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_crew)


def default_num_threads() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share_out(task: Task, num_lanes: int, num_threads: int) -> None:
    """Run `task` over all lanes, in `num_threads` slices of equal size.

    The caller's thread works on the first slice. If another thread has the crew just then, it
    works on all of them.

    Args:
        task: Must give the same result however lanes are sliced.
        num_lanes: How many lanes there are.
        num_threads: How many slices to make, 1 or more.
    """
    crew = _crew
    if num_threads <= 1 or not crew.lock.acquire(blocking=False):
        task(0, num_lanes)
        return
    try:
        while len(crew.workers) < num_threads - 1:
            crew.workers.append(_Worker())
        bounds = [num_lanes * k // num_threads for k in range(num_threads + 1)]
        helpers = crew.workers[: num_threads - 1]
        for worker, first, last in zip(helpers, bounds[1:], bounds[2:], strict=False):
            worker.start(task, first, last)
        try:
            task(bounds[0], bounds[1])
        finally:
            errors = []
            for worker in helpers:
                try:
                    error = worker.join()
                except BaseException as interrupt:
                    # A signal handler has raised. Nobody may work on the lanes any more when the
                    # caller goes on, and what the locks of this crew say is not known.
                    error = interrupt
                    worker.outwait()
                    _forget_crew()
                if error is not None:
                    errors.append(error)
        if errors:
            raise errors[0]
    finally:
        crew.lock.release()
