"""Records: round trips, and what a reader of other people's files refuses."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import io
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mammalath_env.arena import GameRecord, RecordError, play_game, read_records, write_record
from mammalath_env.arena.fields import FieldError, _unique
from mammalath_env.arena.records import (
    AGENT_FAILED,
    FORFEITS,
    MAX_LINE_BYTES,
    RECORD_START,
    UNFINISHED,
    MatchPlace,
    check_appendable,
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
def test_json_round_trip(record: GameRecord) -> None:
    """A line says all that the record does, whatever is in its texts."""
    line = record.to_json()
    assert "\n" not in line
    assert line.isascii()
    assert line.encode().startswith(RECORD_START)
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
    """What is not a record is a RecordError."""
    with pytest.raises(RecordError):
        GameRecord.from_json(text)


def test_replay(game: Game) -> None:
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
    ("[]", "line 3: a record must be a JSON object, not []"),
    ("null", "line 3: a record must be a JSON object, not None"),
    ("[" * 100_000, "line 3: not JSON"),
    ("9" * 10_000, "line 3: not JSON"),
    (RECORD.to_json() + "}", "line 3: not JSON: Extra data"),
    ('{"format":1,"format":1}', "line 3: key 'format' is there twice"),
    ('{"format":NaN}', "line 3: NaN is not a number"),
    *((without(key), f"line 3: a record lacks '{key}'") for key in json.loads(RECORD.to_json())),
    (changed(format=2), "line 3: expected record format 1, not 2"),
    (changed(format=True), "line 3: 'format' must be a whole number from 0"),
    (changed(color="red"), "line 3: a record has unknown members: 'color'"),
    (changed(game="chess"), "line 3: unknown game 'chess'"),
    (changed(game=["mammalath"]), "line 3: 'game' must be a text, not ['mammalath']"),
    (changed(options={"komi": 7}), "line 3: unknown option of mammalath 'komi'"),
    (changed(options={"name": "mancala"}), "line 3: "),
    (changed(options={"swap_rule": "yes"}), "line 3: swap_rule must be True or False"),
    (changed(options={"swap_rule": [1]}), "line 3: 'options' must be an object of plain values"),
    (changed(options=[]), "line 3: 'options' must be an object of plain values, not []"),
    (changed(start="nowhere"), "line 3: 'nowhere' is not a position of Mammalath"),
    (changed(start="x" * 100_000), "line 3: 'xxx"),
    (changed(start=None), "line 3: 'start' must be a text, not None"),
    (changed(moves="c4"), "line 3: 'moves' must be a list of texts"),
    (changed(moves=["c4", 3]), "line 3: 'moves' must be a list of texts"),
    (changed(moves=[MOVES[0], "z9"]), "line 3, ply 2: 'z9' is not a move of Mammalath"),
    (changed(moves=[MOVES[0], MOVES[0]]), f"line 3, ply 2: illegal move {MOVES[0]}"),
    (
        changed(moves=[*MOVES, "c4"]),
        f"line 3, ply {len(MOVES) + 1}: no move after the end: c4",
    ),
    (changed(moves=MOVES[:-1]), "line 3: the game is not over after its moves, not a win of"),
    (changed(players=["greedy"]), "line 3: 'players' must be a list of 2 texts"),
    (changed(players=["greedy", 1]), "line 3: 'players' must be a list of 2 texts"),
    (changed(winner=1 - (RECORD.winner or 0)), "line 3: the moves lead to a win of player"),
    (changed(winner=None), "line 3: the moves lead to a win of player"),
    (changed(winner=2), "line 3: 'winner' must be null or a whole number from 0 to 1, not 2"),
    (changed(winner=-1), "line 3: 'winner' must be null or"),
    (changed(winner=0.0), "line 3: 'winner' must be null or"),
    (changed(reason="boredom"), "line 3: the moves lead to a win of player"),
    (changed(reason="resigned"), "line 3: the moves lead to a win of player"),
    (changed(offender=0), "line 3: the moves lead to a win of player"),
    (changed(offender="me"), "line 3: 'offender' must be null or a whole number"),
    (changed(detail=3), "line 3: 'detail' must be a text or null, not 3"),
    (changed(agent_seeds=[1]), "line 3: 'agent_seeds' must be a list of 2 whole numbers or nulls"),
    (changed(agent_seeds=[1, -1]), "line 3: 'agent_seeds' must be"),
    (changed(deal_seed=1 << 64), "line 3: 'deal_seed' must be null or a whole number from 0 to"),
    (changed(evaluations=[0.5]), f"line 3: there are 1 evaluations of {len(MOVES)} moves"),
    (
        changed(evaluations=[1.5] * len(MOVES)),
        "line 3: an evaluation must be from -1 to 1, not 1.5",
    ),
    (changed(evaluations=["high"]), "line 3: 'evaluations' must be a list of numbers and nulls"),
    (changed(evaluations=[True]), "line 3: 'evaluations' must be a list of numbers and nulls"),
    (changed(evaluations=[10**400]), "line 3: 'evaluations' must be a list of numbers and nulls"),
    (changed(match=3), "line 3: 'match' must be a JSON object, not 3"),
    (changed(match={}), "line 3: 'match' lacks 'agents'"),
    (
        changed(match={"agents": ["a", "b"], "seed": 1, "index": 0, "round": 1}),
        "line 3: 'match' has unknown members: 'round'",
    ),
    (changed(versions={"numpy": 2}), "line 3: 'versions' must be an object of texts"),
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
def test_bad_lines(tmp_path: Path, line: str, message: str) -> None:
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (RECORD.to_json().encode()[:-20], "line 1: the last line is cut off: not JSON"),
        (b'{"format"', "line 1: the last line is cut off: not JSON"),
        (changed(game="chess").encode(), "line 1: unknown game 'chess'"),
        (changed(moves=["z9"]).encode(), "line 1, ply 1: 'z9' is not a move"),
        (b"\xff\xfe\n", "line 1: not UTF-8"),
        (b" " * (MAX_LINE_BYTES + 1), "line 1: longer than 1048576 bytes"),
        (RECORD.to_json().encode() + b"\n\n", "line 2: not JSON"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, message: str) -> None:
    """Truncated and binary files are refused with the line."""
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordError) as caught:
        read_records(path)
    assert str(caught.value).startswith(message)


def test_files(tmp_path: Path) -> None:
    """Records are appended; a missing line break at the very end does no harm to a reader."""
    path = tmp_path / "games.jsonl"
    write_record(path, RECORD)
    write_record(str(path), STOPPED)
    assert read_records(path) == [RECORD, STOPPED]
    path.write_bytes(path.read_bytes()[:-1])
    assert read_records(str(path)) == [RECORD, STOPPED]
    assert read_records(path, whole_lines_only=True) == [RECORD]
    with pytest.raises(RecordError, match=r"the last line of .* is cut off"):
        write_record(path, RECORD)
    path.write_bytes(b"")
    assert read_records(path) == []
    with pytest.raises(FileNotFoundError):
        read_records(tmp_path / "nothing.jsonl")


def test_open_files() -> None:
    """A file in memory, which has no descriptor, can be written as well."""
    file = io.StringIO()
    write_record(file, RECORD)
    assert GameRecord.from_json(file.getvalue()) == RECORD


def test_records_reach_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each one is flushed and synchronized."""
    synchronized: list[int] = []
    monkeypatch.setattr("os.fsync", synchronized.append)
    path = tmp_path / "games.jsonl"
    with path.open("w", encoding="utf-8") as file:
        write_record(file, RECORD)
        assert read_records(path) == [RECORD]
        assert synchronized == [file.fileno()]


def test_devices_and_pipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They cannot be synchronized, which is an error of a file alone."""
    write_record("/dev/null", RECORD)
    check_appendable("/dev/null")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_record(pipe, RECORD)
        assert GameRecord.from_json(os.read(reader, 1 << 16).decode()) == RECORD
    finally:
        os.close(reader)

    def refuse(descriptor: int) -> None:
        raise OSError(errno.EINVAL, "cannot be synchronized")

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(OSError, match="cannot be synchronized"):
        write_record(tmp_path / "games.jsonl", RECORD)


def test_files_are_checked_before_a_game(tmp_path: Path) -> None:
    """Nothing is written by the check, and it refuses what writing would refuse."""
    path = tmp_path / "games.jsonl"
    check_appendable(path)
    assert read_records(path) == []
    write_record(path, RECORD)
    check_appendable(path)
    assert read_records(path) == [RECORD]
    path.write_text('{"format": 1', "utf-8")
    with pytest.raises(RecordError, match=r"the last line of .* is cut off"):
        check_appendable(path)
    with pytest.raises(IsADirectoryError):
        check_appendable(tmp_path)


def test_many_keys_are_read_in_linear_time() -> None:
    """A key that is there twice, after many that are not, is found by looking at each once."""
    compared = 0

    class Key(str):
        """A text that counts how often it is compared."""

        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    pairs = [(Key(f"k{number}"), None) for number in range(2000)]
    assert len(_unique(list(pairs))) == 2000
    with pytest.raises(FieldError, match="key 'k1999' is there twice"):
        _unique([*pairs, (Key("k1999"), None)])
    assert compared < 10_000


def test_errors_can_be_sent_between_processes() -> None:
    """They keep their place."""
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
def test_records_that_were_made_by_hand(replace: Callable[[], object]) -> None:
    """A record is checked when it is replayed."""
    with pytest.raises(RecordError):
        replace()


@pytest.mark.parametrize("offender", [0, 1])
def test_an_agent_may_fail_before_the_first_move(offender: int) -> None:
    """Either of the two, as both are made then; but only the player to move plays illegally."""
    record = dataclasses.replace(
        RECORD, moves=(), evaluations=None, winner=1 - offender, offender=offender
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
