"""Lanes: many games at once, and the kernels that play them.

A kernel works on the lanes from `first` to `last` - 1, so that threads can share a batch. No lane
reads or writes anything of another one, and every lane has its own random stream, so that results
do not depend on how lanes are shared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core import rules, status
from mammalath_env.core.bits import Int8s, copy_row, expand_bits, nth_set, num_set
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import next_below
from mammalath_env.core.transition import ILLEGAL, RUNNING, is_legal
from mammalath_env.envs.turn import ILLEGAL_TERMINATION, take_turn

NEXT_STEP = 0
SAME_STEP = 1
DISABLED = 2
"""When a finished lane starts its next game: in the step after, at once, or when told to."""

NO_ACTION = -1


class Lanes(NamedTuple):
    """The state of a batch.

    Attributes:
        rows: uint64[lanes, num_words], the positions.
        legal: uint64[lanes, (num_actions + 63) // 64], their legal sets; empty where the game has
            ended, but not where the episode was truncated.
        streams: uint64[lanes, 1], the streams that deals are drawn from.
        over: bool[lanes], whether the episode has ended.
        last_rows: uint64[lanes, num_words], the positions before the last plies; without lanes if
            nobody will draw them.
        last_actions: int64[lanes], the last plies, or `NO_ACTION`; likewise.
        any_illegal: bool[1], set by an illegal action in any lane and cleared by who reads it, so
            that steps without one cost nothing.
    """

    rows: NDArray[np.uint64]
    legal: NDArray[np.uint64]
    streams: NDArray[np.uint64]
    over: NDArray[np.bool_]
    last_rows: NDArray[np.uint64]
    last_actions: NDArray[np.int64]
    any_illegal: NDArray[np.bool_]


class StepResult(NamedTuple):
    """The results of a step, one entry for each lane.

    Attributes:
        observation: int8[lanes, observation size], of the player shown.
        action_mask: int8[lanes, num_actions], the legal set; zeros after the end.
        reward: float64[lanes], of the player who moved, or of the learner.
        rewards: float64[lanes, 2], of both players.
        terminated: bool[lanes], whether the game ended in this step.
        to_move: int8[lanes], the player to move.
        ply: int16[lanes], plies played.
        winner: int8[lanes], 0, 1 or 2 (drawn) if the game ended in this step, else -1.
        termination: int8[lanes], the reason if it did, else 0.
    """

    observation: Int8s
    action_mask: Int8s
    reward: NDArray[np.float64]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    to_move: Int8s
    ply: NDArray[np.int16]
    winner: Int8s
    termination: Int8s


def new_result(num_lanes: int, num_actions: int, observation_size: int) -> StepResult:
    """Return arrays of undefined content for the results of a step."""
    return StepResult(
        np.empty((num_lanes, observation_size), np.int8),
        np.empty((num_lanes, num_actions), np.int8),
        np.empty(num_lanes, np.float64),
        np.empty((num_lanes, 2), np.float64),
        np.empty(num_lanes, np.bool_),
        np.empty(num_lanes, np.int8),
        np.empty(num_lanes, np.int16),
        np.empty(num_lanes, np.int8),
        np.empty(num_lanes, np.int8),
    )


@kernel
def deal_lane(tables: Tables, lanes: Lanes, i: int, first_player: int) -> None:
    """Start a new game in lane `i`."""
    rules.deal(tables, lanes.rows[i], lanes.streams[i], first_player)
    start_lane(tables, lanes, i)


@kernel
def start_lane(tables: Tables, lanes: Lanes, i: int) -> None:
    """Start a game in lane `i` from the position that stands there."""
    rules.write_legal(tables, lanes.rows[i], lanes.legal[i])
    lanes.over[i] = status.is_over(lanes.rows[i])
    if len(lanes.last_actions) > 0:
        lanes.last_actions[i] = NO_ACTION


@kernel
def clear_result(lanes: Lanes, i: int, result: StepResult) -> None:
    """Write the rewards and the outcome of a step in which nobody has moved yet in lane `i`."""
    result.reward[i] = 0.0
    result.rewards[i, 0] = 0.0
    result.rewards[i, 1] = 0.0
    result.winner[i] = -1
    result.termination[i] = 0
    result.terminated[i] = False


@kernel
def play_lane(
    tables: Tables, lanes: Lanes, i: int, action: int, illegal_reward: float, result: StepResult
) -> None:
    """Play `action` in lane `i`, which must be running; add the rewards and write the outcome."""
    row = lanes.rows[i]
    mover = status.to_move(row)
    if len(lanes.last_actions) > 0 and is_legal(lanes.legal[i], action):
        copy_row(row, lanes.last_rows[i])
        lanes.last_actions[i] = action
    event, reward_0, reward_1 = take_turn(tables, row, lanes.legal[i], action, illegal_reward)
    result.rewards[i, 0] += reward_0
    result.rewards[i, 1] += reward_1
    if event == RUNNING:
        return
    lanes.over[i] = True
    result.terminated[i] = True
    if event == ILLEGAL:
        lanes.any_illegal[0] = True
        result.winner[i] = 1 - mover
        result.termination[i] = ILLEGAL_TERMINATION
    else:
        result.winner[i] = status.winner_code(row)
        result.termination[i] = status.reason(row)


@kernel
def observe_lane(
    tables: Tables, lanes: Lanes, i: int, player: int, channels_first: bool, result: StepResult
) -> None:
    """Write what `player` observes in lane `i`, the action mask, and facts about the position."""
    row = lanes.rows[i]
    expand_bits(lanes.legal[i], result.action_mask.shape[1], result.action_mask[i])
    rules.write_observation(tables, row, player, channels_first, result.observation[i])
    result.to_move[i] = status.to_move(row)
    result.ply[i] = status.ply(row)


@entry_kernel
def reset_lanes(
    tables: Tables,
    lanes: Lanes,
    chosen: NDArray[np.bool_],
    deals: bool,
    first_player: int,
    channels_first: bool,
    result: StepResult,
    first: int,
    last: int,
) -> None:
    """Start games in the `chosen` lanes and write the observations of all lanes.

    Args:
        tables: The game's constants.
        lanes: State of the batch.
        chosen: bool[lanes].
        deals: Whether to deal; otherwise games start from the positions that stand in the lanes.
        first_player: 0, 1, or -1 to draw one in each deal.
        channels_first: Layout of the observation.
        result: Where to write.
        first: First lane.
        last: One past the last lane.
    """
    for i in range(first, last):
        if chosen[i]:
            if deals:
                deal_lane(tables, lanes, i, first_player)
            else:
                start_lane(tables, lanes, i)
        clear_result(lanes, i, result)
        observe_lane(tables, lanes, i, status.to_move(lanes.rows[i]), channels_first, result)


@entry_kernel
def step_lanes(
    tables: Tables,
    lanes: Lanes,
    actions: NDArray[np.int64],
    autoreset: int,
    illegal_reward: float,
    channels_first: bool,
    result: StepResult,
    final: StepResult,
    first: int,
    last: int,
) -> None:
    """Play one action in every lane.

    Args:
        tables: The game's constants.
        lanes: State of the batch.
        actions: int64[lanes], ignored in a lane that starts its next game.
        autoreset: `NEXT_STEP`, `SAME_STEP` or `DISABLED`.
        illegal_reward: Reward of an illegal action, which ends the lane's game.
        channels_first: Layout of the observation.
        result: Where to write.
        final: With `SAME_STEP`, where to write the observations of the lanes that end.
        first: First lane.
        last: One past the last lane.
    """
    for i in range(first, last):
        row = lanes.rows[i]
        clear_result(lanes, i, result)
        if lanes.over[i]:
            # With SAME_STEP only a lane that was reset to a finished position.
            if autoreset != DISABLED:
                deal_lane(tables, lanes, i, -1)
        else:
            mover = status.to_move(row)
            play_lane(tables, lanes, i, actions[i], illegal_reward, result)
            result.reward[i] = result.rewards[i, mover]
            if autoreset == SAME_STEP and lanes.over[i]:
                observe_lane(tables, lanes, i, status.to_move(row), channels_first, final)
                deal_lane(tables, lanes, i, -1)
        observe_lane(tables, lanes, i, status.to_move(row), channels_first, result)


@entry_kernel
def first_illegal(lanes: Lanes, actions: NDArray[np.int64]) -> int:
    """Return the first running lane with an illegal action, or -1."""
    for i in range(len(actions)):
        if not lanes.over[i] and not is_legal(lanes.legal[i], actions[i]):
            return i
    return -1


@entry_kernel
def draw_actions(
    lanes: Lanes, streams: NDArray[np.uint64], actions: NDArray[np.int64], first: int, last: int
) -> None:
    """Draw a random legal action in every lane; 0 where the game has ended.

    Args:
        lanes: State of the batch.
        streams: uint64[lanes, 1], one stream a lane to draw from.
        actions: int64[lanes], where to write.
        first: First lane.
        last: One past the last lane.
    """
    for i in range(first, last):
        actions[i] = 0
        if not lanes.over[i]:
            legal = lanes.legal[i]
            actions[i] = nth_set(legal, next_below(streams[i], num_set(legal)))
