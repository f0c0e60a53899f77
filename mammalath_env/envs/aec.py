"""The PettingZoo environment: one class for all games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, SupportsIndex, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable

from mammalath_env.core import transition
from mammalath_env.core.bits import Words, unpack_bits
from mammalath_env.core.checks import (
    checked_choice,
    checked_flag,
    checked_integer,
    checked_number,
    unknown_choice,
)
from mammalath_env.core.game import Game, first_player_code
from mammalath_env.core.position import Position
from mammalath_env.core.status import read_status
from mammalath_env.core.stream import new_stream
from mammalath_env.envs.arguments import RESET_OPTIONS, game_and_rest, reset_options
from mammalath_env.envs.pictures import (
    RENDER_FPS,
    RENDER_MODES,
    checked_render_size,
    draw,
)
from mammalath_env.envs.spaces import observation_space, space_of
from mammalath_env.envs.turn import (
    ILLEGAL_ACTIONS,
    ILLEGAL_TERMINATION,
    reason_of,
    take_turn_and_write_mask,
)

AGENTS = ("player_0", "player_1")
_PLAYERS = {agent: player for player, agent in enumerate(AGENTS)}

Observation = dict[str, NDArray[np.int8]]


class BoardGameEnv(AECEnv[str, Observation, int]):
    """A game as a PettingZoo AEC environment.

    The module of each game, such as `mammalath_env.mammalath_v0`, describes its actions and its
    observation. The order of calls, range and legality are checked here, so that no wrapper of
    PettingZoo is needed around it.

    Attributes:
        game: The game with its options.
        metadata: Name, render modes and frames per second; never changed.
        possible_agents: ``["player_0", "player_1"]``, as the players 0 and 1 of the rules.
        observation_spaces: Per agent, ``observation`` and ``action_mask``.
        action_spaces: Per agent, ``Discrete(num_actions)``.
        state_space: Space of `state`.
        infos: Per agent, ``ply`` (plies played) and ``termination`` (0 while the game runs, then
            a value of the game's termination enum, or `ILLEGAL_TERMINATION`); after an illegal
            action also ``reason``, which action that was and why it is illegal, in words.
    """

    def __init__(
        self,
        game: str | Game,
        render_mode: str | None = None,
        *,
        render_size: int = 480,
        channels_first: bool = False,
        illegal_action: str = "terminate",
        illegal_reward: float = -1.0,
        **game_options: Any,
    ) -> None:
        """Build the environment; `reset` starts a game.

        Args:
            game: A name for `make_game`, or a game.
            render_mode: ``"human"`` draws in the terminal; `render` returns text with ``"ansi"``,
                pixels with ``"rgb_array"``.
            render_size: Width of these pictures in pixels.
            channels_first: Planes as the first axis of observations, for games with planes.
            illegal_action: ``"terminate"`` ends the game after an illegal action; ``"raise"``
                raises `IllegalMoveError` and changes nothing.
            illegal_reward: Reward of the offender if that ends the game; the other gets 0.
            **game_options: Options of `make_game`, if `game` is a name.

        Raises:
            ValueError: An argument has a value that does not exist.
            TypeError: An argument has the wrong type, or the game has no such option.
        """
        self.game, _ = game_and_rest(game, game_options, type(self))
        self.render_mode = checked_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.render_size = checked_render_size(render_size)
        self.channels_first = checked_flag("channels_first", channels_first)
        self.illegal_action = checked_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS)
        self.illegal_reward = checked_number("illegal_reward", illegal_reward)
        self.metadata = {
            "name": f"{self.game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: cast(spaces.Dict, observation_space(self.game, channels_first))
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(self.game.num_actions) for agent in AGENTS}
        self.state_space = observation_space(self.game, channels_first, "planes")
        self._shape = self.game.shape(channels_first)
        self._stream = new_stream()
        self._row: Words | None = None
        self._legal = self.game.new_legal()
        self._mask = np.zeros(self.game.num_actions, np.int8)
        self._over = False
        self._last_turn: tuple[Words, int] | None = None

    # Starting a game

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a game.

        Args:
            seed: Starts a stream of deals; None continues the current stream.
            options: Either ``"first_player"`` (0, 1 or None to draw it) or ``"position"`` (a
                position or its text to start from instead of a deal). Other keys are ignored, those
                nearly spelt like these and arguments of the environment with a warning.

        Raises:
            TypeError: The seed, an option or `options` has the wrong type.
            ValueError: The seed is negative, an option has an impossible value, or both are given.
        """
        options = reset_options(options, RESET_OPTIONS, self.game, type(self))
        first_player = first_player_code(options.get("first_player"))
        given = options.get("position")
        position = None if given is None else self.game.checked_position(given)
        if seed is not None:
            self._stream = new_stream(seed)
        if position is None:
            row = np.empty(self.game.num_words, np.uint64)
            transition.deal(self.game.tables, row, self._stream, first_player)
        else:
            row = position.row
        self._start(row)

    def _start(self, row: Words) -> None:
        """Start from the position `row`, running or finished."""
        self._row = row
        now = read_status(row)
        self._over = now.is_over
        self._ply = now.ply
        self._last_turn = None
        transition.write_legal(self.game.tables, row, self._legal)
        self._mask = unpack_bits(self._legal, self.game.num_actions).view(np.int8)
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[now.to_move]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, self._over)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._set_infos(now.reason)
        self._skip_agent_selection: str | None = None
        if self.render_mode == "human":
            self.render()

    @property
    def position(self) -> Position:
        """The current position.

        Setting it (a `Position` or its text) starts over from there: flags follow the position,
        rewards are 0, and the stream of deals stays. A finished position pays no rewards, which
        belong to the moves that led to it.

        Raises:
            gymnasium.error.ResetNeeded: Read before the first `reset`.
            TypeError, ValueError: Set to something else, or to a position that no game reaches.
        """
        return Position(self.game, self._started("position").copy())

    @position.setter
    def position(self, position: Position | str) -> None:
        self._start(self.game.checked_position(position).row)

    # Playing

    def step(self, action: SupportsIndex | None) -> None:
        """Play `action` for the agent in ``agent_selection``.

        Args:
            action: In ``range(num_actions)``; for an agent whose game is over, None.

        Raises:
            gymnasium.error.ResetNeeded: No agent is left, or no game was started.
            TypeError: The action is not an integer.
            IllegalMoveError: The action is illegal and ``illegal_action`` is ``"raise"``.
            ValueError: The game of the agent is over, and the action is not None.
        """
        if not self.agents:
            raise gymnasium.error.ResetNeeded("step() needs a game in progress: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent]:
            if action is not None:
                raise ValueError(
                    f"the game of {agent} is over: call step(None), or reset() for another game; "
                    f"got action {action!r}"
                )
            self._was_dead_step(None)
            return
        row = self._row
        assert row is not None
        number = checked_integer("an action", action)  # type: ignore[arg-type]
        in_range = 0 <= number < len(self._mask)
        if self.illegal_action == "raise" and not (in_range and self._mask[number]):
            self.position.play(number)  # raises IllegalMoveError
        # What is out of range need not fit the int64 of a kernel.
        played = number if in_range else -1
        before = None if self.render_mode is None else row.copy()
        event, reward_0, reward_1, to_move = take_turn_and_write_mask(
            self.game.tables, row, self._legal, self._mask, played, self.illegal_reward
        )
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {AGENTS[0]: reward_0, AGENTS[1]: reward_1}
        if reward_0 or reward_1:
            self._cumulative_rewards[AGENTS[0]] += reward_0
            self._cumulative_rewards[AGENTS[1]] += reward_1
        if event == transition.ILLEGAL:
            self.agent_selection = AGENTS[1 - to_move]
            self._end(ILLEGAL_TERMINATION)
            reason = reason_of(number, self.position)
            for info in self.infos.values():
                info["reason"] = reason
        else:
            self.agent_selection = AGENTS[to_move]
            self._ply += 1
            if event == transition.OVER:
                self._end(read_status(row).reason)
            else:
                self._set_infos(0)
            if before is not None:
                self._last_turn = before, number
        if self.render_mode == "human":
            self.render()

    def _end(self, termination: int) -> None:
        """Set the flags of both agents; a game that ends is terminated, never truncated."""
        self._over = True
        self.terminations = dict.fromkeys(AGENTS, True)
        self._set_infos(termination)

    def _set_infos(self, termination: int) -> None:
        self.infos: dict[str, dict[str, Any]] = {
            "player_0": {"ply": self._ply, "termination": termination},
            "player_1": {"ply": self._ply, "termination": termination},
        }

    # Observing

    def observe(self, agent: str) -> Observation:
        """Return the observation of `agent`, whether it is to move or not, also after the end.

        Returns:
            ``"observation"``, int8 of the game's observation shape, and ``"action_mask"``,
            int8[num_actions]: the legal actions of the agent to move, all zeros for the other one
            and for both after the end. Both arrays are new.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
            ValueError: There is no such agent.
        """
        row = self._row
        if row is None:
            raise gymnasium.error.ResetNeeded("observe() needs a game: call reset() first")
        player = _PLAYERS.get(agent)
        if player is None:
            raise ValueError(unknown_choice("agent", agent, AGENTS))
        planes = np.empty(self._shape, np.int8)
        transition.observe(self.game.tables, row, player, self.channels_first, planes)
        # After the end the mask is empty, also after an illegal action.
        if self._over or agent == self.agent_selection:
            return {"observation": planes, "action_mask": self._mask.copy()}
        return {"observation": planes, "action_mask": np.zeros(len(self._mask), np.int8)}

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, cumulative reward, flags and info of the agent to act.

        Raises:
            gymnasium.error.ResetNeeded: No agent is left, or no game was started.
        """
        if not self.agents:
            raise gymnasium.error.ResetNeeded("last() needs a game in progress: call reset() first")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observation, int]:
        """Return an iterable of the agents to act, until none is left or `max_iter` have acted.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
        """
        self._started("agent_iter()")
        return super().agent_iter(max_iter)

    def state(self) -> NDArray[np.int8]:
        """Return the global state: the observation of ``player_0``, since nothing is hidden.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
        """
        self._started("state()")
        return self.observe(AGENTS[0])["observation"]

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
        """Draw the position and the move that led to it, also after the end.

        Returns:
            In mode ``"ansi"`` text, in mode ``"rgb_array"`` a new uint8[height, width, 3]. Mode
            ``"human"`` prints the text.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
        """
        position = Position(self.game, self._started("render()").copy())
        last = None
        if self._last_turn is not None:
            last = Position(self.game, self._last_turn[0]), self._last_turn[1]
        return draw(self.render_mode, self.render_size, position, last)

    def close(self) -> None:
        """Do nothing: there are no windows or files to close."""

    # Copies

    def __copy__(self) -> BoardGameEnv:
        """Return an independent environment; only game and spaces are shared."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for name, value in self.__dict__.items():
            if isinstance(value, np.ndarray):
                setattr(twin, name, value.copy())
        for name in ("agents", "rewards", "_cumulative_rewards", "terminations", "truncations"):
            if name in self.__dict__:
                setattr(twin, name, self.__dict__[name].copy())
        if "infos" in self.__dict__:
            twin.infos = {agent: dict(info) for agent, info in self.infos.items()}
        return twin

    def _started(self, what: str) -> Words:
        """Return the row of the position; there is none before the first reset."""
        if self._row is None:
            raise gymnasium.error.ResetNeeded(f"{what} needs a game: call reset() first")
        return self._row

    def __str__(self) -> str:
        return str(self.metadata["name"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.game!r}>"
