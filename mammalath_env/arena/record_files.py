"""Files of records, one a line: reading them, and appending to them from several processes."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from mammalath_env.arena.decoding import NotJSONError
from mammalath_env.arena.records import GameRecord, RecordError

MAX_LINE_BYTES = 1 << 20
"""A longer line of a file is not read: no game needs as much."""

LOCK_TIMEOUT_S = 60.0
"""Seconds to wait for another process that has locked a file."""

_REPAIR = "remove it, or let its contest go on with resume=True, which removes it"
_LOCK_POLL_S = 0.01
_LINUX_LOCKS = Path("/proc/locks")


class CutLineError(RecordError):
    """The last line of a file of records is cut off, as by a process that was killed."""


def read_records(
    path: str | os.PathLike[str], *, whole_lines_only: bool = False
) -> list[GameRecord]:
    """Return the records of a file, each validated by replaying it.

    Args:
        path: The file; anyone may have written it.
        whole_lines_only: Leave out a last line that does not end with a line break.

    Raises:
        OSError: The file cannot be read.
        RecordError: A line is not a record; the message begins with its number, and with the ply
            if a move is wrong. No line may be empty, and the last one may not be cut off.
    """
    return list(_iterate(path, whole_lines_only))


def first_record(path: str | os.PathLike[str]) -> GameRecord | None:
    """Return the first record of a file, None if there is none; errors are those of `read_records`.

    A line that is cut off counts as missing.
    """
    return next(_iterate(path, whole_lines_only=True), None) if Path(path).exists() else None


def _iterate(path: str | os.PathLike[str], whole_lines_only: bool) -> Iterator[GameRecord]:
    with Path(path).open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), 1):
            if whole_lines_only and not line.endswith(b"\n") and len(line) <= MAX_LINE_BYTES:
                break
            if len(line) > MAX_LINE_BYTES:
                raise RecordError(f"longer than {MAX_LINE_BYTES} bytes", number)
            try:
                yield GameRecord.from_json(line.decode("utf-8"), number)
            except UnicodeDecodeError as error:
                raise RecordError(f"not UTF-8: {error.reason}", number) from None
            except RecordError as error:
                if line.endswith(b"\n") or not isinstance(error.__cause__, NotJSONError):
                    raise
                message = f"the last line is cut off: {error.args[0]}; {_REPAIR}"
                raise CutLineError(message, number) from None


def write_record(target: str | os.PathLike[str] | IO[str], record: GameRecord) -> None:
    """Append a record to a file, and return when it is on the disk.

    Several processes may append to one file: each waits for its turn.

    Args:
        target: A path, whose file is created if missing, or an open text file.
        record: What to append, as one line.

    Raises:
        OSError: The file cannot be written.
        TimeoutError: Another process has kept the file for `LOCK_TIMEOUT_S`.
        RecordError: The last line of the file at this path is cut off.
    """
    line = record.to_json() + "\n"
    with contextlib.ExitStack() as stack:
        if isinstance(target, (str, os.PathLike)):
            target = stack.enter_context(open_to_append(target))
        stack.enter_context(locked(target))
        target.write(line)
        target.flush()
        if _is_on_disk(target):
            os.fsync(target.fileno())


def open_to_append(path: str | os.PathLike[str]) -> IO[str]:
    """Open a file for `write_record`; it is created if missing.

    Raises:
        OSError: The file cannot be written.
        TimeoutError: Another process has kept the file for `LOCK_TIMEOUT_S`.
        RecordError: Its last line is cut off.
    """
    # Devices and pipes cannot be read.
    mode = "a" if Path(path).exists() and not Path(path).is_file() else "a+"
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(Path(path).open(mode, encoding="utf-8", newline="\n"))
        with locked(file):
            if _is_on_disk(file) and os.fstat(file.fileno()).st_size > 0:
                os.lseek(file.fileno(), -1, os.SEEK_END)
                if os.read(file.fileno(), 1) != b"\n":
                    raise RecordError(f"the last line of {str(file.name)!r} is cut off: {_REPAIR}")
        stack.pop_all()
    return file


@contextlib.contextmanager
def locked(file: IO[Any], timeout: float | None = None) -> Iterator[None]:
    """Lock a file against other processes, and against their `write_record`.

    The lock is on the file itself: it leaves nothing behind, and ends with the process. Devices,
    pipes and files in memory are not locked.

    Args:
        file: The open file.
        timeout: Seconds to wait for another process; None for `LOCK_TIMEOUT_S`.

    Raises:
        TimeoutError: Another process has kept the file for longer; on Linux the message names it.
    """
    if not _is_on_disk(file):
        yield
        return
    import portalocker  # late: most commands write no file

    timeout = LOCK_TIMEOUT_S if timeout is None else timeout
    deadline = time.monotonic() + timeout
    while True:
        try:
            portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
            break
        except portalocker.LockException:
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"{_holder(file)} has kept {str(file.name)!r} locked for {timeout:g} seconds"
                ) from None
            time.sleep(_LOCK_POLL_S)
    try:
        yield
    finally:
        portalocker.unlock(file)


def _holder(file: IO[Any]) -> str:
    """Return a description of the process that has locked a file."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        status = os.fstat(file.fileno())
        place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
        for line in _LINUX_LOCKS.read_text("ascii").splitlines():
            # "1: FLOCK ADVISORY WRITE <process> <device>:<file> 0 EOF"
            _, kind, _, _, process, where, *_ = line.split()
            if kind == "FLOCK" and where == place:
                return f"process {int(process)}"
    return "another process"


def _is_on_disk(file: IO[Any]) -> bool:
    """Return whether a file is neither in memory, nor a device or pipe such as /dev/stdout."""
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except io.UnsupportedOperation:
        return False
