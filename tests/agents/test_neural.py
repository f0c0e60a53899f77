"""The agent that plays by a network, and the network that comes with the package."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from mammalath_env import make_game
from mammalath_env.agents import NeuralAgent, make_agent
from mammalath_env.agents.pattern_network import NETWORKS, PatternNetwork, shipped_network
from mammalath_env.arena import play_match
from mammalath_env.cli import app
from mammalath_env.core.position import Position
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.games.mammalath.game import MammalathGame
from mammalath_env.games.mammalath.symmetry import Symmetry
from tests.agents.endgames import endgames, winning_actions

MAX_BYTES = 5_000_000

Arrays = tuple[NDArray[np.float32], NDArray[np.float32]]


@pytest.fixture
def mammalath() -> MammalathGame:
    """The game that has a network."""
    return MammalathGame.mammalath()


@pytest.fixture
def network() -> PatternNetwork:
    """The network that comes with the package."""
    return shipped_network("mammalath")


def random_game(game: MammalathGame, seed: int) -> list[Position]:
    """Return the running positions of a random game."""
    agent = make_agent("random", seed)
    positions = [game.deal(seed)]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(agent.act(positions[-1])))
    return positions[:-1]


def evaluate(network: PatternNetwork, positions: list[Position]) -> Arrays:
    """Return policies and values of positions."""
    observations = np.stack([each.observation(each.to_move, True) for each in positions])
    return network(observations, np.stack([each.action_mask() for each in positions]))


def test_the_file_is_small_and_says_how_it_was_made(network: PatternNetwork) -> None:
    """Every network that is shipped fits the package and tells its training and strength."""
    files = sorted(NETWORKS.iterdir())
    assert [path.name for path in files] == ["mammalath.safetensors"]
    assert files[0].stat().st_size <= MAX_BYTES
    assert set(network.metadata) >= {"command", "seed", "hours", "strength"}


@pytest.mark.parametrize(
    ("text", "move", "chance", "value"),
    [
        ("DEDBEE/CFCECA/ACFCFA/EAFDCF/ADBDDB/FEBBAB 6/6/6/6/6/6 b 0", "d6", 0.1290, -0.1185),
        ("DEDBEE/CFCECA/ACFCFA/EAFDCF/ADBDDB/FEBBAB 6/6/6/6/6/3b2 w 1", "d3", 0.4358, 0.0312),
        (
            "DEDBEE/CFCECA/ACFCFA/EAFDCF/ADBDDB/FEBBAB 6/6/2ww2/2b3/6/2bb2 w 5",
            "xc3-e3",
            0.4685,
            -0.1413,
        ),
        (
            "DEDBEE/CFCECA/AC3A/EAFDCF/ADBDDB/F3AB 6/6/2wwb1/2bw2/6/2bb2 w 9",
            "b6",
            0.8989,
            -0.1672,
        ),
        (
            "DEDBEE/CFCECA/AC3A/EA2CF/5B/F5 6/6/2wwb1/2bw2/6/1wbbw1 b 14",
            "c5",
            0.0691,
            0.2444,
        ),
    ],
)
def test_outputs_are_those_of_the_trained_network(
    network: PatternNetwork,
    mammalath: MammalathGame,
    text: str,
    move: str,
    chance: float,
    value: float,
) -> None:
    """The likeliest action, its probability and the value, as they were in training."""
    position = mammalath.from_text(text)
    policies, values = evaluate(network, [position])
    assert mammalath.format_move(int(policies[0].argmax()), position) == move
    assert policies[0].max() == pytest.approx(chance, abs=1e-3)
    assert values[0] == pytest.approx(value, abs=1e-3)
    agent = NeuralAgent()
    assert mammalath.format_move(agent.act(position), position) == move
    assert agent.last_value == pytest.approx(value, abs=1e-3)


def test_policies_are_distributions_over_legal_actions(
    network: PatternNetwork, mammalath: MammalathGame, scale: Callable[[int], int]
) -> None:
    """Illegal actions get nothing, and values are from -1 to 1."""
    for seed in range(scale(10)):
        positions = random_game(mammalath, seed)
        policies, values = evaluate(network, positions)
        assert policies.dtype == values.dtype == np.float32
        assert policies.shape == (len(positions), mammalath.num_actions)
        masks = np.stack([each.action_mask() for each in positions])
        assert (policies[~masks] == 0).all()
        np.testing.assert_allclose(policies.sum(axis=1), 1, atol=1e-5)
        assert (np.abs(values) <= 1).all()


def test_a_batch_gives_what_its_positions_give_alone(
    network: PatternNetwork, mammalath: MammalathGame
) -> None:
    """Nothing passes from one position of a batch to another one."""
    positions = random_game(mammalath, 3)
    policies, values = evaluate(network, positions)
    for k, position in enumerate(positions):
        policy, value = evaluate(network, [position])
        np.testing.assert_allclose(policy[0], policies[k], atol=1e-5)
        np.testing.assert_allclose(value[0], values[k], atol=1e-5)


def test_answers_turn_with_the_board(network: PatternNetwork, mammalath: MammalathGame) -> None:
    """The answers for the image of a position are the images of the answers for it."""
    positions = random_game(mammalath, 5)
    policies, values = evaluate(network, positions)
    symmetries: list[Symmetry] = [*mammalath.symmetries, mammalath.relabelling((3, 0, 5, 1, 2, 4))]
    for symmetry in symmetries:
        images = [mammalath.transform(position, symmetry) for position in positions]
        image_policies, image_values = evaluate(network, images)
        expected: Any = symmetry.apply_to_actions(policies)
        np.testing.assert_allclose(image_policies, expected, atol=1e-4)
        np.testing.assert_allclose(image_values, values, atol=1e-4)


def test_it_beats_the_random_agent(network: PatternNetwork, scale: Callable[[int], int]) -> None:
    """The network alone wins nearly every game from both seats, all of them legally."""
    games = scale(200)
    for seat in ("first", "second"):
        env = OpponentVectorEnv(
            "mammalath", games, opponent="random", seat=seat, channels_first=True
        )
        observation, _ = env.reset(seed=11)
        running = np.ones(games, np.bool_)
        won = np.zeros(games, np.bool_)
        while running.any():
            masks = observation["action_mask"].astype(np.bool_)
            masks[:, 0] |= ~masks.any(axis=1)  # the step after the end ignores its action
            policies, _ = network(observation["observation"], masks)
            observation, reward, ended, _, info = env.step(policies.argmax(axis=1))
            assert not (info["termination"][running] == -1).any()
            won[running & ended] = reward[running & ended] > 0
            running &= ~ended
        assert won.mean() >= 0.95


@pytest.mark.parametrize("simulations", [0, 20])
def test_simulations_decide_who_chooses(mammalath: MammalathGame, simulations: int) -> None:
    """Without simulations it plays the likeliest action; with them the search decides."""
    agent = make_agent(f"neural:simulations={simulations}", seed=1)
    twin = make_agent("neural", seed=1, simulations=simulations)
    assert isinstance(agent, NeuralAgent)
    for position in random_game(mammalath, 7):
        action = agent.act(position)
        assert action == twin.act(position)
        assert position.action_mask()[action]
        if simulations == 0:
            policies, _ = evaluate(shipped_network("mammalath"), [position])
            assert action == policies[0].argmax()


def test_searches_win_at_once(mammalath: MammalathGame) -> None:
    """With a search it takes every win in one."""
    agent = make_agent("neural:simulations=10", seed=1)
    positions = [each for each in endgames(mammalath, 40, plies_left=2) if winning_actions(each)]
    assert positions
    for position in positions:
        assert agent.act(position) in winning_actions(position)


@pytest.mark.parametrize("simulations", [0, 5])
def test_games_without_swap(simulations: int) -> None:
    """The network serves the game without the swap rule, which has one action less."""
    game = make_game("mammalath", swap_rule=False)
    agent = NeuralAgent(1, simulations=simulations)
    position = game.deal(2)
    while not position.is_over:
        position = position.play(agent.act(position))


@pytest.mark.parametrize("name", ["mammalath_plus", "mancala"])
def test_games_without_a_network(name: str) -> None:
    """The error names the game and those that have a network."""
    game = make_game(name)
    agent = make_agent("neural", seed=1)
    message = f"no network for '{name}'.*plays mammalath"
    with pytest.raises(ValueError, match=message):
        agent.act(game.deal(1))
    # Matches and environments ask before they begin.
    with pytest.raises(ValueError, match=message):
        play_match(game, "neural", "random", 1, seed=1)
    for opponent in ("neural", agent):
        with pytest.raises(ValueError, match=message):
            SingleAgentEnv(game, opponent=opponent)
        with pytest.raises(ValueError, match=message):
            OpponentVectorEnv(game, 2, opponent=opponent)
    for command in (["watch", "neural"], ["play", "neural"], ["match", "neural", "random"]):
        result = CliRunner().invoke(app, [*command, "--game", name])
        assert result.exit_code == 2
        assert "there is no network for" in result.output


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without safetensors, the error names the extra to install."""
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[neural\]"'):
        PatternNetwork.load(NETWORKS / "mammalath.safetensors")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"simulations": -1}, ValueError),
        ({"simulations": 1.5}, TypeError),
        ({"leaves": 0}, ValueError),
        ({"exploration": 0.0}, ValueError),
    ],
)
def test_impossible_options(options: dict[str, Any], error: type[Exception]) -> None:
    """Limits are checked when the agent is made, and the error names them."""
    with pytest.raises(error, match=next(iter(options))):
        make_agent("neural", seed=1, **options)


def test_equal_probabilities_are_told_apart_by_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a search too; the same seed chooses the same."""
    position = make_game("mammalath").deal(1)

    def evaluate(agent: NeuralAgent, observations: Any, masks: Any) -> Any:
        return masks.astype(np.float32), np.zeros(len(masks), np.float32)

    monkeypatch.setattr(NeuralAgent, "_evaluate", evaluate)
    chosen = [NeuralAgent(seed).act(position) for seed in range(30)]
    assert len(set(chosen)) > 10
    assert set(chosen) <= set(position.legal_actions())
    assert chosen == [NeuralAgent(seed).act(position) for seed in range(30)]
