"""Mancala as a game object."""

from __future__ import annotations

import dataclasses
from typing import Any

from mammalath_env.core.bits import Words
from mammalath_env.core.game import Game
from mammalath_env.core.lesson import Lesson
from mammalath_env.core.position import Position
from mammalath_env.core.rules import Rules
from mammalath_env.games.mancala import (
    deal,
    evaluation,
    lessons,
    rules,
    sentences,
    text,
    validation,
)
from mammalath_env.games.mancala.config import NUM_HOLES, NUM_SEEDS, MancalaConfig
from mammalath_env.games.mancala.effect import MancalaEffect, effect_of
from mammalath_env.games.mancala.observation import NUM_ENTRIES, write_observation
from mammalath_env.games.mancala.state import NUM_WORDS, PLAYERS, MancalaTermination
from mammalath_env.games.mancala.tables import make_tables

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


class MancalaGame(Game):
    """Mancala with its options.

    Attributes:
        config: The options.
    """

    termination = MancalaTermination
    player_names = PLAYERS

    def __init__(self, config: MancalaConfig) -> None:
        """Build the constants of the game."""
        self.config = config
        super().__init__(
            name="mancala",
            title="Mancala",
            options=dataclasses.asdict(config),
            tables=make_tables(config),
            rules=RULES,
            num_words=NUM_WORDS,
            num_actions=NUM_HOLES,
            observation_shape=(NUM_ENTRIES,),
            observation_high=max(NUM_SEEDS, config.no_capture_limit),
            # A capture takes two seeds or more and leaves one on the board: 23 at the most. Before
            # each, and after the last, there are fewer plies than the limit, or as many.
            max_plies=NUM_SEEDS // 2 * config.no_capture_limit,
        )

    @classmethod
    def mancala(
        cls, *, capture: str = "last", no_capture_limit: int = 100, reward: str = "outcome"
    ) -> MancalaGame:
        """Return the game with these options of `MancalaConfig`."""
        return cls(MancalaConfig(capture, no_capture_limit, reward))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.config,)

    def _parse_row(self, given: str) -> Words:
        row, holes, stores = text.parse_position(given)
        why = validation.find_end(self.config, row, holes, stores)
        if why is not None:
            rules.finish_by_stores(row, int(why))
        return row

    def _format_row(self, row: Words) -> str:
        return text.format_position(row)

    def _format_move(self, action: int, position: Position) -> str:
        return text.format_move(action, position.to_move)

    def _parse_move(self, given: str, position: Position) -> int:
        return text.parse_move(given, position.to_move)

    def _effect(self, action: int, position: Position, after: Position) -> MancalaEffect:
        return effect_of(self.tables, action, position.row, after)

    def _explain_illegal(self, action: int, position: Position) -> str:
        return sentences.explain_illegal(action, position)

    def _describe_end(self, position: Position) -> str:
        return sentences.describe_end(self.config, position)

    def _kind_of_move(self, action: int) -> str:
        return "sow"

    def how_to_play(self) -> str:
        """See `Game.how_to_play`."""
        return lessons.how_to_play(self.config)

    def lessons(self) -> tuple[Lesson, ...]:
        """See `Game.lessons`."""
        return lessons.LESSONS
