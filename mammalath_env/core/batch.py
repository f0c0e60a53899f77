"""Many games at once: the kernels behind the batched environments.

A batch of games is a set of lanes. The kernels here work on the lanes from `first` to `last` - 1,
so that threads can share a batch; no lane reads or writes anything of another one, and every lane
has its own random stream, so that results do not depend on how lanes are shared out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core import rules, status
from mammalath_env.core.bits import Int8s, Words, copy_row, expand_bits, nth_set, num_set
from mammalath_env.core.jit import entry_kernel, kernel
from mammalath_env.core.playout import play_out
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import next_below
from mammalath_env.core.transition import is_legal

NEXT_STEP = 0
SAME_STEP = 1
DISABLED = 2
"""When a finished lane starts its next game: in the step after, at once, or when told to."""

ILLEGAL_TERMINATION = -1
"""The termination of a lane that an illegal action ended."""


class Lanes(NamedTuple):
    """The state of a batch.

    Attributes:
        rows: uint64[lanes, num_words], the positions.
        legal: uint64[lanes, (num_actions + 63) // 64], the movers' legal actions.
        streams: uint64[lanes, 1], the streams that deals are drawn from.
        over: bool[lanes], whether the game has ended, by the rules or by an illegal action.
    """

    rows: NDArray[np.uint64]
    legal: NDArray[np.uint64]
    streams: NDArray[np.uint64]
    over: NDArray[np.bool_]


class StepResult(NamedTuple):
    """What a step tells about each lane.

    Attributes:
        observation: int8[lanes, observation size], of the player to move.
        action_mask: int8[lanes, num_actions], of the player to move; zeros after the end.
        reward: float64[lanes], of the player who moved.
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


@kernel
def start_lane(tables: Tables, lanes: Lanes, i: int, first_player: int) -> None:
    """Deal a new game in lane `i`."""
    rules.deal(tables, lanes.rows[i], lanes.streams[i], first_player)
    lanes.over[i] = False


@kernel
def see_lane(
    tables: Tables, lanes: Lanes, i: int, player: int, channels_first: bool, result: StepResult
) -> None:
    """Write what `player` sees in lane `i`, the legal actions, and facts about the position."""
    row = lanes.rows[i]
    legal = lanes.legal[i]
    if lanes.over[i]:
        for k in range(len(legal)):
            legal[k] = 0
    else:
        rules.write_legal(tables, row, legal)
    expand_bits(legal, result.action_mask.shape[1], result.action_mask[i])
    rules.write_observation(tables, row, player, channels_first, result.observation[i])
    result.to_move[i] = status.to_move(row)
    result.ply[i] = status.ply(row)


@kernel
def pay_lane(i: int, player: int, reward: float, other_reward: float, result: StepResult) -> None:
    """Write the rewards of lane `i`, in which `player` has moved."""
    result.reward[i] = reward
    result.rewards[i, player] = reward
    result.rewards[i, 1 - player] = other_reward


@kernel
def play_lane(
    tables: Tables, lanes: Lanes, i: int, action: int, illegal_reward: float, result: StepResult
) -> None:
    """Play `action` in lane `i`, which must be running, and write rewards and result."""
    row = lanes.rows[i]
    player = status.to_move(row)
    if action < 0 or action >= result.action_mask.shape[1] or not is_legal(lanes.legal[i], action):
        pay_lane(i, player, illegal_reward, 0.0, result)
        result.winner[i] = 1 - player
        result.termination[i] = ILLEGAL_TERMINATION
        lanes.over[i] = True
    else:
        before = rules.return_of_player_0(tables, row)
        rules.apply(tables, row, action)
        gain = float(rules.return_of_player_0(tables, row) - before)
        reward = gain if player == 0 else 0.0 - gain
        pay_lane(i, player, reward, 0.0 - reward, result)
        result.winner[i] = status.winner_code(row)
        result.termination[i] = status.reason(row)
        lanes.over[i] = status.is_over(row)
    result.terminated[i] = lanes.over[i]


@kernel
def rest_lane(lanes: Lanes, i: int, result: StepResult) -> None:
    """Write the rewards and the result of a lane in which nobody has moved."""
    pay_lane(i, 0, 0.0, 0.0, result)
    result.winner[i] = -1
    result.termination[i] = 0
    result.terminated[i] = False


@entry_kernel
def start_lanes(
    tables: Tables,
    lanes: Lanes,
    chosen: NDArray[np.bool_],
    first_player: int,
    channels_first: bool,
    result: StepResult,
    first: int,
    last: int,
) -> None:
    """Deal new games in the `chosen` lanes and write what all lanes see.

    Args:
        tables: The game's constants.
        lanes: State of the batch.
        chosen: bool[lanes].
        first_player: 0, 1, or -1 to draw one in each lane.
        channels_first: Layout of the observation.
        result: Where to write.
        first: First lane.
        last: Behind the last lane.
    """
    for i in range(first, last):
        if chosen[i]:
            start_lane(tables, lanes, i, first_player)
        rest_lane(lanes, i, result)
        see_lane(tables, lanes, i, status.to_move(lanes.rows[i]), channels_first, result)


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
        illegal_reward: What an illegal action is paid; it ends the lane's game.
        channels_first: Layout of the observation.
        result: Where to write.
        final: With `SAME_STEP`, where to write what is seen in the lanes that end.
        first: First lane.
        last: Behind the last lane.
    """
    for i in range(first, last):
        if lanes.over[i]:
            # With SAME_STEP only a lane that was reset to a finished position.
            if autoreset != DISABLED:
                start_lane(tables, lanes, i, -1)
            rest_lane(lanes, i, result)
        else:
            play_lane(tables, lanes, i, actions[i], illegal_reward, result)
            if autoreset == SAME_STEP and lanes.over[i]:
                see_lane(tables, lanes, i, status.to_move(lanes.rows[i]), channels_first, final)
                start_lane(tables, lanes, i, -1)
        see_lane(tables, lanes, i, status.to_move(lanes.rows[i]), channels_first, result)


@entry_kernel
def first_refused(lanes: Lanes, actions: NDArray[np.int64], num_actions: int) -> int:
    """Return the first running lane with an illegal action, or -1."""
    for i in range(len(actions)):
        if lanes.over[i]:
            continue
        action = actions[i]
        if action < 0 or action >= num_actions or not is_legal(lanes.legal[i], action):
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
        last: Behind the last lane.
    """
    for i in range(first, last):
        actions[i] = 0
        if not lanes.over[i]:
            legal = lanes.legal[i]
            actions[i] = nth_set(legal, next_below(streams[i], num_set(legal)))


@entry_kernel
def play_out_games(
    tables: Tables,
    start: Words,
    streams: NDArray[np.uint64],
    rows: NDArray[np.uint64],
    legal: NDArray[np.uint64],
    winners: Int8s,
    plies: NDArray[np.int32],
    first: int,
    last: int,
) -> None:
    """Play random games to their ends, one for each stream.

    Args:
        tables: The game's constants.
        start: Position to start from, uint64[num_words]; empty to deal one in each game.
        streams: uint64[games, 1].
        rows: uint64[games, num_words], where the last positions are written.
        legal: Scratch of uint64[games, (num_actions + 63) // 64].
        winners: int8[games], where 0, 1 or 2 (drawn) is written.
        plies: int32[games], where the plies from the start position are written.
        first: First game.
        last: Behind the last game.
    """
    for i in range(first, last):
        row = rows[i]
        if len(start) == 0:
            rules.deal(tables, row, streams[i], -1)
        else:
            copy_row(start, row)
        before = status.ply(row)
        play_out(tables, row, legal[i], streams[i])
        winners[i] = status.winner_code(row)
        plies[i] = status.ply(row) - before
