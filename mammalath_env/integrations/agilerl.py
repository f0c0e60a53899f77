"""AgileRL: an IPPO that applies the masks of both players when it acts and when it learns.

Needs the extra ``agilerl``. One seat against an opponent needs nothing from here: AgileRL's DQN
and PPO read ``info["action_mask"]`` of Gymnasium's vector environments.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core.extras import from_extra

with from_extra("agilerl", "agilerl", "peft", "torch"):
    import torch
    from agilerl.algorithms import IPPO


class MaskedIPPO(IPPO):
    """IPPO that reads masks from observations that end with them.

    That is how ``MaskInInfoEnv(with_mask=True)`` shows them. Masks in infos are ignored: the IPPO
    of AgileRL 2.58 fails on those that are arrays, and its update does not have them, so that the
    probability ratios would compare a policy without masks to one with masks. Both agents share one
    network, because AgileRL groups agents by their names without the number.
    """

    def extract_action_masks(self, infos: Mapping[str, Mapping[str, Any]]) -> dict[str, None]:
        """Return no masks, for each group of agents."""
        return dict.fromkeys(self.observation_space)

    def get_action(self, *args: Any, **kwargs: Any) -> Any:
        """Sample actions as `IPPO.get_action` does, legal ones only."""
        with self._masked_actors():
            return super().get_action(*args, **kwargs)

    def learn(self, experiences: Any) -> dict[str, float]:
        """Update the networks as `IPPO.learn` does, with the masks that the actions came from."""
        with self._masked_actors():
            losses: dict[str, float] = super().learn(experiences)
        return losses

    def log_probs(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the logarithm of the probability of each action, float32[num_actions].

        Args:
            observation: Of one agent, float32[length]; the agents share their network.
        """
        (actor,) = self.actors.values()
        # An actor keeps the distributions of its last batch, and asks each for one action.
        actions = torch.arange(int(actor.action_space.n), device=self.device)
        rows = torch.as_tensor(observation, device=self.device).expand(len(actions), -1)
        with torch.no_grad(), self._masked_actors():
            actor(rows)
            log_probs: NDArray[np.float32] = actor.action_log_prob(actions).cpu().numpy()
        return log_probs

    @contextlib.contextmanager
    def _masked_actors(self) -> Iterator[None]:
        """Let actors read masks meanwhile; they call their ``forward`` without PyTorch's hooks."""
        for actor in self.actors.values():
            actor.forward = functools.partial(_masked_forward, actor)
        try:
            yield
        finally:
            for actor in self.actors.values():
                del actor.forward


def _masked_forward(actor: Any, observations: Any, action_mask: None = None) -> Any:
    """Call an actor with the masks at the end of its observations."""
    mask = observations[..., -int(actor.action_space.n) :] > 0
    return type(actor).forward(actor, observations, action_mask=mask)
