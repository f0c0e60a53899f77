"""Batches in which a learner meets a built-in agent: the kernels behind the batched environment.

As in `mammalath_env.core.batch`, kernels work on the lanes from `first` to `last` - 1, and no lane
depends on another one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mammalath_env.agents.greedy import choose_greedily
from mammalath_env.core import rules, status
from mammalath_env.core.batch import (
    NEXT_STEP,
    Lanes,
    StepResult,
    play_lane,
    rest_lane,
    see_lane,
    start_lane,
)
from mammalath_env.core.bits import Int8s, Words, nth_set, num_set
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import next_below

RANDOM = 0
GREEDY = 1
OPPONENTS = {"random": RANDOM, "greedy": GREEDY}
"""The agents that kernels know, by their names."""

FIRST = 0
SECOND = 1
ALTERNATE = 2
RANDOM_SEAT = 3
SEATS = {"first": FIRST, "second": SECOND, "alternate": ALTERNATE, "random": RANDOM_SEAT}
"""Whether the learner moves first, by name."""


class Seating(NamedTuple):
    """Who the learner is in each lane, and what the opponent needs.

    Attributes:
        player: int8[lanes], the learner's player.
        games: int64[lanes], games begun since the seed, for seats that alternate.
        streams: uint64[lanes, 1], for seats and for the opponent's draws.
        legal: uint64[lanes, words of a set of actions], scratch.
        rows: uint64[lanes, num_words], scratch.
    """

    player: Int8s
    games: NDArray[np.int64]
    streams: NDArray[np.uint64]
    legal: NDArray[np.uint64]
    rows: NDArray[np.uint64]


@kernel
def choose(
    tables: Tables, row: Words, opponent: int, stream: Words, legal: Words, child: Words
) -> int:
    """Return the action of a built-in agent in a running position."""
    if opponent == GREEDY:
        return choose_greedily(tables, row, stream, legal, child)
    rules.write_legal(tables, row, legal)
    return nth_set(legal, next_below(stream, num_set(legal)))


@kernel
def take_seat(lanes: Lanes, seating: Seating, i: int, seat: int) -> None:
    """Decide which player of the new game in lane `i` is the learner."""
    moves_second = seat == SECOND
    if seat == ALTERNATE:
        moves_second = seating.games[i] % 2 == 1
    elif seat == RANDOM_SEAT:
        moves_second = next_below(seating.streams[i], 2) == 1
    mover = status.to_move(lanes.rows[i])
    seating.player[i] = 1 - mover if moves_second else mover
    seating.games[i] += 1


@entry_kernel
def begin_lanes(
    tables: Tables,
    lanes: Lanes,
    seating: Seating,
    seat: int,
    first_player: int,
    chosen: NDArray[np.bool_],
    deals: bool,
    result: StepResult,
    first: int,
    last: int,
) -> None:
    """Begin games in the `chosen` lanes and seat the learner; no rewards anywhere.

    With `deals`, new games are dealt; without, the lanes hold the positions to begin from.
    """
    for i in range(first, last):
        if chosen[i]:
            if deals:
                start_lane(tables, lanes, i, first_player)
            take_seat(lanes, seating, i, seat)
        rest_lane(lanes, i, result)


@entry_kernel
def play_lanes(
    tables: Tables,
    lanes: Lanes,
    seating: Seating,
    seat: int,
    actions: NDArray[np.int64],
    autoreset: int,
    illegal_reward: float,
    result: StepResult,
    first: int,
    last: int,
) -> None:
    """Play the learner's action in every lane; with `NEXT_STEP`, begin anew in those that ended."""
    for i in range(first, last):
        if lanes.over[i]:
            if autoreset == NEXT_STEP:
                start_lane(tables, lanes, i, -1)
                take_seat(lanes, seating, i, seat)
            rest_lane(lanes, i, result)
        else:
            play_lane(tables, lanes, i, actions[i], illegal_reward, result)


@entry_kernel
def restart_lanes(
    tables: Tables,
    lanes: Lanes,
    seating: Seating,
    seat: int,
    channels_first: bool,
    final: StepResult,
    first: int,
    last: int,
) -> None:
    """Keep what the learner sees in lanes that have ended, and begin their next games."""
    for i in range(first, last):
        if lanes.over[i]:
            see_lane(tables, lanes, i, seating.player[i], channels_first, final)
            start_lane(tables, lanes, i, -1)
            take_seat(lanes, seating, i, seat)


@kernel
def reply(
    tables: Tables, lanes: Lanes, seating: Seating, i: int, action: int, result: StepResult
) -> None:
    """Play the opponent's legal `action` in lane `i`; the learner is paid what it makes of it."""
    row = lanes.rows[i]
    player = seating.player[i]
    before = rules.return_of_player_0(tables, row)
    rules.apply(tables, row, action)
    gain = float(rules.return_of_player_0(tables, row) - before)
    reward = gain if player == 0 else 0.0 - gain
    result.reward[i] += reward
    result.rewards[i, player] += reward
    result.rewards[i, 1 - player] -= reward
    if status.is_over(row):
        lanes.over[i] = True
        result.terminated[i] = True
        result.winner[i] = status.winner_code(row)
        result.termination[i] = status.reason(row)


@entry_kernel
def reply_lanes(
    tables: Tables,
    lanes: Lanes,
    seating: Seating,
    opponent: int,
    result: StepResult,
    first: int,
    last: int,
) -> None:
    """Let a built-in agent move in every lane until the learner is to move or the game is over."""
    for i in range(first, last):
        row = lanes.rows[i]
        while not lanes.over[i] and status.to_move(row) != seating.player[i]:
            action = choose(
                tables, row, opponent, seating.streams[i], seating.legal[i], seating.rows[i]
            )
            reply(tables, lanes, seating, i, action, result)


@entry_kernel
def reply_with(
    tables: Tables,
    lanes: Lanes,
    seating: Seating,
    actions: NDArray[np.int64],
    chosen: NDArray[np.int64],
    result: StepResult,
) -> None:
    """Play legal ``actions[k]`` of the opponent in lane ``chosen[k]``."""
    for k in range(len(chosen)):
        reply(tables, lanes, seating, chosen[k], actions[k], result)


@entry_kernel
def see_as_learner(
    tables: Tables,
    lanes: Lanes,
    seating: Seating,
    channels_first: bool,
    result: StepResult,
    first: int,
    last: int,
) -> None:
    """Write what the learner sees in every lane."""
    for i in range(first, last):
        see_lane(tables, lanes, i, seating.player[i], channels_first, result)
