"""Agents by name, and where the modules of custom agents are found."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from mammalath_env.agents import AGENTS, Agent, make_agent, parse_agent, require_plays
from mammalath_env.cli.options import complete
from mammalath_env.cli.terminal import helpful_errors, mistake

if TYPE_CHECKING:
    from mammalath_env.core.game import Game

AGENT_HELP = f"{', '.join(AGENTS)}, or module:name; options as in mcts:simulations=2000"


@dataclasses.dataclass(frozen=True)
class NamedAgent:
    """Makes the agent of a text such as ``mcts:simulations=50``, in any process of a contest.

    Attributes:
        name: The text.
        folder: Searched for the module of a custom agent, after Python's own path.
    """

    name: str
    folder: str = dataclasses.field(default_factory=os.getcwd)

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
        custom = self.name.partition(":")[0] not in AGENTS
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
    try:
        with prints_to_stderr():
            with helpful_errors():
                named.load()
            agent = named(seed)
        if game is not None:
            require_plays(agent, game)
    except (typer.BadParameter, KeyboardInterrupt):
        raise
    except BaseException as error:  # it may be anyone's code
        from mammalath_env.arena.faults import describe_error

        raise mistake(f"agent {name!r}: {describe_error(error)}") from error
    return agent


def check_agent(name: str) -> str:
    """Return `name` if an agent of this name can be made."""
    build_agent(name, 0)
    return name


AgentArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        help=f"An agent: {AGENT_HELP}.", callback=check_agent, autocompletion=complete(AGENTS)
    ),
]
