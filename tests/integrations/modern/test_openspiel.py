"""OpenSpiel: its own checks, its bots and its learners on our games."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from mammalath_env import GAMES, make_game
from mammalath_env.integrations.evaluation import Evaluation
from tests.integrations.examples import (
    OPPONENT,
    any_changed,
    example,
    parameters,
    run_example,
    run_python,
    steps_of_progress,
)
from tests.integrations.required import library

pyspiel: Any = library("pyspiel")

import mammalath_env.integrations.openspiel as openspiel  # noqa: E402

VARIANTS = [
    "python_mammalath(deals=3,swap_rule=False)",
    "python_mammalath_plus(deals=1,first_player=1)",
    "python_mancala(capture=chain,no_capture_limit=20,first_player=0)",
]
# With and without a chance node.
STARTS = ["deals=5", "deals=1,seed=4,first_player=1"]


@pytest.mark.parametrize("name", GAMES)
def test_games_are_registered(name: str) -> None:
    """Each game is there under its name, with its sizes and its options as parameters."""
    game, rules = pyspiel.load_game(f"python_{name}"), make_game(name)
    assert game.num_distinct_actions() == rules.num_actions
    assert game.max_game_length() == rules.max_plies
    assert np.prod(game.observation_tensor_shape()) == np.prod(rules.observation_shape)
    assert game.max_chance_outcomes() == (2 if name == "mancala" else 2048)
    options = set(rules.options) - {"reward"}
    assert set(game.get_parameters()) == {"deals", "seed", "first_player"} | options


@pytest.mark.parametrize("text", [f"python_{name}" for name in GAMES] + VARIANTS)
def test_games_pass_the_random_simulation(text: str) -> None:
    """It is OpenSpiel's own check, with serialization."""
    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("start", STARTS)
def test_states_agree_with_positions(start: str) -> None:
    """In legal actions, observations, action strings and returns."""
    game = pyspiel.load_game(f"python_mammalath({start})")
    rng = np.random.default_rng(1)
    state = game.new_initial_state()
    if start.startswith("deals=5"):
        assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
        assert state.is_chance_node()
        assert len(state.chance_outcomes()) == 10
        assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1)
        assert state.action_to_string(7) == "deal 3, white first"
        assert not any(state.observation_tensor(0))
        state.apply_action(7)
        position = make_game("mammalath").deal(seed=3, first_player=1)
    else:
        assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
        assert game.max_chance_outcomes() == 0
        position = make_game("mammalath").deal(seed=4, first_player=1)
    while not position.is_over:
        assert str(state) == position.to_text()
        assert state.current_player() == position.to_move
        assert state.legal_actions() == position.legal_actions()
        assert state.returns() == [0, 0]
        for player in (0, 1):
            seen = position.observation(player, channels_first=True)
            assert state.observation_tensor(player) == seen.reshape(-1).tolist()
        action = int(rng.choice(position.legal_actions()))
        assert state.action_to_string(action) == position.game.format_move(action, position)
        state.apply_action(action)
        position = position.play(action)
    assert position.outcome is not None
    assert state.is_terminal()
    assert state.legal_actions() == []
    assert state.returns() == list(position.outcome.returns)
    assert sorted(state.returns()) == [-1, 1]


def test_clones_and_pickles_are_independent() -> None:
    """They keep their state while the original plays on."""
    game = pyspiel.load_game("python_mancala")
    state = game.new_initial_state()
    state.apply_action(0)
    clone, restored = state.clone(), pickle.loads(pickle.dumps(state))
    state.apply_action(3)
    assert str(clone) == str(restored) != str(state)
    assert clone.action_to_string(1, 2) == "c"
    assert clone.action_to_string(0, 2) == "C"
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("python_mammalath(deals=0)", "deals from 1 to 1000000"),
        ("python_mammalath(deals=1000001)", "not 1000001, 0 and -1"),
        ("python_mancala(seed=-1)", "a seed of at least 0"),
        ("python_mancala(first_player=2)", "first_player of -1, 0 or 1"),
        ("python_mancala(capture=none)", "unknown capture 'none'"),
    ],
)
def test_impossible_parameters_are_refused(text: str, message: str) -> None:
    """The message says why the parameters are refused."""
    with pytest.raises(ValueError, match=message):
        pyspiel.load_game(text)


def test_unsupported_arguments_are_refused() -> None:
    """A state cannot be built from a dict, and the observer has no parameters."""
    game = pyspiel.load_game("python_mancala")
    with pytest.raises(ValueError, match="begin with a deal"):
        game.new_initial_state({"board": []})
    with pytest.raises(ValueError, match="no parameters"):
        openspiel.PositionObserver(make_game("mancala"), {"planes": 3})


def test_the_cpp_search_bot_searches() -> None:
    """In a process of its own, since its ``step`` crashes on Python games."""
    output = run_python(
        "-c",
        "import pyspiel, mammalath_env.integrations.openspiel\n"
        "game = pyspiel.load_game('python_mammalath(deals=1,first_player=0)')\n"
        "evaluator = pyspiel.RandomRolloutEvaluator(1, 7)\n"
        "bot = pyspiel.MCTSBot(game, evaluator, 2.0, 20, 10, False, 7, False)\n"
        "state = game.new_initial_state()\n"
        "action = bot.mcts_search(state).best_child().action\n"
        "print(action in state.legal_actions())",
    )
    assert output == "True\n"


def test_the_search_example_plays() -> None:
    """The Python bot searches from positions, and finds a win in one move."""
    agents = example("openspiel_agents.py")
    game = pyspiel.load_game("python_mammalath")
    policy = agents.search_policy(game, simulations=300, seed=1)
    position = make_game("mammalath").deal(seed=1)
    rng = np.random.default_rng(2)
    found = 0
    while found < 3:
        if position.is_over:
            position = make_game("mammalath").deal(rng)
        winning = [each for each in position.legal_actions() if is_win(position, each)]
        if winning:
            assert policy(position) in winning
            found += 1
        position = position.play(int(rng.choice(position.legal_actions())))


def is_win(position: Any, action: int) -> bool:
    """Return whether an action wins at once."""
    outcome = position.play(action).outcome
    return outcome is not None and outcome.winner == position.to_move


def make_env() -> Any:
    """Return OpenSpiel's environment, in which an illegal action is an error."""
    agents = example("openspiel_agents.py")
    sampler = agents.rl_environment.ChanceEventSampler(1)
    return agents.rl_environment.Environment(
        "python_mammalath", chance_event_sampler=sampler, enable_legality_check=True
    )


def train(kind: str, steps: int) -> tuple[Any, Any]:
    """Return a learner of the example after some steps, and its policy."""
    agents = example("openspiel_agents.py")
    env = make_env()
    learner = agents.make_learner(kind, env, seed=1)
    policy = agents.learned_policy(env.game, learner)
    agents.learn(env, learner, steps, Evaluation("mammalath", policy))
    return learner, policy


def test_the_tabular_example_learns() -> None:
    """Q-learning fills its table, and its policy looks positions up there in either seat."""
    learner, policy = train("q", 200)
    table = learner._q_values
    assert any(any(values.values()) for values in table.values())
    game = pyspiel.load_game("python_mammalath")
    state = game.new_initial_state()
    state.apply_action(0)
    position = state.position
    for seat in (0, 1):
        best = position.legal_actions()[-1 - seat]
        table[str(state.observation_tensor(position.to_move))][best] = 5.0
        assert policy(position) == best
        state.apply_action(best)
        position = state.position


def test_the_dqn_example_learns() -> None:
    """DQN changes its parameters and plays legal actions only."""
    library("tree")
    untrained = example("openspiel_agents.py").make_learner("dqn", make_env(), seed=1)
    learner, _ = train("dqn", 700)
    assert any_changed(parameters(untrained._q_network), learner._q_network)


def test_the_script_prints_its_results() -> None:
    """The game with its parameters and the match, the same for the same seed."""
    arguments = ["--algorithm", "q", "--steps", "100", "--game", "python_mancala(first_player=0)"]
    arguments += ["--opponent", OPPONENT, "--games", "3"]
    output = run_example("openspiel_agents.py", *arguments)
    assert "first_player=0" in output
    assert steps_of_progress(output, OPPONENT, 3)[-1] >= 100
    assert output == run_example("openspiel_agents.py", *arguments)
    search = ["--algorithm", "mcts", "--simulations", "2", "--games", "1"]
    search += ["--game", "python_mancala(no_capture_limit=10)"]
    assert steps_of_progress(run_example("openspiel_agents.py", *search), "random", 1) == []
