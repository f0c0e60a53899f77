"""Reading JSON that anyone may have written: every member is checked as it is taken."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, NoReturn, TypeGuard

MAX_INTEGER = (1 << 64) - 1


class FieldError(ValueError):
    """A text that is not JSON, or a member of a JSON object that is missing or wrong."""


class NotJSONError(FieldError):
    """A text that is not JSON."""


def parse_json(text: str) -> object:
    """Return the value of a JSON text.

    Raises:
        NotJSONError: It is not JSON, or nested too deeply.
        FieldError: It holds a key twice, or ``NaN`` or ``Infinity``.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except FieldError:
        raise
    except json.JSONDecodeError as error:
        raise NotJSONError(f"not JSON: {error.msg} (column {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise NotJSONError(f"not JSON: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise FieldError(f"key {shorten(key)} is there twice")
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise FieldError(f"{name} is not a number")


def shorten(value: object, limit: int = 80) -> str:
    """Return the representation of `value`, cut after `limit` characters."""
    shown = repr(value)
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


class Fields:
    """The members of a JSON object, taken one by one.

    Every method that takes a member raises `FieldError` if it is missing or of another type.
    """

    def __init__(self, value: object, what: str) -> None:
        """Wrap a parsed value.

        Args:
            value: What should be a JSON object.
            what: What to call it in errors, such as ``"a record"``.

        Raises:
            FieldError: `value` is not an object.
        """
        if not isinstance(value, dict):
            raise FieldError(f"{what} must be a JSON object, not {shorten(value)}")
        self._members: dict[str, Any] = dict(value)
        self._what = what

    def take(self, key: str) -> object:
        """Return the member `key`, of whatever type."""
        if key not in self._members:
            raise FieldError(f"{self._what} lacks {key!r}")
        return self._members.pop(key)

    def _wrong(self, key: str, expected: str, value: object) -> FieldError:
        return FieldError(f"{key!r} must be {expected}, not {shorten(value)}")

    def text(self, key: str) -> str:
        """Return a text."""
        value = self.take(key)
        if not isinstance(value, str):
            raise self._wrong(key, "a text", value)
        return value

    def optional_text(self, key: str) -> str | None:
        """Return a text or None."""
        value = self.take(key)
        if value is not None and not isinstance(value, str):
            raise self._wrong(key, "a text or null", value)
        return value

    def _list(
        self, key: str, length: int | None, right: Callable[[object], bool], kind: str
    ) -> list[Any]:
        """Return a list of `length`, or of any length, whose items are `right`."""
        value = self.take(key)
        if (
            not isinstance(value, list)
            or not all(map(right, value))
            or length not in (None, len(value))
        ):
            many = kind if length is None else f"{length} {kind}"
            raise self._wrong(key, f"a list of {many}", value)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(self._list(key, None, _is_text, "texts"))

    def pair_of_texts(self, key: str) -> tuple[str, str]:
        """Return a list of two texts."""
        first, second = self._list(key, 2, _is_text, "texts")
        return first, second

    def whole(self, key: str, highest: int = MAX_INTEGER) -> int:
        """Return a whole number from 0 to `highest`."""
        value = self.take(key)
        if not _is_whole(value) or value > highest:
            raise self._wrong(key, f"a whole number from 0 to {highest}", value)
        return value

    def optional_whole(self, key: str, highest: int = MAX_INTEGER) -> int | None:
        """Return a whole number from 0 to `highest`, or None."""
        value = self.take(key)
        if value is None:
            return None
        if not _is_whole(value) or value > highest:
            raise self._wrong(key, f"null or a whole number from 0 to {highest}", value)
        return value

    def wholes(self, key: str, length: int | None = None) -> tuple[int, ...]:
        """Return a list of whole numbers."""
        return tuple(self._list(key, length, _is_whole, "whole numbers"))

    def pair_of_optional_wholes(self, key: str) -> tuple[int | None, int | None]:
        """Return a list of two members, each a whole number or None."""
        first, second = self._list(key, 2, _is_whole_or_null, "whole numbers or nulls")
        return first, second

    def optional_numbers(self, key: str) -> tuple[float | None, ...] | None:
        """Return a list of finite numbers and Nones, or None."""
        if self._members.get(key, 0) is None:
            del self._members[key]
            return None
        values = self._list(key, None, _is_number_or_null, "numbers and nulls")
        return tuple(None if item is None else float(item) for item in values)

    def items(self, key: str) -> list[object]:
        """Return a list of anything."""
        value = self.take(key)
        if not isinstance(value, list):
            raise self._wrong(key, "a list", value)
        return value

    def object(self, key: str) -> Fields:
        """Return a JSON object, to be taken apart in turn."""
        return Fields(self.take(key), repr(key))

    def optional_object(self, key: str) -> Fields | None:
        """Return a JSON object, to be taken apart in turn, or None."""
        value = self.take(key)
        return None if value is None else Fields(value, repr(key))

    def plain_values(self, key: str) -> dict[str, Any]:
        """Return a JSON object of texts, numbers, booleans and nulls as a dict."""
        value = self.take(key)
        plain = (str, int, float, bool, type(None))
        if not isinstance(value, dict) or not all(isinstance(v, plain) for v in value.values()):
            raise self._wrong(key, "an object of plain values", value)
        return value

    def text_values(self, key: str) -> dict[str, str]:
        """Return a JSON object of texts as a dict."""
        value = self.take(key)
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            raise self._wrong(key, "an object of texts", value)
        return value

    def finish(self) -> None:
        """Check that every member has been taken.

        Raises:
            FieldError: There is one that nobody asked for.
        """
        if self._members:
            unknown = ", ".join(shorten(key) for key in self._members)
            raise FieldError(f"{self._what} has unknown members: {unknown}")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INTEGER


def _is_whole_or_null(value: object) -> bool:
    return value is None or _is_whole(value)


def _is_number_or_null(value: object) -> bool:
    if value is None:
        return True
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
