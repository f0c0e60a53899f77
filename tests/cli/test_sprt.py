"""The command ``sprt``: what it prints, and how it goes on."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mammalath_env.arena import read_records
from mammalath_env.arena.sequential import DEFAULT_MAX_DEALS, SPRTResult
from mammalath_env.arena.sprt import ELO_MODELS
from mammalath_env.cli import app
from mammalath_env.cli import sprt as command

SPRT = ("sprt", "greedy", "random", "--game", "mancala", "--elo1", "100")


def run(*arguments: str) -> Any:
    """Run a command in this process."""
    return CliRunner().invoke(app, list(arguments))


def text_of(output: str) -> str:
    """Return an output without the frame of an error and the breaks of lines."""
    return " ".join(output.replace("│", " ").split())


def test_the_result_says_all() -> None:
    """Decision, question, ratio, bounds, counts, estimates and how far they can be trusted."""
    arguments = ("sprt", "alphabeta:depth=2", "greedy", "--game", "mancala", "--seed", "1")
    result = run(*arguments, "--elo1", "50", "--alpha", "0.1", "--model", "logistic")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert "decision: H1" in lines
    assert "H0: 0 Elo, H1: 50 Elo (logistic), alpha 0.1, beta 0.05" in lines
    assert any(line.endswith("bounds -2.89 and 2.25") for line in lines)
    assert any("pairs of games by score: 0 of 0, 0 of 1/4, " in line for line in lines)
    for model in ("normalized", "logistic"):
        (line,) = (line for line in lines if line.startswith(f"{model} Elo +"))
        assert "95% interval +" in line
    assert "are biased" in result.stdout
    assert lines[-1] == "seed 1"
    assert "LLR" in result.stderr


def test_pairs_of_one_score_have_no_estimate() -> None:
    """A clean sweep says that there is none."""
    result = run(*SPRT, "--seed", "1")
    assert "decision: H1" in result.stdout
    assert "all pairs have the same score" in result.stdout
    assert "Elo +" not in result.stdout


def test_no_decision_is_a_result() -> None:
    """With exit code 0."""
    result = run(*SPRT, "--seed", "1", "--max-deals", "1")
    assert result.exit_code == 0
    assert "decision: none\n" in result.stdout
    assert "\n1 pair of games by score: " in result.stdout


def test_forfeits_are_shown() -> None:
    """Below the table, as in a match."""
    result = run("sprt", "tests.arena.players:failing", *SPRT[2:], "--seed", "1")
    assert "decision: H0" in result.stdout
    assert "forfeits: RuntimeError: out of order" in text_of(result.stdout)


def test_a_test_is_resumed(tmp_path: Path) -> None:
    """From part of its games it goes on to the same result, and from all it plays none."""
    path = tmp_path / "games.jsonl"
    arguments = (*SPRT, "--record", str(path), "--json")
    whole = run(*arguments)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    assert len(lines) == len(json.loads(whole.stdout)["match"]["plies"])
    path.write_text("".join(lines[:5]), "utf-8")
    for _ in range(2):
        again = run(*arguments, "--resume")
        assert again.exit_code == 0, again.output
        assert again.stdout == whole.stdout
        assert len(read_records(path)) == len(lines)
    assert run(*arguments).exit_code == 2


def test_an_interruption_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a command with the same question."""
    path = tmp_path / "games.jsonl"

    def interrupted(*arguments: object, **options: object) -> SPRTResult:
        raise KeyboardInterrupt

    monkeypatch.setattr("mammalath_env.arena.sequential.run_sprt_plan", interrupted)
    options = ("--elo0", "-20", "--beta", "0.1", "--record", str(path), "--seed", "1")
    run("match", *SPRT[1:-2], "--deals", "1", "--record", str(path), "--seed", "1")
    stopped = run(*SPRT, *options, "--resume")
    assert stopped.exit_code == 130
    words = shlex.split(stopped.stderr.splitlines()[-1])
    assert words[:4] == ["mammalath", "sprt", "greedy", "random"]
    monkeypatch.undo()
    result = run(*words[1:])
    assert result.exit_code == 0, result.output
    assert "H0: -20 Elo, H1: 100 Elo (normalized), alpha 0.05, beta 0.1" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--elo0", "100"], "--elo1 must be above elo0, not 100.0 with 100.0"),
        (["--alpha", "0"], "--alpha must be above 0"),
        (["--beta", "nan"], "--beta must be finite"),
        (["--model", "bayes"], "unknown model 'bayes'"),
        (["--max-deals", "0"], "--max-deals"),
        (["--jobs", "0"], "--jobs must be"),
        (["--resume"], "--resume needs --record"),
    ],
)
def test_mistakes_are_found_before_a_seed_is_shown(arguments: list[str], words: str) -> None:
    """Exit code 2, and options named as they are typed."""
    result = run(*SPRT, *arguments)
    assert result.exit_code == 2
    assert words in text_of(result.output)
    assert "seed" not in result.output.replace("with its seed", "")


def test_copies_and_sources() -> None:
    """What is slow to load is copied; the help says where the formulas are from."""
    assert (command.MODELS, command.MAX_DEALS) == (ELO_MODELS, DEFAULT_MAX_DEALS)
    assert "www.cantate.be/Fishtest" in run("sprt", "--help").output
