"""skrl: masked PPO in the batched environment, and the parallel view."""

from __future__ import annotations

from typing import Any

import pytest

from mammalath_env import GAMES
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.envs.parallel import BoardGameParallelEnv
from tests.integrations.examples import any_changed, example, parameters
from tests.integrations.required import library

library("skrl")

import torch  # noqa: E402
from skrl.envs.wrappers.torch import wrap_env  # noqa: E402


@pytest.mark.parametrize("name", GAMES)
def test_the_skrl_example_trains(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PPO changes its parameters; an illegal action would raise."""
    module = example("skrl_ppo.py")
    before: list[Any] = []
    build = module.PPO

    def build_and_copy(**options: Any) -> Any:
        before.extend(parameters(options["models"]["policy"]))
        return build(**options)

    monkeypatch.setattr(module, "PPO", build_and_copy)
    agent, env = module.train(name, "random", steps=512, num_envs=16, seed=1)
    assert any_changed(before, agent.policy)
    assert -1 <= module.evaluate(agent, env, games=10) <= 1


def test_the_mask_is_what_keeps_actions_legal() -> None:
    """Without it, the same policy soon plays an illegal action, which raises."""
    module = example("skrl_ppo.py")
    agent, env = module.train("mammalath", "random", steps=256, num_envs=16, seed=1)
    agent.policy.compute = lambda inputs, role="": (
        agent.policy.outputs_and_mask(inputs)[0],
        {},
    )
    with pytest.raises(IllegalMoveError):
        module.evaluate(agent, env, games=1000)


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
