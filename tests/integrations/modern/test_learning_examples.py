"""The learning examples train, resume, repeat with a seed, and export what the package reads.

They are `ppo_selfplay.py`, `alphazero.py` and `export_network.py`, with `learning_common.py`, which
they share.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mammalath_env.agents.pattern_network import PatternNetwork
from tests.integrations.examples import run_examples
from tests.integrations.required import library
from tests.processes import ROOT, run_python

torch: Any = library("torch")
library("safetensors")

TINY = {
    "ppo_selfplay.py": (
        "--num-envs=8 --opponents=greedy=4,random=4 --horizon=8 --minibatch=64 --channels=8"
        " --rounds=1 --minutes=0 --games=10 --evaluate-every=0.01 --seed=3"
    ),
    "alphazero.py": (
        "--num-envs=8 --simulations=4 --least=16 --minibatch=16 --channels=8 --rounds=1"
        " --minutes=0 --games=10 --evaluate-every=0.01 --seed=3"
    ),
}
STEPS = {"ppo_selfplay.py": (512, 1024), "alphazero.py": (400, 600)}


def train(script: str, output: Path, steps: int, *more: str) -> dict[str, Any]:
    """Run an example without its last, long evaluation, and return its checkpoint."""
    arguments = [*TINY[script].split(), f"--steps={steps}", f"--output={output}", *more]
    code = (
        f"import {Path(script).stem} as example\n"
        f"example.draw_curve(example.train(example.parse_arguments({arguments!r})))\n"
    )
    run_examples(code)
    checkpoint: dict[str, Any] = torch.load(output / "last.pt", weights_only=True)
    return checkpoint


@pytest.fixture(scope="module", params=TINY)
def script(request: pytest.FixtureRequest) -> str:
    """Each example that trains."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def runs(script: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """The folder of a run that was resumed once, and its checkpoint before and after."""
    output = tmp_path_factory.mktemp(Path(script).stem)
    first = train(script, output, STEPS[script][0])
    return output, [first, train(script, output, STEPS[script][1], "--resume")]


def test_a_resumed_run_continues_the_last_one(
    script: str, runs: tuple[Path, list[dict[str, Any]]]
) -> None:
    """It counts from the checkpoint on, and trains its network further."""
    _, (first, second) = runs
    for checkpoint, steps in zip((first, second), STEPS[script], strict=True):
        assert checkpoint["plies"] >= steps
        assert checkpoint["curve"][-1]["plies"] == checkpoint["plies"]
    assert second["seconds"] > first["seconds"]
    assert second["curve"][: len(first["curve"])] == first["curve"]
    weights = first["network"], second["network"]
    assert weights[0].keys() == weights[1].keys()
    for name in ("place_logit.weight", "value.weight", "rounds.0.space_to_pattern.weight"):
        assert not torch.equal(weights[0][name], weights[1][name]), name
        assert torch.isfinite(weights[1][name]).all()


def test_runs_leave_a_checkpoint_a_log_and_a_curve(
    runs: tuple[Path, list[dict[str, Any]]],
) -> None:
    """All of them are in the output folder."""
    output, (_, last) = runs
    assert (output / "curve.svg").read_text("utf-8").startswith("<?xml")
    assert not list(output.glob("*.part"))
    for point in last["curve"]:
        assert 0 <= point["random"] <= 1
        assert 0 <= point["greedy"] <= 1
    if importlib.util.find_spec("tensorboard") is not None:
        assert list(output.glob("events.out.tfevents.*"))


def test_the_same_seed_gives_the_same_network(script: str, tmp_path: Path) -> None:
    """Games, searches and minibatches are drawn from the seed alone."""
    steps = STEPS[script][0] // 2
    one, other = (train(script, tmp_path / name, steps) for name in ("one", "other"))
    for name, weights in one["network"].items():
        assert torch.equal(weights, other["network"][name]), name


def test_an_exported_network_loads(runs: tuple[Path, list[Any]], tmp_path: Path) -> None:
    """The script compares NumPy with PyTorch; the metadata say how the network was trained."""
    output, (_, last) = runs
    path = tmp_path / "network.safetensors"
    arguments = ["export_network.py", str(output / "last.pt"), str(path), "--note", "hours=0"]
    printed = run_examples(
        f"import runpy; sys.argv = {arguments!r}\n"
        "runpy.run_path('examples/export_network.py', run_name='__main__')"
    )
    assert "NumPy within" in printed
    network = PatternNetwork.load(path)
    assert network.metadata["hours"] == "0"
    assert network.metadata["plies"] == str(last["plies"])
    logits, values = network.forward(np.zeros((2, 10, 6, 6), np.int8))
    assert logits.shape == (2, 123)
    assert values.shape == (2,)


def test_evaluations_play_no_illegal_action(runs: tuple[Path, list[dict[str, Any]]]) -> None:
    """Neither the network alone nor a search with it."""
    output, _ = runs
    code = (
        "import json\n"
        "from learning_common import network_policy, play_games, search_policy\n"
        "from export_network import load_checkpoint\n"
        f"network, _ = load_checkpoint({str(output / 'last.pt')!r})\n"
        "policies = network_policy(network), search_policy(network, 4)\n"
        "print(json.dumps([play_games(policy, 'random', seat, 20, 1)\n"
        "                  for policy in policies for seat in ('first', 'second')]))"
    )
    for wins, draws, losses, illegal in json.loads(run_examples(code)):
        assert wins + draws + losses == 20
        assert illegal == 0


def test_a_run_needs_an_end(script: str) -> None:
    """Without a limit the example refuses to start."""
    with pytest.raises(AssertionError, match="a run needs --minutes or --steps"):
        run_python(str(ROOT / "examples" / script), "--minutes", "0")


def test_help_names_options_and_defaults(script: str) -> None:
    """Those of the example and those of every training run."""
    text = " ".join(run_python(f"examples/{script}", "--help").split())
    own = {
        "ppo_selfplay.py": "--gae-lambda GAE_LAMBDA",
        "alphazero.py": "--simulations SIMULATIONS",
    }
    assert own[script] in text
    assert "--channels CHANNELS" in text
    assert "(default: 32)" in text
    assert "(default: None)" not in text
