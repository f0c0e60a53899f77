"""Mammalath texts that are no position, no possible position, or no move."""

from __future__ import annotations

import itertools

import pytest

from mammalath_env.core.errors import InvalidMoveError, PositionError
from mammalath_env.core.grid import space_name
from mammalath_env.games.mammalath.game import MammalathGame
from tests.games.boards import BOTH, NAMES, PLUS, SMALL

ANIMALS = "DCFBDF/1BCFCB/C3F1/1B4/F1D3/B1D1CC"
TOKENS = "6/6/5b/1w4/6/1b1w2"
EXAMPLE = f"{ANIMALS} {TOKENS} w 8"
FULL = "ABCDEF/BCDEFA/DEFABC/ABCDEF/EFABCD/DEFABC"
NONE = "6/6/6/6/6/6"
FULL_PLUS = "ABCDEFGH/BCDEFGHA/DEFGHABC/GHABCDEF/CDEFGHAB/HABCDEFG/FGHABCDE/EFGHABCD"

MALFORMED = [
    ("", "expected four fields (animals, tokens, side, plies), not 1"),
    (f"{ANIMALS} {TOKENS} w", "expected four fields (animals, tokens, side, plies), not 3"),
    (f"{ANIMALS} {TOKENS} w ", "plies), not 3"),
    (f"{EXAMPLE} 1", "not 5"),
    (EXAMPLE.replace(" w", " w w"), "not 5"),
    (EXAMPLE.replace(" ", "_"), "not 1"),
    (EXAMPLE.replace("B1D1CC", "B1D1C"), "animals row 6 'B1D1C' has 5 spaces, not 6"),
    (EXAMPLE.replace("B1D1CC", "B1D1CCC"), "animals row 6 'B1D1CCC' has 7 spaces, not 6"),
    (EXAMPLE.replace("B1D1CC", ""), "animals row 6 '' has 0 spaces, not 6"),
    (EXAMPLE.replace("/B1D1CC", ""), "animals need 6 rows, not 5"),
    (EXAMPLE.replace("/B1D1CC", "/B1D1CC/6"), "animals need 6 rows, not 7"),
    (EXAMPLE.replace("B1D1CC", "B1d1CC"), "animals row 6 'B1d1CC': bad 'd'"),
    (EXAMPLE.replace("B1D1CC", "B1G1CC"), "animals row 6 'B1G1CC': bad 'G'"),
    (EXAMPLE.replace("B1D1CC", "B0D1CC1"), "bad '0'"),
    (EXAMPLE.replace("B1D1CC", "B1D1C-"), "bad '-'"),
    (EXAMPLE.replace("C3F1", "C12F1"), "animals row 3 'C12F1': bad '2'"),
    (EXAMPLE.replace("C3F1", "C9"), "bad '9'"),
    (EXAMPLE.replace("C3F1", "8"), "animals row 3 '8' has 8 spaces, not 6"),
    (EXAMPLE.replace("C3F1", "C\u0663F1"), "bad '\u0663'"),
    (EXAMPLE.replace("/1b1w2", ""), "tokens need 6 rows, not 5"),
    (EXAMPLE.replace("1b1w2", "1b1w"), "tokens row 6 '1b1w' has 4 spaces, not 6"),
    (EXAMPLE.replace("1b1w2", "1B1w2"), "tokens row 6 '1B1w2': bad 'B'"),
    (EXAMPLE.replace("1b1w2", "1x1w2"), "bad 'x'"),
    (EXAMPLE.replace("1b1w2", "1b1w11"), "bad '1'"),
    (EXAMPLE.replace(" w ", " W "), "side to move must be 'b' or 'w', not 'W'"),
    (EXAMPLE.replace(" w ", " bw "), "not 'bw'"),
    (EXAMPLE.replace(" w ", "  "), "expected four fields (animals, tokens, side, plies), not 3"),
    *(
        (f"{ANIMALS} {TOKENS} w {plies}", "plies played must be a whole number, not ")
        for plies in ("-8", "+8", "08", "8.0", "1e1", "x", "\u00b2", "\u0668", "12345", "0x8")
    ),
    (f"{FULL_PLUS} 8/8/8/8/8/8/8/8 b 0", "animals need 6 rows, not 8"),
]

IMPOSSIBLE = [
    # R1, R2: no more pieces than there are.
    (EXAMPLE.replace("1BCFCB", "BBCFCB").replace("1B4", "BBB3"), "8 animals B: there are 6"),
    (f"{NONE} bbwbbw/bbwbbw/bwbbww/bbwbbw/bwbbwb/bb4 w 40", "21 black tokens: each player has 18"),
    (f"{NONE} wwbwwb/wwbwwb/wbwwbb/wwbwwb/wbwwbw/ww4 b 40", "21 white tokens: each player has 18"),
    # R11: the last token ends the game.
    (
        f"{NONE} bbwwbb/wwbbww/bbwwbb/wwbbww/bbwwbb/2bb2 b 45",
        "black has no token left and would be to move",
    ),
    # R3: tokens and plies.
    (f"{FULL} {NONE} b 1", "no token of white, whose first move was to place one (R7)"),
    (f"{FULL} b5/6/6/6/6/6 b 0", "1 black tokens after 0 moves of black"),
    (f"{FULL} b5/6/6/6/6/6 b 1", "1 black tokens after 0 moves of black"),
    (f"{FULL} bb4/6/6/6/6/6 w 1", "2 black tokens after 1 moves of black"),
    (f"{FULL} bb4/6/6/6/6/6 b 2", "2 black tokens after 1 moves of black"),
    (f"{FULL} ww4/6/6/6/6/6 b 3", "0 animals are missing, which 3 plies with 2"),
    (f"{FULL} {NONE} b 2", "no token of black, whose first move was to place one (R7)"),
    # R4 to R6: animals and plies.
    (f"1{FULL[1:]} {NONE} b 0", "1 animals are missing, which 0 plies"),
    (f"1{FULL[1:]} b5/6/6/6/6/6 w 1", "1 animals are missing, which 1 plies with 1 tokens"),
    (f"1{FULL[1:]} b5/6/6/6/6/6 b 2", "1 animals are missing, which 2 plies with 1 tokens"),
    (f"2{FULL[2:]} b5/6/6/6/6/6 w 3", "2 animals are missing"),
    (f"3{FULL[3:]} b5/6/6/6/6/6 w 3", "3 animals are missing, which 3 plies with 1 tokens"),
    (f"{FULL} b5/6/6/6/6/6 w 3", "0 animals are missing, which 3 plies with 1 tokens"),
    (f"{NONE} b5/6/6/6/6/6 w 5", "36 animals are missing, which 5 plies with 1 tokens"),
    (f"{NONE} b5/6/6/6/6/6 w 99", "36 animals are missing, which 99 plies with 1 tokens"),
    (f"{NONE} b5/6/6/6/6/6 w 9999", "36 animals are missing, which 9999 plies"),
    (EXAMPLE.replace("w 8", "w 4"), "animals are missing"),
    # R12: a line has ended the game.
    (f"{NONE} bbb3/6/6/6/6/6 b 12", "black has a line and would be to move"),
    (f"{NONE} b5/1b4/2b3/6/6/5w b 12", "black has a line and would be to move"),
    (f"{NONE} w5/w5/w5/6/6/6 w 11", "white has a line and would be to move"),
    (f"{NONE} bbb3/6/www3/6/6/6 w 15", "white has a line and would be to move"),
    (f"{NONE} bbb3/6/bbb3/6/6/6 w 19", "the lines of black share no space"),
    (f"{NONE} bbbbbb/6/6/6/6/6 w 19", "the lines of black share no space"),
]

NO_MOVES = [
    *(
        "",
        "c",
        "4",
        "c0",
        "c7",
        "g1",
        "C4",
        "4c",
        "c44",
        "c 4",
        "c4c5",
        "c-4",
        "\u04414",
    ),
    *("x", "X", "xG", "xa", "xAB", "XA", "x A", "A", "xA-F", "xA-", "x1"),
    *("xa1", "xa1-", "x-a1", "x-", "xa1-c", "xa1-a1", "xa1-b1", "xa1-a4", "xa1-d1", "xa1-d4"),
    *("xa1-b3", "xa1c3", "xa1-c3-", "xa1-c3-a1", "xa1-c3-c3", "a1-c3", "Xa1-c3", "xA1-C3"),
    *("xa1\u2013c3", "xa1 - c3", "xf1-b2", "xe1-a2", "xa5-a7", "xe1-g1"),
    *("Swap", "SWAP", "swop", "xswap", "pass", "resign", "0", "-1", "36", "None"),
]


@pytest.mark.parametrize(("text", "part"), MALFORMED + IMPOSSIBLE)
def test_no_position(text: str, part: str) -> None:
    """The message quotes the text, names the game and says what is wrong."""
    with pytest.raises(PositionError) as caught:
        SMALL.from_text(text)
    message = str(caught.value)
    assert message.startswith(f"{text!r} is not a position of Mammalath: ")
    assert part in message.removeprefix(repr(text))
    assert isinstance(caught.value, ValueError)


def test_neighbours_of_the_impossible() -> None:
    """Nearly the same texts are positions, so that each check is no stricter than it says."""
    for text in (
        EXAMPLE,
        f"{FULL} {NONE} b 0",
        f"{FULL} {NONE} w 0",
        f"{FULL} b5/6/6/6/6/6 w 1",
        f"{FULL} w5/6/6/6/6/6 b 1",
        f"{FULL} w5/6/6/6/6/6 b 2",
        f"3{FULL[3:]} b5/6/6/6/6/6 b 2",
        f"{FULL.replace('A', '1')} b5/6/6/6/6/6 b 2",
        f"{NONE} b5/6/6/6/6/6 w 9",
        f"{NONE} b5/6/6/6/6/6 w 17",
        f"{NONE} bbb3/6/6/6/6/6 w 11",
        f"{NONE} bbbbb1/6/6/6/6/6 w 17",
        f"{NONE} bbb3/2b3/2b3/6/6/6 w 17",
    ):
        assert SMALL.from_text(text).to_text() == text


def test_no_position_without_a_swap() -> None:
    """A token of the second player alone is possible only by swapping (R8)."""
    without = MammalathGame(SMALL.config, swap_rule=False)
    text = f"{FULL} w5/6/6/6/6/6 b 2"
    assert SMALL.from_text(text).to_text() == text
    with pytest.raises(PositionError, match=r"no token of black, whose first move .* \(R7\)"):
        without.from_text(text)
    one_less = f"{FULL} ww4/b5/6/6/6/6 b 4"
    assert SMALL.from_text(one_less).to_text() == one_less
    with pytest.raises(PositionError, match="0 animals are missing, which 4 plies with 3 tokens"):
        without.from_text(one_less)


def test_no_position_of_the_large_board() -> None:
    """The sizes do not read each other's texts, and the large one has its own limits (R13)."""
    empty = "8/8/8/8/8/8/8/8"
    assert PLUS.from_text(f"{FULL_PLUS} {empty} w 0").ply == 0
    for text, part in (
        (EXAMPLE, "animals need 8 rows, not 6"),
        (f"{FULL_PLUS.replace('B', 'A', 1)} {empty} b 0", "9 animals A: there are 8 of each type"),
        (f"{FULL_PLUS.replace('B', 'I', 1)} {empty} b 0", "bad 'I'"),
        (f"{empty} bb6/bb6/8/8/8/8/8/8 b 14", "black has a line and would be to move"),
        (f"{empty} bbbb4/8/8/8/8/8/8/bbbb4 w 23", "the lines of black share no space"),
        (f"4{FULL_PLUS[4:]} b7/8/8/8/8/8/8/8 w 3", "4 animals are missing, which 3 plies"),
        (f"3{FULL_PLUS[3:]} b7/8/8/8/8/8/8/8 b 2", "3 animals are missing, which 2 plies"),
    ):
        with pytest.raises(PositionError) as caught:
            PLUS.from_text(text)
        assert str(caught.value).startswith(f"{text!r} is not a position of Mammalath Plus: ")
        assert part in str(caught.value)


@pytest.mark.parametrize("text", NO_MOVES)
def test_no_move(text: str) -> None:
    """The message quotes the text and shows what moves look like."""
    with pytest.raises(InvalidMoveError) as caught:
        SMALL.parse_move(text, SMALL.from_text(EXAMPLE))
    assert str(caught.value).startswith(f"{text!r} is not a move of Mammalath: ")
    assert "expected a space (c4), a type (xF), a line by its ends (xa1-c1) or swap" in str(
        caught.value
    )
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_ends_of_lines(game: MammalathGame) -> None:
    """Of all pairs of spaces the ends of lines and squares are moves, in either order."""
    size = game.config.size
    start = game.deal(1)
    first = game.codec.blocks["pattern"].start
    ends = {frozenset((line[0], line[-1])): first + k for k, line in enumerate(game.patterns)}
    assert len(ends) == len(game.patterns)
    for one, other in itertools.product(range(size * size), repeat=2):
        text = f"x{space_name(one, size)}-{space_name(other, size)}"
        if action := ends.get(frozenset((one, other))):
            assert game.parse_move(text, start) == action
        else:
            with pytest.raises(InvalidMoveError, match=r"no line( or square)? has these ends"):
                game.parse_move(text, start)
