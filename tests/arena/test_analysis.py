"""Analysis of positions and games."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mammalath_env import GAMES, make_game
from mammalath_env.agents.analysis import Line
from mammalath_env.agents.solver import Verdict
from mammalath_env.arena import (
    GameRecord,
    PlayedMove,
    analyze_game,
    analyze_position,
    play_game,
)
from mammalath_env.arena.win_probability import MOST_CERTAIN, SLOPES, win_probability
from mammalath_env.core.errors import GameOverError
from mammalath_env.core.position import Position
from tests.arena.analysts import Broken, FirstMoves, Oracle
from tests.processes import ROOT

MANCALA = make_game("mancala")
START = MANCALA.deal(1, first_player=0)
OVER = "0,0,0,0,0,0/0,0,0,0,0,0 25-23 n 3 80"


def record_of(start: Position, *moves: str) -> GameRecord:
    """Return an unfinished game."""
    return GameRecord(start.game, start.to_text(), moves, ("me", "you"), None, "unfinished")


def judged(
    told: Mapping[Position, Sequence[Line]], move: str, start: Position = START, multipv: int = 2
) -> PlayedMove:
    """Return a move as it is judged by an agent that knows what it is told."""
    record = record_of(start, move)
    (found,) = analyze_game(record, Oracle(told), multipv=multipv).moves
    return found


def test_values_are_probabilities_of_the_mover() -> None:
    """The value of an agent without a fit is that of an expected result."""
    lines = [Line((0, 1), 0.5, 7), Line((1,), -0.5)]
    found = analyze_position(START, Oracle({START: lines}), multipv=2)
    assert [line.move for line in found.lines] == ["A", "B"]
    assert found.lines[0].moves == ("A", START.play(0).move_text(1))
    assert [line.value for line in found.lines] == pytest.approx([0.75, 0.25])
    assert [line.visits for line in found.lines] == [7, None]
    assert found.best is found.lines[0]


@pytest.mark.parametrize(
    ("winner", "verdict", "value"),
    [(0, Verdict.WIN, 1.0), (1, Verdict.LOSS, 0.0), (2, Verdict.DRAW, 0.5)],
)
def test_proofs_override_values(winner: int, verdict: Verdict, value: float) -> None:
    """Whatever the agent estimates."""
    proven = Line((0,), 0.1, None, winner, 9)
    (line,) = analyze_position(START, Oracle({START: [proven]})).lines
    assert (line.verdict, line.value, line.plies) == (verdict, value, 9)
    mirrored = START.play(0)
    proven = Line((0,), 0.1, None, winner, 9)
    (line,) = analyze_position(mirrored, Oracle({mirrored: [proven]})).lines
    assert line.value == 1 - value


def test_moves_in_the_lines_are_judged_by_them() -> None:
    """No other position is searched."""
    agent = Oracle({START: [Line((0,), 0.5, 90), Line((1,), 0.0, 10)]})
    (found,) = analyze_game(record_of(START, "B"), agent, multipv=2).moves
    assert found.value_lost == pytest.approx(0.25)
    assert found.is_blunder
    assert found.better is not None
    assert found.better.move == "A"
    assert agent.asked == [(START, 2)]


def test_other_moves_are_judged_by_a_search_of_their_own() -> None:
    """So is the best one, and what both comparisons agree on is lost."""
    best, other = START.play(0), START.play(5)
    told = {
        START: [Line((0,), 0.8, 90), Line((1,), 0.1, 5)],
        best: [Line((0,), -0.4)],
        other: [Line((0, 1), 0.2)],
        START.play(1): [Line((0,), -0.6)],
    }
    found = judged(told, "F")
    assert found.value_lost == pytest.approx(0.7 - 0.4)
    assert found.played.moves == ("F", other.move_text(0), other.play(0).move_text(1))
    # A line of few visits is no judgement.
    assert judged(told, "B").value_lost == 0


def test_noise_is_no_loss() -> None:
    """A move that is no worse by its own search has lost nothing, and nothing is better."""
    told = {START: [Line((0,), 0.1)], START.play(5): [Line((0,), -0.3)]}
    found = judged(told, "F", multipv=1)
    assert (found.value_lost, found.better) == (0, None)
    assert [found.is_blunder, found.missed_win, found.allowed_win] == [False] * 3


def test_the_best_move_has_lost_nothing() -> None:
    """Not even if it loses the game."""
    found = judged({START: [Line((3,), -1.0, None, 1, 4)]}, "D")
    assert found.value_lost == 0
    assert [found.is_blunder, found.missed_win, found.allowed_win] == [False] * 3
    assert found.analysis.best.verdict is Verdict.LOSS


def test_equal_moves_are_one() -> None:
    """A move that leads where the best one does is as good, whatever another search says."""
    game = make_game("mammalath")
    position = game.from_text("F1F1E1/AE1AEC/A1A1C1/3CEE/AFD3/1AD1DD 3b2/bw4/3b2/1w4/6/b2w2 b 11")
    line, whole = position.game.parse_move("xf2-d4", position), "xC"
    assert position.play(line) == position.play(whole)
    told = {
        position: [Line((line,), 0.5)],
        position.play(line): [Line((position.play(line).legal_actions()[0],), 0.9)],
    }
    found = judged(told, whole, position)
    assert found.value_lost == 0
    assert found.played.move == whole


def test_symmetric_moves_are_one() -> None:
    """The reply to the one is not the reply to the other, but they are worth the same."""
    game = make_game("mammalath")
    start = game.from_text("ABCCBA/DEFFED/ABCCBA/DEFFED/ABCCBA/DEFFED 6/6/6/6/6/6 b 0")
    first = game.parse_move("a1", start)
    told = {start: [Line((first, game.parse_move("b1", start)), 0.5)]}
    found = judged(told, "f1", start)
    assert (found.value_lost, found.played.moves) == (0, ("f1",))


def test_missed_and_allowed_wins() -> None:
    """A proven win that a move does not keep, and a proven win of the opponent that it leads to."""
    won, lost = Line((0,), 0.0, None, 0, 3), Line((1,), 0.0, None, 1, 6)
    unknown = Line((1,), 0.2)
    found = judged({START: [won, lost]}, "B")
    assert (found.value_lost, found.is_blunder) == (1, True)
    assert (found.missed_win, found.allowed_win) == (True, True)
    found = judged({START: [won, unknown]}, "B")
    assert (found.missed_win, found.allowed_win) == (True, False)
    found = judged({START: [Line((0,), -0.9), lost]}, "B")
    assert (found.is_blunder, found.missed_win, found.allowed_win) == (False, False, True)
    # Proven by the search of the position after it.
    reply = Line((0,), 0.0, None, 1, 5)
    found = judged({START: [unknown, won][:1], START.play(4): [reply]}, "E")
    assert (found.allowed_win, found.played.verdict, found.played.plies) == (True, Verdict.LOSS, 6)


def test_draws_thrown_away_are_blunders() -> None:
    """From a proven draw to a proven loss, and from a win to a draw."""
    win, draw, loss = (Line((k,), 0.0, None, k if k < 1 else 3 - k, 2) for k in range(3))
    assert judged({START: [draw, loss]}, "C").value_lost == 0.5
    found = judged({START: [win, draw]}, "B")
    assert (found.value_lost, found.is_blunder, found.missed_win) == (0.5, True, True)


def test_what_one_search_has_not_proven() -> None:
    """Of the best move and the one played both are proven, if either is and the other can be."""
    start = MANCALA.from_text("0,1,0,0,1,0/0,1,0,0,0,2 20-23 n 10 127")
    best, other = (start.game.parse_move(move, start) for move in "fb")
    won = Line((best,), 1.0, None, start.to_move, 1)
    even = Line((start.play(other).legal_actions()[0],), 0.0)
    found = judged({start: [won], start.play(other): [even]}, "b", start)
    assert (found.played.verdict, found.played.plies) == (Verdict.LOSS, 23)
    assert found.played.moves[0] == "b"
    assert (found.missed_win, found.value_lost) == (True, 1)

    start = MANCALA.from_text("1,0,0,0,0,1/0,0,0,2,0,1 20-23 s 21 169")
    best, other = (start.game.parse_move(move, start) for move in "AF")
    lost = Line((other,), 0.0, None, 1 - start.to_move, 4)
    found = judged({start: [Line((best,), -0.9), lost]}, "F", start)
    assert found.analysis.best.verdict is Verdict.WIN
    assert (found.missed_win, found.allowed_win, found.value_lost) == (True, True, 1)


def test_moves_that_end_the_game() -> None:
    """They need no search: the rules say what they are worth."""
    start = MANCALA.from_text("0,2,0,0,0,1/1,0,0,1,0,0 23-20 s 3 80")
    told = {start: [Line((1,), 0.9)]}
    found = judged(told, "F", start)
    assert (found.played.verdict, found.played.plies, found.value_lost) == (Verdict.WIN, 1, 0)


def test_games_have_evaluations() -> None:
    """For player 0, from -1 to 1, so that the record is valid and replay pages draw them."""
    second = START.play(0)
    told = {START: [Line((0,), 0.5)], second: [Line((0,), 0.5)]}
    analysis = analyze_game(record_of(START, "A", "a"), Oracle(told))
    assert analysis.record.evaluations == (0.5, -0.5)
    assert [move.analysis.position for move in analysis.moves_of(1)] == [second]
    assert analysis.agent == "oracle"
    GameRecord.from_json(analysis.record.to_json())


@pytest.mark.parametrize("agent", ["mcts:simulations=30", "alphabeta:depth=2"])
def test_games_of_agents(agent: str) -> None:
    """The same, in any number of threads."""
    record = play_game("mammalath", ("greedy", "random"), seed=3, max_plies=6)
    one = analyze_game(record, agent, multipv=3, seed=1)
    assert analyze_game(record, agent, multipv=3, seed=1, jobs=2) == one
    assert len(one.moves) == len(record.moves)
    for move in one.moves:
        values = [line.value for line in move.analysis.lines]
        assert len(values) <= 3
        assert all(0 <= value <= 1 for value in values)
        assert 0 <= move.value_lost <= 1
    one.record.validate()


def test_impossible_arguments() -> None:
    """Each says what is wrong."""
    with pytest.raises(GameOverError):
        analyze_position(MANCALA.from_text(OVER), Oracle({}))
    with pytest.raises(TypeError, match="agent 'random' does not analyze positions"):
        analyze_position(START, "random")
    with pytest.raises(ValueError, match="multipv must be at least 1"):
        analyze_position(START, Oracle({}), multipv=0)
    with pytest.raises(ValueError, match="agent 'oracle' found no move in '4,4,4"):
        analyze_position(START, Oracle({START: []}))
    with pytest.raises(ValueError, match="jobs"):
        analyze_game(record_of(START), FirstMoves, jobs=0)
    for jobs in (1, 2):
        with pytest.raises(RuntimeError, match="out of order"):
            analyze_game(record_of(START, "A", "a", "B"), Broken, jobs=jobs)


def test_the_page_has_the_slopes() -> None:
    """One row for each agent, with a column for each game."""
    page = (ROOT / "docs" / "analysis.md").read_text("utf-8")
    found = {}
    for name in {agent for agent, _ in SLOPES}:
        (cells,) = re.findall(rf"^\| `{name}:[^|]*\|(.*)\|$", page, re.MULTILINE)
        for game, cell in zip(GAMES, cells.split("|"), strict=True):
            if cell.strip() != "-":
                found[name, game] = float(cell.split("±")[0])
    assert found == SLOPES


KINDS = [*SLOPES, ("others", "mammalath")]


@given(st.floats(-1, 1), st.floats(-1, 1), st.sampled_from(KINDS))
def test_win_probabilities_are_on_one_scale(
    one: float, other: float, kind: tuple[str, str]
) -> None:
    """They grow with the value, those of the two players sum to 1, and none is certain."""
    first, second = win_probability(one, *kind), win_probability(other, *kind)
    assert (first < second) <= (one < other)
    assert first + win_probability(-one, *kind) == pytest.approx(1)
    assert 1 - MOST_CERTAIN <= first <= MOST_CERTAIN
    assert win_probability(0, *kind) == 0.5
    assert win_probability(1, *kind) == MOST_CERTAIN
