"""The engine against the slow program that was written from the rules alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from mammalath_env.core.position import Position
from mammalath_env.games import make_game
from mammalath_env.games.mammalath.game import MammalathGame
from tests.games.boards import BOTH, NAMES, position
from tests.games.random_play import Playthrough, play_randomly, until
from tests.reference.mammalath import MammalathReference

GAMES_EACH = 2000
PLIES_BETWEEN_PLANES = 4
RESULTS = {"b": 0, "w": 1, "draw": None}
# Columns of a board full of tokens without a line; every other row has the colours swapped.
COLUMNS = "bbwwbbww"


def _check_planes(at: Position, slow: MammalathReference) -> None:
    for player in (0, 1):
        assert at.observation(player).tolist() == slow.planes(player)


def _check_playthrough(playthrough: Playthrough, slow: MammalathReference) -> None:
    """Follow a game of the engine with the slow program, which agrees on everything."""
    game = playthrough.positions[0].game
    _check_planes(playthrough.positions[0], slow)
    for number, (at, action) in enumerate(
        zip(playthrough.positions, playthrough.actions, strict=False)
    ):
        assert at.to_text() == slow.to_text()
        assert at.legal_actions() == slow.legal_actions()
        assert at.outcome is None
        assert slow.result is None
        if (at.ply + number) % PLIES_BETWEEN_PLANES == 0:
            _check_planes(at, slow)
        assert game.format_move(action, at) == slow.format_move(action)
        slow.apply(action)
    end = playthrough.positions[-1]
    assert end.to_text() == slow.to_text()
    assert end.legal_actions() == slow.legal_actions() == []
    assert slow.result is not None
    assert end.outcome is not None
    assert end.outcome.winner == RESULTS[slow.result]
    assert end.outcome.termination.label == slow.reason
    _check_planes(end, slow)


def _nearly_full(game: MammalathGame, rng: random.Random) -> Position:
    """Return a position with many tokens, no line and all animals, as draws come from."""
    size, most = game.config.size, game.config.num_tokens
    spaces: dict[str, list[int]] = {"b": [], "w": []}
    for space in range(size * size):
        row, col = divmod(space, size)
        spaces["bw"[(COLUMNS[col] == "w") ^ row % 2]].append(space)
    each = rng.randrange(most - 6, most)
    black, white = (rng.sample(spaces[colour], each) for colour in "bw")
    return position(game, range(size * size), black, white, "b", 2 * each)


@pytest.mark.parametrize("name", NAMES)
def test_mammalath_agrees_with_the_reference(name: str, scale: Callable[[int], int]) -> None:
    """Whole random games, with and without the swap rule, and late starts, agree throughout."""
    rng = random.Random(f"against the reference: {name}")
    games = {swap_rule: make_game(name, swap_rule=swap_rule) for swap_rule in (True, False)}
    ends: Counter[str] = Counter()
    kinds = {kind.label for kind in games[True].termination}
    for k in until(lambda: set(ends) == kinds, scale(GAMES_EACH), GAMES_EACH):
        game = games[k % 8 != 7]
        assert isinstance(game, MammalathGame)
        start = _nearly_full(game, rng) if k % 20 == 10 else game.deal(rng.getrandbits(64))
        playthrough = play_randomly(start, rng)
        slow = MammalathReference.from_text(start.to_text(), name, game.swap_rule)
        _check_playthrough(playthrough, slow)
        ends[str(slow.reason)] += 1
    assert set(ends) == kinds
    assert min(ends.values()) >= ends.total() // 100


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_moves_as_text(game: MammalathGame) -> None:
    """Every action has the same text, and every text the same action."""
    start = game.deal(1)
    slow = MammalathReference.from_text(start.to_text(), game.name)
    texts = [slow.format_move(action) for action in range(game.num_actions)]
    assert [game.format_move(action, start) for action in range(game.num_actions)] == texts
    assert [game.parse_move(text, start) for text in texts] == list(range(game.num_actions))
    for text in texts:
        if "-" in text:
            first, last = text[1:].split("-")
            turned = f"x{last}-{first}"
            assert game.parse_move(turned, start) == slow.parse_move(turned)
