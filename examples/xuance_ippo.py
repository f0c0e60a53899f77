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
from mammalath_env.core.position import Position
from mammalath_env.envs.aec import AGENTS
from mammalath_env.integrations.evaluation import Evaluation
from mammalath_env.integrations.mask_in_info import flat_observation, mask_of
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
parser.add_argument("--opponent", default="random", help="agent to play the match against")
parser.add_argument("--games", type=int, default=50, help="games of the match, in each seat")
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
learner = IPPO_Agents(config, envs)


def best_action(position: Position) -> int:
    """Return the most probable action of the player to move."""
    # The policy acts for both agents at once.
    seen = {agent: flat_observation(position, player) for player, agent in enumerate(AGENTS)}
    masks = {agent: mask_of(position, player) for player, agent in enumerate(AGENTS)}
    chosen = learner.get_actions([seen], None, [masks], test_mode=True, deterministic=True)
    return int(chosen["actions"][0][AGENTS[position.to_move]])


evaluation = Evaluation(arguments.game, best_action, arguments.opponent, seed=arguments.seed)
for _ in range(arguments.iterations):
    learner.train(arguments.batch // PARALLELS)
    evaluation.progress(learner.current_step)
evaluation.finish(arguments.games)
learner.save_model("final_model.pth")
learner.finish()
