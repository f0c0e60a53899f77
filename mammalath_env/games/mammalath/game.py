"""Mammalath and Mammalath Plus as game objects."""

from __future__ import annotations

import functools
from typing import Any

from mammalath_env.core import status
from mammalath_env.core.bits import Words
from mammalath_env.core.checks import checked_flag
from mammalath_env.core.errors import InvalidMoveError
from mammalath_env.core.game import Game
from mammalath_env.core.grid import space_name
from mammalath_env.core.lesson import Lesson
from mammalath_env.core.position import Position
from mammalath_env.core.rules import Rules
from mammalath_env.games.mammalath import (
    deal,
    evaluation,
    lessons,
    rules,
    sentences,
    symmetry,
    text,
    validation,
)
from mammalath_env.games.mammalath.config import (
    MAMMALATH,
    MAMMALATH_PLUS,
    NUM_EXTRA_PLANES,
    MammalathConfig,
)
from mammalath_env.games.mammalath.effect import MammalathEffect, effect_of
from mammalath_env.games.mammalath.observation import write_observation
from mammalath_env.games.mammalath.state import ANIMAL_WORD, PLAYERS, MammalathTermination
from mammalath_env.games.mammalath.tables import action_codec, make_tables, patterns

RULES = Rules(
    apply=rules.apply,
    write_legal=rules.write_legal,
    write_observation=write_observation,
    deal=deal.deal,
    return_of_player_0=rules.return_of_player_0,
    can_win=evaluation.can_win,
    must_lose=evaluation.must_lose,
    evaluate=evaluation.evaluate,
)


class MammalathGame(Game):
    """One size of Mammalath, with or without the swap rule.

    Attributes:
        config: The size.
        swap_rule: Whether the second player may swap on the second ply (R8).
        patterns: Lines, then squares, in the order of their action ids.
        codec: The layout of the action ids.
    """

    termination = MammalathTermination
    player_names = PLAYERS

    def __init__(self, config: MammalathConfig, swap_rule: bool = True) -> None:
        """Build the constants of the game.

        Raises:
            TypeError: `swap_rule` is not a bool.
        """
        checked_flag("swap_rule", swap_rule)
        self.config = config
        self.swap_rule = swap_rule
        self.patterns = patterns(config)
        self.codec = action_codec(config, swap_rule)
        super().__init__(
            name=config.name,
            title=config.title,
            options={"swap_rule": swap_rule},
            tables=make_tables(config, swap_rule),
            rules=RULES,
            num_words=ANIMAL_WORD + config.size,
            num_actions=self.codec.num_actions,
            observation_shape=(config.size, config.size, config.size + NUM_EXTRA_PLANES),
            observation_high=1,
            max_plies=self._max_plies(),
        )

    @classmethod
    def mammalath(cls, *, swap_rule: bool = True) -> MammalathGame:
        """Return the game on 6x6 spaces."""
        return cls(MAMMALATH, swap_rule)

    @classmethod
    def plus(cls, *, swap_rule: bool = True) -> MammalathGame:
        """Return the game on 8x8 spaces."""
        return cls(MAMMALATH_PLUS, swap_rule)

    def _max_plies(self) -> int:
        """Return a number of plies that no game exceeds.

        Every ply places, swaps or releases. A game ends when one player has all tokens on the
        board, the other one less at most. A release takes a whole line or the rest of a type, and
        each type only once: most releases leave one animal to each of those.
        """
        config = self.config
        placements = 2 * config.num_tokens - 1
        types = config.size
        lines = (config.num_spaces - types) // config.line_length
        return placements + int(self.swap_rule) + types + lines

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.config, self.swap_rule)

    def _parse_row(self, given: str) -> Words:
        row = text.parse_position(self.config, given)
        validation.check_reachable(self.config, self.swap_rule, self.patterns, row)
        mover, plies, *_ = status.read_status(row)
        if plies > 0:
            rules.end_game_if_decided(self.tables, row, 1 - mover)
        return row

    def _format_row(self, row: Words) -> str:
        return text.format_position(self.config, row)

    def _format_move(self, action: int, position: Position) -> str:
        kind, index = self.codec.decode(action)
        if kind == "place":
            return space_name(index, self.config.size)
        if kind == "type":
            return f"x{self.config.letters[index]}"
        if kind == "pattern":
            return f"x{text.format_pattern(self.patterns[index], self.config.size)}"
        return "swap"

    def _parse_move(self, given: str, position: Position) -> int:
        kind, index = text.parse_move(self.config, self.patterns, given)
        if kind == "swap" and not self.swap_rule:
            raise InvalidMoveError("'swap' is not a move of this game: it has no swap rule")
        return self.codec.encode(kind, index)

    def _effect(self, action: int, position: Position, after: Position) -> MammalathEffect:
        return effect_of(self.codec.decode(action), self.patterns, position.row, after)

    def _explain_illegal(self, action: int, position: Position) -> str:
        move = self.codec.decode(action)
        return sentences.explain_illegal(self.config, self.patterns, move, position)

    def _describe_end(self, position: Position) -> str:
        return sentences.describe_end(self.config, self.patterns, position)

    def _kind_of_move(self, action: int) -> str:
        kind, index = self.codec.decode(action)
        if kind == "pattern":
            return f"release a {text.pattern_word(self.config, self.patterns[index])}"
        return "release a type" if kind == "type" else kind

    def how_to_play(self) -> str:
        """See `Game.how_to_play`."""
        return lessons.how_to_play(self.config, self.swap_rule)

    def lessons(self) -> tuple[Lesson, ...]:
        """See `Game.lessons`."""
        return lessons.lessons(self.config)

    @functools.cached_property
    def symmetries(self) -> tuple[symmetry.Symmetry, ...]:
        """The eight symmetries of the square; the first one changes nothing."""
        return tuple(
            symmetry.make_symmetry(self.config, self.patterns, self.swap_rule, which)
            for which in symmetry.SQUARE_SYMMETRIES
        )

    def relabelling(self, types: tuple[int, ...]) -> symmetry.Symmetry:
        """Return the symmetry that renames type ``k`` to ``types[k]`` and moves nothing.

        Raises:
            ValueError: `types` is not a permutation of the types.
        """
        return symmetry.make_symmetry(self.config, self.patterns, self.swap_rule, types=types)

    def transform(self, position: Position, by: symmetry.Symmetry) -> Position:
        """Return the image of `position` under the symmetry `by`."""
        row = position.row
        row[1:] = symmetry.move_spaces(row[1:], by.spaces)
        row[ANIMAL_WORD + by.types] = row[ANIMAL_WORD:].copy()
        return Position(self, row)

    def canonical_position(self, position: Position) -> Position:
        """See `Game.canonical_position`; the names of the types make no difference either."""
        row = position.row
        images = []
        for turn in self.symmetries:
            boards = symmetry.move_spaces(row[1:], turn.spaces)
            boards[ANIMAL_WORD - 1 :].sort()
            images.append(boards.tolist())
        row[1:] = min(images)
        return Position(self, row)
