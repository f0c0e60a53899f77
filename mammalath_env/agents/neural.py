"""The agent that plays by a trained network, with or without a search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mammalath_env.agents.agent import require_running
from mammalath_env.agents.pattern_network import Floats, shipped_network
from mammalath_env.agents.puct import PUCTSearch
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position


class NeuralAgent:
    """Plays the likeliest action of a network, or the most visited one of a search with it.

    The networks come with the package, one file for each game that has one, and need the library
    safetensors (extra ``neural``).
    """

    name = "neural"
    last_value: float | None = None

    def __init__(
        self,
        seed: int | np.random.Generator | None = None,
        *,
        simulations: int = 0,
        leaves: int = 8,
        exploration: float = 1.5,
    ) -> None:
        """Set the limits; the network is loaded with the first position of its game.

        Args:
            seed: Seed of the order of equal actions in a search; nothing else is random.
            simulations: Simulations of the search (`PUCTSearch`) for each action; 0 plays the
                likeliest action of the network.
            leaves: Leaves of a search that the network evaluates at a time, at least 1.
            exploration: Weight of the exploration term of a search, above 0.

        Raises:
            TypeError: A limit is not a number.
            ValueError: A limit is impossible.
        """
        self._simulations = checked_integer("simulations", simulations, 0)
        self._search = PUCTSearch(
            self._evaluate,
            simulations=max(self._simulations, 1),
            leaves=leaves,
            exploration=exploration,
            channels_first=True,
            seed=seed,
        )
        self._game_name = ""

    def _evaluate(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        return shipped_network(self._game_name)(observations, masks)

    def check_game(self, game: Game) -> None:
        """Check that there is a network for the game.

        Raises:
            ImportError: The library safetensors is not installed.
            ValueError: There is none.
        """
        shipped_network(game.name)

    def act(self, position: Position) -> int:
        """See `Agent.act`.

        Raises:
            GameOverError: The game is over.
            ImportError: The library safetensors is not installed.
            ValueError: There is no network for the game.
        """
        require_running(position)
        self.check_game(position.game)
        self._game_name = position.game.name
        scores: NDArray[np.int32] | Floats
        values: NDArray[np.float64] | Floats
        if self._simulations:
            scores, values = self._search.search([position])
        else:
            observation = position.observation(position.to_move, channels_first=True)
            scores, values = self._evaluate(observation[None], position.action_mask()[None])
        self.last_value = float(values[0])
        return int(scores[0].argmax())
