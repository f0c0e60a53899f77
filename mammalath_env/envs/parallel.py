"""The PettingZoo parallel view: both agents act in every step, and one action is ignored."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from mammalath_env.core.checks import checked_choice
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.aec import AGENTS, BoardGameEnv, Observation
from mammalath_env.envs.arguments import game_and_rest
from mammalath_env.envs.spaces import space_of

IDLE_MASKS = ("ones", "first")


class BoardGameParallelEnv(ParallelEnv[str, Observation, int]):
    """A game as a PettingZoo parallel environment, for libraries without turns.

    Both agents get an observation and give an action at every step. The action of the agent that
    is not to move is ignored. So that it can always draw one, its mask is not empty: all ones, or
    only action 0. The same holds for both masks after the end. Both agents leave together.

    Attributes:
        game: The game with its options.
        metadata: Name, render modes and frames per second.
        possible_agents: ``["player_0", "player_1"]``.
        observation_spaces: Per agent, as in the AEC environment.
        action_spaces: Per agent, as in the AEC environment.
        state_space: Space of `state`.
    """

    def __init__(
        self,
        game: str | Game,
        render_mode: str | None = None,
        *,
        idle_mask: str = "ones",
        **options: Any,
    ) -> None:
        """Build the environment; `reset` starts a game.

        Args:
            game: A name for `make_game`, or a game.
            render_mode: As for `BoardGameEnv`.
            idle_mask: Mask of an agent that is not to move: ``"ones"``, or ``"first"`` for action
                0 alone.
            **options: The other options of `BoardGameEnv` and of the game.

        Raises:
            ValueError: An argument has a value that does not exist.
            TypeError: An argument has the wrong type, or there is no such option.
        """
        checked_choice("idle_mask", idle_mask, IDLE_MASKS)
        self.game, options = game_and_rest(game, options, type(self), BoardGameEnv)
        self._env = BoardGameEnv(self.game, render_mode, **options)
        self.render_mode = render_mode
        self.metadata = {**self._env.metadata, "is_parallelizable": True}
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces = self._env.observation_spaces
        self.action_spaces = self._env.action_spaces
        self.state_space = self._env.state_space
        self._idle_mask = np.zeros(self.game.num_actions, np.int8)
        self._idle_mask[: None if idle_mask == "ones" else 1] = 1

    def __copy__(self) -> BoardGameParallelEnv:
        """Return an independent environment, as `deepcopy` does."""
        return deepcopy(self)

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start a game; seed and options as in the AEC environment.

        Returns:
            Observations and infos of both agents.

        Raises:
            TypeError: The seed or an option has the wrong type.
            ValueError: The seed is negative, an option has an impossible value, or the position is
                a finished one.
        """
        given = options.get("position") if isinstance(options, Mapping) else None
        if given is not None and self.game.checked_position(given).is_over:
            raise ValueError(f"the game is over in the position to start from: {given!r}")
        self._env.reset(seed, options)
        self.agents = list(AGENTS)
        return self._observations(), self._infos()

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play the action of the agent to move.

        Args:
            actions: Per agent; the one of the agent that is not to move may be anything, or left
                out.

        Returns:
            Observations, rewards, terminations, truncations and infos of both agents.

        Raises:
            gymnasium.error.ResetNeeded: No game was started, or it is over.
            ValueError: The agent to move has no action, or there is an action of somebody else.
            TypeError: The action is not an integer.
            IllegalMoveError: The action is illegal and ``illegal_action`` is ``"raise"``.
        """
        if not self.agents:
            raise gymnasium.error.ResetNeeded("step() needs a game in progress: call reset() first")
        mover = self._env.agent_selection
        strangers = [agent for agent in actions if agent not in AGENTS]
        if strangers or mover not in actions:
            raise ValueError(
                f"step() needs an action of {mover}, and of no agent but {AGENTS[0]} and "
                f"{AGENTS[1]}; got actions of {list(actions)}"
            )
        env = self._env
        if actions[mover] is None:
            raise TypeError(f"the action of {mover}, who is to move, must be an integer, not None")
        env.step(actions[mover])
        results = (
            self._observations(),
            dict(env.rewards),
            dict(env.terminations),
            dict(env.truncations),
            self._infos(),
        )
        if env.terminations[mover]:
            self.agents = []
        return results

    def _observations(self) -> dict[str, Observation]:
        env = self._env
        observations = {agent: env.observe(agent) for agent in AGENTS}
        for agent in AGENTS:
            if env.terminations[agent] or agent != env.agent_selection:
                observations[agent]["action_mask"] = self._idle_mask.copy()
        return observations

    def _infos(self) -> dict[str, dict[str, Any]]:
        to_move = self.position.to_move
        return {agent: {**self._env.infos[agent], "to_move": to_move} for agent in AGENTS}

    @property
    def position(self) -> Position:
        """The current position.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
        """
        return self._env.position

    def state(self) -> NDArray[np.int8]:
        """Return the global state: the observation of ``player_0``."""
        return self._env.state()

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space of `agent`, the same object at every call.

        Raises:
            ValueError: There is no such agent.
        """
        return space_of(agent, self.observation_spaces)

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the action space of `agent`, the same object at every call.

        Raises:
            ValueError: There is no such agent.
        """
        return space_of(agent, self.action_spaces)

    def render(self) -> Any:
        """Draw the position and the last move, as the AEC environment does."""
        return self._env.render()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def __str__(self) -> str:
        return str(self.metadata["name"])
