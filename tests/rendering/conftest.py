"""Positions that the tests of pictures share."""

from __future__ import annotations

import pytest

from tests.rendering.reading import NAMES, Ply, sample


@pytest.fixture(scope="session")
def some_plies() -> list[Ply]:
    """Positions of both games from start to end, with the moves that led to them."""
    found = list(sample())
    reasons = {ply.position.outcome and ply.position.outcome.termination.label for ply in found}
    assert reasons == {None, "animals captured", "empty line", "tokens used up"}
    assert {ply.position.game.name for ply in found} == set(NAMES)
    return found
