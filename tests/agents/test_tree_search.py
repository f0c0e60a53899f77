"""Monte Carlo tree search: UCT, and PUCT with a policy and value function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mammalath_env import make_game
from mammalath_env.agents import MCTSAgent, PUCTAgent
from mammalath_env.agents import tree as trees
from mammalath_env.agents.puct import PUCTSearch, uniform_policy
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from tests.agents.endgames import endgames, losing_actions, winning_actions, worth

Arrays = tuple[NDArray[np.float32], NDArray[np.float32]]


def check_tree(tree: trees.Tree) -> None:
    """Check that visits of a node are those of its children and one of its own at most."""
    used = int(tree.sizes[trees.USED])
    for node in range(used):
        first = int(tree.first[node])
        if first == trees.NO_CHILDREN:
            continue
        children = slice(first, first + int(tree.num_children[node]))
        assert node < first
        assert children.stop <= used
        below = int(tree.visits[children].sum())
        assert below <= int(tree.visits[node])
        assert abs(float(tree.values[node])) <= int(tree.visits[node])


def test_tree_searches_win_at_once_and_avoid_losses(
    game: Game, scale: Callable[[int], int]
) -> None:
    """Every win in one is taken, and no losing action that can be avoided."""
    for position in endgames(game, scale(40), plies_left=3):
        wins = winning_actions(position)
        losing = losing_actions(position)
        for agent in (MCTSAgent(1, simulations=400), PUCTAgent(1, simulations=400)):
            action = agent.act(position)
            if wins:
                assert action in wins
            elif len(losing) < len(position.legal_actions()):
                assert action not in losing, (agent.name, position)


def test_proven_results_are_right() -> None:
    """Proven results agree with trying everything."""
    game = make_game("mancala", no_capture_limit=2)
    proven = 0
    for position in endgames(game, 40, plies_left=6):
        result = MCTSAgent(2, simulations=3000).search(position)
        if result.winner is not None:
            proven += 1
            value = {2: 0}.get(result.winner, 1 if result.winner == position.to_move else -1)
            assert value == worth(position)
            assert result.value == value
    assert proven > 20


@pytest.mark.parametrize("playouts", ["random", "greedy"])
@pytest.mark.parametrize("prior_visits", [0, 10])
def test_mcts_repeats_with_a_seed(game: Game, playouts: str, prior_visits: int) -> None:
    """Simulations are drawn from the agent's stream alone."""
    position = game.deal(3)
    agents = [
        MCTSAgent(5, simulations=60, playouts=playouts, prior_visits=prior_visits) for _ in range(2)
    ]
    results = [agent.search(position) for agent in agents]
    assert results[0] == results[1]
    assert sum(results[0].visits.values()) == results[0].simulations == 60


def test_prior_visits_draw_simulations_to_what_looks_good() -> None:
    """Many of them draw simulations to the best evaluation; without any, all actions get some."""
    game = make_game("mancala")
    position = game.from_text("4,4,4,4,1,5/0,6,5,4,4,3 2-2 s 3 6")
    best = max(
        position.legal_actions(),
        key=lambda action: game.rules.evaluate(game.tables, position.play(action).row, 0),
    )
    visits = MCTSAgent(1, simulations=40, prior_visits=1000).search(position).visits
    assert visits[best] == max(visits.values()) > 20
    visits = MCTSAgent(1, simulations=40, prior_visits=0, exploration=2.0).search(position).visits
    assert min(visits.values()) > 2


def test_the_tree_is_kept_from_move_to_move(game: Game) -> None:
    """Two plies later the new root has the visits that its node had, and the tree is sound."""
    agent = MCTSAgent(1, simulations=2000, playouts="random")
    position = game.deal(6)
    first = agent.search(position)
    check_tree(agent._tree)
    after = position.play(first.action)
    reply = max(agent.search(after).visits.items(), key=lambda item: item[1])[0]
    before = agent._tree
    node = next(
        k
        for k in range(int(before.first[0]), int(before.first[0]) + int(before.num_children[0]))
        if before.action[k] == reply
    )
    kept = int(before.visits[node])
    result = agent.search(after.play(reply))
    check_tree(agent._tree)
    assert result.simulations == 2000
    assert int(agent._tree.visits[0]) == kept + 2000


def test_a_kept_root_that_the_rules_decide_has_actions() -> None:
    """A position that the tree knows for lost, and has never searched, is searched again."""
    game = make_game("mammalath")
    for seed in range(3):
        agent = MCTSAgent(seed, simulations=300, prior_visits=0, playouts="random")
        position = game.deal(seed)
        while not position.is_over:
            position = position.play(agent.act(position))


def test_another_game_starts_a_new_tree() -> None:
    """An agent may play several games in turn."""
    agent = MCTSAgent(1, simulations=50)
    for name in ("mammalath", "mancala", "mammalath_plus"):
        position = make_game(name).deal(1)
        assert agent.act(position) in position.legal_actions()
        assert int(agent._tree.visits[0]) == 50


def test_more_simulations_see_more() -> None:
    """The value of a position that is nearly won grows with the proof."""
    position = make_game("mammalath").from_text(
        "B2A1F/C4C/3F1C/B4A/F5/A5 b3w1/4b1/1w4/bb3w/3bww/b1b3 w 20"
    )
    result = MCTSAgent(1, simulations=5000).search(position)
    assert result.winner == position.to_move
    assert result.value == 1.0
    assert result.simulations < 5000


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"simulations": 0}, ValueError, "simulations must be from 1 to 10000000, not 0"),
        ({"simulations": 1.5}, TypeError, "simulations must be an integer, not 1.5"),
        ({"seconds": -1.0}, ValueError, "seconds must be above 0"),
        ({"exploration": 0.0}, ValueError, "exploration must be above 0"),
        ({"prior_visits": -1}, ValueError, "prior_visits must be from 0 to 1000000"),
        ({"prior_visits": 1.5}, TypeError, "prior_visits must be an integer"),
        ({"prior_visits": 10**400}, ValueError, "to 1000000"),
        ({"prior_visits": None}, TypeError, "prior_visits must be an integer, not None"),
        ({"exploration": None}, TypeError, "exploration must be a number, not None"),
        ({"exploration": float("inf")}, ValueError, "exploration must be finite"),
        ({"seconds": float("inf")}, ValueError, "seconds must be finite"),
        ({"seconds": 10**400}, ValueError, "seconds must be finite"),
        ({"playouts": "perfect"}, ValueError, "'random', 'greedy'"),
    ],
)
def test_impossible_limits_of_mcts_are_refused(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    """The message says what was given and what is possible."""
    with pytest.raises(error, match=words):
        MCTSAgent(1, **options)


def test_puct_asks_in_batches(game: Game) -> None:
    """The function gets the movers' observations and masks, of several positions at once."""
    sizes = []

    def spy(observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> Arrays:
        sizes.append(len(observations))
        assert observations.shape[1:] == game.observation_shape
        assert masks.dtype == np.bool_
        assert masks.shape == (len(observations), game.num_actions)
        assert masks.any(axis=1).all()
        return uniform_policy(observations, masks)

    positions = [game.deal(seed) for seed in range(3)]
    search = PUCTSearch(spy, simulations=50, leaves=4, seed=1)
    visits, values = search.search(positions)
    assert visits.shape == (3, game.num_actions)
    assert (visits.sum(axis=1) == 50).all()
    assert (np.abs(values) <= 1).all()
    assert sizes[0] == 3
    assert max(sizes) > 6
    for position, row in zip(positions, visits, strict=True):
        assert (row[~position.action_mask()] == 0).all()


def test_puct_follows_the_policy() -> None:
    """Priors draw visits to an action, and values away from one."""
    game = make_game("mammalath")
    position = game.deal(1)

    def loves_seven(observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> Arrays:
        policy = masks.astype(np.float32)
        policy[:, 7] *= 500
        return policy, np.zeros(len(masks), np.float32)

    visits, _ = PUCTSearch(loves_seven, simulations=100, seed=1).search([position])
    assert visits[0].argmax() == 7

    def sees_token_on_seven(observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> Arrays:
        # Bad for whoever is to move: good for the player who has just placed there.
        value = np.where(observations[:, 1, 1, 7] == 1, -0.9, 0.0).astype(np.float32)
        return masks.astype(np.float32), value

    visits, values = PUCTSearch(sees_token_on_seven, simulations=300, seed=1).search([position])
    assert visits[0].argmax() == 7
    assert values[0] > 0


def test_puct_noise_changes_what_is_searched() -> None:
    """With noise, searches of different seeds differ; without, priors alone decide."""
    position = make_game("mancala").deal(1)
    noisy = [
        PUCTSearch(simulations=30, noise_fraction=0.9, seed=seed).search([position])[0]
        for seed in range(4)
    ]
    assert any((noisy[0] != other).any() for other in noisy[1:])


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda count, actions: (np.ones((count, actions + 1)), np.zeros(count)), "shape"),
        (lambda count, actions: (np.ones((count, actions)), np.zeros((count, 1))), "shape"),
    ],
)
def test_puct_refuses_arrays_of_another_shape(
    answer: Callable[[int, int], tuple[NDArray[Any], NDArray[Any]]], words: str
) -> None:
    """The message names both shapes."""
    search = PUCTSearch(lambda seen, masks: answer(*masks.shape), simulations=5)
    with pytest.raises(ValueError, match=words):
        search.search([make_game("mancala").deal(1)])


IMPOSSIBLE: list[tuple[Callable[[NDArray[Any], NDArray[Any]], Any], type[Exception], str]] = [
    (lambda policies, values: policies, TypeError, "must return a pair.*, not ndarray"),
    (lambda policies, values: (policies,), TypeError, "must return a pair.*, not tuple of 1"),
    (lambda policies, values: (policies, values, values), TypeError, "not tuple of 3"),
    (lambda policies, values: (policies, values + np.nan), ValueError, "values .*, not nan"),
    (lambda policies, values: (policies, values + np.inf), ValueError, "values .*, not inf"),
    (lambda policies, values: (policies, values - 1.5), ValueError, "values .*, not -1.5"),
    (lambda policies, values: (policies * np.nan, values), ValueError, "policies .*, not nan"),
    (lambda policies, values: (policies * 1e300, values), ValueError, "policies .*, not inf"),
    (lambda policies, values: (-0.5 * policies, values), ValueError, "policies .*, not -0.5"),
]


@pytest.mark.parametrize(("spoil", "error", "words"), IMPOSSIBLE)
def test_puct_refuses_impossible_answers(
    spoil: Callable[[NDArray[Any], NDArray[Any]], Any], error: type[Exception], words: str
) -> None:
    """Answers that no network should give are refused."""
    search = PUCTSearch(
        lambda seen, masks: spoil(masks.astype(np.float64), np.zeros(len(masks))), simulations=5
    )
    with pytest.raises(error, match=words):
        search.search([make_game("mancala").deal(1)])


def test_puct_allows_what_rounding_does() -> None:
    """Values just out of range are cut off, and illegal actions may have any policy."""

    def rounded(seen: NDArray[Any], masks: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        return np.where(masks, 7.0, np.nan), np.full(len(masks), 1.0005)

    def exact(seen: NDArray[Any], masks: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        return masks / 4.0, np.full(len(masks), 1.0)

    start = make_game("mammalath").deal(1)
    visits, values = PUCTSearch(rounded, simulations=40, seed=1).search([start])
    expected = PUCTSearch(exact, simulations=40, seed=1).search([start])
    assert (visits == expected[0]).all()
    assert values == expected[1]


def test_puct_refuses_bad_arguments() -> None:
    """Functions, limits and positions are checked."""
    with pytest.raises(TypeError, match="policy_value must be a function"):
        PUCTSearch(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="noise_fraction"):
        PUCTSearch(noise_fraction=1.5)
    with pytest.raises(ValueError, match="noise_concentration must be finite, not inf"):
        PUCTSearch(noise_concentration=float("inf"))
    with pytest.raises(TypeError, match="noise_fraction must be a number"):
        PUCTSearch(noise_fraction="x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="simulations must be an integer, not True"):
        PUCTSearch(simulations=True)
    with pytest.raises(TypeError, match="channels_first must be True or False"):
        PUCTSearch(channels_first="no")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs a position"):
        PUCTSearch().search([])
    games = [make_game("mancala").deal(1), make_game("mammalath").deal(1)]
    with pytest.raises(ValueError, match="different games"):
        PUCTSearch().search(games)


def test_search_leaves_positions_alone(game: Game) -> None:
    """A search changes nothing in the position."""
    position: Position = game.deal(1)
    text = position.to_text()
    MCTSAgent(1, simulations=20).act(position)
    PUCTAgent(1, simulations=20).act(position)
    assert position.to_text() == text
