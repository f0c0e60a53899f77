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
from mammalath_env.arena.extras import load
from mammalath_env.arena.parallel import run_all
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


def test_ray_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray makes its backend known to joblib, which then takes it by its name."""
    joblib: Any = importlib.import_module("joblib")
    backends: Any = importlib.import_module("joblib._parallel_backends")
    registered = []

    def register_ray() -> None:
        registered.append("ray")
        joblib.register_parallel_backend("ray", backends.MultiprocessingBackend)

    # Like Ray's, this backend returns lists, not results as they come.
    assert not backends.MultiprocessingBackend.supports_return_generator
    fake = types.ModuleType("ray.util.joblib")
    fake.register_ray = register_ray  # type: ignore[attr-defined]
    for name in ("ray", "ray.util"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "ray.util.joblib", fake)
    monkeypatch.setattr(joblib.parallel, "BACKENDS", dict(joblib.parallel.BACKENDS))
    alone = play_match(MANCALA, "random", "random", 17, seed=2)
    assert play_match(MANCALA, "random", "random", 17, seed=2, jobs=2, backend="ray") == alone
    assert registered == ["ray"]
    # One job on a cluster is not one job here.
    assert play_match(MANCALA, "random", "random", 2, seed=2, jobs=1, backend="ray")
    assert registered == ["ray", "ray"]


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
