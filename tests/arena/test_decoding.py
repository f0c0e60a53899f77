"""Decoding JSON that anyone may have written."""

from __future__ import annotations

import msgspec
import pytest

from mammalath_env.arena.decoding import DecodingError, _unique, decode


class Named(msgspec.Struct, forbid_unknown_fields=True):
    """An object with a name."""

    name: str


def test_many_keys_are_read_in_linear_time() -> None:
    """A key that is there twice, after many that are not, is found by looking at each once."""
    compared = 0

    class Key(str):
        """A text that counts how often it is compared."""

        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    pairs = [(Key(f"k{number}"), None) for number in range(2000)]
    assert len(_unique(list(pairs))) == 2000
    with pytest.raises(DecodingError, match="key 'k1999' is there twice"):
        _unique([*pairs, (Key("k1999"), None)])
    assert compared < 10_000


def test_lone_surrogates_are_kept() -> None:
    """Names of agents may hold them, as arguments that are not UTF-8 become such texts."""
    assert decode(r'{"name": "\udc80"}', Named, (1,)).name == "\udc80"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (r'{"name": "", "\u001b[31m": 1}', r"unknown field `\x1b[31m`"),
        (r'{"name": "", "\udc80": 1}', r"can't encode character '\udc80'"),
        ('{"name": "", "' + "x" * 1000 + '": 1}', "unknown field `xxx"),
    ],
)
def test_errors_are_short_and_can_be_printed(text: str, message: str) -> None:
    """Errors are short and printable, whatever keys they quote."""
    with pytest.raises(DecodingError) as caught:
        decode(text, Named, (1,))
    assert message in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) <= 300
