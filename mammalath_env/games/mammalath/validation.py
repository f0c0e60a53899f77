"""Which Mammalath positions a game can have reached.

The checks are necessary conditions on counts: whatever breaks one cannot have come about by the
rules. They do not search for a game that leads to the position.
"""

from __future__ import annotations

from functools import reduce
from operator import and_

from mammalath_env.core import status
from mammalath_env.core.bits import Words
from mammalath_env.core.errors import PositionError
from mammalath_env.core.grid import Pattern
from mammalath_env.games.mammalath.config import MammalathConfig
from mammalath_env.games.mammalath.state import ANIMAL_WORD, PLAYERS, TOKEN_WORD
from mammalath_env.games.mammalath.tables import bitboard


def check_reachable(
    config: MammalathConfig, swap_rule: bool, patterns: list[Pattern], row: Words
) -> None:
    """Check a running or finished position whose status holds the mover and the ply alone.

    Raises:
        PositionError: No game leads to the position; the message says which count is impossible.
    """
    tokens = [int(row[TOKEN_WORD]), int(row[TOKEN_WORD + 1])]
    animals = [int(word) for word in row[ANIMAL_WORD:]]
    mover, plies, *_ = status.read_status(row)
    _check_pieces(config, tokens, animals, mover)
    _check_plies(config, swap_rule, tokens, animals, mover, plies)
    _check_lines(patterns, tokens, mover)


def _check_pieces(
    config: MammalathConfig, tokens: list[int], animals: list[int], mover: int
) -> None:
    """Check that nobody has more pieces than the game has (R1, R2, R11, R13, R14)."""
    for letter, spaces in zip(config.letters, animals, strict=True):
        if spaces.bit_count() > config.size:
            raise PositionError(
                f"{spaces.bit_count()} animals {letter}: there are {config.size} of each type"
            )
    for side, spaces in zip(PLAYERS, tokens, strict=True):
        if spaces.bit_count() > config.num_tokens:
            raise PositionError(
                f"{spaces.bit_count()} {side} tokens: each player has {config.num_tokens}"
            )
    if tokens[mover].bit_count() == config.num_tokens:
        raise PositionError(
            f"{PLAYERS[mover]} has no token left and would be to move: "
            f"the last token ends the game at once (R11)"
        )


def _check_plies(
    config: MammalathConfig,
    swap_rule: bool,
    tokens: list[int],
    animals: list[int],
    mover: int,
    plies: int,
) -> None:
    """Check tokens and missing animals against the plies played (R3 to R8)."""
    first = mover ^ (plies & 1)
    num_tokens = [spaces.bit_count() for spaces in tokens]
    own_plies = {first: (plies + 1) // 2, 1 - first: plies // 2}
    for player in (0, 1):
        if num_tokens[player] > own_plies[player]:
            raise PositionError(
                f"{num_tokens[player]} {PLAYERS[player]} tokens "
                f"after {own_plies[player]} moves of {PLAYERS[player]}"
            )
    # The first ply places; a swap turns that token into one of the second player.
    ways = []
    if plies == 0 or num_tokens[first] >= 1:
        ways.append(plies - sum(num_tokens))
    could_swap = swap_rule and plies >= 2 and num_tokens[1 - first] >= 1
    if could_swap and num_tokens[first] <= own_plies[first] - 1:
        ways.append(plies - sum(num_tokens) - 1)
    if not ways:
        raise PositionError(f"no token of {PLAYERS[first]}, whose first move was to place one (R7)")
    if not any(_releases_explain(config, animals, releases) for releases in ways):
        missing = config.num_spaces - sum(spaces.bit_count() for spaces in animals)
        raise PositionError(
            f"{missing} animals are missing, which {plies} plies "
            f"with {sum(num_tokens)} tokens placed cannot explain (R4 to R6)"
        )


def _releases_explain(config: MammalathConfig, animals: list[int], releases: int) -> bool:
    """Return whether `releases` releases can have removed exactly the missing animals."""
    if releases < 0:
        return False
    missing = config.num_spaces - sum(spaces.bit_count() for spaces in animals)
    extinct = sum(spaces == 0 for spaces in animals)
    for by_type in range(min(extinct, releases) + 1):
        by_pattern = config.line_length * (releases - by_type)
        # A type release takes between one animal and all of its type.
        if by_type <= missing - by_pattern <= config.size * by_type:
            return True
    return False


def _check_lines(patterns: list[Pattern], tokens: list[int], mover: int) -> None:
    """Check that only the player who has just moved has lines, made by one token (R12)."""
    boards = [bitboard(pattern) for pattern in patterns]
    if any(board & ~tokens[mover] == 0 for board in boards):
        raise PositionError(
            f"{PLAYERS[mover]} has a line and would be to move: it ended the game before (R9, R10)"
        )
    made = [board for board in boards if board & ~tokens[1 - mover] == 0]
    if made and reduce(and_, made) == 0:
        raise PositionError(
            f"the lines of {PLAYERS[1 - mover]} share no space: one token cannot have made them all"
        )
