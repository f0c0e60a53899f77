"""The rules of Mammalath as kernels; the rule numbers are those of ``docs/rules.md``."""

from __future__ import annotations

import numpy as np

from mammalath_env.core import status
from mammalath_env.core.bits import (
    EACH_BYTE,
    HIGH_BITS,
    ONE,
    ZERO,
    Words,
    append_bits,
    as_int,
    popcount,
)
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import next_below
from mammalath_env.games.mammalath.state import ANIMALS, TOKENS, MammalathTermination
from mammalath_env.games.mammalath.tables import NUM_DIRECTIONS

_ANIMALS_CAPTURED = int(MammalathTermination.ANIMALS_CAPTURED)
_EMPTY_LINE = int(MammalathTermination.EMPTY_LINE)
_TOKENS_USED_UP = int(MammalathTermination.TOKENS_USED_UP)
_SEVEN = np.uint64(7)
_FIFTY_SIX = np.uint64(56)


@kernel
def board_size(tables: Tables) -> int:
    """Return the rows, columns and types of the board.

    Sizes are read from the shapes of fields, since these are constants for the compiler, which
    then unrolls the loops over them.
    """
    return len(tables[0]["animal_words"])


@kernel
def animals(tables: Tables, row: Words) -> np.uint64:
    """Return the spaces that hold an animal of any type."""
    found = ZERO
    for word in tables[0]["animal_words"]:
        found |= row[word]
    return found


@kernel
def pattern_starts(tables: Tables, spaces: np.uint64, shape: int) -> np.uint64:
    """Return the start spaces of the patterns of `shape` that lie wholly in `spaces`."""
    found = tables[0]["starts"][shape]
    for offset in tables[0]["offsets"][shape]:
        found &= spaces >> offset
    return found


@kernel
def pattern_spaces(tables: Tables, spaces: np.uint64) -> np.uint64:
    """Return the spaces of all patterns that lie wholly in `spaces`."""
    covered = ZERO
    for shape in range(len(tables[0]["starts"])):
        found = pattern_starts(tables, spaces, shape)
        for offset in tables[0]["offsets"][shape]:
            covered |= found << offset
    return covered


@kernel
def judge_placement(tables: Tables, row: Words, player: int) -> None:
    """End the game if the token that `player` has just put down does (R9 to R11).

    No line stood before the placement, or the game would have ended (R12), so that all lines of
    `player` are the work of this token.
    """
    own = row[TOKENS + player]
    covered = pattern_spaces(tables, own)
    if covered & animals(tables, row):
        status.finish(row, 1 - player, _ANIMALS_CAPTURED)
    elif covered:
        status.finish(row, player, _EMPTY_LINE)
    elif popcount(own) == tables[0]["num_tokens"]:
        status.finish(row, status.DRAW, _TOKENS_USED_UP)


@kernel
def apply(tables: Tables, row: Words, action: int) -> None:
    """Play a legal `action` in place (R3)."""
    patterns = tables[0]["patterns"]
    size = board_size(tables)
    first_type = size * size
    first_pattern = first_type + size
    player = status.to_move(row)
    status.pass_turn(row)
    if action < first_type:  # R4
        row[TOKENS + player] |= ONE << np.uint64(action)
        judge_placement(tables, row, player)
    elif action < first_pattern:  # R5
        row[ANIMALS + action - first_type] = ZERO
    elif action < first_pattern + len(patterns):  # R6
        kept = ~patterns[action - first_pattern]
        for word in tables[0]["animal_words"]:
            row[word] &= kept
    else:  # R8
        row[TOKENS + player] = row[TOKENS + 1 - player]
        row[TOKENS + 1 - player] = ZERO


@kernel
def append_patterns(tables: Tables, free: np.uint64, legal: Words, offset: int) -> None:
    """Put a bit for each pattern that lies wholly in `free`, in the order of the action ids.

    Pattern ids go row by row of their start space. In the upper rows lines start in all four
    directions, in the last ones only eastward.
    """
    constants = tables[0]
    size = board_size(tables)
    num_starts = size - len(constants["offsets"][0]) + 1
    row_mask = (ONE << np.uint64(size)) - ONE
    east = pattern_starts(tables, free, 0)
    south_east = pattern_starts(tables, free, 1)
    south = pattern_starts(tables, free, 2)
    south_west = pattern_starts(tables, free, 3)
    interleave = constants["interleave"]
    for start_row in range(size):
        shift = np.uint64(start_row * size)
        bits = (east >> shift) & row_mask
        if start_row < num_starts:
            bits = (
                interleave[0, bits]
                | interleave[1, (south_east >> shift) & row_mask]
                | interleave[2, (south >> shift) & row_mask]
                | interleave[3, (south_west >> shift) & row_mask]
            )
            offset = append_bits(legal, offset, bits, 3 * num_starts + size)
        else:
            offset = append_bits(legal, offset, bits, num_starts)
    if len(constants["starts"]) > NUM_DIRECTIONS:
        square = pattern_starts(tables, free, NUM_DIRECTIONS)
        for start_row in range(size - 1):
            bits = (square >> np.uint64(start_row * size)) & row_mask
            offset = append_bits(legal, offset, bits, size - 1)


@kernel
def write_legal(tables: Tables, row: Words, legal: Words) -> None:
    """Write the set of the mover's legal actions (R3 to R8), empty after the end."""
    constants = tables[0]
    size = board_size(tables)
    first_pattern = size * size + size
    for k in range(len(legal)):
        legal[k] = ZERO
    if status.is_over(row):
        return
    empty = constants["board"] & ~(row[TOKENS] | row[TOKENS + 1])
    append_bits(legal, 0, empty, size * size)
    plies = status.ply(row)
    if plies == 0:  # R7
        return
    types = ZERO
    occupied = ZERO
    for k in range(size):
        spaces = row[ANIMALS + k]
        occupied |= spaces
        if spaces != ZERO:
            types |= ONE << np.uint64(k)
    append_bits(legal, size * size, types, size)
    append_patterns(tables, occupied, legal, first_pattern)
    if plies == 1 and constants["swap_rule"]:
        append_bits(legal, first_pattern + len(constants["patterns"]), ONE, 1)


@kernel
def deal(tables: Tables, row: Words, stream: Words, first_player: int) -> None:
    """Write a start position (R1, R2): animals shuffled, and the first player drawn if -1."""
    size = board_size(tables)
    num_spaces = size * size
    drawn = next_below(stream, 2)
    status.start(row, drawn if first_player < 0 else first_player, 0)
    row[TOKENS] = ZERO
    row[TOKENS + 1] = ZERO
    for kind in range(size):
        row[ANIMALS + kind] = ZERO
    # Space by space, a type with the chance of its share of the animals left. Byte k of `sums` is
    # how many are left of the types up to k; the type drawn is the first whose sum exceeds the
    # rank, and all sums beyond lose one.
    sums = tables[0]["sums"]
    for space in range(num_spaces):
        rank = np.uint64(next_below(stream, num_spaces - space))
        beyond = (~((rank * EACH_BYTE | HIGH_BITS) - sums) & HIGH_BITS) >> _SEVEN
        sums -= beyond
        kind = 8 - as_int((beyond * EACH_BYTE) >> _FIFTY_SIX)
        row[ANIMALS + kind] |= ONE << np.uint64(space)


@kernel
def gain(tables: Tables, row: Words) -> int:
    """Return what player 0 has gained: 1, -1, or 0 for a draw or a running game."""
    return status.outcome_return(row)


@kernel
def finishing_spaces(tables: Tables, row: Words, player: int) -> tuple[np.uint64, np.uint64]:
    """Return the spaces where a token of `player` would win, and where it would lose (R9, R10)."""
    constants = tables[0]
    own = row[TOKENS + player]
    empty = constants["board"] & ~(own | row[TOKENS + 1 - player])
    occupied = animals(tables, row)
    wins = ZERO
    loses = ZERO
    for shape in range(len(constants["starts"])):
        offsets = constants["offsets"][shape]
        starts = constants["starts"][shape]
        animal_starts = ZERO
        for offset in offsets:
            animal_starts |= occupied >> offset
        for gap in range(len(offsets)):
            # Windows in which all spaces but the one of the gap hold an own token.
            windows = starts & (empty >> offsets[gap])
            for k in range(len(offsets)):
                if k != gap:
                    windows &= own >> offsets[k]
            wins |= (windows & ~animal_starts) << offsets[gap]
            loses |= (windows & animal_starts) << offsets[gap]
    return wins & ~loses, loses


@kernel
def can_win(tables: Tables, row: Words) -> bool:
    """Return whether some placement of the player to move completes lines without any animal."""
    wins, _ = finishing_spaces(tables, row, status.to_move(row))
    return wins != ZERO


@kernel
def must_lose(tables: Tables, row: Words) -> bool:
    """Return whether the opponent has a win that the player to move cannot prevent.

    Only a token on its space does: a release takes no line away, and makes none lose. So two such
    spaces cannot be held, nor one where that token loses. The last token ends the game first.
    """
    player = status.to_move(row)
    threats, _ = finishing_spaces(tables, row, 1 - player)
    if threats == ZERO or popcount(row[TOKENS + player]) + 1 >= tables[0]["num_tokens"]:
        return False
    _, loses = finishing_spaces(tables, row, player)
    return threats & (threats - ONE) != ZERO or threats & loses != ZERO


@kernel
def window_score(tables: Tables, own: np.uint64, other: np.uint64, occupied: np.uint64) -> int:
    """Return the worth of all windows of one player.

    A window is a pattern without a token of the `other` player. It counts by its own tokens, and
    much less while an animal (`occupied`) is in it, since completing it then would lose.
    """
    constants = tables[0]
    score = 0
    for shape in range(len(constants["starts"])):
        open_windows = constants["starts"][shape]
        animal_windows = ZERO
        # Bit k of (low, high) is the number of own tokens in the window that starts at space k.
        low = ZERO
        high = ZERO
        for offset in constants["offsets"][shape]:
            token = own >> offset
            high |= low & token
            low ^= token
            open_windows &= ~(other >> offset)
            animal_windows |= occupied >> offset
        for num_tokens in range(1, len(constants["free_window"])):
            windows = open_windows
            windows &= low if num_tokens & 1 else ~low
            windows &= high if num_tokens & 2 else ~high
            score += constants["free_window"][num_tokens] * popcount(windows & ~animal_windows)
            score += constants["animal_window"][num_tokens] * popcount(windows & animal_windows)
    return score


@kernel
def evaluate(tables: Tables, row: Words, player: int) -> int:
    """Return the worth of the windows of `player` less that of the opponent's."""
    own = row[TOKENS + player]
    other = row[TOKENS + 1 - player]
    occupied = animals(tables, row)
    score = window_score(tables, own, other, occupied) - window_score(tables, other, own, occupied)
    return max(-10_000, min(10_000, score))
