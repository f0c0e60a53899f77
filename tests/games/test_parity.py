"""Compiled kernels and the same kernels as plain Python see and do the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from mammalath_env.core.jit import JIT_ENABLED
from mammalath_env.games import GAMES
from tests.games.random_play import digest_moves, digest_random_games
from tests.processes import finish

# Bit 63 of every kind of word of the 8x8 board: tokens, animals, and lines that end there.
LAST_SPACE = {
    "token": "HAFEEGFA/FCBDGCFA/AHBCEAHB/EACBDHGG/AHDFGFCC/DBEHBEBB/DFADEGED/CHDGGCHF "
    "8/8/8/8/8/8/8/7b w 1",
    "line": "8/8/8/8/8/8/8/4AB1H 1w5w/8/1w6/8/8/7b/6bb/5b1b w 20",
    "square": "8/8/8/8/8/8/6GH/6FE w7/1w6/8/8/8/8/6bb/6b1 b 18",
}


def _digests_in_the_other_mode(*calls: tuple[str, tuple[Any, ...]]) -> list[str]:
    """Return the results of functions of `random_play` in a process of the other mode."""
    script = (
        "from mammalath_env.core.jit import JIT_ENABLED\n"
        "from tests.games import random_play\n"
        "print(JIT_ENABLED)\n"
        f"for function, arguments in {calls!r}:\n"
        "    print(getattr(random_play, function)(*arguments))\n"
    )
    other = "1" if JIT_ENABLED else "0"
    finished = finish(sys.executable, "-W", "error", "-c", script, NUMBA_DISABLE_JIT=other)
    mode, *digests = finished.stdout.split()
    assert mode == str(not JIT_ENABLED)
    return digests


@pytest.mark.parametrize("name", GAMES)
def test_random_games_agree(name: str, scale: Callable[[int], int]) -> None:
    """Deals, rows, legal actions, observations, outcomes and worths of whole games are equal."""
    arguments = (name, scale(20))
    other = _digests_in_the_other_mode(("digest_random_games", arguments))
    assert other == [digest_random_games(*arguments)]


def test_other_options_agree() -> None:
    """The constants of the options reach both modes."""
    calls = [(name, 3, {"swap_rule": False}) for name in ("mammalath", "mammalath_plus")]
    other = _digests_in_the_other_mode(*(("digest_random_games", call) for call in calls))
    assert other == [digest_random_games(*call) for call in calls]
    assert other[0] != digest_random_games("mammalath", 3)


def test_last_space_agrees() -> None:
    """Every move from positions that use the last space of the 8x8 board, bit 63."""
    calls = [("mammalath_plus", text) for text in LAST_SPACE.values()]
    other = _digests_in_the_other_mode(*(("digest_moves", call) for call in calls))
    assert other == [digest_moves(*call) for call in calls]
    assert len(set(other)) == len(calls)
