"""Let agents play through the AEC loop."""

from __future__ import annotations

from typing import Any

from mammalath_env.agents import TextAgent, chosen_action


class AECPolicy:
    """An agent in any AEC loop over one of our environments, wrapped or not.

    Call it when its seat is to act, and give the result to ``env.step``.

    Attributes:
        agent: The agent that chooses.
    """

    def __init__(self, agent: TextAgent) -> None:
        """Take the agent."""
        self.agent = agent

    def __call__(self, env: Any) -> int | None:
        """Return the action of the agent in ``env.agent_selection``; None after the end.

        Args:
            env: A `BoardGameEnv`, or wrappers around one.
        """
        selected = env.agent_selection
        if env.terminations[selected] or env.truncations[selected]:
            return None
        return chosen_action(self.agent, env.unwrapped.position)
