"""Trees: their memory, the choice among equal actions, and the length of proven wins."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from mammalath_env import make_game
from mammalath_env.agents import AlphaBetaAgent, MCTSAgent, PUCTAgent
from mammalath_env.agents import tree as trees
from mammalath_env.agents.puct import PUCTSearch
from mammalath_env.agents.solver import Verdict, solve
from mammalath_env.agents.values import UNPROVEN
from tests.agents.endgames import endgames


def test_the_size_of_a_node_is_that_of_its_entries() -> None:
    """The limit of memory counts all arrays with an entry for each node."""
    tree = trees.new_tree(100)
    assert sum(array.itemsize for array in tree[:-1]) == trees.BYTES_PER_NODE
    assert all(len(array) == 100 for array in tree[:-1])


@pytest.mark.parametrize("prior_visits", [0, 60])
def test_a_full_tree_is_searched_on(prior_visits: int) -> None:
    """All simulations are run, in a tree that stays within its memory."""
    position = make_game("mammalath_plus").deal(1)
    agent = MCTSAgent(1, simulations=5000, memory=1, prior_visits=prior_visits, playouts="random")
    result = agent.search(position)
    assert result.simulations == sum(result.visits.values()) == 5000
    assert len(agent._tree.visits) * trees.BYTES_PER_NODE <= 2**20
    assert agent._tree.sizes[trees.USED] > 0.9 * len(agent._tree.visits)
    after = position.play(result.action)
    assert after.play(after.legal_actions()[0]).play(
        agent.act(after.play(after.legal_actions()[0]))
    )


def test_memory_that_is_not_used_up_changes_nothing() -> None:
    """The same seed plays the same with any limit that is large enough."""
    position = make_game("mammalath").deal(3)
    results = [MCTSAgent(4, simulations=500, memory=size).search(position) for size in (20, 999)]
    assert results[0] == results[1]


def test_puct_ends_where_its_tree_is_full() -> None:
    """A search of few nodes has an action all the same, also where only the root's fit."""
    position = make_game("mammalath_plus").deal(1)
    for memory in (1e-6, 0.05):
        search = PUCTSearch(simulations=1000, memory=memory, seed=1)
        visits, _ = search.search([position])
        assert visits.sum() < 1000
        assert position.action_mask()[search.choose(position)[0]]
    visits, _ = PUCTSearch(simulations=1000, seed=1).search([position])
    assert visits.sum() == 1000


@pytest.mark.parametrize("memory", [0, -1, np.inf, np.nan])
def test_impossible_memory_is_refused(memory: float) -> None:
    """Memory must be above 0 and finite."""
    with pytest.raises(ValueError, match="memory must be"):
        MCTSAgent(memory=memory)
    with pytest.raises(ValueError, match="memory must be"):
        PUCTAgent(memory=memory)


def test_equal_visits_are_told_apart_by_the_seed() -> None:
    """A policy and value function that knows nothing plays any action first."""
    position = make_game("mancala").deal(0)
    chosen = {PUCTAgent(seed, simulations=12).act(position) for seed in range(60)}
    assert chosen == set(position.legal_actions())
    again = [PUCTAgent(7, simulations=12).act(position) for _ in range(2)]
    assert again[0] == again[1]


def test_equal_visits_and_values_are_told_apart_by_the_prior() -> None:
    """Of equally visited and equally good actions the likelier one is played."""
    position = make_game("mancala").deal(0)

    def likes_the_last(
        observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        policies = masks.astype(np.float32)
        policies[:, 5] *= 1.0001
        return policies, np.zeros(len(masks), np.float32)

    for seed in range(10):
        search = PUCTSearch(likes_the_last, simulations=6, leaves=1, seed=seed)
        assert set(search.search([position])[0][0].tolist()) == {1}
        assert search.choose(position)[0] == 5


def root_with(*children: tuple[int, int, int, float, float]) -> trees.Tree:
    """Return a tree whose root, player 0 to move, has these children.

    Of each the winner that is proven, the plies left, visits, value and prior; the action is its
    index.
    """
    tree = trees.new_tree(1 + len(children))
    trees.clear_node(tree, 0, -1, 0)
    tree.first[0], tree.num_children[0] = 1, len(children)
    for action, (proven, plies_left, visits, value, prior) in enumerate(children):
        node = 1 + action
        trees.clear_node(tree, node, action, 1)
        tree.proven[node], tree.plies_left[node] = proven, plies_left
        tree.visits[node], tree.values[node], tree.prior[node] = visits, value, prior
    return tree


@pytest.mark.parametrize(
    ("children", "best"),
    [
        ([(0, 9, 50, 50, 0.5), (0, 3, 1, 1, 0.1), (UNPROVEN, 0, 99, 99, 0.4)], 1),
        ([(1, 2, 50, -50, 0.5), (1, 8, 1, -1, 0.1)], 1),
        ([(1, 8, 50, -50, 0.5), (UNPROVEN, 0, 1, -1, 0.1)], 1),
        ([(1, 8, 5, -5, 0.5), (1, 8, 5, 2, 0.1)], 1),
        ([(UNPROVEN, 0, 5, 5, 0.5), (UNPROVEN, 0, 6, -6, 0.1)], 1),
        ([(UNPROVEN, 0, 5, 1, 0.5), (UNPROVEN, 0, 5, 2, 0.1)], 1),
        ([(UNPROVEN, 0, 5, 1, 0.1), (UNPROVEN, 0, 5, 1, 0.2)], 1),
        ([(UNPROVEN, 0, 5, 1, 0.2), (UNPROVEN, 0, 5, 1, 0.2)], 0),
    ],
)
def test_what_is_played(children: list[tuple[int, int, int, float, float]], best: int) -> None:
    """Quick wins, then open actions by visits, value and prior, then slow losses."""
    tree = root_with(*children)
    assert tree.action[trees.best_at_root(tree)] == best


def test_proven_wins_are_short() -> None:
    """From a proven win on, Mancala ends nearly as soon as it can against a stubborn defence."""
    game = make_game("mancala")
    needed = played = wins = 0
    for start in endgames(game, 150, plies_left=24):
        winner = start.to_move
        agent = MCTSAgent(1, simulations=2000)
        if agent.search(start).winner != winner:
            continue
        solution = solve(start, nodes=300_000)
        if solution.verdict is not Verdict.WIN or solution.plies is None or solution.plies < 5:
            continue
        wins += 1
        needed += solution.plies
        agent, defender, position = (
            MCTSAgent(1, simulations=2000),
            AlphaBetaAgent(1, depth=6),
            start,
        )
        while not position.is_over:
            mover = agent if position.to_move == winner else defender
            position = position.play(mover.act(position))
        assert position.outcome is not None
        assert position.outcome.winner == winner
        played += position.ply - start.ply
    assert wins >= 6
    assert played < 1.25 * needed, (played, needed)
