"""Turning and mirroring the board and renaming animal types change nothing else."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import numpy as np
import pytest

from mammalath_env.core.bits import Words
from mammalath_env.games.mammalath.game import MammalathGame
from mammalath_env.games.mammalath.state import ANIMAL_WORD
from mammalath_env.games.mammalath.symmetry import SQUARE_SYMMETRIES, Symmetry
from tests.games.boards import BOTH, NAMES, SMALL, play_text
from tests.games.random_play import random_positions

WITHOUT_SWAP = [MammalathGame(game.config, swap_rule=False) for game in BOTH]
ALL = [*BOTH, *WITHOUT_SWAP]
ALL_NAMES = [*NAMES, *(f"{name}-without-swap" for name in NAMES)]
START = "ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE 6/6/6/6/6/6 b 0"
TURNED = {
    (False, False, False): "b1",
    (False, False, True): "e1",
    (False, True, False): "b6",
    (False, True, True): "e6",
    (True, False, False): "a2",
    (True, False, True): "f2",
    (True, True, False): "a5",
    (True, True, True): "f5",
}


def _symmetries(game: MammalathGame, seed: int) -> list[Symmetry]:
    """Return the eight of the square and some renamings."""
    rng = random.Random(seed)
    types = list(range(game.config.size))
    renamings = [tuple(types[1:] + types[:1]), tuple(rng.sample(types, len(types)))]
    return [*game.symmetries, *(game.relabelling(renaming) for renaming in renamings)]


def _without_names(row: Words) -> tuple[list[int], list[int]]:
    """Return the words of a row, those of the types in order of size."""
    return row[:ANIMAL_WORD].tolist(), sorted(row[ANIMAL_WORD:].tolist())


def _compose(second: Symmetry, first: Symmetry) -> tuple[bytes, bytes, bytes]:
    """Return what `first` and then `second` do to spaces, types and actions."""
    return (
        second.spaces[first.spaces].tobytes(),
        second.types[first.types].tobytes(),
        second.actions[first.actions].tobytes(),
    )


def _content(symmetry: Symmetry) -> tuple[bytes, bytes, bytes]:
    return symmetry.spaces.tobytes(), symmetry.types.tobytes(), symmetry.actions.tobytes()


@pytest.mark.parametrize("game", ALL, ids=ALL_NAMES)
def test_symmetries_commute(game: MammalathGame, scale: Callable[[int], int]) -> None:
    """Moves, masks, observations and outcomes of the image are the images of those."""
    rng = random.Random(8)
    for number, at in enumerate(random_positions(game, scale(40), seed=8)):
        for symmetry in _symmetries(game, number):
            image = game.transform(at, symmetry)
            np.testing.assert_array_equal(
                image.action_mask(), symmetry.apply_to_actions(at.action_mask())
            )
            assert image.outcome == at.outcome
            assert (image.to_move, image.ply) == (at.to_move, at.ply)
            for player, channels_first in itertools.product((0, 1), (False, True)):
                seen = at.observation(player, channels_first)
                np.testing.assert_array_equal(
                    image.observation(player, channels_first),
                    symmetry.apply_to_observation(seen, channels_first),
                )
            legal = at.legal_actions()
            for action in rng.sample(legal, min(5, len(legal))):
                assert game.transform(at.play(action), symmetry) == image.play(
                    int(symmetry.actions[action])
                )


@pytest.mark.parametrize("game", ALL, ids=ALL_NAMES)
def test_images_are_positions(game: MammalathGame, scale: Callable[[int], int]) -> None:
    """An image is as possible as the position, and another symmetry takes it back."""
    for at in random_positions(game, scale(40), seed=9):
        for symmetry in game.symmetries:
            image = game.transform(at, symmetry)
            assert game.from_text(image.to_text()) == image
            assert at in [game.transform(image, back) for back in game.symmetries]
        assert game.transform(at, game.symmetries[0]) == at


@pytest.mark.parametrize("game", ALL, ids=ALL_NAMES)
def test_the_eight_are_a_group(game: MammalathGame) -> None:
    """They are different, the first changes nothing, and two in a row are one of them."""
    contents = [_content(symmetry) for symmetry in game.symmetries]
    assert len(set(contents)) == len(SQUARE_SYMMETRIES) == 8
    first = game.symmetries[0]
    for permutation, length in (
        (first.spaces, game.config.num_spaces),
        (first.types, game.config.size),
        (first.actions, game.num_actions),
    ):
        assert permutation.dtype == np.int64
        assert permutation.tolist() == list(range(length))
    for one, other in itertools.product(game.symmetries, repeat=2):
        assert _compose(one, other) in contents
    for one in game.symmetries:
        assert contents[0] in [_compose(other, one) for other in game.symmetries]


@pytest.mark.parametrize("game", ALL, ids=ALL_NAMES)
def test_renamings_are_a_group(game: MammalathGame) -> None:
    """Renaming twice is renaming once, and it goes with turning in either order."""
    rng = random.Random(2)
    size = game.config.size
    for _ in range(10):
        first, second = (tuple(rng.sample(range(size), size)) for _ in range(2))
        both = tuple(second[kind] for kind in first)
        one, other = game.relabelling(first), game.relabelling(second)
        assert _compose(other, one) == _content(game.relabelling(both))
        for turn in game.symmetries:
            assert _compose(one, turn) == _compose(turn, one)


@pytest.mark.parametrize("which", SQUARE_SYMMETRIES)
def test_direction_of_a_turn(which: tuple[bool, bool, bool]) -> None:
    """Transpose, then flip rows, then flip columns; entry i is where i has gone."""
    symmetry = SMALL.symmetries[SQUARE_SYMMETRIES.index(which)]
    at = play_text(SMALL.from_text(START), "b1")
    image = play_text(SMALL.transform(SMALL.from_text(START), symmetry), TURNED[which])
    assert SMALL.transform(at, symmetry) == image
    space = SMALL.parse_move(TURNED[which], at)
    assert symmetry.spaces[1] == symmetry.actions[1] == space
    seen = symmetry.apply_to_observation(at.observation(0))
    assert np.argwhere(seen[..., 6]).tolist() == [list(divmod(space, 6))]


def test_turned_position_as_text() -> None:
    """A turn to the right, worked out by hand: rows become columns, then columns are flipped."""
    symmetry = SMALL.symmetries[SQUARE_SYMMETRIES.index((True, False, True))]
    at = SMALL.from_text("AABBCC/DDEEFF/6/6/6/AE2F1 b5/6/6/6/6/4w1 b 9")
    image = SMALL.transform(at, symmetry)
    assert image.to_text() == "A3DA/E3DA/4EB/4EB/F3FC/4FC 5b/6/6/6/w5/6 b 9"
    for action, expected in (("xa1-c1", "xf1-f3"), ("xd1-f1", "xf4-f6"), ("c4", "c3")):
        moved = symmetry.actions[SMALL.parse_move(action, at)]
        assert moved == SMALL.parse_move(expected, at)


def test_direction_of_a_renaming() -> None:
    """Type k becomes type ``types[k]``: with (1, 2, 0, ...) every A becomes B."""
    symmetry = SMALL.relabelling((1, 2, 0, 3, 4, 5))
    at = SMALL.from_text(START)
    image = SMALL.transform(at, symmetry)
    assert image.to_text() == START.translate(str.maketrans("ABC", "BCA"))
    assert symmetry.actions[SMALL.parse_move("xA", at)] == SMALL.parse_move("xB", at)
    assert symmetry.spaces.tolist() == list(range(36))
    assert symmetry.actions[42:].tolist() == list(range(42, 123))


@pytest.mark.parametrize(
    "types", [(), (0, 1, 2, 3, 4), (0, 1, 2, 3, 4, 4), (1, 2, 3, 4, 5, 6), (0, 1, 2, 3, 4, 5, 6)]
)
def test_no_renaming(types: tuple[int, ...]) -> None:
    """Anything but a permutation of the types is refused."""
    with pytest.raises(ValueError, match="types must be a permutation of 0 to 5"):
        SMALL.relabelling(types)


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_batches_are_transformed_at_once(game: MammalathGame) -> None:
    """Leading axes are kept, other types than int8 too, and the given arrays stay as they are."""
    positions = list(random_positions(game, 6, seed=4))
    symmetry = game.symmetries[5]
    masks = np.array([at.action_mask() for at in positions]).reshape(2, 3, -1)
    policies = masks * np.arange(game.num_actions, dtype=np.float32)
    kept = policies.copy()
    image = symmetry.apply_to_actions(policies)
    assert image.dtype == np.float32
    for lane in itertools.product(range(2), range(3)):
        np.testing.assert_array_equal(image[lane], symmetry.apply_to_actions(policies[lane]))
    np.testing.assert_array_equal(policies, kept)
    for channels_first in (False, True):
        seen = np.array([at.observation(0, channels_first) for at in positions])
        batch = seen.reshape(2, 3, *seen.shape[1:])
        turned = symmetry.apply_to_observation(batch, channels_first)
        assert turned.dtype == np.int8
        assert turned.shape == batch.shape
        assert turned.flags.c_contiguous
        for number, lane in enumerate(itertools.product(range(2), range(3))):
            np.testing.assert_array_equal(
                turned[lane], symmetry.apply_to_observation(seen[number], channels_first)
            )


@pytest.mark.parametrize("game", ALL, ids=ALL_NAMES)
def test_canonical_positions(game: MammalathGame, scale: Callable[[int], int]) -> None:
    """All images of a position have the same one, which is an image of them too."""
    for number, at in enumerate(random_positions(game, scale(40), seed=10)):
        chosen = game.canonical_position(at)
        assert game.from_text(chosen.to_text()) == chosen
        images = [game.transform(at, turn).row for turn in game.symmetries]
        assert _without_names(chosen.row) in [_without_names(image) for image in images]
        for symmetry in _symmetries(game, number):
            assert game.canonical_position(game.transform(at, symmetry)) == chosen
            assert game.canonical_position(game.transform(chosen, symmetry)) == chosen
