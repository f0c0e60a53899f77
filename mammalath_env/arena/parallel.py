"""Running many independent calls, one after the other or on all cores or machines."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Generator, Sequence
from itertools import islice
from typing import Any, TypeVar

from mammalath_env.core.extras import load

DEFAULT_BACKEND = "loky"
RAY = "ray"
_RAY_ADDRESS = "RAY_ADDRESS"
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
        joblib.register_parallel_backend(RAY, _ray_backend())
        _connect_to_ray(jobs)
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


def _ray_backend() -> type:
    """Return Ray's backend of joblib, with workers that end when they have nothing left to do."""
    base: Any = load("ray.util.joblib.ray_backend", extra="ray").RayBackend

    class RayBackend(base):  # type: ignore[misc]
        _pool: Any

        def terminate(self) -> None:
            # joblib kills workers that are about to end, and Ray prints that as a failure.
            if self._pool is not None:
                self._pool.close()
                self._pool.join()
                self._pool = None
            super().terminate()

        def abort_everything(self, ensure_ready: bool = True) -> None:
            pool, self._pool = self._pool, None
            if pool is not None:
                pool.terminate()
            super().abort_everything(ensure_ready)

    return RayBackend


def _connect_to_ray(jobs: int) -> None:
    """Connect to a cluster of Ray, unless the caller has.

    The cluster is that of the variable ``RAY_ADDRESS``, or the one this machine is part of, or a
    new one on this machine alone.
    """
    ray: Any = load("ray", extra="ray")
    if ray.is_initialized():
        return
    # Ray copies what workers print to standard output, where results belong.
    quiet = {"log_to_driver": False}
    if _RAY_ADDRESS in os.environ:
        ray.init(**quiet)
        return
    try:
        ray.init(address="auto", **quiet)
    except ConnectionError:
        num_cpus = jobs if jobs > 0 else None
        ray.init(address="local", num_cpus=num_cpus, include_dashboard=False, **quiet)
