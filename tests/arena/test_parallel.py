"""Running calls side by side, with joblib, with Ray and with neither."""

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mammalath_env.arena import MatchResult, SeatResult, Share, draw_ladder, play_match, rate
from mammalath_env.arena.parallel import WorkerDiedError, run_all
from mammalath_env.core.extras import load
from mammalath_env.core.position import Position
from mammalath_env.games import make_game
from tests.arena.test_plot import LADDER
from tests.processes import run_code

MANCALA = make_game("mancala")
NUMBERS = list(range(40))


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize("one_by_one", [False, True])
def test_all_calls_are_made(backend: str, one_by_one: bool) -> None:
    """Each call is made once, whatever the backend."""
    results = run_all(abs, NUMBERS, jobs=2, backend=backend, one_by_one=one_by_one)
    assert sorted(results) == NUMBERS


def test_one_job_keeps_the_order() -> None:
    """It needs no joblib, and makes a call when its result is wanted."""
    made: list[int] = []

    def note(number: int) -> int:
        made.append(number)
        return number

    results = run_all(note, NUMBERS)
    assert [next(results), next(results)] == [0, 1]
    assert made == [0, 1]


def _answer(module: str) -> int:
    answer: int = importlib.import_module(module).ANSWER
    return answer


def test_workers_that_were_kept_find_new_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They search where the caller searches now, not where it did when they were started."""
    assert sorted(run_all(abs, NUMBERS, jobs=2)) == NUMBERS
    (tmp_path / "added_later.py").write_text("ANSWER = 42", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(run_all(_answer, ["added_later"] * 4, jobs=2)) == [42] * 4


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_errors_come_through(backend: str) -> None:
    """The error of a call is raised to the caller."""
    with pytest.raises(ValueError, match="invalid literal"):
        list(run_all(int, ["1", "2", "three"], jobs=2, backend=backend))


class FakeRay(types.ModuleType):
    """Stands in for Ray, and makes calls when they are waited for.

    Attributes:
        connections: The arguments of each `init`.
        at_once: How many calls have been waiting at a time, at most.
        cancelled: How many calls were cancelled.
        exceptions: Errors that stand in for those of Ray.
    """

    def __init__(self) -> None:
        """Start without a cluster."""
        super().__init__("ray")
        self.exceptions = types.SimpleNamespace(
            WorkerCrashedError=BufferError, OutOfMemoryError=FloatingPointError
        )
        self.connections: list[dict[str, object]] = []
        self.at_once = 0
        self.cancelled = 0

    def is_initialized(self) -> bool:
        """Return whether there is a cluster."""
        return bool(self.connections)

    def init(self, **arguments: object) -> None:
        """Note what is asked for."""
        self.connections.append(arguments)

    def cluster_resources(self) -> dict[str, float]:
        """Return what the cluster has."""
        return {"CPU": 3.0}

    def remote(self, function: Callable[..., Any]) -> Any:
        """Return an object whose method ``remote`` puts a call off."""
        return types.SimpleNamespace(remote=functools.partial(functools.partial, function))

    def wait(self, calls: list[Any]) -> tuple[list[Any], list[Any]]:
        """Return one call that is ready, and the others."""
        self.at_once = max(self.at_once, len(calls))
        return calls[-1:], calls[:-1]

    def get(self, call: Callable[[], Any]) -> Any:
        """Return the result of a call."""
        return call()

    def cancel(self, call: object) -> None:
        """Count."""
        self.cancelled += 1


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    """Replace Ray."""
    fake = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", fake)
    return fake


def test_ray_gives_the_result_of_one_process(ray: FakeRay) -> None:
    """Also with one job, which runs elsewhere in the cluster."""
    alone = play_match(MANCALA, "random", "random", 17, seed=2)
    assert play_match(MANCALA, "random", "random", 17, seed=2, jobs=2, backend="ray") == alone
    assert ray.at_once == 2
    assert play_match(MANCALA, "random", "random", 17, seed=2, backend="ray") == alone
    assert ray.cancelled == 0
    # Once, and so that Ray prints nothing where results belong.
    assert ray.connections == [{"include_dashboard": False, "log_to_driver": False}]


def test_ray_uses_the_whole_cluster(ray: FakeRay) -> None:
    """If as many jobs as there are cores are asked for."""
    assert sorted(run_all(abs, NUMBERS, jobs=-1, backend="ray")) == NUMBERS
    assert ray.at_once == 3


def test_an_error_cancels_the_calls_of_ray(ray: FakeRay) -> None:
    """It is that of the call; and so does whoever closes the generator."""
    with pytest.raises(ValueError, match="invalid literal"):
        list(run_all(int, ["1", "2", "three"], jobs=3, backend="ray"))
    assert ray.cancelled == 2
    results = run_all(abs, NUMBERS, jobs=4, backend="ray")
    next(results)
    results.close()
    assert ray.cancelled == 6


def _end_the_process(number: int) -> int:
    if number == 3:
        os._exit(7)
    return number


def test_a_worker_that_ends_is_named_so() -> None:
    """With the exit code, and what it may have been doing."""
    with pytest.raises(WorkerDiedError, match=r"worker process died.*7") as info:
        list(run_all(_end_the_process, NUMBERS, jobs=2, one_by_one=True))
    assert 3 in info.value.arguments


def _crash(number: int) -> int:
    if number == 3:
        raise BufferError
    return number


def test_a_worker_of_ray_that_ends_is_named_so(ray: FakeRay) -> None:
    """There the call is known."""
    with pytest.raises(WorkerDiedError) as info:
        list(run_all(_crash, NUMBERS, jobs=2, backend="ray"))
    assert info.value.arguments == [3]


def test_what_cannot_be_sent_is_named() -> None:
    """Before the first game, by the name of the agent; threads need not send it."""
    lock = threading.Lock()

    def locked(position: Position) -> int:
        with lock:
            return position.legal_actions()[0]

    with pytest.raises(TypeError, match=r"agent '.*locked' cannot be sent .* jobs=1"):
        play_match(MANCALA, locked, "random", 1, seed=1, jobs=2)
    play_match(MANCALA, locked, "random", 1, seed=1, jobs=2, backend="threading")


def rate_something() -> object:
    """Rate two agents."""
    seat = SeatResult(3, 0, 1)
    return rate([MatchResult(MANCALA, ("a", "b"), 0, seat, seat, (1,) * 8, (0, 0))])


MISSING: list[tuple[str, str, Callable[[Path], object]]] = [
    ("joblib", "arena", lambda path: play_match(MANCALA, "random", "random", 1, seed=0, jobs=2)),
    ("ray", "ray", lambda path: list(run_all(abs, NUMBERS, backend="ray"))),
    ("statsmodels", "arena", lambda path: rate_something()),
    ("statsmodels", "arena", lambda path: Share(1, 2).interval),
    ("matplotlib", "arena", lambda path: draw_ladder({"Mammalath": LADDER}, path / "ladder.png")),
]


@pytest.mark.parametrize(("library", "extra", "use"), MISSING)
def test_missing_libraries(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    library: str,
    extra: str,
    use: Callable[[Path], object],
) -> None:
    """The error names the extra to install."""
    for name in list(sys.modules):
        if name.split(".")[0] == library:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Hidden(library), *sys.meta_path])
    with pytest.raises(ImportError, match=rf'pip install "\.\[{extra}\]"'):
        use(tmp_path)


class Hidden:
    """A finder that makes a library look as if it were not installed."""

    def __init__(self, library: str) -> None:
        """Store which one."""
        self.library = library

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Raise what Python does if there is no such module."""
        if name.split(".")[0] == self.library:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_other_missing_modules_are_not_hidden(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A library that is installed but broken is reported as it is."""
    (tmp_path / "broken_library.py").write_text("import nothing_like_that\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'nothing_like_that'"):
        load("broken_library")


def test_importing_loads_nothing_heavy() -> None:
    """Libraries of the extra are loaded when they are used, and one job needs none of them."""
    loaded = run_code(
        "import json, sys\n"
        "from mammalath_env import arena, make_game\n"
        "arena.play_match(make_game('mancala'), 'random', 'greedy', 1, seed=1)\n"
        "heavy = ['joblib', 'statsmodels', 'matplotlib', 'rich', 'pandas', 'ray', 'portalocker']\n"
        "print(json.dumps([name for name in heavy if name in sys.modules]))"
    )
    assert json.loads(loaded) == []
