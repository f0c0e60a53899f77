"""Random games of any game, and a digest of all that can be seen in them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numba

from mammalath_env.core import rules
from mammalath_env.core.bits import Words
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.rules import Tables
from mammalath_env.games import make_game


class Playthrough(NamedTuple):
    """A game from some position to its end: one position more than actions."""

    positions: list[Position]
    actions: list[int]


def play_randomly(start: Position, rng: random.Random) -> Playthrough:
    """Play to the end with random actions.

    Some games avoid the end while they can and some prefer the lower half of the legal ids, since
    uniform choices alone give short games of one kind.
    """
    avoid_end, prefer_low = rng.random() < 0.5, rng.random() < 0.5
    positions, actions = [start], []
    while legal := positions[-1].legal_actions():
        choices = legal[: (len(legal) + 1) // 2] if prefer_low else legal
        for action in rng.sample(choices, len(choices)):
            after = positions[-1].play(action)
            if not (avoid_end and after.is_over):
                break
        positions.append(after)
        actions.append(action)
    return Playthrough(positions, actions)


def random_games(game: Game, number: int, seed: int = 0) -> Iterator[Playthrough]:
    """Yield `number` games from random deals, the same ones for the same `seed`."""
    rng = random.Random(seed)
    for _ in range(number):
        yield play_randomly(game.deal(rng.getrandbits(64)), rng)


def until(seen: Callable[[], bool], number: int, most: int) -> Iterator[int]:
    """Count from 0 to `number` - 1, and on until something was `seen`, to `most` - 1 at most.

    A test that plays few games, for lack of time, plays more until it has met every case.
    """
    for k in range(most):
        if k >= number and seen():
            return
        yield k


def random_positions(game: Game, number: int, seed: int = 0) -> Iterator[Position]:
    """Yield one random position, running or finished, of each of `number` random games."""
    rng = random.Random(seed)
    for playthrough in random_games(game, number, seed):
        yield rng.choice(playthrough.positions)


def _evaluate(tables: Tables, row: Words, player: int) -> int:
    return rules.evaluate(tables, row, player)


def _return_of_player_0(tables: Tables, row: Words) -> int:
    return rules.return_of_player_0(tables, row)


def _can_win(tables: Tables, row: Words) -> bool:
    return rules.can_win(tables, row)


def _must_lose(tables: Tables, row: Words) -> bool:
    return rules.must_lose(tables, row)


# Kernels called from Python run as plain Python; these are compiled where kernels are.
evaluate: Callable[[Tables, Words, int], int] = numba.njit(_evaluate)
return_of_player_0: Callable[[Tables, Words], int] = numba.njit(_return_of_player_0)
can_win: Callable[[Tables, Words], bool] = numba.njit(_can_win)
must_lose: Callable[[Tables, Words], bool] = numba.njit(_must_lose)


class Digest:
    """A running digest of positions and all that they answer."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._hash = hashlib.sha256()

    def add(self, *values: Any) -> None:
        """Add values of which the text says everything."""
        self._hash.update(repr(values).encode())

    def add_position(self, position: Position) -> None:
        """Add the row, the legal actions, both observations in both layouts and the worth."""
        tables, row = position.game.tables, position.row
        self.add(row.tolist(), position.legal_actions(), position.to_text(), position.outcome)
        self.add(int(return_of_player_0(tables, row)))
        if not position.is_over:
            self.add(bool(can_win(tables, row)), bool(must_lose(tables, row)))
        for player in (0, 1):
            for channels_first in (False, True):
                observation = position.observation(player, channels_first)
                self.add(observation.shape)
                self._hash.update(observation.tobytes())
            if not position.is_over:
                self.add(int(evaluate(tables, row, player)))

    def __str__(self) -> str:
        return self._hash.hexdigest()


def digest_random_games(name: str, number: int, options: dict[str, Any] | None = None) -> str:
    """Return the digest of all positions of `number` random games of the game `name`."""
    digest = Digest()
    for playthrough in random_games(make_game(name, **options or {}), number):
        digest.add(playthrough.actions)
        for position in playthrough.positions:
            digest.add_position(position)
    return str(digest)


def digest_moves(name: str, text: str) -> str:
    """Return the digest of a position of the game `name` and of all that follow after one move."""
    digest = Digest()
    position = make_game(name).from_text(text)
    digest.add_position(position)
    for action in position.legal_actions():
        digest.add_position(position.play(action))
    return str(digest)
