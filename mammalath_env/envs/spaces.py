"""Gymnasium spaces of the games."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from gymnasium import spaces

from mammalath_env.core.checks import checked_choice, unknown_choice
from mammalath_env.core.game import Game

AnySpace = TypeVar("AnySpace", bound=spaces.Space[Any])

FORMS = ("dict", "planes", "flat")
"""The forms of an observation."""


def observation_space(
    game: Game, channels_first: bool = False, form: str = "dict"
) -> spaces.Space[Any]:
    """Return a new observation space.

    Args:
        game: The game.
        channels_first: Planes as the first axis, for games with planes.
        form: ``"dict"`` for ``observation``, a Box of int8 from 0 to `Game.observation_high`, and
            ``action_mask``, a Box of int8[num_actions] from 0 to 1; ``"planes"`` for the first of
            these; ``"flat"`` for the same in one dimension. Gymnasium sorts the two by name
            wherever it flattens them, so that the mask comes first there.

    Raises:
        ValueError: There is no such form.
    """
    checked_choice("observation", form, FORMS)
    shape = game.shape(channels_first)
    if form == "flat":
        shape = (math.prod(shape),)
    planes = spaces.Box(0, game.observation_high, shape, np.int8)
    if form != "dict":
        return planes
    mask = spaces.Box(0, 1, (game.num_actions,), np.int8)
    return spaces.Dict({"observation": planes, "action_mask": mask})


def space_of(agent: str, by_agent: Mapping[str, AnySpace]) -> AnySpace:
    """Return the space of an agent.

    Raises:
        ValueError: There is no such agent.
    """
    try:
        return by_agent[agent]
    except (KeyError, TypeError):  # what cannot be a key is no agent either
        raise ValueError(unknown_choice("agent", agent, by_agent)) from None
