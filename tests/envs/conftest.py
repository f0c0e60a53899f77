"""Fixtures of the tests of the environments."""

from __future__ import annotations

import random

import pytest

from mammalath_env.core.game import Game
from mammalath_env.envs.aec import BoardGameEnv
from tests.envs.play import MakeEnv, constructor


@pytest.fixture
def make_env(game: Game) -> MakeEnv:
    """The constructor ``env`` of the module of every game."""
    return constructor(game.name)


@pytest.fixture
def env(make_env: MakeEnv) -> BoardGameEnv:
    """An environment of every game, at the first position of a game."""
    env = make_env(render_mode="ansi")
    env.reset(seed=1)
    return env


@pytest.fixture
def rng() -> random.Random:
    """The same random choices in every run."""
    return random.Random(2)
