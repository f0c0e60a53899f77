"""One seat of a game as a Gymnasium environment, with an opponent inside."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from mammalath_env.agents import Agent, make_agent
from mammalath_env.agents.batch import SEATS
from mammalath_env.core.batch import ILLEGAL_TERMINATION
from mammalath_env.core.checks import checked_flag, unknown_choice
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game, action_number, first_player_code
from mammalath_env.core.position import Position
from mammalath_env.core.stream import seed_word
from mammalath_env.envs.arguments import checked_illegal_action, checked_illegal_reward
from mammalath_env.envs.opponents import Opponent, checked_opponent, is_agent
from mammalath_env.envs.pictures import (
    RENDER_FPS,
    RENDER_MODES,
    checked_render_mode,
    checked_render_size,
    draw,
)
from mammalath_env.envs.spaces import space_in_form
from mammalath_env.games import checked_game


class SingleAgentEnv(gymnasium.Env[Any, Any]):
    """One player of a game; the other one is the opponent, who moves inside `step` and `reset`.

    A step plays the learner's action and the opponent's reply, so that a loss arrives in the very
    step whose reply causes it. Rewards, terminations and illegal actions are those of the AEC
    environment, for the learner alone.

    ``info`` holds ``action_mask`` (int8[num_actions]), ``player`` (which player the learner is, 0
    or 1), ``ply`` (plies played) and ``termination`` (as in the AEC environment).

    Attributes:
        game: The game with its options.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        render_mode: str | None = None,
        *,
        render_size: int = 480,
        opponent: Opponent = "random",
        seat: str = "random",
        observation: str = "dict",
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
            opponent: A name for `make_agent` (seeded from this environment), an agent, or a
                function of observation and bool mask to an action.
            seat: Whether the learner moves ``"first"`` or ``"second"``; ``"alternate"`` changes it
                from game to game, beginning with first; ``"random"`` draws it.
            observation: ``"dict"`` of ``observation`` and ``action_mask``; ``"planes"``, the first
                of these alone; ``"flat"``, the same in one dimension.
            channels_first: Planes as the first axis, for games with planes.
            illegal_action: ``"terminate"`` ends the game after an illegal action; ``"raise"``
                raises `IllegalMoveError` and changes nothing.
            illegal_reward: Reward of an illegal action that ends the game.
            **game_options: Options of `make_game`, if `game` is a name.

        Raises:
            ValueError: An argument has a value that does not exist.
            TypeError: An argument has the wrong type, or the game has no such option.
        """
        self.game = checked_game(game, game_options)
        self.render_mode = checked_render_mode(render_mode)
        self.render_size = checked_render_size(render_size)
        if seat not in SEATS:
            raise ValueError(unknown_choice("seat", seat, SEATS))
        self.channels_first = checked_flag("channels_first", channels_first)
        self.illegal_action = checked_illegal_action(illegal_action)
        self.illegal_reward = checked_illegal_reward(illegal_reward)
        self._opponent = checked_opponent(opponent, self.game)
        self._seat = seat
        self._games = 0
        self._form = observation
        self.observation_space = space_in_form(observation, self.game, channels_first)
        self.action_space: spaces.Space[Any] = spaces.Discrete(self.game.num_actions)
        self._agent: Agent | None = None
        self._position: Position | None = None
        self._last_turn: tuple[Position, int] | None = None
        self._mask = np.zeros(self.game.num_actions, np.bool_)
        self._player = 0
        self._termination = 0

    def __copy__(self) -> SingleAgentEnv:
        """Return an environment with a state of its own, as every copy has."""
        return deepcopy(self)

    # Playing

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a game, and let the opponent move if it is to move first.

        Args:
            seed: Seeds deals, seats and a named opponent; None goes on with the stream there is.
            options: ``"first_player"`` (0, 1, or None to draw it) and ``"position"`` (a position
                or its text to start from; the seat says who moves in it). Others are ignored.

        Raises:
            TypeError: The seed or an option has the wrong type.
            ValueError: The seed is negative, an option has an impossible value, or the game is over
                before the learner can move.
        """
        options = {} if options is None else options
        first_player = first_player_code(options.get("first_player"))
        given = options.get("position")
        start = None if given is None else self.game.checked_position(given)
        if seed is not None:
            seed_word(seed)
            seed = int(seed)
        with self._all_or_nothing():
            super().reset(seed=seed)
            if seed is not None:
                self._games = 0
                self._agent = None
            self._start(start, first_player)
        if self.render_mode == "human":
            self.render()
        return self._observe(self._player), self._info()

    @contextlib.contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Put the game, the stream and a named opponent back after a reset that fails."""
        names = (
            "_position",
            "_last_turn",
            "_mask",
            "_player",
            "_termination",
            "_games",
            "_agent",
            "_np_random",
            "_np_random_seed",
        )
        saved = {name: getattr(self, name) for name in names}
        drawn = None if self._np_random is None else self._np_random.bit_generator.state
        try:
            yield
        except BaseException:
            vars(self).update(saved)
            if self._np_random is not None and drawn is not None:
                self._np_random.bit_generator.state = drawn
            raise

    def _start(self, start: Position | None, first_player: int) -> None:
        """Start a game from a position or a deal, and let the opponent move if it is first."""
        if isinstance(self._opponent, str) and self._agent is None:
            self._agent = make_agent(self._opponent, self.np_random)
        if start is None:
            start = self.game.deal(self.np_random, None if first_player < 0 else first_player)
        moves_second = self._seat == "second"
        if self._seat == "alternate":
            moves_second = self._games % 2 == 1
        elif self._seat == "random":
            moves_second = bool(self.np_random.integers(2))
        self._games += 1
        self._player = start.to_move ^ int(moves_second)
        self._position = start
        self._last_turn = None
        self._termination = 0
        self._let_opponent_move()
        if self.position.is_over:
            raise ValueError(
                f"the game is over before the learner moves, from {start.to_text()!r}: "
                "start from another position or in the other seat"
            )

    def step(self, action: SupportsIndex) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the learner's action and the opponent's reply.

        Returns:
            Observation, the learner's reward, terminated, truncated (never true), info.

        Raises:
            gymnasium.error.ResetNeeded: No game was started, or it is over.
            TypeError: The action is not an integer.
            IllegalMoveError: The learner's action is illegal and ``illegal_action`` is
                ``"raise"``; or the opponent's is.
        """
        before = self.position
        if self._termination != 0:
            raise gymnasium.error.ResetNeeded("the game is over: call reset() first")
        number = action_number(action)
        if not 0 <= number < self.game.num_actions or not self._mask[number]:
            if self.illegal_action == "raise":
                before.play(number)
            self._termination = ILLEGAL_TERMINATION
            self._mask = np.zeros(self.game.num_actions, np.bool_)
            reward = self.illegal_reward
        else:
            saved = before, self._last_turn, self._mask
            try:
                self._play(number)
                self._let_opponent_move()
            except BaseException:
                # An opponent that fails leaves the game as it was before the step.
                self._position, self._last_turn, self._mask = saved
                raise
            reward = self.position.return_so_far(self._player) - before.return_so_far(self._player)
        if self.render_mode == "human":
            self.render()
        over = self._termination != 0
        return self._observe(self._player), reward, over, False, self._info()

    def _play(self, action: int) -> None:
        before = self.position
        self._position = before.play(action)
        self._last_turn = before, action

    def _let_opponent_move(self) -> None:
        """Play the opponent's actions until the learner is to move or the game is over."""
        while True:
            position = self.position
            self._mask = position.action_mask()
            if position.is_over:
                outcome = position.outcome
                assert outcome is not None
                self._termination = int(outcome.termination)
                return
            if position.to_move == self._player:
                return
            try:
                self._play(action_number(self._ask_opponent(position)))
            except IllegalMoveError as error:
                raise IllegalMoveError(f"the opponent returned an {error}") from None

    def _ask_opponent(self, position: Position) -> Any:
        agent = self._agent if isinstance(self._opponent, str) else self._opponent
        if is_agent(agent):
            return agent.act(position)
        assert callable(agent)
        return agent(self._observe(1 - self._player), self._mask.copy())

    # Seeing

    @property
    def position(self) -> Position:
        """The current position.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
        """
        if self._position is None:
            raise gymnasium.error.ResetNeeded("there is no game yet: call reset() first")
        return self._position

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learner's legal actions, a new bool[num_actions]; all False after the end."""
        return np.array(self._mask)

    def _observe(self, player: int) -> Any:
        planes = self.position.observation(player, self.channels_first)
        if self._form == "dict":
            return {"observation": planes, "action_mask": self._mask.astype(np.int8)}
        return planes if self._form == "planes" else planes.reshape(-1)

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._mask.astype(np.int8),
            "player": self._player,
            "ply": self.position.ply,
            "termination": self._termination,
        }

    def render(self) -> Any:
        """Draw the position and the last move.

        Returns:
            In mode ``"ansi"`` text, in mode ``"rgb_array"`` a new uint8[height, width, 3]. Mode
            ``"human"`` prints the text, after every step too.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
        """
        return draw(self.render_mode, self.render_size, self.position, self._last_turn)
