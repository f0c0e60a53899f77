"""Runs a command, and ends it with all its children when the process that asked for it is gone.

``python leash.py DESCRIPTOR LIBRARY COMMAND ...`` is a program of its own, so that it outlives its
host, however that ends. The host holds the other end of a pipe and never writes to it: the pipe's
end is the host's, or its wish to end the command. LIBRARY is the folder where the host has found
psutil.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys
import threading

NOT_STARTED = 127
"""Exit code if the command cannot be started."""

_SIGNALS = 128
_SET_CHILD_SUBREAPER = 36
_KILL_ROUNDS = 100


def kill_children() -> None:
    """Kill all processes below this one, those that they start meanwhile too."""
    import psutil

    for _ in range(_KILL_ROUNDS):
        children = psutil.Process().children(recursive=True)
        if not children:
            return
        for child in children:
            with contextlib.suppress(psutil.Error):
                child.kill()
        psutil.wait_procs(children, timeout=1.0)


def _adopt_orphans() -> None:
    """Become the parent of grandchildren whose parent is gone, where the system can (Linux)."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def main(arguments: list[str]) -> int:
    """Run the command, and return its exit code; 128 and the number of a signal that killed it."""
    watched, library, *command = arguments
    sys.path.append(library)
    _adopt_orphans()
    try:
        process = subprocess.Popen(command)
    except OSError as error:
        print(f"cannot start {command[0]!r}: {error.strerror}", file=sys.stderr)
        return NOT_STARTED
    # Only the command reads and writes the pipes of the host.
    for stream in (sys.stdin, sys.stdout):
        os.close(stream.fileno())

    def watch() -> None:
        os.read(int(watched), 1)
        kill_children()

    threading.Thread(target=watch, daemon=True).start()
    code = process.wait()
    kill_children()
    return code if code >= 0 else _SIGNALS - code


if __name__ == "__main__":
    exit_code = main(sys.argv[1:])
    # No flush of the closed standard output.
    os._exit(exit_code)
