"""The agents of a game in a contest: in this process or in one of their own."""

from __future__ import annotations

import functools

from mammalath_env.agents import TextAgent
from mammalath_env.agents.agent import act_within
from mammalath_env.agents.limits import Limits
from mammalath_env.agents.registry import is_in_module
from mammalath_env.arena.faults import Fault, attempt, is_of_package, try_to_build
from mammalath_env.arena.guests import GuestAgent
from mammalath_env.arena.records import AGENT_FAILED
from mammalath_env.arena.specs import AgentSpec
from mammalath_env.core.game import Game

# Enough to compile a search, or to load it from the disk.
_WARM_UP = Limits(seconds=0.01)


def build_player(spec: AgentSpec, seed: int, game: Game) -> TextAgent | Fault:
    """Return the agent that `spec` describes, or a fault if it cannot be made.

    One named ``module:class`` has a process of its own, where it can crash or hang, and so has a
    factory with a true attribute ``in_own_process``. All others run in this process.

    Raises:
        KeyboardInterrupt, MemoryError, OSError, PackageFaultError: As for `ask`.
    """
    if _has_own_process(spec, game):
        return attempt(AGENT_FAILED, lambda: GuestAgent(spec, seed, game), of=spec)
    return try_to_build(spec, seed)


def _has_own_process(spec: AgentSpec, game: Game) -> bool:
    # Another process cannot find what is defined in this one's script or notebook.
    if type(game).__module__ == "__main__" or is_of_package(spec):
        return False
    if isinstance(spec, str):
        return is_in_module(spec) and not spec.startswith("__main__:")
    return bool(getattr(spec, "in_own_process", False))


@functools.lru_cache
def warm_up(spec: AgentSpec, game: Game) -> None:
    """Let an agent of the package choose a move, so that it is compiled before time counts.

    This is done once in every process. Engines and agents in processes of their own get ready by
    themselves.
    """
    if is_of_package(spec):
        agent = try_to_build(spec, 0)
        if not isinstance(agent, Fault):
            act_within(agent, game.deal(0), _WARM_UP)
