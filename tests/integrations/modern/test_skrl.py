"""skrl: masked PPO in the batched environment, and the parallel view."""

from __future__ import annotations

from typing import Any

import pytest

from mammalath_env import GAMES
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.envs.parallel import BoardGameParallelEnv
from mammalath_env.integrations.evaluation import Evaluation
from tests.integrations.examples import (
    OPPONENT,
    any_changed,
    example,
    parameters,
    run_example,
    steps_of_progress,
)
from tests.integrations.required import library

library("skrl")

import torch  # noqa: E402
from skrl.envs.wrappers.torch import wrap_env  # noqa: E402


def make_learner(name: str) -> tuple[Any, Any, Any]:
    """Return the example, its agent and its environment."""
    module = example("skrl_ppo.py")
    return module, *module.make_learner(name, "random", num_envs=16, seed=1)


@pytest.mark.parametrize("name", GAMES)
def test_the_skrl_example_trains(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """PPO changes its parameters; an illegal action would raise."""
    module, agent, env = make_learner(name)
    before = parameters(agent.policy)
    evaluation = Evaluation(name, lambda position: module.best_action(agent, position))
    module.train(agent, env, 512, evaluation)
    assert any_changed(before, agent.policy)
    evaluation.finish(3)
    steps = steps_of_progress(capsys.readouterr().out, "random", 3)
    assert steps == list(range(48, 512, 48))


def test_the_skrl_script_repeats_with_its_seed() -> None:
    """It reports on the opponent that it is given."""
    small = ("--game", "mancala", "--steps", "512", "--num-envs", "16", "--games", "4")
    printed = run_example("skrl_ppo.py", *small, "--opponent", OPPONENT)
    assert steps_of_progress(printed, OPPONENT, 4)[-1] == 480
    assert printed == run_example("skrl_ppo.py", *small, "--opponent", OPPONENT)
    assert printed != run_example("skrl_ppo.py", *small, "--opponent", OPPONENT, "--seed", "1")


def test_the_policy_plays_what_the_wrapped_environment_would_ask_for() -> None:
    """Its action is the likeliest of those that the agent draws in the same position."""
    module, agent, env = make_learner("mammalath")
    seen, _ = env.reset()
    with torch.no_grad():
        logits, _ = agent.policy.compute({"observations": seen})
    chosen = [module.best_action(agent, position) for position in env.unwrapped.positions()]
    assert chosen == logits.argmax(1).tolist()


def test_the_mask_is_what_keeps_actions_legal() -> None:
    """Without it, the same policy soon plays an illegal action, which raises."""
    module, agent, env = make_learner("mammalath")
    agent.policy.compute = lambda inputs, role="": (agent.policy.outputs_and_mask(inputs)[0], {})
    evaluation = Evaluation("mammalath", lambda position: module.best_action(agent, position))
    with pytest.raises(IllegalMoveError):
        module.train(agent, env, 2048, evaluation)
    with pytest.raises(RuntimeError, match=r"forfeited .*: illegal move"):
        evaluation.finish(20)


def test_flattened_observations_begin_with_the_mask() -> None:
    """The documentation says so, and the example relies on it."""
    module = example("skrl_ppo.py")
    env = wrap_env(
        module.OpponentVectorEnv("mammalath", 2, autoreset_mode="SameStep"),
        wrapper="gymnasium",
        verbose=False,
    )
    flat, info = env.reset()
    assert flat.shape == (2, 123 + 360)
    assert (flat[:, :123] == torch.as_tensor(info["action_mask"])).all()


def test_both_agents_act_in_the_parallel_environment() -> None:
    """Both get observations and may act in every step, whoever is to move."""
    env = wrap_env(BoardGameParallelEnv("mammalath"), wrapper="pettingzoo", verbose=False)
    observations, _ = env.reset()
    assert set(observations) == {"player_0", "player_1"}
    steps = 0
    while env.agents and steps < 500:
        actions = {
            agent: torch.multinomial(observations[agent][:, :123].float(), 1)
            for agent in env.possible_agents
        }
        observations, rewards, terminated, _, _ = env.step(actions)
        steps += 1
        if any(bool(ended) for ended in terminated.values()):
            break
    # All but a game that ends by an illegal action, which would give -1 and 0.
    assert sum(float(reward) for reward in rewards.values()) == 0
    assert steps > 3
