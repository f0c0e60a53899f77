"""The interface through which everything else sees a game."""

from __future__ import annotations

import abc
from typing import Any, ClassVar, SupportsIndex

import numpy as np

from mammalath_env.core import transition
from mammalath_env.core.bits import WORD_BITS, Words
from mammalath_env.core.checks import checked_integer, unknown_choice
from mammalath_env.core.errors import IllegalMoveError, PositionError
from mammalath_env.core.lesson import Lesson
from mammalath_env.core.outcome import Termination
from mammalath_env.core.position import Position
from mammalath_env.core.rules import Rules, Tables, register_rules
from mammalath_env.core.stream import new_stream


class Game(abc.ABC):
    """A two-player game with its options fixed: the source of positions, texts and sizes.

    A game adds its rules as kernels (`mammalath_env.core.rules.Rules`) and the methods below
    that turn positions and moves into text and tell what a move does. Games are equal if name and
    options are.

    Attributes:
        name: The name that `make_game` takes, if the game is in the table `GAMES`; records hold it.
        title: The name for people.
        options: The options of `make_game`, all of them, with their values.
        tables: The constants that kernels read; their type selects the rules, see
            `mammalath_env.core.rules`.
        rules: The kernels.
        num_words: Words of a position row, of which the first is that of
            `mammalath_env.core.status`.
        num_actions: Action ids are ``range(num_actions)``; at most 32,767.
        observation_shape: Shape of an observation, planes last where there are planes.
        observation_high: Largest value of an observation, at most 127; the smallest is 0.
        max_plies: Proven upper bound of the length of a game, in plies; at most 32,767.
    """

    termination: ClassVar[type[Termination]]
    """The reasons for which a game ends."""
    player_names: ClassVar[tuple[str, str]]
    """Names of player 0 and player 1 in the rules."""

    def __init__(
        self,
        *,
        name: str,
        title: str,
        options: dict[str, Any],
        tables: Tables,
        rules: Rules,
        num_words: int,
        num_actions: int,
        observation_shape: tuple[int, ...],
        observation_high: int,
        max_plies: int,
    ) -> None:
        """Store the description of the game and register its rules."""
        self.name = name
        self.title = title
        self.options = options
        self.tables = tables
        self.rules = rules
        self.num_words = num_words
        self.num_actions = num_actions
        self.observation_shape = observation_shape
        self.observation_high = observation_high
        self.max_plies = max_plies
        register_rules(tables, rules)

    @abc.abstractmethod
    def __reduce__(self) -> tuple[Any, ...]:
        """Return the call that builds the game, so that its rules are registered again."""

    @abc.abstractmethod
    def _parse_row(self, given: str) -> Words:
        """Return the row of a position text; raise PositionError without quoting the text.

        The white space of the text is single spaces between its fields.
        """

    @abc.abstractmethod
    def _format_row(self, row: Words) -> str:
        """Return the text of a row."""

    @abc.abstractmethod
    def _format_move(self, action: int, position: Position) -> str:
        """Return the text of an action in range, legal or not."""

    @abc.abstractmethod
    def _parse_move(self, given: str, position: Position) -> int:
        """Return the action of a text, legal or not; raise InvalidMoveError."""

    @abc.abstractmethod
    def _effect(self, action: int, position: Position, after: Position) -> Any:
        """Return what a legal action does, for `Position.effect`.

        A frozen dataclass of the game's own, from which pictures and texts can tell the move.
        `after` is the position that the action leads to.
        """

    def deal(
        self,
        seed: SupportsIndex | np.random.Generator | None = None,
        first_player: SupportsIndex | None = None,
    ) -> Position:
        """Return a start position.

        Args:
            seed: An integer of at least 0, which always gives the same position; a generator to
                draw from; or None for a random one.
            first_player: Who moves first, 0 or 1, or None to draw it. A seed gives the same deal
                whoever moves first.

        Raises:
            TypeError: `seed` or `first_player` is of another type.
            ValueError: `seed` is negative, or `first_player` is neither 0 nor 1.
        """
        row = np.empty(self.num_words, np.uint64)
        transition.deal(self.tables, row, new_stream(seed), first_player_code(first_player))
        return Position(self, row)

    def from_text(self, text: str) -> Position:
        """Return the position that `text` describes; `Position.to_text` is the exact inverse.

        Any white space separates fields, and that around the text is ignored, such as the end of a
        line.

        Raises:
            TypeError: `text` is not a string.
            PositionError: `text` is not a position of the game, or no game can reach it. This is a
                ValueError and quotes the text.
        """
        if not isinstance(text, str):
            raise TypeError(f"a position text must be a string, not {text!r}")
        try:
            return Position(self, self._parse_row(" ".join(text.split())))
        except PositionError as error:
            raise PositionError(f"{text!r} is not a position of {self.title}: {error}") from None

    def checked_position(self, given: object) -> Position:
        """Return a position of this game from a position or a text.

        Raises:
            TypeError: `given` is neither.
            ValueError: It belongs to another game, or no game can reach it.
        """
        if isinstance(given, str):
            return self.from_text(given)
        if not isinstance(given, Position):
            raise TypeError(f"a position must be a Position or its text, not {given!r}")
        if given.game != self:
            raise ValueError(f"expected a position of {self!r}, not of {given.game!r}")
        # A Position can be made around any row: go through the text, which is checked.
        return self.from_text(given.to_text())

    def format_move(self, action: SupportsIndex, position: Position) -> str:
        """Return `action` in notation, legal in `position` or not.

        Raises:
            TypeError: `action` is not an integer.
            IllegalMoveError: `action` is not in ``range(num_actions)``.
        """
        return self._format_move(self.check_action(action, position), position)

    def parse_move(self, text: str, position: Position) -> int:
        """Return the action that `text` means for the player to move, legal or not.

        White space around the text is ignored.

        Raises:
            TypeError: `text` is not a string.
            InvalidMoveError: `text` is not a move of the game. This is a ValueError and quotes it.
        """
        if not isinstance(text, str):
            raise TypeError(f"a move text must be a string, not {text!r}")
        return self._parse_move(text.strip(), position)

    def check_action(self, action: SupportsIndex, position: Position) -> int:
        """Return `action` as an int in ``range(num_actions)``.

        Raises:
            TypeError: `action` is not an integer.
            IllegalMoveError: It is out of range.
        """
        number = checked_integer("an action", action)
        if not 0 <= number < self.num_actions:
            raise IllegalMoveError(
                f"action {number} is out of range for {self.player_names[position.to_move]}: "
                f"{self.title} has actions 0 to {self.num_actions - 1}; "
                f"position {position.to_text()!r}"
            )
        return number

    def describe_illegal(self, action: int, position: Position) -> str:
        """Return why `action`, in range, is refused: who tried which move where, and the reason."""
        move = self._format_move(action, position)
        if position.is_over:
            what = f"no move after the end: {move} (action {action})"
        else:
            what = f"illegal move {move} (action {action}) of {self.player_names[position.to_move]}"
        return f"{what} in {position.to_text()!r}: {self.explain_illegal(action, position)}"

    def explain_illegal(self, action: SupportsIndex, position: Position) -> str:
        """Return the reason by the rules for which `action` is illegal, without a full stop.

        Raises:
            TypeError: `action` is not an integer.
            IllegalMoveError: `action` is not in ``range(num_actions)``.
            ValueError: `action` is legal in `position`.
        """
        number = self.check_action(action, position)
        if position.is_over:
            return f"the game is over; {self.describe_end(position)}"
        if position.action_mask()[number]:
            raise ValueError(f"{self._format_move(number, position)} is legal: {position!r}")
        return self._explain_illegal(number, position)

    def describe_end(self, position: Position) -> str:
        """Return what ended the game, for people, without a full stop.

        Raises:
            ValueError: The game is not over.
        """
        if not position.is_over:
            raise ValueError(f"the game is not over: {position!r}")
        return self._describe_end(position)

    def kind_of_move(self, action: SupportsIndex, position: Position) -> str:
        """Return what kind of move `action` is, in words by which a list of moves is grouped.

        Raises:
            TypeError: `action` is not an integer.
            IllegalMoveError: `action` is not in ``range(num_actions)``.
        """
        return self._kind_of_move(self.check_action(action, position))

    def canonical_position(self, position: Position) -> Position:
        """Return the one position that stands for all that are the same by a symmetry of the game.

        Positions with the same one are worth the same. A game without symmetries, as by default,
        returns `position`.
        """
        return position

    def _explain_illegal(self, action: int, position: Position) -> str:
        """Return why `action`, in range, is illegal in a running position."""
        return f"the rules of {self.title} do not allow it here"

    def _describe_end(self, position: Position) -> str:
        """Return what ended the game."""
        outcome = position.outcome
        assert outcome is not None
        return outcome.termination.label

    def _kind_of_move(self, action: int) -> str:
        """Return the kind of `action`, in range."""
        return "move"

    def how_to_play(self) -> str:
        """Return goal and notation in some lines of at most 79 columns, or an empty text."""
        return ""

    def lessons(self) -> tuple[Lesson, ...]:
        """Return the rules as lessons, in the order to read them; none if there are none.

        They are those of the game with its default options.
        """
        return ()

    def describe_termination(self, code: SupportsIndex) -> str:
        """Return in words what ``termination`` in the infos of environments means.

        Args:
            code: 0 while a game runs, a value of `termination`, or -1 after an illegal action.

        Returns:
            ``""``, the label of the reason, or ``"illegal action"``.

        Raises:
            TypeError: `code` is not an integer.
            ValueError: It is another integer.
        """
        number = checked_integer("a termination", code)
        if number == 0:
            return ""
        if number == transition.ILLEGAL:
            return "illegal action"
        try:
            return self.termination(number).label
        except ValueError:
            codes = [transition.ILLEGAL, 0, *map(int, self.termination)]
            raise ValueError(unknown_choice("termination", number, codes)) from None

    def shape(self, channels_first: bool) -> tuple[int, ...]:
        """Return the shape of an observation in one of the two layouts."""
        if channels_first and len(self.observation_shape) == 3:
            rows, cols, planes = self.observation_shape
            return planes, rows, cols
        return self.observation_shape

    def new_legal(self) -> Words:
        """Return scratch space for a set of actions, uninitialized uint64 words."""
        return np.empty((self.num_actions + WORD_BITS - 1) // WORD_BITS, np.uint64)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.name == other.name and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.options.items())))

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"make_game({self.name!r}{options})"

    def __copy__(self) -> Game:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self


def first_player_code(first_player: SupportsIndex | None) -> int:
    """Return `first_player` for kernels: 0, 1, or -1 to draw one.

    Raises:
        TypeError: It is neither an integer nor None.
        ValueError: It is an integer, but neither 0 nor 1.
    """
    return -1 if first_player is None else checked_integer("first_player", first_player, 0, 1)
