"""Positions: immutable values that know their moves."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core import transition
from mammalath_env.core.bits import Words, unpack_bits
from mammalath_env.core.checks import checked_flag, checked_integer
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.outcome import Outcome
from mammalath_env.core.status import DRAW, read_status

if TYPE_CHECKING:
    from mammalath_env.core.game import Game

LastMove: TypeAlias = "tuple[Position, int]"
"""A position and the action that was played in it."""


class Position:
    """A position of a game, running or finished.

    Positions are immutable, hashable and compare by game and content; `play` returns a new one,
    so that undoing a move is keeping the position before it. Make them with `Game.deal` and
    `Game.from_text`.
    """

    __slots__ = ("_legal", "_row", "game")

    game: Game
    _row: Words
    _legal: Words | None

    def __init__(self, game: Game, row: Words, legal: Words | None = None) -> None:
        """Wrap a row of `game`, uint64[num_words], which is made read-only.

        Args:
            game: The game with its options.
            row: The words of the position.
            legal: Its legal set, if it is known.
        """
        row.setflags(write=False)
        object.__setattr__(self, "game", game)
        object.__setattr__(self, "_row", row)
        object.__setattr__(self, "_legal", legal)

    @property
    def row(self) -> Words:
        """A copy of the words of the position, uint64[num_words].

        Kernels are called with such copies alone: for a read-only array, which has a type of its
        own, Numba would compile each of them once more.
        """
        return self._row.copy()

    @property
    def to_move(self) -> int:
        """The player to move, 0 or 1; after the end, the player who would be next."""
        return read_status(self._row).to_move

    @property
    def ply(self) -> int:
        """The number of plies played."""
        return read_status(self._row).ply

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return read_status(self._row).is_over

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it runs."""
        status = read_status(self._row)
        if not status.is_over:
            return None
        return Outcome(
            winner=None if status.winner == DRAW else status.winner,
            termination=self.game.termination(status.reason),
            returns=(self.return_so_far(0), self.return_so_far(1)),
        )

    def return_so_far(self, player: SupportsIndex) -> float:
        """Return the sum of the rewards of `player`, 0 or 1, since the start of the game.

        The reward of a ply is the difference that it makes. The two players' returns sum to 0.

        Raises:
            TypeError: `player` is not an integer.
            ValueError: `player` is not 0 or 1.
        """
        of_player_0 = float(self.game.rules.return_of_player_0(self.game.tables, self._row))
        is_player_0 = checked_integer("player", player, 0, 1) == 0
        return of_player_0 if is_player_0 else 0.0 - of_player_0

    def action_mask(self) -> NDArray[np.bool_]:
        """Return which actions the player to move may take.

        Returns:
            bool[num_actions]; all False once the game is over. Spaces of Gymnasium sample with
            ``mask.view("int8")``.
        """
        return unpack_bits(self._legal_set(), self.game.num_actions)

    def _legal_set(self) -> Words:
        """Return the legal set, computed when it is first asked for; not to be changed."""
        if self._legal is None:
            legal = self.game.new_legal()
            transition.write_legal(self.game.tables, self._row.copy(), legal)
            object.__setattr__(self, "_legal", legal)
            return legal
        return self._legal

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order, none once the game is over."""
        actions: list[int] = self.action_mask().nonzero()[0].tolist()
        return actions

    def legal_moves(self) -> list[str]:
        """Return the legal actions in notation, in the order of `legal_actions`."""
        return [self.game.format_move(action, self) for action in self.legal_actions()]

    def move_text(self, action: SupportsIndex) -> str:
        """Return `action` in notation, legal here or not.

        Raises:
            TypeError: `action` is not an integer.
            IllegalMoveError: `action` is not in ``range(game.num_actions)``.
        """
        return self.game.format_move(action, self)

    def line_moves(self, actions: Iterable[SupportsIndex]) -> list[str]:
        """Return actions that are played one after the other from here, in notation.

        Raises:
            TypeError: One is not an integer.
            IllegalMoveError: The rules do not allow one.
        """
        moves = []
        position = self
        for action in actions:
            moves.append(position.move_text(action))
            position = position.play(action)
        return moves

    def play(self, action: SupportsIndex | str) -> Position:
        """Return the position after a move; this one stays as it is.

        Args:
            action: An action id, or a move in notation, such as ``"c4"``.

        Raises:
            TypeError: `action` is neither an integer nor a string.
            InvalidMoveError: The text is not a move of the game.
            IllegalMoveError: The rules do not allow it; the message names move and position.
        """
        game = self.game
        if isinstance(action, str):
            number = game.parse_move(action, self)
        else:
            number = game.check_action(action, self)
        row, legal = self._row.copy(), self._legal_set().copy()
        if not transition.play(game.tables, row, legal, number):
            raise IllegalMoveError(game.describe_illegal(number, self))
        return Position(game, row, legal)

    def effect(self, action: SupportsIndex | str) -> Any:
        """Return what a move does, as a frozen dataclass of the game.

        Raises:
            TypeError, InvalidMoveError, IllegalMoveError: As for `play`.
        """
        number = self.game.parse_move(action, self) if isinstance(action, str) else action
        after = self.play(number)
        return self.game._effect(operator.index(number), self, after)

    def observation(self, player: SupportsIndex, channels_first: bool = False) -> NDArray[np.int8]:
        """Return what `player` sees, whether to move or not, running or finished.

        Args:
            player: 0 or 1.
            channels_first: Planes as the first axis, for games that have planes.

        Returns:
            A new int8[observation_shape].

        Raises:
            TypeError: `player` is not an integer, or `channels_first` not a bool.
            ValueError: `player` is not 0 or 1.
        """
        checked_flag("channels_first", channels_first)
        viewer = checked_integer("player", player, 0, 1)
        out = np.empty(self.game.shape(channels_first), np.int8)
        transition.observe(self.game.tables, self._row.copy(), viewer, channels_first, out)
        return out

    def to_text(self) -> str:
        """Return the position as one line of text; `Game.from_text` is the exact inverse."""
        return self.game._format_row(self._row)

    def __str__(self) -> str:
        """Return the picture for a terminal without colours, and the line of `to_text` below it.

        It is in ASCII where the encoding of standard output lacks a character of the picture. A
        game without a picture has the line alone.
        """
        # Here and below core knows of pictures, and only when one is asked for.
        from mammalath_env.rendering import PICTURES, render_encodable

        if self.game.name not in PICTURES:
            return self.to_text()
        return f"{render_encodable(sys.stdout, self, color=False)}\n{self.to_text()}"

    def to_svg(
        self,
        previous: Position | None = None,
        action: SupportsIndex | None = None,
        *,
        size: int | None = None,
        legal_moves: bool = False,
        highlights: Iterable[str] = (),
        arrows: Iterable[tuple[str, str]] = (),
    ) -> str:
        """Return a picture as SVG, which needs no other package.

        Notebooks display one of 480 pixels, or less where there is no room, for a position at the
        end of a cell.

        Args:
            previous: The position before, to mark the last move; goes together with `action`.
            action: The action that led from `previous` here.
            size: Width in pixels; None for a picture that fills its container.
            legal_moves: Mark what the player to move may do.
            highlights: Names of spaces or holes to highlight, such as ``"c4"`` or ``"F"``.
            arrows: Pairs of such names, each drawn as an arrow from the first to the second.

        Raises:
            ValueError: There is no such space, `size` is not 64 to 4096, or `previous` and
                `action` do not lead here.
            TypeError: `action` or `size` is not an integer, `previous` is not a position, or
                `highlights` or `arrows` are not iterable.
        """
        from mammalath_env.rendering import render_svg

        return render_svg(
            self,
            previous,
            action,
            size=size,
            legal_moves=legal_moves,
            highlights=highlights,
            arrows=arrows,
        )

    def _repr_svg_(self) -> str | None:
        """Return the picture that notebooks display, None for a game without pictures."""
        from mammalath_env.rendering import notebook_svg

        return notebook_svg(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.game == other.game and self._row.tobytes() == other._row.tobytes()

    def __hash__(self) -> int:
        return hash((self.game.name, self._row.tobytes()))

    def __repr__(self) -> str:
        return f"{self.game!r}.from_text({self.to_text()!r})"

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"positions are immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"positions are immutable: {name} cannot be deleted")

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Position, (self.game, self._row)
