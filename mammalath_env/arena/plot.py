"""Pictures of ratings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from mammalath_env.arena.ratings import Rating
from mammalath_env.core.extras import load

# Inches: width of the picture, height of an agent's line, and what a panel takes besides.
_WIDTH = 8.0
_LINE_HEIGHT = 0.3
_FRAME_HEIGHT = 0.9
_DOTS_PER_INCH = 120


def draw_ladder(
    ratings_by_game: Mapping[str, Sequence[Rating]], path: str | os.PathLike[str]
) -> None:
    """Draw Elo with error bars, one panel below the other for each game, and save the picture.

    The bars are the 95% intervals of the ratings. The strongest agent is on top.

    Args:
        ratings_by_game: Ratings by the title of the game.
        path: Where to save; the suffix says the format, such as ``.png`` or ``.svg``.

    Raises:
        ImportError: matplotlib is not installed.
        OSError: The file cannot be written.
        ValueError: There is nothing to draw, or no such format.
    """
    if not ratings_by_game or not all(ratings_by_game.values()):
        raise ValueError("there are no ratings to draw")
    matplotlib = load("matplotlib")
    heights = [_FRAME_HEIGHT + _LINE_HEIGHT * len(r) for r in ratings_by_game.values()]
    # Not by pyplot, which keeps global state and may look for a display.
    figure = load("matplotlib.figure").Figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
    panels = figure.subplots(
        len(heights), sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights}
    )
    for panel, (title, ratings) in zip(panels[:, 0], ratings_by_game.items(), strict=True):
        ordered = sorted(ratings, key=lambda rating: rating.elo)
        lines = range(len(ordered))
        elo = [rating.elo for rating in ordered]
        below = [rating.elo - rating.low for rating in ordered]
        above = [rating.high - rating.elo for rating in ordered]
        panel.errorbar(elo, lines, xerr=[below, above], fmt="o", capsize=3, color="#31688e")
        panel.set_yticks(lines, [_plain(rating.name) for rating in ordered])
        panel.margins(x=0.05)
        panel.set_ylim(-0.6, len(ordered) - 0.4)
        panel.set_title(_plain(title))
        panel.grid(axis="x", alpha=0.3)
    panels[-1, 0].set_xlabel("Elo")
    # The same ratings give the same file.
    is_svg = Path(path).suffix.lower() == ".svg"
    with matplotlib.rc_context({"svg.hashsalt": "mammalath_env"}):
        metadata = {"Date": None} if is_svg else None
        figure.savefig(path, dpi=_DOTS_PER_INCH, metadata=metadata)


def _plain(text: str) -> str:
    """Return `text` with dollar signs escaped, which matplotlib takes for formulas."""
    return text.replace("$", r"\$")
