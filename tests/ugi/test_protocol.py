"""The words that both sides of UGI share."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mammalath_env import make_game
from mammalath_env.agents.limits import Clock, Limits
from mammalath_env.ugi.client import go_command
from mammalath_env.ugi.protocol import (
    MAX_SCORE,
    first_mover,
    parse_go,
    parse_position,
    result,
    score_of,
    value_of,
)

GAME = make_game("mammalath")


@given(st.floats(-1, 1))
def test_scores_and_values(value: float) -> None:
    """One is the inverse of the other up to rounding, and the sign is that of the value."""
    score = score_of(value)
    assert abs(score) <= MAX_SCORE
    assert score_of(-value) == -score
    assert value_of(score) == pytest.approx(value, abs=0.002)


def test_scores_are_on_the_scale_of_elo() -> None:
    """400 stand for odds of ten to one; the ends are clipped."""
    assert score_of((10 - 1) / (10 + 1)) == 400
    assert [score_of(value) for value in (0.0, 1.0, -1.0)] == [0, MAX_SCORE, -MAX_SCORE]
    assert score_of(math.nextafter(1.0, 0.0)) < MAX_SCORE
    assert value_of(MAX_SCORE) == pytest.approx(1.0)


MILLISECONDS = st.integers(1, 10**9)


@given(
    player=st.integers(0, 1),
    plies=st.integers(0, 1),
    clock=st.none() | st.tuples(*[MILLISECONDS] * 4),
    seconds=st.none() | MILLISECONDS,
    nodes=st.none() | st.integers(1, 10**12),
    depth=st.none() | st.integers(1, 10**6),
    is_infinite=st.booleans(),
)
def test_limits_of_a_client_arrive(
    player: int,
    plies: int,
    clock: tuple[int, int, int, int] | None,
    seconds: int | None,
    nodes: int | None,
    depth: int | None,
    is_infinite: bool,
) -> None:
    """A server reads what a client writes, whoever moved first and whoever is to move."""
    position = GAME.deal(1, first_player=player)
    if plies:
        position = position.play(0)
    assert first_mover(position) == player
    times = None if clock is None else [number / 1000 for number in clock]
    limits = Limits(
        seconds=None if seconds is None else seconds / 1000,
        clock=None if times is None else Clock((times[0], times[1]), (times[2], times[3])),
        nodes=nodes,
        depth=depth,
        is_infinite=is_infinite,
    )
    words = go_command(limits, player).split()
    assert words[0] == "go"
    assert parse_go(words[1:], position) == (limits, [])


def test_clocks() -> None:
    """p1 is who moved first; a time that is not given is no limit."""
    for player in (0, 1):
        start = GAME.deal(1, first_player=player)
        for position in (start, start.play(0)):
            limits, _ = parse_go(["p1time", "4000", "p2time", "8000", "p2inc", "500"], position)
            assert limits.clock is not None
            assert limits.clock.remaining[player] == 4.0
            assert limits.clock.remaining[1 - player] == 8.0
            assert limits.clock.increment[player] == 0.0
            assert limits.clock.increment[1 - player] == 0.5
            limits, _ = parse_go(["p2time", "100"], position)
            assert limits.seconds_for(player) == math.inf
            assert limits.seconds_for(1 - player) < 0.1
            assert parse_go(["p1inc", "100"], position)[0].clock is None


def test_positions() -> None:
    """A text, a deal, and moves after either."""
    start = GAME.deal(4)
    assert parse_position(["startpos"], GAME, 4) == start
    assert parse_position(["startpos", "moves", "c4", "swap"], GAME, 4) == start.play("c4").play(
        "swap"
    )
    text = start.to_text()
    assert parse_position(["fen", *text.split(), "moves", "a1"], GAME, 9) == start.play("a1")
    assert parse_position(["fen", *text.split(), "moves"], GAME, 9) == start
    for words in ([], ["startpos", text], ["moves", "c4"], text.split()):
        with pytest.raises(ValueError, match="expected 'position startpos'"):
            parse_position(words, GAME, 4)


def test_results() -> None:
    """The winner is called by who moved first, not by the player's number."""
    mancala = make_game("mancala")
    texts = {
        "0,0,0,0,0,0/0,0,0,0,0,0 30-18 s 0 40": "p1win",
        "0,0,0,0,0,0/0,0,0,0,0,0 30-18 s 0 41": "p2win",
        "0,0,0,0,0,0/0,0,0,0,0,0 18-30 s 0 40": "p2win",
        "0,0,0,0,0,0/0,0,0,0,0,0 24-24 s 0 40": "draw",
        "4,4,4,4,4,4/4,4,4,4,4,4 0-0 n 0 0": "none",
    }
    for text, words in texts.items():
        assert result(mancala.from_text(text)) == words
