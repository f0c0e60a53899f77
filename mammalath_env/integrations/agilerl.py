"""AgileRL: an IPPO that reads the masks of both players.

Needs the extra ``agilerl``. One seat against an opponent needs nothing from here: AgileRL's DQN
and PPO read ``info["action_mask"]`` of Gymnasium's vector environments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core.extras import from_extra

with from_extra("agilerl", "agilerl", "peft", "torch"):
    import torch
    from agilerl.algorithms import IPPO


class MaskedIPPO(IPPO):
    """IPPO that takes masks as arrays, one row for each environment, as of `MaskInInfoEnv`.

    The IPPO of AgileRL 2.58 fails on them. Both agents share one network, because AgileRL groups
    agents by their names without the number. The mask limits which actions are sampled; AgileRL's
    update of IPPO ignores it.
    """

    def extract_action_masks(
        self, infos: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, torch.Tensor]:
        """Return the masks of each group of agents, bool[agents * environments, num_actions].

        Args:
            infos: Per agent, ``action_mask``, int8[environments, num_actions] or int8[num_actions].
        """
        masks: dict[str, list[NDArray[np.bool_]]] = {group: [] for group in self.observation_space}
        for agent in self.agent_ids:
            group = self.get_group_id(agent) if self.has_grouped_agents() else agent
            masks[group].append(np.atleast_2d(infos[agent]["action_mask"]) != 0)
        return {
            group: torch.from_numpy(np.concatenate(rows)).to(self.device)
            for group, rows in masks.items()
        }
