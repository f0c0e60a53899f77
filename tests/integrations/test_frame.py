"""Missing libraries skip or fail tests, and no adapter or environment is left untested."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integrations.required import REQUIRED, library
from tests.processes import ROOT

HERE = Path(__file__).parent
ENVIRONMENTS = sorted(path.name for path in HERE.iterdir() if (path / "__init__.py").exists())
MODULES = sorted((ROOT / "mammalath_env" / "integrations").glob("*.py"))
ADAPTERS = [path.stem for path in MODULES if path.stem != "__init__"]


def test_a_missing_library_skips_unless_it_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a library sees a skip; an environment that has to have it sees a failure."""
    assert library("json").__name__ == "json"
    monkeypatch.setenv(REQUIRED, "json, another_library")
    with pytest.raises(pytest.skip.Exception, match="no_such_library is not installed"):
        library("no_such_library")
    monkeypatch.setenv(REQUIRED, "json, no_such_library")
    with pytest.raises(pytest.fail.Exception, match="no_such_library is required here"):
        library("no_such_library")


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_environments_can_be_installed(environment: str) -> None:
    """Each folder of tests has its constraints and its case in the script."""
    assert (ROOT / ".ci" / "constraints" / f"{environment}.txt").exists()
    assert f"  {environment})" in (ROOT / ".ci" / "integrations").read_text("utf-8")


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_adapters_are_tested(adapter: str) -> None:
    """Some test imports each adapter."""
    texts = [path.read_text("utf-8") for path in HERE.rglob("test_*.py")]
    assert any(f"mammalath_env.integrations.{adapter}" in text for text in texts)
