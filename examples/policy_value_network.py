"""The network that the learning examples train: convolutions over the board and its animal types.

It respects what the rules respect: renaming the types of animals renames its answers. Mirroring
and turning the board it has to learn, for which `symmetric_images` gives the images of a batch.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor, nn

from mammalath_env import make_game
from mammalath_env.games.mammalath.game import MammalathGame


class TypeMixing(nn.Module):
    """Tells each space what the network knows of all spaces with the same type of animal."""

    def __init__(self, channels: int) -> None:
        """Allocate the layer for this many channels."""
        super().__init__()
        self.linear = nn.Linear(channels, channels)

    def forward(self, features: Tensor, types: Tensor) -> Tensor:
        """Return float[batch, channels, spaces] from the same and types [batch, types, spaces]."""
        pooled = torch.relu(self.linear(types @ features.transpose(1, 2)))
        return pooled.transpose(1, 2) @ types


class PolicyValueNetwork(nn.Module):
    """Policy and value for a batch of observations of Mammalath.

    A line is released where its middle space and direction are, so that placements and lines
    come from planes, types from the sums over their animals, and value and swap from the mean
    and the maximum over the board.
    """

    def __init__(self, channels: int = 48, blocks: int = 3, game: str = "mammalath") -> None:
        """Allocate the layers.

        Args:
            channels: Channels of each convolution.
            blocks: Convolutions after the first one.
            game: Name of a game on a square board with lines of three.
        """
        super().__init__()
        self.hyperparameters = {"channels": channels, "blocks": blocks, "game": game}
        rules = make_game(game)
        assert isinstance(rules, MammalathGame)
        self.size = rules.config.size
        directions = {pattern[1] - pattern[0] for pattern in rules.patterns}
        order = sorted(directions)
        line_planes = [
            (1 + order.index(pattern[1] - pattern[0])) * rules.config.num_spaces + pattern[1]
            for pattern in rules.patterns
        ]
        self.register_buffer("line_planes", torch.tensor(line_planes), persistent=False)
        self.line_planes: Tensor
        self.first = nn.Conv2d(5, channels, 5, padding=2)
        self.mixings = nn.ModuleList(TypeMixing(channels) for _ in range(blocks))
        self.convolutions = nn.ModuleList(
            nn.Conv2d(channels, channels, 3, padding=1) for _ in range(blocks)
        )
        self.planes = nn.Conv2d(channels, 1 + len(order), 1)
        self.type_hidden = nn.Linear(channels, channels)
        self.type_logit = nn.Linear(channels, 1)
        self.board_hidden = nn.Linear(2 * channels, channels)
        self.swap_logit = nn.Linear(channels, 1)
        self.value = nn.Linear(channels, 1)
        for layer in (self.planes, self.type_logit, self.swap_logit, self.value):
            nn.init.normal_(layer.weight, std=0.01)
            nn.init.zeros_(layer.bias)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits float[batch, num_actions], illegal ones included, and values [batch].

        Args:
            observations: float[batch, planes, rows, cols], as the player to move sees them.
        """
        batch, size = len(observations), self.size
        types = observations[:, :size].flatten(2)
        board = torch.cat(
            [
                observations[:, :size].sum(1, keepdim=True),
                observations[:, size : size + 3],
                torch.ones_like(observations[:, :1]),  # where the board ends
            ],
            1,
        )
        features = torch.relu(self.first(board))
        for mixing, convolution in zip(self.mixings, self.convolutions, strict=True):
            mixed = features + mixing(features.flatten(2), types).view_as(features)
            features = features + torch.relu(convolution(mixed))
        planes = self.planes(features).flatten(1)
        flat = features.flatten(2)
        pooled = types @ flat.transpose(1, 2)
        type_logits = self.type_logit(torch.relu(self.type_hidden(pooled))).squeeze(2)
        whole = torch.cat([flat.mean(2), flat.amax(2)], 1)
        hidden = torch.relu(self.board_hidden(whole))
        logits = torch.cat(
            [
                planes[:, : size * size],
                type_logits,
                planes[:, self.line_planes],
                self.swap_logit(hidden),
            ],
            1,
        )
        return logits, torch.tanh(self.value(hidden)).view(batch)


class Symmetries:
    """The eight symmetries of a square board, for batches of tensors."""

    def __init__(self, game: str = "mammalath") -> None:
        """Tabulate the permutations of the game's spaces and actions."""
        rules = make_game(game)
        assert isinstance(rules, MammalathGame)
        self._spaces = [torch.from_numpy(np.argsort(each.spaces)) for each in rules.symmetries]
        self._actions = [torch.from_numpy(np.argsort(each.actions)) for each in rules.symmetries]
        self._images = [torch.from_numpy(each.actions) for each in rules.symmetries]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._spaces)

    def observations(self, which: int, observations: Tensor) -> Tensor:
        """Return the images of observations [batch, planes, rows, cols]."""
        return observations.flatten(2)[:, :, self._spaces[which]].view_as(observations)

    def policies(self, which: int, policies: Tensor) -> Tensor:
        """Return the images of masks or policies [batch, num_actions]."""
        return policies[:, self._actions[which]]

    def actions(self, which: int, actions: Tensor) -> Tensor:
        """Return the images of actions [batch]."""
        return self._images[which][actions]
