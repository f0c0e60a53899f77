"""Messages where a library of an extra is missing."""

from __future__ import annotations

import re

import pytest

from mammalath_env.core.extras import from_extra, load
from tests.processes import ROOT


def test_the_message_names_the_library_and_the_extra() -> None:
    """It is for the libraries of the extra alone; other failures pass unchanged."""
    message = r'needs no_such, .*checkout.* pip install "\.\[sb3\]"$'
    with pytest.raises(ImportError, match=message) as caught, from_extra("sb3", "no_such"):
        raise ModuleNotFoundError(name="no_such.part")
    assert not isinstance(caught.value, ModuleNotFoundError)
    with pytest.raises(ModuleNotFoundError), from_extra("sb3", "no_such"):
        raise ModuleNotFoundError(name="numpy")


def test_load_returns_the_module_or_names_its_library() -> None:
    """A module is returned, or the error names its library and extra."""
    assert load("json.decoder").__name__ == "json.decoder"
    with pytest.raises(ImportError, match=r'needs no_such, .* pip install "\.\[arena\]"$'):
        load("no_such.part")


def test_nothing_tells_to_install_from_a_registry() -> None:
    """The package is on none, so that only the form of a checkout works."""
    sources = [
        path
        for folder in ("mammalath_env", "examples", "benchmarks", "docs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".md"}
    ]
    for path in [*sources, *ROOT.glob("*.md")]:
        assert not re.search(r"install\W+mammalath_env", path.read_text("utf-8")), path
