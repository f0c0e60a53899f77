"""Lanes in which a learner meets an opponent: the kernels behind `OpponentVectorEnv`.

A step is cut into phases, since opponents that are no kernels move between them: the learner's
turn, the opponent's replies, new games in finished lanes, the replies to those, the observation.
As in `mammalath_env.envs.lanes`, kernels work on the lanes from `first` to `last` - 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mammalath_env.agents.greedy import choose_greedily
from mammalath_env.core import status
from mammalath_env.core.bits import Int8s, nth_set, num_set
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import next_below
from mammalath_env.envs.lanes import (
    NEXT_STEP,
    Lanes,
    StepResult,
    deal_lane,
    observe_lane,
    play_lane,
    start_lane,
    write_no_move,
)

RANDOM = 0
GREEDY = 1
OPPONENTS = {"random": RANDOM, "greedy": GREEDY}
"""The agents that are kernels, by their names."""

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
        games: int64[lanes], games started since the seed, for seats that alternate.
        streams: uint64[lanes, 1], for seats and for the opponent's draws.
        legal: uint64[lanes, words of a legal set], scratch.
        rows: uint64[lanes, num_words], scratch.
    """

    player: Int8s
    games: NDArray[np.int64]
    streams: NDArray[np.uint64]
    legal: NDArray[np.uint64]
    rows: NDArray[np.uint64]


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


@kernel
def is_opponents_turn(lanes: Lanes, seating: Seating, i: int) -> bool:
    """Return whether the opponent is to move in lane `i`."""
    return not lanes.over[i] and status.to_move(lanes.rows[i]) != seating.player[i]


@kernel
def play_for_learner(
    tables: Tables,
    lanes: Lanes,
    seating: Seating,
    i: int,
    action: int,
    illegal_reward: float,
    result: StepResult,
) -> None:
    """Play `action`, of the learner or of the opponent, and add what the learner gets for it."""
    player = seating.player[i]
    before = result.rewards[i, player]
    play_lane(tables, lanes, i, action, illegal_reward, result)
    result.reward[i] += result.rewards[i, player] - before


@entry_kernel
def reset_games(
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
    """Start games in the `chosen` lanes and seat the learner; no rewards in any lane.

    With `deals`, new games are dealt; otherwise they start from the positions in the lanes.
    """
    for i in range(first, last):
        if chosen[i]:
            if deals:
                deal_lane(tables, lanes, i, first_player)
            else:
                start_lane(tables, lanes, i)
            take_seat(lanes, seating, i, seat)
        write_no_move(lanes, i, result)


@entry_kernel
def play_learner(
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
    """Play the learner's action in every lane; with `NEXT_STEP`, finished lanes start new games."""
    for i in range(first, last):
        write_no_move(lanes, i, result)
        if not lanes.over[i]:
            play_for_learner(tables, lanes, seating, i, actions[i], illegal_reward, result)
        elif autoreset == NEXT_STEP:
            deal_lane(tables, lanes, i, -1)
            take_seat(lanes, seating, i, seat)


@entry_kernel
def restart_finished(
    tables: Tables,
    lanes: Lanes,
    seating: Seating,
    seat: int,
    channels_first: bool,
    final: StepResult,
    first: int,
    last: int,
) -> None:
    """Write what the learner observes in finished lanes, and start their next games."""
    for i in range(first, last):
        if lanes.over[i]:
            observe_lane(tables, lanes, i, seating.player[i], channels_first, final)
            deal_lane(tables, lanes, i, -1)
            take_seat(lanes, seating, i, seat)


@entry_kernel
def play_replies(
    tables: Tables,
    lanes: Lanes,
    seating: Seating,
    opponent: int,
    result: StepResult,
    first: int,
    last: int,
) -> None:
    """Let an agent of `OPPONENTS` move in every lane until it is the learner's turn."""
    for i in range(first, last):
        while is_opponents_turn(lanes, seating, i):
            stream = seating.streams[i]
            if opponent == GREEDY:
                action = choose_greedily(
                    tables, lanes.rows[i], stream, seating.legal[i], seating.rows[i]
                )
            else:
                legal = lanes.legal[i]
                action = nth_set(legal, next_below(stream, num_set(legal)))
            play_for_learner(tables, lanes, seating, i, action, 0.0, result)


@entry_kernel
def play_given_replies(
    tables: Tables,
    lanes: Lanes,
    seating: Seating,
    actions: NDArray[np.int64],
    chosen: NDArray[np.int64],
    result: StepResult,
) -> None:
    """Play legal ``actions[k]`` of the opponent in lane ``chosen[k]``."""
    for k in range(len(chosen)):
        play_for_learner(tables, lanes, seating, chosen[k], actions[k], 0.0, result)


@entry_kernel
def observe_as_learner(
    tables: Tables,
    lanes: Lanes,
    seating: Seating,
    channels_first: bool,
    result: StepResult,
    first: int,
    last: int,
) -> None:
    """Write what the learner observes in every lane."""
    for i in range(first, last):
        observe_lane(tables, lanes, i, seating.player[i], channels_first, result)
