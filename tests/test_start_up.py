"""Imports load the compiler, which takes longest, only when it is needed."""

from __future__ import annotations

import pytest

import mammalath_env
from tests.processes import run_code


@pytest.mark.parametrize(
    "code",
    [
        "import gymnasium, mammalath_env; gymnasium.spec('mammalath_env/Mancala-v0')",
        "from mammalath_env import GAMES, agents, games; agents.AGENTS, games.make_game",
        "from mammalath_env.cli import app; app(['--version'], standalone_mode=False)",
        "from mammalath_env.cli import app; app(['--help'], standalone_mode=False)",
    ],
)
def test_compiler_is_not_loaded(code: str) -> None:
    """Names, ids and help need no compiled code."""
    assert run_code(f"{code}\nimport sys; print('numba' in sys.modules)").endswith("False\n")


def test_public_modules_are_loaded_on_demand() -> None:
    """They are attributes of the package, and listed."""
    code = "import mammalath_env; print(mammalath_env.mancala_v0.env().metadata['name'])"
    assert run_code(code).startswith("mancala_v0")
    assert set(mammalath_env.__all__) <= set(dir(mammalath_env))
    with pytest.raises(AttributeError, match=r"module 'mammalath_env' has no attribute 'chess'"):
        _ = mammalath_env.chess
