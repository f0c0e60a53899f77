"""Agents that commands are given by name, and where custom ones are found."""

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
from mammalath_env.cli.terminal import helpful_errors, mistake

if TYPE_CHECKING:
    from mammalath_env.core.game import Game

AGENT_HELP = f"{', '.join(AGENTS)}, or module:class; options as in mcts:simulations=2000"


@dataclasses.dataclass(frozen=True)
class NamedAgent:
    """Makes the agent that a text names; contests call it in this process and in others.

    Attributes:
        name: The text.
        folder: Where the module of a custom agent is looked for if it is nowhere else.
    """

    name: str
    folder: str = dataclasses.field(default_factory=os.getcwd)

    def __call__(self, seed: int | None) -> Agent:
        """Return a new agent.

        Raises:
            Exception: As `make_agent`, or what the module of a custom agent raises.
        """
        self.load()
        return make_agent(self.name, seed)

    def load(self) -> None:
        """Load the module of a custom agent, and check the text.

        Raises:
            Exception: As `parse_agent`, or what the module raises.
        """
        custom = self.name.partition(":")[0] not in AGENTS
        with _also_importing_from(self.folder) if custom else contextlib.nullcontext():
            parse_agent(self.name)


@contextlib.contextmanager
def _also_importing_from(folder: str) -> Iterator[None]:
    """Let Python import from `folder` what it finds nowhere else."""
    # Libraries that these load look for others, which must not be found in the folder.
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


def build_agent(name: str, seed: int | None, game: Game | None = None) -> Agent:
    """Return the agent of this name, or show why there is none or why it cannot play the game."""
    named = NamedAgent(name)
    try:
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


def complete_agent(incomplete: str) -> list[str]:
    """Return the agents of the package whose names begin as what was typed."""
    return [name for name in AGENTS if name.startswith(incomplete)]


AgentArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        help=f"An agent: {AGENT_HELP}.", callback=check_agent, autocompletion=complete_agent
    ),
]
