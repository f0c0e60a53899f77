"""Matches that are interrupted, and resumed from their file."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mammalath_env.agents import Agent, RandomAgent
from mammalath_env.arena import (
    AgentSpec,
    GameRecord,
    RecordError,
    play_match,
    read_records,
    round_robin,
    write_record,
)
from mammalath_env.core.position import Position
from mammalath_env.games import make_game
from tests.arena.players import FirstAgent

MANCALA = make_game("mancala")


class Fuse:
    """A factory of random agents of which one, some games later, is interrupted.

    Attributes:
        name: ``"fuse"``.
    """

    name = "fuse"

    def __init__(self, games: int) -> None:
        """Store the number of games before the interruption."""
        self.games = games

    def __call__(self, seed: int) -> Agent:
        """Return an agent; one of seed 0 is for the check at the start of a match."""
        self.games -= seed != 0
        return RandomAgent(seed) if self.games >= 0 else InterruptedAgent()


class InterruptedAgent:
    """Does what happens if somebody presses Ctrl-C.

    Attributes:
        name: ``"interrupted"``.
    """

    name = "interrupted"

    def act(self, position: Position) -> int:
        """Never return."""
        raise KeyboardInterrupt


@pytest.mark.parametrize("games", [0, 1, 5, 9])
def test_an_interrupted_match_is_resumed(tmp_path: Path, games: int) -> None:
    """No finished game is lost, none is played twice, and the result is the same in the end."""
    path = tmp_path / "games.jsonl"
    whole = play_match(MANCALA, Fuse(100), FirstAgent, 5, seed=3)
    with pytest.raises(KeyboardInterrupt):
        play_match(MANCALA, Fuse(games), FirstAgent, 5, seed=3, record_path=path)
    assert len(read_records(path)) == games
    seen: list[GameRecord] = []
    fuse = Fuse(100)
    resumed = play_match(
        MANCALA, fuse, FirstAgent, 5, seed=3, record_path=path, resume=True, on_record=seen.append
    )
    assert resumed == whole
    assert 100 - fuse.games == 10 - games
    assert seen == read_records(path)
    assert len(seen) == 10


def test_an_interrupted_match_in_threads_is_resumed(tmp_path: Path) -> None:
    """The same holds with several games at a time."""
    path = tmp_path / "games.jsonl"
    options: dict[str, Any] = {"seed": 3, "jobs": 2, "backend": "threading", "record_path": path}
    whole = play_match(MANCALA, Fuse(100), FirstAgent, 10, seed=3)
    with pytest.raises(KeyboardInterrupt):
        play_match(MANCALA, Fuse(12), FirstAgent, 10, **options)
    assert len(read_records(path)) < 20
    assert play_match(MANCALA, Fuse(100), FirstAgent, 10, **options, resume=True) == whole
    assert len(read_records(path)) == 20


def test_a_finished_match_is_not_played_again(tmp_path: Path) -> None:
    """Nothing is played if all games are there; a longer match plays the rest."""
    path = tmp_path / "games.jsonl"
    whole = play_match(MANCALA, Fuse(100), FirstAgent, 4, seed=3, record_path=path)
    fuse = Fuse(100)
    again = play_match(MANCALA, fuse, FirstAgent, 4, seed=3, record_path=path, resume=True)
    assert again == whole
    shorter = play_match(MANCALA, fuse, FirstAgent, 2, seed=3, record_path=path, resume=True)
    assert shorter == play_match(MANCALA, Fuse(100), FirstAgent, 2, seed=3)
    assert fuse.games == 100
    longer = play_match(MANCALA, fuse, FirstAgent, 5, seed=3, record_path=path, resume=True)
    assert fuse.games == 98
    assert longer == play_match(MANCALA, Fuse(100), FirstAgent, 5, seed=3)


@pytest.mark.parametrize("kept", [0, 1, 9, 11, 200, -1])
def test_a_line_that_was_cut_off_is_played_again(tmp_path: Path, kept: int) -> None:
    """The rest of the last line is removed, however long it is."""
    path = tmp_path / "games.jsonl"
    whole = play_match(MANCALA, "random", "random", 3, seed=3, record_path=path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:kept])
    options: dict[str, Any] = {"seed": 3, "record_path": path, "resume": True}
    assert play_match(MANCALA, "random", "random", 3, **options) == whole
    assert len(read_records(path)) == 6
    path.write_bytes(lines[0][:kept])
    assert play_match(MANCALA, "random", "random", 3, **options) == whole


def test_a_file_is_not_overwritten(tmp_path: Path) -> None:
    """Games are kept unless one says that they belong to the match; an empty file is fine."""
    path = tmp_path / "games.jsonl"
    path.touch()
    play_match(MANCALA, "greedy", "random", 1, seed=3, record_path=path)
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="holds games already"):
        play_match(MANCALA, "greedy", "random", 1, seed=3, record_path=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        (MANCALA, "random", "greedy", 4, 3),
        (MANCALA, "greedy", "mcts:simulations=9", 4, 3),
        (MANCALA, "greedy", "random", 4, 4),
        (make_game("mancala", no_capture_limit=50), "greedy", "random", 4, 3),
        (make_game("mammalath"), "greedy", "random", 4, 3),
    ],
    ids=str,
)
def test_a_file_of_another_match_is_refused(tmp_path: Path, arguments: tuple[Any, ...]) -> None:
    """Game, options, agents and seed must be the same."""
    path = tmp_path / "games.jsonl"
    play_match(MANCALA, "greedy", "random", 1, seed=3, record_path=path)
    before = path.read_bytes()
    *match, seed = arguments
    message = "line 1: the game belongs to another match.*'greedy' against 'random', seed 3"
    with pytest.raises(RecordError, match=message):
        play_match(*match, seed=seed, record_path=path, resume=True)
    assert path.read_bytes() == before


def start_elsewhere(record: GameRecord) -> GameRecord:
    """Return a record of the same match with the deal of another one, and without moves."""
    first = record.first_player
    start = MANCALA.deal(1, first_player=1 - first).to_text()
    resigned: dict[str, Any] = {"winner": first, "reason": "resigned", "offender": 1 - first}
    return dataclasses.replace(record, start=start, moves=(), seconds=None, **resigned)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record, "line 3: game 1 of the match is there twice"),
        (
            lambda record: dataclasses.replace(record, match=None),
            "line 3: the game belongs to no match",
        ),
        (
            lambda record: dataclasses.replace(
                record, match=dataclasses.replace(record.match, index=2)
            ),
            "line 3: this is not game 2 of the match",
        ),
        (
            lambda record: start_elsewhere(
                dataclasses.replace(record, match=dataclasses.replace(record.match, index=3))
            ),
            "line 3: this is not game 3 of the match",
        ),
    ],
)
def test_games_that_do_not_fit_are_refused(
    tmp_path: Path, change: Callable[[GameRecord], GameRecord], message: str
) -> None:
    """Each game of the match is there once at most, with its deal and its players."""
    path = tmp_path / "games.jsonl"
    play_match(MANCALA, "greedy", "random", 1, seed=3, record_path=path)
    write_record(path, change(read_records(path)[1]))
    with pytest.raises(RecordError, match=message):
        play_match(MANCALA, "greedy", "random", 4, seed=3, record_path=path, resume=True)


@pytest.mark.parametrize("content", [b"notes\nof mine\n", b"my notes", b"{}\n", b"\xff\n", b"\n"])
def test_other_files_are_left_alone(tmp_path: Path, content: bytes) -> None:
    """Resuming from a file that was named by mistake does not change it."""
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(RecordError, match="line 1: "):
        play_match(MANCALA, "greedy", "random", 1, seed=3, record_path=path, resume=True)
    assert path.read_bytes() == content


def test_an_interrupted_tournament_is_resumed(tmp_path: Path) -> None:
    """One file holds the games of all its matches."""
    path = tmp_path / "games.jsonl"
    whole = round_robin(MANCALA, [Fuse(100), FirstAgent, "random"], 2, seed=3)
    with pytest.raises(KeyboardInterrupt):
        round_robin(MANCALA, [Fuse(6), FirstAgent, "random"], 2, seed=3, record_path=path)
    assert len(read_records(path)) == 6
    specs: list[AgentSpec] = [Fuse(100), FirstAgent, "random"]
    assert round_robin(MANCALA, specs, 2, seed=3, record_path=path, resume=True) == whole
    assert len(read_records(path)) == 12
