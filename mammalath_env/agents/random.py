"""The agent that plays random actions."""

from __future__ import annotations

import numpy as np

from mammalath_env.agents.agent import require_running
from mammalath_env.core.position import Position
from mammalath_env.core.stream import new_stream, next_below


class RandomAgent:
    """Plays every legal action with the same probability."""

    name = "random"

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        """Start the agent's own stream from `seed`, as `new_stream` does."""
        self._stream = new_stream(seed)

    def act(self, position: Position) -> int:
        """See `Agent.act`."""
        require_running(position)
        legal = position.legal_actions()
        return legal[int(next_below(self._stream, len(legal)))]
