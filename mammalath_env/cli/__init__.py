"""The command ``mammalath``.

Importing this loads next to nothing: the commands are loaded where Ctrl-C is handled.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mammalath_env.cli.commands import app as app

_INTERRUPTED = 130
_TERMINATED = 143


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mammalath_env.cli.commands import app

    return app


def main() -> None:
    """Run the command line.

    A request to terminate ends it as Ctrl-C does, worker processes too, but with exit code 143.
    """
    terminated = threading.Event()

    def terminate(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once
        terminated.set()
        raise KeyboardInterrupt

    # A background job may be told to ignore it, and only the main thread may handle it.
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, terminate)
    try:
        _run()
    except KeyboardInterrupt:
        code: Any = _INTERRUPTED
    except SystemExit as stop:
        code = stop.code
    else:
        return
    sys.exit(_TERMINATED if terminated.is_set() and code == _INTERRUPTED else code)


def _run() -> None:
    # Otherwise worker processes import from the current folder first.
    os.environ.setdefault("PYTHONSAFEPATH", "1")

    from mammalath_env.cli.commands import app
    from mammalath_env.cli.terminal import never_fail_to_encode, show_compiling

    never_fail_to_encode()
    show_compiling()
    try:
        app()
    except Exception as error:
        # Only now, as they are slow to load.
        import traceback

        from mammalath_env.arena.faults import PackageFaultError, describe_stop, is_machine_fault
        from mammalath_env.core.texts import printable_lines

        if isinstance(error, PackageFaultError):
            traceback.print_exc()
        elif not is_machine_fault(error):
            raise
        print(printable_lines(describe_stop(error)), file=sys.stderr)
        sys.exit(1)
