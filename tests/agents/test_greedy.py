"""The greedy agent sees wins, losses, and wins of the opponent."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from mammalath_env.agents import Agent, GreedyAgent, RandomAgent
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.games import make_game

ANIMALS = "ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE"
# The same without the animals of a1, b1 and c1, released as one line.
FREED = "3DEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE"

Scale = Callable[[int], int]

WIN, FINE, ALLOWS_WIN, LOSS = range(4)


def rating(position: Position, action: int) -> int:
    """Return what `action` leads to within two plies, found by playing everything."""
    mover = position.to_move
    after = position.play(action)
    if after.outcome is not None:
        winner = after.outcome.winner
        return FINE if winner is None else WIN if winner == mover else LOSS
    if after.to_move != mover:
        for reply in after.legal_actions():
            outcome = after.play(reply).outcome
            if outcome is not None and outcome.winner == after.to_move:
                return ALLOWS_WIN
    return FINE


def running_positions(game: Game, number: int, seed: int) -> list[Position]:
    """Return random running positions near the ends of games, where ends are to be seen."""
    rng = random.Random(seed)
    agents = RandomAgent(seed), GreedyAgent(seed)
    found: list[Position] = []
    while len(found) < number:
        position, positions = game.deal(rng.getrandbits(32)), []
        while not position.is_over:
            positions.append(position)
            position = position.play(agents[rng.random() < 0.3].act(position))
        found.extend(rng.sample(positions[-4:], min(2, len(positions))))
    return found[:number]


def choices(text: str, number: int) -> Counter[str]:
    """Return how often the agent plays which move of Mammalath, with different seeds."""
    game = make_game("mammalath")
    position = game.from_text(text)
    return Counter(
        game.format_move(GreedyAgent(seed).act(position), position) for seed in range(number)
    )


def test_never_worse_than_brute_force(game: Game, scale: Scale) -> None:
    """No action has a better class than the one that the agent takes."""
    agent = GreedyAgent(1)
    for position in running_positions(game, scale(150), seed=2):
        chosen = rating(position, agent.act(position))
        if chosen == WIN:
            continue
        others = position.legal_actions()
        if chosen == FINE:
            # No other action can be better than this one but by winning.
            outcomes = [position.play(action).outcome for action in others]
            winners = [outcome.winner for outcome in outcomes if outcome is not None]
            assert position.to_move not in winners
        else:
            assert min(rating(position, action) for action in others) == chosen


@pytest.mark.parametrize(
    ("text", "move"),
    [
        # Black's third space in a row without animals; b1 between and c1 at the end.
        (f"{FREED} b1b3/6/6/6/6/ww4 b 5", "b1"),
        (f"{FREED} bb4/6/6/6/6/ww4 b 5", "c1"),
        # White does what black did.
        (f"{FREED} ww4/6/6/6/6/bb4 w 5", "c1"),
        # Winning comes before blocking: c6 would stop white.
        ("3DEF/BCDEFA/CDEFAB/DEFABC/EFABCD/3CDE bb4/6/6/6/6/ww4 b 6", "c1"),
        # The last animals of the line can be removed, but not at once: white must be stopped.
        (f"{FREED} ww4/6/6/6/6/b5 b 4", "c1"),
    ],
)
def test_wins_and_blocks(scale: Scale, text: str, move: str) -> None:
    """The one move that wins, or else the one that stops a win, whatever the seed."""
    number = scale(40)
    assert choices(text, number) == {move: number}


def test_does_not_complete_a_line_with_animals(scale: Scale) -> None:
    """A third token in a line that holds animals would lose."""
    text = f"{ANIMALS} bb4/6/6/6/6/ww4 b 4"
    game = make_game("mammalath")
    position = game.from_text(text)
    assert rating(position, game.parse_move("c1", position)) == LOSS
    assert "c1" not in choices(text, scale(100))


@pytest.mark.parametrize(
    ("first", "swaps"),
    [("c3", True), ("d4", True), ("c4", True), ("a1", False), ("f6", False), ("a6", False)],
)
def test_swaps_a_token_in_the_middle(scale: Scale, first: str, swaps: bool) -> None:
    """A first token in the middle is worth taking, one in the corner is not."""
    game = make_game("mammalath")
    number = scale(40)
    for seed in range(3):
        start = game.deal(seed)
        second = start.play(game.parse_move(first, start))
        assert choices(second.to_text(), number)["swap"] == (number if swaps else 0)


def test_ties_are_drawn(scale: Scale) -> None:
    """On the empty board the four spaces in the middle are equal, and each is played."""
    number = max(100, scale(800))
    moves = choices(make_game("mammalath").deal(0).to_text(), number)
    middle = {"c3", "c4", "d3", "d4"}
    assert set(moves) <= middle
    # Four standard deviations of draws among four.
    bound = 4 * (number * 3 / 16) ** 0.5
    assert all(abs(moves[space] - number / 4) < bound for space in middle)


def count_wins(game: Game, seat: int, number: int) -> int:
    """Return how many games the greedy agent wins against the random one from a seat."""
    greedy, other = GreedyAgent(1), RandomAgent(2)
    agents: list[Agent] = [greedy, other] if seat == 0 else [other, greedy]
    wins = 0
    for seed in range(number):
        position = game.deal(seed)
        while not position.is_over:
            position = position.play(agents[position.to_move].act(position))
        assert position.outcome is not None
        wins += position.outcome.winner == seat
    return wins


@pytest.mark.parametrize("seat", [0, 1])
def test_beats_the_random_agent(scale: Scale, seat: int) -> None:
    """It wins at least 95 of 100 games of Mammalath from either seat."""
    number = scale(100)
    assert count_wins(make_game("mammalath"), seat, number) >= 0.95 * number


@pytest.mark.parametrize("seat", [0, 1])
def test_beats_the_random_agent_in_every_game(game: Game, scale: Scale, seat: int) -> None:
    """It wins more than two thirds of the games of any kind from either seat."""
    number = scale(60)
    assert count_wins(game, seat, number) > 2 / 3 * number
