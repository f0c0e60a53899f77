"""Puzzles for people, and agents that fail in puzzles."""

from __future__ import annotations

import itertools
import json
import os
import re
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from typer.testing import CliRunner

from mammalath_env.arena.puzzles import Puzzle, PuzzleKind, load_puzzles
from mammalath_env.cli import app
from mammalath_env.cli.puzzles import PUZZLE_GAMES, in_order
from mammalath_env.cli.solved import add_solved, default_file, read_solved
from tests.terminals import Screen

PUZZLES = in_order(load_puzzles("mammalath"))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A place for the file of solved puzzles."""
    return tmp_path / "folder" / "puzzles.json"


def move(puzzle: Puzzle) -> str:
    """Return the solution in notation."""
    return puzzle.position.move_text(puzzle.solution)


def solve(state: Path, *typed: str, options: tuple[str, ...] = (), code: int = 0) -> str:
    """Return what is printed when a person types lines."""
    lines = "".join(f"{line}\n" for line in typed)
    arguments = ["puzzles", "--state", str(state), *options]
    result = CliRunner().invoke(app, arguments, input=lines)
    assert result.exit_code == code, result.output
    return result.output


def first(kind: PuzzleKind) -> int:
    """Return the number of the first puzzle of a kind."""
    return next(k for k, puzzle in enumerate(PUZZLES, 1) if puzzle.kind is kind)


def test_a_puzzle_is_solved_and_remembered(state: Path) -> None:
    """The right move solves it; the next session begins with the next one."""
    text = solve(state, move(PUZZLES[0]), "", "quit")
    assert "0 of 229 puzzles of mammalath solved. Type a move, or help." in text
    assert "Puzzle 1 of 229 (win in 1)." in text
    assert f"Right: {move(PUZZLES[0])}." in text
    assert "Puzzle 2 of 229" in text
    assert text.endswith("1 of 229 puzzles of mammalath solved.\n")
    assert read_solved(state) == {"mammalath": [PUZZLES[0].position.to_text()]}
    text = solve(state, "1", "quit")
    assert text.index("Puzzle 2 of 229") < text.index("Puzzle 1 of 229 (win in 1, solved)")
    assert "0 of 228 puzzles of mammalath_plus solved" in solve(
        state, options=("--game", "mammalath_plus")
    )


def test_a_wrong_move_is_refuted(state: Path) -> None:
    """A legal move that is not the solution does not solve it, and it is said why."""
    numbers = [first(PuzzleKind.ONLY_MOVE), first(PuzzleKind.WIN_IN_1), first(PuzzleKind.WIN_IN_3)]
    wrong = []
    for number in numbers:
        puzzle = PUZZLES[number - 1]
        wrong.append(next(a for a in puzzle.position.legal_moves() if a != move(puzzle)))
    typed = [line for pair in zip(map(str, numbers), wrong, strict=True) for line in pair]
    text = solve(state, *typed, "quit")
    assert text.count("is not the move: ") == 3
    assert "wins at once with" in text
    assert text.endswith("0 of 229 puzzles of mammalath solved.\n")
    assert not state.exists()


def test_wins_in_several_moves_go_on(state: Path) -> None:
    """After the solution, the line to the win is told."""
    number = first(PuzzleKind.WIN_IN_2)
    puzzle = PUZZLES[number - 1]
    text = solve(state, move(puzzle), "quit", options=("--number", str(number)))
    sentence = text.partition(f"Right: {move(puzzle)}. Then ")[2].partition(".")[0]
    found = re.fullmatch(r"(?:black|white) plays (\S+) and you win with (\S+)", sentence)
    assert found is not None, sentence
    line = found.groups()
    position = puzzle.position.play(puzzle.solution)
    for notation in line:
        position = position.play(position.game.parse_move(notation, position))
    assert position.outcome is not None
    assert position.outcome.winner == puzzle.position.to_move
    assert len(line) == 2


def test_hints_and_the_solution(state: Path) -> None:
    """Hints show one letter after the other but the last; who is told does not solve."""
    number = next(k for k, puzzle in enumerate(PUZZLES, 1) if len(move(puzzle)) == 6)
    solution = move(PUZZLES[number - 1])
    typed = ["hint"] * 6 + ["solution", solution, "quit"]
    text = solve(state, *typed, options=("--number", str(number)))
    for letters in range(1, 6):
        assert f"The move is {solution[:letters]}{'_' * (6 - letters)}." in text
    assert f"{solution[:5]}_; solution tells the rest." in text
    assert text.count(f"The move is {solution}") == 1
    assert text.index(f"The move is {solution}") > text.index("tells the rest")
    assert text.endswith("0 of 229 puzzles of mammalath solved.\n")


def test_commands(state: Path) -> None:
    """Going on and back, to a number, lists, drawings, moves, texts, help, and what is none."""
    state.parent.mkdir()
    add_solved(state, "mammalath", PUZZLES[1].position.to_text())
    text = solve(
        state, "next", "back", "go 229", "skip", "go 999", "back", "list", "", "moves", "position",
        "show", "help", "castle", "go", "exit",
    )  # fmt: skip
    numbers = [part.split()[0] for part in text.split("\nPuzzle ")[1:]]
    # The second puzzle is passed over, as it is solved; after the last one comes the first.
    assert numbers == ["1", "3", "2", "229", "1", "1"]
    assert text.count("the puzzles are 1 to 229") == 2
    assert "solved:\n  1 2+ 3 " in text
    assert set(PUZZLES[0].position.legal_moves()) <= set(text.split())
    assert PUZZLES[0].position.to_text() in text
    for word in ("solution", "next", "back", "go NUMBER", "list", "quit"):
        assert f"\n  {word}" in text
    assert "go NUMBER: the number is missing" in text
    assert "'castle' is not a move of Mammalath" in text


def test_all_solved(state: Path) -> None:
    """Nothing is left to do, but puzzles can still be seen."""
    state.parent.mkdir()
    texts = [puzzle.position.to_text() for puzzle in PUZZLES]
    state.write_text(json.dumps({"format": 1, "solved": {"mammalath": texts}}), "utf-8")
    text = solve(state, "next", "quit")
    assert text.count("All puzzles are solved") == 2
    assert "Puzzle 1 of 229 (win in 1, solved)" in text
    assert text.endswith("229 of 229 puzzles of mammalath solved.\n")


@pytest.mark.parametrize(
    "content",
    [
        b"{not json",
        b"[]",
        b"\xff\xfe",
        b'{"format": 2, "solved": {}}',
        b'{"format": 1}',
        b'{"format": 1, "solved": {"mammalath": [1]}}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_said_and_kept(state: Path, content: bytes) -> None:
    """The puzzles can be solved without it, and it is not written over."""
    state.parent.mkdir()
    state.write_bytes(content)
    text = solve(state, move(PUZZLES[0]), "quit")
    assert f"cannot read {state}: it " in text
    assert "are forgotten when you quit" in text
    assert text.endswith("1 of 229 puzzles of mammalath solved.\n")
    assert state.read_bytes() == content


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    """The session goes on, and says once that it forgets."""
    (tmp_path / "file").write_text("", "utf-8")
    text = solve(tmp_path / "file" / "p.json", move(PUZZLES[0]), "", move(PUZZLES[1]), "quit")
    assert text.count("are forgotten when you quit") == 1
    assert text.endswith("2 of 229 puzzles of mammalath solved.\n")


def test_writing_leaves_the_old_file_or_the_new(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that is interrupted changes nothing and leaves nothing behind."""
    add_solved(state, "mammalath", "one")
    before = state.read_bytes()

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(json, "dump", interrupted)
        with pytest.raises(KeyboardInterrupt):
            add_solved(state, "mammalath", "two")
    assert os.listdir(state.parent) == [state.name]
    assert state.read_bytes() == before
    # Another process may have written meanwhile: what it wrote is kept.
    add_solved(state, "mammalath", "two")
    add_solved(state, "mammalath", "two")
    add_solved(state, "mammalath_plus", "three")
    assert read_solved(state) == {"mammalath": ["one", "two"], "mammalath_plus": ["three"]}


def test_the_file_is_in_the_folder_for_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an option the file is where programs keep their state; a variable moves it."""
    folder = platformdirs.user_state_path("mammalath_env", appauthor=False)
    assert default_file() == folder / "puzzles.json"
    path = tmp_path / "mine.json"
    monkeypatch.setenv("MAMMALATH_PUZZLES", str(path))
    result = CliRunner().invoke(app, ["puzzles"], input=f"{move(PUZZLES[0])}\n")
    assert result.exit_code == 0, result.output
    assert len(read_solved(path)["mammalath"]) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--json"], "--json needs an agent"),
        (["--number", "230"], "mammalath has 229 puzzles, not 230"),
        (["--game", "mancala"], "mancala has no puzzles"),
    ],
)
def test_mistakes(options: list[str], words: str) -> None:
    """Exit code 2 and a message."""
    result = CliRunner().invoke(app, ["puzzles", *options])
    assert result.exit_code == 2
    assert words in " ".join(result.output.replace("│", " ").split())


def test_in_a_terminal(state: Path) -> None:
    """A person solves a puzzle in a real terminal, and leaves with Ctrl-D."""
    screen = Screen("puzzles", "--state", str(state))
    screen.enter(move(PUZZLES[0]), "puzzle 1>")
    screen.see("Right: ")
    screen.see_prompt("puzzle 1>")
    screen.type("\x04")
    assert screen.exit_code() == 0
    assert "1 of 229 puzzles of mammalath solved." in screen.lines


# Agents

FAILING = """
class Failing:
    def __init__(self, seed=None):
        self.asked = 0

    def act(self, position):
        self.asked += 1
        if self.asked in (2, 4):
            raise RuntimeError(f"no idea {self.asked}")
        return 10**6 if self.asked == 3 else position.legal_actions()[0]


class Never(Failing):
    def act(self, position):
        raise RuntimeError("never")
"""


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of agents that fail, in the current folder."""
    (tmp_path / "failing.py").write_text(FAILING, "utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("failing")
def test_an_agent_that_fails_is_told() -> None:
    """The puzzle and the error are named, in JSON too, and the exit code is 1."""
    result = CliRunner().invoke(app, ["puzzles", "failing:Failing"])
    assert result.exit_code == 1
    assert "failing:Failing failed in puzzle 2: RuntimeError: no idea 2" in result.output
    assert "failing:Failing failed in puzzle 3: " in result.output
    assert "puzzle 4: RuntimeError: no idea 4" in result.output
    assert "failed in puzzle 1:" not in result.output
    result = CliRunner().invoke(app, ["puzzles", "failing:Failing", "--json"])
    assert result.exit_code == 1
    data: Any = json.loads(result.stdout)
    faults = [fault for each in data.values() for fault in each["faults"]]
    assert sorted(fault["puzzle"] for fault in faults) == [2, 3, 4]
    assert {"puzzle": 2, "error": "RuntimeError: no idea 2"} in faults


@pytest.mark.usefixtures("failing")
def test_many_faults_are_summed_up() -> None:
    """Some are listed, the others counted."""
    result = CliRunner().invoke(app, ["puzzles", "failing:Never"])
    assert result.exit_code == 1
    assert result.output.count("RuntimeError: never") == 5
    assert "and in 224 more" in result.output


def test_an_agent_that_solves_badly_is_no_failure() -> None:
    """Wrong but legal moves end with exit code 0, as the help says."""
    result = CliRunner().invoke(app, ["puzzles", "random"])
    assert result.exit_code == 0
    assert "failed" not in result.output
    text = " ".join(CliRunner().invoke(app, ["puzzles", "--help"]).output.split())
    assert "Exit code 0 at the end, also if puzzles are unsolved, 1 if the agent failed" in text


def test_words_are_read_as_people_type_them(state: Path) -> None:
    """Capitals, spaces and short forms count as the commands and moves that they stand for."""
    text = solve(state, " HELP ", "M", f"  {move(PUZZLES[0]).upper()} ", "Board", "N", "Q")
    assert text.count("Type a move in notation, or one of these") == 1
    assert "place (" in text or "release" in text
    assert f"Right: {move(PUZZLES[0])}." in text
    assert "Puzzle 2 of 229" in text
    assert read_solved(state)["mammalath"] == [PUZZLES[0].position.to_text()]


@pytest.mark.parametrize("game", PUZZLE_GAMES)
def test_the_order_is_from_easy_to_hard_and_mixed(game: str) -> None:
    """No puzzle stands beside one that its own game went on to."""
    puzzles = in_order(load_puzzles(game))
    kinds = [puzzle.kind for puzzle in puzzles]
    assert kinds == sorted(kinds, key=list(PuzzleKind).index)
    assert set(puzzles) == set(load_puzzles(game))
    for pair in itertools.pairwise(puzzles):
        for one, other in itertools.permutations(pair):
            actions = one.position.legal_actions()
            assert other.position not in [one.position.play(action) for action in actions]


def test_a_move_that_ends_the_game_is_refuted_in_words(state: Path) -> None:
    """By the rule, not by its label."""
    for number, puzzle in enumerate(PUZZLES, 1):
        for action in puzzle.position.legal_actions():
            outcome = puzzle.position.play(action).outcome
            if outcome is not None and outcome.winner == 1 - puzzle.position.to_move:
                text = solve(state, str(number), puzzle.position.move_text(action))
                assert re.search(r"is not the move: you lose, (black|white)'s line .* \(R9\)", text)
                return


def test_after_the_end_a_puzzle_is_over(state: Path) -> None:
    """Moves that are typed then are not judged."""
    text = solve(state, move(PUZZLES[0]), move(PUZZLES[0]), *PUZZLES[0].position.legal_moves()[:1])
    assert text.count("The puzzle is over.") == 2
    assert text.count("Right: ") == 1
