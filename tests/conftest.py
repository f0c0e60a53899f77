"""Fixtures and options that all tests share."""

from __future__ import annotations

from collections.abc import Callable

import hypothesis
import pytest

from mammalath_env.core.game import Game
from mammalath_env.games import GAMES, make_game

SCALE_OPTION = "--games-scale"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that makes the suite play fewer or more random games."""
    parser.addoption(
        SCALE_OPTION,
        type=float,
        default=1.0,
        help="factor for the number of random games; 0.01 suits NUMBA_DISABLE_JIT=1",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make Hypothesis draw the same examples in every run, and as many as the option says."""
    # The first call of a kernel compiles it, which no deadline would survive.
    hypothesis.settings.register_profile(
        "mammalath_env",
        deadline=None,
        derandomize=True,
        max_examples=_scaled(100, config.getoption(SCALE_OPTION), least=5),
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
    hypothesis.settings.load_profile("mammalath_env")


def _scaled(number: int, factor: float, least: int = 1) -> int:
    return max(least, round(number * factor))


@pytest.fixture
def scale(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """Multiply a number of random games by the option ``--games-scale``; at least 1 remains."""
    factor: float = request.config.getoption(SCALE_OPTION)
    return lambda number: _scaled(number, factor)


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    """Every game of the package with its default options."""
    return make_game(request.param)
