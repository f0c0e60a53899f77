"""Independent calls, run one after the other, on several cores or on a cluster."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from mammalath_env.core.checks import checked_choice, checked_integer
from mammalath_env.core.extras import load

DEFAULT_BACKEND = "loky"
RAY = "ray"

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class WorkerDiedError(RuntimeError):
    """A worker process ended in the middle of a call.

    Attributes:
        arguments: Those of the calls that may have been running, as far as is known.
    """

    def __init__(self, message: str, arguments: Sequence[Any] = ()) -> None:
        """Store the message and the arguments."""
        super().__init__(message)
        self.arguments = list(arguments)


_DIED = "a worker process died: an agent ended it, a library crashed, or memory ran out"


def checked_jobs(jobs: int, backend: str) -> int:
    """Return `jobs` as an int, if there is such a number of jobs and such a backend.

    Raises:
        ImportError: joblib or Ray is needed and not installed.
        TypeError: `jobs` is not an integer.
        ValueError: It is 0 or below -1, or there is no such backend.
    """
    jobs = checked_integer("jobs", jobs)
    if jobs == 0 or jobs < -1:
        raise ValueError(
            f"jobs must be a number of processes or threads, or -1 for all cores, not {jobs}"
        )
    if backend == RAY:
        load("ray", extra="ray")
    elif jobs != 1 or backend != DEFAULT_BACKEND:
        backends: Any = load("joblib.parallel")
        known = {*backends.BACKENDS, *backends.EXTERNAL_BACKENDS} - {"sequential"}
        checked_choice("backend", backend, [*sorted(known), RAY])
    return jobs


def check_sendable(name: str, value: object, jobs: int, backend: str) -> None:
    """Check that `value` can be sent to the workers of a backend; `name` is for the error.

    Raises:
        TypeError: It cannot.
    """
    # Ray's own error says what cannot be sent.
    alone = (jobs, backend) == (1, DEFAULT_BACKEND)
    if isinstance(value, str) or alone or backend in ("threading", RAY):
        return
    pickling: Any = load("joblib.externals.loky.backend.reduction")
    try:
        pickling.dumps(value)
    except Exception as error:
        raise TypeError(
            f"{name} cannot be sent to another process ({type(error).__name__}: {error}): "
            f"play with jobs=1, or with the backend 'threading'"
        ) from error


def run_all(
    function: Callable[[Argument], Result],
    arguments: Sequence[Argument],
    *,
    jobs: int = 1,
    backend: str = DEFAULT_BACKEND,
    one_by_one: bool = False,
) -> Generator[Result, None, None]:
    """Call `function` with each of `arguments` and yield the results as they come.

    Closing the generator cancels the remaining calls. One job of the default backend runs in this
    process, in order, without joblib.

    Args:
        function: What to call; other processes must be able to import or unpickle it.
        arguments: One for each call.
        jobs: How many calls at a time, as for `play_match`.
        backend: As for `play_match`.
        one_by_one: Yield each result at once; joblib would otherwise batch short calls.

    Raises:
        ImportError: joblib or Ray is needed and not installed.
        TypeError: `jobs` is not an integer.
        ValueError: `jobs` is 0 or below -1, or there is no such backend.
        WorkerDiedError: A worker process ended in the middle of a call.
    """
    jobs = checked_jobs(jobs, backend)
    if backend == RAY:
        return _run_by_ray(function, arguments, jobs)
    if jobs == 1 and backend == DEFAULT_BACKEND:
        return (function(argument) for argument in arguments)
    return _run_by_joblib(function, arguments, jobs, backend, one_by_one)


def _run_by_joblib(
    function: Callable[[Argument], Result],
    arguments: Sequence[Argument],
    jobs: int,
    backend: str,
    one_by_one: bool,
) -> Generator[Result, None, None]:
    joblib: Any = load("joblib")
    parallel = joblib.Parallel(
        n_jobs=jobs,
        backend=backend,
        batch_size=1 if one_by_one else "auto",
        return_as="generator_unordered",
    )
    executor: Any = load("joblib.externals.loky.process_executor")
    call = joblib.delayed(_call_with_path)
    open_calls: dict[int, Argument] = {}

    def calls() -> Iterator[Any]:
        for number, argument in enumerate(arguments):
            open_calls[number] = argument
            yield call(sys.path, number, function, argument)

    results = parallel(calls())
    try:
        # Not "yield from", which would close `results` outside the block below.
        for number, result in results:
            del open_calls[number]
            yield result
    except executor.TerminatedWorkerError as error:
        # They were sent in order, so that these are the ones that workers have come to.
        begun = list(open_calls.values())[: joblib.effective_n_jobs(jobs)]
        codes = re.search(r"exit codes of the workers are {(.+?)}", str(error))
        how = f" (exit code {codes[1]})" if codes else ""
        raise WorkerDiedError(f"{_DIED}{how}", begun) from error
    except executor.BrokenProcessPool as error:
        reason = str(error.__cause__ or error).strip('"\n ').splitlines()[-1]
        raise WorkerDiedError(f"a worker process cannot read what it was sent: {reason}") from error
    finally:
        with warnings.catch_warnings():
            # joblib warns of unused results, which are expected here.
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def _call_with_path(
    path: list[str], number: int, function: Callable[[Argument], Result], argument: Argument
) -> tuple[int, Result]:
    """Call `function` with modules found where the caller finds them; return the number, too.

    joblib keeps workers, which know the path of the process at the time when they were started.
    """
    sys.path[:] = path
    return number, function(argument)


def _run_by_ray(
    function: Callable[[Argument], Result], arguments: Sequence[Argument], jobs: int
) -> Generator[Result, None, None]:
    """Run calls on the cluster that the caller has connected to, or that Ray finds or starts."""
    ray: Any = load("ray", extra="ray")
    if not ray.is_initialized():
        # Ray copies what workers print to standard output, where results belong.
        ray.init(include_dashboard=False, log_to_driver=False)
    at_a_time = jobs if jobs > 0 else int(ray.cluster_resources()["CPU"])
    # Ray takes classes for actors, and not every callable for a task.
    task = ray.remote(_call)
    calls = ((task.remote(function, argument), argument) for argument in arguments)
    running = dict(islice(calls, at_a_time))
    died = (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError)
    try:
        while running:
            (finished,), _ = ray.wait(list(running))
            argument = running.pop(finished)
            running.update(islice(calls, 1))
            try:
                result = ray.get(finished)
            except died as error:
                raise WorkerDiedError(_DIED, [argument]) from error
            yield result
    finally:
        for call in running:
            ray.cancel(call)


def _call(function: Callable[[Argument], Result], argument: Argument) -> Result:
    return function(argument)
