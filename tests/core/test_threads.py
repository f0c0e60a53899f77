"""Lanes shared out among threads: all of them, once, whoever else does the same."""

from __future__ import annotations

import itertools
import threading
import time
import weakref

import numpy as np
import pytest
from numpy.typing import NDArray

from mammalath_env.core.threads import default_num_threads, share_out
from tests.processes import run_code

HELPERS = "mammalath-lanes"

# What the scripts below begin with. They fork with threads around, which Python 3.12 and later
# warn about and which is what they are for. A hang ends them, and children, which have not the
# thread that watches their parent.
PREAMBLE = """
import faulthandler, os, signal, threading, time, warnings
faulthandler.dump_traceback_later(60, exit=True)
warnings.filterwarnings("ignore", ".*multi-threaded.*", DeprecationWarning)
from mammalath_env.core.threads import share_out

def slices(num_threads):
    found = []
    share_out(lambda first, last: found.append((first, last)), 12, num_threads)
    return sorted(found)

def child_says(work):
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


class Slices:
    """A task that notes who worked on which lanes."""

    def __init__(self, num_lanes: int) -> None:
        """Start with no lane worked on."""
        self.worked = np.zeros(num_lanes, np.int64)
        self.bounds: list[tuple[int, int]] = []
        self.threads: dict[int, int] = {}

    def __call__(self, first: int, last: int) -> None:
        """Work on lanes `first` to `last` - 1."""
        self.worked[first:last] += 1
        self.bounds.append((first, last))
        self.threads[first] = threading.get_ident()


def num_helpers() -> int:
    """Return how many helping threads there are."""
    return sum(thread.name == HELPERS for thread in threading.enumerate())


@pytest.mark.parametrize("num_threads", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("num_lanes", [1, 2, 3, 7, 64, 257, 1000])
def test_every_lane_once(num_lanes: int, num_threads: int) -> None:
    """The slices follow one another, cover the lanes, and differ by one lane at the most."""
    task = Slices(num_lanes)
    share_out(task, num_lanes, num_threads)
    assert (task.worked == 1).all()
    bounds = sorted(task.bounds)
    assert len(bounds) == num_threads
    assert bounds[0][0] == 0
    assert bounds[-1][1] == num_lanes
    assert all(one[1] == other[0] for one, other in itertools.pairwise(bounds))
    sizes = [last - first for first, last in bounds]
    assert max(sizes) - min(sizes) <= 1


def test_one_thread_is_the_callers() -> None:
    """Without other threads, nothing is handed over."""
    before = num_helpers()
    task = Slices(100)
    share_out(task, 100, 1)
    assert task.bounds == [(0, 100)]
    assert task.threads == {0: threading.get_ident()}
    assert num_helpers() == before


def test_the_caller_takes_the_first_slice() -> None:
    """Each slice has a thread of its own, and the first one is the caller's."""
    task = Slices(90)
    share_out(task, 90, 3)
    assert sorted(task.threads) == [0, 30, 60]
    assert task.threads[0] == threading.get_ident()
    assert len(set(task.threads.values())) == 3


def test_slices_run_at_the_same_time() -> None:
    """Every slice waits for the others, which would never come one after another."""
    barrier = threading.Barrier(3, timeout=10)

    def task(first: int, last: int) -> None:
        barrier.wait()

    share_out(task, 3, 3)
    assert not barrier.broken


def test_threads_are_used_again() -> None:
    """There are never more helpers than the most that a call has asked for."""
    share_out(Slices(10), 10, 4)
    before = num_helpers()
    for num_threads in [2, 3, 4] * 20:
        share_out(Slices(10), 10, num_threads)
    assert num_helpers() == before >= 3
    helpers = [thread for thread in threading.enumerate() if thread.name == HELPERS]
    assert all(thread.daemon for thread in helpers)


@pytest.mark.parametrize("failing", [[0], [1], [2], [3], [1, 3], [0, 2], [0, 1, 2, 3]])
@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_errors(failing: list[int], kind: type[BaseException]) -> None:
    """An error in any slice arrives, after the other slices are done, and nothing breaks."""
    done: list[int] = []

    def task(first: int, last: int) -> None:
        if first in failing:
            raise kind(f"lane {first}")
        time.sleep(0.01)
        done.append(first)

    for _ in range(3):
        done.clear()
        with pytest.raises(kind, match=r"lane \d") as caught:
            share_out(task, 4, 4)
        assert str(caught.value) in {f"lane {first}" for first in failing}
        assert sorted(done) == [first for first in range(4) if first not in failing]
        after = Slices(257)
        share_out(after, 257, 4)
        assert (after.worked == 1).all()
        assert len(after.bounds) == 4


def test_nothing_is_kept_alive() -> None:
    """The waiting threads do not hold the task, and with it a batch, of the last call."""
    task = Slices(4)
    share_out(task, 4, 4)
    gone = weakref.ref(task)
    del task
    assert gone() is None


def test_nested() -> None:
    """A task may share out lanes itself."""
    inner = [Slices(50) for _ in range(3)]

    def task(first: int, last: int) -> None:
        for lane in range(first, last):
            share_out(inner[lane], 50, 3)

    share_out(task, 3, 3)
    assert all((one.worked == 1).all() for one in inner)


def test_callers_on_many_threads() -> None:
    """Whoever finds the helpers busy works alone; all get right results and nobody waits."""
    num_callers, rounds, num_lanes = 6, 40, 300
    results = np.zeros((num_callers, num_lanes), np.int64)
    errors: list[BaseException] = []

    def work(caller: int) -> None:
        def add(first: int, last: int) -> None:
            before: NDArray[np.int64] = results[caller, first:last].copy()
            time.sleep(0.0002)
            results[caller, first:last] = before + np.arange(first, last) + caller

        def fail(first: int, last: int) -> None:
            if last == num_lanes:
                raise ValueError(f"caller {caller}")

        try:
            for k in range(rounds):
                share_out(add, num_lanes, 1 + (k + caller) % 4)
                with pytest.raises(ValueError, match=f"caller {caller}"):
                    share_out(fail, num_lanes, 3)
        except BaseException as error:
            errors.append(error)

    callers = [threading.Thread(target=work, args=(k,)) for k in range(num_callers)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(60)
    assert not any(caller.is_alive() for caller in callers)
    assert not errors
    expected = rounds * (np.arange(num_lanes) + np.arange(num_callers)[:, None])
    assert (results == expected).all()


def test_default_number() -> None:
    """There is at least one core."""
    assert default_num_threads() >= 1


def test_after_a_fork() -> None:
    """A child has none of its parent's threads, and starts its own; so has its own child."""
    printed = run_code(
        PREAMBLE
        + """
expected = [(0, 4), (4, 8), (8, 12)]
assert slices(3) == expected
def in_child():
    assert len(threading.enumerate()) == 1
    ok = slices(3) == expected and slices(3) == expected
    return ok and child_says(lambda: slices(3) == expected) == 0
print([child_says(in_child) for _ in range(3)], slices(3) == expected)
"""
    )
    assert printed == "[0, 0, 0] True\n"


def test_fork_while_the_helpers_work() -> None:
    """The child need not wait for work that only its parent does."""
    printed = run_code(
        PREAMBLE
        + """
working, end = threading.Event(), threading.Event()
def task(first, last):
    working.set()
    assert end.wait(30)
other = threading.Thread(target=share_out, args=(task, 2, 2))
other.start()
working.wait()
print(child_says(lambda: slices(2) == [(0, 6), (6, 12)]), slices(2))
end.set()
other.join()
print(slices(2))
"""
    )
    assert printed == "0 [(0, 12)]\n[(0, 6), (6, 12)]\n"


def test_interrupts() -> None:
    """A signal handler that raises, such as that of Ctrl-C, ends the call after all slices."""
    printed = run_code(
        PREAMBLE
        + """
import signal
signal.alarm(0)
def interrupt(number, frame):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
for _ in range(5):
    done = []
    def task(first, last):
        if first:
            time.sleep(0.3)
        done.append((first, last))
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        share_out(task, 12, 3)
    except KeyboardInterrupt:
        again = [slices(3) for _ in range(4)]
        print("interrupted", sorted(done), again == [again[0]] * 4, again[0])
"""
    )
    assert printed == "interrupted [(0, 4), (4, 8), (8, 12)] True [(0, 4), (4, 8), (8, 12)]\n" * 5
