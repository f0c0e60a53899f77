"""Imports load the compiler, which takes longest, only when it is needed."""

from __future__ import annotations

import importlib
import inspect

import pytest

import mammalath_env
from mammalath_env.envs.registration import gymnasium_id
from mammalath_env.games import GAMES
from tests.processes import run_code


@pytest.mark.parametrize(
    "code",
    [
        "import gymnasium, mammalath_env; gymnasium.spec('mammalath_env/Mancala-v0')",
        "from mammalath_env import GAMES, agents, games; agents.AGENTS, games.make_game",
        "import mammalath_env; from mammalath_env import envs; dir(mammalath_env), dir(envs)",
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
    with pytest.raises(AttributeError, match=r"module 'mammalath_env' has no attribute 'chess'"):
        _ = mammalath_env.chess


def test_modules_of_environments_are_loaded_on_demand() -> None:
    """They are attributes of `envs`, though not listed, and need no import of their own."""
    code = """
import mammalath_env
mammalath_env.envs.vector.SelfPlayVectorEnv, mammalath_env.envs.playouts.random_playouts
mammalath_env.envs.single_agent, mammalath_env.envs.opponent_vector, mammalath_env.envs.aec
print(mammalath_env.envs.SelfPlayVectorEnv is mammalath_env.envs.vector.SelfPlayVectorEnv)
"""
    assert run_code(code).endswith("True\n")


PUBLIC = ["", "agents", "arena", "envs", "games", "rendering", *(f"{name}_v0" for name in GAMES)]


@pytest.mark.parametrize("name", PUBLIC)
def test_names_are_found_by_completion(name: str) -> None:
    """A module lists what it is for, and nothing else; all of it is there."""
    module = importlib.import_module(f"mammalath_env.{name}".rstrip("."))
    assert dir(module) == sorted(module.__all__)
    for each in module.__all__:
        assert getattr(module, each) is not None
    with pytest.raises(AttributeError, match="has no attribute 'chess'"):
        module.chess  # noqa: B018


def test_help_begins_with_lines_that_work() -> None:
    """They play a move and print the board; the ids of all games stand below."""
    text = inspect.getdoc(mammalath_env) or ""
    lines = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    assert len(lines) == 5
    assert "ply 2" in run_code("\n".join(lines))
    assert all(gymnasium_id(name) in text for name in GAMES)
