"""What a person is told of Mammalath: why a move is illegal, and how a game ended."""

from __future__ import annotations

from collections.abc import Sequence

from mammalath_env.core.grid import Pattern, space_name
from mammalath_env.core.position import Position
from mammalath_env.games.mammalath.config import ANIMAL_NAMES, MammalathConfig
from mammalath_env.games.mammalath.effect import owner_by_space, type_by_space
from mammalath_env.games.mammalath.state import PLAYERS, MammalathTermination
from mammalath_env.games.mammalath.text import NUMBERS, format_pattern, pattern_word


def explain_illegal(
    config: MammalathConfig, patterns: list[Pattern], move: tuple[str, int], position: Position
) -> str:
    """Return the rule that an illegal move breaks in a running position.

    Args:
        config: The size of the board.
        patterns: Lines and squares in the order of their ids.
        move: The kind of the move and its index within the kind.
        position: The position, in which the move is illegal.
    """
    kind, index = move
    if kind == "place":
        owner = owner_by_space(position.row)[index]
        name = space_name(index, config.size)
        return f"{name} is taken by {PLAYERS[owner]}; a token goes on a space without one (R4)"
    if position.ply == 0:
        return "the first move must place a token (R7)"
    if kind == "type":
        return f"no {ANIMAL_NAMES[index]} is left to release (R5)"
    if kind == "swap":
        return "swap is possible only as the second move of the game (R8)"
    animals = type_by_space(position.row)
    empty = [space_name(space, config.size) for space in patterns[index] if space not in animals]
    word = pattern_word(config, patterns[index])
    rule = "R15" if config.squares else "R6"
    return (
        f"no animal is left on {_listed(empty)}; "
        f"a {word} is released only if each of its spaces has one ({rule})"
    )


def describe_end(config: MammalathConfig, patterns: list[Pattern], position: Position) -> str:
    """Return why a finished game ended, with the spaces of what ended it."""
    outcome = position.outcome
    assert outcome is not None
    # After the end, the player to move is the one who would be next (R12).
    mover = 1 - position.to_move
    if outcome.termination is MammalathTermination.TOKENS_USED_UP:
        line = "line or square" if config.squares else "line"
        return (
            f"{PLAYERS[mover]} has put down the last of {config.num_tokens} tokens, "
            f"and nobody has a {line} (R11)"
        )
    owners, animals = owner_by_space(position.row), type_by_space(position.row)
    made = [each for each in patterns if all(owners.get(space) == mover for space in each)]
    if outcome.termination is MammalathTermination.ANIMALS_CAPTURED:
        made = [each for each in made if any(space in animals for space in each)]
        spaces = sorted({space for each in made for space in each if space in animals})
        still = [
            f"{_with_article(ANIMAL_NAMES[animals[space]])} on {space_name(space, config.size)}"
            for space in spaces
        ]
        return f"{PLAYERS[mover]}'s {_called(config, made)} still had {_listed(still)} (R9)"
    tokens = f"{NUMBERS[config.line_length]} {PLAYERS[mover]} tokens"
    if len(made) == 1:
        (pattern,) = made
        ends = format_pattern(pattern, config.size)
        return f"{tokens} in a {pattern_word(config, pattern)} on free spaces, {ends} (R10)"
    return f"{tokens} each on free spaces, {_called(config, made)} (R10)"


def _called(config: MammalathConfig, made: list[Pattern]) -> str:
    """Return lines and squares by their ends, such as ``line d2-d4 and square a1-b2``."""
    return _listed(
        [f"{pattern_word(config, each)} {format_pattern(each, config.size)}" for each in made]
    )


def _listed(words: Sequence[str]) -> str:
    """Return ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
