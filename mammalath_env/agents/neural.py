"""The agent that plays by a trained network, with or without a search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mammalath_env.agents.agent import require_running
from mammalath_env.agents.analysis import Analysis
from mammalath_env.agents.limits import NO_LIMITS, Limits
from mammalath_env.agents.pattern_network import Floats, shipped_network
from mammalath_env.agents.puct import PUCTSearch
from mammalath_env.agents.tree import DEFAULT_MEMORY
from mammalath_env.agents.variations import analysis_of, evaluated_line
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.stream import new_stream


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
        memory: float = DEFAULT_MEMORY,
    ) -> None:
        """Set the limits; the network is loaded with the first position of its game.

        Args:
            seed: Seed of the choice among equal actions; nothing else is random.
            simulations: Simulations of the search (`PUCTSearch`) for each action; 0 plays the
                likeliest action of the network.
            leaves: Leaves of a search that the network evaluates at a time, at least 1.
            exploration: Weight of the exploration term of a search, above 0.
            memory: Megabytes that the tree of a search may take, above 0.

        Raises:
            TypeError: A limit is not a number.
            ValueError: A limit is impossible.
        """
        self._simulations = checked_integer("simulations", simulations, 0)
        stream = new_stream(seed)
        self._rng = np.random.default_rng(int(stream[0]))
        self._search = PUCTSearch(
            self._evaluate,
            simulations=max(self._simulations, 1),
            leaves=leaves,
            exploration=exploration,
            channels_first=True,
            memory=memory,
            seed=self._rng,
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
        return self.act_within(position, NO_LIMITS)

    def act_within(self, position: Position, limits: Limits) -> int:
        """See `mammalath_env.agents.agent.act_within`; without a search no limit counts.

        Raises:
            GameOverError, ImportError, ValueError: As for `act`.
        """
        self._prepare(position)
        if self._simulations:
            action, self.last_value = self._search.choose(position, limits)
            return action
        action, _, self.last_value = self._likeliest(position)
        return action

    def analyze(
        self, position: Position, limits: Limits | None = None, *, lines: int = 1
    ) -> Analysis:
        """See `Analyst.analyze`.

        Without a search, moves are ordered by their probabilities, and the value of one is that of
        the network for the position after it.

        Raises:
            GameOverError, ImportError, ValueError: As for `act`.
        """
        checked_integer("lines", lines, 1)
        self._prepare(position)
        if self._simulations:
            return self._search.analyze(position, limits, lines=lines)
        action, policy, _ = self._likeliest(position)
        policy[action] = np.inf
        found = (
            evaluated_line(position, each, lambda after: self._evaluate_one(after)[1])
            for each in sorted(position.legal_actions(), key=lambda each: -policy[each])
        )
        return analysis_of(position, found, lines, 1)

    def _prepare(self, position: Position) -> None:
        require_running(position)
        self.check_game(position.game)
        self._game_name = position.game.name

    def _evaluate_one(self, position: Position) -> tuple[Floats, float]:
        """Return the policy and the value for the player to move."""
        observation = position.observation(position.to_move, channels_first=True)
        policies, values = self._evaluate(observation[None], position.action_mask()[None])
        return policies[0], float(values[0])

    def _likeliest(self, position: Position) -> tuple[int, Floats, float]:
        """Return the action to play, with the policy and the value of the position."""
        policy, value = self._evaluate_one(position)
        return int(self._rng.choice((policy == policy.max()).nonzero()[0])), policy, value
