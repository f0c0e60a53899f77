"""Tic-tac-toe through every interface, though the package does not know it."""

from __future__ import annotations

import functools
import itertools
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.utils import parallel_to_aec
from typer.testing import CliRunner

from mammalath_env.agents import Agent, RandomAgent, make_agent
from mammalath_env.agents.alphabeta import AlphaBetaAgent
from mammalath_env.arena import (
    RecordError,
    Tournament,
    play_game,
    play_match,
    read_records,
    round_robin,
)
from mammalath_env.cli import app
from mammalath_env.core.errors import IllegalMoveError, InvalidMoveError, PositionError
from mammalath_env.core.game import Game
from mammalath_env.core.perft import perft
from mammalath_env.core.position import Position
from mammalath_env.core.rules import register_rules
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.parallel import BoardGameParallelEnv
from mammalath_env.envs.playouts import random_playouts
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.envs.vector import SelfPlayVectorEnv
from mammalath_env.games import GAMES, make_game
from mammalath_env.rendering import PICTURES, render_ansi
from tests.envs.test_pettingzoo import no_warnings
from tests.foreign.tic_tac_toe import (
    RULES,
    TicTacToe,
    TicTacToeEffect,
    TicTacToeTermination,
    make_tables,
)

# The conformance suite asks for a fixture `game`, which is the foreign game here.
from tests.games.test_conformance import (  # noqa: F401
    test_copies_of_positions_and_games,
    test_equality_and_hash,
    test_evaluations_and_threats_agree_with_play,
    test_every_action_has_its_own_notation,
    test_mask_is_what_play_accepts,
    test_observation_decides_what_is_legal,
    test_observations_have_the_stated_shape_and_range,
    test_pickle_in_another_process,
    test_positions_cannot_be_set,
    test_positions_read_back_from_their_text,
    test_positions_stay_as_they_are,
    test_seeds_decide_deals,
    test_sizes_and_names_of_a_game,
    test_whole_games_keep_the_contract,
)

with warnings.catch_warnings():
    # It imports games of PettingZoo in a way that PettingZoo 1.27 warns about.
    warnings.simplefilter("ignore", DeprecationWarning)
    import pettingzoo.test as pz

LINE, BOARD_FULL = TicTacToeTermination.LINE, TicTacToeTermination.BOARD_FULL


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch) -> Game:
    """Tic-tac-toe, with its name in the table of games."""
    monkeypatch.setitem(GAMES, "tic_tac_toe", "tests.foreign.tic_tac_toe:TicTacToe")
    return make_game("tic_tac_toe")


@pytest.fixture
def unnamed() -> Game:
    """Tic-tac-toe as an object alone, which is enough for all but reading files."""
    assert "tic_tac_toe" not in GAMES
    return TicTacToe()


def start(first_player: int = 0) -> Position:
    """Return the empty board."""
    return TicTacToe().deal(0, first_player)


def play(position: Position, moves: str) -> Position:
    """Return the position after several moves."""
    return functools.reduce(Position.play, moves.split(), position)


@functools.cache
def reachable(first_player: int) -> frozenset[Position]:
    """Return all positions, running or finished."""
    found, new = set[Position](), {start(first_player)}
    while new:
        found |= new
        new = {one.play(action) for one in new for action in one.legal_actions()} - found
    return frozenset(found)


# Rules


@pytest.mark.parametrize(
    "line",
    [
        *("a1 b1 c1", "a2 b2 c2", "a3 b3 c3"),
        *("a1 a2 a3", "b1 b2 b3", "c1 c2 c3"),
        *("a1 b2 c3", "c1 b2 a3"),
    ],
)
@pytest.mark.parametrize("winner", [0, 1])
def test_lines_win(line: str, winner: int) -> None:
    """Each row, column and diagonal wins, in any order of its spaces, and for both players."""
    for one, two, three in itertools.permutations(line.split()):
        others = [move for move in start().legal_moves() if move not in line.split()]
        position = play(start(winner), f"{one} {others[0]} {two} {others[2]}")
        assert not position.is_over
        position = position.play(three)
        assert position.outcome is not None
        assert (position.outcome.winner, position.outcome.termination) == (winner, LINE)
        assert position.outcome.returns == ((1.0, -1.0) if winner == 0 else (-1.0, 1.0))
        assert position.legal_actions() == []
        with pytest.raises(IllegalMoveError, match="no move after the end: c3"):
            position.play("c3")


def test_draw() -> None:
    """A full board without a line is a draw; one with a line is won."""
    position = play(start(), "a1 b1 c1 b2 a2 c2 b3 a3 c3")
    assert position.to_text() == "xox/xoo/oxx o"
    assert position.outcome is not None
    assert (position.outcome.winner, position.outcome.termination) == (None, BOARD_FULL)
    assert position.outcome.returns == (0.0, 0.0)
    position = play(start(), "a1 b1 c1 a2 b2 c2 b3 a3 c3")
    assert position.outcome is not None
    assert (position.ply, position.outcome.winner) == (9, 0)


def test_marked_spaces_are_illegal() -> None:
    """Whoever has marked them."""
    position = play(start(1), "b2 a1")
    assert position.legal_moves() == ["b1", "c1", "a2", "c2", "a3", "b3", "c3"]
    for move in ("b2", "a1"):
        with pytest.raises(IllegalMoveError, match=f"illegal move {move} .* of noughts"):
            position.play(move)


def test_perft() -> None:
    """Sequences of moves by length; those that end earlier do not count."""
    expected = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    for first_player in (0, 1):
        position = start(first_player)
        assert [perft(position, depth) for depth in range(1, 10)] == expected


def test_number_of_games() -> None:
    """There are 255,168 games on 5,478 positions: won by who begins, by the other one, drawn."""

    @functools.cache
    def games(position: Position) -> tuple[int, int, int]:
        if position.outcome is not None:
            return tuple(position.outcome.winner == end for end in (0, 1, None))  # type: ignore[return-value]
        parts = [games(position.play(action)) for action in position.legal_actions()]
        return tuple(map(sum, zip(*parts, strict=True)))  # type: ignore[return-value]

    assert games(start(0)) == (131_184, 77_904, 46_080)
    assert games(start(1)) == (77_904, 131_184, 46_080)
    assert sum(games(start(0))) == 255_168
    assert [len(reachable(first_player)) for first_player in (0, 1)] == [5478, 5478]
    assert not reachable(0) & reachable(1)


def test_random_playouts() -> None:
    """Whole games in a kernel: about as many wins and draws as there are by random play."""
    found = random_playouts(TicTacToe(), 20_000, seed=1, position=start(), num_threads=1)
    # 58.5 %, 28.8 % and 12.7 %, with a standard deviation of less than 0.4 %.
    shares = [np.mean(found.winners == winner) for winner in (0, 1, 2)]
    assert shares == pytest.approx([0.585, 0.288, 0.127], abs=0.015)
    assert set(found.plies.tolist()) == {5, 6, 7, 8, 9}


# Texts, effects and pictures


def test_texts_are_the_reachable_positions() -> None:
    """All of these are read back, and every other board is refused."""
    texts = {position.to_text(): position for position in reachable(0) | reachable(1)}
    game = TicTacToe()
    for letters in itertools.product(".xo", repeat=9):
        board = "".join(letters)
        for side in "xo":
            text = f"{board[:3]}/{board[3:6]}/{board[6:]} {side}"
            if text in texts:
                assert game.from_text(text) == texts[text]
            else:
                with pytest.raises(PositionError):
                    game.from_text(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected three rows"),
        (".../... x", "expected three rows"),
        ("..../../... x", "expected three rows"),
        (".../.z./... x", "expected three rows"),
        (".../.../...", "the player to move must be 'x' or 'o', not ''"),
        (".../.../... xo", "the player to move must be 'x' or 'o', not 'xo'"),
        ("x../x../... o", "2 crosses and 0 noughts, and o to move"),
        ("x../.../... x", "1 crosses and 0 noughts, and x to move"),
        ("xxx/oo./... x", "3 crosses and 2 noughts, and x to move"),
        ("xxx/ooo/... x", "x is to move, but has a line and won before"),
    ],
)
def test_refused_texts(text: str, why: str) -> None:
    """The message quotes the text and says why."""
    with pytest.raises(
        PositionError, match=re.escape(f"{text!r} is not a position of Tic-tac-toe: {why}")
    ):
        TicTacToe().from_text(text)


def test_refused_moves() -> None:
    """Texts that name no space, and numbers out of range."""
    for text in ("", "a", "a4", "d1", "A1", "a 1"):
        with pytest.raises(InvalidMoveError, match=f"{text!r} is not a move of Tic-tac-toe"):
            start().play(text)
    with pytest.raises(IllegalMoveError, match="Tic-tac-toe has actions 0 to 8"):
        start().play(9)


def test_effects() -> None:
    """A move marks a space, and completes no line, one or two."""
    assert start().effect("b2") == TicTacToeEffect(4, ())
    position = play(start(), "a1 b1 a2 b2")
    assert position.effect("a3") == TicTacToeEffect(6, ((0, 3, 6),))
    position = play(start(), "b1 a1 a2 c1 c2 a3 b3 c3")
    assert position.effect("b2") == TicTacToeEffect(4, ((1, 4, 7), (3, 4, 5)))


def test_observation() -> None:
    """Own marks, the opponent's, empty spaces, and whether one is to move."""
    position = play(start(), "a1 c2 b3")
    own, other, empty, to_move = position.observation(0, channels_first=True)
    assert own.tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert other.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert empty.tolist() == [[0, 1, 1], [1, 1, 0], [1, 0, 1]]
    assert not to_move.any()
    seen = position.observation(1)
    assert np.array_equal(seen[..., 0], other)
    assert np.array_equal(seen[..., 1], own)
    assert np.array_equal(seen[..., 2], empty)
    assert seen[..., 3].all()


def test_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a picture there is an error, or nothing in a notebook; a table takes one."""
    before, after = start(), start().play("b2")
    for picture in (render_ansi, Position.to_svg):
        with pytest.raises(ValueError, match="unknown picture 'tic_tac_toe'"):
            picture(after)
    assert after._repr_svg_() is None
    assert str(after) == after.to_text()
    monkeypatch.setitem(PICTURES, "tic_tac_toe", "tests.foreign.tic_tac_toe:draw")
    assert render_ansi(after, before, 4) == "...\n.x.\n...\no to move after b2"
    env = BoardGameEnv(TicTacToe(), "ansi")
    env.reset(options={"position": "xo./xo./x.. o"})
    assert env.render() == "xo.\nxo.\nx..\nx has won"


# Games as objects


def test_two_games_with_one_type_of_tables_are_refused() -> None:
    """The message says what to do, as the type selects the rules."""
    TicTacToe()
    with pytest.raises(ValueError, match=r"a field of a name of its own.*start Python anew"):
        register_rules(make_tables(), RULES._replace(evaluate=RULES.apply))  # type: ignore[arg-type]


def test_names_stand_for_games_in_the_table(game: Game) -> None:
    """With an entry in the table the name does what the game does."""
    assert game == TicTacToe()
    assert BoardGameEnv("tic_tac_toe").game == SelfPlayVectorEnv("tic_tac_toe", 2).game == game
    with pytest.raises(TypeError, match="unknown option of tic_tac_toe 'size'"):
        make_game("tic_tac_toe", size=4)


# Environments


def test_pettingzoo(unnamed: Game) -> None:
    """PettingZoo's tests of both interfaces pass."""
    with no_warnings():
        pz.api_test(BoardGameEnv(unnamed), num_cycles=200)
        pz.api_test(BoardGameEnv(unnamed, channels_first=True), num_cycles=50)
        pz.seed_test(lambda: BoardGameEnv(unnamed), num_cycles=50)
        pz.parallel_api_test(BoardGameParallelEnv(unnamed), num_cycles=200)
        pz.api_test(parallel_to_aec(BoardGameParallelEnv(unnamed)), num_cycles=50)
        pz.state_test(BoardGameEnv(unnamed), BoardGameParallelEnv(unnamed))


def test_aec_game(unnamed: Game) -> None:
    """A game by hand: who is to act, masks, rewards and the reason of the end."""
    env = BoardGameEnv(unnamed)
    assert str(env) == "tic_tac_toe_v0"
    env.reset(options={"first_player": 1})
    for action, agent in zip([0, 3, 1, 4, 2], itertools.cycle(["player_1", "player_0"])):
        assert env.agent_selection == agent
        observation, _, over, _, _ = env.last()
        assert observation is not None
        assert observation["action_mask"].tolist() == env.position.action_mask().tolist()
        assert not over
        env.step(action)
    assert env.position.to_text() == "ooo/xx./... x"
    assert env.rewards == {"player_0": -1.0, "player_1": 1.0}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.infos["player_0"] == {"ply": 5, "termination": LINE}


def test_parallel_game(unnamed: Game) -> None:
    """The agent to move moves, the other one's action is ignored, and a draw pays nothing."""
    env = BoardGameParallelEnv(unnamed)
    _, infos = env.reset(options={"first_player": 0})
    for action in [0, 1, 2, 4, 3, 5, 7, 6, 8]:
        assert env.agents
        mover = f"player_{infos['player_0']['to_move']}"
        idle = "player_1" if mover == "player_0" else "player_0"
        _, rewards, over, _, infos = env.step({mover: action, idle: 0})
        assert rewards == {"player_0": 0.0, "player_1": 0.0}
    assert over == {"player_0": True, "player_1": True}
    assert infos["player_0"]["termination"] == BOARD_FULL
    assert env.agents == []


def test_illegal_action(unnamed: Game) -> None:
    """It ends the game, with a reward for the offender alone."""
    env = BoardGameEnv(unnamed, illegal_reward=-3.0)
    env.reset(options={"first_player": 0})
    for _ in range(2):
        env.step(4)
    assert env.rewards == {"player_0": 0.0, "player_1": -3.0}
    assert env.terminations["player_0"]


@pytest.mark.parametrize("opponent", ["random", "greedy", "alphabeta:depth=9"])
def test_single_agent(unnamed: Game, opponent: str) -> None:
    """Rewards are the learner's, and replies are played at once, by an agent of any kind."""
    env = SingleAgentEnv(unnamed, opponent=opponent, seat="alternate")
    env.reset(seed=1)
    rewards = set()
    for number in range(1, 20):
        observation, info = env.reset()
        assert info["ply"] == number % 2
        over = False
        while not over:
            assert env.position.to_move == info["player"]
            action = int(observation["action_mask"].argmax())
            observation, reward, over, _, info = env.step(action)
            rewards.add(reward)
        assert info["termination"] in (LINE, BOARD_FULL)
        expected = {info["player"]: 1.0, 1 - info["player"]: -1.0, 2: 0.0}
        assert reward == expected[info["winner"]]
    assert rewards >= {-1.0, 0.0}
    if opponent == "alphabeta:depth=9":
        assert 1.0 not in rewards


def test_gymnasium_environment_checker(unnamed: Game) -> None:
    """It finds nothing to warn of."""
    env = SingleAgentEnv(unnamed, observation="planes", illegal_reward=-1.0)
    check_env(env, skip_render_check=True)


def test_gymnasium_names(game: Game) -> None:
    """A program can register the game as the package registers its own."""
    entry = "mammalath_env.envs.single_agent:SingleAgentEnv"
    gymnasium.register("TicTacToe-v0", entry, kwargs={"game": game.name})
    try:
        env = gymnasium.make("TicTacToe-v0", seat="first")
        assert env.reset(seed=1)[0]["action_mask"].all()
    finally:
        del gymnasium.registry["TicTacToe-v0"]


# Batches


@pytest.mark.parametrize("threads", [1, 2])
def test_self_play_batch(unnamed: Game, threads: int) -> None:
    """Each lane plays by the rules: played again by hand, its games are the same."""
    env = SelfPlayVectorEnv(unnamed, 16, num_threads=threads, autoreset_mode="SameStep")
    observation, info = env.reset(seed=5)
    positions = [unnamed.deal(5 + lane) for lane in range(16)]
    ends = []
    for _ in range(30):
        for lane, position in enumerate(positions):
            mover = info["to_move"][lane]
            assert mover == position.to_move
            assert np.array_equal(observation["observation"][lane], position.observation(mover))
            assert np.array_equal(observation["action_mask"][lane], position.action_mask())
        observation, reward, over, _, info = env.random_step()
        for lane, before in enumerate(positions):
            after = before.play(info["actions"][lane])
            assert over[lane] == after.is_over
            outcome = after.outcome
            if outcome is None:
                assert (reward[lane], info["winner"][lane]) == (0, -1)
                positions[lane] = after
                continue
            assert reward[lane] == outcome.returns[before.to_move]
            assert tuple(info["rewards"][lane]) == outcome.returns
            assert info["winner"][lane] == (2 if outcome.winner is None else outcome.winner)
            assert info["termination"][lane] == outcome.termination
            ends.append(outcome)
            positions[lane] = env.positions([lane])[0]
            assert positions[lane].ply == 0
    assert {(end.winner, end.termination) for end in ends} == {
        (0, LINE),
        (1, LINE),
        (None, BOARD_FULL),
    }


def test_opponent_batch(unnamed: Game) -> None:
    """A learner that plays by a perfect agent never loses, whoever the opponent is."""
    learner = make_agent("alphabeta:depth=9", 1)

    def lowest(observations: Any, masks: Any) -> Any:
        return masks.argmax(axis=1)

    for opponent in ("random", "greedy", "mcts:simulations=5", RandomAgent(3), lowest):
        env = OpponentVectorEnv(unnamed, 8, opponent=opponent, seat="alternate", num_threads=1)
        _, info = env.reset(seed=2)
        winners: list[int] = []
        over = np.zeros(8, np.bool_)
        for _ in range(24):
            actions = [
                0 if over[lane] else learner.act(position)
                for lane, position in enumerate(env.positions())
            ]
            _, reward, over, _, info = env.step(actions)
            won = info["winner"] == info["player"]
            assert np.array_equal(reward == 1, over & won)
            assert reward.min() >= 0
            winners += info["winner"][over].tolist()
        assert len(winners) >= 32


def test_batch_of_one_is_the_single_agent_environment(unnamed: Game) -> None:
    """The same seed gives the same games in both."""
    single = SingleAgentEnv(unnamed, opponent="greedy")
    many = OpponentVectorEnv(unnamed, 3, opponent="greedy", autoreset_mode="Disabled")
    many.reset(seed=4)
    for lane in range(3):
        single.reset(seed=4 + lane)
        assert single.position == many.positions([lane])[0]


# Agents


def replies(position: Position, agent: Agent, player: int) -> Iterator[Position]:
    """Yield every end that an agent as `player` lets the opponent reach."""
    seen, new = {position}, [position]
    while new:
        current = new.pop()
        if current.is_over:
            yield current
        elif current.to_move == player:
            new.append(current.play(agent.act(current)))
        else:
            found = {current.play(action) for action in current.legal_actions()} - seen
            seen |= found
            new += found


@pytest.mark.parametrize("name", ["alphabeta:depth=9", "mcts:simulations=1000"])
@pytest.mark.parametrize("player", [0, 1])
def test_searches_never_lose(name: str, player: int) -> None:
    """Moving first or second, whatever the opponent plays; against mistakes they win."""
    ends = list(replies(start(), make_agent(name, 7), player))
    winners = {end.outcome.winner for end in ends if end.outcome is not None}
    assert winners == {player, None}


def test_perfect_play_draws() -> None:
    """A search of the whole game proves a draw, and against itself it gets one."""
    agent = AlphaBetaAgent(1, depth=9)
    result = agent.search(start())
    assert (result.value, result.is_exact, result.plies_to_end) == (0, True, None)
    for seed in range(5):
        record = play_game(TicTacToe(), ["alphabeta:depth=9", "alphabeta:depth=9"], seed=seed)
        assert (record.winner, record.reason, len(record.moves)) == (None, "board full", 9)


def test_a_fork_is_proven() -> None:
    """Two threats at once win in three plies, or lose in two."""
    fork = play(start(), "a1 b2 c3 c1")
    assert AlphaBetaAgent(1, depth=9).search(fork).action == 6
    assert AlphaBetaAgent(1, depth=9).search(fork).plies_to_end == 3
    assert AlphaBetaAgent(1, depth=9).search(fork.play("a3")).plies_to_end == -2


@pytest.mark.parametrize("name", ["greedy", "alphabeta", "mcts:simulations=20"])
def test_agents_win_and_block(name: str) -> None:
    """They complete a line of their own before they stop one of the opponent's."""
    for seed in range(10):
        agent = make_agent(name, seed)
        block = play(start(), "a1 b2 b1")
        assert block.move_text(agent.act(block)) == "c1"
        win = play(start(), "a1 b2 b1 a2")
        assert win.move_text(agent.act(win)) == "c1"


def test_random_agent() -> None:
    """It plays every legal action at some time, and no other."""
    agent = make_agent("random", 1)
    position = play(start(), "a1 b2")
    assert sorted({agent.act(position) for _ in range(200)}) == position.legal_actions()


def test_the_neural_agent_has_no_network() -> None:
    """It says so before anything is played."""
    with pytest.raises(ValueError, match="there is no network for 'tic_tac_toe'"):
        SingleAgentEnv(TicTacToe(), opponent="neural")


# The arena


def first_legal(seed: int) -> Agent:
    """Return an agent that plays the first legal action: a factory, as a contest takes it."""

    class FirstLegal:
        name = "first legal"

        def act(self, position: Position) -> int:
            return position.legal_actions()[0]

    return FirstLegal()


def test_match(unnamed: Game) -> None:
    """Names and factories play, and games, results and both points of view agree."""
    records: list[Any] = []
    result = play_match(unnamed, first_legal, "random", 10, seed=3, on_record=records.append)
    assert result.agents == ("first_legal", "random")
    assert result.num_games == len(records) == 20
    assert result.forfeits == (0, 0)
    assert result.reversed().total == result.total.reversed()
    for record in records:
        record.validate()
    won = sum(
        record.winner is not None and record.players[record.winner] == "first_legal"
        for record in records
    )
    assert result.total.wins == won > 0
    assert result.total.draws == sum(record.is_draw for record in records)
    assert result.plies == tuple(len(record.moves) for record in records)
    assert play_match(unnamed, first_legal, "random", 10, seed=3) == result


def test_an_illegal_move_forfeits(unnamed: Game) -> None:
    """The record names the offender."""

    class Stubborn:
        name = "stubborn"

        def act(self, position: Position) -> int:
            return 4

    record = play_game(unnamed, [Stubborn(), Stubborn()], seed=1)
    assert (record.moves, record.reason) == (("b2",), "illegal move")
    assert record.offender == 1 - record.first_player


def test_round_robin(game: Game, tmp_path: Path) -> None:
    """The better player has the better score; the tournament is read back from its text."""
    path = tmp_path / "games.jsonl"
    agents = ["random", "greedy", "alphabeta:depth=9"]
    found = round_robin(game, agents, 10, seed=1, record_path=path)
    assert found.agents == tuple(agents)
    assert found.total("alphabeta:depth=9").losses == 0
    scores = [found.total(agent).score for agent in agents]
    assert scores == sorted(scores)
    assert sum(scores) == pytest.approx(1.5)
    assert found.between("random", "greedy") == play_match(game, "random", "greedy", 10, seed=1)
    assert Tournament.from_json(found.to_json()) == found
    assert round_robin(game, agents, 10, seed=1, record_path=path, resume=True) == found


def test_records(unnamed: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games are written without an entry in the table of games, and read with one."""
    path = tmp_path / "games.jsonl"
    play_match(unnamed, "random", "random", 2, seed=1, record_path=path)
    line = json.loads(path.read_text("utf-8").splitlines()[0])
    assert (line["game"], line["options"]) == ("tic_tac_toe", {})
    with pytest.raises(RecordError, match="line 1: unknown game 'tic_tac_toe'"):
        read_records(path)
    monkeypatch.setitem(GAMES, "tic_tac_toe", "tests.foreign.tic_tac_toe:TicTacToe")
    records = read_records(path)
    assert len(records) == 4
    assert all(record.game == unnamed for record in records)
    assert records[0].moves == tuple(line["moves"])


def test_commands(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that adds the game to the tables has all commands for it."""
    monkeypatch.setitem(PICTURES, game.name, "tests.foreign.tic_tac_toe:draw")

    def run(*arguments: str) -> list[str]:
        found = CliRunner().invoke(app, [*arguments, "--game", game.name, "--seed", "1"])
        assert found.exit_code == 0, found.output
        return found.output.splitlines()

    watched = run("watch", "greedy", "alphabeta:depth=9")
    assert watched[0].startswith(
        "Tic-tac-toe: greedy (crosses) against alphabeta:depth=9 (noughts)"
    )
    assert "...\n...\n..." in "\n".join(watched)
    assert watched[-3].startswith("draw after")
    assert watched[-1] == "Drawn: board full"
    lines = [line.strip() for line in run("match", "random", "greedy", "--deals", "1")]
    assert "Tic-tac-toe" in lines  # without brackets, as there are no options


def test_games_in_other_processes(unnamed: Game) -> None:
    """They import the module of the game, and play the same games."""
    results = [play_match(unnamed, "random", first_legal, 4, seed=2, jobs=jobs) for jobs in (1, 2)]
    assert results[0] == results[1]
