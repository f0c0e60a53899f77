"""Stable-Baselines3 and sb3-contrib: the batched environment as a ``VecEnv``, and self-play.

`OpponentVecEnv` is what ``sb3_contrib.MaskablePPO`` trains on; `CheckpointPool` is a callback
that keeps past versions of the learner as opponents; `PolicyAgent` plays with a trained policy.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mammalath_env.agents.agent import require_running
from mammalath_env.core.checks import checked_choice
from mammalath_env.core.extras import from_extra
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.arguments import game_and_rest
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.opponents import Opponent

with from_extra("sb3", "stable_baselines3", "torch"):
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv

FORMS = ("planes", "flat")


class OpponentVecEnv(VecEnv):
    """Lanes of `OpponentVectorEnv` as a ``VecEnv`` with action masks.

    Lanes that have ended begin their next game in the same step. The info of a lane is empty while
    its game runs. At its end it holds what Stable-Baselines3 looks for: ``terminal_observation``,
    ``TimeLimit.truncated`` (False), ``episode`` with return ``r``, length ``l`` in the learner's
    moves and time ``t`` in seconds since the environment was built, and ``is_success``, whether the
    learner has won. So no ``VecMonitor`` is needed, and the success rate in logs is that of wins.

    Attributes:
        game: The game with its options.
        batches: The batched environments, one for each opponent; their lanes follow each other.
        illegal_actions: How many illegal actions the learner has chosen so far.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        opponents: Sequence[Opponent] = ("random",),
        *,
        observation: str = "planes",
        seat: str = "random",
        channels_first: bool = True,
        num_threads: int | None = None,
        **game_options: Any,
    ) -> None:
        """Allocate the lanes.

        Args:
            game: A name for `make_game`, or a game.
            num_envs: The number of lanes, at least one for each opponent.
            opponents: As for `OpponentVectorEnv`; each gets an equal share of the lanes. The names
                ``"random"`` and ``"greedy"`` are the fast ones.
            observation: ``"planes"`` or ``"flat"``; the mask comes through `action_masks`.
            seat: As for `OpponentVectorEnv`.
            channels_first: Planes as the first axis of an observation, as PyTorch has them.
            num_threads: As for `OpponentVectorEnv`.
            **game_options: Options of `make_game`, if `game` is a name.

        Raises:
            ValueError: An argument has a value that does not exist, or there are fewer lanes than
                opponents.
            TypeError: An argument has the wrong type, or the game has no such option.
        """
        checked_choice("observation", observation, FORMS)
        if isinstance(opponents, str) or not 1 <= len(opponents) <= num_envs:
            raise ValueError(
                f"opponents must be a sequence of 1 to {num_envs} (num_envs), not {opponents!r}"
            )
        self.game, _ = game_and_rest(game, game_options, type(self))
        shares = np.array_split(np.arange(num_envs), len(opponents))
        self.batches = [
            OpponentVectorEnv(
                self.game,
                len(lanes),
                opponent=opponent,
                seat=seat,
                observation=observation,
                autoreset_mode="SameStep",
                num_threads=num_threads,
                channels_first=channels_first,
            )
            for opponent, lanes in zip(opponents, shares, strict=True)
        ]
        self.illegal_actions = 0
        self._needs_reset = False
        self._slices = [slice(int(lanes[0]), int(lanes[-1]) + 1) for lanes in shares]
        self._actions = np.zeros(num_envs, np.int64)
        self._masks = np.zeros((num_envs, self.game.num_actions), np.bool_)
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._built = time.perf_counter()
        first = self.batches[0]
        super().__init__(num_envs, first.single_observation_space, first.single_action_space)

    def reset(self) -> NDArray[np.int8]:
        """Start new games in all lanes, with the seeds and options that were set.

        Returns:
            int8[lanes, ...].

        Raises:
            ValueError: Lanes have different options, or an option has an impossible value.
        """
        options = self._options[0]
        if any(other != options for other in self._options):
            raise ValueError(f"options must be the same in all lanes, not {self._options!r}")
        seen = [
            batch.reset(seed=self._seeds[lanes], options=options)[0]
            for batch, lanes in zip(self.batches, self._slices, strict=True)
        ]
        self._needs_reset = False
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0
        self._lengths[:] = 0
        self._read_masks()
        return np.concatenate(seen)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Store one action for each lane, for `step_wait`.

        Raises:
            TypeError: The actions are not integers.
            ValueError: There is not one for each lane.
        """
        array = np.asarray(actions)
        if array.size != self.num_envs:
            raise ValueError(f"expected {self.num_envs} actions, one a lane, not {array.shape}")
        if not np.issubdtype(array.dtype, np.integer):
            raise TypeError(f"actions must be integers, not {array.dtype}")
        self._actions = array.reshape(self.num_envs)

    def step_wait(
        self,
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions and the replies.

        Returns:
            Observations int8[lanes, ...], rewards float32[lanes], ends bool[lanes], infos.

        Raises:
            RuntimeError: An opponent failed in the step before: some lanes have played and others
                have not, so that only a reset helps.
        """
        if self._needs_reset:
            raise RuntimeError("the last step failed and left lanes apart: call reset() first")
        known = (self._actions >= 0) & (self._actions < self.game.num_actions)
        legal = known & self._masks[np.arange(self.num_envs), np.where(known, self._actions, 0)]
        self._needs_reset = True
        steps = [
            batch.step(self._actions[lanes])
            for batch, lanes in zip(self.batches, self._slices, strict=True)
        ]
        self._needs_reset = False
        self.illegal_actions += self.num_envs - int(legal.sum())
        rewards = np.concatenate([step[1] for step in steps])
        ended = np.concatenate([step[2] for step in steps])
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for (*_, info), lanes in zip(steps, self._slices, strict=True):
            for lane in np.flatnonzero(ended[lanes]):
                infos[lanes.start + lane] = self._end(lanes.start + lane, info["final_obs"][lane])
        self._returns[ended] = 0
        self._lengths[ended] = 0
        self._read_masks()
        return np.concatenate([step[0] for step in steps]), rewards.astype(np.float32), ended, infos

    def _end(self, lane: int, observation: NDArray[np.int8]) -> dict[str, Any]:
        spent = time.perf_counter() - self._built
        episode = {"r": float(self._returns[lane]), "l": int(self._lengths[lane]), "t": spent}
        return {
            "terminal_observation": observation,
            "TimeLimit.truncated": False,
            "episode": episode,
            "is_success": episode["r"] > 0,
        }

    def _read_masks(self) -> None:
        self._masks = np.concatenate([batch.action_masks() for batch in self.batches])

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learner's legal actions, a new bool[lanes, num_actions]."""
        masks: NDArray[np.bool_] = self._masks.copy()
        return masks

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the batch of each lane."""
        batches = [batch for batch in self.batches for _ in range(batch.num_envs)]
        return [getattr(batches[lane], attr_name) for lane in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: lanes share their attributes.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(f"lanes cannot have a {attr_name} of their own")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return the action mask of each lane, bool[num_actions].

        Raises:
            AttributeError: The method is not ``"action_masks"``; lanes have no other one.
        """
        if method_name != "action_masks":
            raise AttributeError(f"lanes have the method action_masks alone, not {method_name}")
        return [self._masks[lane].copy() for lane in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return whether lanes do what a wrapper does: like ``Monitor``, they report episodes."""
        return [issubclass(Monitor, wrapper_class) for _ in self._get_indices(indices)]


class CheckpointOpponent:
    """A past version of the learner, as an opponent of `OpponentVecEnv`.

    It draws its actions from its policy, and plays any legal action until it has one.
    """

    def __init__(self, seed: int | None = None) -> None:
        """Start without a policy; `seed` is for the actions until there is one."""
        self._policy: Any = None
        self._rng = np.random.default_rng(seed)

    def load(self, policy: Any) -> None:
        """Copy the current parameters of `policy`, which keeps changing."""
        if self._policy is None:
            # A policy in use holds tensors that cannot be deep-copied.
            buffer = io.BytesIO()
            policy.save(buffer)
            buffer.seek(0)
            self._policy = type(policy).load(buffer, device=policy.device)
        self._policy.load_state_dict(policy.state_dict())

    def __call__(self, observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[Any]:
        """Return a legal action for each row of `observations` and `masks`, int64[rows]."""
        if self._policy is None:
            scores = np.where(masks, self._rng.random(masks.shape), -1.0)
            return np.asarray(scores.argmax(axis=1))
        return np.asarray(self._policy.predict(observations, action_masks=masks)[0])


class CheckpointPool(BaseCallback):
    """A callback that keeps past versions of the learner as its opponents.

    Give ``pool.opponents`` to `OpponentVecEnv`, alone or among others, and the pool to ``learn``.

    Attributes:
        opponents: The members of the pool, which share the lanes.
        checkpoints: How many versions the learner has left in the pool so far.
    """

    def __init__(self, size: int = 4, every: int = 100_000, seed: int | None = None) -> None:
        """Make a pool of untrained members.

        Args:
            size: The number of members.
            every: Steps of the environment between two replacements of the oldest member.
            seed: Seeds what members play before the first checkpoint.

        Raises:
            ValueError: `size` or `every` is not positive.
        """
        if size < 1 or every < 1:
            raise ValueError(f"size and every must be at least 1, not {size} and {every}")
        super().__init__()
        self.opponents = [
            CheckpointOpponent(None if seed is None else seed + number) for number in range(size)
        ]
        self.checkpoints = 0
        self._every = every
        self._due = every

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        # Between rollouts, so that the data of one update come from the same opponents.
        if self.num_timesteps >= self._due:
            self.opponents[self.checkpoints % len(self.opponents)].load(self.model.policy)
            self.checkpoints += 1
            self._due = self.num_timesteps + self._every


class PolicyAgent:
    """A trained policy as an agent for matches, commands and environments."""

    def __init__(
        self,
        model: Any,
        name: str = "policy",
        *,
        channels_first: bool = True,
        deterministic: bool = True,
    ) -> None:
        """Take a model.

        Args:
            model: Something with ``observation_space`` and ``predict(..., action_masks=...)``,
                such as a ``MaskablePPO``.
            name: A name for tables.
            channels_first: As for the environment that the model was trained on.
            deterministic: Whether to play the likeliest action instead of drawing one.
        """
        self.name = name
        self._predict: Callable[..., Any] = model.predict
        self._shape = model.observation_space.shape
        self._channels_first = channels_first
        self._deterministic = deterministic

    def act(self, position: Position) -> int:
        """See `Agent.act`."""
        require_running(position)
        planes = position.observation(position.to_move, self._channels_first)
        action, _ = self._predict(
            planes.reshape(self._shape),
            action_masks=position.action_mask(),
            deterministic=self._deterministic,
        )
        return int(action)
