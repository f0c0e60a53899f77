"""Train MaskablePPO of sb3-contrib against an opponent, or by self-play.

Needs: pip install "mammalath_env[sb3]"
"""

from __future__ import annotations

import argparse
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from mammalath_env.integrations.sb3 import CheckpointPool, OpponentVecEnv


class PlanesExtractor(BaseFeaturesExtractor):
    """Convolutions over the planes of a board, planes first."""

    def __init__(self, space: Any, channels: int = 32, features: int = 256) -> None:
        """Build two layers of `channels` channels and a linear one."""
        super().__init__(space, features)
        planes, rows, cols = space.shape
        self.layers = nn.Sequential(
            nn.Conv2d(planes, channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(channels * rows * cols, features),
            nn.ReLU(),
        )

    def forward(self, observations: torch.Tensor) -> Any:
        """Return the features of a batch."""
        return self.layers(observations)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--game", default="mammalath")
parser.add_argument("--opponents", nargs="*", default=["random", "greedy", "greedy", "greedy"])
parser.add_argument("--pool", type=int, default=0)
parser.add_argument("--steps", type=int, default=3_000_000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--network", choices=["mlp", "conv"], default="mlp")
parser.add_argument("--width", type=int, default=256)
parser.add_argument("--channels", type=int, default=32)
parser.add_argument("--n-envs", type=int, default=256)
parser.add_argument("--n-steps", type=int, default=32)
parser.add_argument("--batch-size", type=int, default=2048)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--ent", type=float, default=0.01)
parser.add_argument("--gamma", type=float, default=1.0)
parser.add_argument("--lam", type=float, default=0.95)
arguments = parser.parse_args()
torch.set_num_threads(1)
import time

t0 = time.time()
pool = CheckpointPool(max(1, arguments.pool), seed=arguments.seed)
opponents = [*arguments.opponents, *(pool.opponents if arguments.pool else [])]
form = "planes" if arguments.network == "conv" else "flat"
env = OpponentVecEnv(arguments.game, arguments.n_envs, opponents, observation=form)
ev = OpponentVecEnv(arguments.game, 200, ["greedy"], observation=form)
kw = dict(activation_fn=nn.ReLU, net_arch=[arguments.width] * 2)
if form == "planes":
    kw = dict(
        activation_fn=nn.ReLU,
        net_arch=[],
        features_extractor_class=PlanesExtractor,
        features_extractor_kwargs=dict(channels=arguments.channels, features=arguments.width),
        normalize_images=False,
    )
model = MaskablePPO(
    "MlpPolicy",
    env,
    n_steps=arguments.n_steps,
    batch_size=arguments.batch_size,
    n_epochs=arguments.epochs,
    learning_rate=lambda left: arguments.lr * max(left, 0.05),
    gamma=arguments.gamma,
    gae_lambda=arguments.lam,
    ent_coef=arguments.ent,
    policy_kwargs=kw,
    seed=arguments.seed,
    device="cpu",
)


class P(BaseCallback):
    n = 0

    def _on_step(self):
        return True

    def _on_rollout_start(self):
        self.n += 1
        if self.n % 12 == 1:
            ev.seed(5)
            r, l = evaluate_policy(
                self.model, ev, 200, return_episode_rewards=True, deterministic=False
            )
            lg = self.logger.name_to_value
            print(
                f"{time.time() - t0:.0f}s {self.num_timesteps} win {sum(x > 0 for x in r) / len(r):.3f} len {sum(l) / len(l):.1f} ent {lg.get('train/entropy_loss', 0):.2f} kl {lg.get('train/approx_kl', 0):.4f} ev {lg.get('train/explained_variance', 0):.2f} cf {lg.get('train/clip_fraction', 0):.2f}",
                flush=True,
            )


model.learn(arguments.steps, callback=[P(), pool])
ev.seed(77)
for det in (False, True):
    r, l = evaluate_policy(model, ev, 1000, return_episode_rewards=True, deterministic=det)
    print(
        det,
        sum(x > 0 for x in r),
        sum(x == 0 for x in r),
        sum(x < 0 for x in r),
        env.illegal_actions,
        ev.illegal_actions,
        f"{time.time() - t0:.0f}s",
    )
