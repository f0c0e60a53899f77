"""Train PPO of TorchRL in self-play, with one network for both seats.

    pip install -e ".[torchrl]"
    python examples/torchrl_selfplay.py

TorchRL's advantage estimators take each environment step for a step of the agent, but here an agent
acts in every second one. So the example computes the returns itself.
"""

from __future__ import annotations

import argparse
import math
import warnings
from typing import Any

from mammalath_env import GAMES, make_game
from mammalath_env.core.extras import from_extra
from mammalath_env.core.position import Position
from mammalath_env.envs.aec import AGENTS, BoardGameEnv
from mammalath_env.integrations.evaluation import Evaluation

with from_extra("torchrl", "torch", "tensordict", "torchrl"):
    import torch
    from tensordict import TensorDict
    from tensordict.nn import TensorDictModule, TensorDictSequential
    from torch import nn
    from torchrl.collectors import Collector
    from torchrl.envs import PettingZooWrapper
    from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
    from torchrl.objectives import ClipPPOLoss


class PlanesNet(nn.Module):
    """A network over the planes of an observation."""

    def __init__(self, shape: tuple[int, ...], outputs: int) -> None:
        """Build two hidden layers."""
        super().__init__()
        self.num_axes = len(shape)
        self.layers = nn.Sequential(
            nn.Linear(math.prod(shape), 128),
            nn.ReLU(),
            nn.Linear(128, 128),
            nn.ReLU(),
            nn.Linear(128, outputs),
        )

    def forward(self, planes: torch.Tensor) -> Any:
        """Return the outputs for planes with any batch axes."""
        return self.layers(planes.float().flatten(-self.num_axes))


def make_env(game: str, illegal_action: str = "raise") -> PettingZooWrapper:
    """Return the environment; with ``"raise"``, an illegal action of the mover raises."""
    with warnings.catch_warnings():
        # TorchRL warns that it was tested with an older PettingZoo.
        warnings.filterwarnings("ignore", message="PettingZoo in TorchRL is tested")
        return PettingZooWrapper(BoardGameEnv(game, illegal_action=illegal_action), use_mask=True)


def make_actor(net: nn.Module, seat: str | None = None) -> ProbabilisticActor:
    """Return the policy that reads and writes the keys of one agent, or of a batch of moves."""

    def key(name: str) -> Any:
        return (seat, name) if seat else name

    planes = (seat, "observation", "observation") if seat else "observation"
    return ProbabilisticActor(
        TensorDictModule(net, in_keys=[planes], out_keys=[key("logits")]),
        in_keys={"logits": key("logits"), "mask": key("action_mask")},
        out_keys=[key("action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=key("sample_log_prob"),
    )


def moves_of(data: TensorDict, seat: str) -> TensorDict:
    """Return the moves of one agent, with the undiscounted returns as value targets.

    The reward of a step counts for all earlier moves of the game, whoever made them, so that the
    loser's moves see its -1.
    """
    rewards = data["next", seat, "reward"].flatten()
    ends = data["next", "done"].flatten()
    returns = torch.zeros_like(rewards)
    following = torch.zeros(())
    for step in reversed(range(len(rewards))):
        following = rewards[step] + (0.0 if ends[step] else following)
        returns[step] = following
    # Moves of the last, unfinished game of a batch have no known return.
    complete = torch.flip(torch.cummax(torch.flip(ends.int(), [0]), 0).values, [0]).bool()
    chosen = complete & data[seat, "mask"].flatten()
    # The second axis is for the agents of a group; each group has one agent.
    mine = data[seat].squeeze(1)[chosen]
    return TensorDict(
        {
            "observation": mine["observation", "observation"],
            **{key: mine[key] for key in ("action_mask", "action", "sample_log_prob")},
            "value_target": returns[chosen].unsqueeze(-1),
        },
        batch_size=mine.batch_size,
    )


def make_net(game: str, seed: int) -> nn.Module:
    """Return the policy network of both seats."""
    torch.manual_seed(seed)
    rules = make_game(game)
    return PlanesNet(rules.observation_shape, rules.num_actions)


def best_action(net: nn.Module, position: Position) -> int:
    """Return the most probable action of the player to move."""
    illegal = torch.from_numpy(position.action_mask() == 0)
    with torch.no_grad():
        logits = net(torch.from_numpy(position.observation(position.to_move)))
    return int(logits.masked_fill(illegal, -math.inf).argmax())


def train(
    net: nn.Module, game: str, steps: int, batch: int, seed: int, evaluation: Evaluation
) -> int:
    """Train for about `steps` steps, print ten lines of progress, and return how many moves taught.

    Those of games that had not ended with their batch did not.
    """
    env = make_env(game)
    env.set_seed(seed)
    shape = make_game(game).observation_shape
    value = ValueOperator(PlanesNet(shape, 1), in_keys=["observation"])
    loss_of = ClipPPOLoss(make_actor(net), value, entropy_coeff=0.01)
    optimizer = torch.optim.Adam(loss_of.parameters(), lr=1e-3)
    policy = TensorDictSequential(*(make_actor(net, seat) for seat in AGENTS))
    collector = Collector(
        env,
        policy,
        frames_per_batch=batch,
        total_frames=steps,
        auto_register_policy_transforms=False,
    )
    used = 0
    interval = max(1, math.ceil(steps / batch) // 10)
    for number, data in enumerate(collector, 1):
        moves = torch.cat([moves_of(data, seat) for seat in AGENTS])
        if len(moves) > 0:
            with torch.no_grad():
                moves["advantage"] = moves["value_target"] - value(moves)["state_value"]
            used += len(moves)
            update(loss_of, optimizer, moves)
        if number % interval == 0:
            evaluation.progress(number * batch)
    collector.shutdown()
    return used


def update(loss_of: nn.Module, optimizer: torch.optim.Optimizer, moves: TensorDict) -> None:
    """Learn from a batch of moves with advantages, four times."""
    for _ in range(4):
        for minibatch in moves[torch.randperm(len(moves))].split(256):
            losses = loss_of(minibatch)
            loss = sum(value for key, value in losses.items() if key.startswith("loss_"))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def main(arguments: argparse.Namespace) -> None:
    """Train, and play a match."""
    torch.set_num_threads(1)
    game, seed = arguments.game, arguments.seed
    net = make_net(game, seed)

    def policy(position: Position) -> int:
        return best_action(net, position)

    evaluation = Evaluation(game, policy, arguments.opponent, seed=seed)
    used = train(net, game, arguments.steps, arguments.batch, seed, evaluation)
    print(f"trained on {used} moves")
    evaluation.finish(arguments.games)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--game", choices=list(GAMES), default="mammalath", help="game to play")
    parser.add_argument("--steps", type=int, default=50_000, help="environment steps to train for")
    parser.add_argument("--batch", type=int, default=1000, help="environment steps between updates")
    parser.add_argument("--opponent", default="random", help="agent to play the match against")
    parser.add_argument("--games", type=int, default=100, help="games of the match, in each seat")
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random")
    main(parser.parse_args())
