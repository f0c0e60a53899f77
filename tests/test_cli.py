"""The command ``mammalath``."""

from __future__ import annotations

import random
import re
import shutil
import sysconfig
import time

import pytest
from typer.testing import CliRunner

import mammalath_env
from mammalath_env.agents import AGENTS, make_agent
from mammalath_env.arena.puzzles import puzzle_games
from mammalath_env.cli import app
from mammalath_env.cli.positions import count_in_parts
from mammalath_env.core.game import Game
from mammalath_env.core.perft import perft
from mammalath_env.core.position import Position
from mammalath_env.games import GAMES, make_game
from mammalath_env.rendering import render_ansi
from tests.processes import run, run_python

WATCH = ("watch", "greedy", "random", "--game", "mammalath", "--seed", "7")


def call(*arguments: str, code: int = 0) -> str:
    """Run the command in this process and return what it printed."""
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result.output


def words(output: str) -> str:
    """Return `output` as one line, without colours and the frames around messages."""
    output = re.sub(r"\x1b\[[0-9;]*m", "", output)
    return " ".join(re.sub(r"[─│╭╮╰╯]", " ", output).split())


def watched(game: Game, first: str, seed: int) -> list[tuple[Position, int | None]]:
    """Return what ``watch`` shows of an agent against the random one: positions and moves to them.

    The deal has the seed, player 0 the one after it, and player 1 the next.
    """
    agents = make_agent(first, seed + 1), make_agent("random", seed + 2)
    position, action = game.deal(seed), None
    shown: list[tuple[Position, int | None]] = [(position, action)]
    while not position.is_over:
        action = agents[position.to_move].act(position)
        position = position.play(action)
        shown.append((position, action))
    return shown


# watch


@pytest.mark.parametrize("ascii_only", [False, True])
def test_watch_shows_the_whole_game(game: Game, ascii_only: bool) -> None:
    """Title, every position of the game with the move to it, and the result in the last one."""
    options = ["--ascii"] if ascii_only else []
    output = call("watch", "random", "random", "--game", game.name, "--seed", "7", *options)
    first, second = game.player_names
    expected = [f"{game.title}: random ({first}) against random ({second})"]
    before = None
    for position, action in watched(game, "random", 7):
        picture = render_ansi(position, before, action, color=False, ascii_only=ascii_only)
        expected.append(picture)
        before = position
    assert before is not None
    assert before.outcome is not None
    winner = before.outcome.winner
    who = "Drawn" if winner is None else f"random ({game.player_names[winner]}) won"
    expected.append(f"{who}: {game.describe_end(before)}")
    assert output == "\n\n".join(expected) + "\n"
    assert output.isascii() or not ascii_only
    assert "\x1b" not in output


def test_watch_repeats_with_a_seed() -> None:
    """The same seed gives the same output, another one another."""
    assert call(*WATCH) == call(*WATCH)
    assert call(*WATCH) != call(*WATCH[:-1], "8")
    # The agents have streams of their own: two of a kind do not play alike.
    assert call("watch", "random", "random", "--seed", "7") != call(*WATCH)


def test_watch_without_arguments() -> None:
    """The defaults play a game, and a new one each time."""
    first, second = call("watch"), call("watch")
    assert first.startswith("Mammalath: greedy (black) against random (white)\n")
    assert first != second


@pytest.mark.parametrize("first", AGENTS)
@pytest.mark.parametrize("second", AGENTS)
def test_watch_any_two_agents(first: str, second: str) -> None:
    """Every agent plays from both seats."""
    output = call("watch", first, second, "--seed", "0")
    assert output.startswith(f"Mammalath: {first} (black) against {second} (white)\n")


def test_watch_waits_between_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The delay is in seconds, once for each move; without a terminal there is none."""
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    call(*WATCH, "--delay", "0.25")
    moves = len(watched(make_game("mammalath"), "greedy", 7)) - 1
    assert waits == [0.25] * moves
    waits.clear()
    call(*WATCH)
    assert sum(waits) == 0


# Wrong arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["watch", "minimax"], ["'minimax'", "'random'", "'greedy'"]),
        (["watch", "greedy", "Random"], ["'Random'", "'random'", "'greedy'"]),
        (["watch", "--game", "chess"], ["'chess'", *map(repr, GAMES)]),
        (["watch", "--seed", "-1"], ["--seed"]),
        (["watch", "--seed", "x"], ["--seed"]),
        (["watch", "--seed", "1.5"], ["--seed"]),
        (["watch", "--delay", "-0.1"], ["--delay"]),
        (["watch", "--delay", "soon"], ["--delay"]),
        (["watch", "greedy", "random", "greedy"], ["greedy"]),
        (["watch", "--colour"], ["--colour"]),
        (["juggle"], ["juggle"]),
    ],
)
def test_wrong_arguments_are_named(arguments: list[str], message: list[str]) -> None:
    """Exit code 2, and a message that names what was wrong, without a traceback."""
    output = words(call(*arguments, code=2))
    for word in message:
        assert word in output
    assert "Usage" in output
    assert "Traceback" not in output


# Completion, version, help and the installed command


def test_the_version_is_that_of_the_package() -> None:
    """``--version`` prints the version of the package."""
    assert call("--version") == f"mammalath_env {mammalath_env.__version__}\n"


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_names_commands_agents_and_games(option: str) -> None:
    """The help names the commands, and that of ``watch`` the agents and the games."""
    assert "watch" in words(call(option))
    output = words(call("watch", option))
    for word in (*AGENTS, *GAMES, "--game", "--seed", "--delay", "--ascii"):
        assert word in output


def test_without_arguments_help_is_shown() -> None:
    """Without arguments the command lists its commands."""
    result = CliRunner().invoke(app, [])
    assert "watch" in words(result.output)


def test_as_a_module_and_as_a_script() -> None:
    """Both ways to start it in a new process print what it prints here."""
    expected = call(*WATCH)
    assert run_python("-m", "mammalath_env", *WATCH) == expected
    script = shutil.which("mammalath", path=sysconfig.get_path("scripts"))
    assert script is not None
    assert run(script, *WATCH) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("arena al", ["alphabeta"]),
        ("arena random gr", ["greedy"]),
        ("match al", ["alphabeta"]),
        ("puzzles random --game mammalath_", ["mammalath_plus"]),
        ("puzzles random --game man", []),
        ("play random --seat f", ["first"]),
        ("play random --game man", ["mancala"]),
    ],
)
def test_shells_complete_agents_games_and_seats(typed: str, expected: list[str]) -> None:
    """Shells complete names of agents, games and seats."""
    line = f"mammalath {typed}"
    environment = {
        "_MAMMALATH_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split()) - 1),
    }
    result = CliRunner().invoke(app, [], prog_name="mammalath", env=environment)
    assert result.output.split() == expected


def test_help_names_the_games_with_puzzles() -> None:
    """The help of ``puzzles`` lists the games that have some."""
    assert f"Game: {', '.join(puzzle_games())}." in words(call("puzzles", "--help"))


# perft


def test_perft_in_parts(game: Game) -> None:
    """The sums over the first plies are the counts of the whole tree, also where games end."""
    rng = random.Random(1)
    position = game.deal(1)
    while not position.is_over:
        before, position = position, position.play(rng.choice(position.legal_actions()))
        if position.ply % 5 == 0 or position.is_over:
            for depth in (1, 2, 3):
                assert count_in_parts(before, depth) == perft(before, depth)
