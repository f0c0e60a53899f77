"""Libraries that only parts of the package need, and the extras that install them."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from types import ModuleType


@contextlib.contextmanager
def from_extra(extra: str, *libraries: str) -> Iterator[None]:
    """Explain a failed import of `libraries` in the body of a ``with`` statement.

    Args:
        extra: The extra of the package that installs the libraries.
        *libraries: Top-level modules that it installs. The failure to find another module is
            passed on as it is: an installed library that lacks something is its own business.

    Raises:
        ImportError: One of the libraries is not installed; the message says how to install it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0]
        if missing not in libraries:
            raise
        raise ImportError(
            f"this needs {missing}, which is not installed: in a checkout of mammalath_env, "
            f'run pip install ".[{extra}]"',
            name=missing,
        ) from error


def load(module: str, extra: str = "arena") -> ModuleType:
    """Import a module that comes with an extra of the package.

    Args:
        module: The full name of the module.
        extra: The extra that installs it.

    Raises:
        ImportError: Its library is not installed; the message says how to install it.
    """
    with from_extra(extra, module.split(".")[0]):
        found = importlib.import_module(module)
    return found  # noqa: RET504, type checkers take the block above for one that may hide errors
