"""Why games were forfeited: shown once, kept in records and results; other faults are raised."""

from __future__ import annotations

import errno
import json
import logging
from typing import Any

import pytest

from mammalath_env.agents import AlphaBetaAgent, GreedyAgent, RandomAgent
from mammalath_env.arena import (
    GameRecord,
    MatchResult,
    PackageFaultError,
    Tournament,
    play_game,
    play_match,
    record_schema,
    round_robin,
)
from mammalath_env.arena.faults import MAX_TRACEBACK
from mammalath_env.arena.puzzles import load_puzzles, score
from mammalath_env.core.position import Position
from mammalath_env.games import make_game
from tests.arena.players import BadAgent, FirstAgent, cheating, fail, failing

MANCALA = make_game("mancala")


class Raising(FirstAgent):
    """Raises an error at its third move.

    Attributes:
        name: ``"raising"``.
    """

    name = "raising"
    error: BaseException = ZeroDivisionError("division by zero")

    def act(self, position: Position) -> int:
        """Return the first legal action, or raise."""
        if position.ply > 3:
            raise self.error
        return super().act(position)


class Illegal(RandomAgent):
    """Plays illegal moves of several kinds.

    Attributes:
        name: ``"illegal"``.
    """

    name = "illegal"

    def act(self, position: Position) -> int:
        """Return an action that is out of range in one game, and no integer in another."""
        answer: Any = None if super().act(position) % 2 else 99
        return answer  # type: ignore[no-any-return]


def raising(error: BaseException) -> type[Raising]:
    """Return a class of agents that raise `error`."""
    return type("Raising", (Raising,), {"error": error})


def collect(*arguments: Any, **options: Any) -> tuple[MatchResult, list[GameRecord]]:
    """Play a match and return its games as well."""
    records: list[GameRecord] = []
    return play_match(*arguments, **options, on_record=records.append), records


def recurse(number: int) -> int:
    """Never end, and in turns."""
    return recurse_too(number) + 1


def recurse_too(number: int) -> int:
    """Never end either."""
    return recurse(number) + 1


def test_the_traceback_is_that_of_the_agents_code() -> None:
    """Frames of the package are left out, from both ends."""
    record = play_game(MANCALA, [BadAgent(fail), "random"], seed=1)
    trace = record.traceback
    assert trace is not None
    assert trace.startswith("Traceback (most recent call last):\n")
    assert trace.endswith("RuntimeError: out\nof order")
    assert 'raise RuntimeError("out\\nof order")' in trace
    assert "mammalath_env/arena" not in trace.replace("\\", "/")
    assert GameRecord.from_json(record.to_json()).traceback == trace
    inside = play_game(MANCALA, [BadAgent(lambda: MANCALA.from_text("x").ply), "random"], seed=1)
    assert "from_text" in (inside.traceback or "")
    assert "core/game.py" not in (inside.traceback or "").replace("\\", "/")


@pytest.mark.parametrize(
    "misbehave",
    [lambda: recurse(1), lambda: exec("raise ValueError('x' * 10_000)")],
    ids=["recursion", "message"],
)
def test_long_tracebacks_are_cut(misbehave: Any) -> None:
    """Their ends are kept, where the error is."""
    trace = play_game(MANCALA, [BadAgent(misbehave), "random"], seed=1).traceback
    assert trace is not None
    assert len(trace) <= MAX_TRACEBACK
    assert "Error" in trace or trace.endswith("xxx")


def test_causes_are_part_of_the_traceback() -> None:
    """An error that was raised from another one shows both."""

    def chained() -> int:
        try:
            return fail()
        except RuntimeError as error:
            raise KeyError("policy") from error

    trace = play_game(MANCALA, [BadAgent(chained), "random"], seed=1).traceback or ""
    assert "RuntimeError: out\nof order" in trace
    assert trace.endswith("KeyError: 'policy'")


def test_an_illegal_move_has_no_traceback() -> None:
    """Its detail says it all."""
    record = play_game(MANCALA, [BadAgent(lambda: 99), "random"], seed=1)
    assert record.detail is not None
    assert record.traceback is None
    assert play_game(MANCALA, ["random", "random"], seed=1).traceback is None


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_first_forfeit_of_each_agent_is_shown(
    caplog: pytest.LogCaptureFixture, jobs: int
) -> None:
    """As a warning, which Python prints to standard error; of other games nothing is."""
    round_robin(MANCALA, [failing, cheating, "random"], 2, seed=1, jobs=jobs)
    shown = [record.message for record in caplog.records if "forfeits" in record.message]
    assert len(shown) == 2
    assert {record.levelno for record in caplog.records} <= {logging.WARNING}
    (one,) = (text for text in shown if text.startswith("agent failing forfeits: RuntimeError"))
    assert "in fail\n" in one
    (other,) = (text for text in shown if text.startswith("agent cheating forfeits: "))
    assert "action -1 is out of range" in other


def test_what_is_shown_cannot_command_the_terminal(caplog: pytest.LogCaptureFixture) -> None:
    """Neither name nor error nor traceback."""
    agent = raising(ValueError("\x1b[2J\u202e"))
    agent.name = "\x1b[31m"
    play_game(MANCALA, [agent, "random"], seed=1)
    assert "forfeits" in caplog.text
    assert "\x1b" not in caplog.records[-1].message
    assert "\u202e" not in caplog.records[-1].message


def test_results_say_why_games_were_forfeited() -> None:
    """Equal reasons are counted together; illegal moves are, whatever the move."""
    result, records = collect(MANCALA, Illegal, Raising, 8, seed=1)
    assert sum(result.forfeits) == 16
    wrong = (
        "TypeError: an answer must be an integer, the number of a legal action, or its text, "
        "not None: is a return missing?"
    )
    reasons = result.forfeit_reasons[0]
    assert set(reasons) == {"illegal move", wrong}
    details = [record.detail for record in records]
    assert reasons[wrong] == details.count(wrong)
    assert sum(reasons.values()) == result.forfeits[0]
    assert list(reasons.values()) == sorted(reasons.values(), reverse=True)
    assert result.reversed().forfeit_reasons == result.forfeit_reasons[::-1]
    hash(result)


@pytest.mark.parametrize(
    "error",
    [MemoryError(), OSError(errno.ENOSPC, "full"), OSError(errno.EIO, "broken disk")],
    ids=repr,
)
def test_faults_of_the_machine_are_raised(error: Exception) -> None:
    """Nobody has lost by them."""
    agent = raising(error)
    with pytest.raises(type(error)):
        play_game(MANCALA, [agent, "random"], seed=1)
    records: list[GameRecord] = []
    with pytest.raises(type(error)):
        play_match(MANCALA, "random", agent, 1, seed=1, on_record=records.append)
    with pytest.raises(type(error)):
        round_robin(MANCALA, ["random", agent], 1, seed=1)
    assert records == []
    with pytest.raises(type(error)):
        score(BadAgent(lambda: agent(0).act(late)), load_puzzles("mammalath")[:5])


late = MANCALA.from_text("0,0,3,4,5,6/0,8,0,2,1,0 8-11 n 3 30")


@pytest.mark.parametrize("answer", [ZeroDivisionError("a bug"), -1, "nothing"])
@pytest.mark.parametrize("spec", ["greedy", GreedyAgent])
def test_faults_of_our_agents_are_raised(
    monkeypatch: pytest.MonkeyPatch, answer: Any, spec: Any
) -> None:
    """They are bugs, whether an error or an illegal move, and no results."""

    def act(self: GreedyAgent, position: Position) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(GreedyAgent, "act", act)
    for call in (
        lambda: play_game(MANCALA, [spec, FirstAgent], seed=1),
        lambda: play_match(MANCALA, spec, FirstAgent, 1, seed=1),
        lambda: round_robin(MANCALA, [spec, FirstAgent], 1, seed=1),
    ):
        with pytest.raises(PackageFaultError, match="agent 'greedy' of the package failed"):
            call()

    class Mine(GreedyAgent):
        name = "mine"

    record = play_game(MANCALA, [Mine, Mine], seed=1)
    assert record.offender == record.first_player


def test_our_agents_fail_for_games_that_they_cannot_play() -> None:
    """Before the game, and not as a forfeit."""

    class Picky(FirstAgent):
        def check_game(self, game: Any) -> None:
            raise ValueError(f"not {game.name}")

    with pytest.raises(ValueError, match="not mancala"):
        play_game(MANCALA, [Picky, "random"], seed=1)


def test_records_have_the_time_of_each_move() -> None:
    """In seconds; they count neither for equality nor for the hash."""
    record, again = (play_game(MANCALA, ["random", Raising], seed=1) for _ in range(2))
    assert record.seconds is not None
    assert len(record.seconds) == len(record.moves)
    assert all(time == round(time, 6) >= 0 for time in record.seconds)
    assert record == again
    assert hash(record) == hash(again)
    assert GameRecord.from_json(record.to_json()).seconds == record.seconds


# As version 0.1.0 wrote it.
OLD_RECORD = (
    '{"format":1,"game":"mancala","options":{"capture":"last","no_capture_limit":100,'
    '"reward":"outcome"},"start":"4,4,4,4,4,4/4,4,4,4,4,4 0-0 s 0 0","moves":[],'
    '"players":["mine","random"],"winner":1,"reason":"agent failed","offender":0,'
    '"detail":"ValueError: no","agent_seeds":[1,2],"deal_seed":3,"evaluations":null,'
    '"match":null,"versions":{"numpy":"2.0.0"}}'
)


def test_records_of_the_older_format_are_read() -> None:
    """They lack tracebacks and times, and are written in the newer format."""
    record = GameRecord.from_json(OLD_RECORD)
    assert (record.detail, record.traceback, record.seconds) == ("ValueError: no", None, None)
    assert record.time_control is None
    assert json.loads(record.to_json())["format"] == 3
    assert GameRecord.from_json(record.to_json()) == record


def test_results_of_the_older_format_are_read() -> None:
    """Wins, draws and losses had no names, and forfeits no reasons."""
    tournament = round_robin(MANCALA, [failing, "random"], 2, seed=1)
    data = json.loads(tournament.to_json())
    (match,) = data["matches"]
    assert match["moving_first"] == {"wins": 0, "draws": 0, "losses": 2}
    assert match["forfeit_reasons"] == [{"RuntimeError: out of order": 4}, {}]
    old = {**match, "moving_first": [0, 0, 2], "moving_second": [0, 0, 2]}
    del old["forfeit_reasons"]
    found = Tournament.from_json(json.dumps({"format": 1, "matches": [old]}))
    assert found.matches[0].moving_first == tournament.matches[0].moving_first
    assert found.matches[0].forfeits == (4, 0)
    match["forfeit_reasons"] = [{"x": 5}, {}]
    with pytest.raises(ValueError, match="more reasons of forfeits than forfeits"):
        Tournament.from_json(json.dumps(data))


def test_the_schema_names_the_members_of_a_record() -> None:
    """All those of a line, and no others."""
    schema = record_schema()
    properties = schema["$defs"]["RecordMembers"]["properties"]
    record = play_match(MANCALA, "random", AlphaBetaAgent, 1, seed=1)
    assert record.num_games == 2
    line = json.loads(play_game(MANCALA, ["random", "random"], seed=1).to_json())
    assert set(properties) == set(line)
