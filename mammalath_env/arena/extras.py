"""Libraries that only parts of the arena need, loaded when they are used."""

from __future__ import annotations

import importlib
from types import ModuleType


def load(module: str, extra: str = "arena") -> ModuleType:
    """Import a module that comes with an extra of the package.

    Args:
        module: The full name of the module.
        extra: The extra that installs it.

    Raises:
        ImportError: Its library is not installed; the message says how to install it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = (error.name or module).split(".")[0]
        # Something else that an installed library fails to find is its own business.
        if missing != module.split(".")[0]:
            raise
        raise ImportError(
            f"this needs {missing}, which is not installed: pip install 'mammalath_env[{extra}]'",
            name=missing,
        ) from error
