"""Learning examples refuse bad options, and save a checkpoint when they are interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.integrations.examples import example, fail_example, run_examples
from tests.integrations.required import library

torch: Any = library("torch")
library("safetensors")

SCRIPTS = ("ppo_selfplay.py", "alphazero.py")
SHORT = ["--minutes=0", "--steps=4", "--num-envs=4", "--games=2"]
"""Options of a run of a second, of either script."""


def save_checkpoint(path: Path, channels: int = 8) -> None:
    """Save a checkpoint for Mammalath with a network of one round, and no training."""
    network = example("learning_common.py").PolicyValueNetwork(channels, 1)
    saved = {"hyperparameters": network.hyperparameters, "network": network.state_dict()}
    torch.save({**saved, "options": {}, "seconds": 0.0, "plies": 0}, path)


def outcomes(script: str, *command_lines: list[str]) -> list[str]:
    """Return, for each command line, the message that refuses it, or ``accepted`` after a run."""
    code = (
        f"import contextlib, io, {Path(script).stem} as example\n"
        f"for arguments in {command_lines!r}:\n"
        "    shown = io.StringIO()\n"
        "    try:\n"
        "        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):\n"
        "            example.train(example.parse_arguments(arguments))\n"
        "        print('accepted')\n"
        "    except SystemExit as end:\n"
        # Status 2 is that of argparse, which has printed its message.
        "        print(shown.getvalue().splitlines()[-1] if end.code == 2 else end.code)\n"
    )
    return run_examples(code).splitlines()


@pytest.mark.parametrize("script", SCRIPTS)
def test_resume_refuses_another_network(script: str, tmp_path: Path) -> None:
    """The message names the option, and both values."""
    path = tmp_path / "last.pt"
    save_checkpoint(path)
    options = ["--output", str(tmp_path), "--rounds", "1", "--resume", "--channels"]
    missing = tmp_path / "nothing"
    assert outcomes(
        script,
        [*options, "16"],
        [*options, "8", "--game", "mammalath_plus"],
        ["--output", str(missing), "--resume"],
    ) == [
        f"--resume: the checkpoint {path} is of --channels 8; this run has 16",
        f"--resume: the checkpoint {path} is of --game mammalath; this run has mammalath_plus",
        f"--resume: there is no checkpoint {missing / 'last.pt'}",
    ]


def test_start_refuses_another_network(tmp_path: Path) -> None:
    """`--start` refuses a network of another shape, as `--resume` does."""
    path, missing = tmp_path / "other.pt", tmp_path / "nothing.pt"
    save_checkpoint(path)
    options = [*SHORT, "--output", str(tmp_path), "--channels", "8", "--start"]
    assert outcomes(
        "alphazero.py",
        [*options, str(missing)],
        [*options, str(path)],
        [*options, str(path), "--rounds", "1"],
    ) == [
        f"--start: there is no checkpoint {missing}",
        f"--start: the checkpoint {path} is of --rounds 1; this run has 3",
        "accepted",
    ]


REFUSED = {
    "ppo_selfplay.py": {
        "--game=mancala": "invalid choice: 'mancala'",
        "--opponents=greedy": "expected name=games with games above 0, not 'greedy'",
        "--opponents=greedy=0": "not 'greedy=0'",
        "--opponents=chess=4": "unknown agent 'chess'",
        "--opponents=mcts:simulations=few=4": "must be an integer, not 'few'",
        "--opponents= --num-envs=0": "nothing to play",
    },
    "alphazero.py": {
        "--game=mancala": "invalid choice: 'mancala'",
        "--capacity=100": "--capacity 100 is below --least 2000",
    },
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_learning_examples_refuse_impossible_options(script: str, tmp_path: Path) -> None:
    """An example stops with a message before it does anything."""
    output = f"--output={tmp_path / 'new'}"
    printed = outcomes(script, *([output, *options.split(" ")] for options in REFUSED[script]))
    assert len(printed) == len(REFUSED[script])
    for found, message in zip(printed, REFUSED[script].values(), strict=True):
        assert "error: " in found
        assert message in found
    assert not (tmp_path / "new").exists()


def test_a_note_needs_a_name() -> None:
    """The export says what it expects, without a traceback."""
    arguments = ("last.pt", "new.safetensors", "--note", "strength")
    message = fail_example("export_network.py", *arguments, code=2)
    assert message.endswith("argument --note: expected name=text, not 'strength'\n")
    assert "Traceback" not in message


def test_opponents_are_read_up_to_the_last_equals_sign() -> None:
    """The last equals sign is that of the number of games; blanks are ignored."""
    printed = run_examples(
        "from ppo_selfplay import parse_opponents\n"
        "print(parse_opponents(' alphabeta:depth=2=16, random = 4,'))"
    )
    assert printed == "[('alphabeta:depth=2', 16), ('random', 4)]\n"


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_new_run_keeps_the_checkpoint_before(script: str, tmp_path: Path) -> None:
    """Under another name, so that an interruption does not overwrite it."""
    save_checkpoint(tmp_path / "last.pt")
    before = (tmp_path / "last.pt").read_bytes()
    assert outcomes(script, [*SHORT, "--output", str(tmp_path)]) == ["accepted"]
    assert (tmp_path / "previous.pt").read_bytes() == before
    assert (tmp_path / "last.pt").read_bytes() != before


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_interrupted_run_can_be_resumed(script: str, tmp_path: Path) -> None:
    """It saves a checkpoint, here before the first evaluation, and exits with status 130."""
    arguments = ["--num-envs=4", "--channels=8", "--rounds=1", "--steps=100", "--games=2"]
    arguments += ["--minutes=0", f"--output={tmp_path}"]
    own = {
        "ppo_selfplay.py": ["--opponents=", "--horizon=2"],
        "alphazero.py": ["--simulations=2"],
    }
    arguments += own[script]
    code = (
        f"import torch, {Path(script).stem} as example\n"
        "record = example.TrainingRun.record\n"
        "def interrupted(run, figures):\n"
        "    record(run, figures)\n"
        "    if run.steps >= 16:\n"
        "        raise KeyboardInterrupt\n"
        "example.TrainingRun.record = interrupted\n"
        "try:\n"
        f"    example.train(example.parse_arguments({arguments!r}))\n"
        "except SystemExit as end:\n"
        "    print('status', end.code)\n"
        "example.TrainingRun.record = record\n"
        f"saved = torch.load({str(tmp_path / 'last.pt')!r}, weights_only=True)\n"
        f"run = example.train(example.parse_arguments({[*arguments, '--resume']!r}))\n"
        "print('from', saved['plies'], 'to', run.steps)"
    )
    lines = run_examples(code).splitlines()
    assert "status 130" in lines
    # An iteration of PPO is 8 steps, one of AlphaZero 4.
    assert (
        lines[-1] == {"ppo_selfplay.py": "from 16 to 104", "alphazero.py": "from 16 to 100"}[script]
    )


def test_a_minibatch_of_one_step(tmp_path: Path) -> None:
    """The network stays finite where the steps of an update leave one over."""
    arguments = ["--num-envs=3", "--opponents=", "--horizon=3", "--minibatch=8", "--channels=8"]
    arguments += ["--steps=9", "--minutes=0", "--games=2", f"--output={tmp_path}"]
    printed = run_examples(
        "import ppo_selfplay\n"
        f"run = ppo_selfplay.train(ppo_selfplay.parse_arguments({arguments!r}))\n"
        "print(run.steps, all(bool(each.isfinite().all()) for each in run.network.parameters()))"
    )
    assert printed.splitlines()[-1] == "9 True"


def test_generalized_advantages() -> None:
    """By hand: two steps of the mover, the other player's reply between them, and a new game."""
    advantages = example("ppo_selfplay.py").generalized_advantages
    # Three steps in one lane; after the first the other player acts, after the third a new game.
    rewards = [torch.tensor([each]) for each in (0.0, 0.0, 1.0)]
    values = [torch.tensor([each]) for each in (0.5, -0.25, 0.125)]
    discounts = [torch.tensor([each]) for each in (-1.0, -1.0, 0.0)]
    found = advantages(rewards, values, discounts, torch.tensor([0.75]), gae_lambda=0.5)
    deltas = [0.25 - 0.5, -0.125 + 0.25, 1 - 0.125]
    third = deltas[2]
    second = deltas[1] - 0.5 * third
    first = deltas[0] - 0.5 * second
    assert [each.item() for each in found] == [first, second, third]


@pytest.mark.parametrize("name", ["value.weight", "place_logit.weight"])
def test_an_export_with_nan_fails(name: str, tmp_path: Path) -> None:
    """NaN in the value or in the logits ends the export with a message."""
    path = tmp_path / "broken.pt"
    save_checkpoint(path)
    saved = torch.load(path, weights_only=True)
    saved["network"][name][:] = torch.nan
    torch.save(saved, path)
    message = fail_example("export_network.py", str(path), str(tmp_path / "broken.safetensors"))
    assert not (tmp_path / "broken.safetensors").exists()
    assert "NumPy and torch differ by more than" in message
