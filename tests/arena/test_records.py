"""Records: round trips, and what a reader of other people's files refuses."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mammalath_env.arena import GameRecord, RecordError, play_game, read_records
from mammalath_env.arena.records import (
    AGENT_FAILED,
    FORFEITS,
    RECORD_STARTS,
    UNFINISHED,
    MatchPlace,
)
from mammalath_env.core.game import Game
from mammalath_env.games import GAMES, make_game

GAME_STRATEGY = st.sampled_from(
    [*map(make_game, GAMES), make_game("mancala", capture="chain", no_capture_limit=9)]
)
SEEDS = st.integers(0, (1 << 64) - 1)
NAMES = st.tuples(st.text(max_size=8), st.text(max_size=8))
PLACES = st.none() | st.builds(MatchPlace, agents=NAMES, seed=SEEDS, index=SEEDS)
RECORD = play_game(make_game("mammalath"), ["greedy", "random"], seed=2)
STOPPED = play_game(make_game("mammalath"), ["greedy", "random"], seed=2, max_plies=3)


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    """Draw a valid record."""
    game: Game = draw(GAME_STRATEGY)
    stop = draw(st.none() | st.integers(1, 20))
    record = play_game(game, ["random", "random"], seed=draw(SEEDS), max_plies=stop)
    values = st.none() | st.floats(-1, 1)
    number = len(record.moves)
    changes: dict[str, Any] = {
        "players": draw(NAMES),
        "detail": draw(st.none() | st.text(max_size=20)),
        "agent_seeds": draw(st.tuples(st.none() | SEEDS, st.none() | SEEDS)),
        "deal_seed": draw(st.none() | SEEDS),
        "evaluations": draw(
            st.none() | st.lists(values, min_size=number, max_size=number).map(tuple)
        ),
        "match": draw(PLACES),
        "versions": draw(st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3)),
    }
    if record.reason == UNFINISHED and draw(st.booleans()):
        mover = record.positions()[-1].to_move
        changes |= {"reason": draw(st.sampled_from(FORFEITS)), "offender": mover}
        changes |= {"winner": 1 - mover}
    return dataclasses.replace(record, **changes)


@given(records())
def test_a_record_reads_back_from_its_line(record: GameRecord) -> None:
    """A line says all that the record does, whatever is in its texts."""
    line = record.to_json()
    assert "\n" not in line
    assert line.isascii()
    assert line.encode().startswith(RECORD_STARTS[-1])
    assert GameRecord.from_json(line) == record
    assert pickle.loads(pickle.dumps(record)) == record
    assert hash(GameRecord.from_json(line)) == hash(record)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists), st.data())
def test_any_member_may_be_anything(value: object, data: st.DataObject) -> None:
    """Wrong values are refused as such, and never crash the reader."""
    members = json.loads(RECORD.to_json())
    key = data.draw(st.sampled_from(sorted(members)))
    if isinstance(members[key], list) and members[key] and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(members[key]) - 1))
        members[key][place] = value
    else:
        members[key] = value
    with contextlib.suppress(RecordError):
        GameRecord.from_json(json.dumps(members), line=4)


@given(st.text())
def test_any_text_is_refused(text: str) -> None:
    """Text that is not a record raises RecordError."""
    with pytest.raises(RecordError):
        GameRecord.from_json(text)


def test_replay_gives_the_positions_and_actions(game: Game) -> None:
    """Positions and actions are those of the game."""
    record = play_game(game, ["random", "random"], seed=1)
    positions, actions = record.positions(), record.actions()
    assert len(positions) == len(actions) + 1 == len(record.moves) + 1
    for before, action, after in zip(positions, actions, positions[1:], strict=False):
        assert before.play(action) == after
    outcome = positions[-1].outcome
    assert outcome is not None
    assert (outcome.winner, outcome.termination.label) == (record.winner, record.reason)
    assert record.first_player == positions[0].to_move


def changed(**members: Any) -> str:
    """Return the line of a finished game with other members."""
    return json.dumps({**json.loads(RECORD.to_json()), **members})


def stopped(**members: Any) -> str:
    """Return the line of a game that ends after three plies with other members."""
    return json.dumps({**json.loads(STOPPED.to_json()), **members})


def without(key: str) -> str:
    """Return the line of a game without one of its members."""
    members = json.loads(RECORD.to_json())
    del members[key]
    return json.dumps(members)


MOVES = RECORD.moves
MOVER = STOPPED.positions()[-1].to_move

BAD_LINES: list[tuple[str, str]] = [
    ("", "line 3: not JSON"),
    ("nonsense", "line 3: not JSON: Expecting value (column 1)"),
    ("[]", "line 3: Expected `object`, got `array`"),
    ("null", "line 3: Expected `object`, got `null`"),
    ("[" * 100_000, "line 3: not JSON"),
    ("9" * 10_000, "line 3: not JSON"),
    (RECORD.to_json() + "}", "line 3: not JSON: Extra data"),
    ('{"format":1,"format":1}', "line 3: key 'format' is there twice"),
    ('{"format":NaN}', "line 3: NaN is not a number"),
    *(
        (without(key), f"line 3: Object missing required field `{key}`")
        for key in json.loads(RECORD.to_json())
        if key not in ("traceback", "seconds", "time_control")
    ),
    (changed(format=4), "line 3: expected format 1 or 2 or 3, not 4"),
    (changed(format=True), "line 3: Expected `int`, got `bool` - at `$.format`"),
    (changed(color="red"), "line 3: Object contains unknown field `color`"),
    (changed(game="chess"), "line 3: unknown game 'chess'"),
    (changed(game=["mammalath"]), "line 3: Expected `str`, got `array` - at `$.game`"),
    (changed(options={"komi": 7}), "line 3: unknown option of mammalath 'komi'"),
    (changed(options={"name": "mancala"}), "line 3: "),
    (changed(options={"swap_rule": "yes"}), "line 3: swap_rule must be True or False"),
    (
        changed(options={"swap_rule": [1]}),
        "line 3: Expected `bool | int | float | str | null`, got `array` - at `$.options[...]`",
    ),
    (changed(options=[]), "line 3: Expected `object`, got `array` - at `$.options`"),
    (changed(start="nowhere"), "line 3: 'nowhere' is not a position of Mammalath"),
    (changed(start="x" * 100_000), "line 3: 'xxx"),
    (changed(start=None), "line 3: Expected `str`, got `null` - at `$.start`"),
    (changed(moves="c4"), "line 3: Expected `array`, got `str` - at `$.moves`"),
    (changed(moves=["c4", 3]), "line 3: Expected `str`, got `int` - at `$.moves[1]`"),
    (changed(moves=[MOVES[0], "z9"]), "line 3, ply 2: 'z9' is not a move of Mammalath"),
    (changed(moves=[MOVES[0], MOVES[0]]), f"line 3, ply 2: illegal move {MOVES[0]}"),
    (
        changed(moves=[*MOVES, "c4"]),
        f"line 3, ply {len(MOVES) + 1}: no move after the end: c4",
    ),
    (changed(moves=MOVES[:-1]), "line 3: the game is not over after its moves, not a win of"),
    (
        changed(players=["greedy"]),
        "line 3: Expected `array` of length 2, got 1 - at `$.players`",
    ),
    (changed(players=["greedy", 1]), "line 3: Expected `str`, got `int` - at `$.players[1]`"),
    (changed(winner=1 - (RECORD.winner or 0)), "line 3: the moves lead to a win of player"),
    (changed(winner=None), "line 3: the moves lead to a win of player"),
    (changed(winner=2), "line 3: Expected `int` <= 1 - at `$.winner`"),
    (changed(winner=-1), "line 3: Expected `int` >= 0 - at `$.winner`"),
    (changed(winner=0.0), "line 3: Expected `int | null`, got `float` - at `$.winner`"),
    (changed(reason="boredom"), "line 3: the moves lead to a win of player"),
    (changed(reason="resigned"), "line 3: the moves lead to a win of player"),
    (changed(offender=0), "line 3: the moves lead to a win of player"),
    (changed(offender="me"), "line 3: Expected `int | null`, got `str` - at `$.offender`"),
    (changed(detail=3), "line 3: Expected `str | null`, got `int` - at `$.detail`"),
    (
        changed(agent_seeds=[1]),
        "line 3: Expected `array` of length 2, got 1 - at `$.agent_seeds`",
    ),
    (changed(agent_seeds=[1, -1]), "line 3: Expected `int` >= 0 - at `$.agent_seeds[1]`"),
    (changed(deal_seed=1 << 64), "line 3: 18446744073709551616 is out of the range of integers"),
    (changed(deal_seed=-(1 << 64)), "line 3: -18446744073709551616 is out of the range of"),
    (changed(evaluations=[0.5]), f"line 3: there are 1 evaluations of {len(MOVES)} moves"),
    (
        changed(evaluations=[1.5] * len(MOVES)),
        "line 3: an evaluation must be from -1 to 1, not 1.5",
    ),
    (
        changed(evaluations=["high"]),
        "line 3: Expected `float | null`, got `str` - at `$.evaluations[0]`",
    ),
    (
        changed(evaluations=[True]),
        "line 3: Expected `float | null`, got `bool` - at `$.evaluations[0]`",
    ),
    (changed(evaluations=[10**400]), "line 3: 1000000"),
    (
        changed(evaluations=[0.5] * len(MOVES)).replace("0.5", "1e400"),
        "line 3: an evaluation must be from -1 to 1, not inf",
    ),
    (changed(seconds=[0.5]), f"line 3: there are 1 times of {len(MOVES)} moves"),
    (changed(seconds=[-1.0] * len(MOVES)), "line 3: a time must be at least 0 seconds"),
    (changed(seconds=[0.5] * len(MOVES)).replace("0.5", "1e400"), "line 3: a time must be"),
    (changed(seconds=[None]), "line 3: Expected `float`, got `null` - at `$.seconds[0]`"),
    (changed(traceback=3), "line 3: Expected `str | null`, got `int` - at `$.traceback`"),
    (changed(match=3), "line 3: Expected `object | null`, got `int` - at `$.match`"),
    (changed(match={}), "line 3: Object missing required field `agents` - at `$.match`"),
    (
        changed(match={"agents": ["a", "b"], "seed": 1, "index": 0, "round": 1}),
        "line 3: Object contains unknown field `round` - at `$.match`",
    ),
    (changed(versions={"numpy": 2}), "line 3: Expected `str`, got `int` - at `$.versions[...]`"),
    (stopped(winner=0), "line 3: an unfinished game has no winner and no offender"),
    (stopped(offender=0), "line 3: an unfinished game has no winner and no offender"),
    (stopped(reason="empty line", winner=0), "line 3: the game is not over after its moves"),
    (
        stopped(reason="resigned", winner=0, offender=0),
        "line 3: after 'resigned' the winner must be whom the offender met",
    ),
    (stopped(reason="resigned", winner=0), "line 3: after 'resigned' the winner must be whom"),
    (
        stopped(reason="agent failed", winner=MOVER, offender=1 - MOVER),
        "line 3: after 'agent failed' the offender must be the player to move",
    ),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES)
def test_bad_lines_are_refused(tmp_path: Path, line: str, message: str) -> None:
    """The error names the line, and the ply if a move is to blame."""
    path = tmp_path / "games.jsonl"
    good = RECORD.to_json()
    path.write_text(f"{good}\n{good}\n{line}\n{good}\n", encoding="utf-8")
    with pytest.raises(RecordError) as caught:
        read_records(path)
    assert str(caught.value).startswith(message)
    assert caught.value.line == 3
    assert len(str(caught.value)) < 1000


def test_the_lines_that_the_bad_ones_come_from_are_good() -> None:
    """So that each bad line is refused for its change alone."""
    assert GameRecord.from_json(changed()) == RECORD
    assert GameRecord.from_json(stopped()) == STOPPED
    resigned = stopped(reason="resigned", winner=MOVER, offender=1 - MOVER)
    assert GameRecord.from_json(resigned).winner == MOVER
    missing_options = GameRecord.from_json(changed(options={}))
    assert missing_options == RECORD


def test_errors_can_be_sent_between_processes() -> None:
    """A pickled RecordError keeps its message, line and ply."""
    error = pickle.loads(pickle.dumps(RecordError("illegal move c4", line=3, ply=7)))
    assert (str(error), error.line, error.ply) == ("line 3, ply 7: illegal move c4", 3, 7)
    assert str(RecordError("no record")) == "no record"


@pytest.mark.parametrize(
    "replace",
    [
        lambda: dataclasses.replace(RECORD, start="nowhere").positions(),
        lambda: dataclasses.replace(RECORD, moves=("z9",)).actions(),
        lambda: dataclasses.replace(RECORD, winner=None).validate(),
    ],
)
def test_replaying_checks_records_made_by_hand(replace: Callable[[], object]) -> None:
    """A record is checked when it is replayed."""
    with pytest.raises(RecordError):
        replace()


@pytest.mark.parametrize("offender", [0, 1])
def test_an_agent_may_fail_before_the_first_move(offender: int) -> None:
    """Either of the two, as both are made then; but only the player to move plays illegally."""
    record = dataclasses.replace(
        RECORD, moves=(), seconds=None, winner=1 - offender, offender=offender
    )
    failed = dataclasses.replace(record, reason=AGENT_FAILED, detail="OSError: no network")
    assert GameRecord.from_json(failed.to_json()) == failed
    with pytest.raises(RecordError, match="must be whom the offender met"):
        dataclasses.replace(failed, winner=offender).validate()
    illegal = dataclasses.replace(record, reason="illegal move")
    if offender == record.first_player:
        illegal.validate()
    else:
        with pytest.raises(RecordError, match="the offender must be the player to move"):
            illegal.validate()
