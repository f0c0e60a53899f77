"""Train one policy in self-play with Ray RLlib's PPO, on one machine or on a cluster.

The same policy plays both seats. Afterwards it meets the random agent, each deal in both seats.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import ray

from mammalath_env import GAMES, make_game
from mammalath_env.arena import play_match
from mammalath_env.integrations.rllib import POLICY, RLModuleAgent, restore, self_play_config

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--game", choices=list(GAMES), default="mammalath")
parser.add_argument("--iterations", type=int, default=20, help="iterations that play a batch")
parser.add_argument("--batch", type=int, default=2000, help="actions played in an iteration")
parser.add_argument("--env-runners", type=int, default=0, help="actors that play; 0: none, here")
parser.add_argument("--seed", type=int, default=7)
parser.add_argument("--checkpoint", type=Path, help="folder for a folder of each iteration")
parser.add_argument("--restore", type=Path, help="folder of an iteration to go on from")
parser.add_argument("--address", default="local", help="of a cluster, such as auto; local: none")
parser.add_argument("--deals", type=int, default=20, help="of the match; 0: no match")
arguments = parser.parse_args()

MAX_IDLE = 600
"""Iterations in a row without an env runner, of a second or more, before the example gives up."""

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
        # Not a number while all env runners are being restarted; such iterations do not count.
        idle += 1
        if idle > MAX_IDLE:
            raise SystemExit("no env runner has come back")
        print(f"iteration {result['training_iteration']}: no env runner is there; waiting")
        time.sleep(1)
        continue
    batches, idle = batches + 1, 0
    # Numbers are missing where no game has ended.
    actions, plies, illegal = (
        played.get(name, math.nan)
        for name in ("num_env_steps_sampled_lifetime", "episode_len_mean", "illegal_actions")
    )
    print(
        f"iteration {result['training_iteration']}: {actions:.0f} actions so far, "
        f"{plies:.1f} plies a game, {illegal:.0f} illegal actions"
    )
    if arguments.checkpoint is not None:
        folder = arguments.checkpoint / f"{result['training_iteration']:05}"
        algorithm.save_to_path(str(folder.resolve()))

if arguments.deals:
    module = algorithm.get_module(POLICY)

    def trained(seed: int) -> RLModuleAgent:
        """Return the trained policy as an agent."""
        return RLModuleAgent(module, seed)

    game = make_game(arguments.game)
    match = play_match(game, trained, "random", arguments.deals, seed=arguments.seed)
    total = match.total
    print(f"against random: {total.wins} won, {total.draws} drawn, {total.losses} lost")
algorithm.stop()
ray.shutdown()
