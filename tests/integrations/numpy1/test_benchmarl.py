"""BenchMARL: the task, and IPPO for both seats with the mask and without."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game
from tests.integrations.examples import OPPONENT, run_example, steps_of_progress
from tests.integrations.required import library

pytestmark = [
    # BenchMARL uses what TorchRL and PyTorch have deprecated.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:size_average and reduce args will be deprecated"),
    # TorchRL names the version of PettingZoo that it is tested with.
    pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version"),
    # Batches are shorter than games here.
    pytest.mark.filterwarnings("ignore:No episode terminated this iteration"),
]

with warnings.catch_warnings():
    # Importing what BenchMARL brings warns of what it deprecates itself.
    warnings.simplefilter("ignore")
    library("benchmarl")
    import torch
    from benchmarl.algorithms import IppoConfig, IqlConfig
    from benchmarl.experiment import Experiment, ExperimentConfig
    from benchmarl.models.mlp import MlpConfig
    from torchrl.envs import ParallelEnv, SerialEnv
    from torchrl.envs.utils import check_env_specs

    from mammalath_env.integrations.benchmarl import BoardGameTask

STEPS = 200


class UnmaskedTask(BoardGameTask):
    """Hides the masks from the algorithms."""

    def action_mask_spec(self, env: Any) -> None:
        """Say that there are none."""


def experiment(task: BoardGameTask, algorithm: Any, folder: Path) -> Any:
    """Return two iterations of training."""
    config = ExperimentConfig.get_from_yaml()
    config.max_n_iters, config.max_n_frames = 2, None
    config.on_policy_collected_frames_per_batch = STEPS
    config.off_policy_collected_frames_per_batch = STEPS
    config.on_policy_n_envs_per_worker = config.off_policy_n_envs_per_worker = 2
    config.on_policy_minibatch_size, config.on_policy_n_minibatch_iters = 100, 1
    config.off_policy_n_optimizer_steps, config.off_policy_train_batch_size = 4, 50
    config.evaluation = config.render = config.create_json = False
    config.loggers = []
    config.save_folder = str(folder)
    model = MlpConfig(num_cells=[32], layer_class=torch.nn.Linear, activation_class=torch.nn.Tanh)
    return Experiment(
        task=task,
        algorithm_config=algorithm.get_from_yaml(),
        model_config=model,
        critic_model_config=model,
        seed=4,
        config=config,
    )


@pytest.mark.parametrize("algorithm", [IppoConfig, IqlConfig])
def test_benchmarl_trains_without_illegal_actions(algorithm: Any, tmp_path: Path) -> None:
    """The weights change, and an illegal action of the mover would raise."""
    task = BoardGameTask("mammalath", illegal_action="raise")
    run = experiment(task, algorithm, tmp_path)
    before = [value.detach().clone() for value in run.policy.parameters()]
    run.run()
    assert run.total_frames == 2 * STEPS
    after = list(run.policy.parameters())
    assert before
    assert not any(torch.equal(one, other) for one, other in zip(before, after, strict=True))


def test_benchmarl_without_masks_plays_illegal_actions(tmp_path: Path) -> None:
    """Without masks, the same training plays illegal actions."""
    run = experiment(UnmaskedTask("mammalath", illegal_action="raise"), IppoConfig, tmp_path)
    with pytest.raises(IllegalMoveError):
        run.run()


def test_specs_of_the_task(game: Game) -> None:
    """TorchRL's check passes, and both agents are one group."""
    task = BoardGameTask(game.name)
    env = task.get_env_fun(1, False, 3, "cpu")()
    check_env_specs(env)
    assert task.group_map(env) == {"player": ["player_0", "player_1"]}
    assert task.max_steps(env) == game.max_plies
    keys = [("player", "observation")], [("player", "action_mask")]
    specs = task.observation_spec(env), task.action_mask_spec(env)
    assert tuple(list(spec.keys(True, True)) for spec in specs) == keys
    assert specs[1]["player", "action_mask"].shape == (2, game.num_actions)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_lanes_deal_differently() -> None:
    """In one process, where a seed repeats the deals, and in several."""

    def deals(batch: type[SerialEnv] | type[ParallelEnv], seed: int | None) -> list[tuple[Any]]:
        """Return what the lanes show after their first and their second reset."""
        env = batch(3, BoardGameTask("mammalath").get_env_fun(3, False, seed, "cpu"))
        shown = torch.stack([env.reset()["player", "observation"] for _ in range(2)])
        env.close()
        return [tuple(lane) for lane in shown.transpose(0, 1).flatten(1).tolist()]

    serial = deals(SerialEnv, 4)
    assert len(set(serial)) == 3
    assert serial == deals(SerialEnv, 4)
    assert not set(serial) & set(deals(SerialEnv, 5))
    assert len(set(deals(ParallelEnv, 4))) == 3
    assert len(set(deals(SerialEnv, None))) == 3


def test_wrong_options_are_refused_at_once() -> None:
    """Wrong options are refused before an experiment builds its environments."""
    with pytest.raises(ValueError, match="chess"):
        BoardGameTask("chess")
    with pytest.raises(TypeError, match="komi"):
        BoardGameTask("mammalath", komi=7)


def test_the_benchmarl_example_runs(tmp_path: Path) -> None:
    """The example ends without an illegal action, which would raise."""
    options = ["--game", "mancala", "--iterations", "2", "--batch", "100"]
    options += ["--opponent", OPPONENT, "--games", "4", "--output"]
    folder = tmp_path / "new" / "run"
    printed = run_example("benchmarl_ippo.py", *options, str(folder))
    assert steps_of_progress(printed, OPPONENT, 4) == [100, 200]
    assert list(folder.iterdir())
