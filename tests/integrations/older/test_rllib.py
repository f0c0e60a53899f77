"""RLlib: the environment, masked self-play, and what survives a lost worker or a restart."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mammalath_env.arena import play_match
from mammalath_env.core.game import Game
from mammalath_env.envs.aec import AGENTS, BoardGameEnv
from mammalath_env.games import make_game
from tests.integrations.required import library

library("ray")

import torch  # noqa: E402
from ray.rllib.core.columns import Columns  # noqa: E402
from ray.rllib.env.env_context import EnvContext  # noqa: E402
from ray.rllib.utils.pre_checks.env import check_multiagent_environments  # noqa: E402

from mammalath_env.integrations.rllib import (  # noqa: E402
    POLICY,
    BoardGameMultiAgentEnv,
    MaskedModule,
    RLModuleAgent,
    restore,
)
from tests.integrations.older.training import (  # noqa: E402
    BATCH,
    as_arrays,
    equal,
    remote_weights,
    runners_of,
    small,
    train_until_restarted,
    weights_of,
)

pytestmark = [
    # Workers of Ray import PyTorch and RLlib, one after the other on a busy machine.
    pytest.mark.timeout(600),
    # Ray's own code uses what it or NumPy has deprecated, and leaves files and sockets open.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    # Each algorithm registers its environment under the same id.
    pytest.mark.filterwarnings("ignore:.*Overriding environment rllib-multi-agent-env-v0"),
    pytest.mark.usefixtures("ray_of_one_machine"),
]


class CountingEnv(BoardGameMultiAgentEnv):
    """Records deals and counts actions; for local env runners."""

    deals: list[str] = []  # noqa: RUF012
    actions = 0
    illegal = 0

    def reset(self, **arguments: Any) -> Any:
        """Record the deal."""
        result = super().reset(**arguments)
        CountingEnv.deals.append(self.env.position.to_text())
        return result

    def step(self, action_dict: Any) -> Any:
        """Count the action."""
        (action,) = action_dict.values()
        CountingEnv.actions += 1
        CountingEnv.illegal += not self.env.position.action_mask()[action]
        return super().step(action_dict)


class UnmaskedModule(MaskedModule):
    """Ignores the mask."""

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> Any:
        observation = dict(batch[Columns.OBS])
        observation["action_mask"] = torch.ones_like(observation["action_mask"])
        return super()._forward({**batch, Columns.OBS: observation})


def test_environment_passes_the_check_of_rllib(game: Game) -> None:
    """The check plays unmasked actions too."""
    check_multiagent_environments(BoardGameMultiAgentEnv({"game": game.name}))


def test_environment_agrees_with_the_aec_environment(game: Game) -> None:
    """One agent sees each position, both see the end and get its rewards."""
    env, plain = BoardGameMultiAgentEnv({"game": game.name}), BoardGameEnv(game)
    rng = np.random.default_rng(3)
    observations, infos = env.reset(seed=4)
    plain.reset(seed=4)
    returns = dict.fromkeys(AGENTS, 0.0)
    over = False
    while not over:
        mover = plain.agent_selection
        assert list(observations) == list(infos) == [mover]
        mask = plain.observe(mover)["action_mask"]
        np.testing.assert_equal(observations[mover], plain.observe(mover))
        with pytest.raises(ValueError, match=f"an action of {mover} alone"):
            env.step(dict.fromkeys(AGENTS, 0))
        action = int(rng.choice(np.flatnonzero(mask)))
        observations, rewards, terminated, truncated, infos = env.step({mover: action})
        plain.step(action)
        over = terminated["__all__"]
        assert rewards == plain.rewards
        assert not any(truncated.values())
        returns = {agent: returns[agent] + rewards[agent] for agent in AGENTS}
    assert set(observations) == set(infos) == set(AGENTS)
    assert terminated == {**dict.fromkeys(AGENTS, True), "__all__": True}
    assert sum(returns.values()) == 0
    for agent in AGENTS:
        assert not observations[agent]["action_mask"].any()
        assert infos[agent] == plain.infos[agent]


def test_env_runners_deal_differently() -> None:
    """RLlib gives runners overlapping seeds; a local runner, number 0, uses a seed as it is."""
    deals = []
    for worker in range(3):
        env = BoardGameMultiAgentEnv(EnvContext({"game": "mammalath"}, worker_index=worker))
        env.reset(seed=6)
        deals.append(env.env.position.to_text())
        env.reset(seed=6)
        assert env.env.position.to_text() == deals[-1]
    assert len(set(deals)) == 3
    plain = BoardGameEnv("mammalath")
    plain.reset(seed=6)
    assert deals[0] == plain.position.to_text()


@pytest.mark.parametrize("game", ["mammalath", "mancala"])
def test_self_play_learns_without_illegal_actions(game: str) -> None:
    """The weights change, and batches do not repeat their deals."""
    config = small(game).environment(CountingEnv, disable_env_checking=True)
    algorithm = config.env_runners(num_envs_per_env_runner=2).build_algo()
    CountingEnv.deals, CountingEnv.actions, CountingEnv.illegal = [], 0, 0
    before = weights_of(algorithm)
    for _ in range(3):
        result = algorithm.train()
        assert np.isfinite(result["learners"][POLICY]["total_loss"])
    assert CountingEnv.actions >= 3 * BATCH
    assert CountingEnv.illegal == 0
    assert result["env_runners"]["illegal_actions"] == 0
    if game == "mammalath":
        # The games of Mancala differ in who begins, and in nothing else.
        assert len(set(CountingEnv.deals)) == len(CountingEnv.deals) >= 8
    after = weights_of(algorithm)
    assert not any((before[name] == after[name]).all() for name in before)
    algorithm.stop()


def test_illegal_actions_of_an_unmasked_module_are_counted() -> None:
    """Remote env runners count the illegal actions of a module without masks."""
    algorithm = small(env_runners=1, module_class=UnmaskedModule).build_algo()
    played = algorithm.train()["env_runners"]
    assert played["illegal_actions"] > 5
    assert played["episode_len_mean"] < 15
    algorithm.stop()


def test_training_survives_killed_env_runners() -> None:
    """A killed runner is restarted, gets the current weights and plays."""
    config = small("mancala", env_runners=2).fault_tolerance(restart_failed_env_runners=True)
    algorithm = config.build_algo()
    algorithm.train()
    before = weights_of(algorithm)
    processes = runners_of(algorithm)
    assert set(processes) == {1, 2}
    os.kill(processes[1][0], signal.SIGKILL)
    train_until_restarted(algorithm, 2)
    now = runners_of(algorithm)
    assert set(now) == {1, 2}
    assert now[1] != processes[1]
    assert now[2] == processes[2]
    after = weights_of(algorithm)
    assert not equal(before, after)
    here = as_arrays(algorithm.get_module(POLICY).get_state())
    for weights in (here, *remote_weights(algorithm)):
        assert equal({name: after[name] for name in weights}, weights)
    algorithm.stop()


def test_a_checkpoint_restores_weights_and_iteration(tmp_path: Path) -> None:
    """Weights are restored in the learner and in remote env runners."""
    algorithm = small("mancala").build_algo()
    for _ in range(2):
        algorithm.train()
    algorithm.save_to_path(str(tmp_path))
    saved = weights_of(algorithm)
    algorithm.stop()

    another = small("mancala", env_runners=1).build_algo()
    assert not equal(saved, weights_of(another))
    # Into a new algorithm, then into one that has trained further.
    for _ in range(2):
        restore(another, tmp_path)
        assert equal(saved, weights_of(another))
        (remote,) = remote_weights(another)
        # Env runners have no value head.
        assert "policy_head.weight" in remote
        assert equal({name: saved[name] for name in remote}, remote)
        assert another.train()["training_iteration"] == 3
        assert not equal(saved, weights_of(another))
        (remote,) = remote_weights(another)
        now = weights_of(another)
        assert equal({name: now[name] for name in remote}, remote)
    another.stop()


def test_a_restored_algorithm_deals_new_games(tmp_path: Path) -> None:
    """With the same seed, and the same new games each time."""
    config = small().environment(CountingEnv, disable_env_checking=True)
    dealt: list[list[str]] = []
    for run in range(3):
        algorithm = config.copy().build_algo()
        if run > 0:
            restore(algorithm, tmp_path)
        CountingEnv.deals = []
        algorithm.train()
        dealt.append(CountingEnv.deals)
        if run == 0:
            algorithm.save_to_path(str(tmp_path))
        algorithm.stop()
    first, second, again = dealt
    assert len(first) > 1
    assert not set(first) & set(second)
    assert second == again


@pytest.mark.parametrize("sample", [False, True])
def test_a_module_as_an_agent(sample: bool) -> None:
    """It does not forfeit, plays the same with the same seed, and samples only if asked to."""
    game = make_game("mammalath")
    env = BoardGameEnv(game)
    module = MaskedModule(
        observation_space=env.observation_space(AGENTS[0]),
        action_space=env.action_space(AGENTS[0]),
        model_config={"hidden": (16,)},
    )

    def agent(seed: int) -> RLModuleAgent:
        """Return the module as an agent."""
        return RLModuleAgent(module, seed, sample=sample)

    results = [play_match(game, agent, "random", 3, seed=8) for _ in range(2)]
    assert results[0] == results[1]
    assert results[0].forfeits == (0, 0)
    position = game.deal(1)
    chosen = {agent(seed).act(position) for seed in range(20)}
    assert (len(chosen) > 1) == sample
