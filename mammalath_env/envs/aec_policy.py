"""Let agents play through the AEC loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from mammalath_env.agents import TextAgent, chosen_action, make_agent
from mammalath_env.agents.agent import is_agent

Spec: TypeAlias = str | Callable[..., Any]
"""What `make_agent` takes."""


class AECPolicy:
    """An agent in any AEC loop over one of our environments, wrapped or not.

    Call it when its seat is to act, and give the result to ``env.step``.

    Attributes:
        agent: The agent that chooses.
    """

    def __init__(self, agent: TextAgent | Spec, seed: int | None = None) -> None:
        """Take the agent, or make it.

        Args:
            agent: An agent, or whatever `make_agent` takes: a text such as ``"greedy"``, a class, a
                factory or a function of a position.
            seed: For an agent that is made, as `make_agent` takes it.

        Raises:
            ValueError: There is no such agent or option.
            TypeError: It is nothing of the kind.
        """
        self.agent: TextAgent = agent if is_agent(agent) else make_agent(cast(Spec, agent), seed)

    def __call__(self, env: Any) -> int | None:
        """Return the action of the agent in ``env.agent_selection``; None after the end.

        Args:
            env: A `BoardGameEnv`, or wrappers around one.
        """
        selected = env.agent_selection
        if env.terminations[selected] or env.truncations[selected]:
            return None
        return chosen_action(self.agent, env.unwrapped.position)
