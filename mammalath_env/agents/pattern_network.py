"""The policy and value network of the agent `neural`, computed with NumPy.

Spaces, patterns and types of animals are the nodes of a graph. In each round, patterns gather the
features of their spaces, and spaces those of their patterns, of the spaces with the same type of
animal and of the whole board. Nodes of a kind share their weights, so that the network is
equivariant to reflections and rotations of the board and to permutations of the types.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mammalath_env.core.extras import from_extra

Floats = NDArray[np.float32]

NETWORKS = Path(__file__).parent / "networks"
"""The folder of the networks that come with the package, named after their games."""


class PatternNetwork:
    """A network with fixed weights: a `PolicyValue` for observations with the planes first.

    Attributes:
        metadata: Metadata of the file, such as how the network was trained.
    """

    def __init__(self, weights: Mapping[str, Floats], metadata: Mapping[str, str]) -> None:
        """Take weights by name, as `load` reads them.

        Raises:
            KeyError: One is missing.
        """
        self.metadata = dict(metadata)
        self._weights = weights
        self._num_rounds = sum(name.endswith("space_to_type.bias") for name in weights)
        self._incidence = weights["incidence"]
        self._degree = self._incidence.sum(axis=0) / 4

    @classmethod
    def load(cls, path: str | Path) -> PatternNetwork:
        """Read a network from a file in the safetensors format.

        Raises:
            ImportError: The library safetensors is not installed.
            FileNotFoundError: There is no such file.
        """
        with from_extra("neural", "safetensors"):
            from safetensors import safe_open
        with safe_open(str(path), framework="numpy") as file:
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            return cls(weights, file.metadata() or {})

    def __call__(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """Return policies float32[batch, num_actions], 0 where illegal, and values float32[batch].

        Args:
            observations: int8[batch, planes, rows, cols], as the player to move sees them.
            masks: bool[batch, num_actions]; each must allow an action. Fewer actions than the
                network has leave out its last one, the swap.
        """
        logits, values = self.forward(observations)
        logits = np.where(masks, logits[:, : masks.shape[1]], np.float32(-1e9))
        policies = np.exp(logits - logits.max(axis=1, keepdims=True)) * masks
        return policies / policies.sum(axis=1, keepdims=True), values

    def forward(self, observations: NDArray[np.int8]) -> tuple[Floats, Floats]:
        """Return logits float32[batch, num_actions], illegal ones included, and values [batch]."""
        batch, size = len(observations), observations.shape[2]
        planes = observations.reshape(batch, -1, size * size).astype(np.float32)
        types = planes[:, :size]
        animal = types.sum(axis=1)
        own, other, can_swap = planes[:, size], planes[:, size + 1], planes[:, size + 2]
        inputs = [animal, own, other, can_swap, animal * own, animal * other]
        degree = np.broadcast_to(self._degree, own.shape)
        # Arrays of features are float32[nodes, batch, channels].
        space_input = np.stack([*inputs, degree], axis=2).transpose(1, 0, 2)
        pattern_input = self._gather(space_input)
        counts = self._gather(types.transpose(2, 0, 1))
        alike = np.square(counts).sum(axis=2, keepdims=True)
        spaces = _relu(self._linear("space_input", space_input))
        patterns = _relu(
            self._linear("pattern_input", np.concatenate([pattern_input, alike], axis=2))
        )
        for index in range(self._num_rounds):
            spaces, patterns = self._exchange(f"rounds.{index}", spaces, patterns, types)
        herds = _relu(self._linear("type_hidden", types @ spaces.transpose(1, 0, 2)))
        whole = np.concatenate(
            [spaces.mean(axis=0), spaces.max(axis=0), patterns.mean(axis=0), patterns.max(axis=0)],
            axis=1,
        )
        hidden = _relu(self._linear("board_hidden", whole))
        logits = [
            self._linear("place_logit", spaces)[..., 0].T,
            self._linear("type_logit", herds)[..., 0],
            self._linear("pattern_logit", patterns)[..., 0].T,
            self._linear("swap_logit", hidden),
        ]
        return np.concatenate(logits, axis=1), np.tanh(self._linear("value", hidden))[:, 0]

    def _exchange(
        self, name: str, spaces: Floats, patterns: Floats, types: Floats
    ) -> tuple[Floats, Floats]:
        """Return the features of spaces and patterns after one round."""
        linear = functools.partial(self._linear, prefix=name)
        patterns = patterns + _relu(
            linear("space_to_pattern", self._gather(spaces))
            + linear("pattern_to_pattern", patterns)
        )
        around = np.tensordot(self._incidence.T, patterns, 1)
        herds = _relu(linear("space_to_type", types @ spaces.transpose(1, 0, 2)))
        same_type = (types.transpose(0, 2, 1) @ herds).transpose(1, 0, 2)
        spaces = spaces + _relu(
            linear("pattern_to_space", around)
            + linear("space_to_space", spaces)
            + same_type
            + linear("board_to_space", spaces.mean(axis=0))
        )
        return spaces, patterns

    def _gather(self, spaces: Floats) -> Floats:
        """Return the scaled sums over the spaces of each pattern."""
        return np.tensordot(self._incidence, spaces, 1)

    def _linear(self, name: str, inputs: Floats, prefix: str = "") -> Floats:
        """Apply the linear layer of this name to the last axis."""
        full = f"{prefix}.{name}" if prefix else name
        outputs = inputs @ self._weights[f"{full}.weight"].T
        bias = self._weights.get(f"{full}.bias")
        return outputs if bias is None else outputs + bias


def _relu(features: Floats) -> Floats:
    return np.maximum(features, 0)


@functools.cache
def shipped_network(game_name: str) -> PatternNetwork:
    """Return the network that comes with the package for a game.

    Raises:
        ImportError: The library safetensors is not installed.
        ValueError: There is none for this game.
    """
    path = NETWORKS / f"{game_name}.safetensors"
    if not path.exists():
        known = ", ".join(sorted(each.stem for each in NETWORKS.glob("*.safetensors")))
        raise ValueError(
            f"there is no network for {game_name!r}: the agent 'neural' plays {known or 'no game'}"
        )
    return PatternNetwork.load(path)
