"""AgileRL: one seat against the random agent, and IPPO for both seats."""

from __future__ import annotations

import sys
import warnings
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest

from mammalath_env.core.game import Game
from mammalath_env.envs.parallel import BoardGameParallelEnv
from mammalath_env.envs.registration import gymnasium_id
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.integrations.mask_in_info import MaskInInfoEnv, flat_observation, mask_of
from tests.integrations.examples import OPPONENT, example, run_example, steps_of_progress
from tests.integrations.required import library

# AgileRL and what it brings use what others have deprecated.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

with warnings.catch_warnings():
    # Importing AgileRL warns of what it deprecates itself.
    warnings.simplefilter("ignore")
    library("agilerl")
    import torch
    from agilerl.algorithms import DQN, IPPO, PPO
    from agilerl.components.replay_buffer import ReplayBuffer
    from agilerl.training.train_multi_agent_on_policy import (
        train_multi_agent_on_policy,
    )
    from agilerl.training.train_off_policy import train_off_policy
    from agilerl.training.train_on_policy import train_on_policy
    from agilerl.vector.pz_async_vec_env import AsyncPettingZooVecEnv

    from mammalath_env.integrations.agilerl import MaskedIPPO

NETWORK = {"encoder_config": {"hidden_size": [32]}}
STEPS = 256


class CountingEnv(SingleAgentEnv):
    """Counts the actions of the learner."""

    actions = 0
    illegal = 0

    def step(self, action: Any) -> Any:
        """Count the action."""
        CountingEnv.actions += 1
        CountingEnv.illegal += not self.action_masks()[int(action)]
        return super().step(action)


@pytest.fixture
def envs() -> Any:
    """Two games side by side against the random agent."""
    CountingEnv.actions = CountingEnv.illegal = 0
    make = partial(CountingEnv, "mammalath", opponent="random", observation="flat")
    envs = gymnasium.vector.SyncVectorEnv([make, make])
    envs.reset(seed=3)
    torch.manual_seed(3)
    return envs


def weights_of(network: Any) -> list[Any]:
    """Return copies of the weights of a network."""
    return [value.detach().clone() for value in network.parameters()]


def all_changed(before: list[Any], network: Any) -> bool:
    """Return whether no weight matrix is what it was."""
    now = weights_of(network)
    return not any(torch.equal(one, other) for one, other in zip(before, now, strict=True))


def test_ppo_plays_legal_actions_only(envs: Any) -> None:
    """It reads the mask from the infos of Gymnasium's vector environment."""
    spaces = envs.single_observation_space, envs.single_action_space
    learner = PPO(*spaces, net_config=NETWORK, num_envs=2, learn_step=64, batch_size=32)
    before = weights_of(learner.actor)
    train_on_policy(
        env=envs,
        env_name="mammalath",
        algo="PPO",
        pop=[learner],
        max_steps=STEPS,
        evo_steps=STEPS,
        eval_steps=20,
        verbose=False,
    )
    assert CountingEnv.actions >= 0.8 * STEPS
    assert CountingEnv.illegal == 0
    assert all_changed(before, learner.actor)


def test_dqn_plays_legal_actions_only(envs: Any) -> None:
    """Greedy and random actions are both masked."""
    spaces = envs.single_observation_space, envs.single_action_space
    learner = DQN(*spaces, net_config=NETWORK, learn_step=4, batch_size=32, lr=1e-3)
    before = weights_of(learner.actor)
    train_off_policy(
        env=envs,
        env_name="mammalath",
        algo="DQN",
        pop=[learner],
        memory=ReplayBuffer(max_size=1000),
        max_steps=STEPS,
        evo_steps=STEPS,
        learning_delay=0,
        eval_steps=20,
        verbose=False,
    )
    assert CountingEnv.actions >= 0.8 * STEPS
    assert CountingEnv.illegal == 0
    assert all_changed(before, learner.actor)


@pytest.mark.parametrize("flat", [False, True])
def test_masks_in_infos_are_those_of_the_parallel_environment(game: Game, flat: bool) -> None:
    """Rewards and ends too; observations are scaled to 1."""
    env, plain = MaskInInfoEnv(game, flat=flat), BoardGameParallelEnv(game)
    rng = np.random.default_rng(2)
    seen, infos = env.reset(seed=5)
    expected, _ = plain.reset(seed=5)
    while True:
        assert env.agents == plain.agents
        for agent, observation in expected.items():
            assert seen[agent] in env.observation_space(agent)
            planes = (seen[agent] * game.observation_high).round().reshape(game.observation_shape)
            np.testing.assert_array_equal(planes, observation["observation"])
            np.testing.assert_array_equal(infos[agent]["action_mask"], observation["action_mask"])
            assert "termination" in infos[agent]
        if not env.agents:
            break
        actions = {
            agent: int(rng.choice(np.flatnonzero(infos[agent]["action_mask"])))
            for agent in env.agents
        }
        seen, rewards, terminations, truncations, infos = env.step(actions)
        expected, *others, _ = plain.step(actions)
        assert others == [rewards, terminations, truncations]


def test_ippo_trains_both_seats() -> None:
    """Both seats learn, and an illegal action of the mover would raise."""
    torch.manual_seed(3)
    make = partial(MaskInInfoEnv, "mammalath", with_mask=True, illegal_action="raise")
    learner = masked_ippo(make(), learn_step=64, batch_size=32)
    assert list(learner.actors) == ["player"]
    before = weights_of(learner.actors["player"])
    envs = AsyncPettingZooVecEnv([make, make])
    train_multi_agent_on_policy(
        env=envs,
        env_name="mammalath",
        algo="IPPO",
        pop=[learner],
        sum_scores=False,
        max_steps=STEPS,
        evo_steps=STEPS,
        eval_steps=20,
        verbose=False,
    )
    assert all_changed(before, learner.actors["player"])


def masked_ippo(env: MaskInInfoEnv, **options: Any) -> MaskedIPPO:
    """Return a small learner for both agents of an environment."""
    return MaskedIPPO(
        observation_spaces=[env.observation_space(agent) for agent in env.possible_agents],
        action_spaces=[env.action_space(agent) for agent in env.possible_agents],
        agent_ids=env.possible_agents,
        net_config=NETWORK,
        **options,
    )


def test_ippo_samples_legal_actions_only() -> None:
    """The mask of each environment and agent is applied to its own row."""
    learner = masked_ippo(MaskInInfoEnv("mancala", with_mask=True))
    # Two agents, three environments, one legal action each.
    legal = {"player_0": [0, 1, 2], "player_1": [3, 4, 5]}
    planes = np.zeros((3, 16), np.float32)
    observations = {
        agent: np.hstack([planes, np.eye(6, dtype=np.float32)[rows]])
        for agent, rows in legal.items()
    }
    actions = learner.get_action(observations, {agent: {} for agent in legal})[0]
    assert {agent: np.ravel(rows).tolist() for agent, rows in actions.items()} == legal
    log_probs = learner.log_probs(observations["player_1"][0])
    assert log_probs.argmax() == 3
    assert log_probs[3] == pytest.approx(0)
    assert (np.delete(log_probs, 3) < -1e6).all()


def roll_out(learner: MaskedIPPO, envs: Any, steps: int) -> tuple[Any, ...]:
    """Return what AgileRL's training hands to ``learn`` after some steps."""
    fields: list[dict[str, list[Any]]] = [
        {agent: [] for agent in learner.agent_ids} for _ in range(6)
    ]
    seen, infos = envs.reset(seed=2)
    done = {agent: np.zeros(envs.num_envs) for agent in learner.agent_ids}
    for _ in range(steps):
        actions, log_probs, _, values = learner.get_action(seen, infos)
        following, rewards, terminated, _, infos = envs.step(actions)
        for field, value in zip(
            fields, (seen, actions, log_probs, rewards, done, values), strict=True
        ):
            for agent in learner.agent_ids:
                field[agent].append(value[agent])
        seen, done = following, terminated
    return (*fields, seen, done)


def first_ratios(learner: MaskedIPPO, experiences: tuple[Any, ...], learn: Any) -> Any:
    """Return the probability ratios of the first pass of an update, sorted; steps are tiny."""
    (actor,) = learner.actors.values()
    seen: list[Any] = []
    ask = actor.action_log_prob

    def ask_and_keep(actions: Any) -> Any:
        log_probs = ask(actions)
        seen.append(log_probs.detach().numpy().copy())
        return log_probs

    actor.action_log_prob = ask_and_keep
    learn(learner, experiences)
    del actor.action_log_prob
    before = np.concatenate([np.ravel(rows) for rows in experiences[2].values()])
    # Batches are shuffled, and so are compared as multisets.
    return np.exp(np.sort(np.concatenate(seen)) - np.sort(before))


def test_the_update_of_ippo_has_the_masks_of_its_actions() -> None:
    """Before the first step all probability ratios are 1; without masks they are not.

    Every row of the update has the observation, the action and the probability that belong
    together, or the ratios would differ from 1 too.
    """
    torch.manual_seed(3)
    make = partial(MaskInInfoEnv, "mammalath", with_mask=True, illegal_action="raise")
    learner = masked_ippo(make(), batch_size=16, update_epochs=1, lr=1e-12)
    envs = AsyncPettingZooVecEnv([make, make])
    experiences = roll_out(learner, envs, 40)
    envs.close()
    ratios = first_ratios(learner, experiences, MaskedIPPO.learn)
    assert len(ratios) == 160
    np.testing.assert_allclose(ratios, 1, atol=1e-4)
    # AgileRL's own update, which the documentation warns of.
    unmasked = first_ratios(learner, experiences, IPPO.learn)
    assert np.abs(unmasked - 1).max() > 0.3


def test_flat_observations_of_positions_are_those_of_the_environment(game: Game) -> None:
    """With the mask and without, for the player to move and for the one that waits."""
    rng = np.random.default_rng(5)
    for with_mask in (False, True):
        env = MaskInInfoEnv(game, with_mask=with_mask)
        seen, infos = env.reset(seed=1)
        while env.agents:
            position = env.env.position
            for player, agent in enumerate(env.possible_agents):
                assert seen[agent] in env.observation_space(agent)
                np.testing.assert_array_equal(
                    seen[agent], flat_observation(position, player, with_mask)
                )
                np.testing.assert_array_equal(
                    infos[agent]["action_mask"], mask_of(position, player)
                )
            actions = {
                agent: int(rng.choice(np.flatnonzero(infos[agent]["action_mask"])))
                for agent in env.agents
            }
            seen, _, _, _, infos = env.step(actions)
    with pytest.raises(ValueError, match="with_mask=True needs flat=True"):
        MaskInInfoEnv(game, flat=False, with_mask=True)


@pytest.mark.parametrize("file_name", ["agilerl_ppo.py", "agilerl_selfplay.py"])
def test_the_agilerl_examples_report(file_name: str) -> None:
    """Both examples end without an illegal action, which would raise."""
    options = ["--game", "mancala", "--iterations", "2", "--batch", "64"]
    options += ["--opponent", OPPONENT, "--games", "4"]
    printed = run_example(file_name, *options)
    assert steps_of_progress(printed, OPPONENT, 4) == [64, 128]


def test_self_play_repeats_with_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters depend on the seed alone, the environments in processes included."""
    script = example("agilerl_selfplay.py")
    learners = []

    def train(pop: list[Any], **arguments: Any) -> None:
        """Train, and keep the learner."""
        train_multi_agent_on_policy(pop=pop, **arguments)
        learners.extend(pop)

    monkeypatch.setattr(script, "train_multi_agent_on_policy", train)
    for seed in ("7", "7", "8"):
        options = ["--iterations", "2", "--batch", "64", "--games", "1", "--seed", seed]
        monkeypatch.setattr(sys, "argv", ["agilerl_selfplay.py", *options])
        script.main()
    one, again, other = (weights_of(learner.actors["player"]) for learner in learners)
    assert all(torch.equal(*pair) for pair in zip(one, again, strict=True))
    assert not any(torch.equal(*pair) for pair in zip(one, other, strict=True) if pair[0].dim() > 1)


def test_the_registered_id_has_masks_in_infos() -> None:
    """The example makes its vector environment from it."""
    envs = gymnasium.make_vec(
        gymnasium_id("mancala"), num_envs=2, vectorization_mode="sync", opponent="random"
    )
    _, info = envs.reset(seed=1)
    assert info["action_mask"].shape == (2, 6)
    assert info["action_mask"].dtype == np.int8
