"""Contests whose games Ray plays; the extra ``ray``, on one machine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from mammalath_env.arena import GameRecord, read_records
from mammalath_env.arena.parallel import run_all
from tests.integrations.required import library
from tests.processes import finish

library("ray")

COMMAND = ("match", "greedy", "random", "--deals", "20", "--seed", "1")


def contest(*options: str) -> str:
    """Return what a contest prints on standard output; Ray's log goes elsewhere."""
    return finish(sys.executable, "-m", "mammalath_env", *COMMAND, *options).stdout


@pytest.fixture(scope="module")
def alone() -> str:
    """The output of the contest without Ray."""
    return contest("--json")


def index(record: GameRecord) -> int:
    """Return the number of a game in its match."""
    assert record.match is not None
    return record.match.index


def test_a_ray_cluster_plays_the_same_match(alone: str, tmp_path: Path) -> None:
    """Only the result is printed; the games in the file are the same too."""
    record = tmp_path / "games.jsonl"
    printed = contest("--json", "--jobs", "2", "--backend", "ray", "--record", str(record))
    assert printed == alone
    plain = tmp_path / "plain.jsonl"
    contest("--record", str(plain))
    on_ray, here = (sorted(read_records(path), key=index) for path in (record, plain))
    assert len(on_ray) == 40
    assert on_ray == here
    assert json.loads(printed)


def test_errors_of_calls_on_ray_are_raised(ray_of_one_machine: Any) -> None:
    """They are those of the call, and the other calls are cancelled."""
    assert ray_of_one_machine.is_initialized()
    with pytest.raises(ValueError, match="invalid literal"):
        list(run_all(int, ["1", "two", *"345678"], jobs=2, backend="ray"))
