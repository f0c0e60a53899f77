"""TorchRL: its check of specs, and masked self-play in the PettingZoo environment."""

from __future__ import annotations

import pytest

from mammalath_env import GAMES
from mammalath_env.core.game import Game
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.integrations.evaluation import Evaluation
from tests.integrations.examples import (
    OPPONENT,
    any_changed,
    example,
    parameters,
    run_example,
    steps_of_progress,
)
from tests.integrations.required import library

library("torchrl")

import torch  # noqa: E402
from torchrl.envs import PettingZooWrapper  # noqa: E402
from torchrl.envs.utils import check_env_specs  # noqa: E402

pytestmark = [
    # TorchRL warns that it was tested with PettingZoo 1.24.3.
    pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested"),
    # Importing its collectors warns of a class of its own.
    pytest.mark.filterwarnings("ignore:Creating .* WeightUpdaterBase:DeprecationWarning"),
]


def test_environments_pass_the_check_of_specs(game: Game) -> None:
    """TorchRL's own check passes."""
    check_env_specs(PettingZooWrapper(BoardGameEnv(game), use_mask=True), seed=3)


def test_one_agent_acts_in_each_step() -> None:
    """In a rollout of random legal actions; all moves of both agents have the game's return."""
    module = example("torchrl_selfplay.py")
    env = module.make_env("mammalath")
    data = env.rollout(200, break_when_any_done=True)
    acting = torch.stack([data[seat, "mask"].flatten() for seat in ("player_0", "player_1")])
    assert (acting.sum(0) == 1).all()
    rewards = [data["next", seat, "reward"].flatten() for seat in ("player_0", "player_1")]
    assert (rewards[0] + rewards[1] == 0).all()
    assert sorted(float(reward.sum()) for reward in rewards) == [-1, 1]
    assert data["next", "done"][-1].item()
    for seat, reward in zip(("player_0", "player_1"), rewards, strict=True):
        data.set((seat, "sample_log_prob"), torch.zeros(len(data), 1))
        moves = module.moves_of(data, seat)
        assert len(moves) == int(data[seat, "mask"].sum())
        assert (moves["value_target"] == reward.sum()).all()


@pytest.mark.parametrize("name", GAMES)
def test_the_torchrl_example_trains(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """PPO changes the parameters that both seats share; an illegal action would raise."""
    module = example("torchrl_selfplay.py")
    net = module.make_net(name, seed=1)
    before = parameters(net)
    evaluation = Evaluation(name, lambda position: module.best_action(net, position))
    used = module.train(net, name, steps=800, batch=400, seed=1, evaluation=evaluation)
    assert any_changed(before, net)
    assert 200 < used <= 800
    evaluation.finish(3)
    assert steps_of_progress(capsys.readouterr().out, "random", 3) == [400, 800]


def test_the_torchrl_script_repeats_with_its_seed() -> None:
    """It reports on the opponent that it is given."""
    small = ("--game", "mancala", "--steps", "600", "--batch", "300", "--games", "4")
    printed = run_example("torchrl_selfplay.py", *small, "--opponent", OPPONENT)
    assert steps_of_progress(printed, OPPONENT, 4) == [300, 600]
    assert printed == run_example("torchrl_selfplay.py", *small, "--opponent", OPPONENT)
