"""Train both seats by BenchMARL's IPPO, with one network for both."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarl.algorithms import IppoConfig
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig

from mammalath_env import GAMES
from mammalath_env.integrations.benchmarl import BoardGameTask

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--game", choices=list(GAMES), default="mammalath")
parser.add_argument("--iterations", type=int, default=10)
parser.add_argument("--batch", type=int, default=1000, help="steps in an iteration")
parser.add_argument("--seed", type=int, default=7)
parser.add_argument(
    "--folder", type=Path, help="for logs and checkpoints; a temporary one if left out"
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
folder = arguments.folder or Path(tempfile.mkdtemp())
folder.mkdir(parents=True, exist_ok=True)
config.save_folder = str(folder)

experiment = Experiment(
    # An illegal action would stop the run.
    task=BoardGameTask(arguments.game, illegal_action="raise"),
    algorithm_config=IppoConfig.get_from_yaml(),
    model_config=MlpConfig.get_from_yaml(),
    critic_model_config=MlpConfig.get_from_yaml(),
    seed=arguments.seed,
    config=config,
)
experiment.run()
print(f"{experiment.total_frames} steps without an illegal action")
