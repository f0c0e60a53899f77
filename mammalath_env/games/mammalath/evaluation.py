"""Evaluation of Mammalath positions: immediate wins and losses, and a score of open windows.

A window is a place for a line or square. All windows of one shape are looked at together by
shifting boards, as `mammalath_env.games.mammalath.legal` explains. Where their tokens are counted,
bit k of two words is the count of the window that starts at space k, in binary (a bit-sliced
counter: Knuth, The Art of Computer Programming 4A, 7.1.3), so that windows with a given count are
an AND of these words or their complements.
"""

from __future__ import annotations

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import ONE, ZERO, Words, popcount
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.games.mammalath.state import TOKEN_WORD, animals


@kernel
def finishing_spaces(tables: Tables, row: Words, player: int) -> tuple[np.uint64, np.uint64]:
    """Return the spaces where a token of `player` would win, and where it would lose.

    The consequence of R9 and R10 before the token is there; the rules themselves are in
    `mammalath_env.games.mammalath.rules.end_game_if_decided`.
    """
    constants = tables[0]
    own = row[TOKEN_WORD + player]
    without_token = constants["board"] & ~(own | row[TOKEN_WORD + 1 - player])
    with_animal = animals(tables, row)
    wins = ZERO
    loses = ZERO
    for shape in range(len(constants["starts"])):
        offsets = constants["offsets"][shape]
        starts = constants["starts"][shape]
        animal_starts = ZERO
        for offset in offsets:
            animal_starts |= with_animal >> offset
        for gap in range(len(offsets)):
            # Windows in which all spaces but the one of the gap hold an own token.
            windows = starts & (without_token >> offsets[gap])
            for k in range(len(offsets)):
                if k != gap:
                    windows &= own >> offsets[k]
            wins |= (windows & ~animal_starts) << offsets[gap]
            loses |= (windows & animal_starts) << offsets[gap]
    return wins & ~loses, loses


@kernel
def can_win(tables: Tables, row: Words) -> bool:
    """Return whether some placement of the player to move completes lines without any animal."""
    wins, _ = finishing_spaces(tables, row, status.to_move(row))
    return wins != ZERO


@kernel
def must_lose(tables: Tables, row: Words) -> bool:
    """Return whether the opponent has a win that the player to move cannot prevent.

    Only a token on its space does: a release takes no line away, and makes none lose. So two such
    spaces cannot be held, nor one where that token loses. The last token ends the game first.
    """
    player = status.to_move(row)
    threats, _ = finishing_spaces(tables, row, 1 - player)
    if threats == ZERO or popcount(row[TOKEN_WORD + player]) + 1 >= tables[0]["num_tokens"]:
        return False
    _, loses = finishing_spaces(tables, row, player)
    return threats & (threats - ONE) != ZERO or threats & loses != ZERO


@kernel
def window_score(tables: Tables, own: np.uint64, other: np.uint64, with_animal: np.uint64) -> int:
    """Return the score of all windows of one player.

    A window is a pattern without a token of the `other` player. It counts by its own tokens, and
    much less while an animal (`with_animal`) is in it, since completing it then would lose.
    """
    constants = tables[0]
    score = 0
    for shape in range(len(constants["starts"])):
        open_windows = constants["starts"][shape]
        animal_windows = ZERO
        # Bit k of (low, high) is the number of own tokens in the window that starts at space k.
        low = ZERO
        high = ZERO
        for offset in constants["offsets"][shape]:
            token = own >> offset
            high |= low & token
            low ^= token
            open_windows &= ~(other >> offset)
            animal_windows |= with_animal >> offset
        for num_tokens in range(1, len(constants["free_window"])):
            windows = open_windows
            windows &= low if num_tokens & 1 else ~low
            windows &= high if num_tokens & 2 else ~high
            score += constants["free_window"][num_tokens] * popcount(windows & ~animal_windows)
            score += constants["animal_window"][num_tokens] * popcount(windows & animal_windows)
    return score


@kernel
def evaluate(tables: Tables, row: Words, player: int) -> int:
    """Return the score of the windows of `player` minus that of the opponent's."""
    own = row[TOKEN_WORD + player]
    other = row[TOKEN_WORD + 1 - player]
    with_animal = animals(tables, row)
    score = window_score(tables, own, other, with_animal) - window_score(
        tables, other, own, with_animal
    )
    return max(-10_000, min(10_000, score))
