"""Tournaments: who meets whom, totals, JSON and the table."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

import pytest
from rich.console import Console

from mammalath_env.arena import (
    AgentSpec,
    GameRecord,
    MatchResult,
    SeatResult,
    Tournament,
    gauntlet,
    play_match,
    round_robin,
)
from mammalath_env.arena.tables import render_matches
from mammalath_env.core.game import Game
from mammalath_env.games import make_game
from tests.arena.players import FirstAgent, LastAgent, failing

MANCALA = make_game("mancala")
SPECS: list[AgentSpec] = ["random", FirstAgent, failing]
TOURNAMENT = round_robin(MANCALA, SPECS, 3, seed=5)


def test_everyone_meets_everyone(game: Game) -> None:
    """Each match is the one that `play_match` plays with the same seed."""
    records: list[GameRecord] = []
    tournament = round_robin(game, SPECS, 2, seed=5, on_record=records.append)
    assert tournament.agents == ("random", "first", "failing")
    assert [match.agents for match in tournament.matches] == [
        ("random", "first"),
        ("random", "failing"),
        ("first", "failing"),
    ]
    assert tournament.matches[2] == play_match(game, FirstAgent, failing, 2, seed=5)
    assert len(records) == 12


def test_a_challenger_meets_all(game: Game) -> None:
    """The challenger plays every other agent; the others do not meet each other."""
    tournament = gauntlet(game, LastAgent, ["random", FirstAgent], 2, seed=5)
    assert [match.agents for match in tournament.matches] == [
        ("last", "random"),
        ("last", "first"),
    ]
    assert tournament.matches[0] == play_match(game, LastAgent, "random", 2, seed=5)


def test_a_match_is_found_from_either_side() -> None:
    """`between` returns the match from the view of the agent named first."""
    match = TOURNAMENT.between("random", "first")
    assert match is TOURNAMENT.matches[0]
    assert TOURNAMENT.between("first", "random") == match.reversed()
    with pytest.raises(ValueError, match="unknown match"):
        TOURNAMENT.between("random", "greedy")


def test_totals_add_up() -> None:
    """Wins of one are losses of another: all points add up to the number of games."""
    totals = [TOURNAMENT.total(agent) for agent in TOURNAMENT.agents]
    assert sum((total.wins + total.draws / 2 for total in totals), 0.0) == 18
    assert all(total.num_games == 12 for total in totals)
    assert sum(totals, SeatResult()).wins == sum(totals, SeatResult()).losses
    with pytest.raises(ValueError, match="unknown agent 'nobody'"):
        TOURNAMENT.total("nobody")


def test_a_tournament_reads_back_from_json() -> None:
    """A tournament can be kept as text."""
    assert Tournament.from_json(TOURNAMENT.to_json()) == TOURNAMENT


@pytest.mark.parametrize("version", [1, 2])
def test_tournaments_of_older_versions_are_read(version: int) -> None:
    """Without pairs, and in version 1 with seats as lists and without reasons of forfeits."""
    data = json.loads(TOURNAMENT.to_json())
    for match in data["matches"]:
        del match["pairs"]
        if version == 1:
            del match["forfeit_reasons"]
            for seat in ("moving_first", "moving_second"):
                match[seat] = list(match[seat].values())
    read = Tournament.from_json(json.dumps({**data, "format": version}))
    reasons: dict[str, Any] = {"forfeit_reasons": ({}, {})} if version == 1 else {}
    assert read.matches == tuple(
        dataclasses.replace(match, pairs=None, **reasons) for match in TOURNAMENT.matches
    )
    assert all(match.estimates is None for match in read.matches)
    assert Tournament.from_json(read.to_json()) == read
    read.render()


def match_with(**members: Any) -> str:
    """Return the text of a tournament of one match with other members."""
    data = json.loads(TOURNAMENT.to_json())
    return json.dumps({**data, "matches": [{**data["matches"][0], **members}]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "not JSON"),
        ("[]", "Expected `object`, got `array`"),
        ("{}", "Object missing required field `format`"),
        ('{"format": 7, "matches": []}', "expected format 1 or 2 or 3, not 7"),
        ('{"format": 1, "matches": {}}', r"Expected `array`, got `object` - at `\$.matches`"),
        ('{"format": 1, "matches": [3]}', r"Expected `object`, got `int` - at `\$.matches\[0\]`"),
        ('{"format": 1, "matches": [], "x": 1}', "Object contains unknown field `x`"),
        (match_with(game="chess"), "unknown game 'chess'"),
        (match_with(moving_first=[1, 2]), "Expected `array` of length 3, got 2"),
        (match_with(moving_first=[9, 9, 9]), "do not add up"),
        (match_with(plies=[5]), "do not add up"),
        (match_with(forfeits=[7, 0]), "more forfeits than lost games"),
        (match_with(forfeits=[0, 7]), "more forfeits than lost games"),
        (match_with(pairs=[3, 0, 0, 0, 0]), "the pairs and the games of the two seats do not add"),
        (match_with(pairs=[0, 0, 0, 0, 6]), "the pairs and the games of the two seats do not add"),
        (match_with(pairs=[0, 0, 0, 0, -3]), "Expected `int` >= 0"),
        (match_with(pairs=[3]), "Expected `array` of length 5, got 1"),
        (match_with(seed="x"), "Expected `int`, got `str`"),
        (match_with(seed=1 << 64), "out of the range of integers"),
        (match_with(more=1), "Object contains unknown field `more`"),
    ],
)
def test_bad_json_is_refused(text: str, message: str) -> None:
    """The error says what is wrong with the text."""
    with pytest.raises(ValueError, match=message):
        Tournament.from_json(text)


def shown(matches: Sequence[MatchResult], width: int = 80, *, crop: bool = True) -> list[str]:
    """Return the lines of the table of `matches` on a narrow terminal."""
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(render_matches(matches), crop=crop)
    return capture.get().splitlines()


def test_the_table_shows_results_by_seat() -> None:
    """The game with its options, and one row a match, with the results by seat."""
    match = TOURNAMENT.matches[1]
    lines = shown([match])
    options = ", ".join(f"{name}={value}" for name, value in match.game.options.items())
    assert f"{match.game.title} ({options})" in lines[0]
    assert any(line.startswith("failing: 6 forfeits") for line in lines)
    place = next(k for k, line in enumerate(lines) if "random" in line)
    assert "failing" in lines[place + 1]
    for seat in (match.total, match.moving_first, match.moving_second):
        assert f" {seat.wins} {seat.draws} {seat.losses} " in lines[place]
    assert f"{match.mean_plies:.1f}" in lines[place]
    assert lines[place].split()[:3] == ["random", "6", "100.0%"]
    assert not any("forfeits" in line for line in shown(TOURNAMENT.matches[:1]))
    shown([])


def test_the_table_shows_the_interval_of_the_score() -> None:
    """By pairs, below the score; none where all pairs have one score, or without pairs."""
    match = dataclasses.replace(TOURNAMENT.matches[0], pairs=(1, 0, 1, 0, 1))
    assert match.estimates is not None
    score = match.estimates.score
    (line,) = (line for line in shown([match]) if line.strip().startswith("first"))
    assert line.split() == ["first", f"{100 * score.low:.1f}-{100 * score.high:.1f}"]
    for pairs in ((0, 0, 3, 0, 0), (0, 0, 0, 0, 0), None):
        lines = shown([dataclasses.replace(match, pairs=pairs)])
        (line,) = (line for line in lines if line.strip().startswith("first"))
        assert line.split() == ["first"]


@pytest.mark.parametrize(
    ("reasons", "note"),
    [
        ({}, "failing: 9 forfeits"),
        ({"a [b]x": 9}, "failing: 9 forfeits: a [b]x (9)"),
        ({"a": 6, "b": 1, "c": 1, "d": 1}, "failing: 9 forfeits: a (6), b (1), c (1), others (1)"),
    ],
)
def test_forfeits_have_their_reasons_below_the_table(reasons: dict[str, int], note: str) -> None:
    """The most frequent ones, summed over all matches; results of older versions have none."""
    assert "failing: 12 forfeits: RuntimeError: out of order (12)" in " ".join(
        shown(TOURNAMENT.matches)
    )
    match = dataclasses.replace(
        TOURNAMENT.matches[1], forfeits=(0, 9), forfeit_reasons=({}, reasons)
    )
    assert shown([match])[-1].strip() == note


def test_names_in_the_table_are_literal_and_wrapped() -> None:
    """They are not taken for markup, and folded before numbers are cut."""
    names = ("[bold]x", "mcts:simulations=100000,playouts=greedy,exploration=0.75")
    match = dataclasses.replace(TOURNAMENT.matches[1], agents=names)
    lines = shown([match])
    assert any("[bold]x" in line and "100.0%" in line for line in lines)
    assert names[1][:10] in "".join(lines)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("width", [70, 50, 20])
def test_the_table_in_a_narrow_terminal(width: int) -> None:
    """Names are there at any width, and so are all numbers where lines are not cut."""
    names = ("random", "mcts:simulations=100000")
    seat = SeatResult(100, 0, 100)
    match = dataclasses.replace(
        TOURNAMENT.matches[0],
        agents=names,
        moving_first=seat,
        moving_second=seat,
        plies=(1000,) * 400,
    )
    cut = shown([match], width)
    assert max(map(len, cut)) <= width
    assert any(line.split()[:1] == ["random"] for line in cut)
    assert "".join(names) == "".join(line[:14].strip() for line in cut[-4:])
    (whole,) = (line for line in shown([match], width, crop=False) if "random" in line)
    expected = "random 400 50.0% 200 0 200 100 0 100 100 0 100 1000.0"
    assert " ".join(whole.split()) == expected


@pytest.mark.parametrize(
    "specs", [[], ["greedy"], ["greedy", "greedy"], ["greedy", "random", "greedy"]]
)
def test_agents_must_have_different_names(specs: list[str]) -> None:
    """Two different agents are needed, and names are unique."""
    message = "must have different names" if len(specs) > 1 else "at least two agents"
    with pytest.raises(ValueError, match=message):
        round_robin(MANCALA, specs, 1, seed=0)
    if len(specs) != 1:
        with pytest.raises(ValueError, match=message):
            gauntlet(MANCALA, "greedy", specs, 1, seed=0)
