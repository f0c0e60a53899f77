"""What the examples of learning refuse, and what they do when they are interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.integrations.examples import example, fail_example, run_examples
from tests.integrations.required import library

torch: Any = library("torch")
library("safetensors")

SCRIPTS = ("ppo_selfplay.py", "alphazero.py")


def save_checkpoint(path: Path, channels: int = 8) -> None:
    """Save a checkpoint of Mammalath that holds a network of one round, and no run."""
    network = example("policy_value_network.py").PolicyValueNetwork(channels, 1)
    saved = {"hyperparameters": network.hyperparameters, "network": network.state_dict()}
    torch.save({**saved, "options": {}, "seconds": 0.0, "plies": 0}, path)


def refusals(script: str, *command_lines: list[str]) -> list[str]:
    """Return the message with which the example refuses each of some options."""
    code = (
        f"import contextlib, io, {Path(script).stem} as example\n"
        f"for arguments in {command_lines!r}:\n"
        "    errors = io.StringIO()\n"
        "    try:\n"
        "        with contextlib.redirect_stderr(errors):\n"
        "            example.Trainer(example.parse_options(example.Options, '', arguments))\n"
        "        print('accepted')\n"
        "    except SystemExit as end:\n"
        # Status 2 is that of argparse, which has printed its message.
        "        print(errors.getvalue().splitlines()[-1] if end.code == 2 else end.code)\n"
    )
    return run_examples(code).splitlines()


@pytest.mark.parametrize("script", SCRIPTS)
def test_resume_refuses_another_network(script: str, tmp_path: Path) -> None:
    """The message names the option, and both values."""
    path = tmp_path / "last.pt"
    save_checkpoint(path)
    options = ["--output", str(tmp_path), "--rounds", "1", "--resume", "--channels"]
    missing = tmp_path / "nothing"
    assert refusals(
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
    """As `--resume` does."""
    path, missing = tmp_path / "other.pt", tmp_path / "nothing.pt"
    save_checkpoint(path)
    options = ["--output", str(tmp_path), "--channels", "8", "--start"]
    assert refusals(
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
        "--opponents= --lanes=0": "nothing to play",
    },
    "alphazero.py": {
        "--game=mancala": "invalid choice: 'mancala'",
        "--capacity=100": "--capacity 100 is below --least 2000",
    },
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_options_that_cannot_work(script: str, tmp_path: Path) -> None:
    """They are refused before anything is done."""
    output = f"--output={tmp_path / 'new'}"
    printed = refusals(script, *([output, *options.split(" ")] for options in REFUSED[script]))
    assert len(printed) == len(REFUSED[script])
    for found, message in zip(printed, REFUSED[script].values(), strict=True):
        assert "error: " in found
        assert message in found
    assert not (tmp_path / "new").exists()


def test_a_note_needs_a_name() -> None:
    """The export says what it expects, without a traceback."""
    message = fail_example("export_network.py", "last.pt", "new.safetensors", "--note", "strength")
    assert message.endswith("argument --note: expected name=text, not 'strength'\n")
    assert "Traceback" not in message


def test_opponents_may_have_options() -> None:
    """The last equals sign is that of the number; blanks do not count."""
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
    assert refusals(script, ["--output", str(tmp_path)]) == ["accepted"]
    assert (tmp_path / "previous.pt").read_bytes() == before
    assert not (tmp_path / "last.pt").exists()


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_interrupted_run_can_go_on(script: str, tmp_path: Path) -> None:
    """It saves a checkpoint, here before the first evaluation, and ends with 130."""
    arguments = ["--lanes=4", "--channels=8", "--rounds=1", "--plies=100", "--games=2"]
    arguments += ["--minutes=0", f"--output={tmp_path}"]
    arguments += {"ppo_selfplay.py": ["--opponents=", "--horizon=2"]}.get(
        script, ["--simulations=2"]
    )
    learn = {"ppo_selfplay.py": "update", "alphazero.py": "learn"}[script]
    code = (
        f"import {Path(script).stem} as example\n"
        f"real = example.Trainer.{learn}\n"
        "def interrupted(trainer):\n"
        "    if trainer.plies >= 16:\n"
        "        raise KeyboardInterrupt\n"
        "    return real(trainer)\n"
        f"example.Trainer.{learn} = interrupted\n"
        "try:\n"
        f"    example.train(example.parse_options(example.Options, '', {arguments!r}))\n"
        "except SystemExit as end:\n"
        "    print('code', end.code)\n"
        f"example.Trainer.{learn} = real\n"
        f"options = example.parse_options(example.Options, '', {[*arguments, '--resume']!r})\n"
        "print('from', example.Trainer(options).plies, 'to', example.train(options).plies)"
    )
    lines = run_examples(code).splitlines()
    assert "code 130" in lines
    assert lines[-1] == "from 16 to 104" if script == "ppo_selfplay.py" else "from 16 to 100"


def test_a_minibatch_of_one_ply() -> None:
    """The network stays finite where the plies of an update leave one over."""
    printed = run_examples(
        "import tempfile, ppo_selfplay, torch\n"
        "options = ppo_selfplay.Options(\n"
        "    output=tempfile.mkdtemp(), lanes=3, opponents='', horizon=3, minibatch=8, channels=8\n"
        ")\n"
        "trainer = ppo_selfplay.Trainer(options)\n"
        "figures = trainer.update()\n"
        "print(trainer.plies, all(map(torch.isfinite, map(torch.tensor, figures.values()))),\n"
        "      all(bool(each.isfinite().all()) for each in trainer.network.parameters()))"
    )
    assert printed == "9 True True\n"


@pytest.mark.parametrize("name", ["value.weight", "place_logit.weight"])
def test_an_export_that_is_not_a_number_fails(name: str, tmp_path: Path) -> None:
    """Whether it is the value or the logits."""
    path = tmp_path / "broken.pt"
    save_checkpoint(path)
    saved = torch.load(path, weights_only=True)
    saved["network"][name][:] = torch.nan
    torch.save(saved, path)
    message = fail_example("export_network.py", str(path), str(tmp_path / "broken.safetensors"))
    assert not (tmp_path / "broken.safetensors").exists()
    assert "NumPy and torch differ by more than" in message
