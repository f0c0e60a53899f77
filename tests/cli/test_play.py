"""``mammalath play``: commands, results, and games that are left and resumed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mammalath_env import make_game
from mammalath_env.arena import GameRecord, read_records, write_record
from mammalath_env.arena.records import UNFINISHED
from mammalath_env.cli import app
from mammalath_env.cli.play import COMMANDS
from mammalath_env.cli.saved_games import replace_line
from mammalath_env.cli.session import Session
from tests.processes import ROOT

WON = "DEDBEE/CFCEC1/1CFC2/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7"
LOST = "DEDBEE/CFCEC1/1CFCE1/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7"
MANCALA_WON = "0,2,0,0,0,1/1,0,0,1,0,0 23-20 s 3 80"


def play(*arguments: str, typed: str = "") -> Any:
    """Play with what a person types."""
    return CliRunner().invoke(app, ["play", *arguments], input=typed)


def text_of(result: Any) -> str:
    """Return all output in one line, without the frames that errors are drawn in."""
    return " ".join(result.output.replace("│", " ").split())


def boards(result: Any) -> list[int]:
    """Return the ply of each board that was drawn."""
    return [int(ply) for ply in re.findall(r"Mammalath   ply (\d+)", result.output)]


def test_moves_and_commands_in_every_spelling() -> None:
    """Case and spaces do not matter; short forms work."""
    typed = " MOVES \nm\nHELP\nh\n?\n  C3 \nU\nboard\nPosition\nQ\n"
    result = play("random", "--seed", "3", "--seat", "first", typed=typed)
    assert result.exit_code == 0, result.output
    assert result.output.count("place (36):") == 2
    assert result.output.count("Type a move, or one of these:") == 3
    assert boards(result) == [0, 2, 0, 0]
    assert "not possible" not in result.output
    assert "is not a move" not in result.output


def test_help_is_about_this_game() -> None:
    """Goal and notation, and every command."""
    for game, words in (("mammalath", "xa1-c1"), ("mammalath_plus", "2x2"), ("mancala", "sows")):
        result = play("random", "--game", game, "--seat", "first", typed="help\n")
        assert words in result.output
        for command in COMMANDS:
            assert re.search(rf"^  {command}\b", result.output, re.MULTILINE), command


def test_the_page_lists_the_commands() -> None:
    """All of them, with their short forms."""
    page = (ROOT / "docs" / "play.md").read_text("utf-8")
    listed = re.findall(r"^\| `(\w+)(?: FILE)?` \| (?:`(\w)`)? ?\|", page, re.MULTILINE)
    assert listed == [(word, short) for word, (short, _) in COMMANDS.items()]


def test_what_cannot_be_played_is_explained() -> None:
    """By the rule, or with what was probably meant."""
    typed = "xf\nhnit\nsave\nresing\nquit\n"
    result = play("random", "--seed", "3", "--seat", "first", typed=typed)
    assert "xF is not possible: the first move must place a token (R7)" in result.output
    assert "did you mean 'hint'?" in result.output
    assert "did you mean 'resign'?" in result.output
    assert "the name of the file is missing" in result.output
    assert "resigned" not in result.output


def test_the_deal_can_be_had_again() -> None:
    """Its seed and its text are shown at the start, and both lead to it."""
    result = play("human", typed="quit\n")
    seed = re.search(r"--seed (\d+):\n  (.*)\n", result.output)
    assert seed is not None
    assert make_game("mammalath").deal(int(seed[1])).to_text() == seed[2]
    again = play("human", "--seed", seed[1], typed="position\n")
    assert again.output.count(seed[2]) == 2
    again = play("human", "--position", seed[2], typed="position\n")
    assert again.output.count(seed[2]) == 2
    assert "--seed" not in again.output


def test_one_board_a_turn() -> None:
    """An agent that begins replaces the empty board, and its reply that of the person's move."""
    result = play("random", "--seed", "3", "--seat", "second", typed="c3\nc4\n")
    assert boards(result) == [1, 3, 5]
    result = play("human", "--seed", "3", typed="c3\nc4\n")
    assert boards(result) == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "position", "move", "words"),
    [
        (
            ["random", "--seat", "first"],
            WON,
            "e3",
            "You win: three black tokens in a line on free spaces, e3-c5 (R10).",
        ),
        (
            ["random", "--seat", "first"],
            LOST,
            "e3",
            "You lose: black's line e3-c5 still had an elephant on e3 (R9).",
        ),
        (["human"], WON, "e3", "Black wins: three black tokens"),
        (["human"], LOST, "e3", "White wins: black's line e3-c5 still had an elephant on e3"),
        (
            ["human", "--game", "mancala"],
            MANCALA_WON,
            "f",
            "South wins: south has 25 seeds and north has 20",
        ),
        (
            ["random", "--game", "mancala", "--seat", "first"],
            "0,0,0,1,0,0/0,1,0,0,0,0 23-23 s 99 280",
            "d",
            "Drawn: 100 plies without a capture",
        ),
    ],
)
def test_results_say_why(arguments: list[str], position: str, move: str, words: str) -> None:
    """In a sentence, with the board that shows it."""
    result = play(*arguments, "--position", position, typed=f"{move}\n")
    assert result.exit_code == 0, result.output
    assert words in result.output
    assert "Play again?" not in result.output  # nobody is there to answer


def test_hints_have_reasons() -> None:
    """A proven result, or a value; for two people as well."""
    result = play("human", "--position", WON, typed="hint\n")
    assert re.search(r"[a-f][1-6] wins at once", result.output)
    result = play("human", "--seed", "3", typed="hint\nc3\nhint\n")
    pattern = (
        r"(?:about even|better for (?:black|white)); alpha-beta search looked \d+ moves? ahead"
    )
    assert len(re.findall(pattern, result.output)) == 2
    result = play("human", "--game", "mancala", "--position", MANCALA_WON, typed="hint\n")
    assert "F wins at once" in result.output


def test_hints_know_losses_and_draws() -> None:
    """They say how long a loss takes, and that a draw is one."""
    lost = "0,0,0,0,0,1/0,1,0,0,0,0 23-23 s 3 80"
    result = play("human", "--game", "mancala", "--position", lost, typed="hint\n")
    assert (
        "F: every move loses if north plays well, this one in 1 of south's moves" in result.output
    )
    drawn = "0,0,0,1,0,0/0,1,0,0,0,0 23-23 s 99 280"
    result = play("human", "--game", "mancala", "--position", drawn, typed="hint\n")
    assert "D: a draw if both play well" in result.output


def test_two_people_take_turns() -> None:
    """Each at the prompt of their side; undo takes back one move; either may resign."""
    result = play("human", "--seed", "3", typed="c3\nundo\nd4\nswap\nundo\nresign\n")
    assert boards(result) == [0, 1, 0, 1, 2, 1]
    assert re.findall(r"(black|white)>", result.output) == [
        "black",
        "white",
        "black",
        "white",
        "black",
        "white",
    ]
    assert "White resigned: black wins." in result.output
    refused = play("human", "--seat", "first")
    assert refused.exit_code == 2
    assert "--seat is for games against an agent" in text_of(refused)


def test_left_games_go_on_where_they_were(tmp_path: Path) -> None:
    """Leaving saves an unfinished game; resuming it twice leaves one finished game."""
    path = tmp_path / "my games.jsonl"
    start = ("--seed", "3", "--seat", "first", "--save", str(path))
    result = play("greedy", *start, typed="c3\nquit\n")
    assert result.exit_code == 0, result.output
    assert f"To go on: mammalath play --resume '{path}'" in result.output
    (record,) = read_records(path)
    assert (record.reason, record.winner, len(record.moves)) == (UNFINISHED, None, 2)
    first = record
    write_record(path, finished(record))
    result = play("--resume", str(path), typed="a1\n")
    assert "You are black, greedy is white." in result.output
    assert "Going on after ply 2." in result.output
    other, record = read_records(path)
    assert other == finished(first)
    assert record.moves[:2] == first.moves
    assert record.moves[2] == "a1"
    assert (record.players, record.agent_seeds, record.deal_seed) == (
        first.players,
        first.agent_seeds,
        first.deal_seed,
    )
    result = play("greedy", "--resume", str(path), typed="undo\nresign\n")
    assert [each.reason for each in read_records(path)] == ["resigned", "resigned"]
    assert read_records(path)[1].moves == first.moves
    result = play("--resume", str(path))
    assert result.exit_code == 2
    assert "no unfinished game of a person among its 2 games" in text_of(result)


def finished(record: GameRecord) -> GameRecord:
    """Return another game that was resigned."""
    return GameRecord(record.game, record.start, (), ("person", "mcts"), 1, "resigned", 0)


def test_saving_again_replaces_the_line(tmp_path: Path) -> None:
    """A game has one line in each file that it was saved to."""
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    typed = f"c3\nsave {one}\nd4\nsave {one}\nsave {two}\nresign\n"
    play("human", "--seed", "3", "--save", str(two), typed=typed)
    assert [len(each.moves) for each in read_records(one)] == [2]
    assert [each.reason for each in read_records(one)] == ["resigned"]
    assert [each.reason for each in read_records(two)] == ["resigned"]


def test_nothing_is_saved_where_nothing_was_played(tmp_path: Path) -> None:
    """A deal that was looked at is no game."""
    path = tmp_path / "games.jsonl"
    play("greedy", "--seed", "3", "--seat", "first", "--save", str(path), typed="quit\n")
    assert path.read_text() == ""
    result = play("greedy", "--seed", "3", "--seat", "first", typed="c3\n")
    assert "left unfinished, and not saved" in result.output


def test_resuming_in_another_file_keeps_the_first(tmp_path: Path) -> None:
    """With --save, the file that is resumed stays as it is."""
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    play("human", "--save", str(one), typed="c3\n")
    before = one.read_bytes()
    play("human", "--resume", str(one), "--save", str(two), typed="resign\n")
    assert one.read_bytes() == before
    assert read_records(two)[0].reason == "resigned"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seed", "1"], "choose one of --resume and --seed"),
        (["--game", "mancala"], "choose one of --resume and --game"),
        (["--seat", "first"], "choose one of --resume and --seat"),
        (["--position", "x"], "choose one of --resume and --position"),
        (["-o", "swap_rule=false"], "choose one of --resume and --option"),
        (["random"], "is against greedy, not random"),
        (["human"], "is against greedy, not human"),
    ],
)
def test_what_a_record_decides_is_not_given(
    tmp_path: Path, arguments: list[str], words: str
) -> None:
    """Nothing is played, and the file stays."""
    path = tmp_path / "games.jsonl"
    play("greedy", "--seed", "3", "--seat", "first", "--save", str(path), typed="c3\n")
    before = path.read_bytes()
    result = play(*arguments, "--resume", str(path), typed="a1\n")
    assert result.exit_code == 2
    assert words in text_of(result)
    assert path.read_bytes() == before


def test_a_record_does_not_choose_code_to_run(tmp_path: Path) -> None:
    """An agent of another module is built only if its name is given, too."""
    path = tmp_path / "games.jsonl"
    start = make_game("mammalath").deal(1, first_player=0).to_text()
    game, players = make_game("mammalath"), ("person", "no_such_module:Agent")
    write_record(path, GameRecord(game, start, ("c3",), players, None, UNFINISHED))
    result = play("--resume", str(path))
    assert result.exit_code == 2
    assert "give its name too" in text_of(result)


CUSTOM = """
class First:
    name = "first"
    def __init__(self, seed):
        pass
    def act(self, position):
        return position.legal_actions()[0]
"""


def test_games_against_agents_of_other_modules_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that is shown names the agent."""
    monkeypatch.chdir(tmp_path)
    Path("own_agents_of_play.py").write_text(CUSTOM)
    name = "own_agents_of_play:First"
    result = play(name, "--seat", "first", "--save", "games.jsonl", typed="c3\nq\n")
    assert f"To go on: mammalath play {name} --resume games.jsonl" in result.output
    result = play(name, "--resume", "games.jsonl", typed="resign\n")
    assert f"You resigned: {name} wins." in result.output


def test_files_that_cannot_be_resumed(tmp_path: Path) -> None:
    """A missing file, one that is no file of records, and games of agents alone."""
    path = tmp_path / "games.jsonl"
    assert "No such file" in text_of(play("--resume", str(path)))
    path.write_text("nonsense\n")
    result = play("--resume", str(path))
    assert result.exit_code == 2
    assert "line 1" in text_of(result)
    start = make_game("mammalath").deal(1).to_text()
    record = GameRecord(make_game("mammalath"), start, (), ("mcts", "mcts"), None, UNFINISHED)
    path.write_text(record.to_json() + "\n")
    assert "no unfinished game of a person among its 1 game" in text_of(play("--resume", str(path)))


def test_positions_that_cannot_be_played() -> None:
    """No position, or one in which the game is over."""
    assert "expected four fields" in text_of(play("--position", "x"))
    over = make_game("mammalath").from_text(LOST).play("e3").to_text()
    result = play("--position", over)
    assert result.exit_code == 2
    assert "the game is over in this position: black's line" in text_of(result)


def test_ctrl_c_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a person or an agent is to move; the exit code is that of an interruption."""
    path = tmp_path / "games.jsonl"

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "let_agent_play", interrupt)
    result = play("greedy", "--seed", "3", "--seat", "first", "--save", str(path), typed="c3\n")
    assert result.exit_code == 130
    (record,) = read_records(path)
    assert (record.reason, record.moves) == (UNFINISHED, ("c3",))
    monkeypatch.undo()
    monkeypatch.setattr("builtins.input", interrupt)
    result = play("--resume", str(path), typed="")
    assert result.exit_code == 130
    (record,) = read_records(path)
    assert len(record.moves) == 2


def test_replacing_a_line(tmp_path: Path) -> None:
    """The last such line goes, the new one comes last, the others stay; else nothing changes."""
    path = tmp_path / "file"
    assert not replace_line(path, b"a\n", b"b\n")
    assert not path.exists()
    for before, after in (
        (b"a\nx\na\ny\n", b"a\nx\ny\nnew\n"),
        (b"a\n", b"new\n"),
        (b"longer line\na\n", b"longer line\nnew\n"),
        (b"a\n1\n2\n", b"1\n2\nnew\n"),
        (b"x\n", b"x\n"),
        (b"", b""),
    ):
        path.write_bytes(before)
        assert replace_line(path, b"a\n", b"new\n") == (before != after)
        assert path.read_bytes() == after
    path.write_bytes(b"a long line\nx\n")
    assert replace_line(path, b"a long line\n", b"b\n")
    assert path.read_bytes() == b"x\nb\n"


def test_a_disk_that_is_full_keeps_the_game_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that cannot be written whole replaces none."""
    path = tmp_path / "file"
    path.write_bytes(b"a\nx\n")
    write = os.write
    monkeypatch.setattr(os, "write", lambda number, data: write(number, data[: len(data) // 2]))
    with pytest.raises(OSError, match="No space left"):
        replace_line(path, b"a\n", b"a much longer line\n")
    assert path.read_bytes() == b"a\nx\n"


def test_only_files_of_records_are_appended_to(tmp_path: Path) -> None:
    """Others stay as they are, whether named before the game or in it."""
    records = tmp_path / "games.jsonl"
    play("human", "--seed", "3", "--save", str(records), typed="c3\n")
    line = records.read_bytes()
    for content in (b"# Title\n\ntext\n", b"text", b"{}\n", line + b"text\n", b"text\n" + line):
        path = tmp_path / "README.md"
        path.write_bytes(content)
        words = f"{str(path)!r} is not a file of records"
        refused = play("human", "--save", str(path), typed="c3\n")
        assert refused.exit_code == 2
        assert "is not a file of records" in text_of(refused)
        assert words in play("human", typed=f"c3\nsave {path}\n").output
        assert path.read_bytes() == content
    play("human", "--seed", "3", "--save", str(records), typed="c4\n")
    assert len(read_records(records)) == 2


def test_what_is_no_file_of_records_is_named(tmp_path: Path) -> None:
    """To resume and to replay."""
    path = tmp_path / "README.md"
    path.write_text("# Title\n")
    for arguments in (["play", "--resume", str(path)], ["replay", str(path)]):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 2
        shown = text_of(result).replace(" ", "")
        assert "README.md'isnotafileofrecords:line1" in shown
    missing = CliRunner().invoke(app, ["replay", str(tmp_path / "none")])
    assert "Errno" not in missing.output


def test_moves_since_the_last_board_are_told() -> None:
    """One's own and the reply, above the board that marks the reply alone."""
    result = play("random", "--seed", "3", "--seat", "first", typed="c3\n")
    assert re.search(r"^You: c3\. random: \S+\.\n +a +b ", result.output, re.MULTILINE)


def test_rules_are_read_in_a_game() -> None:
    """And the game goes on."""
    result = play("human", "--game", "mancala", typed="rules\nboard\n")
    assert "Mancala 1/6: The board and the goal" in result.output
    assert result.output.count("Mancala   ply 0") == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mancala"], "did you mean --game mancala?"),
        (["--game", "plus"], "did you mean 'mammalath_plus'?"),
        (["--seat", "white"], "first, second, random, not 'white'"),
    ],
)
def test_guesses_lead_on(arguments: list[str], words: str) -> None:
    """To the option or the value that was meant."""
    result = play(*arguments)
    assert result.exit_code == 2
    assert words in text_of(result)
