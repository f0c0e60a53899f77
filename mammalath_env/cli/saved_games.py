"""Unfinished games in files of records: the last one, and writing it again."""

from __future__ import annotations

import contextlib
import errno
import os
from codecs import BOM_UTF8
from collections.abc import Iterator
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
    from mammalath_env.arena.records import UNFINISHED

    records, cut = read_file(path)
    if cut is not None:
        raise ValueError(cut)
    with path.open("rb") as file:
        lines = file.readlines()  # each is a record
    for record, line in reversed(list(zip(records, lines, strict=False))):
        if record.reason == UNFINISHED and PERSON in record.players:
            return record, line
    raise ValueError(
        f"{str(path)!r} has no unfinished game of a person among its {number_of_games(records)}"
    )


def number_of_games(records: list[GameRecord]) -> str:
    """Return ``1 game``, ``2 games``."""
    return f"{len(records)} {'game' if len(records) == 1 else 'games'}"


def read_file(path: Path) -> tuple[list[GameRecord], str | None]:
    """Return the records of a file, and what is wrong with a last line that is cut off, or None.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not a file of records, or a line is damaged; the message names the file.
    """
    from mammalath_env.arena.record_files import CutLineError, read_records

    with _errors_of(path):
        try:
            return read_records(path), None
        except CutLineError as error:
            return read_records(path, whole_lines_only=True), f"{str(path)!r}, {error}"


def read_game(path: Path, number: int) -> GameRecord:
    """Return game `number` of a file, from 1; the others are not checked.

    Raises:
        OSError: The file cannot be read.
        ValueError: It has no such game, or the line is damaged; the message names the file.
    """
    from mammalath_env.arena.record_files import read_record

    with _errors_of(path):
        return read_record(path, number)


@contextlib.contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Name a file in the errors of its lines."""
    from mammalath_env.arena.records import RecordError

    try:
        yield
    except RecordError as error:
        if error.line is None:  # of the file as a whole, which it names
            raise
        what = ", " if error.line != 1 else " is not a file of records: "
        raise ValueError(f"{str(path)!r}{what}{error}") from error


def check_can_append(path: Path) -> None:
    """Check that a file of records can be appended to; it is created if missing.

    Of its records, the first and the last are looked at.

    Raises:
        OSError: The file cannot be written.
        ValueError: It holds something else, or its last line is cut off.
    """
    from mammalath_env.arena.record_files import MAX_LINE_BYTES, open_to_append
    from mammalath_env.arena.records import GameRecord

    if path.is_file() and (size := path.stat().st_size) > 0:
        with path.open("rb") as file:
            first = file.readline(MAX_LINE_BYTES + 1).removeprefix(BOM_UTF8)
            file.seek(max(size - MAX_LINE_BYTES - 1, 0))
            last = file.readlines()[-1].removeprefix(BOM_UTF8)
        for line in (first, last):
            # A line that is cut off has a message of its own below.
            if line.endswith(b"\n") or not line.startswith(b"{"):
                try:
                    GameRecord.from_json(line.decode("utf-8"))
                except ValueError as error:
                    raise ValueError(f"{str(path)!r} is not a file of records") from error
    open_to_append(path).close()


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
        end = file.tell()
        try:
            # Not through the buffer, which would be written again when it is closed.
            if os.write(file.fileno(), new) < len(new):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(file.fileno())
        except BaseException:  # as of a full disk: the game stays there as it was
            with contextlib.suppress(OSError):
                os.ftruncate(file.fileno(), end)
            raise
        # From here on the file only shrinks. The last one: a game may have been copied.
        index = len(lines) - 1 - lines[::-1].index(old)
        file.seek(sum(map(len, lines[:index])))
        file.write(b"".join([*lines[index + 1 :], new]))
        file.truncate()
        file.flush()
        os.fsync(file.fileno())
    return True
