"""The games as Python games of OpenSpiel.

Importing this module registers ``python_mammalath``, ``python_mammalath_plus`` and
``python_mancala``, so that ``pyspiel.load_game("python_mammalath(swap_rule=False)")`` finds them.

A board has too many deals for a chance node of OpenSpiel. Game parameters limit them:

- ``deals``: number of deals, each as likely as another, up to a million; by default 1024, or 1
  where all deals are alike.
- ``seed``: the first deal is that of ``Game.deal(seed)``, the next one that of ``seed + 1``.
- ``first_player``: 0 or 1, or -1 to let chance decide.

An outcome of the chance node at the root is a deal with the player who moves first. With one deal
and a fixed first player there is no chance node, and the game is deterministic. The other
parameters are the options of `mammalath_env.make_game`, except ``reward``: the games pay +1, 0 or
-1 at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mammalath_env.core.extras import from_extra
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.games import GAMES, make_game

with from_extra("openspiel", "pyspiel", "open_spiel"):
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame

_MANY_DEALS = 1024
# OpenSpiel lists all outcomes of chance whenever it reads them.
_MOST_DEALS = 1_000_000
_DRAWN = -1


def _default_parameters(game: Game) -> dict[str, Any]:
    all_alike = game.deal(seed=0, first_player=0) == game.deal(seed=1, first_player=0)
    deals = 1 if all_alike else _MANY_DEALS
    options = {option: value for option, value in game.options.items() if option != "reward"}
    return {"deals": deals, "seed": 0, "first_player": _DRAWN, **options}


def _game_type(game: Game, chance: bool) -> pyspiel.GameType:
    modes = pyspiel.GameType.ChanceMode
    return pyspiel.GameType(
        short_name=f"python_{game.name}",
        long_name=f"Python {game.title}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if chance else modes.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_default_parameters(make_game(game.name)),
    )


class BoardGame(pyspiel.Game):
    """One of the games with its parameters fixed.

    Attributes:
        rules: The game of the package.
        starts: The outcomes of chance, each a seed and the player who moves first.
    """

    def __init__(self, name: str, params: dict[str, Any] | None = None) -> None:
        """Build the game.

        Args:
            name: A name for `make_game`.
            params: Values of game parameters that differ from the defaults.

        Raises:
            ValueError: A parameter has an impossible value.
        """
        chosen = {**_default_parameters(make_game(name)), **(params or {})}
        deals, seed, first_player = (chosen.pop(key) for key in ("deals", "seed", "first_player"))
        if not 1 <= deals <= _MOST_DEALS or seed < 0 or first_player not in (_DRAWN, 0, 1):
            raise ValueError(
                f"python_{name} needs deals from 1 to {_MOST_DEALS}, a seed of at least 0 and a "
                f"first_player of -1, 0 or 1, not {deals}, {seed} and {first_player}"
            )
        self.rules = make_game(name, **chosen)
        players = (0, 1) if first_player == _DRAWN else (first_player,)
        self.starts = [(seed + deal, player) for deal in range(deals) for player in players]
        chance = len(self.starts) > 1
        info = pyspiel.GameInfo(
            num_distinct_actions=self.rules.num_actions,
            max_chance_outcomes=len(self.starts) if chance else 0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.rules.max_plies,
        )
        super().__init__(_game_type(self.rules, chance), info, params or {})

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (str(self),)

    def new_initial_state(self, state: None = None) -> BoardState:
        """Return the state before the deal, or after it if there is only one outcome.

        Raises:
            ValueError: `state` is given: positions cannot be set, as states keep their history.
        """
        if state is not None:
            raise ValueError(f"states begin with a deal and cannot be made from {state!r}")
        return BoardState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return 1 if chance deals, and 0 otherwise."""
        return int(len(self.starts) > 1)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return an observer; both players see the whole position."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PositionObserver(self.rules, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class BoardState(pyspiel.State):
    """A position, or the moment before the deal.

    Attributes:
        position: The position; None before the deal.
    """

    def __init__(self, game: BoardGame) -> None:
        """Start a game."""
        super().__init__(game)
        self._rules = game.rules
        self._starts = game.starts
        self.position: Position | None = None
        if len(self._starts) == 1:
            self.position = self._deal(0)

    def _deal(self, outcome: int) -> Position:
        return self._rules.deal(*self._starts[outcome])

    def current_player(self) -> int:
        """Return the player to move, 0 or 1, or OpenSpiel's id for chance or for the end."""
        if self.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        if self.position.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        return self.position.to_move

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the deal, all equally likely."""
        return [(outcome, 1 / len(self._starts)) for outcome in range(len(self._starts))]

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self.position is None else self.position.legal_actions()

    def _apply_action(self, action: int) -> None:
        self.position = self._deal(action) if self.position is None else self.position.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            seed, first = self._starts[action]
            return f"deal {seed}, {self._rules.player_names[first]} first"
        # The notation of Mancala says whose hole it is, so it needs a position of that player.
        position = self.position
        if position is None or position.to_move != player:
            position = self._rules.deal(seed=0, first_player=player)
        return self._rules.format_move(action, position)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.position is not None and self.position.is_over

    def returns(self) -> list[float]:
        """Return the players' returns: zeros until the end."""
        outcome = None if self.position is None else self.position.outcome
        return [0.0, 0.0] if outcome is None else list(outcome.returns)

    def __str__(self) -> str:
        return "before the deal" if self.position is None else self.position.to_text()


class PositionObserver:
    """The observation of a player, as `Position.observation` returns it, planes first.

    Attributes:
        tensor: float32, flat; zeros before the deal.
        dict: ``"observation"``, a view of the tensor in its shape.
    """

    def __init__(self, rules: Game, params: Any = None) -> None:
        """Allocate the tensor.

        Raises:
            ValueError: There are `params`; the observer has none.
        """
        if params:
            raise ValueError(f"the observer has no parameters, so {params!r} means nothing")
        shape = rules.shape(channels_first=True)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: BoardState, player: int) -> None:
        """Write the observation of `player` in `state`."""
        if state.position is None:
            self.tensor.fill(0)
        else:
            self.dict["observation"][...] = state.position.observation(player, channels_first=True)

    def string_from(self, state: BoardState, player: int) -> str:
        """Return the position as text; both players see the same."""
        return str(state)


def _load(text: str) -> pyspiel.Game:
    # A function of this module, so that unpickling a game imports it, which registers the games.
    return pyspiel.load_game(text)


def _class_of(name: str) -> type[BoardGame]:
    """Return the class that OpenSpiel calls with the parameters alone."""

    def build(self: BoardGame, params: dict[str, Any] | None = None) -> None:
        BoardGame.__init__(self, name, params)

    return type(f"{make_game(name).title.replace(' ', '')}Game", (BoardGame,), {"__init__": build})


# OpenSpiel releases registered objects after Python has shut down. A class is safe then, whereas
# freeing a function would abort the process.
for _name in GAMES:
    pyspiel.register_game(_game_type(make_game(_name), chance=True), _class_of(_name))
