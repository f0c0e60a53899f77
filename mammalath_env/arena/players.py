"""The agents of a game in a contest: in this process or in one of their own."""

from __future__ import annotations

import copy

from mammalath_env import agents
from mammalath_env.agents import FunctionAgent, TextAgent
from mammalath_env.agents.loading import load_compiled_code
from mammalath_env.agents.registry import is_in_module
from mammalath_env.arena.faults import Fault, attempt, is_of_package, try_to_build
from mammalath_env.arena.guests import GuestAgent
from mammalath_env.arena.records import AGENT_FAILED
from mammalath_env.arena.specs import AgentSpec
from mammalath_env.core.game import Game


def build_player(spec: AgentSpec, seed: int, game: Game) -> TextAgent | Fault:
    """Return the agent that `spec` describes, or a fault if it cannot be made.

    One named ``module:class`` has a process of its own, where it can crash or hang, and so has a
    factory with a true attribute ``in_own_process``. All others run in this process.

    Raises:
        KeyboardInterrupt, MemoryError, OSError, PackageFaultError: As for `ask`.
    """
    if _has_own_process(spec, game):
        return attempt(AGENT_FAILED, lambda: GuestAgent(spec, seed), of=spec)
    return try_to_build(spec, seed)


def _has_own_process(spec: AgentSpec, game: Game) -> bool:
    # Another process cannot find what is defined in this one's script or notebook.
    if type(game).__module__ == "__main__" or is_of_package(spec):
        return False
    if isinstance(spec, str):
        return is_in_module(spec) and not spec.startswith("__main__:")
    return bool(getattr(spec, "in_own_process", False))


def warm_up(agent: TextAgent, game: Game) -> None:
    """Load the compiled code that moves need, before time counts.

    That is the rules, and what classes of the package compile, of which `agent` may be a subclass:
    a copy of it chooses some moves, and what it does wrong is found in the game. An agent in a
    process of its own does this there, and engines get ready by themselves.
    """
    if isinstance(agent, GuestAgent):
        agent.warm_up(game)
        return
    start = game.deal(0)
    start.play(start.legal_actions()[0])
    if _is_from_package(agent):
        load_compiled_code(copy.deepcopy(agent), game)


def _is_from_package(agent: TextAgent) -> bool:
    # A function is not copied, and may remember that it was called.
    return not isinstance(agent, FunctionAgent) and any(
        each.__module__.startswith(f"{agents.__name__}.") for each in type(agent).__mro__
    )
