"""Agents that are functions of a position, and answers in notation: taken wherever agents are."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from mammalath_env import make_game
from mammalath_env.agents import FunctionAgent, RandomAgent, TextAgent, chosen_action, make_agent
from mammalath_env.agents.function import takes_position
from mammalath_env.arena import play_game, play_match, round_robin
from mammalath_env.arena.puzzles import load_puzzles, score
from mammalath_env.core.errors import InvalidMoveError
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.aec_policy import AECPolicy
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.single_agent import SingleAgentEnv

MODULE = """
from mammalath_env.core.position import Position


def first(position):
    return position.legal_actions()[0]


def nth(board: Position, number=0):
    return board.legal_moves()[number]


def wrong(pos):
    return pos.legal_actions()[0]


def answers(pos):
    return 3


class Speaker:
    name = "speaker"

    def __init__(self, seed):
        pass

    def act(self, position):
        return position.legal_moves()[-1]


class Lost:
    name = "lost"

    def __init__(self, seed):
        self.colour = seed.colour

    def act(self, position):
        return 0
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python import the module ``text_agents``."""
    (tmp_path / "text_agents.py").write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "text_agents", raising=False)


def first(position: Position) -> int:
    """Play the first legal action."""
    return position.legal_actions()[0]


def last(board: Position) -> str:
    """Play the last legal move."""
    return board.legal_moves()[-1]


class Speaker:
    """Plays the last legal move, by its text.

    Attributes:
        name: ``"speaker"``.
    """

    name = "speaker"

    def __init__(self, seed: int) -> None:
        """Need no seed."""

    def act(self, position: Position) -> str:
        """Return the move in notation."""
        return position.legal_moves()[-1]


class Method:
    """An object whose method chooses moves."""

    def choose(self, position: Position) -> int:
        """Play the first legal action."""
        return position.legal_actions()[0]


FUNCTIONS: list[Any] = [first, last, lambda position: position.legal_moves()[0], Method().choose]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_are_told_by_their_first_parameter(game: Game, function: Any) -> None:
    """Its name, or its annotation."""
    assert takes_position(function)
    agent = make_agent(function)
    assert isinstance(agent, FunctionAgent)
    position = game.deal(1)
    assert chosen_action(agent, position) in position.legal_actions()


def test_other_callables_are_something_else() -> None:
    """Classes and factories of a seed are no functions of a position."""

    class Reader:
        def __init__(self, position: Position) -> None:
            """Take a position."""

    def anything(*given: object) -> int:
        return 0

    for other in (Speaker, RandomAgent, Reader, lambda seed: Speaker(seed), anything, len, 3):
        assert not takes_position(other)
    assert not takes_position(lambda: 0)
    assert not takes_position(lambda board: board.legal_actions()[0])


def test_contradictions_are_refused() -> None:
    """Whoever writes both is told so."""

    def one(position: int) -> int:
        return position

    def other(seed: Position) -> str:
        return seed.legal_moves()[0]

    for function in (one, other):
        with pytest.raises(TypeError, match="may be a function of a position or of a seed"):
            takes_position(function)


def test_functions_go_by_name_with_options() -> None:
    """As factories do; options are passed by keyword, and unknown ones refused."""
    position = make_game("mammalath").deal(1)
    agent = make_agent("text_agents:nth:number=2", 7)
    assert agent.name == "text_agents:nth"
    assert chosen_action(agent, position) == position.legal_actions()[2]
    agent = make_agent("text_agents:nth", 7, number=1)
    assert chosen_action(agent, position) == position.legal_actions()[1]
    with pytest.raises(ValueError, match="unknown option 'depth': expected one of 'number'"):
        make_agent("text_agents:nth:depth=3")
    with pytest.raises(ValueError, match="takes no options"):
        make_agent(first, depth=3)


def test_classes_are_made_with_options() -> None:
    """`make_agent` takes the class itself, and passes the seed."""
    agent: Any = make_agent(RandomAgent, 7)
    assert isinstance(agent, RandomAgent)
    position = make_game("mancala").deal(1)
    assert agent.act(position) == make_agent("random", 7).act(position)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "text_agents:wrong",
            "'int' object has no attribute 'legal_actions'.*must name .*'position'",
        ),
        ("text_agents:answers", "returned 3, which has no method act; .*must name .*'position'"),
        ("text_agents:Lost", "has no attribute 'colour'"),
    ],
)
def test_a_function_that_gets_a_seed_is_told_why(name: str, message: str) -> None:
    """The first thing to go wrong is the name of the parameter."""
    with pytest.raises(TypeError, match=message):
        make_agent(name, 1)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("text_agents.Speaker", "text_agents:Speaker"),
        ("text_agents.nth:number=2", "text_agents:nth:number=2"),
        ("text_agents.py:Speaker", "text_agents:Speaker"),
        ("./text_agents.py:nth:number=2", "text_agents:nth:number=2"),
        ("agents/text_agents.py:nth", "agents.text_agents:nth"),
        ("text_agents:Speker", "text_agents:Speaker"),
        ("no-agents:nth", "no_agents:nth"),
        ("/bots/text_agents.py:nth", "text_agents:nth"),
        ("text_agent:nth", "text_agents:nth"),
        ("text_agents", "text_agents:NAME"),
        ("text_agents.py", "text_agents:NAME"),
        ("greddy", "greedy"),
        ("alphabet:depth=3", "alphabeta:depth=3"),
        ("Random", "random"),
    ],
)
def test_what_was_probably_meant_is_suggested(
    typed: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dots for colons, file names, misspelt names and capitals, at the end of the message."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=f"(did you mean|and use) '?{meant}'?.*$") as info:
        make_agent(typed)
    assert str(info.value).count(meant.partition(":")[0]) < 4


def test_the_seed_is_no_option() -> None:
    """Nor is the position, and options are separated by commas."""
    for name in ("random:seed=3", "text_agents:Speaker:seed=3", "text_agents:nth:board=3"):
        with pytest.raises(ValueError, match="every agent is passed one"):
            make_agent(name)
    for name in ("alphabeta:depth=3:nodes=100", "text_agents:nth:number=3:nodes=100"):
        with pytest.raises(ValueError, match="separated by commas: write ',nodes='"):
            make_agent(name)


def test_functions_can_be_named(game: Game) -> None:
    """So that two of them play each other; equal names are refused, with the way out."""
    one: Any = lambda position: position.legal_actions()[0]  # noqa: E731
    other: Any = lambda position: position.legal_actions()[-1]  # noqa: E731
    for contest in (
        lambda: play_match(game, one, other, 1, seed=1),
        lambda: round_robin(game, [one, other], 1, seed=1),
    ):
        with pytest.raises(ValueError, match=r"different names.*FunctionAgent\(function, name\)"):
            contest()
    first_one, second_one = FunctionAgent(one, "one"), FunctionAgent(other, "other")
    for jobs in (1, 2):
        result = play_match(game, first_one, second_one, 1, seed=1, jobs=jobs)
        assert result.agents == ("one", "other")
    assert play_match(game, one, one, 1, seed=1).num_games == 2


def test_methods_and_agents_are_no_specifications(game: Game) -> None:
    """All games would share their memory."""
    with pytest.raises(TypeError, match="not a method of an object"):
        play_match(game, Method().choose, "random", 1, seed=1)
    with pytest.raises(TypeError, match="is an agent already"):
        make_agent(Speaker(0))  # type: ignore[arg-type]


def test_a_factory_may_return_a_function(game: Game) -> None:
    """Of a position."""

    def factory(seed: int, number: int = 0) -> Any:
        return lambda position: position.legal_actions()[number]

    agent = make_agent(factory, 1, number=1)
    position = game.deal(1)
    assert chosen_action(agent, position) == position.legal_actions()[1]


def test_an_agent_is_built_once_before_the_first_game() -> None:
    """And then for every game."""
    built: list[int] = []

    class Counted(Speaker):
        name = "counted"

        def __init__(self, seed: int) -> None:
            built.append(seed)

    round_robin("mancala", [Counted, "random", "greedy"], 1, seed=1)
    assert len(built) == 1 + 4
    assert built.count(0) == 1


def test_contests_take_functions_and_texts(game: Game) -> None:
    """Objects and names, in other processes too; they play legal moves."""
    result = play_match(game, first, Speaker, 2, seed=1)
    assert result.agents == ("first", "speaker")
    assert result.forfeits == (0, 0)
    named = play_match(game, "text_agents:first", "text_agents:Speaker", 2, seed=1, jobs=2)
    assert named.plies == result.plies
    assert named.moving_first == result.moving_first
    assert round_robin(game, [first, last, "random"], 1, seed=1).agents == (
        "first",
        "last",
        "random",
    )
    record = play_game(game, [first, FunctionAgent(last, "mine")], seed=1)
    assert record.players == ("first", "mine")
    assert record.detail is None


def test_a_match_needs_a_name_for_each() -> None:
    """Functions have one in the code; a partial must be given one."""
    partial: Any = functools.partial(first)
    with pytest.raises(TypeError, match="attribute 'name'"):
        play_match("mancala", partial, "random", 1, seed=1)
    partial.name = "mine"
    for jobs in (1, 2):  # other processes do not get the attribute
        result = play_match("mancala", partial, "random", 1, seed=1, jobs=jobs)
        assert result.agents == ("mine", "random")


def test_puzzles_take_texts() -> None:
    """An answer in notation solves a puzzle."""
    puzzles = load_puzzles("mammalath")[:3]
    solutions = {puzzle.position: puzzle.solution for puzzle in puzzles}

    def solve(position: Position) -> str:
        return position.move_text(solutions[position])

    assert sum(each.solved for each in score(FunctionAgent(solve), puzzles)) == 3


OPPONENTS: list[Any] = [first, last, Speaker, Speaker(0), lambda seed: Speaker(seed)]
OPPONENTS += ["text_agents:first", "text_agents:Speaker"]


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_environments_take_them_as_opponents(game: Game, opponent: Any) -> None:
    """As agents by name do, in one lane and in many."""
    single = SingleAgentEnv(game, opponent=opponent, seat="second")
    _, info = single.reset(seed=1)
    assert info["ply"] == 1
    many = OpponentVectorEnv(game, 3, opponent=opponent, seat="second")
    _, infos = many.reset(seed=1)
    assert infos["ply"].tolist() == [1, 1, 1]
    for _ in range(5):
        _, _, terminated, truncated, info = single.step(int(info["action_mask"].argmax()))
        if terminated or truncated:
            break
        many.step(many.action_masks().argmax(axis=1))
    ids = {"mammalath": "Mammalath", "mammalath_plus": "MammalathPlus", "mancala": "Mancala"}
    made = gymnasium.make(f"mammalath_env/{ids[game.name]}-v0", opponent=opponent, seat="second")
    assert made.reset(seed=1)[1]["ply"] == 1


def test_opponents_that_take_something_else_are_refused(game: Game) -> None:
    """Before a game, and with what was probably meant."""
    for env in (SingleAgentEnv, OpponentVectorEnv):
        with pytest.raises(TypeError, match="name its first parameter 'position' if it chooses"):
            env(game, opponent=lambda board: board.legal_actions()[0])


def test_an_opponents_text_that_is_no_move_is_raised(game: Game) -> None:
    """The message says whose it was, and nothing has changed."""
    env = OpponentVectorEnv(game, 2, opponent=lambda position: "z99", seat="second")
    with pytest.raises(InvalidMoveError, match="the opponent: 'z99' is not a move"):
        env.reset(seed=1)


def test_policies_of_pettingzoo_take_texts(game: Game) -> None:
    """What the loop gets is a number."""
    env = BoardGameEnv(game)
    env.reset(seed=1)
    agent: TextAgent = Speaker(0)
    assert AECPolicy(agent)(env) == env.position.legal_actions()[-1]


def test_policies_of_pettingzoo_take_what_makes_agents(game: Game) -> None:
    """A text, a class, a factory and a function of a position, as the table of agents.md says."""
    env = BoardGameEnv(game)
    env.reset(seed=1)
    actions = env.position.legal_actions()
    assert AECPolicy(lambda position: position.legal_moves()[-1])(env) == actions[-1]
    for given in ("random", RandomAgent, lambda seed: RandomAgent(seed)):
        policies = [AECPolicy(given, seed=seed) for seed in (5, 5, 6)]
        played = [[policy(env) for _ in range(20)] for policy in policies]
        assert set(played[0]) <= set(actions)
        assert played[0] == played[1] != played[2]
    assert AECPolicy("mcts:simulations=7").agent.name == "mcts"


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ("rando", ValueError, "did you mean 'random'"),
        ("random:x=1", ValueError, "takes no options, and so not 'x'"),
        (5, ValueError, "unknown agent 5"),
        (None, ValueError, "unknown agent None"),
        (lambda board: board.legal_actions()[0], TypeError, "name its first parameter 'position'"),
        (lambda observation, mask: 0, TypeError, "mask"),
    ],
)
def test_policies_of_pettingzoo_refuse_the_rest_at_once(
    given: Any, kind: type[Exception], message: str
) -> None:
    """The error comes with the policy, not in the loop."""
    with pytest.raises(kind, match=message):
        AECPolicy(given, seed=1)


def test_agents_and_functions_of_a_position_are_asked(game: Game) -> None:
    """What must be made first is refused, with the function that makes it."""
    position = game.deal(1)
    actions = position.legal_actions()
    assert chosen_action(lambda position: position.legal_moves()[-1], position) == actions[-1]
    assert chosen_action(Speaker(0), position) == actions[-1]
    refused: list[Any] = ["random", RandomAgent, lambda seed: RandomAgent(seed), None, lambda x: 0]
    for given in refused:
        with pytest.raises(TypeError, match=r"expected an agent, or a function .* make_agent"):
            chosen_action(given, position)


class WithoutSeed:
    """A class of agents that takes no seed."""

    name = "without a seed"

    def act(self, position: Position) -> int:
        """Return the first legal action."""
        return position.legal_actions()[0]


def test_a_class_that_takes_no_seed_is_told_how_it_is_called() -> None:
    """The likeliest mistake in a first class of agents."""
    with pytest.raises(TypeError, match="is called with a seed, and with its options by keyword"):
        make_agent(WithoutSeed, 1)
