"""Independent calls, run one after the other, on several cores or on a cluster."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Generator, Sequence
from itertools import islice
from typing import Any, TypeVar

from mammalath_env.core.checks import checked_integer
from mammalath_env.core.extras import load

DEFAULT_BACKEND = "loky"
RAY = "ray"

Argument = TypeVar("Argument")
Result = TypeVar("Result")


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
        ValueError: `jobs` is 0, or there is no such backend.
    """
    jobs = checked_integer("jobs", jobs)
    if jobs == 0:
        raise ValueError("jobs must be a number of processes or threads, or -1 for all cores")
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
    call = joblib.delayed(_call_with_path)
    results = parallel(call(sys.path, function, argument) for argument in arguments)
    try:
        # Not "yield from", which would close `results` outside the block below.
        for result in results:  # noqa: UP028
            yield result
    finally:
        with warnings.catch_warnings():
            # joblib warns of unused results, which are expected here.
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def _call_with_path(
    path: list[str], function: Callable[[Argument], Result], argument: Argument
) -> Result:
    """Call `function` with modules found where the caller finds them.

    joblib keeps workers, which know the path of the process at the time when they were started.
    """
    sys.path[:] = path
    return function(argument)


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
    calls = (task.remote(function, argument) for argument in arguments)
    running = list(islice(calls, at_a_time))
    try:
        while running:
            (finished,), running = ray.wait(running)
            running += islice(calls, 1)
            yield ray.get(finished)
    finally:
        for call in running:
            ray.cancel(call)


def _call(function: Callable[[Argument], Result], argument: Argument) -> Result:
    return function(argument)
