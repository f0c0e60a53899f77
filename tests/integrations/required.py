"""Find the library that a test module is about."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest

REQUIRED = "MAMMALATH_ENV_REQUIRED"
"""The variable that names, with commas between, the libraries that must be there."""


def library(name: str) -> ModuleType:
    """Return the module `name`; call this while a test module is being imported.

    A missing library skips the test module. Where the variable `REQUIRED` names it, it fails the
    module instead, so that a broken installation cannot pass for a skipped test.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        required = {each.strip() for each in os.environ.get(REQUIRED, "").split(",")}
        if name in required:
            pytest.fail(f"{name} is required here and does not import: {error!r}", pytrace=False)
        pytest.skip(f"{name} is not installed", allow_module_level=True)
