"""What lessons claim is what the engine does."""

from __future__ import annotations

import re

import pytest

from mammalath_env import GAMES, make_game
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.lesson import Example
from tests.processes import ROOT

EXAMPLES = [
    pytest.param(name, example, id=f"{name}-{lesson.title}-{number}")
    for name in GAMES
    for lesson in make_game(name).lessons()
    for number, example in enumerate(lesson.examples)
]


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_examples(name: str, example: Example) -> None:
    """The moves can be played, end the game as claimed, and leave the claimed moves."""
    position = make_game(name, **dict(example.options)).from_text(example.start)
    mover = position.to_move
    for move in example.moves:
        assert not position.is_over
        mover, position = position.to_move, position.play(move)
    assert example.after in ("", position.to_text())
    outcome = position.outcome
    if outcome is None:
        assert example.result == ""
    else:
        results = {mover: "win", 1 - mover: "loss", None: "draw"}
        assert results[outcome.winner] == example.result
    legal = position.legal_moves()
    assert set(example.legal) <= set(legal)
    for move in example.illegal:
        with pytest.raises(IllegalMoveError):
            position.play(move)


def test_names_are_names_of_files() -> None:
    """No two examples have the same one."""
    names = [
        example.name
        for name in GAMES
        for lesson in make_game(name).lessons()
        for example in lesson.examples
        if example.name
    ]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z_]+", name) for name in names)


@pytest.mark.parametrize(
    ("games", "numbers"),
    [(["mammalath", "mammalath_plus"], range(1, 16)), (["mancala"], range(20, 28))],
)
def test_every_rule_is_taught(games: list[str], numbers: range) -> None:
    """The rules of the page are all in lessons, and lessons name no others."""
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    written = {int(number) for number in re.findall(r"^- \*\*R(\d+)\*\*", page, re.MULTILINE)}
    assert set(numbers) <= written
    taught = {
        rule for name in games for lesson in make_game(name).lessons() for rule in lesson.rules
    }
    assert taught == {f"R{number}" for number in numbers}


def test_moves_of_mancala_say_where_they_lead() -> None:
    """Sentences about captures are checked by the position that follows."""
    examples = [each for lesson in make_game("mancala").lessons() for each in lesson.examples]
    assert all(each.after for each in examples if each.moves)


def test_claims_of_results_and_moves_are_in_the_lessons() -> None:
    """Each game shows a win and a loss or draw, and legal and illegal moves."""
    for name in GAMES:
        examples = [each for lesson in make_game(name).lessons() for each in lesson.examples]
        assert {"win", "loss", "draw"} <= {each.result for each in examples}
        assert any(each.legal for each in examples)
        assert any(each.illegal for each in examples)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("mammalath", {}),
        ("mammalath", {"swap_rule": False}),
        ("mammalath_plus", {}),
        ("mancala", {}),
        ("mancala", {"capture": "chain"}),
    ],
)
def test_how_to_play_is_about_this_game(name: str, options: dict[str, object]) -> None:
    """It mentions what can be done, fits a terminal, and its notation is that of the game."""
    game = make_game(name, **options)
    text = game.how_to_play()
    assert max(map(len, text.splitlines())) < 80, text
    assert len(text.splitlines()) <= 8
    assert ("swap" in text) == (options.get("swap_rule", name != "mancala") is True)
    assert ("before it follow" in text) == (options.get("capture") == "chain")
    position = game.deal(1, first_player=0)
    for move in re.findall(r"^  (\S+) ", text, re.MULTILINE):
        game.parse_move(move, position if move != "a" else game.deal(1, first_player=1))
