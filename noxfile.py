"""Sessions of nox: the tests on each Python there is, lint, types, docs and coverage."""

from __future__ import annotations

import nox

nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["lint", "types", "tests", "coverage"]

PYTHONS = ["3.10", "3.11", "3.12", "3.13"]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests; arguments go to pytest, such as ``-- --games-scale 0.1``."""
    session.install(".[test]")
    session.run("python", "-m", "pytest", *session.posargs)


# What touches the libraries that the package stands on.
LOWEST = (
    "tests/core",
    "tests/games/test_golden.py",
    "tests/games/test_conformance.py",
    "tests/envs/test_pettingzoo.py",
    "tests/envs/test_aec.py",
    "tests/envs/test_single_agent.py",
    "tests/envs/test_vector.py",
    "tests/agents/test_agents.py",
    "tests/agents/test_neural.py",
    "tests/arena/test_match.py",
    "tests/arena/test_plot.py",
    "tests/arena/test_ratings.py",
    "tests/rendering/test_ansi.py",
    "tests/rendering/test_animation.py",
    "tests/rendering/test_pixels.py",
    "tests/test_cli_commands.py",
)


@nox.session
def lowest(session: nox.Session) -> None:
    """Run tests with the lowest versions of libraries that are allowed."""
    session.install("-c", ".ci/lowest.txt", ".[test]")
    # Old libraries warn about newer ones, and Gymnasium 1.1's comparison of environments fails.
    old = ("-o", "filterwarnings=default", "-k", "not two_environments_match")
    session.run("python", "-m", "pytest", "-q", "--games-scale", "0.02", *old, *LOWEST)


@nox.session
def pages(session: nox.Session) -> None:
    """Run the code blocks of the README and the docs with nothing but the package."""
    session.install(".")
    session.run("python", "tests/pages.py")


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and format."""
    session.install("ruff")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check types."""
    session.install(".[test]", "nox")
    session.run("mypy")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site of the docs, with a reference made of docstrings, in ``build/docs``."""
    session.install(".[docs]")
    session.run("sphinx-build", "-W", "--keep-going", "-q", "docs", "build/docs")


# Tests that reach the rules and the pictures; searches and contests are too much for plain Python.
COVERAGE = ("tests/core", "tests/games", "tests/envs/test_vector.py", "tests/rendering")
COVERED = "mammalath_env/core/*,mammalath_env/games/*,mammalath_env/rendering/*"


@nox.session
def coverage(session: nox.Session) -> None:
    """Run the rules as plain Python and measure what the tests reach."""
    session.install("-e", ".[test]")
    session.env["NUMBA_DISABLE_JIT"] = "1"
    pytest = ("-m", "pytest", "-q", "--games-scale", "0.01")
    session.run("coverage", "run", *pytest, *COVERAGE, *session.posargs)
    session.run("coverage", "combine", "-q")
    session.run("coverage", "report", "--include", COVERED)
