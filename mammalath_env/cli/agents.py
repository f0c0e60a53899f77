"""Agents by name, and where the modules of custom agents are found."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias

import typer

from mammalath_env.agents import AGENTS, Agent, make_agent, parse_agent, require_plays
from mammalath_env.agents.registry import is_in_module
from mammalath_env.cli.messages import as_typed
from mammalath_env.cli.options import complete
from mammalath_env.cli.terminal import mistake
from mammalath_env.core.texts import printable_lines

if TYPE_CHECKING:
    from mammalath_env.core.game import Game

AGENT_HELP = (
    f"{', '.join(AGENTS)}, module:name, or engine:COMMAND LINE; options as in mcts:simulations=2000"
)


@dataclasses.dataclass(frozen=True)
class NamedAgent:
    """Makes the agent of a text such as ``mcts:simulations=50``, in any process of a contest.

    Attributes:
        name: The text.
        folder: Searched for the module of a custom agent, after Python's own path.
    """

    name: str
    folder: str = dataclasses.field(default_factory=os.getcwd)
    in_own_process: ClassVar[bool] = True
    """In a contest such an agent has a process of its own."""

    def __call__(self, seed: int | None) -> Agent:
        """Return a new agent.

        Raises:
            Exception: As `make_agent`, or any error of the module of a custom agent.
        """
        self.load()
        return make_agent(self.name, seed)

    def load(self) -> None:
        """Load the module of a custom agent, and check the text.

        Raises:
            Exception: As `parse_agent`, or any error of the module.
        """
        custom = is_in_module(self.name)
        with _also_importing_from(self.folder) if custom else contextlib.nullcontext():
            parse_agent(self.name)


@contextlib.contextmanager
def _also_importing_from(folder: str) -> Iterator[None]:
    """Let Python search `folder` last for modules."""
    # Libraries loaded by this one look for optional libraries, which must not be found there.
    importlib.import_module("mammalath_env.core.position")
    if folder in sys.path:
        yield
        return
    sys.path.append(folder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the module may have changed the path
            sys.path.remove(folder)


@contextlib.contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Send what agents print to standard error: standard output is for the result.

    Processes that are started meanwhile print there, too.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, ValueError):  # in a test it may be no file
            number, errors = sys.stdout.fileno(), sys.stderr.fileno()
            sys.stdout.flush()
            kept = os.dup(number)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
            os.dup2(errors, number)
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        yield


def build_agent(name: str, seed: int | None, game: Game | None = None) -> Agent:
    """Return the agent of this name, checked to play `game`; any error is a `mistake`."""
    named = NamedAgent(name)
    check_agent(name)
    with _errors_of(name), prints_to_stderr():
        agent = named(seed)
        if game is not None:
            require_plays(agent, game)
    return agent


def check_agent(name: str) -> str:
    """Return `name` if there is an agent of this name; it is not made."""
    with _errors_of(name, by_type=False), prints_to_stderr():
        NamedAgent(name).load()
    return name


@contextlib.contextmanager
def _errors_of(name: str, *, by_type: bool = True) -> Iterator[None]:
    """Turn errors of an agent, or of its name, into a `mistake`, after a traceback of its code.

    Messages of the package about the name say what is wrong without the type of the error.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # it may be anyone's code
        from mammalath_env.arena.faults import describe_error, is_in_agent, traceback_of

        ours = name.partition(":")[0] in AGENTS or not is_in_agent(error)
        # What an engine has written, or where the agent's code failed.
        trace = getattr(error, "errors", None) if ours else traceback_of(error)
        if isinstance(trace, str) and trace:
            typer.echo(printable_lines(trace), err=True)
        if ours and not by_type and isinstance(error, (ValueError, TypeError, ImportError)):
            message = as_typed(str(error))
            raise mistake(
                message
                if name in message or repr(name)[1:-1] in message
                else f"agent {name!r}: {message}"
            ) from error
        raise mistake(f"agent {name!r}: {describe_error(error)}") from error


AgentArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        help=f"An agent: {AGENT_HELP}.", callback=check_agent, autocompletion=complete(AGENTS)
    ),
]
