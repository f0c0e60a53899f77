"""Running calls side by side, with joblib's backends and without joblib."""

from __future__ import annotations

import importlib
import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mammalath_env.arena import MatchResult, SeatResult, draw_ladder, play_match, rate
from mammalath_env.arena.parallel import _connect_to_ray, run_all
from mammalath_env.core.extras import load
from mammalath_env.games import make_game
from tests.arena.test_plot import LADDER
from tests.processes import run_code

MANCALA = make_game("mancala")
NUMBERS = list(range(40))


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
@pytest.mark.parametrize("one_by_one", [False, True])
def test_all_calls_are_made(backend: str, one_by_one: bool) -> None:
    """Each once, with backends that return results as they come and with the other ones."""
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


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_errors_come_through(backend: str) -> None:
    """They are those of the call."""
    with pytest.raises(ValueError, match="invalid literal"):
        list(run_all(int, ["1", "2", "three"], jobs=2, backend=backend))


def fake_ray(monkeypatch: pytest.MonkeyPatch, **contents: object) -> None:
    """Stand in for Ray; its backend returns lists, as the real one does."""
    backends: Any = importlib.import_module("joblib._parallel_backends")
    assert not backends.MultiprocessingBackend.supports_return_generator
    modules = {name: types.ModuleType(name) for name in ("ray", "ray.util", "ray.util.joblib")}
    vars(modules["ray"]).update(contents)
    backend = types.ModuleType("ray.util.joblib.ray_backend")
    backend.RayBackend = backends.MultiprocessingBackend  # type: ignore[attr-defined]
    for name, module in {**modules, backend.__name__: backend}.items():
        monkeypatch.setitem(sys.modules, name, module)


def test_the_backend_of_ray_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made known to joblib, also for one job, as one job of a cluster runs elsewhere."""
    joblib: Any = importlib.import_module("joblib")
    fake_ray(monkeypatch, is_initialized=lambda: True)
    monkeypatch.setattr(joblib.parallel, "BACKENDS", dict(joblib.parallel.BACKENDS))
    alone = play_match(MANCALA, "random", "random", 17, seed=2)
    assert play_match(MANCALA, "random", "random", 17, seed=2, jobs=2, backend="ray") == alone
    del joblib.parallel.BACKENDS["ray"]
    assert play_match(MANCALA, "random", "random", 2, seed=2, jobs=1, backend="ray")
    assert "ray" in joblib.parallel.BACKENDS
    with pytest.raises(ValueError, match="invalid literal"):
        list(run_all(int, ["1", "two"], jobs=2, backend="ray"))


@pytest.mark.parametrize(
    ("variable", "running", "expected"),
    [
        ("ray://head:10001", False, [{}]),
        (None, True, [{"address": "auto"}]),
        (
            None,
            False,
            [
                {"address": "auto"},
                {"address": "local", "num_cpus": 2, "include_dashboard": False},
            ],
        ),
    ],
)
def test_ray_connects_to_a_cluster_or_starts_one(
    monkeypatch: pytest.MonkeyPatch,
    variable: str | None,
    running: bool,
    expected: list[dict[str, object]],
) -> None:
    """The variable comes first, then a cluster on this machine; Ray prints nothing."""
    calls: list[dict[str, object]] = []

    def init(**arguments: object) -> None:
        assert arguments.pop("log_to_driver") is False
        calls.append(arguments)
        if arguments.get("address") == "auto" and not running:
            raise ConnectionError

    fake_ray(monkeypatch, is_initialized=lambda: False, init=init)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    if variable is not None:
        monkeypatch.setenv("RAY_ADDRESS", variable)
    _connect_to_ray(2)
    assert calls == expected


def rate_something() -> object:
    """Rate two agents."""
    seat = SeatResult(3, 0, 1)
    return rate([MatchResult(MANCALA, ("a", "b"), 0, seat, seat, (1,) * 8, (0, 0))])


MISSING: list[tuple[str, str, Callable[[Path], object]]] = [
    ("joblib", "arena", lambda path: play_match(MANCALA, "random", "random", 1, seed=0, jobs=2)),
    ("ray", "ray", lambda path: list(run_all(abs, NUMBERS, backend="ray"))),
    ("statsmodels", "arena", lambda path: rate_something()),
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
    """The error says what to install."""
    for name in list(sys.modules):
        if name.split(".")[0] == library:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Hidden(library), *sys.meta_path])
    with pytest.raises(ImportError, match=rf"pip install 'mammalath_env\[{extra}\]'"):
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
        "heavy = ['joblib', 'statsmodels', 'matplotlib', 'rich', 'pandas', 'ray']\n"
        "print(json.dumps([name for name in heavy if name in sys.modules]))"
    )
    assert json.loads(loaded) == []
