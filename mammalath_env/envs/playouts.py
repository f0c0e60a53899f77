"""Random playouts: many games played to their ends on all cores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core import rules, status
from mammalath_env.core.bits import Int8s, Words, copy_row
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.game import Game
from mammalath_env.core.jit import entry_kernel
from mammalath_env.core.playout import play_out
from mammalath_env.core.position import Position
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import new_stream, seed_words
from mammalath_env.envs import threads
from mammalath_env.games import checked_game


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
        last: One past the last game.
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


class Playouts(NamedTuple):
    """The results of random games.

    Attributes:
        winners: int8[games], 0, 1, or 2 for a draw.
        plies: int32[games], plies from the start position to the end.
    """

    winners: NDArray[np.int8]
    plies: NDArray[np.int32]


def random_playouts(
    game: str | Game,
    num_games: int,
    *,
    seed: int | np.random.Generator | None = None,
    position: Position | None = None,
    num_threads: int | None = None,
) -> Playouts:
    """Play random games to their ends.

    Args:
        game: A name for `make_game`, or a game.
        num_games: How many games.
        seed: Seed of deals and actions. The same one gives the same games, whatever the threads.
        position: Where every game starts; None deals a new one for each.
        num_threads: Threads that share the games; None for the cores there are.

    Returns:
        The winner of each game, and how many plies it had.

    Raises:
        TypeError: `position` is no position, or a number is not an integer.
        ValueError: `num_games` or `num_threads` is below 1, or `position` is of another game.
    """
    game = checked_game(game, {})
    num_games = checked_integer("num_games", num_games, 1)
    if num_threads is None:
        num_threads = threads.default_num_threads()
    num_threads = checked_integer("num_threads", num_threads, 1)
    start = np.zeros(0, np.uint64) if position is None else game.checked_position(position).row
    streams = np.zeros((num_games, 1), np.uint64)
    seed_words(new_stream(seed)[0], streams.reshape(-1))
    rows = np.zeros((num_games, game.num_words), np.uint64)
    legal = np.zeros((num_games, len(game.new_legal())), np.uint64)
    found = Playouts(np.zeros(num_games, np.int8), np.zeros(num_games, np.int32))
    threads.parallel_for(
        lambda first, last: play_out_games(
            game.tables, start, streams, rows, legal, found.winners, found.plies, first, last
        ),
        num_games,
        min(num_threads, max(1, num_games // 256)),
    )
    return found
