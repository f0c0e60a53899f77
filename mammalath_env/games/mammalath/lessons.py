"""The rules of Mammalath and Mammalath Plus as lessons; tests replay every example."""

from __future__ import annotations

from mammalath_env.core.lesson import Example, Lesson
from mammalath_env.games.mammalath.config import MammalathConfig
from mammalath_env.games.mammalath.text import NUMBERS

# One deal serves all examples, so that the board becomes familiar.
_DEAL = "EACBBD/BEBDCE/ADFAFF/FDDACC/EDAAEC/ECBBFF 6/6/6/6/6/6 b 0"
_OPENING = ("d3", "c2", "d4", "b4")
_LESSONS = (
    Lesson(
        "The board and the goal",
        ("R1", "R2"),
        "The board has 6x6 spaces. A deal puts 36 animals on them, six each of armadillo, badger, "
        "cougar, deer, elephant and fox; a letter stands for each. Black and white own 18 tokens "
        "each. You want three of your tokens in a line, in a row, column or diagonal, on spaces "
        "that the animals have left. Who starts is drawn.",
        (
            Example(
                "A deal. a1 is the top left space: the letter is the column, the number the row.",
                _DEAL,
            ),
        ),
    ),
    Lesson(
        "Placing a token",
        ("R3", "R4", "R7"),
        "On your turn you do one of three things: place a token, release a type, or release a "
        "line. You cannot pass. A token goes on any space that has none, whether an animal stands "
        "there or not. The first move of the game must place one. You type the space: d3.",
        (
            Example(
                "Black has placed on d3, on the same space as an armadillo. White may not place "
                "there too.",
                _DEAL,
                ("d3",),
                legal=("d4", "c2", "xA"),
                illegal=("d3",),
                name="place",
            ),
            Example("Before the first token, nothing can be released.", _DEAL, illegal=("xA",)),
        ),
    ),
    Lesson(
        "Losing by a line with an animal",
        ("R9",),
        "A line of your own tokens loses at once if an animal stands on any of its spaces. "
        "Never complete a line before it is free.",
        (
            Example(
                "Black completes d3-d5, where armadillos still stand, and loses.",
                _DEAL,
                (*_OPENING, "d5"),
                "loss",
                name="loss",
            ),
        ),
    ),
    Lesson(
        "Releasing a type",
        ("R5",),
        "Releasing a type takes every animal of that type off the board, for the rest of the "
        "game. Tokens stay. You type x and the letter: xA.",
        (
            Example(
                "In place of that, black releases the armadillos. Now d5 is free, and threatens.",
                _DEAL,
                (*_OPENING, "xA"),
                legal=("xB", "d5"),
                illegal=("xA",),
                name="type",
            ),
        ),
    ),
    Lesson(
        "Releasing a line",
        ("R6",),
        "Releasing a line takes three animals off that stand side by side in a row, column or "
        "diagonal, whatever their types. All three spaces must still have their animal. Tokens "
        "stay and do not matter. You type x and the two ends: xd3-d5.",
        (
            Example(
                "Black frees the same three spaces; the other armadillos stay.",
                _DEAL,
                (*_OPENING, "xd3-d5"),
                legal=("xA", "xd1-f1"),
                illegal=("xd2-d4",),
                name="line",
            ),
        ),
    ),
    Lesson(
        "Winning",
        ("R10", "R12"),
        "A line of your own tokens wins if no animal stands on it. Only placing a token can end "
        "a game: to release animals from under a line is too late, as it has lost before.",
        (
            Example(
                "White overlooked the threat: black completes d3-d5 on free spaces and wins.",
                _DEAL,
                (*_OPENING, "xA", "e1", "d5"),
                "win",
                name="win",
            ),
            Example(
                "White should have placed on d5 first. A token there ends the threat.",
                _DEAL,
                (*_OPENING, "xA", "d5"),
                illegal=("d5",),
            ),
        ),
    ),
    Lesson(
        "Two lines at once",
        ("R9", "R10"),
        "If one token completes several lines, all of them must be free. One animal on any of "
        "them loses.",
        (
            Example(
                "The line d3-d5 is free, but c4-d5-e6 has a deer and a fox on it: black loses.",
                _DEAL,
                ("d3", "c2", "d4", "b4", "c4", "f1", "e6", "a6", "xA", "f3", "d5"),
                "loss",
                name="two_lines",
            ),
        ),
    ),
    Lesson(
        "Swapping",
        ("R8",),
        "Black or white, whoever moves second may answer the first token by swap: it is replaced "
        "by a token of their own, and goes back to its owner, who moves next. Nobody changes "
        "colour. A first move that is too good thus helps the other side. (With the option "
        "swap_rule=false nobody swaps.)",
        (
            Example(
                "Black placed on d3, white swapped: the token on d3 is white, black is to move.",
                _DEAL,
                ("d3", "swap"),
                legal=("d4",),
                illegal=("swap",),
                name="swap",
            ),
        ),
    ),
    Lesson(
        "A draw",
        ("R11",),
        "If a player puts down the last of their 18 tokens without a line, the game is a draw.",
        (
            Example(
                "Black's last token goes on e2, and nobody has a line.",
                "EAC1BD/BEBD1E/ADF1F1/FDDA1C/EDAAE1/ECBBFF "
                "bbwbwb/bbww1w/ww2bw/bbwbwb/b1wbwb/wbbwbw b 34",
                ("e2",),
                "draw",
            ),
        ),
    ),
)

_PLUS_DEAL = (
    "FADBCEBG/BEDGBEHB/HHGEEACD/FFBAGDED/AADGFGAD/CFHBHBCH/HFGGFCEH/DACCFECA 8/8/8/8/8/8/8/8 b 0"
)
_SQUARE = ("a4", "d2", "b4", "e4", "a5", "g6")
_PLUS_LESSONS = (
    Lesson(
        "What is the same",
        ("R3", "R4", "R5", "R7", "R8", "R12"),
        "Mammalath Plus is played like Mammalath (see: mammalath rules mammalath). You place a "
        "token, release a type or release a line; the first move places; the second move may "
        "swap. A line of your tokens wins if no animal stands on it, and loses otherwise. Four "
        "things differ.",
    ),
    Lesson(
        "A larger board",
        ("R13", "R14"),
        "The board has 8x8 spaces, and there are eight animals of each of eight types: giraffes "
        "and hippopotamuses join in. Each player owns 32 tokens.",
        (Example("A deal.", _PLUS_DEAL),),
    ),
    Lesson(
        "Four in a line",
        ("R9", "R10", "R15"),
        "A line has four spaces, in a row, column or diagonal. Three do nothing.",
        (
            Example(
                "Black has three in a line, h3-h5. Deer stand there, but the game goes on.",
                _PLUS_DEAL,
                ("h3", "b2", "h4", "c5", "h5"),
                legal=("h6", "xh3-h6"),
                illegal=("h3",),
            ),
            Example(
                "Black released the line h3-h6, then completed it: four on free spaces win.",
                _PLUS_DEAL,
                ("h3", "b2", "h4", "c5", "h5", "e7", "xh3-h6", "f3", "h6"),
                "win",
                name="plus_line",
            ),
        ),
    ),
    Lesson(
        "Squares",
        ("R9", "R10", "R15"),
        "The four spaces of a 2x2 square count like a line: your four tokens on one win if no "
        "animal stands there, and lose otherwise.",
        (
            Example(
                "Black fills the square a4-b5 while animals stand there, and loses.",
                _PLUS_DEAL,
                (*_SQUARE, "b5"),
                "loss",
                name="plus_loss",
            ),
            Example(
                "Had black released it first, the same token would have won.",
                _PLUS_DEAL,
                (*_SQUARE, "xa4-b5", "f2", "b5"),
                "win",
                name="plus_square",
            ),
        ),
    ),
    Lesson(
        "Releasing four animals",
        ("R6", "R15"),
        "Releasing a line or a square takes four animals, and all four must be there. A square is "
        "typed like a line, by its top left and bottom right space: xa4-b5.",
        (
            Example(
                "The square a4-b5 is released. The line a2-a5 can no longer be.",
                _PLUS_DEAL,
                (*_SQUARE, "xa4-b5"),
                legal=("xA", "xF", "xc2-d3"),
                illegal=("xa2-a5",),
                name="plus_release",
            ),
        ),
    ),
    Lesson(
        "A draw",
        ("R11", "R14"),
        "If a player puts down the last of their 32 tokens without a line or square, the game is "
        "a draw.",
        (
            Example(
                "White's last token goes on f4, and nobody has a line or square.",
                "FADBCEB1/BEDGBE2/HHGEE1C1/FFBA1DE1/AADGFGA1/CFHBHBCH/HFGGFCEH/DACCFECA "
                "wbwwbwww/wbbwwbbw/bwwwbbwb/bbb1b1bb/bwbwbbwb/wbwwwbww/wwwbbb1w/bbwwbwbw w 63",
                ("f4",),
                "draw",
            ),
        ),
    ),
)


def lessons(config: MammalathConfig) -> tuple[Lesson, ...]:
    """Return the lessons of one size."""
    return _PLUS_LESSONS if config.squares else _LESSONS


def how_to_play(config: MammalathConfig, swap_rule: bool) -> str:
    """Return goal and notation in some lines."""
    number = NUMBERS[config.line_length]
    square = " or a 2x2 square" if config.squares else ""
    release = "line or square" if config.squares else "line"
    ends = "xa1-d1" if config.squares else "xa1-c1"
    lines = [
        f"Get {number} of your tokens in a line{square} where no animal stands.",
        "Such a pattern with an animal on it loses at once!",
        "  c4      place a token on column c, row 4 from the top, with an animal or not",
        "  xF      release a type: all foxes leave the board, tokens stay",
        f"  {ends}  release a {release} by its ends: its {number} animals leave",
    ]
    if swap_rule:
        lines.append("  swap    only as the second move: the first token becomes yours")
    return "\n".join(lines)
