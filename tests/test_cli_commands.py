"""The commands about positions, contests and records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mammalath_env import GAMES, make_game
from mammalath_env.arena import read_records
from mammalath_env.cli import app
from mammalath_env.cli.replay import step_with_keys
from tests.terminals import Terminal

WIN_IN_TWO = "B2A1F/C4C/3F1C/B4A/F5/A5 b3w1/4b1/1w4/bb3w/3bww/b1b3 w 20"


def run(*arguments: str, typed: str | None = None) -> Any:
    """Run a command with what a person types."""
    return CliRunner().invoke(app, list(arguments), input=typed)


def text_of(result: Any) -> str:
    """Return all output in one line, without the frames that errors are drawn in."""
    return " ".join(result.output.replace("│", " ").split())


def test_show_draws_and_lists_moves() -> None:
    """A position is drawn and its moves listed, as text and as JSON."""
    result = run("show", WIN_IN_TWO, "--ascii")
    assert result.exit_code == 0
    assert "31 legal moves: " in result.output
    assert "White to move" in result.output
    shown = json.loads(run("show", *WIN_IN_TWO.split(), "--json").output)
    position = make_game("mammalath").from_text(WIN_IN_TWO)
    assert shown["position"] == WIN_IN_TWO
    assert shown["to_move"] == 1
    assert len(shown["moves"]) == len(position.legal_actions())
    assert shown["outcome"] is None


def test_solve_proves_or_says_unknown() -> None:
    """A proven win has a line, and what is unknown exit code 1."""
    result = run("solve", WIN_IN_TWO)
    assert result.exit_code == 0
    assert result.output.startswith("win for white in 3 plies: ")
    solution = json.loads(run("solve", WIN_IN_TWO, "--json").output)
    assert solution["verdict"] == "win"
    assert len(solution["line"]) == solution["plies"] == 3
    start = make_game("mammalath").deal(1).to_text()
    result = run("solve", start, "--nodes", "50")
    assert result.exit_code == 1
    assert "unknown after" in result.output


def test_perft_counts_and_games_are_listed() -> None:
    """Counts are those of the golden file; every game is listed."""
    counted = run("perft", WIN_IN_TWO, "--depth", "3").output.split()
    assert " ".join(counted) == "1 31 2 831 3 19760"
    counted = json.loads(run("perft", WIN_IN_TWO, "--json").output)
    assert counted == {"counts": [31, 831], "position": WIN_IN_TWO, "seed": None}
    listed = json.loads(run("games", "--json").output)
    assert [entry["name"] for entry in listed] == list(GAMES)


@pytest.mark.parametrize("width", ["80", "40"])
def test_games_in_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    """Nothing of a name or an option is cut or folded."""
    monkeypatch.setenv("COLUMNS", width)
    lines = [line.split() for line in run("games").output.splitlines()]
    for name in GAMES:
        game = make_game(name)
        assert [name, *game.title.split()] in lines
        for option, value in game.options.items():
            assert [f"{option}={value}"] in lines


def test_options_of_games_are_typed() -> None:
    """Options are read as what they look like."""
    text = "4,4,4,4,4,4/4,4,4,4,4,4 0-0 s 0 0"
    result = run("show", text, "--game", "mancala", "-o", "capture=chain", "-o", "reward=seeds")
    assert result.exit_code == 0
    result = run("show", text, "--game", "mancala", "-o", "no_capture_limit=0")
    assert result.exit_code == 2
    assert "no_capture_limit must be from 1 to 127" in text_of(result)
    result = run("show", "--game", "mancala", "-o", f"no_capture_limit={'9' * 5000}")
    assert result.exit_code == 2
    assert "no_capture_limit must be an integer" in text_of(result)
    assert len(result.output) < 2000


def test_play_to_a_record(tmp_path: Path) -> None:
    """A person plays, asks, takes back, resigns; the game is saved and read back."""
    path = tmp_path / "games.jsonl"
    typed = "help\nmoves\nhint\nposition\nnonsense\na1 b2\nundo\nc3\nundo\nd4\nresign\n"
    result = run(
        "play", "random", "--seed", "3", "--seat", "first", "--save", str(path), typed=typed
    )
    assert result.exit_code == 0, result.output
    for words in (
        "take back your last move",
        "alpha-beta search looked ",
        "'nonsense' is not a move of Mammalath",
        "'a1b2' is not a move of Mammalath",
        "there is no move of yours to take back",
        "You resigned: random wins.",
        f"saved to {path}",
    ):
        assert words in result.output, words
    (record,) = read_records(path)
    assert record.deal_seed == 3
    assert record.agent_seeds[record.players.index("random")] == 4
    assert record.agent_seeds[record.players.index("person")] is None
    assert record.moves[0] == "d4"
    assert record.reason == "resigned"
    assert set(record.players) == {"person", "random"}
    result = run("replay", str(path), "--ascii")
    assert result.exit_code == 0
    assert "won: resigned" in result.output
    assert result.output.count("Mammalath   ply") == len(record.moves) + 1
    replayed = json.loads(run("replay", str(path), "--json").output)
    assert replayed[0]["moves"] == list(record.moves)


def test_play_goes_on_after_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """The game continues after a message that says why the file was not written."""
    cut = tmp_path / "cut.jsonl"
    cut.write_text('{"format": 1', "utf-8")
    typed = f"c3\nsave {cut}\nsave {tmp_path}\nsave {tmp_path / 'new.jsonl'}\nresign\n"
    result = run("play", "random", "--seed", "3", "--seat", "first", typed=typed)
    assert result.exit_code == 0, result.output
    assert f"not saved to {cut}: the last line" in result.output
    assert f"not saved to {tmp_path}: " in result.output
    assert read_records(tmp_path / "new.jsonl")[0].moves[0] == "c3"
    typed = f"save {tmp_path}/a\0b\nresign\n"
    result = run("play", "random", "--seed", "3", "--seat", "first", typed=typed)
    assert result.exit_code == 0, result.output
    assert "not saved to" in result.output
    assert "null" in result.output


def test_play_checks_where_to_save_first(tmp_path: Path) -> None:
    """No game is played that could not be saved."""
    cut = tmp_path / "cut.jsonl"
    cut.write_text('{"format": 1', "utf-8")
    for path, words in (
        (cut, "is cut off"),
        (tmp_path, "Is a directory"),
        (tmp_path / "no" / "games.jsonl", "No such file"),
    ):
        result = run("play", "random", "--seed", "3", "--save", str(path), typed="resign\n")
        assert result.exit_code == 2, result.output
        assert words in text_of(result)
        assert "You are" not in result.output


@pytest.mark.parametrize("typed", ["", "quit\n", "exit\n", "Q\n"])
def test_play_ends_early(typed: str) -> None:
    """A closed input leaves the game, and so do words that end other programs; nobody loses."""
    result = run("play", "random", "--seed", "3", "--seat", "first", typed=typed)
    assert result.exit_code == 0
    assert "You resigned" not in result.output
    assert "wins" not in result.output


@pytest.mark.parametrize("game", GAMES)
def test_play_every_game(game: str) -> None:
    """A game against an agent can be begun and given up in every game."""
    result = run(
        "play", "greedy", "--game", game, "--seed", "5", "--seat", "second", typed="resign\n"
    )
    assert result.exit_code == 0
    assert "You are" in result.output


def test_match_and_resume(tmp_path: Path) -> None:
    """A match prints its result, records its games, and resumes where it was stopped."""
    path = tmp_path / "match.jsonl"
    arguments = ("match", "greedy", "random", "--deals", "2", "--seed", "1", "--record", str(path))
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    whole = json.loads(result.stdout)
    assert len(read_records(path)) == 4
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:2]), "utf-8")
    again = json.loads(run(*arguments, "--json", "--resume").stdout)
    assert again == whole
    assert run(*arguments).exit_code == 2
    assert "--resume needs --record" in text_of(run("match", "greedy", "random", "--resume"))


def test_arena_shows_ratings_and_results() -> None:
    """Ratings come with the results of all pairs."""
    result = run("arena", "random", "greedy", "--deals", "2", "--seed", "1", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [rating["name"] for rating in found["ratings"]] == ["greedy", "random"]
    result = run("arena", "random", "greedy", "--deals", "1", "--seed", "1")
    assert "Elo" in result.output


def test_bench_says_what_it_measured() -> None:
    """Something was measured, with the threads that it says."""
    result = run("bench", "--lanes", "16", "--threads", "2", "--seconds", "0.01", "--json")
    assert result.exit_code == 0
    (measured,) = json.loads(result.output)
    assert measured["steps_per_s"] > 0
    assert measured["threads"] == 1
    result = run("bench", "--lanes", "6144", "--threads", "2", "--seconds", "0.01")
    assert "6144 lanes, 2 threads" in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "x"], "expected four fields"),
        (["show", WIN_IN_TWO, "--game", "chess"], "unknown game 'chess'"),
        (["show", WIN_IN_TWO, "-o", "swap_rule"], "name=value"),
        (["show", "-o", "swap_rule=false", "-o", "swap_rule=true"], "'swap_rule' is given twice"),
        (["show", "--json", "--png", "a.png"], "choose one of --json and --png"),
        (["show", "--json", "--svg", "a.svg"], "choose one of --json and --svg"),
        (["replay", "/nonexistent", "--json", "--html", "a.html"], "of --json and --html"),
        (["replay", "/nonexistent", "--json", "--gif", "a.gif"], "of --json and --gif"),
        (["replay", "/nonexistent", "--delay", "inf"], "not inf"),
        (["watch", "--delay", "inf"], "from 0 to 3600 seconds, not inf"),
        (["watch", "--delay", "nan"], "not nan"),
        (["match", "random", "greedy", "--record", "."], ". is a folder"),
        (["show", WIN_IN_TWO, "-o", "colour=1"], "unknown option of mammalath 'colour'"),
        (["perft", WIN_IN_TWO, "--depth", "0"], "depth"),
        (["play", "nobody"], "unknown agent 'nobody'"),
        (["play", "mcts:simulations=0"], "simulations must be from 1 to 10000000"),
        (["play", "random", "--seat", "third"], "unknown seat 'third'"),
        (["match", "random", "greedy:depth=3"], "takes no options"),
        (["match", "random", "greedy", "--deals", "0"], "deals"),
        (["match", "random", "greedy", "--backend", "carrier"], "carrier"),
        (["arena", "random"], "two agents"),
        (["bench", "--seconds", "nan"], "seconds must be from 0.01 to 3600, not nan"),
        (["replay", "/nonexistent/file"], "No such file"),
    ],
)
def test_mistakes_end_with_a_message(arguments: list[str], words: str) -> None:
    """Exit code 2 and a message that says what was wrong."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert words in text_of(result)


def test_unreadable_records(tmp_path: Path) -> None:
    """The message names the line."""
    path = tmp_path / "bad.jsonl"
    path.write_text("{not json\n", "utf-8")
    result = run("replay", str(path))
    assert result.exit_code == 2
    assert "line 1" in text_of(result)
    path.write_text("", "utf-8")
    assert "holds no games" in text_of(run("replay", str(path)))


def test_a_real_terminal() -> None:
    """In a pseudo-terminal the board has colours, and a game can be played."""
    terminal = Terminal("play", "random", "--seed", "3", "--seat", "first")
    terminal.wait_for("black>")
    terminal.type("c3\r")
    terminal.wait_for("Last move")
    terminal.wait_for("\x1b[")
    terminal.wait_for("black>")
    terminal.type("resign\r")
    terminal.wait_for("You resigned")
    terminal.wait_for("Play again?")
    terminal.type("n\r")
    assert terminal.exit_code() == 0


def test_keys_step_through_games(tmp_path: Path) -> None:
    """Keys step through the games of a file, back and forth, from game to game and out."""
    path = tmp_path / "games.jsonl"
    run("match", "random", "random", "--deals", "2", "--seed", "1", "--record", str(path), "--json")
    assert "--keys needs a terminal" in text_of(run("replay", str(path), "--keys"))
    (length, *_) = (len(record.moves) for record in read_records(path))
    terminal = Terminal("replay", str(path), "--keys", "--ascii")
    terminal.wait_for("Game 1")
    terminal.wait_for("Enter next, b back, n next game, q quit")
    terminal.wait_for("ply 0")
    for ply in (1, 2):
        terminal.wait_for(f"ply {ply}", typed="\r")
    terminal.wait_for("ply 1", typed="b")
    terminal.wait_for("ply 0", typed="\x1b[D")
    terminal.wait_for("ply 0", typed="b")
    for ply in range(1, length + 1):
        terminal.wait_for(f"ply {ply}", typed=" ")
    terminal.wait_for("won: ", typed="\r")
    terminal.wait_for("Game 2")
    terminal.wait_for("Game 3", typed="n")
    terminal.wait_for("ply 0")
    assert terminal.exit_code(typed="q") == 0
    assert "Game 4" not in terminal.shown


@pytest.mark.parametrize("error", [EOFError, KeyboardInterrupt])
def test_ctrl_d_and_ctrl_c_quit(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """They are raised where a key is waited for, and quit like q."""

    def press() -> str:
        raise error

    monkeypatch.setattr("typer.getchar", press)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    assert step_with_keys([lambda: "picture"]) == 0


def test_a_dumb_terminal_gets_no_escape_codes() -> None:
    """Output for a terminal of the kind ``dumb`` is plain text."""
    terminal = Terminal("show", WIN_IN_TWO, term="dumb")
    assert terminal.exit_code() == 0
    assert "White to move" in terminal.shown
    assert "\x1b" not in terminal.shown
