"""Positions that the tests of pictures share."""

from __future__ import annotations

import pytest

from tests.rendering.reading import NAMES, Ply, mancala_sample, sample


@pytest.fixture(scope="session")
def some_plies() -> list[Ply]:
    """Positions of both sizes of Mammalath, with the moves that led to them; all ends are there."""
    found = list(sample())
    reasons = {ply.position.outcome and ply.position.outcome.termination.label for ply in found}
    assert reasons == {None, "animals captured", "empty line", "tokens used up"}
    assert {ply.position.game.name for ply in found} == set(NAMES)
    return found


@pytest.fixture(scope="session")
def mancala_plies() -> list[Ply]:
    """Positions with the moves that led to them; all ways to end are among them."""
    found = list(mancala_sample())
    ends = {(end.termination.label, end.winner) for ply in found if (end := ply.position.outcome)}
    assert ends >= {
        ("majority", 0),
        ("majority", 1),
        ("opponent cannot be fed", 0),
        ("opponent cannot be fed", 1),
        ("opponent cannot be fed", None),
        ("no capture limit", 0),
        ("no capture limit", None),
    }
    return found
