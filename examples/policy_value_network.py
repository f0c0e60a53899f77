"""The network that the learning examples train: a graph of spaces, patterns and animal types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from mammalath_env import make_game
from mammalath_env.games.mammalath.game import MammalathGame

NETWORK_GAMES = ("mammalath", "mammalath_plus")
"""The games that the network can play."""


class Round(nn.Module):
    """One exchange between spaces, patterns and animal types.

    Arrays hold nodes first, float[nodes, batch, channels], so that sums over the spaces of all
    patterns are one product of matrices.
    """

    def __init__(self, channels: int) -> None:
        """Allocate the layers for this many channels."""
        super().__init__()
        self.space_to_pattern = nn.Linear(channels, channels)
        self.pattern_to_pattern = nn.Linear(channels, channels, bias=False)
        self.pattern_to_space = nn.Linear(channels, channels)
        self.space_to_space = nn.Linear(channels, channels, bias=False)
        self.space_to_type = nn.Linear(channels, channels)
        self.board_to_space = nn.Linear(channels, channels, bias=False)

    def forward(
        self, spaces: Tensor, patterns: Tensor, types: Tensor, incidence: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return new features of spaces and patterns.

        Args:
            spaces: float[spaces, batch, channels].
            patterns: float[patterns, batch, channels].
            types: float[batch, types, spaces], where the animals of each type are.
            incidence: float[patterns, spaces], which space belongs to which pattern, scaled.
        """
        gathered = (incidence @ spaces.flatten(1)).view_as(patterns)
        patterns = patterns + torch.relu(
            self.space_to_pattern(gathered) + self.pattern_to_pattern(patterns)
        )
        around = (incidence.T @ patterns.flatten(1)).view_as(spaces)
        herds = torch.relu(self.space_to_type(types @ spaces.transpose(0, 1)))
        same_type = (types.transpose(1, 2) @ herds).transpose(0, 1)
        board = self.board_to_space(spaces.mean(0))
        spaces = spaces + torch.relu(
            self.pattern_to_space(around) + self.space_to_space(spaces) + same_type + board
        )
        return spaces, patterns


class PolicyValueNetwork(nn.Module):
    """Policy and value for a batch of observations of Mammalath or Mammalath Plus.

    Spaces, patterns (the lines and squares of the rules) and types of animals exchange features.
    All spaces share their weights, as do all patterns and all types, so that whatever the rules do
    not tell apart the network cannot tell apart either: its answers for a mirrored or turned
    board, or renamed types, are the same answers mirrored, turned and renamed.
    """

    def __init__(self, channels: int = 32, rounds: int = 3, game: str = "mammalath") -> None:
        """Allocate the layers.

        Args:
            channels: Features of each space, pattern and type.
            rounds: How often they are exchanged.
            game: ``"mammalath"`` or ``"mammalath_plus"``.
        """
        super().__init__()
        self.hyperparameters = {"channels": channels, "rounds": rounds, "game": game}
        rules = make_game(game)
        assert isinstance(rules, MammalathGame)
        self.size = rules.config.size
        incidence = np.zeros((len(rules.patterns), rules.config.num_spaces), np.float32)
        for index, pattern in enumerate(rules.patterns):
            incidence[index, list(pattern)] = 0.5
        self.register_buffer("incidence", torch.from_numpy(incidence), persistent=False)
        self.incidence: Tensor
        self.space_input = nn.Linear(7, channels)
        self.pattern_input = nn.Linear(8, channels)
        self.rounds = nn.ModuleList(Round(channels) for _ in range(rounds))
        self.place_logit = nn.Linear(channels, 1)
        self.pattern_logit = nn.Linear(channels, 1)
        self.type_hidden = nn.Linear(channels, channels)
        self.type_logit = nn.Linear(channels, 1)
        self.board_hidden = nn.Linear(4 * channels, 2 * channels)
        self.swap_logit = nn.Linear(2 * channels, 1)
        self.value = nn.Linear(2 * channels, 1)
        heads = (self.place_logit, self.pattern_logit, self.type_logit, self.swap_logit, self.value)
        for layer in heads:
            nn.init.normal_(layer.weight, std=0.01)
            nn.init.zeros_(layer.bias)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits float[batch, num_actions], illegal ones included, and values [batch].

        Args:
            observations: float[batch, planes, rows, cols], as the player to move sees them.
        """
        size = self.size
        planes = observations.flatten(2)
        types = planes[:, :size]
        animal = types.sum(1)
        own, other, can_swap = planes[:, size], planes[:, size + 1], planes[:, size + 2]
        inputs = [animal, own, other, can_swap, animal * own, animal * other]
        degree = self.incidence.sum(0).expand_as(own) / 4
        space_input = torch.stack([*inputs, degree], 2).transpose(0, 1)
        counts = self.incidence @ types.permute(2, 0, 1).flatten(1)
        counts = counts.view(len(counts), len(own), size)
        pattern_input = (self.incidence @ space_input.flatten(1)).view(len(counts), len(own), 7)
        # How far the animals of a pattern are of one type, which one release would remove.
        alike = counts.square().sum(2, keepdim=True)
        spaces = torch.relu(self.space_input(space_input))
        patterns = torch.relu(self.pattern_input(torch.cat([pattern_input, alike], 2)))
        for each in self.rounds:
            spaces, patterns = each(spaces, patterns, types, self.incidence)
        herds = torch.relu(self.type_hidden(types @ spaces.transpose(0, 1)))
        whole = torch.cat([spaces.mean(0), spaces.amax(0), patterns.mean(0), patterns.amax(0)], 1)
        hidden = torch.relu(self.board_hidden(whole))
        logits = [
            self.place_logit(spaces).squeeze(2).T,
            self.type_logit(herds).squeeze(2),
            self.pattern_logit(patterns).squeeze(2).T,
            self.swap_logit(hidden),
        ]
        return torch.cat(logits, 1), torch.tanh(self.value(hidden)).squeeze(1)


def read_checkpoint(path: str | Path, network: PolicyValueNetwork, option: str) -> dict[str, Any]:
    """Return what a checkpoint holds; end the program if it does not fit the network.

    Args:
        path: File that a learning example has saved.
        network: Network that the checkpoint is for.
        option: The option that asked for the checkpoint, for messages.

    Raises:
        SystemExit: There is no such file, or its network has another game or size.
    """
    if not Path(path).is_file():
        raise SystemExit(f"{option}: there is no checkpoint {path}")
    saved: dict[str, Any] = torch.load(path, weights_only=True)
    for name, value in network.hyperparameters.items():
        found = saved["hyperparameters"][name]
        if found != value:
            raise SystemExit(
                f"{option}: the checkpoint {path} is of --{name} {found}; this run has {value}"
            )
    return saved
