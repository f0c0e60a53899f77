"""Files of records: what is refused, what is written, and several processes that append."""

from __future__ import annotations

import codecs
import dataclasses
import errno
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

from mammalath_env.arena import (
    GameRecord,
    RecordError,
    play_game,
    play_match,
    read_record,
    read_records,
    write_record,
)
from mammalath_env.arena.record_files import (
    LOCK_SUFFIX,
    MAX_LINE_BYTES,
    _try_to_lock,
    first_record,
    locked,
    open_to_append,
    reserved,
)
from mammalath_env.games import make_game
from tests.processes import ROOT

RECORD = play_game(make_game("mammalath"), ["greedy", "random"], seed=2)
STOPPED = play_game(make_game("mammalath"), ["greedy", "random"], seed=2, max_plies=3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (RECORD.to_json().encode()[:-20], "line 1: the last line is cut off: not JSON"),
        (b'{"format"', "line 1: the last line is cut off: not JSON"),
        (
            RECORD.to_json().replace("mammalath", "chess", 1).encode(),
            "line 1: unknown game 'chess'",
        ),
        (
            dataclasses.replace(RECORD, moves=("z9",)).to_json().encode(),
            "line 1, ply 1: 'z9' is not a move",
        ),
        (b"\xff\xfe\n", "line 1: not UTF-8"),
        (b" " * (MAX_LINE_BYTES + 1), "line 1: longer than 1048576 bytes"),
        (RECORD.to_json().encode() + b"\n\n", "line 2: not JSON"),
    ],
)
def test_cut_and_binary_files_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    """Truncated and binary files are refused with the line."""
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordError) as caught:
        read_records(path)
    assert str(caught.value).startswith(message)


LINE = RECORD.to_json().encode() + b"\n"
BROKEN = [
    b"\n",
    b"{}\n",
    b"\xff\n",
    LINE.replace(b"mammalath", b"chess", 1),
    dataclasses.replace(RECORD, moves=("z9",)).to_json().encode() + b"\n",
    b" " * (3 * MAX_LINE_BYTES) + b"\n",
    b" " * MAX_LINE_BYTES + b"\n",
]


@pytest.mark.parametrize("broken", BROKEN, ids=lambda line: repr(line[:9]))
def test_one_record_is_read_alone(tmp_path: Path, broken: bytes) -> None:
    """Broken lines around it do not matter; a broken one is refused, with its number."""
    path = tmp_path / "games.jsonl"
    stopped = STOPPED.to_json().encode() + b"\n"
    path.write_bytes(LINE + broken + stopped + broken)
    assert read_record(path, 1) == RECORD
    assert read_record(str(path), 3) == STOPPED
    for number in (2, 4):
        with pytest.raises(RecordError, match=f"^line {number}"):
            read_record(path, number)
    with pytest.raises(RecordError, match=r"games.jsonl' holds 4 games, not 5$"):
        read_record(path, 5)
    with pytest.raises(ValueError, match="number must be at least 1, not 0"):
        read_record(path, 0)


@pytest.mark.parametrize(
    ("content", "games"),
    [
        (b"", "0 games"),
        (LINE, "1 game"),
        (LINE + LINE[:-1], "2 games"),
        (LINE + LINE[:-20], "1 game"),
        (LINE + b"{}", "2 games"),
        (LINE + b" " * (2 * MAX_LINE_BYTES), "2 games"),
    ],
    ids=["none", "one", "no line break", "cut off", "not a record", "too long"],
)
def test_games_of_a_file_are_counted(tmp_path: Path, content: bytes, games: str) -> None:
    """Where there are not as many; a line that is cut off is no game."""
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=f"holds {games}, not 9$"):
        read_record(path, 9)


def test_a_byte_order_mark(tmp_path: Path) -> None:
    """At the start of a file it is skipped; elsewhere it is part of a line, which is refused."""
    path = tmp_path / "games.jsonl"
    path.write_bytes(codecs.BOM_UTF8 + LINE)
    write_record(path, STOPPED)
    assert read_records(path) == [RECORD, STOPPED]
    assert first_record(path) == read_record(path, 1) == RECORD
    path.write_bytes(codecs.BOM_UTF8)
    assert read_records(path) == []
    assert first_record(path) is None
    for content in (codecs.BOM_UTF8 * 2 + LINE, codecs.BOM_UTF8 + b"\n" + LINE):
        path.write_bytes(content)
        with pytest.raises(RecordError, match="line 1: not JSON"):
            read_records(path)
    path.write_bytes(LINE + codecs.BOM_UTF8 + LINE)
    with pytest.raises(RecordError, match="line 2: not JSON"):
        read_records(path)


@pytest.mark.parametrize("kept", [0, 5, 200, None])
def test_a_match_in_a_file_with_a_byte_order_mark(tmp_path: Path, kept: int | None) -> None:
    """It is resumed, a first line that is cut off is removed, and a new one is refused."""
    path = tmp_path / "games.jsonl"
    options: dict[str, Any] = {"seed": 3, "record_path": path}
    whole = play_match("mancala", "random", "random", 2, **options)
    first, *others = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(codecs.BOM_UTF8 + first[:kept] + b"".join(others if kept is None else []))
    with pytest.raises(FileExistsError, match="holds games already"):
        play_match("mancala", "random", "random", 2, **options)
    assert play_match("mancala", "random", "random", 2, **options, resume=True) == whole
    assert len(read_records(path)) == 4


def test_records_are_appended(tmp_path: Path) -> None:
    """Records are appended; a missing line break at the very end does no harm to a reader."""
    path = tmp_path / "games.jsonl"
    write_record(path, RECORD)
    write_record(str(path), STOPPED)
    assert read_records(path) == [RECORD, STOPPED]
    path.write_bytes(path.read_bytes()[:-1])
    assert read_records(str(path)) == [RECORD, STOPPED]
    assert read_records(path, whole_lines_only=True) == [RECORD]
    with pytest.raises(RecordError, match=r"the last line of .* is cut off"):
        write_record(path, RECORD)
    path.write_bytes(b"")
    assert read_records(path) == []
    with pytest.raises(FileNotFoundError):
        read_records(tmp_path / "nothing.jsonl")


def test_a_file_in_memory_can_be_written() -> None:
    """A file in memory, which has no descriptor, can be written as well."""
    file = io.StringIO()
    write_record(file, RECORD)
    assert GameRecord.from_json(file.getvalue()) == RECORD


def test_records_reach_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each one is flushed and synchronized."""
    synchronized: list[int] = []
    monkeypatch.setattr("os.fsync", synchronized.append)
    path = tmp_path / "games.jsonl"
    with path.open("w", encoding="utf-8") as file:
        write_record(file, RECORD)
        assert read_records(path) == [RECORD]
        assert synchronized == [file.fileno()]


def test_devices_are_not_synchronized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They cannot be synchronized, which is an error of a file alone."""
    write_record("/dev/null", RECORD)
    open_to_append("/dev/null").close()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_record(pipe, RECORD)
        assert GameRecord.from_json(os.read(reader, 1 << 16).decode()) == RECORD
    finally:
        os.close(reader)

    def refuse(descriptor: int) -> None:
        raise OSError(errno.EINVAL, "cannot be synchronized")

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(OSError, match="cannot be synchronized"):
        write_record(tmp_path / "games.jsonl", RECORD)


def test_a_file_is_checked_before_a_game(tmp_path: Path) -> None:
    """Nothing is written by the check, and it refuses what writing would refuse."""
    path = tmp_path / "games.jsonl"
    open_to_append(path).close()
    assert read_records(path) == []
    write_record(path, RECORD)
    open_to_append(path).close()
    assert read_records(path) == [RECORD]
    path.write_text('{"format": 1', "utf-8")
    with pytest.raises(RecordError, match=r"the last line of .* is cut off"):
        open_to_append(path)
    with pytest.raises(IsADirectoryError):
        open_to_append(tmp_path)


APPEND = """
import os, sys
from mammalath_env.arena import GameRecord, write_record
record = GameRecord.from_json(sys.stdin.readline())
os.fsync = lambda descriptor: None  # slow, and with less to collide
print(flush=True)
sys.stdin.readline()
for _ in range(200):
    write_record(sys.argv[1], record)
"""


def start_python(code: str, path: Path) -> subprocess.Popen[str]:
    """Start a process that runs `code` with `path` as its argument."""
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_several_processes_append_to_one_file(tmp_path: Path) -> None:
    """Every record is there in one piece, and nobody takes half a line for the end of a file."""
    path = tmp_path / "games.jsonl"
    # It takes several pages of the file, which do not appear at once.
    line = dataclasses.replace(RECORD, versions={"text": "x" * 20_000}).to_json() + "\n"
    processes = [start_python(APPEND, path) for _ in range(4)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(line)
        process.stdin.flush()
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.communicate()[1] for process in processes] == [""] * 4
    assert path.read_text("ascii") == line * 800


HOLD = """
import sys
from mammalath_env.arena.record_files import locked
with open(sys.argv[1], "a") as file, locked(file):
    print(flush=True)
    sys.stdin.read()
"""


def test_a_file_that_another_process_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the process, and nothing is written; when it has ended, all is well."""
    path = tmp_path / "games.jsonl"
    monkeypatch.setattr("mammalath_env.arena.record_files.LOCK_TIMEOUT_S", 0.05)
    holder = start_python(HOLD, path)
    assert holder.stdout is not None
    holder.stdout.readline()
    who = f"process {holder.pid}" if sys.platform == "linux" else "another process"
    with path.open("a", encoding="utf-8") as file:
        for target in (path, file):
            with pytest.raises(TimeoutError, match=f"{who} has kept .*games.jsonl.* locked"):
                write_record(target, RECORD)
    assert path.read_bytes() == b""
    monkeypatch.setattr("mammalath_env.arena.record_files._LINUX_LOCKS", tmp_path / "none")
    with pytest.raises(TimeoutError, match="another process has kept"):
        open_to_append(path)
    holder.kill()
    holder.communicate()
    write_record(path, RECORD)
    assert read_records(path) == [RECORD]
    assert list(tmp_path.iterdir()) == [path]


def test_a_lock_is_released(tmp_path: Path) -> None:
    """The lock ends with the block, also after an error inside it."""
    path = tmp_path / "games.jsonl"
    with path.open("a", encoding="utf-8") as file:
        with pytest.raises(ZeroDivisionError), locked(file):
            raise ZeroDivisionError
        with path.open("a", encoding="utf-8") as other, locked(other, timeout=0):
            pass


RESERVE = """
import sys
from mammalath_env.arena.record_files import reserved
with reserved(sys.argv[1]):
    print(flush=True)
    sys.stdin.read()
"""


def test_a_file_is_reserved_for_one_contest(tmp_path: Path) -> None:
    """Others fail at once, by any name of the file, and change nothing; games can be appended."""
    path, link = tmp_path / "games.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(path)
    holder = start_python(RESERVE, link)
    assert holder.stdout is not None
    holder.stdout.readline()
    for each in (path, link):
        with pytest.raises(BlockingIOError, match=f"process {holder.pid} on .* {str(each)!r}"):
            play_match("mancala", "random", "random", 1, seed=3, record_path=each)
    assert path.read_bytes() == b""
    write_record(path, RECORD)
    holder.communicate()
    assert {each.name for each in tmp_path.iterdir()} == {path.name, link.name}
    with reserved(path):
        write_record(path, STOPPED)
    assert read_records(path) == [RECORD, STOPPED]
    with pytest.raises(BlockingIOError), reserved(path), reserved(path):
        pass
    with pytest.raises(ZeroDivisionError), reserved(path):
        raise ZeroDivisionError
    with reserved(path):
        pass


def test_a_reservation_ends_with_its_process(tmp_path: Path) -> None:
    """What a process that was killed has left does no harm, and is removed."""
    path = tmp_path / "games.jsonl"
    holder = start_python(RESERVE, path)
    assert holder.stdout is not None
    holder.stdout.readline()
    holder.kill()
    holder.communicate()
    lock = path.with_name(path.name + LOCK_SUFFIX)
    assert lock.read_text("utf-8").startswith(f"process {holder.pid} on ")
    with reserved(path):
        assert lock.read_text("utf-8").startswith(f"process {os.getpid()} on ")
    assert list(tmp_path.iterdir()) == [path]


FORK = """
import os, sys, time
from mammalath_env.arena.record_files import reserved
with reserved(sys.argv[1]):
    child = os.fork()
    if child == 0:
        sys.stdin.read()
        sys.exit()
    print(child, flush=True)
    time.sleep(3600)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_forked_process_takes_no_part_in_a_reservation(tmp_path: Path) -> None:
    """It neither ends it with its own end, nor keeps it after that of the process that it left."""
    path = tmp_path / "games.jsonl"
    lock = path.with_name(path.name + LOCK_SUFFIX)
    with start_python(FORK, path) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(BlockingIOError, match=f"process {holder.pid} on "), reserved(path):
            pass
        holder.kill()
        holder.wait()
        with reserved(path):
            holder.stdin.close()  # which ends the child, and with it the output
            assert holder.stdout.read() == ""
            assert lock.exists()
    assert list(tmp_path.iterdir()) == [path]


def test_a_lock_that_is_removed_meanwhile_is_taken_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise two contests would each have a file of their own."""
    path = tmp_path / "games.jsonl"
    lock = path.with_name(path.name + LOCK_SUFFIX)
    calls = 0

    def lock_late(file: IO[Any]) -> bool:
        nonlocal calls
        calls += 1
        if calls == 1:
            lock.unlink()  # as its holder does that ends here
        return _try_to_lock(file)

    monkeypatch.setattr("mammalath_env.arena.record_files._try_to_lock", lock_late)
    with reserved(path):
        assert calls == 2
        monkeypatch.undo()
        with pytest.raises(BlockingIOError), reserved(path):
            pass


def test_what_cannot_be_reserved(tmp_path: Path) -> None:
    """Devices need no lock; errors of files name the file, not the lock."""
    with reserved("/dev/null"), reserved("/dev/null"):
        pass
    path = tmp_path / "no folder" / "games.jsonl"
    with pytest.raises(FileNotFoundError) as caught, reserved(path):
        pass
    assert caught.value.filename == str(path)
