"""Train XuanCe's IPPO in self-play, with one network for both seats.

    pip install -e ".[xuance]"
    python examples/xuance_ippo.py

The defaults are a short run, to see that it works: 10 iterations of 1,000 environment steps.
"""

from __future__ import annotations

import argparse
import tempfile

from mammalath_env import GAMES
from mammalath_env.core.extras import from_extra
from mammalath_env.integrations.xuance import ippo_config

with from_extra("xuance", "xuance"):
    from xuance.environment import make_envs
    from xuance.torch.agents import IPPO_Agents

parser = argparse.ArgumentParser(
    description=(__doc__ or "").splitlines()[0],
    formatter_class=argparse.ArgumentDefaultsHelpFormatter,
)
parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
parser.add_argument("--iterations", type=int, default=10, help="iterations of training")
parser.add_argument(
    "--batch", type=int, default=1000, help="environment steps per iteration, a multiple of 4"
)
parser.add_argument("--seed", type=int, default=7, help="seed of everything random")
parser.add_argument("--output", help="folder for logs and models; by default a temporary one")
arguments = parser.parse_args()

PARALLELS = 4
if arguments.batch < 1 or arguments.batch % PARALLELS:
    parser.error(f"--batch must be a multiple of {PARALLELS}, not {arguments.batch}")
config = ippo_config(
    arguments.game,
    arguments.output or tempfile.mkdtemp(),
    # An illegal action would raise.
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
