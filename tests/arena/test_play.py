"""One game: the record of a fair one, and who wins if an agent misbehaves."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mammalath_env.agents import Agent, GreedyAgent, RandomAgent
from mammalath_env.arena import GameRecord, play_game
from mammalath_env.arena.records import AGENT_FAILED, FORFEITS, ILLEGAL_MOVE, UNFINISHED
from mammalath_env.arena.specs import build_agent, name_of
from mammalath_env.core.game import Game
from mammalath_env.core.stream import derive_seeds
from mammalath_env.games import make_game
from tests.arena.players import BadAgent, FirstAgent, fail, failing
from tests.generators import seed_globals, state_of_globals

MANCALA = make_game("mancala")


class UnspeakableError(Exception):
    """An error that cannot be turned into text."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def fail_without_words() -> int:
    """Raise an error that fails in its turn."""
    raise UnspeakableError


def leave() -> int:
    """Do what ``sys.exit`` does."""
    raise SystemExit(3)


def interrupt() -> int:
    """Do what Ctrl-C does."""
    raise KeyboardInterrupt


class RudeError(BaseException):
    """An error that ``except Exception`` does not catch."""


class BadNumber:
    """Something that fails when it is taken for an integer."""

    def __init__(self, error: BaseException) -> None:
        """Store how."""
        self._error = error

    def __index__(self) -> int:
        raise self._error


def raises(error: BaseException) -> Callable[[], int]:
    """Return a function that raises `error`."""

    def misbehave() -> int:
        raise error

    return misbehave


MISDEEDS: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: -1, ILLEGAL_MOVE, "out of range"),
    (lambda: 10_000, ILLEGAL_MOVE, "out of range"),
    (lambda: None, ILLEGAL_MOVE, "not None: is a return missing"),
    (lambda: "Z", ILLEGAL_MOVE, "InvalidMoveError: 'Z' is not a move of"),
    (lambda: ["A"], ILLEGAL_MOVE, "must be an integer"),
    (lambda: 1.0, ILLEGAL_MOVE, "must be an integer"),
    (lambda: np.zeros(2, int), ILLEGAL_MOVE, "must be an integer"),
    (lambda: BadNumber(ZeroDivisionError("no number")), ILLEGAL_MOVE, "no number"),
    (lambda: BadNumber(RudeError("no number")), ILLEGAL_MOVE, "RudeError: no number"),
    (fail, AGENT_FAILED, "RuntimeError: out of order"),
    (fail_without_words, AGENT_FAILED, "UnspeakableError"),
    (leave, AGENT_FAILED, "SystemExit: 3"),
    (raises(asyncio.CancelledError("cancelled")), AGENT_FAILED, "CancelledError: cancelled"),
    (raises(GeneratorExit()), AGENT_FAILED, "GeneratorExit"),
    (raises(RudeError("ha")), AGENT_FAILED, "RudeError: ha"),
]


def test_a_game_is_recorded(game: Game) -> None:
    """The record names all that the game depends on, and replays to its end."""
    record = play_game(game, ["random", FirstAgent], seed=5)
    record.validate()
    deal, one, other = derive_seeds(5, 3)
    assert record.start == game.deal(deal).to_text()
    assert (record.deal_seed, record.agent_seeds) == (deal, (one, other))
    assert record.players == ("random", "first")
    assert (record.offender, record.detail, record.match) == (None, None, None)
    assert record.versions["numpy"] == np.__version__
    assert set(record.versions) == {"mammalath_env", "numpy", "python"}
    again = play_game(game, [RandomAgent(one), FirstAgent(other)], seed=5)
    assert again.moves == record.moves
    assert again.agent_seeds == (None, None)
    assert play_game(game, ["random", FirstAgent], seed=5) == record
    assert play_game(game, ["random", FirstAgent], seed=6).moves != record.moves


def test_agents_play_their_player(game: Game) -> None:
    """The first of the two agents plays player 0, whoever moves first."""
    first_movers = set()
    for seed in range(8):
        record = play_game(game, [FirstAgent, "random"], seed=seed)
        for position, action in record.replay():
            if action is not None and position.to_move == 0:
                assert action == position.legal_actions()[0]
        first_movers.add(record.first_player)
    assert first_movers == {0, 1}


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(("misbehave", "reason", "detail"), MISDEEDS)
def test_an_agent_that_misbehaves_forfeits(
    misbehave: Callable[[], Any], reason: str, detail: str, player: int
) -> None:
    """Nothing is raised; the other agent wins, and the record says why."""
    agents: list[Agent] = [RandomAgent(1), RandomAgent(2)]
    agents[player] = BadAgent(misbehave)
    record = play_game(MANCALA, agents, seed=0)
    assert (record.winner, record.offender, record.reason) == (1 - player, player, reason)
    assert record.detail is not None
    assert detail in record.detail
    assert "\n" not in record.detail
    movers = [position.to_move for position in record.positions()]
    assert movers.count(player) == 3
    assert movers[-1] == player
    assert GameRecord.from_json(record.to_json()) == record


def test_an_illegal_action_loses(game: Game) -> None:
    """An action in range that the rules forbid is named in the record."""
    start = game.deal(1)
    while len(start.legal_actions()) == game.num_actions:
        start = start.play(0)
    illegal = next(a for a in range(game.num_actions) if a not in start.legal_actions())
    agents = [BadAgent(lambda: illegal, moves_before=0) for _ in range(2)]
    record = play_game(game, agents, seed=0, position=start)
    assert record.winner == 1 - start.to_move
    assert record.detail is not None
    assert f"illegal move {game.format_move(illegal, start)}" in record.detail


def test_long_details_are_cut() -> None:
    """A long error message is cut in the record."""

    def shout() -> int:
        raise ValueError("x" * 10_000)

    record = play_game(MANCALA, [BadAgent(shout), RandomAgent(1)], seed=0)
    assert record.detail is not None
    assert len(record.detail) == 300


def test_ctrl_c_ends_the_game() -> None:
    """An interruption is not a mistake of the agent."""
    with pytest.raises(KeyboardInterrupt):
        play_game(MANCALA, [BadAgent(interrupt), "random"], seed=0)


def test_a_start_position_can_be_given(game: Game) -> None:
    """As a position or as a text; the deal's seed is then unknown."""
    start = game.deal(1)
    start = start.play(start.legal_actions()[0])
    record = play_game(game, ["random", "random"], seed=0, position=start)
    assert record.start == start.to_text()
    assert record.deal_seed is None
    assert play_game(game, ["random", "random"], seed=0, position=start.to_text()) == record
    over = record.positions()[-1]
    with pytest.raises(ValueError, match="the game is over in"):
        play_game(game, ["random", "random"], seed=0, position=over)


def test_a_game_can_be_stopped(game: Game) -> None:
    """Nobody wins a game that is stopped, and it is not drawn either."""
    record = play_game(game, ["random", "random"], seed=0, max_plies=3)
    assert len(record.moves) == 3
    assert (record.winner, record.reason, record.is_draw) == (None, UNFINISHED, False)
    record.validate()
    whole = play_game(game, ["random", "random"], seed=0, max_plies=game.max_plies)
    assert whole == play_game(game, ["random", "random"], seed=0)


def test_a_game_leaves_global_generators_alone(game: Game) -> None:
    """All seeds come from the one that is given."""
    seed_globals(3)
    before = state_of_globals()
    play_game(game, ["greedy", "random"], seed=1)
    assert state_of_globals() == before


def test_no_game_ends_by_the_name_of_a_forfeit(game: Game) -> None:
    """No reason of the rules has the name of a forfeit."""
    labels = {termination.label for termination in game.termination}
    assert not labels & {*FORFEITS, UNFINISHED}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"seed": -1}, ValueError, "seed must be from 0 to 18446744073709551615, not -1"),
        ({"seed": 1 << 64}, ValueError, "seed must be from 0 to 18446744073709551615"),
        ({"seed": 1.5}, TypeError, "must be an integer"),
        ({"seed": True}, TypeError, "must be an integer"),
        ({"max_plies": 0}, ValueError, "max_plies must be at least 1"),
        ({"max_plies": "3"}, TypeError, "max_plies must be an integer"),
        ({"agents": ["random"]}, ValueError, "needs 2 agents, not 1"),
        ({"agents": ["random", "nobody"]}, ValueError, "unknown agent 'nobody'"),
        ({"agents": ["random", "mcts:depth=3"]}, ValueError, "unknown option 'depth'"),
        ({"agents": ["random", "alphabeta:depth=0"]}, ValueError, "depth must be from 1 to"),
        ({"agents": ["random", 3]}, TypeError, "must be a text such as 'greedy'"),
        ({"agents": ["random", lambda seed: None]}, TypeError, "which has no method act"),
        ({"position": "nonsense"}, ValueError, "'nonsense' is not a position of Mancala"),
        ({"position": 3}, TypeError, "a position must be"),
        ({"position": make_game("mammalath").deal(1)}, ValueError, "expected a position of"),
    ],
)
def test_bad_arguments_are_raised(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    """Mistakes of the caller are raised, not forfeited."""
    arguments: dict[str, Any] = {"agents": ["random", "random"], "seed": 0, **changes}
    with pytest.raises(error, match=message):
        play_game(MANCALA, **arguments)


def test_agents_are_named_by_text_attribute_or_code() -> None:
    """Texts, factories, classes and agents have names; a partial must be given one."""
    assert name_of("mcts:simulations=5") == "mcts:simulations=5"
    assert name_of(FirstAgent) == "first"
    assert name_of(FirstAgent(0)) == "first"
    assert name_of(failing) == "failing"
    named: Any = functools.partial(GreedyAgent)
    with pytest.raises(TypeError, match="attribute 'name'"):
        name_of(named)
    named.name = "mine"
    assert name_of(named) == "mine"


def test_agents_are_built_from_seeds() -> None:
    """Agents that are given as such are used as they are."""
    agent = GreedyAgent(1)
    assert build_agent(agent, 7) == (agent, None)
    for spec in ("random", RandomAgent, lambda seed: RandomAgent(seed)):
        built, seed = build_agent(spec, 7)
        assert isinstance(built, RandomAgent)
        assert seed == 7


def test_derived_seeds_are_fixed() -> None:
    """They stay the same from release to release, as records and tables name them."""
    assert derive_seeds(0, 2) == [7711540714544783, 6050116473818679]
    assert derive_seeds(0, 1, 5) != derive_seeds(0, 1)
    assert all(0 <= seed < 1 << 53 for seed in derive_seeds(12, 1000))


class FixedEvaluation(FirstAgent):
    """Plays the first legal action, and evaluates every position alike.

    Attributes:
        last_value: Its evaluation.
    """

    def __init__(self, value: object) -> None:
        """Store what it says."""
        super().__init__(0)
        self.last_value = value


@pytest.mark.parametrize(
    ("value", "kept"),
    [(0.25, 0.25), (-1, -1.0), (0.12345, 0.123), (np.float32(0.5), 0.5), (np.int64(1), 1.0)]
    + [(value, None) for value in (None, True, "0.5", 1.5, float("nan"), float("inf"))],
)
def test_records_keep_valid_evaluations(value: object, kept: float | None) -> None:
    """They are recorded from the view of player 0; invalid values are left out."""
    record = play_game(MANCALA, [FixedEvaluation(value), FirstAgent(0)], seed=1)
    if kept is None:
        assert record.evaluations is None
    else:
        movers = [position.to_move for position in record.positions()[:-1]]
        assert record.evaluations == tuple(kept if mover == 0 else None for mover in movers)
    record = play_game(MANCALA, [FirstAgent(0), FixedEvaluation(value)], seed=1)
    if kept is not None:
        assert record.evaluations is not None
        assert {worth for worth in record.evaluations if worth is not None} == {-kept}
    assert GameRecord.from_json(record.to_json()) == record


def test_an_evaluation_that_raises_is_left_out() -> None:
    """Any error while reading an evaluation leaves it out; only Ctrl-C ends the game."""

    class Secretive(FirstAgent):
        @property
        def last_value(self) -> float:
            raise error

    error: BaseException = RudeError("mine")
    assert play_game(MANCALA, [Secretive, "random"], seed=1).reason not in FORFEITS
    error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        play_game(MANCALA, [Secretive, "random"], seed=1)


@pytest.mark.parametrize("agent", ["alphabeta:depth=2", "mcts:simulations=60"])
def test_searching_agents_record_evaluations(game: Game, agent: str) -> None:
    """Both say who is winning in the end, and agree with the result."""
    record = play_game(game, [agent, agent], seed=4)
    assert record.evaluations is not None
    assert None not in record.evaluations
    if record.winner is not None:
        last = record.evaluations[-1]
        assert last is not None
        assert last * (1 if record.winner == 0 else -1) > 0
