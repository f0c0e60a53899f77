"""Stable-Baselines3 and sb3-contrib: the batched environment, self-play, and trained policies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mammalath_env import GAMES, make_game
from mammalath_env.arena import play_match
from mammalath_env.core.errors import GameOverError
from mammalath_env.core.game import Game
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.single_agent import SingleAgentEnv
from tests.integrations.examples import (
    any_changed,
    example,
    parameters,
    run_example,
    steps_of_progress,
)
from tests.integrations.required import library

sb3_contrib: Any = library("sb3_contrib")

import torch  # noqa: E402
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback  # noqa: E402
from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3.common.env_checker import check_env  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv  # noqa: E402

from mammalath_env.integrations.sb3 import (  # noqa: E402
    CheckpointOpponent,
    CheckpointPool,
    OpponentVecEnv,
    PolicyAgent,
)


def make_model(env: Any, **options: Any) -> Any:
    """Return a small MaskablePPO."""
    options = {"n_steps": 16, "batch_size": 64, "n_epochs": 1, "seed": 1, **options}
    return sb3_contrib.MaskablePPO("MlpPolicy", env, device="cpu", **options)


def random_actions(env: OpponentVecEnv, rng: np.random.Generator) -> Any:
    """Return a legal action for each lane."""
    masks = env.action_masks()
    return np.where(masks, rng.random(masks.shape), -1.0).argmax(axis=1)


def test_steps_agree_with_the_batched_environment(game: Game) -> None:
    """In observations, rewards, masks, episode ends and final observations, for each opponent."""
    env = OpponentVecEnv(game, 5, ["greedy", "random"], observation="flat", channels_first=False)
    plain = [
        OpponentVectorEnv(game, count, opponent=name, observation="flat", autoreset_mode="SameStep")
        for count, name in ((3, "greedy"), (2, "random"))
    ]
    env.seed(11)
    seen = env.reset()
    expected = [plain[0].reset(seed=[11, 12, 13])[0], plain[1].reset(seed=[14, 15])[0]]
    assert env.observation_space.shape == (int(np.prod(game.observation_shape)),)
    rng = np.random.default_rng(2)
    returns, lengths, times, ends = np.zeros(5), np.zeros(5, int), np.zeros(5), 0
    for _ in range(150):
        np.testing.assert_array_equal(seen, np.concatenate(expected))
        masks = np.concatenate([each.action_masks() for each in plain])
        np.testing.assert_array_equal(get_action_masks(env), masks)
        actions = random_actions(env, rng)
        seen, rewards, ended, infos = env.step(actions)
        steps = [plain[0].step(actions[:3]), plain[1].step(actions[3:])]
        expected = [step[0] for step in steps]
        np.testing.assert_array_equal(rewards, np.concatenate([step[1] for step in steps]))
        np.testing.assert_array_equal(ended, np.concatenate([step[2] for step in steps]))
        returns += rewards
        lengths += 1
        for lane in range(5):
            if not ended[lane]:
                assert infos[lane] == {}
                continue
            ends += 1
            final = steps[lane // 3][4]["final_obs"][lane % 3]
            np.testing.assert_array_equal(infos[lane]["terminal_observation"], final)
            episode = infos[lane]["episode"]
            assert times[lane] < episode["t"]
            times[lane] = episode["t"]
            assert episode == {"r": returns[lane], "l": lengths[lane], "t": times[lane]}
            assert infos[lane]["is_success"] == (returns[lane] > 0)
            assert infos[lane]["TimeLimit.truncated"] is False
            returns[lane] = lengths[lane] = 0
    assert ends > 5
    assert env.illegal_actions == 0


def test_the_interface_of_a_vec_env() -> None:
    """Masks, attributes and wrappers can be queried, by lane too; illegal actions are counted."""
    env = OpponentVecEnv("mammalath", 4, ["random", "greedy", "greedy"], seat="first")
    assert is_masking_supported(env)
    assert env.env_is_wrapped(Monitor) == [True] * 4
    assert env.env_is_wrapped(DummyVecEnv, indices=[1]) == [False]
    env.set_options({"first_player": 1})
    seen = env.reset()
    assert env.observation_space.contains(seen[0])
    assert seen.shape == (4, 10, 6, 6)
    assert [env.batches[0].positions()[0].to_move] == [1]
    np.testing.assert_array_equal(
        env.env_method("action_masks", indices=2)[0], env.action_masks()[2]
    )
    assert env.get_attr("num_envs", indices=[0, 1, 2, 3]) == [2, 2, 1, 1]
    assert env.get_attr("num_envs", indices=3) == [1]
    with pytest.raises(AttributeError, match="action_masks alone, not render"):
        env.env_method("render")
    with pytest.raises(NotImplementedError, match="a speed of their own"):
        env.set_attr("speed", 2)
    # No release on the first ply.
    _, rewards, ended, _ = env.step(np.array([0, 40, 1, 41]))
    assert env.illegal_actions == 2
    assert ended.tolist() == [False, True, False, True]
    assert rewards.tolist() == [0, -1, 0, -1]
    env.close()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"opponents": []}, "a sequence of 1 to 2"),
        ({"opponents": "greedy"}, "a sequence of 1 to 2"),
        ({"opponents": ["random"] * 3}, "a sequence of 1 to 2"),
        ({"observation": "dict"}, "unknown observation 'dict'"),
    ],
)
def test_impossible_arguments_are_refused(changes: dict[str, Any], message: str) -> None:
    """The message gives the reason."""
    with pytest.raises(ValueError, match=message):
        OpponentVecEnv("mammalath", 2, **changes)


def test_reset_options_must_agree() -> None:
    """All lanes share the options of a reset."""
    env = OpponentVecEnv("mancala", 2)
    env.set_options([{"first_player": 0}, {}])
    with pytest.raises(ValueError, match="same in all lanes"):
        env.reset()


def test_training_repeats_with_a_seed() -> None:
    """The same seed gives the same parameters, another one others."""

    def train(seed: int) -> list[Any]:
        model = make_model(OpponentVecEnv("mancala", 8, ["random"], observation="flat"), seed=seed)
        return parameters(model.learn(256).policy)

    first = train(3)
    assert all((one == two).all() for one, two in zip(first, train(3), strict=True))
    assert any((one != two).any() for one, two in zip(first, train(4), strict=True))


def test_maskable_ppo_trains_and_evaluates() -> None:
    """Its parameters change, no action is illegal, and the callback evaluates with masks."""
    env = OpponentVecEnv("mammalath", 32, ["random", "greedy"], observation="flat")
    eval_env = OpponentVecEnv("mammalath", 8, ["greedy"], observation="flat")
    model = make_model(env)
    before = parameters(model.policy)
    callback = MaskableEvalCallback(eval_env, n_eval_episodes=16, eval_freq=16, verbose=0)
    model.learn(1024, callback=callback)
    assert any_changed(before, model.policy)
    assert -1 <= callback.last_mean_reward <= 1
    assert len(callback._is_success_buffer) == 16
    assert len(model.ep_success_buffer) > 0
    assert env.illegal_actions == eval_env.illegal_actions == 0


def test_a_pool_holds_the_last_checkpoints() -> None:
    """Its members copy the learner's parameters in turn."""
    pool = CheckpointPool(size=2, every=256, seed=1)
    env = OpponentVecEnv("mammalath", 16, ["greedy", *pool.opponents], observation="flat")
    model = make_model(env)
    model.learn(5 * 256, callback=pool)
    # Versions after 256, 512, 768 and 1024 steps; the last two are left.
    assert pool.checkpoints == 4
    older, newer = (opponent._policy for opponent in pool.opponents)
    assert any_changed(parameters(older), newer)
    assert any_changed(parameters(newer), model.policy)
    assert env.illegal_actions == 0


def test_a_checkpoint_plays_as_the_policy_did() -> None:
    """It keeps its parameters while the policy goes on training."""
    env = OpponentVecEnv("mancala", 4, observation="flat")
    model = make_model(env)
    opponent = CheckpointOpponent(seed=1)
    seen = env.reset()
    masks = env.action_masks()
    masks[:, 0] = False
    draws = np.array([opponent(seen, masks) for _ in range(50)])
    assert set(draws.reshape(-1).tolist()) == {1, 2, 3, 4, 5}
    opponent.load(model.policy)
    expected = parameters(model.policy)
    model.learn(64)
    assert not any_changed(expected, opponent._policy)
    assert all(masks[lane, action] for lane, action in enumerate(opponent(seen, masks)))


@pytest.mark.parametrize(("size", "every"), [(0, 10), (2, 0)])
def test_impossible_pools_are_refused(size: int, every: int) -> None:
    """Sizes and intervals start at 1."""
    with pytest.raises(ValueError, match="at least 1"):
        CheckpointPool(size, every)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("observation", ["planes", "flat"])
def test_a_policy_as_an_agent(name: str, observation: str) -> None:
    """It chooses the most probable legal action, and plays a whole game."""
    env = OpponentVecEnv(name, 2, observation=observation)
    options: dict[str, Any] = {"policy_kwargs": {"normalize_images": False}}
    agent = PolicyAgent(make_model(env, **options), "ppo")
    position = make_game(name).deal(seed=2)
    planes = position.observation(position.to_move, channels_first=True)
    expected = agent._predict(
        planes.reshape(env.observation_space.shape),
        action_masks=position.action_mask(),
        deterministic=True,
    )
    assert agent.act(position) == int(expected[0])
    while not position.is_over:
        position = position.play(agent.act(position))
    with pytest.raises(GameOverError):
        agent.act(position)


def test_a_policy_in_a_match() -> None:
    """It does not forfeit, and scores as it does in the environment."""
    env = OpponentVecEnv("mancala", 20, ["greedy"], observation="flat")
    model = make_model(env)
    env.seed(1)
    returns, lengths = evaluate_policy(model, env, 200, return_episode_rewards=True)
    assert len(returns) == 200
    assert min(lengths) > 3
    game = make_game("mancala")
    result = play_match(game, lambda seed: PolicyAgent(model), "greedy", 50, seed=1)
    assert result.forfeits == (0, 0)
    # Of 100 and 200 games: the difference has a standard deviation of at most 0.06.
    assert abs((np.mean(returns) + 1) / 2 - result.total.score) < 0.25


def test_the_gymnasium_environment(game: Game) -> None:
    """It passes the library's check, and MaskablePPO trains in it."""
    check_env(SingleAgentEnv(game, observation="flat"))
    lanes = DummyVecEnv(
        [lambda: SingleAgentEnv(game, observation="flat", illegal_action="raise")] * 2
    )
    model = make_model(lanes)
    before = parameters(model.policy)
    model.learn(128)
    assert any_changed(before, model.policy)


def test_imitation_improves_policy_and_value() -> None:
    """On the demonstrations, actions become more probable and the value error smaller."""
    module = example("sb3_maskable_ppo.py")
    game = make_game("mammalath")
    model = module.make_model(game, OpponentVecEnv(game, 64, ["greedy"]), 5e-4, seed=1)
    demonstrations = module.collect_demonstrations(game, "greedy", 1500, seed=1)
    planes, masks, actions, returns = demonstrations
    assert masks[np.arange(len(actions)), actions].all()
    assert set(returns.tolist()) >= {-1.0, 1.0}

    def log_prob_and_error() -> tuple[float, float]:
        with torch.no_grad():
            values, log_probs, _ = model.policy.evaluate_actions(planes.float(), actions, masks)
        return float(log_probs.mean()), float((values.flatten() - returns).square().mean())

    log_prob, error = log_prob_and_error()
    module.imitate(model, demonstrations, epochs=4, learning_rate=2e-3)
    log_prob_after, error_after = log_prob_and_error()
    assert log_prob_after > log_prob + 0.3
    assert error_after < error


@pytest.mark.parametrize("name", ["mammalath", "mancala"])
def test_the_sb3_example_runs(name: str, tmp_path: Path) -> None:
    """It imitates, trains against agents and a pool, reports, and saves what can be loaded."""
    path = tmp_path / "model.zip"
    small = "--positions 600 --steps 4096 --num-envs 64 --pool 2 --pool-every 2048 --games 5"
    small += " --expert random --opponents random greedy --evaluate-against greedy random"
    options = ["--game", name, *small.split(), "--output", str(path)]
    output = run_example("sb3_maskable_ppo.py", *options)
    for opponent in ("greedy", "random"):
        steps = steps_of_progress(output, opponent, 5)
        # Before training, and after rollouts of 2048 steps.
        assert steps == [0, 2048, 4096]
    assert output.splitlines()[-1] == "illegal actions in training: 0"
    agent = PolicyAgent(sb3_contrib.MaskablePPO.load(path, device="cpu"))
    position = make_game(name).deal(seed=1)
    assert agent.act(position) in position.legal_actions()
