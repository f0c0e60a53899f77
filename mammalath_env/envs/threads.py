"""Parallel loops over slices of a range, for kernels that release the interpreter's lock.

A call offers its slices to the workers of the process and runs those that no worker has claimed.
So it never depends on a worker: where all are busy, or none can be started, the caller does
everything.

Signal handlers run in the main thread, between any two of its instructions, and may raise: Ctrl-C
does. Within the `threading` and `concurrent.futures` modules that leaves locks taken for ever,
and threads waiting for them. The state here changes by single calls of C functions instead, which
can be repeated: claims by `dict.setdefault`, ends by a dictionary entry, waiting by `SimpleQueue`.
"""

from __future__ import annotations

import contextlib
import os
import threading
from _thread import start_new_thread
from collections.abc import Callable
from itertools import pairwise
from queue import SimpleQueue

Task = Callable[[int, int], None]
"""Works on the items from its first argument to its second, exclusive."""

_MOST_OFFERS = 1000  # that wait for workers


class _Job:
    """One call of `parallel_for`."""

    def __init__(self, task: Task, num_items: int, num_slices: int) -> None:
        bounds = [num_items * k // num_slices for k in range(num_slices + 1)]
        self.slices = list(pairwise(bounds))
        self.task: Task | None = task  # None once all slices have ended
        self._error: BaseException | None = None  # the caller's
        self._caller = object()
        self._owners: dict[int, object] = {0: self._caller}
        self._begun: set[int] = set()  # of the caller's slices
        self._ended: dict[int, BaseException | None] = {}  # of the workers', with their errors
        self._wakeups: SimpleQueue[None] = SimpleQueue()

    def help(self) -> None:
        """Run the slices that nobody has claimed, as a worker."""
        worker = object()
        for index, bounds in enumerate(self.slices):
            if self._owners.setdefault(index, worker) is not worker:
                continue
            try:
                assert self.task is not None
                self.task(*bounds)
            except BaseException as error:
                self._ended[index] = error
            else:
                self._ended[index] = None
            self._wakeups.put(None)

    def finish(self, pool: _Pool) -> None:
        """Run every slice that no worker claims, and wait for the workers, whatever is raised."""
        offered = False
        while self.task is not None:
            try:
                if not offered:
                    offered = True
                    pool.offer(self, len(self.slices) - 1)
                for index, bounds in enumerate(self.slices):
                    owner = self._owners.setdefault(index, self._caller)
                    if owner is self._caller and index not in self._begun:
                        self._begun.add(index)
                        self.task(*bounds)
                while len(self._begun) + len(self._ended) < len(self.slices):
                    self._wakeups.get()
                self.task = None
            except BaseException as raised:
                if self._error is None:
                    self._error = raised

    def take_error(self) -> BaseException | None:
        """Return the caller's first error, else that of the first slice, and keep none."""
        errors = [self._error, *(self._ended[index] for index in sorted(self._ended))]
        self._error = None
        self._ended.clear()
        return next((error for error in errors if error is not None), None)


class _Pool:
    """The workers of this process."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._workers: list[int] = []
        self._starting = threading.Lock()

    def offer(self, job: _Job, num_workers: int) -> None:
        """Ask `num_workers` workers, starting those that are missing, to help with `job`."""
        if len(self._workers) < num_workers:
            with self._starting:
                missing = max(0, num_workers - len(self._workers))
                arguments = [(self._jobs,)] * missing
                # There may be no more threads to be had, or Python may be about to exit.
                with contextlib.suppress(RuntimeError):
                    # A single call, so that no thread is started and not counted.
                    self._workers.extend(map(start_new_thread, [_work] * missing, arguments))
        for _ in range(min(num_workers, len(self._workers))):
            # While all workers are busy with a long job, short ones of other callers pile up.
            if self._jobs.qsize() < _MOST_OFFERS:
                self._jobs.put(job)


def _work(jobs: SimpleQueue[_Job]) -> None:
    threading.current_thread().name = "mammalath-lanes"
    while True:
        jobs.get().help()


_pool = _Pool()


def _renew_pool() -> None:
    """Start over in a forked child, where the threads of the parent do not exist."""
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_pool)


def default_num_threads() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def parallel_for(task: Task, num_items: int, num_threads: int) -> None:
    """Run `task` over all items, in `num_threads` slices of equal size.

    The caller's thread runs the first slice, and returns or raises when no slice is running any
    more. An error in one slice does not stop the others; the caller's goes before those of workers.
    A signal handler that raises ends the call in the same way: the other slices run to their ends,
    and only the slice that the caller was about to begin or, if it is plain Python, was running can
    be incomplete.

    Args:
        task: Must give the same result however items are sliced.
        num_items: How many items there are.
        num_threads: How many slices to make, 1 or more.
    """
    if num_threads <= 1:
        task(0, num_items)
        return
    job = _Job(task, num_items, num_threads)
    try:
        job.finish(_pool)
    finally:
        job.finish(_pool)  # For a second signal that came while the first was being handled.
    error = job.take_error()
    if error is not None:
        try:
            raise error
        finally:
            del error  # The traceback refers to this frame.
