"""Rendering through the environment: when it prints, what it returns, and what it needs."""

from __future__ import annotations

import copy
import random

import pytest

from mammalath_env.core.game import Game
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.rendering import render_ansi
from tests.envs.play import MakeEnv, drain, illegal_action, play_to_end, random_game
from tests.processes import run_code

Capture = pytest.CaptureFixture[str]

# An entry None in `sys.modules` makes the import of that name fail.
WITHOUT_GRAPHICS = """
import sys
for name in ("pygame", "PIL", "matplotlib", "tkinter"):
    sys.modules[name] = None
import numpy as np
from mammalath_env import {game}_v0
env = {game}_v0.env(render_mode="ansi")
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    env.step(None if termination else int(np.flatnonzero(observation["action_mask"])[0]))
    if not termination:
        print(env.render())
print(env.position.outcome)
"""


def test_ansi_returns_text_and_prints_nothing(
    env: BoardGameEnv, rng: random.Random, capfd: Capture
) -> None:
    """Every picture is a new text, and neither stepping nor drawing writes anywhere."""
    pictures = []
    for _ in random_game(env, rng):
        picture = env.render()
        assert type(picture) is str
        assert env.render() == picture
        pictures.append(picture)
    assert len(set(pictures)) == len(pictures)
    drain(env)
    assert env.render() == pictures[-1]
    assert capfd.readouterr() == ("", "")


def test_ansi_shows_the_last_move(env: BoardGameEnv, rng: random.Random) -> None:
    """The picture is that of the position with the move that led to it, the last one too."""
    before = env.position
    assert env.render() == render_ansi(before)
    while not before.is_over:
        action = rng.choice(before.legal_actions())
        env.step(action)
        assert env.render() == render_ansi(env.position, before, action)
        before = env.position
    # A given position has no last move.
    env.position = before
    assert env.render() == render_ansi(before)
    env.reset()
    assert env.render() == render_ansi(env.position)


def test_an_illegal_action_leaves_the_text_picture(env: BoardGameEnv, rng: random.Random) -> None:
    """An action that was not played is not shown."""
    action = illegal_action(env, rng)
    before = env.render()
    env.step(action)
    assert env.render() == before


def test_human_prints_every_position(
    make_env: MakeEnv, rng: random.Random, capsys: Capture
) -> None:
    """In mode ``human`` a reset and every step print the position, the last one too."""
    env = make_env(render_mode="human")
    assert capsys.readouterr().out == ""
    env.reset(seed=1)
    position = env.position
    assert capsys.readouterr().out == render_ansi(position, color=False) + "\n"
    while not position.is_over:
        action = rng.choice(position.legal_actions())
        env.step(action)
        after = position.play(action)
        expected = render_ansi(after, position, action, color=False)
        assert capsys.readouterr().out == expected + "\n"
        assert env.render() is None
        assert capsys.readouterr().out == expected + "\n"
        position = after
    drain(env)
    # The steps of agents whose game is over move nothing.
    assert capsys.readouterr().out == ""
    assert env.render() is None
    assert capsys.readouterr().out == expected + "\n"


def test_without_a_mode_render_warns(make_env: MakeEnv, capsys: Capture) -> None:
    """Drawing without a mode is a mistake of the caller; it says so and draws nothing."""
    env = make_env()
    assert env.render_mode is None
    env.reset()
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None
    env.step(env.position.legal_actions()[0])
    env.close()
    assert capsys.readouterr().out == ""


def test_metadata_never_change(make_env: MakeEnv, rng: random.Random, capsys: Capture) -> None:
    """Neither playing nor drawing changes the metadata of any environment."""
    other = make_env()
    before = copy.deepcopy(other.metadata)
    for mode in ("ansi", "human", None):
        env = make_env(render_mode=mode)
        env.reset(seed=1)
        play_to_end(env, rng)
        if mode is not None:
            env.render()
        env.close()
        assert env.metadata == other.metadata == before
    assert make_env().metadata == before
    assert capsys.readouterr().err == ""


def test_games_and_pictures_without_graphics(game: Game) -> None:
    """Importing, playing and drawing text work where no graphics library is installed."""
    output = run_code(WITHOUT_GRAPHICS.format(game=game.name))
    assert "Outcome(" in output.splitlines()[-1]
