"""Files of records, one a line: reading them, and appending to them from several processes."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import platform
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from mammalath_env.arena.decoding import NotJSONError
from mammalath_env.arena.records import GameRecord, RecordError
from mammalath_env.core.checks import checked_integer

MAX_LINE_BYTES = 1 << 20
"""A longer line of a file is not read: no game needs as much."""

LOCK_TIMEOUT_S = 60.0
"""Seconds to wait for another process that has locked a file."""

LOCK_SUFFIX = ".lock"
"""End of the name of the file that says which process has reserved a file of records."""

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
        path: The file; anyone may have written it. A UTF-8 byte-order mark at its start is skipped.
        whole_lines_only: Leave out a last line that does not end with a line break.

    Raises:
        OSError: The file cannot be read.
        RecordError: A line is not a record; the message begins with its number, and with the ply
            if a move is wrong. No line may be empty, and the last one may not be cut off.
    """
    return list(_iterate(path, whole_lines_only))


def read_record(path: str | os.PathLike[str], number: int) -> GameRecord:
    """Return one record of a file, validated by replaying it; the other lines are not looked at.

    Args:
        path: The file, as for `read_records`.
        number: Which game of the file, from 1.

    Raises:
        OSError: The file cannot be read.
        RecordError: Its line is not a record, as for `read_records`; or there are not as many
            games, and the message says how many.
        TypeError: `number` is not an integer.
        ValueError: It is below 1.
    """
    number = checked_integer("number", number, 1)
    found, line = 0, b""
    with Path(path).open("rb") as file:
        for found, line in enumerate(_lines(file), 1):
            if found == number:
                return _parse(line, found)
    if line and not line.endswith(b"\n"):  # the last one counts unless it is cut off
        try:
            _parse(line, found)
        except CutLineError:
            found -= 1
        except RecordError:
            pass
    games = "1 game" if found == 1 else f"{found} games"
    raise RecordError(f"{str(path)!r} holds {games}, not {number}")


def first_record(path: str | os.PathLike[str]) -> GameRecord | None:
    """Return the first record of a file, None if there is none; errors are those of `read_records`.

    A line that is cut off counts as missing.
    """
    return next(_iterate(path, whole_lines_only=True), None) if Path(path).exists() else None


def _iterate(path: str | os.PathLike[str], whole_lines_only: bool) -> Iterator[GameRecord]:
    with Path(path).open("rb") as file:
        for number, line in enumerate(_lines(file), 1):
            if whole_lines_only and not line.endswith(b"\n") and len(line) <= MAX_LINE_BYTES:
                break
            yield _parse(line, number)


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file, the first without a byte-order mark, long ones without their end.

    A line that is too long still has more than `MAX_LINE_BYTES`.
    """
    limit = MAX_LINE_BYTES + 1
    line = file.readline(len(codecs.BOM_UTF8) + limit).removeprefix(codecs.BOM_UTF8)
    while line:
        yield line
        while len(line) >= limit and not line.endswith(b"\n"):
            line = file.readline(limit)
        line = file.readline(limit)


def _parse(line: bytes, number: int) -> GameRecord:
    """Return the record in a line of a file; `number` is that of the line."""
    if len(line) > MAX_LINE_BYTES:
        raise RecordError(f"longer than {MAX_LINE_BYTES} bytes", number)
    try:
        return GameRecord.from_json(line.decode("utf-8"), number)
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
    while not _try_to_lock(file):
        if time.monotonic() > deadline:
            raise TimeoutError(
                f"{_holder(file)} has kept {str(file.name)!r} locked for {timeout:g} seconds"
            )
        time.sleep(_LOCK_POLL_S)
    try:
        yield
    finally:
        portalocker.unlock(file)


@contextlib.contextmanager
def reserved(path: str | os.PathLike[str]) -> Iterator[None]:
    """Reserve a file of records for one contest, so that no other one can.

    `write_record` goes on, in other processes too. The lock is on a file next to this one, whose
    name has `LOCK_SUFFIX` at its end. It is removed at the end, and does no harm if it stays, since
    the lock itself ends with the process. Devices, pipes and folders are not reserved.

    Args:
        path: The file; it is created if missing.

    Raises:
        BlockingIOError: A contest has reserved the file; the message names its process.
        OSError: The file, or the one next to it, cannot be written.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        yield
        return
    path.open("ab").close()  # its errors name this file, not the one next to it
    lock = path.resolve()
    lock = lock.with_name(lock.name + LOCK_SUFFIX)
    while True:
        file = lock.open("a+", encoding="utf-8")
        try:
            if not _try_to_lock(file):
                raise BlockingIOError(
                    f"{_occupant(lock)} records a contest in {str(path)!r}: wait for its end, or "
                    f"choose another file"
                )
            # Its last holder may have removed it meanwhile.
            if lock.exists() and os.path.samestat(lock.stat(), os.fstat(file.fileno())):
                break
        except BaseException:
            file.close()
            raise
        file.close()
    _reservations.add(file)
    try:
        file.truncate(0)
        file.write(f"process {os.getpid()} on {platform.node()}")
        file.flush()
        yield
    finally:
        _reservations.discard(file)
        if not file.closed:  # as it is in a process that was forked
            with contextlib.suppress(OSError):
                lock.unlink()  # while nobody else can have it; Windows keeps the file
            file.close()


_reservations: set[IO[str]] = set()
"""The locked files of `reserved`."""


def _leave_reservations() -> None:
    """Close the locked files in a forked process, which would keep them after its parent's end."""
    for file in _reservations:
        file.close()
    _reservations.clear()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_leave_reservations)


def _occupant(lock: Path) -> str:
    """Return a description of the process that has reserved a file."""
    try:
        return lock.read_text("utf-8") or "another process"
    except OSError:  # Windows lets nobody read it, and it may be gone
        return "another process"


def _try_to_lock(file: IO[Any]) -> bool:
    """Lock a file unless it is locked already, and return whether it was not.

    Raises:
        OSError: It cannot be locked at all, as in some network folders.
    """
    import portalocker  # late: most commands write no file

    try:
        portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as error:
        raise OSError(f"{str(file.name)!r} cannot be locked: {error}") from error
    return True


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
