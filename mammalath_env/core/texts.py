"""Texts of others, such as names of agents, made safe for terminals and pages."""

from __future__ import annotations

import unicodedata

# Controls, surrogates without their half, line and paragraph separators.
_REPLACED_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
# Marks, embeddings, overrides and isolates, which change the direction of what follows.
_BIDI_CONTROLS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
# Right-to-left letters, Arabic letters and Arabic digits.
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_FIRST_STRONG_ISOLATE, _POP_DIRECTIONAL_ISOLATE = "\u2068", "\u2069"


def printable(text: str) -> str:
    """Return `text` with U+FFFD for what could command a terminal, end a line or turn it round.

    Letters of all scripts, accents, and the joiners within emoji are kept.
    """
    return "".join(
        "\N{REPLACEMENT CHARACTER}"
        if letter in _BIDI_CONTROLS or unicodedata.category(letter) in _REPLACED_CATEGORIES
        else letter
        for letter in text
    )


def printable_lines(text: str) -> str:
    """Return `text` with each of its lines made `printable`."""
    return "\n".join(map(printable, text.split("\n")))


def isolated(text: str) -> str:
    """Return printable `text` such that its direction does not reorder what stands around it.

    Text without right-to-left letters is returned as it is.
    """
    if _RIGHT_TO_LEFT.isdisjoint(map(unicodedata.bidirectional, text)):
        return text
    return f"{_FIRST_STRONG_ISOLATE}{text}{_POP_DIRECTIONAL_ISOLATE}"
