"""Unfinished games in files of records: the last one, and writing it again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mammalath_env.cli.session import PERSON

if TYPE_CHECKING:
    from mammalath_env.arena.records import GameRecord


def last_unfinished(path: Path) -> tuple[GameRecord, bytes]:
    """Return the last unfinished game of a person in a file, and its line.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not a file of records, or has no such game.
    """
    from mammalath_env.arena.record_files import read_records
    from mammalath_env.arena.records import UNFINISHED

    records = read_records(path)
    with path.open("rb") as file:
        lines = file.readlines()  # each is a record
    for record, line in reversed(list(zip(records, lines, strict=False))):
        if record.reason == UNFINISHED and PERSON in record.players:
            return record, line
    raise ValueError(
        f"{str(path)!r} has no unfinished game of a person among its {len(records)} games"
    )


def replace_line(path: Path, old: bytes, new: bytes) -> bool:
    """Take the line `old` out of a file, put `new` at its end, and return when it is on the disk.

    The file is locked against other processes that append to it.

    Returns:
        Whether the file had the line; if not, nothing is changed.

    Raises:
        OSError: The file cannot be read or written.
    """
    from mammalath_env.arena.record_files import locked

    if not path.is_file():
        return False
    with path.open("r+b") as file, locked(file):
        lines = file.readlines()
        if old not in lines:
            return False
        # The last one: a game may have been copied.
        index = len(lines) - 1 - lines[::-1].index(old)
        file.seek(sum(map(len, lines[:index])))
        file.write(b"".join([*lines[index + 1 :], new]))
        file.truncate()
        file.flush()
        os.fsync(file.fileno())
    return True
