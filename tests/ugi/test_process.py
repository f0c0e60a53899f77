"""Processes that are read line by line and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from mammalath_env.ugi.process import (
    KEPT_ERRORS,
    EngineDiedError,
    EngineOutputError,
    EngineProcess,
    EngineTimeoutError,
)
from tests.processes import ROOT, finish

SECONDS = 60.0
PYTHON = (sys.executable, "-c")
ECHO = "import sys\nfor line in sys.stdin: print('got', line.strip(), flush=True)"
# Prints the numbers of itself, of a child and of one that has left the process group.
FAMILY = """
import os, subprocess, time
one = subprocess.Popen(["sleep", "3600"])
code = "import subprocess as s; print(s.Popen(['sleep', '3600'], stdout=s.DEVNULL).pid)"
other = subprocess.run(
    [{python!r}, "-c", code], start_new_session=True, stdout=subprocess.PIPE, text=True
)
print(os.getpid(), one.pid, other.stdout.strip(), flush=True)
time.sleep(3600)
""".replace("{python!r}", repr(sys.executable))


def soon() -> float:
    """Return a deadline that nothing should come near."""
    return time.monotonic() + SECONDS


def wait_until_gone(pids: list[int]) -> None:
    """Wait until there are no such processes."""
    while any(psutil.pid_exists(pid) for pid in pids):
        assert psutil.Process().is_running()
        time.sleep(0.01)


@pytest.fixture
def echo() -> Iterator[EngineProcess]:
    """A process that answers each line."""
    process = EngineProcess([*PYTHON, ECHO])
    yield process
    process.close()


def test_lines_go_both_ways(echo: EngineProcess) -> None:
    """One after the other, without their ends."""
    for text in ("one", "zwei", "trois é"):
        echo.send(text)
        assert echo.read_line(soon()) == f"got {text}"


def test_silence_is_an_error_of_its_own(echo: EngineProcess) -> None:
    """And the process can be asked again."""
    with pytest.raises(EngineTimeoutError, match="no answer in time"):
        echo.read_line(time.monotonic())
    echo.send("late")
    assert echo.read_line(soon()) == "got late"


def test_the_end_of_its_input_ends_it(echo: EngineProcess) -> None:
    """With patience it ends by itself, and closing twice is one."""
    echo.close(SECONDS)
    assert echo.is_closed
    echo.close()
    with pytest.raises(EngineDiedError, match="its process ended with exit code 0"):
        echo.send("more")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; sys.exit(3)", "its process ended with exit code 3$"),
        ("import os; os.abort()", "its process ended, killed by SIGABRT"),
        ("import os; os.kill(os.getpid(), 9)", "its process ended, killed by SIGKILL"),
    ],
)
def test_how_it_ended_is_told(code: str, message: str) -> None:
    """Also to those who ask again."""
    process = EngineProcess([*PYTHON, code])
    for _ in range(2):
        with pytest.raises(EngineDiedError, match=message):
            process.read_line(soon())
    process.close()


def test_a_program_that_is_missing() -> None:
    """It looks like one that has ended, and says why."""
    process = EngineProcess(["/no/such/program"])
    with pytest.raises(EngineDiedError, match="exit code 127") as raised:
        process.read_line(soon())
    assert raised.value.errors == "cannot start '/no/such/program': No such file or directory"
    process.close()


def test_the_end_of_standard_error_is_kept() -> None:
    """At most so many characters."""
    code = "import sys; sys.stderr.write('x' * 100_000 + 'the end'); sys.exit(1)"
    process = EngineProcess([*PYTHON, code])
    with pytest.raises(EngineDiedError) as raised:
        process.read_line(soon())
    assert len(raised.value.errors) == KEPT_ERRORS
    assert raised.value.errors.endswith("xxxthe end")
    process.close()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import time; print('x' * 1001, flush=True); time.sleep(3600)", "more than 1000 bytes"),
        (
            "import sys, time; sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush(); "
            "time.sleep(3600)",
            "not UTF-8",
        ),
    ],
)
def test_what_nobody_can_read(code: str, message: str) -> None:
    """It is an error, and the process can be closed."""
    process = EngineProcess([*PYTHON, code], max_line=1000)
    with pytest.raises(EngineOutputError, match=message):
        process.read_line(soon())
    process.close()


def test_a_flood_takes_no_memory() -> None:
    """The process waits until its lines are read, and can be closed meanwhile."""
    process = EngineProcess([*PYTHON, "while True: print('x' * 100)"])
    for _ in range(20_000):
        assert process.read_line(soon()) == "x" * 100
    assert process._lines.qsize() <= process._lines.maxsize
    process.close()
    assert not psutil.pid_exists(process.pid)


def test_all_its_children_end_with_it() -> None:
    """Those in another process group too."""
    process = EngineProcess([*PYTHON, FAMILY])
    family = [int(number) for number in process.read_line(soon()).split()]
    assert len(family) == 3
    process.close()
    wait_until_gone(family)


def test_children_of_a_process_that_has_ended_end_too() -> None:
    """Though nobody has closed it."""
    code = FAMILY.replace("time.sleep(3600)", "")
    process = EngineProcess([*PYTHON, code])
    family = [int(number) for number in process.read_line(soon()).split()]
    wait_until_gone(family)
    process.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_host_is_killed(tmp_path: Path, number: int) -> None:
    """However it ends."""
    host = tmp_path / "host.py"
    host.write_text(
        "import sys, time\n"
        "from mammalath_env.ugi.process import EngineProcess\n"
        f"process = EngineProcess([sys.executable, '-c', {FAMILY!r}])\n"
        "print(process.read_line(), process.pid, flush=True)\n"
        "time.sleep(3600)\n",
        "utf-8",
    )
    with subprocess.Popen(
        [sys.executable, str(host)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # A background job of a shell would ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    ) as running:
        assert running.stdout is not None
        family = [int(each) for each in running.stdout.readline().split()]
        assert len(family) == 4
        os.kill(running.pid, number)
        try:
            running.wait(SECONDS)
        finally:
            running.kill()
    wait_until_gone(family)


def test_libraries_of_this_user_alone_are_enough(tmp_path: Path) -> None:
    """What watches over a process needs one, and runs isolated."""
    library = Path(psutil.__file__).parents[1]
    bare = tmp_path / "bare"
    venv.create(bare, with_pip=False)
    python = bare / ("Scripts" if os.name == "nt" else "bin") / "python"
    code = (
        "from mammalath_env.ugi.process import EngineProcess; "
        f"process = EngineProcess([{sys.executable!r}, '-c', 'print(1)']); "
        "print(process.read_line()); process.close()"
    )
    path = os.pathsep.join([str(ROOT), str(library)])
    assert finish(str(python), "-c", code, PYTHONPATH=path).stdout == "1\n"
