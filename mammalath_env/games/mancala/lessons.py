"""The rules of Mancala as lessons; tests replay every example."""

from __future__ import annotations

from mammalath_env.core.lesson import Example, Lesson
from mammalath_env.games.mancala.config import MAJORITY, MancalaConfig

_START = "4,4,4,4,4,4/4,4,4,4,4,4 0-0 s 0 0"

LESSONS = (
    Lesson(
        "The board and the goal",
        ("R20", "R25"),
        "Two players, south and north, own a row of six holes each and a store at the end of "
        "their row. South's holes are A to F from the left, north's a to f from north's left, so "
        "that f lies above A. Four seeds lie in each hole, 48 in all. You want 25 of them in "
        "your store. Who starts is drawn.",
        (Example("The start. South is to move.", _START),),
    ),
    Lesson(
        "Sowing",
        ("R21",),
        "On your turn take all seeds of one of your holes and drop them one by one into the holes "
        "that follow, anticlockwise. Nothing goes into the stores. An empty hole cannot be "
        "sown. You type the letter of the hole.",
        (
            Example(
                "South sowed C: one seed each in D, E, F and a. It is north's turn.",
                _START,
                ("C",),
                after="4,4,0,5,5,5/5,4,4,4,4,4 0-0 n 1 1",
                legal=("a", "f"),
                name="mancala_sow",
            ),
            Example(
                "A hole of twelve or more seeds goes all the way round; the hole itself is left "
                "out. South sowed C, and the last seed fell into D.",
                "0,1,12,1,0,1/4,4,0,4,4,4 7-6 s 2 60",
                ("C",),
                after="1,2,0,3,1,2/5,5,1,5,5,5 7-6 n 3 61",
            ),
        ),
    ),
    Lesson(
        "Capturing",
        ("R22",),
        "If your last seed falls into a hole of the opponent and makes it two or three, these "
        "seeds go to your store. One, or four and more, stay. Seeds in your own row are never "
        "captured.",
        (
            Example(
                "South sowed E: the last seed made a hold two, and they are captured.",
                "0,0,0,0,2,0/1,0,3,1,0,8 17-16 s 2 60",
                ("E",),
                after="0,0,0,0,0,1/0,0,3,1,0,8 19-16 n 0 61",
                name="mancala_capture",
            ),
            Example(
                "Here a holds four after the last seed: nothing is captured.",
                "0,0,0,0,2,0/3,0,3,1,0,8 16-15 s 2 60",
                ("E",),
                after="0,0,0,0,0,1/4,0,3,1,0,8 16-15 n 3 61",
            ),
            Example(
                "With the option capture=chain the holes before the last one follow, as long as "
                "they hold two or three: here b and a.",
                "0,0,0,0,0,2/1,2,4,0,0,5 17-17 s 2 60",
                ("F",),
                after="0,0,0,0,0,0/0,0,4,0,0,5 22-17 n 0 61",
                options=(("capture", "chain"),),
            ),
        ),
    ),
    Lesson(
        "No starving",
        ("R23",),
        "A capture that would take the last seed of the opponent's row is not made. The move "
        "stands, and the seeds stay where they are.",
        (
            Example(
                "South sowed F and made a hold two, but these are all that north has.",
                "0,0,1,0,0,1/1,0,0,0,0,0 22-23 s 7 80",
                ("F",),
                after="0,0,1,0,0,0/2,0,0,0,0,0 22-23 n 8 81",
                legal=("a",),
            ),
        ),
    ),
    Lesson(
        "Feeding",
        ("R24",),
        "If the opponent's row is empty, you must make a move that sows into it. If there is "
        "none, you take all seeds of your row, and the game ends.",
        (
            Example(
                "North has no seeds. South must sow E, which reaches a; A and C do not get there.",
                "1,0,3,0,2,0/0,0,0,0,0,0 21-21 s 9 70",
                legal=("E",),
                illegal=("C",),
                name="mancala_feed",
            ),
            Example(
                "South sowed its last seed. North cannot feed south, takes two seeds, and wins.",
                "0,0,0,0,0,1/0,1,0,0,0,0 23-23 s 3 80",
                ("F",),
                "loss",
                after="0,0,0,0,0,0/0,0,0,0,0,0 23-25 n 4 81",
            ),
        ),
    ),
    Lesson(
        "The end",
        ("R25", "R26", "R27"),
        "A store of 25 seeds wins at once. After 100 moves in a row without a capture, both "
        "take the seeds of their row (the option no_capture_limit sets another number). However "
        "the game ends, the fuller store wins; 24 seeds each are a draw.",
        (
            Example(
                "South captured two seeds, has 25 and wins.",
                "0,2,0,0,0,1/1,0,0,1,0,0 23-20 s 3 80",
                ("F",),
                "win",
                after="0,2,0,0,0,0/0,0,0,1,0,0 25-20 n 0 81",
            ),
            Example(
                "The hundredth move without a capture: each takes one seed, 24 to 24, a draw.",
                "0,0,0,1,0,0/0,1,0,0,0,0 23-23 s 99 280",
                ("D",),
                "draw",
                after="0,0,0,0,0,0/0,0,0,0,0,0 24-24 n 100 281",
            ),
        ),
    ),
)


def how_to_play(config: MancalaConfig) -> str:
    """Return goal and notation in some lines."""
    lines = [
        f"Get {MAJORITY} of the 48 seeds into your store.",
        "  A to F  south sows that hole: one seed into each that follows, anticlockwise",
        "  a to f  the same for north, whose holes run from right to left",
        "If the last seed makes a hole of the opponent two or three, you capture these,",
        "unless the opponent would be left without a seed.",
    ]
    if config.capture == "chain":
        lines.append("The holes before it follow as long as they hold two or three.")
    lines.append("If the opponent has no seed, you must sow into their row if you can.")
    return "\n".join(lines)
