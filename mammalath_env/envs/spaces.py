"""Gymnasium spaces of the games."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from mammalath_env.core.checks import unknown_choice
from mammalath_env.core.game import Game

FORMS = ("dict", "planes", "flat")
"""The forms of an observation."""


def observation_space(game: Game, channels_first: bool = False) -> spaces.Dict:
    """Return a new observation space.

    Returns:
        ``observation``, a Box of int8 from 0 to `Game.observation_high`, and ``action_mask``, a
        Box of int8[num_actions] from 0 to 1. Gymnasium sorts the two by name wherever it flattens
        them, so that the mask comes first there.
    """
    boxes: dict[str, spaces.Space[Any]] = {
        "observation": _planes(game, game.shape(channels_first)),
        "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
    }
    return spaces.Dict(boxes)


def space_in_form(form: str, game: Game, channels_first: bool = False) -> spaces.Space[Any]:
    """Return a new observation space.

    Args:
        form: ``"dict"`` for that of `observation_space`; ``"planes"`` for its ``observation``
            alone; ``"flat"`` for the same in one dimension.
        game: The game.
        channels_first: Planes as the first axis, for games with planes.

    Raises:
        ValueError: There is no such form.
    """
    if form not in FORMS:
        raise ValueError(unknown_choice("observation", form, FORMS))
    if form == "dict":
        return observation_space(game, channels_first)
    shape = game.shape(channels_first)
    return _planes(game, shape if form == "planes" else (int(np.prod(shape)),))


def _planes(game: Game, shape: tuple[int, ...]) -> spaces.Box:
    return spaces.Box(0, game.observation_high, shape, np.int8)
