"""Say which extra of the package installs a library that is missing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


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
        missing = error.name or ""
        if missing.split(".")[0] not in libraries:
            raise
        raise ImportError(
            f"this needs {missing}, which is not installed: pip install 'mammalath_env[{extra}]'",
            name=missing,
        ) from error
