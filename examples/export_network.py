"""Write the network of a checkpoint for the agent `neural`, and check that NumPy agrees with torch.

python examples/export_network.py runs/ppo/last.pt mammalath.safetensors --note strength=...
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from policy_value_network import PolicyValueNetwork
from safetensors.torch import save_file

from mammalath_env.agents.pattern_network import PatternNetwork
from mammalath_env.envs.vector import SelfPlayVectorEnv

TOLERANCE = 1e-4


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
    """Return observations of random games, planes first, of as many positions."""
    env = SelfPlayVectorEnv(game, 64, autoreset_mode="SameStep", channels_first=True)
    observation, _ = env.reset(seed=seed)
    seen = [observation["observation"]]
    while 64 * len(seen) < count:
        observation, *_ = env.random_step()
        seen.append(observation["observation"])
    return np.concatenate(seen)[:count]


@torch.no_grad()
def largest_difference(network: PolicyValueNetwork, path: Path, count: int = 1024) -> float:
    """Return how far logits and values of the file differ from the network's, at most."""
    observations = sample_observations(str(network.hyperparameters["game"]), count, seed=1)
    logits, values = network(torch.from_numpy(observations).float())
    other_logits, other_values = PatternNetwork.load(path).forward(observations)
    differences = np.append(logits.numpy() - other_logits, values.numpy() - other_values)
    return float(np.abs(differences).max())


def parse_note(text: str) -> tuple[str, str]:
    """Return name and text of ``"name=text"``."""
    name, equals, note = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"expected name=text, not {text!r}")
    return name, note


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--note", type=parse_note, action="append", default=[], help="metadata as name=text"
    )
    arguments = parser.parse_args()
    trained, found = load_checkpoint(arguments.checkpoint)
    found |= dict(arguments.note)
    export(trained, found, arguments.file)
    difference = largest_difference(trained, arguments.file)
    print(
        f"{arguments.file}: {arguments.file.stat().st_size:,} bytes, NumPy within {difference:.1e}"
    )
    # A difference that is not a number is not below the tolerance.
    if not difference <= TOLERANCE:
        arguments.file.unlink()
        raise SystemExit(f"NumPy and torch differ by more than {TOLERANCE}")
