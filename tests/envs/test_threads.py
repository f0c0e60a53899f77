"""Loops in several threads: every item once, whoever else does the same, whatever is raised."""

from __future__ import annotations

import itertools
import os
import threading
import time
import weakref

import numpy as np
import pytest
from numpy.typing import NDArray

from mammalath_env.envs import threads
from mammalath_env.envs.threads import default_num_threads, parallel_for
from tests.processes import run_code

WORKERS = "mammalath-lanes"

# What the scripts below begin with. They fork with threads around, which Python 3.12 and later
# warn about and which is what they are for. A hang ends them, and children, which have not the
# thread that watches their parent.
PREAMBLE = """
import faulthandler, os, signal, threading, time, warnings
faulthandler.dump_traceback_later(60, exit=True)
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells may have it ignored
warnings.filterwarnings("ignore", ".*multi-threaded.*", DeprecationWarning)
from mammalath_env.envs.threads import parallel_for

def slices(num_threads):
    found = []
    parallel_for(lambda first, last: found.append((first, last)), 12, num_threads)
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
    """A task that notes who worked on which lanes.

    So many slices as `num_together` wait for one another, each in a thread of its own.
    """

    def __init__(self, num_lanes: int, num_together: int = 1) -> None:
        """Start with no lane worked on."""
        self.barrier = threading.Barrier(num_together, timeout=30)
        self.worked = np.zeros(num_lanes, np.int64)
        self.bounds: list[tuple[int, int]] = []
        self.threads: dict[int, int] = {}

    def __call__(self, first: int, last: int) -> None:
        """Work on lanes `first` to `last` - 1."""
        self.barrier.wait()
        self.worked[first:last] += 1
        self.bounds.append((first, last))
        self.threads[first] = threading.get_ident()


def workers() -> list[threading.Thread]:
    """Return the threads that wait for slices."""
    return [thread for thread in threading.enumerate() if thread.name == WORKERS]


@pytest.mark.parametrize("num_threads", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("num_lanes", [1, 2, 3, 7, 64, 257, 1000])
def test_every_lane_once(num_lanes: int, num_threads: int) -> None:
    """The slices follow one another, cover the lanes, and differ by one lane at the most."""
    task = Slices(num_lanes)
    parallel_for(task, num_lanes, num_threads)
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
    before = workers()
    task = Slices(100)
    parallel_for(task, 100, 1)
    assert task.bounds == [(0, 100)]
    assert task.threads == {0: threading.get_ident()}
    assert workers() == before


def test_slices_run_at_the_same_time() -> None:
    """Each slice has a thread of its own, and the first one is the caller's."""
    task = Slices(90, num_together=3)
    parallel_for(task, 90, 3)
    assert sorted(task.threads) == [0, 30, 60]
    assert task.threads[0] == threading.get_ident()
    assert len(set(task.threads.values())) == 3


def test_threads_are_used_again() -> None:
    """There are never more workers than the most that a call has asked for."""
    parallel_for(Slices(10, num_together=4), 10, 4)
    before = workers()
    for num_threads in [2, 3, 4] * 20:
        parallel_for(Slices(10), 10, num_threads)
    assert len(before) >= 3
    assert workers() == before
    assert all(thread.daemon for thread in before)


def test_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no more threads, the caller runs all slices; later there may be some.

    Of several errors of the caller, the first one is raised.
    """

    def refuse(*_: object) -> int:
        raise RuntimeError("can't start new thread")

    def fail(first: int, last: int) -> None:
        if first:
            raise ValueError(f"lane {first}")

    monkeypatch.setattr(threads, "_pool", threads._Pool())
    with monkeypatch.context() as patches:
        patches.setattr(threads, "start_new_thread", refuse)
        task = Slices(10)
        parallel_for(task, 10, 3)
        assert sorted(task.bounds) == [(0, 3), (3, 6), (6, 10)]
        assert set(task.threads.values()) == {threading.get_ident()}
        with pytest.raises(ValueError, match="lane 3"):
            parallel_for(fail, 10, 3)
    parallel_for(Slices(10, num_together=3), 10, 3)


@pytest.mark.parametrize("failing", [[0], [1], [2], [3], [1, 3], [0, 2], [0, 1, 2, 3]])
@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_an_error_in_a_slice_is_raised_after_the_others_end(
    failing: list[int], kind: type[BaseException]
) -> None:
    """It arrives when all slices are done, that of the first slice before others."""
    done: list[int] = []
    together = threading.Barrier(4, timeout=30)  # one slice for each thread

    def task(first: int, last: int) -> None:
        together.wait()
        if first in failing:
            raise kind(f"lane {first}")
        time.sleep(0.01)
        done.append(first)

    for _ in range(3):
        done.clear()
        with pytest.raises(kind, match=r"lane \d") as caught:
            parallel_for(task, 4, 4)
        assert str(caught.value) == f"lane {failing[0]}"
        assert sorted(done) == [first for first in range(4) if first not in failing]
        after = Slices(257)
        parallel_for(after, 257, 4)
        assert (after.worked == 1).all()
        assert len(after.bounds) == 4


def test_nothing_is_kept_alive() -> None:
    """The waiting threads do not hold the task, and with it a batch, of the last call."""
    task = Slices(4)
    parallel_for(task, 4, 4)
    gone = weakref.ref(task)
    del task
    assert gone() is None


def test_a_task_may_run_a_parallel_loop() -> None:
    """A task may share out lanes itself."""
    inner = [Slices(50) for _ in range(3)]

    def task(first: int, last: int) -> None:
        for lane in range(first, last):
            parallel_for(inner[lane], 50, 3)

    parallel_for(task, 3, 3)
    assert all((one.worked == 1).all() for one in inner)


def test_callers_that_find_all_workers_busy_work_alone() -> None:
    """All get right results, and nobody waits."""
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
                parallel_for(add, num_lanes, 1 + (k + caller) % 4)
                with pytest.raises(ValueError, match=f"caller {caller}"):
                    parallel_for(fail, num_lanes, 3)
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


def test_offers_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the workers are busy, calls do not leave more offers behind than the limit."""
    pool = threads._Pool()
    monkeypatch.setattr(threads, "_pool", pool)
    monkeypatch.setattr(threads, "_MOST_OFFERS", 3)
    busy, end = threading.Barrier(3, timeout=30), threading.Event()

    def work(first: int, last: int) -> None:
        busy.wait()
        end.wait(30)

    caller = threading.Thread(target=parallel_for, args=(work, 2, 2))
    caller.start()
    busy.wait()
    for _ in range(10):
        parallel_for(Slices(2), 2, 2)
    waiting = pool._jobs.qsize()
    end.set()
    caller.join(30)
    assert waiting == 3


def test_default_number_of_threads_is_that_of_usable_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Cores that the process may not use do not count; where nothing is known, there is one."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 5}, raising=False)
    assert default_num_threads() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert default_num_threads() == 1


def test_after_a_fork() -> None:
    """A child has none of its parent's threads, and starts its own; so has its own child."""
    printed = run_code(
        PREAMBLE
        + """
expected = [(0, 4), (4, 8), (8, 12)]
assert slices(3) == expected
def in_child():
    assert len(threading.enumerate()) == 1
    together = threading.Barrier(3, timeout=20)
    parallel_for(lambda first, last: together.wait(), 3, 3)
    ok = slices(3) == expected and slices(3) == expected
    return ok and child_says(lambda: slices(3) == expected) == 0
print([child_says(in_child) for _ in range(3)], slices(3) == expected)
"""
    )
    assert printed == "[0, 0, 0] True\n"


def test_fork_while_the_workers_work() -> None:
    """The child need not wait for work that only its parent does."""
    printed = run_code(
        PREAMBLE
        + """
working, end = threading.Event(), threading.Event()
def task(first, last):
    working.set()
    assert end.wait(30)
other = threading.Thread(target=parallel_for, args=(task, 2, 2))
other.start()
working.wait()
print(child_says(lambda: slices(2) == [(0, 6), (6, 12)]), slices(2))
end.set()
other.join()
print(slices(2))
"""
    )
    assert printed == "0 [(0, 6), (6, 12)]\n[(0, 6), (6, 12)]\n"


# Signals


@pytest.mark.parametrize("when", ["while offering", "in the first slice", "in another slice"])
def test_ctrl_c_ends_a_loop_after_its_slices(when: str) -> None:
    """Ctrl-C ends the call, but not before every slice; nothing is lost, nobody is left over."""
    printed = run_code(
        f"when = {when!r}"
        + PREAMBLE
        + """
from mammalath_env.envs import threads

def interrupt(now):
    if now == when:
        os.kill(os.getpid(), signal.SIGINT)

offer = threads._Pool.offer
def spied(*arguments):
    offer(*arguments)
    interrupt("while offering")

for _ in range(20):
    done, together = [], threading.Barrier(3, timeout=30)
    def task(first, last):
        if when != "while offering":
            together.wait()
        time.sleep(0.01)
        interrupt("in another slice" if first else "in the first slice")
        time.sleep(0.01)
        done.append((first, last))
    threads._Pool.offer = spied
    try:
        parallel_for(task, 12, 3)
    except KeyboardInterrupt:
        threads._Pool.offer = offer
        # What the caller itself is doing ends, plain Python as it is here; workers go on.
        missing = [] if when == "while offering" else [(0, 4)]
        assert sorted(done + missing) == [(0, 4), (4, 8), (8, 12)] or (
            when == "in another slice" and sorted(done) == [(0, 4), (4, 8), (8, 12)]
        ), done
        assert [slices(3) for _ in range(4)] == [[(0, 4), (4, 8), (8, 12)]] * 4
        assert threading.active_count() <= 3
    else:
        raise AssertionError("not interrupted")
print("ended")
"""
    )
    assert printed == "ended\n"


def test_an_interrupt_at_any_instruction() -> None:
    """Wherever in a call it comes, no slice runs afterwards, and the next call is right."""
    printed = run_code(
        PREAMBLE
        + """
import sys
from mammalath_env.envs import threads

# Let one instruction of a call raise; return whether there is one of that number.
def interrupted(number):
    count, done, running = 0, [], 0
    def trace(frame, event, argument):
        nonlocal count
        if frame.f_code.co_filename != threads.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            count += 1
            if count == number:
                raise KeyboardInterrupt
        return trace
    def task(first, last):
        nonlocal running
        running += 1
        if first:
            time.sleep(1e-3)
        done.append((first, last))
        running -= 1
    sys.settrace(trace)
    try:
        parallel_for(task, 12, 3)
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(None)
    assert running == 0, number
    before = list(done)
    assert len(set(before)) == len(before), (number, before)
    assert slices(3) == [(0, 4), (4, 8), (8, 12)], number
    assert done == before, (number, done)
    assert threading.active_count() <= 3, number
    return count >= number

# A child starts its threads in its first call.
for first_call in (True, False):
    number = 0
    go_on = True
    while go_on:
        number += 1
        if first_call:
            code = child_says(lambda: interrupted(number))
            assert code in (0, 1), (number, code)
            go_on = code == 0
        else:
            go_on = interrupted(number)
    print(number > 100)
"""
    )
    assert printed == "True\n" * 2


def test_a_second_interrupt_ends_no_call_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that gets out of the loop, as by a second Ctrl-C, waits for all slices as well."""
    finish, calls = threads._Job.finish, []

    def interrupted(job: threads._Job, pool: threads._Pool) -> None:
        calls.append(job)
        if len(calls) == 1:
            raise KeyboardInterrupt
        finish(job, pool)

    monkeypatch.setattr(threads._Job, "finish", interrupted)
    task = Slices(10)
    with pytest.raises(KeyboardInterrupt):
        parallel_for(task, 10, 3)
    assert (task.worked == 1).all()


def test_the_process_ends() -> None:
    """It ends whatever the workers do, and may call until then."""
    printed = run_code(
        PREAMBLE
        + """
import atexit
working = threading.Event()
def task(first, last):
    if first:
        working.set()
        time.sleep(600)
atexit.register(lambda: print(slices(3)))
threading.Thread(target=parallel_for, args=(task, 2, 2), daemon=True).start()
working.wait()
"""
    )
    assert printed == "[(0, 4), (4, 8), (8, 12)]\n"
