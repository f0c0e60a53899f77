"""Write the network of a checkpoint for the agent `neural`, and compare NumPy with PyTorch.

    pip install -e ".[learning]"
    python examples/export_network.py runs/ppo/last.pt mammalath.safetensors --note strength=...

The checkpoint is one of `ppo_selfplay.py` or `alphazero.py`. It takes a few seconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from learning_common import PolicyValueNetwork
from numpy.typing import NDArray

from mammalath_env.agents.pattern_network import PatternNetwork
from mammalath_env.core.extras import from_extra
from mammalath_env.envs.vector import SelfPlayVectorEnv

with from_extra("learning", "torch", "safetensors"):
    import torch
    from safetensors.torch import save_file

TOLERANCE = 1e-4
"""Largest difference between the logits and values of NumPy and those of PyTorch."""


def load_checkpoint(path: str | Path) -> tuple[PolicyValueNetwork, dict[str, str]]:
    """Return the network of a checkpoint, and its training as metadata: options, minutes, plies."""
    saved = torch.load(path, weights_only=True)
    network = PolicyValueNetwork(**saved["hyperparameters"])
    network.load_state_dict(saved["network"])
    options = " ".join(
        f"--{name.replace('_', '-')} {value}"
        for name, value in saved["options"].items()
        if name not in ("output", "resume", "start", "threads")
    )
    minutes = f"{saved['seconds'] / 60:.1f}"
    return network, {"options": options, "minutes": minutes, "plies": str(saved["plies"])}


def export(network: PolicyValueNetwork, metadata: dict[str, str], path: Path) -> None:
    """Write weights and metadata in the safetensors format."""
    weights = {**network.state_dict(), "incidence": network.incidence}
    hyperparameters = {name: str(value) for name, value in network.hyperparameters.items()}
    save_file(
        {name: weight.contiguous() for name, weight in weights.items()},
        str(path),
        metadata={**hyperparameters, **metadata},
    )


def sample_observations(game: str, count: int, seed: int) -> NDArray[np.int8]:
    """Return observations of `count` positions from random games, planes first."""
    env = SelfPlayVectorEnv(game, 64, autoreset_mode="SameStep", channels_first=True)
    observation, _ = env.reset(seed=seed)
    seen = [observation["observation"]]
    while 64 * len(seen) < count:
        observation, *_ = env.random_step()
        seen.append(observation["observation"])
    return np.concatenate(seen)[:count]


@torch.no_grad()
def largest_difference(network: PolicyValueNetwork, path: Path, count: int = 1024) -> float:
    """Return the largest difference between a network and its file, in logits and values."""
    observations = sample_observations(str(network.hyperparameters["game"]), count, seed=1)
    logits, values = network(torch.from_numpy(observations).float())
    numpy_logits, numpy_values = PatternNetwork.load(path).forward(observations)
    differences = np.append(logits.numpy() - numpy_logits, values.numpy() - numpy_values)
    return float(np.abs(differences).max())


def parse_note(text: str) -> tuple[str, str]:
    """Return name and text of ``"name=text"``."""
    name, equals, note = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"expected name=text, not {text!r}")
    return name, note


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkpoint", type=Path, help="checkpoint to read")
    parser.add_argument("file", type=Path, help="file to write")
    parser.add_argument(
        "--note", type=parse_note, action="append", default=[], help="metadata as name=text"
    )
    return parser.parse_args()


if __name__ == "__main__":
    arguments = parse_arguments()
    trained, notes = load_checkpoint(arguments.checkpoint)
    export(trained, {**notes, **dict(arguments.note)}, arguments.file)
    difference = largest_difference(trained, arguments.file)
    size = arguments.file.stat().st_size
    print(f"{arguments.file}: {size:,} bytes, NumPy within {difference:.1e}")
    # Not ">": a difference of NaN has to fail too.
    if not difference <= TOLERANCE:
        arguments.file.unlink()
        raise SystemExit(f"NumPy and torch differ by more than {TOLERANCE}")
