"""Effects of Mammalath moves as data, for pictures and texts."""

from __future__ import annotations

import dataclasses

from mammalath_env.core.bits import Words
from mammalath_env.core.grid import Pattern
from mammalath_env.core.position import Position
from mammalath_env.games.mammalath.legal import pattern_spaces
from mammalath_env.games.mammalath.state import ANIMAL_WORD, TOKEN_WORD, MammalathTermination


@dataclasses.dataclass(frozen=True)
class MammalathEffect:
    """The changes that a move makes.

    Attributes:
        placed: The space that a token was placed on (R4), or None.
        swapped: The space whose token was replaced by one of the mover (R8), or None.
        released: Space and type of each animal that was released (R5, R6), by space.
        line: The spaces of all lines and squares that the token completed, in ascending order
            (R9, R10); empty unless they ended the game.
        animal_on_line: Whether an animal stood on one of them, so that the mover lost (R9).
    """

    placed: int | None = None
    swapped: int | None = None
    released: tuple[tuple[int, int], ...] = ()
    line: tuple[int, ...] = ()
    animal_on_line: bool = False


def effect_of(
    move: tuple[str, int], patterns: list[Pattern], row: Words, after: Position
) -> MammalathEffect:
    """Return the effect of a legal move.

    Args:
        move: The kind of the move and its index within the kind.
        patterns: Lines and squares in the order of their ids.
        row: The position before the move.
        after: The position after it.
    """
    kind, index = move
    if kind == "place":
        outcome = after.outcome
        return MammalathEffect(
            placed=index,
            line=finished_line(after),
            animal_on_line=outcome is not None
            and outcome.termination is MammalathTermination.ANIMALS_CAPTURED,
        )
    if kind == "swap":
        (space,) = spaces_of(int(row[TOKEN_WORD] | row[TOKEN_WORD + 1]))
        return MammalathEffect(swapped=space)
    animals = type_by_space(row)
    if kind == "type":
        released = [space for space, type_ in animals.items() if type_ == index]
    else:
        released = list(patterns[index])
    return MammalathEffect(released=tuple((space, animals[space]) for space in sorted(released)))


def finished_line(position: Position) -> tuple[int, ...]:
    """Return the spaces of the lines and squares that ended a game, in ascending order.

    A game ends with a placement of the player who is not next, and only then has anybody lines
    (R12), so that in other positions there are none.
    """
    own = position.row[TOKEN_WORD + 1 - position.to_move]
    return tuple(spaces_of(int(pattern_spaces(position.game.tables, own))))


def type_by_space(row: Words) -> dict[int, int]:
    """Return the type of the animal on each space that has one, in ascending order of spaces."""
    found = {
        space: kind for kind, word in enumerate(row[ANIMAL_WORD:]) for space in spaces_of(int(word))
    }
    return dict(sorted(found.items()))


def owner_by_space(row: Words) -> dict[int, int]:
    """Return the player whose token each space with one holds."""
    words = row[TOKEN_WORD : TOKEN_WORD + 2]
    return {space: player for player, word in enumerate(words) for space in spaces_of(int(word))}


def spaces_of(board: int) -> list[int]:
    """Return the spaces of a bitboard in ascending order."""
    return [space for space in range(board.bit_length()) if board >> space & 1]
