"""Commands about engines that speak UGI: ``engine`` and ``engine-check``."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import os
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator
from typing import Annotated

import typer

from mammalath_env.cli.agents import AgentArgument, build_agent, prints_to_stderr
from mammalath_env.cli.options import GameOption, GameOptions, JsonOption, build_game
from mammalath_env.cli.terminal import busy, helpful_errors, print_json, say
from mammalath_env.core.texts import printable_lines


def engine(
    agent: AgentArgument, game: GameOption = "mammalath", option: GameOptions = None
) -> None:
    """Serve an agent over standard input and output, by the protocol UGI (docs/engines.md)."""
    from mammalath_env.arena.faults import describe_error
    from mammalath_env.ugi.server import Server

    played = build_game(game, option)
    build_agent(agent, 0, played)
    # A client that does not listen any more is as good as quit.
    with contextlib.suppress(BrokenPipeError), _protocol_output() as send, prints_to_stderr():
        try:
            Server(played, agent, send).run(_lines_of_input())
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # it may be anyone's code
            send(f"info string error {describe_error(error)}")
            traceback.print_exception(error)
            raise typer.Exit(1) from None
        finally:
            # The last collection of garbage, of all that the compiler has loaded, would take longer
            # than an engine has to end.
            gc.freeze()


def engine_check(
    command: Annotated[
        str, typer.Argument(help="Command line of the engine, quoted, such as './my_engine -q'.")
    ],
    game: GameOption = "mammalath",
    option: GameOptions = None,
    margin: Annotated[
        float, typer.Option(min=0.0, help="Seconds by which the engine may be late.")
    ] = 0.5,
    as_json: JsonOption = False,
) -> None:
    """Check whether an engine speaks UGI and plays by the rules; exit code 1 if it does not."""
    from mammalath_env.ugi.client import split_command
    from mammalath_env.ugi.conformance import CHECKS, check_engine

    played = build_game(game, option)
    with helpful_errors():
        results = check_engine(split_command(command), played, margin)
    found = []
    for number in range(1, len(CHECKS) + 1):
        with helpful_errors(), busy(f"Checking the engine ({number} of {len(CHECKS)})"):
            result = next(results, None)
        if result is None:
            break
        found.append(result)
        if not as_json:
            say(f"{'wrong' if result.fault else 'ok':5} {result.check}")
            if result.fault:
                say(printable_lines(textwrap.indent(result.fault, " " * 6)))
    if as_json:
        print_json([dataclasses.asdict(result) for result in found])
    if any(result.fault for result in found):
        raise typer.Exit(1)


@contextlib.contextmanager
def _protocol_output() -> Iterator[Callable[[str], None]]:
    """Return what sends a line to standard output, even while agents print to standard error."""
    number = os.dup(sys.stdout.fileno())
    with open(number, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as output:
        yield lambda line: print(line, file=output, flush=True)


def _lines_of_input() -> Iterator[str]:
    """Yield the lines of standard input, each as soon as it is there.

    A thread that waits in `sys.stdin` would hold its lock at the end of the process.
    """
    number = sys.stdin.fileno()
    rest = b""
    while read := os.read(number, 1 << 16):
        *lines, rest = (rest + read).split(b"\n")
        for line in lines:
            yield line.decode("utf-8", "replace")
    if rest:
        yield rest.decode("utf-8", "replace")
