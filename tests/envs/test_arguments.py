"""Misspelt arguments and options: the answer names all that there are, and the nearest."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from mammalath_env import make_game, mammalath_v0
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.arguments import BATCH_RESET_OPTIONS, RESET_OPTIONS
from mammalath_env.envs.parallel import BoardGameParallelEnv
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.envs.vector import SelfPlayVectorEnv
from mammalath_env.integrations.mask_in_info import MaskInInfoEnv

AEC = {"render_mode", "render_size", "channels_first", "illegal_action", "illegal_reward"}
BATCH = AEC | {"num_envs", "autoreset_mode", "num_threads", "copy"}
ONE_SEAT = {"opponent", "seat", "observation"}
ID = "mammalath_env/Mammalath-v0"


def make_vec(**options: Any) -> Any:
    """Build the batch that Gymnasium makes."""
    return gymnasium.make_vec(ID, num_envs=2, vectorization_mode="vector_entry_point", **options)


CALLS: dict[str, tuple[Callable[..., Any], set[str]]] = {
    "env": (mammalath_v0.env, AEC),
    "parallel_env": (mammalath_v0.parallel_env, AEC | {"idle_mask"}),
    "BoardGameEnv": (lambda **given: BoardGameEnv("mammalath", **given), AEC),
    "MaskInInfoEnv": (
        lambda **given: MaskInInfoEnv("mammalath", **given),
        AEC | {"idle_mask", "flat", "with_mask"},
    ),
    "gymnasium.make": (lambda **given: gymnasium.make(ID, **given), AEC | ONE_SEAT),
    "gymnasium.make_vec": (make_vec, BATCH | ONE_SEAT | {"max_episode_steps"}),
    "SelfPlayVectorEnv": (lambda **given: SelfPlayVectorEnv("mammalath", **given), BATCH),
}


def listed(message: str) -> set[str]:
    """Return the names that a message lists."""
    found = re.search(r"expected one of (.*?)(;|$)", message)
    assert found is not None, message
    return set(re.findall(r"'(\w+)'", found[1]))


@pytest.mark.parametrize("call", CALLS)
def test_a_misspelt_argument_is_answered_with_all_there_are(call: str) -> None:
    """The arguments of the environment and the options of the game, and the nearest of them."""
    make, known = CALLS[call]
    for right in sorted(known | {"swap_rule"}):
        wrong = right[:2] + right[3:]
        with pytest.raises(TypeError, match=f"unknown argument '{wrong}'") as caught:
            make(**{wrong: None})
        assert listed(str(caught.value)) == known | {"swap_rule"}
        assert f"; did you mean {right!r}?" in str(caught.value)


@pytest.mark.parametrize(
    "build", [BoardGameEnv, BoardGameParallelEnv, SingleAgentEnv, SelfPlayVectorEnv, MaskInInfoEnv]
)
def test_a_game_has_its_options_already(build: Any) -> None:
    """With a game instead of its name, options of the game are no arguments."""
    game = make_game("mammalath")
    with pytest.raises(TypeError, match="unknown argument 'swap_rules'") as caught:
        build(game, swap_rules=False)
    assert "swap_rule" not in listed(str(caught.value))
    with pytest.raises(TypeError, match="options go with the name of a game"):
        build(game, swap_rule=False)


def test_arguments_of_a_class_of_ones_own() -> None:
    """What a subclass adds is listed with what it hands on."""

    class Scored(BoardGameEnv):
        def __init__(self, game: str, bonus: float = 0.0, **options: Any) -> None:
            super().__init__(game, **options)
            self.bonus = bonus

    assert Scored("mancala", bonus=1.0, capture="chain").bonus == 1.0
    with pytest.raises(TypeError, match=r"'bonuss': expected one of 'bonus', 'render_mode'.*'capt"):
        Scored("mancala", bonuss=1.0)


ENVIRONMENTS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "env": (mammalath_v0.env, RESET_OPTIONS),
    "parallel_env": (mammalath_v0.parallel_env, RESET_OPTIONS),
    "MaskInInfoEnv": (lambda: MaskInInfoEnv("mammalath"), RESET_OPTIONS),
    "gymnasium.make": (lambda: gymnasium.make(ID, disable_env_checker=True), RESET_OPTIONS),
    "gymnasium.make_vec": (make_vec, BATCH_RESET_OPTIONS),
    "SelfPlayVectorEnv": (lambda: SelfPlayVectorEnv("mammalath", 2), BATCH_RESET_OPTIONS),
}


START = make_game("mammalath").deal(1)
GOOD: dict[str, Any] = {
    "first_player": 1,
    "position": START,
    "positions": [START, START],
    "reset_mask": np.array([True, True]),
}
"""A value for each option of reset."""


@pytest.mark.parametrize("call", ENVIRONMENTS)
def test_a_misspelt_option_of_reset_is_named(call: str) -> None:
    """The game starts as without it, with a warning."""
    make, known = ENVIRONMENTS[call]
    env = make()
    for right in known:
        for wrong in (right.replace("_", ""), right.title(), f"{right}x"):
            if wrong not in known:
                message = rf"reset\(\) ignores the option '{wrong}'; did you mean '{right}'\?"
                with pytest.warns(UserWarning, match=message):
                    env.reset(seed=1, options={wrong: "%s"})


@pytest.mark.parametrize("call", ENVIRONMENTS)
def test_known_and_foreign_options_are_not_warned_of(call: str) -> None:
    """Options of other libraries are ignored, as their tests want it."""
    make, known = ENVIRONMENTS[call]
    env = make()
    foreign = {"options": 1, "render": True, "%s": 2, "player": 0, 7: 7}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for key in known:
            env.reset(seed=1, options={key: GOOD[key]} | foreign)


@pytest.mark.parametrize("call", ENVIRONMENTS)
def test_arguments_of_the_environment_are_no_options_of_reset(call: str) -> None:
    """The game starts as without them, with a warning."""
    env = ENVIRONMENTS[call][0]()
    own = "seat" if call in ("gymnasium.make", "gymnasium.make_vec") else "render_size"
    for name in (own, "channels_first", "swap_rule"):
        message = rf"reset\(\) ignores the option '{name}'; it is an argument of the environment"
        with pytest.warns(UserWarning, match=message):
            env.reset(seed=1, options={name: 1})


@pytest.mark.parametrize("call", ENVIRONMENTS)
def test_options_of_reset_are_a_dict(call: str) -> None:
    """A list of names, or the value of one option, is not."""
    env = ENVIRONMENTS[call][0]()
    for options in (["position"], "position", 1, [], False):
        message = rf"options of reset\(\) must be a dict, .*not {re.escape(repr(options))}"
        with pytest.raises(TypeError, match=message):
            env.reset(seed=1, options=options)


@pytest.mark.parametrize("call", ENVIRONMENTS)
def test_a_position_says_who_moves_first(call: str) -> None:
    """Neither of two options is ignored without a word; None is no option."""
    make, known = ENVIRONMENTS[call]
    env = make()
    for name in known:
        if name.startswith("position"):
            message = rf"options\['first_player'\] and options\['{name}'\] exclude each other"
            for first_player in (0, 1):
                with pytest.raises(ValueError, match=message):
                    env.reset(options={name: GOOD[name], "first_player": first_player})
            env.reset(seed=1, options={name: GOOD[name], "first_player": None})
            env.reset(seed=1, options={name: None, "first_player": 1})


def test_the_names_are_those_that_docstrings_explain() -> None:
    """What `reset` of each environment says that it reads is what it knows."""
    for reset, known in (
        (BoardGameEnv.reset, RESET_OPTIONS),
        (SingleAgentEnv.reset, RESET_OPTIONS),
        (SelfPlayVectorEnv.reset, BATCH_RESET_OPTIONS),
    ):
        text = inspect.getdoc(reset) or ""
        assert set(re.findall(r'``"(\w+)"``', text)) == set(known)
