"""The contract of all games, tested over random games of each."""

from __future__ import annotations

import copy
import itertools
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mammalath_env.core import transition
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game
from mammalath_env.core.outcome import Termination
from mammalath_env.core.position import Position
from mammalath_env.games import GAMES, make_game
from tests.games.random_play import (
    Playthrough,
    can_win,
    evaluate,
    must_lose,
    play_randomly,
    random_games,
    random_positions,
    return_of_player_0,
)
from tests.generators import seed_globals, state_of_globals

Scale = Callable[[int], int]
ROOT = Path(__file__).parents[2]


def _seen(position: Position) -> tuple[object, ...]:
    """Return all that a position shows, as one comparable value."""
    observations = [
        position.observation(player, channels_first).tobytes()
        for player, channels_first in itertools.product((0, 1), (False, True))
    ]
    return (
        position.to_text(),
        position.to_move,
        position.ply,
        position.outcome,
        position.row.tobytes(),
        position.action_mask().tobytes(),
        *observations,
    )


def test_sizes_and_names_of_a_game(game: Game) -> None:
    """The sizes are positive, the names are those of the table, and the same game is reused."""
    assert game.name in GAMES
    assert game is make_game(game.name)
    assert game.num_actions > 0
    assert game.max_plies > 0
    assert game.observation_high >= 1
    assert len(set(game.player_names)) == 2
    assert all(size > 0 for size in game.observation_shape)
    assert issubclass(game.termination, Termination)
    assert all(1 <= kind <= 31 for kind in game.termination)
    assert sorted(game.shape(channels_first=True)) == sorted(game.observation_shape)
    assert game.shape(channels_first=False) == game.observation_shape
    assert eval(repr(game), {"make_game": make_game}) == game


def test_mask_is_what_play_accepts(game: Game, scale: Scale) -> None:
    """Exactly the actions of the mask can be played; the others change nothing."""
    for position in random_positions(game, scale(80), seed=1):
        mask = position.action_mask()
        assert mask.dtype == np.bool_
        assert mask.shape == (game.num_actions,)
        assert mask.flags.c_contiguous
        assert position.legal_actions() == np.flatnonzero(mask).tolist()
        before = _seen(position)
        for action in range(game.num_actions):
            if mask[action]:
                after = position.play(action)
                assert after.ply == position.ply + 1
                assert after != position
            else:
                with pytest.raises(IllegalMoveError):
                    position.play(action)
        assert _seen(position) == before


def test_legal_sets_hold_nothing_but_actions(scale: Scale) -> None:
    """No bit beyond the mask is set, which draws from the set would take for an action."""
    games = [make_game(name) for name in GAMES]
    games += [make_game(name, swap_rule=False) for name in ("mammalath", "mammalath_plus")]
    for game in games:
        legal = game.new_legal()
        for positions, _ in random_games(game, scale(10), seed=14):
            for position in positions:
                transition.write_legal(game.tables, position.row, legal)
                num_legal = len(position.legal_actions())
                assert sum(word.bit_count() for word in legal.tolist()) == num_legal


def test_whole_games_keep_the_contract(game: Game, scale: Scale) -> None:
    """The mover always has a move, the end comes in time, and the result is for both players."""
    for positions, actions in random_games(game, scale(1000), seed=2):
        assert len(positions) == len(actions) + 1 <= game.max_plies + 1
        for ply, position in enumerate(positions):
            assert position.ply == ply
            assert position.to_move in (0, 1)
            assert type(position.to_move) is type(position.ply) is int
            assert position.is_over == (ply == len(actions))
            assert (position.outcome is None) == (ply < len(actions))
            assert bool(position.legal_actions()) == (ply < len(actions))
        outcome = positions[-1].outcome
        assert outcome is not None
        assert isinstance(outcome.termination, game.termination)
        assert sum(outcome.returns) == 0
        expected = {0: (1.0, -1.0), 1: (-1.0, 1.0), None: (0.0, 0.0)}
        assert outcome.returns == expected[outcome.winner]
        assert not positions[-1].action_mask().any()


def test_every_action_has_its_own_notation(game: Game, scale: Scale) -> None:
    """Every action has its own text, legal or not, which reads back as that action."""
    for position in random_positions(game, scale(40), seed=3):
        texts = [game.format_move(action, position) for action in range(game.num_actions)]
        assert len(set(texts)) == game.num_actions
        assert all(text and text == text.strip() for text in texts)
        assert [game.parse_move(text, position) for text in texts] == list(range(game.num_actions))


def test_positions_read_back_from_their_text(game: Game, scale: Scale) -> None:
    """Every position, running or finished, reads back from its one line of text."""
    for positions, _ in random_games(game, scale(60), seed=4):
        for position in positions:
            text = position.to_text()
            again = game.from_text(text)
            assert "\n" not in text
            assert _seen(again) == _seen(position)
            assert again == position
            assert hash(again) == hash(position)
            assert eval(repr(position), {"make_game": make_game}) == position


def test_positions_stay_as_they_are(game: Game, scale: Scale) -> None:
    """Playing on changes no earlier position, and neither does writing to what was returned."""
    rng = random.Random(5)
    for _ in range(scale(20)):
        positions, seen = [game.deal(rng.getrandbits(64))], []
        while legal := positions[-1].legal_actions():
            seen.append(_seen(positions[-1]))
            positions.append(positions[-1].play(rng.choice(legal)))
        for position in positions:
            for array in (
                position.row,
                position.action_mask(),
                position.observation(0),
                position.observation(1, channels_first=True),
            ):
                array[...] = 1
            position.legal_actions().clear()
        assert [_seen(position) for position in positions[:-1]] == seen


def test_positions_cannot_be_set(game: Game) -> None:
    """No attribute can be replaced, added or removed."""
    position = game.deal(1)
    before = _seen(position)
    for name in ("game", "row", "_row", "ply", "to_move", "outcome", "is_over", "comment"):
        with pytest.raises(AttributeError):
            setattr(position, name, 1)
        with pytest.raises(AttributeError):
            delattr(position, name)
    assert _seen(position) == before


def test_equality_and_hash(game: Game, scale: Scale) -> None:
    """Positions are equal by game and content, however they were reached."""
    seen: dict[Position, str] = {}
    for positions, _ in random_games(game, scale(50), seed=6):
        for position in positions:
            text = position.to_text()
            assert seen.setdefault(position, text) == text
    assert len(set(seen.values())) == len(seen)
    position = game.deal(1)
    assert position == game.deal(1)
    assert position != position.to_text()
    assert position != game
    assert game != game.name
    for other in GAMES:
        assert (game == make_game(other)) == (game.name == other)
        assert (position == make_game(other).deal(1)) == (game.name == other)


def test_copies_of_positions_and_games(game: Game, scale: Scale) -> None:
    """Copies and pickles are equal and play on alike."""
    for position in random_positions(game, scale(20), seed=7):
        pickles = [
            pickle.loads(pickle.dumps(position, protocol))
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
        ]
        for again in (copy.copy(position), copy.deepcopy(position), *pickles):
            assert again == position
            assert again.game == game
            assert _seen(again) == _seen(position)
            for action in position.legal_actions()[:3]:
                assert again.play(action) == position.play(action)
    for same in (copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert same == game
        assert hash(same) == hash(game)
        assert same.deal(3) == game.deal(3)


def test_pickle_in_another_process(game: Game) -> None:
    """A process that has made no game yet reads a position and plays on with it."""
    position = game.deal(4)
    after = position.play(position.legal_actions()[0])
    script = (
        "import pickle, sys\n"
        "position = pickle.load(sys.stdin.buffer)\n"
        "print(position.play(position.legal_actions()[0]).to_text())\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script],
        input=pickle.dumps(position),
        cwd=ROOT,
        # Compiled code on disk must not be needed for this.
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr.decode()
    assert finished.stdout.decode().strip() == after.to_text()


def test_observations_have_the_stated_shape_and_range(game: Game, scale: Scale) -> None:
    """New int8 arrays of the stated shape, for both players at any time, in both layouts."""
    highest = 0
    for position in random_positions(game, scale(100), seed=8):
        before = position.row.tobytes()
        kept: dict[tuple[int, bool], NDArray[np.int8]] = {}
        for player, channels_first in itertools.product((1, 0, 1), (True, False)):
            seen = position.observation(player, channels_first)
            assert seen.dtype == np.int8
            assert seen.shape == game.shape(channels_first)
            assert seen.flags.c_contiguous
            assert seen.flags.owndata
            assert seen.min() >= 0
            assert seen.max() <= game.observation_high
            highest = max(highest, int(seen.max()))
            again = kept.setdefault((player, channels_first), seen.copy())
            np.testing.assert_array_equal(seen, again)
            seen[...] = -1
        assert position.row.tobytes() == before
        for player in (0, 1):
            planes_last = kept[player, False]
            if planes_last.ndim == 3:
                planes_last = np.moveaxis(planes_last, -1, 0)
            np.testing.assert_array_equal(kept[player, True], planes_last)
            np.testing.assert_array_equal(position.observation(player), kept[player, False])
    assert highest > 0
    position = game.deal(1)
    with pytest.raises(TypeError, match="channels_first must be True or False, not 'yes'"):
        position.observation(0, "yes")  # type: ignore[arg-type]


def test_observation_decides_what_is_legal(game: Game) -> None:
    """Positions that look the same to a player have the same mover and legal actions.

    The two deals differ in the mover alone. A swapped token leaves a board that the other deal
    has one ply earlier, without a swap.
    """
    reached = openings = [game.deal(3, first_player=player) for player in (0, 1)]
    for width in (3, game.num_actions, 3):
        openings = [
            position.play(action)
            for position in openings
            for action in position.legal_actions()[:width]
        ]
        reached = reached + openings
    seen: dict[tuple[int, bytes], tuple[int, list[int]]] = {}
    for position, player in itertools.product(reached, (0, 1)):
        key = player, position.observation(player).tobytes()
        facts = position.to_move, position.legal_actions()
        assert seen.setdefault(key, facts) == facts


def test_evaluations_and_threats_agree_with_play(game: Game, scale: Scale) -> None:
    """A winning move is seen exactly if there is one, and positions are worth a bounded number."""
    seen = set()
    for positions, _ in random_games(game, scale(60), seed=11):
        for position in positions[:-1]:
            ends = [position.play(action).outcome for action in position.legal_actions()]
            wins = any(end is not None and end.winner == position.to_move for end in ends)
            assert can_win(game.tables, position.row) == wins
            seen.add(wins)
            if not wins and must_lose(game.tables, position.row):
                assert all(
                    can_win(game.tables, after.row)
                    for after in map(position.play, position.legal_actions())
                    if after.outcome is None
                )
                assert all(end is None or end.winner == 1 - position.to_move for end in ends)
            for player in (0, 1):
                assert -10_000 <= evaluate(game.tables, position.row, player) <= 10_000
            assert return_of_player_0(game.tables, position.row) == 0
        outcome = positions[-1].outcome
        assert outcome is not None
        assert return_of_player_0(game.tables, positions[-1].row) == outcome.returns[0]
    assert seen == {False, True}


def test_seeds_decide_deals(game: Game) -> None:
    """A seed always gives the same deal, no seed another one each time, a generator its own."""
    for seed in (0, 7, 2**64 - 1, 2**70):
        assert game.deal(seed) == game.deal(seed)
        assert game.deal(seed).ply == 0
        assert [game.deal(seed, player).to_move for player in (0, 1)] == [0, 1]
    assert len({game.deal(seed) for seed in range(64)}) > 1
    assert len({game.deal() for _ in range(64)}) > 1
    first, second = np.random.default_rng(1), np.random.default_rng(1)
    dealt = [game.deal(first) for _ in range(64)]
    assert dealt == [game.deal(second) for _ in range(64)]
    assert len(set(dealt)) > 1


def test_global_random_state_is_left_alone(game: Game) -> None:
    """Nothing here reads or moves the generators of `random` and NumPy."""
    deals = []
    for seed in (1, 2):
        seed_globals(seed)
        before = state_of_globals()
        (playthrough,) = random_games(game, 1, seed=9)
        deals.append(playthrough.positions)
        game.deal()
        assert state_of_globals() == before
    assert deals[0] == deals[1]


def test_games_side_by_side(scale: Scale) -> None:
    """Games and sizes played move by move in turn are what they are alone."""
    rng = random.Random(10)
    games = [make_game(name) for name in GAMES]
    games += [make_game(name, swap_rule=False) for name in ("mammalath", "mammalath_plus")]
    for _ in range(scale(10)):
        alone: list[Playthrough] = [
            play_randomly(game.deal(rng.getrandbits(64)), rng) for game in games
        ]
        expected = [[_seen(position) for position in one.positions] for one in alone]
        current = [one.positions[0] for one in alone]
        found = [[_seen(position)] for position in current]
        for ply in range(max(len(one.actions) for one in alone)):
            for lane, one in enumerate(alone):
                if ply < len(one.actions):
                    current[lane] = current[lane].play(one.actions[ply])
                    found[lane].append(_seen(current[lane]))
        assert found == expected
