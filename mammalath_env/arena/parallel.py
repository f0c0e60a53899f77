"""Running many independent calls, one after the other or on all cores or machines."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from itertools import islice
from typing import Any, TypeVar

from mammalath_env.arena.extras import load

DEFAULT_BACKEND = "loky"
RAY = "ray"
# Backends that return lists only get that many calls a worker at a time.
_CALLS_PER_WORKER = 16

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

    Closing the generator ends what still runs.

    One job of the default backend runs here, in order, without joblib.

    Args:
        function: What to call; other processes must be able to import or unpickle it.
        arguments: One for each call.
        jobs: How many calls at a time; -1 for as many as there are cores.
        backend: A backend of joblib: ``"loky"`` (processes), ``"threading"``, ``"ray"`` (a
            cluster, with the extra ``ray``), or one that the caller has registered.
        one_by_one: Deliver each result at once, where several of short calls would be faster.

    Raises:
        ImportError: joblib or Ray is needed and not installed.
        TypeError: `jobs` is not an integer.
        ValueError: `jobs` is 0, or there is no such backend.
    """
    if isinstance(jobs, bool) or not isinstance(jobs, int):
        raise TypeError(f"jobs must be a whole number, not {jobs!r}")
    if jobs == 0:
        raise ValueError("jobs must be a number of processes or threads, or -1 for all cores")
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
    if backend == RAY:
        load("ray.util.joblib", extra="ray").register_ray()
    calls = (joblib.delayed(function)(argument) for argument in arguments)
    with joblib.parallel_config(backend=backend, n_jobs=jobs):
        active, _ = load("joblib.parallel").get_active_backend()
        # Ray's backend, for one, returns lists only.
        as_they_come = getattr(active, "supports_return_generator", False)
        parallel = joblib.Parallel(
            batch_size=1 if one_by_one else "auto",
            return_as="generator_unordered" if as_they_come else "list",
        )
        if not as_they_come:
            # Workers are kept from one list to the next.
            with parallel:
                at_a_time = _CALLS_PER_WORKER * joblib.effective_n_jobs()
                while some := list(islice(calls, at_a_time)):
                    yield from parallel(some)
            return
    results = parallel(calls)
    try:
        # Not "yield from", which would close it outside of the block below.
        for result in results:  # noqa: UP028
            yield result
    finally:
        with warnings.catch_warnings():
            # joblib warns of results that nobody has taken, which is what closing is for.
            warnings.simplefilter("ignore", UserWarning)
            results.close()
