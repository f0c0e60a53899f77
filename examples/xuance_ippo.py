"""Train both seats by XuanCe's IPPO, with one network for both."""

from __future__ import annotations

import argparse
import tempfile

from xuance.environment import make_envs
from xuance.torch.agents import IPPO_Agents

from mammalath_env import GAMES
from mammalath_env.integrations.xuance import ippo_config

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--game", choices=list(GAMES), default="mammalath")
parser.add_argument("--iterations", type=int, default=10)
parser.add_argument(
    "--batch", type=int, default=1000, help="steps in an iteration, a multiple of 4"
)
parser.add_argument("--seed", type=int, default=7)
parser.add_argument("--folder", help="for logs and models; a temporary one if left out")
arguments = parser.parse_args()

PARALLELS = 4
if arguments.batch < 1 or arguments.batch % PARALLELS:
    parser.error(f"--batch must be a multiple of {PARALLELS}, not {arguments.batch}")
config = ippo_config(
    arguments.game,
    arguments.folder or tempfile.mkdtemp(),
    # An illegal action would stop the run.
    env_options={"illegal_action": "raise"},
    parallels=PARALLELS,
    buffer_size=arguments.batch,
    n_epochs=4,
    n_minibatch=4,
    learning_rate=3e-4,
    running_steps=arguments.iterations * arguments.batch,
    seed=arguments.seed,
    env_seed=arguments.seed,
)
envs = make_envs(config)
agent = IPPO_Agents(config, envs)
agent.train(config.running_steps // PARALLELS)
agent.save_model("final_model.pth")
agent.finish()
print(f"{config.running_steps} steps without an illegal action")
