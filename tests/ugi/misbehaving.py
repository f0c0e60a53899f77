"""An engine that plays at random, and does something wrong at its fourth move of each game.

``python misbehaving.py WHAT`` is its command line; without a word it does all right.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from mammalath_env import make_game

MOVES_BEFORE = 3


def say(text: str, end: str = "\n") -> None:
    """Write a line."""
    sys.stdout.write(text + end)
    sys.stdout.flush()


def misbehave(what: str) -> None:
    """Do it; what returns has written something in place of a move."""
    if what == "exit":
        print("the network is missing", file=sys.stderr)
        sys.exit(3)
    if what == "kill":
        os.kill(os.getpid(), 9)
    if what == "hang":
        time.sleep(3600)
    if what == "hang with children":
        child = subprocess.Popen(["sleep", "3600"], start_new_session=True)
        with Path(os.environ["CHILDREN"]).open("a") as file:
            print(child.pid, file=file)
        time.sleep(3600)
    if what == "flood":
        while True:
            sys.stdout.write("info depth 1\n" * 1000)
    if what == "long line":
        sys.stdout.write("x" * 1_000_000)
        sys.stdout.flush()
        time.sleep(3600)
    if what == "no flush":
        # Not to sys.stdout, which the environment may have told not to buffer.
        buffered = os.fdopen(os.dup(1), "w", buffering=1 << 16)
        buffered.write("bestmove a1\n")
        time.sleep(3600)
    if what == "garbage":
        say("bestmove \x00?!")
    if what == "illegal":
        say("bestmove swap")
    if what == "empty":
        say("bestmove")
    if what == "bytes":
        sys.stdout.buffer.write(b"\xff\xfe\n")
        sys.stdout.buffer.flush()
        time.sleep(3600)


def main(what: str) -> None:
    """Obey commands."""
    game = make_game("mammalath")
    position = game.deal(0)
    rng = random.Random(0)
    left = MOVES_BEFORE
    for line in sys.stdin:
        match line.split():
            case ["ugi"]:
                if what == "no ugiok":
                    continue
                say("id name Misbehaving\nid author a test\noption name Seed type spin default 0")
                say("ugiok")
            case ["isready"]:
                say("readyok")
            case ["setoption", "name", "Seed", "value", seed]:
                rng = random.Random(int(seed))
            case ["uginewgame"]:
                left = MOVES_BEFORE
            case ["position", "fen", *text]:
                position = game.from_text(" ".join(text))
            case ["go", *_]:
                left -= 1
                if left < 0 and what not in ("", "twice"):
                    misbehave(what)
                    continue
                say("info string a score follows\ninfo depth 1 score cp 400 pv a1")
                say(f"bestmove {rng.choice(position.legal_moves())}")
                if what == "twice":
                    say("bestmove a1")
            case ["quit"]:
                return


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
