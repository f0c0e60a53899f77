"""The example of an engine in C, in contests."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from mammalath_env.arena import play_match
from tests.ugi.conftest import SOURCE


def test_games_without_a_forfeit(c_engine: Path, scale: Callable[[int], int]) -> None:
    """A thousand games against random moves, of which it wins most."""
    engine = f"engine:{shlex.quote(str(c_engine))}"
    result = play_match("mammalath", engine, "random", scale(500), seed=1)
    assert result.forfeits == (0, 0)
    assert result.num_games == 2 * scale(500)
    assert result.total.score > 0.8


def test_it_is_short() -> None:
    """It has less than 150 lines, none of them too long to read."""
    lines = SOURCE.read_text("ascii").splitlines()
    assert len(lines) < 150
    assert max(map(len, lines)) <= 100
