"""Animated pictures of games."""

from __future__ import annotations

import io
import random

import numpy as np
import pytest
from PIL import Image

from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.games import make_game
from mammalath_env.rendering import render_rgb
from mammalath_env.rendering.animation import render_gif


@pytest.fixture
def moves(game: Game) -> tuple[list[Position], list[int]]:
    """The first plies of a game."""
    positions, actions = [game.deal(1)], []
    for _ in range(4):
        actions.append(positions[-1].legal_actions()[-1])
        positions.append(positions[-1].play(actions[-1]))
    return positions, actions


def test_one_frame_a_position(moves: tuple[list[Position], list[int]]) -> None:
    """Frames are the pictures, in order and for as long as was asked; the last stays longer."""
    positions, actions = moves
    image = Image.open(io.BytesIO(render_gif(positions, actions, size=160, seconds=0.5)))
    assert image.format == "GIF"
    assert getattr(image, "n_frames", 1) == len(positions)
    assert image.info["loop"] == 0
    for ply, position in enumerate(positions):
        image.seek(ply)
        last = () if ply == 0 else (positions[ply - 1], actions[ply - 1])
        expected = render_rgb(position, *last, size=160).astype(int)
        frame = np.array(image.convert("RGB")).astype(int)
        assert frame.shape == expected.shape
        # 256 colours for the whole game.
        assert np.abs(frame - expected).mean() < 1
        assert image.info["duration"] == (2000 if ply == len(actions) else 500)


@pytest.mark.parametrize("name", ["mancala", "mammalath"])
def test_colors_of_a_whole_game(name: str) -> None:
    """Colours that appear for one ply of a long game are kept: plain areas are exact in all frames.

    In the game of Mancala, captures are marked red in a tenth of the frames.
    """
    rng = random.Random(27)
    positions, actions = [make_game(name).deal(27)], []
    while not positions[-1].is_over:
        actions.append(rng.choice(positions[-1].legal_actions()))
        positions.append(positions[-1].play(actions[-1]))
    image = Image.open(io.BytesIO(render_gif(positions, actions, size=300)))
    for ply in range(1, len(positions)):
        image.seek(ply)
        frame = np.array(image.convert("RGB"))
        expected = render_rgb(positions[ply], positions[ply - 1], actions[ply - 1], size=300)
        colors, counts = np.unique(expected.reshape(-1, 3), axis=0, return_counts=True)
        for color in colors[counts > 150]:
            assert (frame[(expected == color).all(axis=2)] == color).all()


def test_the_same_game_gives_the_same_file(moves: tuple[list[Position], list[int]]) -> None:
    """Nothing in the file depends on when it was written."""
    assert render_gif(*moves, size=96) == render_gif(*moves, size=96)


def test_a_start_position_alone(game: Game) -> None:
    """A game without moves is one frame."""
    image = Image.open(io.BytesIO(render_gif([game.deal(1)], [], size=96)))
    assert getattr(image, "n_frames", 1) == 1


def test_impossible_games_and_times_are_refused(moves: tuple[list[Position], list[int]]) -> None:
    """Actions must lead from position to position, and times must be possible."""
    positions, actions = moves
    with pytest.raises(ValueError, match="4 actions lead to 4 positions"):
        render_gif(positions[:-1], actions)
    with pytest.raises(ValueError, match=r"to another position|illegal move"):
        render_gif(positions[::-1], actions)
    for seconds in (0.0, -1.0, float("nan"), 1e9):
        with pytest.raises(ValueError, match=r"seconds must be (finite|from 0\.02 to 600), not"):
            render_gif(positions, actions, seconds=seconds)
    for wrong in (True, "1", None):
        with pytest.raises(TypeError, match="seconds must be a number, not "):
            render_gif(positions, actions, seconds=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("seconds", [163.84, 600])
def test_the_last_picture_stays_at_most_as_long_as_a_file_can_say(
    moves: tuple[list[Position], list[int]], seconds: float
) -> None:
    """The last picture stays as long as a file can say."""
    image = Image.open(io.BytesIO(render_gif(*moves, size=64, seconds=seconds)))
    assert image.info["duration"] == 1000 * seconds
    image.seek(getattr(image, "n_frames", 1) - 1)
    assert image.info["duration"] == 655350
