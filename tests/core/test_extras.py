"""Messages where a library of an extra is missing."""

from __future__ import annotations

import pytest

from mammalath_env.core.extras import from_extra, load


def test_the_message_names_the_library_and_the_extra() -> None:
    """It is for the libraries of the extra alone; other failures pass unchanged."""
    message = r"needs no_such, .*mammalath_env\[sb3\]"
    with pytest.raises(ImportError, match=message) as caught, from_extra("sb3", "no_such"):
        raise ModuleNotFoundError(name="no_such.part")
    assert not isinstance(caught.value, ModuleNotFoundError)
    with pytest.raises(ModuleNotFoundError), from_extra("sb3", "no_such"):
        raise ModuleNotFoundError(name="numpy")


def test_load_returns_the_module_or_names_its_library() -> None:
    """A module is returned, or the error names its library and extra."""
    assert load("json.decoder").__name__ == "json.decoder"
    with pytest.raises(ImportError, match=r"needs no_such, .*mammalath_env\[arena\]"):
        load("no_such.part")
