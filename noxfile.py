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
