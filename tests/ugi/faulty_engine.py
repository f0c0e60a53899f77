"""An engine with a fault: it stands between a client and a sound engine, and spoils what they say.

``python faulty_engine.py FAULT PROGRAM``. It needs nothing but Python, so that it starts quickly.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable

FOREVER = "go infinite"


def no_name(line: str) -> str | None:
    """Do not say a name."""
    return None if line.startswith("id name") else line


def illegal(line: str) -> str | None:
    """Answer with a move that is legal in one ply at most."""
    return "bestmove swap" if line.startswith("bestmove") else line


def garbage(line: str) -> str | None:
    """Answer with no move."""
    return "bestmove" if line.startswith("bestmove") else line


def never_over(line: str) -> str | None:
    """Deny every result."""
    return "response none" if line in ("response p1win", "response p2win") else line


def always_true(line: str) -> str | None:
    """Say yes to everything."""
    return "response true" if line == "response false" else line


def answers_twice(line: str) -> str | None:
    """Say every move two times."""
    return f"{line}\n{line}" if line.startswith("bestmove") else line


def ends_no_line(line: str) -> str | None:
    """Leave lines open, see below."""
    return line


def never_stops(line: str) -> str | None:
    """Pass over stop."""
    return None if line == "stop" else line


def takes_its_time(line: str) -> str | None:
    """Pass over the time for a move, if it is not short."""
    return FOREVER if line == "go movetime 500" else line


def takes_the_wrong_clock(line: str) -> str | None:
    """Take the time of the other player."""
    return FOREVER if line.startswith("go p1time") else line


def answers_at_once(line: str) -> str | None:
    """Do not wait for stop."""
    return "go" if line == FOREVER else line


def knows_no_nodes(line: str) -> str | None:
    """Pass over the number of nodes."""
    return FOREVER if line.startswith("go nodes") else line


def does_not_end(line: str) -> str | None:
    """Pass over quit."""
    return None if line == "quit" else line


def forgets_moves(line: str) -> str | None:
    """Pass over the moves after startpos."""
    return line.partition(" moves ")[0] if line.startswith("position startpos") else line


def takes_any_seed(line: str) -> str | None:
    """Take another seed than it is told."""
    if line.startswith("setoption name seed"):
        return f"setoption name seed value {random.randrange(10**6)}"
    return line


def dies(line: str) -> str | None:
    """End at an unknown word."""
    if line == "nonsense":
        print("cannot bear nonsense", file=sys.stderr, flush=True)
        os._exit(3)
    return line


Fault = Callable[[str], "str | None"]

OF_ANSWERS: list[Fault] = [
    *(no_name, illegal, garbage, never_over, always_true, answers_twice, ends_no_line)
]
OF_COMMANDS: list[Fault] = [
    *(never_stops, takes_its_time, takes_the_wrong_clock, answers_at_once, knows_no_nodes),
    *(does_not_end, forgets_moves, takes_any_seed, dies),
]


def main(name: str, program: str) -> None:
    """Run the sound engine, and spoil commands or answers."""
    fault = next(each for each in (*OF_ANSWERS, *OF_COMMANDS) if each.__name__ == name)
    engine = subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert engine.stdin is not None
    assert engine.stdout is not None
    answers = engine.stdout

    def pass_answers() -> None:
        end = "" if fault is ends_no_line else "\n"
        for line in answers:
            spoilt = fault(line.rstrip("\n")) if fault in OF_ANSWERS else line.rstrip("\n")
            if spoilt is not None:
                print(spoilt, end=end, flush=True)
        os._exit(0)

    threading.Thread(target=pass_answers, daemon=True).start()
    for line in sys.stdin:
        spoilt = fault(line.rstrip("\n")) if fault in OF_COMMANDS else line.rstrip("\n")
        if spoilt is not None:
            engine.stdin.write(f"{spoilt}\n")
    time.sleep(1000)


if __name__ == "__main__":
    main(*sys.argv[1:])
