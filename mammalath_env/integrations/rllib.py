"""Ray RLlib (new API stack): environment, masked module, self-play of one shared policy.

Needs the extra ``rllib``. Start with `self_play_config`; the rest can be used without it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mammalath_env.agents.agent import require_running
from mammalath_env.core.extras import from_extra
from mammalath_env.core.position import Position
from mammalath_env.envs.aec import AGENTS, BoardGameEnv, Observation
from mammalath_env.envs.turn import ILLEGAL_TERMINATION

# The last three come with Ray's own extra alone.
with from_extra("rllib", "ray", "torch", "tree", "lz4", "pyarrow"):
    import ray
    import torch
    from ray.rllib.algorithms.algorithm import Algorithm
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.callbacks.callbacks import RLlibCallback
    from ray.rllib.core import COMPONENT_LEARNER, COMPONENT_RL_MODULE
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModule, RLModuleSpec
    from ray.rllib.core.rl_module.apis import ValueFunctionAPI
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.utils.metrics import WEIGHTS_SEQ_NO

POLICY = "shared"
"""The id of the policy that plays both seats."""

# Added to the logits of illegal actions by `MaskedModule`; finite, so that no gradient is NaN.
_ILLEGAL_LOGIT = -1e9
_DEFAULT_HIDDEN = (256, 256)


class BoardGameMultiAgentEnv(MultiAgentEnv):
    """A game for RLlib: each step returns only the observation of the agent to move.

    The step that ends a game has the observations of both agents, so that each of them gets its
    last reward. An illegal action ends the game as in the AEC environment; RLlib's own check of
    environments plays such actions on purpose.

    Attributes:
        env: The AEC environment inside.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        """Build the environment.

        Args:
            config: ``"game"`` (default ``"mammalath"``) and the other arguments of `BoardGameEnv`.

        Raises:
            ValueError: An argument has a value that does not exist.
            TypeError: An argument has the wrong type, or there is no such option.
        """
        super().__init__()
        options = {"game": "mammalath", **(config or {})}
        self.env = BoardGameEnv(options.pop("game"), **options)
        self._worker = int(getattr(config, "worker_index", 0))
        self.render_mode = self.env.render_mode
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        self.observation_spaces = self.env.observation_spaces
        self.action_spaces = self.env.action_spaces

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start a game; seed and options as in the AEC environment.

        In a remote env runner, the number of the runner changes the seed: RLlib gives its
        environments the seeds s+1, s+2, ..., and those of the next runner s+2, s+3, ...

        Returns:
            Observation and info of the agent to move.
        """
        if seed is not None and self._worker > 0:
            seed = int(np.random.SeedSequence((seed, self._worker)).generate_state(1)[0])
        self.env.reset(seed, options)
        mover = self.env.agent_selection
        return {mover: self.env.observe(mover)}, {mover: self.env.infos[mover]}

    def step(
        self, action_dict: Mapping[str, int]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play the action of the agent to move.

        Args:
            action_dict: That action, under the name of the agent.

        Returns:
            Observations and infos of the next agent to move, or of both agents after the end;
            rewards of both; terminations and truncations with the key ``"__all__"``.

        Raises:
            ValueError: There is not exactly the action of the agent to move.
            gymnasium.error.ResetNeeded: No agent is left, or no game was started.
            TypeError: The action is not an integer.
        """
        env = self.env
        if env.agents and set(action_dict) != {env.agent_selection}:
            raise ValueError(
                f"step() needs an action of {env.agent_selection} alone; "
                f"got actions of {list(action_dict)}"
            )
        env.step(next(iter(action_dict.values()), None))
        over = env.terminations[AGENTS[0]]
        if over:
            # No agent acts any more, but RLlib still expects the names in its own list.
            env.agents = []
        seeing = AGENTS if over else (env.agent_selection,)
        return (
            {agent: env.observe(agent) for agent in seeing},
            dict(env.rewards),
            {**dict.fromkeys(seeing, over), "__all__": over},
            {**dict.fromkeys(seeing, False), "__all__": False},
            {agent: env.infos[agent] for agent in seeing},
        )

    def render(self) -> Any:
        """Draw the position and the last move, as the AEC environment does."""
        return self.env.render()


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """A policy and a value over our observations that gives illegal actions probability 0.

    The network is a perceptron over the flattened observation, each number divided by its highest
    possible value, with two linear heads. Subclass it and override `setup` for another one.

    ``model_config`` may hold ``"hidden"``: the widths of the layers, by default (256, 256).
    """

    def setup(self) -> None:
        """Build the network."""
        space = self.observation_space["observation"]
        layers: list[torch.nn.Module] = []
        width = int(np.prod(space.shape))
        for hidden in dict(self.model_config or {}).get("hidden", _DEFAULT_HIDDEN):
            layers += [torch.nn.Linear(width, hidden), torch.nn.ReLU()]
            width = hidden
        self.scale = 1.0 / float(space.high.max())
        self.body = torch.nn.Sequential(*layers)
        self.policy_head = torch.nn.Linear(width, int(self.action_space.n))
        self.value_head = torch.nn.Linear(width, 1)

    def embed(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the input of the two heads, float32[batch, width].

        Args:
            observation: Numbers[batch, ...].
        """
        features: torch.Tensor = self.body(observation.float().flatten(1) * self.scale)
        return features

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, torch.Tensor]:
        observation = batch[Columns.OBS]
        embeddings = self.embed(observation["observation"])
        logits = self.policy_head(embeddings)
        return {
            Columns.EMBEDDINGS: embeddings,
            Columns.ACTION_DIST_INPUTS: logits.masked_fill(
                observation["action_mask"] == 0, _ILLEGAL_LOGIT
            ),
        }

    def compute_values(
        self, batch: dict[str, Any], embeddings: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return the value of each observation for the agent that observes it, float32[batch]."""
        if embeddings is None:
            embeddings = self.embed(batch[Columns.OBS]["observation"])
        values: torch.Tensor = self.value_head(embeddings).squeeze(-1)
        return values


class IllegalActionCount(RLlibCallback):
    """Log how many games ended by an illegal action.

    The number since the last iteration is ``result["env_runners"]["illegal_actions"]``.
    """

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **kwargs: Any) -> None:
        """Record the end of one game; called by RLlib."""
        termination = next(iter(episode.get_infos(-1).values()))["termination"]
        illegal = termination == ILLEGAL_TERMINATION
        metrics_logger.log_value("illegal_actions", int(illegal), reduce="sum")

    def on_sample_end(self, *, metrics_logger: Any, **kwargs: Any) -> None:
        """Log a zero, so that batches in which no game ends have a number too."""
        metrics_logger.log_value("illegal_actions", 0, reduce="sum")


def shared_policy(agent_id: str, episode: Any, **kwargs: Any) -> str:
    """Return the policy of an agent: `POLICY` for both."""
    return POLICY


def self_play_config(
    game: str = "mammalath",
    *,
    module_class: type[TorchRLModule] = MaskedModule,
    model_config: Mapping[str, Any] | None = None,
    **options: Any,
) -> PPOConfig:
    """Return a configuration of PPO in which one policy plays both seats.

    Change the rest as in any configuration: ``.env_runners(num_env_runners=4)``,
    ``.training(lr=1e-4)``, ``.debugging(seed=1)``, ``.fault_tolerance(...)``.

    Args:
        game: A name for `make_game`.
        module_class: The module of the policy.
        model_config: Its configuration.
        **options: The other arguments of `BoardGameMultiAgentEnv`.
    """
    return (
        PPOConfig()
        .environment(BoardGameMultiAgentEnv, env_config={"game": game, **options})
        # With complete episodes and a seed, RLlib would start every batch with the same deals.
        .env_runners(batch_mode="truncate_episodes")
        # Rewards come at the end of a game; a discount would make long games count less.
        .training(gamma=1.0)
        .multi_agent(policies={POLICY}, policy_mapping_fn=shared_policy)
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={
                    POLICY: RLModuleSpec(
                        module_class=module_class, model_config=dict(model_config or {})
                    )
                }
            )
        )
        .callbacks(IllegalActionCount)
    )


def restore(algorithm: Algorithm, path: str | os.PathLike[str]) -> None:
    """Load a checkpoint into an algorithm, and its weights into all env runners before returning.

    The restored iteration changes the seed of each env runner, so that a rebuilt algorithm of the
    same seed does not deal the same games again.

    RLlib's ``restore_from_path`` leaves out remote env runners that have not yet answered an
    earlier message, or that have newer weights: they would play the next batch with other weights.

    Args:
        algorithm: Built with the configuration of the one that was saved; the number of env
            runners may differ.
        path: A folder that ``save_to_path`` has written.
    """
    algorithm.restore_from_path(os.fspath(Path(path).resolve()))
    learner = algorithm.learner_group.get_state(
        components=f"{COMPONENT_LEARNER}/{COMPONENT_RL_MODULE}", inference_only=True
    )[COMPONENT_LEARNER]
    weights = {COMPONENT_RL_MODULE: ray.put(learner[COMPONENT_RL_MODULE])}
    number = {WEIGHTS_SEQ_NO: learner[WEIGHTS_SEQ_NO]}
    iteration = algorithm.iteration

    def take(runner: Any) -> None:
        # Weights without a sequence number are always accepted; then the number is set.
        runner.set_state(weights)
        runner.set_state({**weights, **number})
        # Used at its first reset. RLlib has no public way to change the seed of an env runner.
        if runner._seed is not None:
            runner._seed = int(
                np.random.SeedSequence((runner._seed, iteration)).generate_state(1)[0]
            )

    algorithm.env_runner_group.foreach_env_runner(take)


class RLModuleAgent:
    """A trained module as an agent, for matches and for `AECPolicy`."""

    def __init__(
        self,
        module: RLModule,
        seed: int | np.random.Generator | None = None,
        *,
        channels_first: bool = False,
        sample: bool = False,
        name: str = "rllib",
    ) -> None:
        """Take the module.

        Args:
            module: From ``algorithm.get_module(POLICY)`` or a checkpoint.
            seed: For `sample`.
            channels_first: As in the environment that the module was trained in.
            sample: Draw from the policy, instead of playing its most probable action.
            name: A short name for tables and pictures.
        """
        self.name = name
        self._module = module
        self._rng = np.random.default_rng(seed)
        self._channels_first = channels_first
        self._sample = sample

    def act(self, position: Position) -> int:
        """See `Agent.act`."""
        require_running(position)
        planes = position.observation(position.to_move, self._channels_first)
        mask = position.action_mask()
        observation = {
            "observation": torch.from_numpy(planes[None]),
            "action_mask": torch.from_numpy(mask[None].astype(np.int8)),
        }
        with torch.no_grad():
            output = self._module.forward_inference({Columns.OBS: observation})
        legal = np.flatnonzero(mask)
        logits = output[Columns.ACTION_DIST_INPUTS][0].cpu().numpy()[legal].astype(np.float64)
        if not self._sample:
            return int(legal[logits.argmax()])
        probabilities = np.exp(logits - logits.max())
        return int(self._rng.choice(legal, p=probabilities / probabilities.sum()))
