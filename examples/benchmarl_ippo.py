"""Train BenchMARL's IPPO in self-play, with one network for both seats.

    pip install -e ".[benchmarl]"
    python examples/benchmarl_ippo.py

The defaults are a short run, to see that it works: 10 iterations of 1,000 environment steps.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from mammalath_env import GAMES
from mammalath_env.core.extras import from_extra
from mammalath_env.core.position import Position
from mammalath_env.integrations.benchmarl import BoardGameTask
from mammalath_env.integrations.evaluation import Evaluation
from mammalath_env.integrations.mask_in_info import flat_observation, mask_of

with from_extra("benchmarl", "benchmarl", "torch", "tensordict", "torchrl"):
    import torch
    from benchmarl.algorithms import IppoConfig
    from benchmarl.experiment import Callback, Experiment, ExperimentConfig
    from benchmarl.models.mlp import MlpConfig
    from tensordict import TensorDict
    from torchrl.envs import ExplorationType, set_exploration_type


class Progress(Callback):
    """Prints a line of progress after each iteration."""

    evaluation: Evaluation

    def on_train_end(self, training_td: Any, group: str) -> None:
        """Play a short match; called by BenchMARL."""
        self.evaluation.progress(self.experiment.total_frames)


def best_action(position: Position) -> int:
    """Return the most probable action of the player to move."""
    # The policy acts for both agents at once.
    seen = np.stack([flat_observation(position, player) for player in (0, 1)])
    masks = np.stack([mask_of(position, player) for player in (0, 1)])
    group = {"observation": torch.from_numpy(seen), "action_mask": torch.from_numpy(masks)}
    with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
        chosen = experiment.policy(TensorDict({"player": group}))
    return int(chosen["player", "action"][position.to_move])


parser = argparse.ArgumentParser(
    description=(__doc__ or "").splitlines()[0],
    formatter_class=argparse.ArgumentDefaultsHelpFormatter,
)
parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
parser.add_argument("--iterations", type=int, default=10, help="iterations of training")
parser.add_argument("--batch", type=int, default=1000, help="environment steps per iteration")
parser.add_argument("--opponent", default="random", help="agent to play the match against")
parser.add_argument("--games", type=int, default=50, help="games of the match, in each seat")
parser.add_argument("--seed", type=int, default=7, help="seed of everything random")
parser.add_argument(
    "--output", type=Path, help="folder for logs and checkpoints; by default a temporary one"
)
arguments = parser.parse_args()

config = ExperimentConfig.get_from_yaml()
config.max_n_iters = arguments.iterations
config.max_n_frames = None
config.on_policy_collected_frames_per_batch = arguments.batch
config.on_policy_n_envs_per_worker = 2
config.on_policy_minibatch_size = min(arguments.batch, 250)
config.on_policy_n_minibatch_iters = 4
config.gamma = 1.0
config.lr = 3e-4
config.evaluation = False
config.render = False
config.loggers = []
config.create_json = False
folder = arguments.output or Path(tempfile.mkdtemp())
folder.mkdir(parents=True, exist_ok=True)
config.save_folder = str(folder)

progress = Progress()
experiment = Experiment(
    # An illegal action would raise.
    task=BoardGameTask(arguments.game, illegal_action="raise"),
    algorithm_config=IppoConfig.get_from_yaml(),
    model_config=MlpConfig.get_from_yaml(),
    critic_model_config=MlpConfig.get_from_yaml(),
    seed=arguments.seed,
    config=config,
    callbacks=[progress],
)
progress.evaluation = Evaluation(
    arguments.game, best_action, arguments.opponent, seed=arguments.seed
)
experiment.run()
progress.evaluation.finish(arguments.games)
