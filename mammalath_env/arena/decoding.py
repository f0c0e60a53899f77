"""JSON that anyone may have written, decoded into typed values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NoReturn, TypeVar

import msgspec

MAX_INTEGER = (1 << 64) - 1

Decoded = TypeVar("Decoded", bound=msgspec.Struct)


class DecodingError(ValueError):
    """A text that is not JSON, or JSON with a member that is missing or wrong."""


class NotJSONError(DecodingError):
    """A text that is not JSON."""


def decode(text: str, kind: type[Decoded], versions: Sequence[int]) -> Decoded:
    """Return the JSON object in `text`, whose members all have the types that `kind` says.

    Args:
        text: JSON; anyone may have written it.
        kind: The struct that the object is.
        versions: What its member ``format`` may be, the latest version last.

    Raises:
        NotJSONError: It is not JSON, or nested too deeply.
        DecodingError: It holds a key twice, NaN or an infinity, or an integer beyond
            `MAX_INTEGER`; or it is not an object of that kind, in one of the versions.
    """
    # msgspec's own decoder keeps the last of several equal keys, and refuses lone surrogates,
    # which names of agents may hold and the standard library writes.
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_integer
        )
    except DecodingError:
        raise
    except json.JSONDecodeError as error:
        raise NotJSONError(f"not JSON: {error.msg} (column {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise NotJSONError(f"not JSON: {error}") from None
    latest = versions[-1]
    found = value.get("format", latest) if isinstance(value, dict) else latest
    if found not in versions:
        expected = " or ".join(map(str, versions))
        raise DecodingError(f"expected format {expected}, not {shorten(found)}")
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        # It quotes keys unescaped.
        message = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(error))
        raise DecodingError(cut(message, 300)) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise DecodingError(f"key {shorten(key)} is there twice")
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise DecodingError(f"{name} is not a number")


def _integer(digits: str) -> int:
    number = int(digits)
    if abs(number) > MAX_INTEGER:
        raise DecodingError(f"{shorten(number)} is out of the range of integers")
    return number


def shorten(value: object) -> str:
    """Return the representation of `value`, cut to 80 characters."""
    return cut(repr(value), 80)


def cut(text: str, limit: int) -> str:
    """Return `text`, or its beginning and an ellipsis if it is longer than `limit` characters."""
    return text if len(text) <= limit else text[: limit - 3] + "..."
