"""Gymnasium spaces of the games."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from mammalath_env.core.game import Game


def observation_space(game: Game, channels_first: bool = False) -> spaces.Dict:
    """Return a new space of what a player sees.

    Returns:
        ``observation``, a Box of int8 from 0 to `Game.observation_high`, and ``action_mask``, a
        Box of int8[num_actions] from 0 to 1. Gymnasium sorts the two by name wherever it flattens
        them, so that the mask comes first there.
    """
    shape = game.shape(channels_first)
    boxes: dict[str, spaces.Space[Any]] = {
        "observation": spaces.Box(0, game.observation_high, shape, np.int8),
        "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
    }
    return spaces.Dict(boxes)
