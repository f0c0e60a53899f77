"""Why moves are illegal and how games ended, in words that are true."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

import pytest

from mammalath_env import GAMES, make_game
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game
from mammalath_env.core.grid import parse_space
from mammalath_env.core.position import Position
from mammalath_env.games.mammalath.config import ANIMAL_NAMES
from mammalath_env.games.mammalath.game import MammalathGame
from mammalath_env.games.mancala.game import MancalaGame
from tests.games.random_play import random_games, random_positions

Scale = Callable[[int], int]

STARVED = (
    "1,0,3,0,2,0/0,0,0,0,0,0 21-21 s 9 70",
    "0,0,0,0,0,0/1,0,3,0,2,0 21-21 n 9 70",
    "2,0,1,1,2,0/0,0,0,0,0,0 21-21 s 9 70",
)


def test_every_illegal_action_has_a_true_reason(game: Game, scale: Scale) -> None:
    """In random positions each reason is of a known kind, and what it says holds."""
    positions = [game.deal(seed) for seed in range(3)]
    positions += [each.play(each.legal_actions()[0]) for each in positions]
    positions += random_positions(game, scale(200), seed=11)
    if isinstance(game, MancalaGame):
        positions += [game.from_text(text) for text in STARVED]
    for position in positions:
        if position.is_over:
            continue
        legal = position.action_mask()
        for action in range(game.num_actions):
            if legal[action]:
                with pytest.raises(ValueError, match="is legal"):
                    game.explain_illegal(action, position)
            else:
                why = game.explain_illegal(action, position)
                check = check_mancala if isinstance(game, MancalaGame) else check_mammalath
                check(why, position.move_text(action), position)


def board_of(position: Position) -> tuple[dict[str, str], dict[str, str]]:
    """Return the animals and the tokens by the names of their spaces, read from the text."""
    grids = []
    for grid in position.to_text().split(" ")[:2]:
        found: dict[str, str] = {}
        for row, text in enumerate(grid.split("/"), start=1):
            spaces = re.sub(r"\d", lambda digit: " " * int(digit[0]), text)
            found |= {f"{chr(97 + col)}{row}": each for col, each in enumerate(spaces)}
        grids.append({name: each for name, each in found.items() if each != " "})
    return grids[0], grids[1]


def check_mammalath(why: str, move: str, position: Position) -> None:
    """Check one reason by the text of the position."""
    assert isinstance(position.game, MammalathGame)
    animals, tokens = board_of(position)
    taken = re.match(r"(\w\d) is taken by (black|white); .*\(R4\)$", why)
    if taken:
        assert move == taken[1]
        assert tokens[move] == taken[2][0]
        return
    assert move not in tokens
    if why == "the first move must place a token (R7)":
        assert position.ply == 0
        assert move.startswith(("x", "swap"))
        return
    assert position.ply > 0
    if why == "swap is possible only as the second move of the game (R8)":
        assert move == "swap"
        assert position.ply > 1
        return
    gone = re.match(r"no (\w+) is left to release \(R5\)$", why)
    if gone:
        assert move == f"x{gone[1][0].upper()}"
        assert gone[1] in ANIMAL_NAMES
        assert move[1] not in animals.values()
        return
    broken = re.match(r"no animal is left on ([a-h0-9, and]+); a (line|square) .*\((R\d+)\)$", why)
    assert broken, why
    size = position.game.config.size
    first, last = (parse_space(end, size) for end in move[1:].split("-"))
    pattern = next(each for each in position.game.patterns if {each[0], each[-1]} == {first, last})
    names = [f"{chr(97 + space % size)}{space // size + 1}" for space in pattern]
    assert re.findall(r"[a-h]\d", broken[1]) == [name for name in names if name not in animals]
    adjacent = len({name[0] for name in names}) == len({name[1] for name in names}) == 2
    assert (broken[2] == "square") == (adjacent and len(names) == 4)
    assert broken[3] == ("R15" if size == 8 else "R6")


def check_mancala(why: str, move: str, position: Position) -> None:
    """Check one reason by the text of the position."""
    rows = [[*map(int, row.split(","))] for row in position.to_text().split(" ")[0].split("/")]
    seeds = rows[position.to_move]["abcdef".index(move.lower())]
    if why == f"hole {move} has no seeds (R21)":
        assert seeds == 0
        return
    other = position.game.player_names[1 - position.to_move]
    assert why.startswith(f"{other} has no seeds, ")
    assert why.endswith(f"hole {move} has too few to get there (R24)")
    assert sum(rows[1 - position.to_move]) == 0
    assert 0 < seeds < 6 - "abcdef".index(move.lower())


def test_the_message_of_the_error_has_the_reason(game: Game, scale: Scale) -> None:
    """As a text or an id; after the end it tells how the game ended."""
    for positions, _ in random_games(game, scale(20), seed=4):
        for position in positions:
            illegal = [k for k in range(game.num_actions) if not position.action_mask()[k]]
            for action in illegal[:2]:
                why = game.explain_illegal(action, position)
                for given in (action, position.move_text(action)):
                    with pytest.raises(IllegalMoveError, match=re.escape(f": {why}")):
                        position.play(given)
        assert game.describe_end(positions[-1]) in game.explain_illegal(0, positions[-1])


def test_ends_name_what_ended_the_game(game: Game, scale: Scale) -> None:
    """Lines, animals and seeds in the sentence are those of the position."""
    for positions, _ in random_games(game, scale(300), seed=5):
        with pytest.raises(ValueError, match="not over"):
            game.describe_end(positions[-2])
        check = mancala_end if isinstance(game, MancalaGame) else mammalath_end
        check(game.describe_end(positions[-1]), positions[-1])


def lines_in(text: str, size: int) -> Iterator[list[str]]:
    """Yield the spaces of each line or square that a sentence names by its ends."""
    for word, ends in re.findall(r"(line|square)\D*? ?([a-h]\d-[a-h]\d)", text):
        (left, top), (right, bottom) = ((ord(end[0]), int(end[1])) for end in ends.split("-"))
        if word == "square":
            yield [f"{chr(c)}{r}" for r in (top, bottom) for c in (left, right)]
            continue
        steps = max(abs(right - left), abs(bottom - top))
        assert steps == (3 if size == 8 else 2)
        yield [
            f"{chr(left + k * (right - left) // steps)}{top + k * (bottom - top) // steps}"
            for k in range(steps + 1)
        ]


def mammalath_end(why: str, position: Position) -> None:
    """Check one sentence by the text of the position."""
    assert isinstance(position.game, MammalathGame)
    assert position.outcome is not None
    animals, tokens = board_of(position)
    size = position.game.config.size
    reason = position.outcome.termination.label
    mover = "wb"[position.to_move]
    if reason == "tokens used up":
        assert why.endswith("(R11)")
        assert f"{position.game.config.num_tokens} tokens" in why
        return
    named = list(lines_in(why, size))
    assert named, why
    for spaces in named:
        assert {tokens[space] for space in spaces} == {mover}
    still = {f"{name} on {space}" for name, space in re.findall(r"an? (\w+) on (\w\d)", why)}
    on_lines = {space for spaces in named for space in spaces if space in animals}
    by_letter = {name[0].upper(): name for name in ANIMAL_NAMES}
    assert still == {f"{by_letter[animals[space]]} on {space}" for space in on_lines}
    assert bool(still) == (reason == "animals captured")
    assert why.endswith("(R9)" if still else "(R10)")


def mancala_end(why: str, position: Position) -> None:
    """Check one sentence by the text of the position."""
    south, north = position.to_text().split(" ")[1].split("-")
    assert f"south has {south} seeds and north has {north}" in why
    assert position.outcome is not None
    rule = {"majority": "R25", "opponent cannot be fed": "R24", "no capture limit": "R26"}
    assert f"({rule[position.outcome.termination.label]})" in why


@pytest.mark.parametrize(
    ("name", "text", "move", "why"),
    [
        (
            "mammalath",
            "DEDBEE/CFCEC1/1CFC2/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7",
            "e3",
            "three black tokens in a line on free spaces, e3-c5 (R10)",
        ),
        (
            "mammalath",
            "DEDBEE/CFCEC1/1CFCE1/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7",
            "e3",
            "black's line e3-c5 still had an elephant on e3 (R9)",
        ),
        (
            "mancala",
            "0,0,0,0,0,1/0,1,0,0,0,0 23-23 s 3 80",
            "F",
            "south has an empty row, north cannot sow into it and took the rest (R24): "
            "south has 23 seeds and north has 25",
        ),
    ],
)
def test_some_sentences_in_full(name: str, text: str, move: str, why: str) -> None:
    """One of each kind, to be read."""
    game = make_game(name)
    assert game.describe_end(game.from_text(text).play(move)) == why


def test_kinds_of_moves(game: Game) -> None:
    """Each action has a kind, whose name says what the notation does."""
    position = game.deal(2)
    rng = random.Random(1)
    position = position.play(rng.choice(position.legal_actions()))
    kinds: dict[str, list[str]] = {}
    for action in range(game.num_actions):
        kind = game.kind_of_move(action, position)
        kinds.setdefault(kind, []).append(position.move_text(action))
    if game.name == "mancala":
        assert list(kinds) == ["sow"]
        return
    patterns = ["release a line"] + (["release a square"] if game.name != "mammalath" else [])
    assert list(kinds) == ["place", "release a type", *patterns, "swap"]
    assert all(len(move) == 2 for move in kinds["place"] + kinds["release a type"])
    assert all("-" in move for kind in patterns for move in kinds[kind])
    assert kinds["swap"] == ["swap"]


def test_the_games_of_the_package_explain_everything() -> None:
    """None of them falls back on the sentences that serve any game."""
    for name in GAMES:
        kind = type(make_game(name))
        for method in ("_explain_illegal", "_describe_end", "_kind_of_move", "lessons"):
            assert getattr(kind, method) is not getattr(Game, method)
