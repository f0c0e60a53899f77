"""Train Ray RLlib's PPO in self-play, on one machine or on a cluster.

    pip install -e ".[rllib]"
    python examples/rllib_selfplay.py --game mancala --iterations 15 --output run1

The same policy plays both seats. Afterwards it plays a match, each deal from both seats.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

from mammalath_env import GAMES
from mammalath_env.core.extras import from_extra
from mammalath_env.core.position import Position
from mammalath_env.integrations.evaluation import Evaluation
from mammalath_env.integrations.rllib import POLICY, RLModuleAgent, restore, self_play_config

with from_extra("rllib", "ray"):
    import ray

parser = argparse.ArgumentParser(
    description=(__doc__ or "").splitlines()[0],
    formatter_class=argparse.ArgumentDefaultsHelpFormatter,
)
parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
parser.add_argument("--iterations", type=int, default=20, help="iterations of training")
parser.add_argument("--batch", type=int, default=2000, help="environment steps per iteration")
parser.add_argument(
    "--env-runners", type=int, default=0, help="remote env runners; 0 for a local one"
)
parser.add_argument("--seed", type=int, default=7, help="seed of everything random")
parser.add_argument("--output", type=Path, help="folder for a checkpoint of each iteration")
parser.add_argument("--restore", type=Path, help="checkpoint of an iteration to continue from")
parser.add_argument(
    "--address", default="local", help="address of a Ray cluster, such as auto; local for none"
)
parser.add_argument("--opponent", default="random", help="agent to play the match against")
parser.add_argument(
    "--games", type=int, default=20, help="games of the match, in each seat; 0 for no match"
)
arguments = parser.parse_args()


def best_action(position: Position) -> int:
    """Return the most probable action of the player to move."""
    return RLModuleAgent(algorithm.get_module(POLICY)).act(position)


evaluation = Evaluation(arguments.game, best_action, arguments.opponent, seed=arguments.seed)

MAX_IDLE = 600
"""Iterations in a row without an env runner, a second or more each, before the example fails."""

ray.init(address=arguments.address)
config = (
    self_play_config(arguments.game)
    .env_runners(num_env_runners=arguments.env_runners)
    .training(
        train_batch_size_per_learner=arguments.batch,
        minibatch_size=min(arguments.batch, 256),
        num_epochs=4,
        lr=3e-4,
        entropy_coeff=0.01,
    )
    .fault_tolerance(restart_failed_env_runners=True)
    .debugging(seed=arguments.seed)
)
algorithm = config.build_algo()
if arguments.restore is not None:
    restore(algorithm, arguments.restore)

batches = idle = 0
while batches < arguments.iterations:
    result = algorithm.train()
    played = result["env_runners"]
    if not played.get("num_env_steps_sampled", 0) > 0:
        # NaN while all env runners are being restarted; such iterations do not count.
        idle += 1
        if idle > MAX_IDLE:
            raise SystemExit("no env runner was restarted")
        print(f"iteration {result['training_iteration']}: waiting for env runners")
        time.sleep(1)
        continue
    batches, idle = batches + 1, 0
    # Missing as long as no game has ended.
    actions, plies, illegal = (
        played.get(name, math.nan)
        for name in ("num_env_steps_sampled_lifetime", "episode_len_mean", "illegal_actions")
    )
    print(
        f"iteration {result['training_iteration']}: {actions:.0f} actions so far, "
        f"{plies:.1f} plies a game, {illegal:.0f} illegal actions"
    )
    if arguments.output is not None:
        folder = arguments.output / f"{result['training_iteration']:05}"
        algorithm.save_to_path(str(folder.resolve()))

if arguments.games:
    evaluation.finish(arguments.games)
algorithm.stop()
ray.shutdown()
