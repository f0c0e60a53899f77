"""How Mammalath ends, rule by rule (R9 to R12, R14, R15)."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.outcome import Outcome
from mammalath_env.core.position import Position
from mammalath_env.games.mammalath.game import MammalathGame
from mammalath_env.games.mammalath.state import MammalathTermination
from tests.games.boards import (
    BOTH,
    LATE,
    NAMES,
    PLUS,
    SMALL,
    is_line,
    names,
    play_text,
    position,
    spaces_of,
)
from tests.games.random_play import can_win, random_positions

# Boards full of tokens without a line.
NO_LINE = {
    SMALL: "bbwwbb/wwbbww/bbwwbb/wwbbww/bbwwbb/wwbbww",
    PLUS: "/".join(["bbwwbbww", "wwbbwwbb"] * 4),
}
RETURNS = {0: (1.0, -1.0), 1: (-1.0, 1.0), None: (0.0, 0.0)}


def _check_end(at: Position, winner: int | None, reason: MammalathTermination) -> None:
    """Check that the game has ended like this, with all that follows from an end."""
    assert at.outcome == Outcome(winner, reason, RETURNS[winner])
    assert at.legal_actions() == []
    assert not at.action_mask().any()
    assert at.game.from_text(at.to_text()) == at
    with pytest.raises(IllegalMoveError, match="no move after the end"):
        at.play(0)


def _check_won(at: Position, player: int = 0) -> None:
    _check_end(at, player, MammalathTermination.EMPTY_LINE)


def _check_lost(at: Position, player: int = 0) -> None:
    _check_end(at, 1 - player, MammalathTermination.ANIMALS_CAPTURED)


def _check_drawn(at: Position) -> None:
    _check_end(at, None, MammalathTermination.TOKENS_USED_UP)


def _check_running(at: Position) -> None:
    assert at.outcome is None


def _without(spaces: tuple[int, ...], space: int) -> list[int]:
    return [other for other in spaces if other != space]


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_every_line_without_animals_wins(game: MammalathGame) -> None:
    """In every direction and place, whichever token comes last, animals all around it (R10)."""
    everywhere = set(range(game.config.num_spaces))
    for pattern in game.patterns:
        aside = [space for space in (0, 1, 8, 9, 20, 27, 35) if space not in pattern]
        white = aside[: game.config.line_length - 2]
        for last in pattern:
            black = _without(pattern, last)
            # White has released the line and placed otherwise.
            at = position(game, everywhere - set(pattern), black, white, "b", 2 * len(black))
            assert at.outcome is None
            _check_won(at.play(last))
            _check_won(position(game, [], black, [], "b", LATE[game]).play(last))


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_every_line_with_an_animal_loses(game: MammalathGame) -> None:
    """One animal anywhere on the line is enough, under the last token or another one (R9)."""
    for pattern in game.patterns:
        for last, animal in itertools.product(pattern, repeat=2):
            at = position(game, [animal], _without(pattern, last), [], "b", LATE[game])
            assert at.outcome is None
            _check_lost(at.play(last))


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_white_wins_and_loses_alike(game: MammalathGame) -> None:
    """The rules are the same for white (R9, R10)."""
    pattern = game.patterns[-1]
    for animals, check in (([], _check_won), (pattern[:1], _check_lost)):
        at = position(game, animals, [], pattern[:-1], "w", LATE[game])
        check(at.play(pattern[-1]), 1)


def test_three_spaces_are_a_line_or_nothing() -> None:
    """Of all triples the lines of the board win and no other one, no row around an edge (R10)."""
    lines = 0
    for triple in itertools.combinations(range(36), 3):
        at = position(SMALL, [], triple[:2], [], "b", 10).play(triple[2])
        lines += is_line(SMALL, triple)
        assert at.is_over == is_line(SMALL, triple), names(SMALL, triple)
    assert lines == 80


def test_four_spaces_are_a_line_or_square_or_nothing() -> None:
    """The same for all fours with equal steps by number, and all of square shape (R15)."""
    shapes = {tuple(k * step for k in range(4)) for step in range(1, 22)}
    shapes |= {(0, 1, size, size + 1) for size in range(2, 17)}
    ends = 0
    for shape in shapes:
        for start in range(64 - shape[-1]):
            four = [start + offset for offset in shape]
            at = position(PLUS, [], four[:3], [], "b", 12).play(four[3])
            ends += is_line(PLUS, four)
            assert at.is_over == is_line(PLUS, four), names(PLUS, four)
    assert ends == 130 + 49


@pytest.mark.parametrize(
    ("game", "black", "last"),
    [
        # A gap, a corner, and a row around the edge.
        (SMALL, "a1 b1", "d1"),
        (SMALL, "a1 b1", "a2"),
        (SMALL, "e1 f1", "a2"),
        (SMALL, "f1 f2", "a4"),
        (SMALL, "a1 f1", "e2"),
        # Three in a row are enough on the small board only, three of a square are not.
        (PLUS, "a1 b1", "c1"),
        (PLUS, "a1 b2", "c3"),
        (PLUS, "a1 b1", "a2"),
        (PLUS, "a1 b1 c1", "e1"),
        (PLUS, "a1 b1 b2", "c2"),
        (PLUS, "a1 a2 b1", "c2"),
        (PLUS, "f1 g1 h1", "a2"),
        (PLUS, "h1 a2 h2", "a3"),
        (PLUS, "h1 g2 h2", "a2"),
        (PLUS, "a1 c1 a3", "c3"),
    ],
)
def test_near_misses(game: MammalathGame, black: str, last: str) -> None:
    """A row that is nearly a line neither wins nor loses (R9, R10, R15)."""
    for animals in ("", last):
        after = play_text(position(game, animals, black, "", "b", LATE[game]), last)
        assert after.outcome is None
        assert after.to_move == 1


@pytest.mark.parametrize(
    ("game", "black", "white", "last", "animals", "check"),
    [
        # Five in a row by joining, six in a row, and an animal at the far end of them.
        (SMALL, "a1 b1 d1 e1", "", "c1", "", _check_won),
        (SMALL, "a1 b1 d1 e1", "", "c1", "f1", _check_won),
        (SMALL, "a1 b1 d1 e1", "", "c1", "a1", _check_lost),
        (SMALL, "a1 b1 d1 e1", "", "c1", "e1", _check_lost),
        (PLUS, "a1 b1 c1 e1 f1 g1", "", "d1", "", _check_won),
        (PLUS, "a1 b1 c1 e1 f1 g1", "", "d1", "g1", _check_lost),
        # Two lines at once: one animal on either loses, although the other alone would win.
        (SMALL, "a1 b1 c2 c3", "", "c1", "", _check_won),
        (SMALL, "a1 b1 c2 c3", "", "c1", "c3", _check_lost),
        (SMALL, "a1 b1 c2 c3", "", "c1", "a1", _check_lost),
        (SMALL, "a1 b1 c2 c3", "", "c1", "b2", _check_won),
        (SMALL, "a1 b1 d1", "", "c1", "a1", _check_lost),
        # A line and a square, two squares.
        (PLUS, "a1 b1 c1 c2 d2", "", "d1", "", _check_won),
        (PLUS, "a1 b1 c1 c2 d2", "", "d1", "a1", _check_lost),
        (PLUS, "a1 b1 c1 c2 d2", "", "d1", "d2", _check_lost),
        (PLUS, "a1 a2 b1 c1 c2", "", "b2", "c2", _check_lost),
        (PLUS, "a1 a2 b1 c1 c2", "", "b2", "d2", _check_won),
        # An animal on a token that is on no line does not count.
        (SMALL, "a1 b1 a3 f6", "", "c1", "a3", _check_won),
        (SMALL, "a1 b1 a3 f6", "", "c1", "f6", _check_won),
        # The opponent's token breaks a line, and completes none.
        (SMALL, "a1 b1 e1 f1", "c1", "d1", "", _check_won),
        (SMALL, "a1 b1 e1", "c1", "d1", "", _check_running),
        (SMALL, "a1 b1", "d1 e1", "c1", "", _check_won),
        (SMALL, "b1", "d1 e1", "c1", "", _check_running),
        (PLUS, "a1 b1 a2", "b2 c2 c3", "d1", "", _check_running),
    ],
)
def test_lines_that_meet(
    game: MammalathGame,
    black: str,
    white: str,
    last: str,
    animals: str,
    check: Callable[[Position], None],
) -> None:
    """All lines through the last token count, and a loss comes before a win (R9, R10)."""
    placed = len(black.split()) + len(white.split())
    ply = placed + 10 + placed % 2
    before = position(game, animals, black, white, "b", ply)
    after = before.play(last)
    check(after)
    outcomes = [before.play(action).outcome for action in before.legal_actions()]
    wins = any(outcome is not None and outcome.winner == 0 for outcome in outcomes)
    assert can_win(game.tables, before.row) == wins


def _board(game: MammalathGame, colour: str) -> list[int]:
    """Return the spaces of one colour on the full board without a line."""
    letters = NO_LINE[game].replace("/", "")
    return [space for space, letter in enumerate(letters) if letter == colour]


@pytest.mark.parametrize("animals", [True, False])
@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_the_last_token_draws(game: MammalathGame, animals: bool) -> None:
    """The 18th or 32nd token of one player ends the game, and the one before does not."""
    black, white = _board(game, "b"), _board(game, "w")
    assert len(black) == len(white) == game.config.num_tokens
    standing = range(game.config.num_spaces) if animals else []
    releases = 0 if animals else LATE[game] + 2
    # Black begins, so that black's last token comes first; the 17th or 31st does not draw.
    plies = releases + 2 * game.config.num_tokens - 4
    before = position(game, standing, black[:-2], white[:-2], "b", plies)
    next_to_last = before.play(black[-2]).play(white[-2])
    assert next_to_last.outcome is None
    _check_drawn(next_to_last.play(black[-1]))
    # White's last token draws too, whether white began or black has released more.
    began = position(game, standing, black[:-1], white[:-1], "w", plies + 2)
    _check_drawn(began.play(white[-1]))
    if not animals:
        ahead = position(game, standing, black[:-5], white[:-1], "w", plies - 1)
        _check_drawn(ahead.play(white[-1]))


@pytest.mark.parametrize(
    ("game", "tokens", "ply", "last", "line"),
    [
        # Black's 18th token on c1 makes a1-c1 and c1-e3, on f1 none.
        (SMALL, "bb1wb1/wwbbww/bbwwbb/wwbbww/bbwwbb/wwbbww", 44, "c1", "a1 b1 c1 d2 e3"),
        # Black's 32nd on g3 makes a line, on g7 a square.
        (
            PLUS,
            "bbwwbbww/wwbbwwbb/bbwbbb1w/wwb1wwbb/bbwwbbww/wwbbwwbb/bwwwbbww/wwbbwwbb",
            74,
            "g3",
            "d3 e3 f3 g3",
        ),
        (
            PLUS,
            "bbwwbwww/wwbbwwbb/1bwwbbww/wwbbwwbb/bbwwbbww/wwbbwwbb/bbwwbb1w/wwbbwbbb",
            74,
            "g7",
            "f7 g7 f8 g8",
        ),
    ],
    ids=["lines", "plus-line", "plus-square"],
)
def test_a_line_of_the_last_token_counts_first(
    game: MammalathGame, tokens: str, ply: int, last: str, line: str
) -> None:
    """A win or loss with the last token is no draw (R11 after R9 and R10)."""
    letters = "".join("." * int(k) if k.isdigit() else k for k in tokens.replace("/", ""))
    black = [space for space, letter in enumerate(letters) if letter == "b"]
    white = [space for space, letter in enumerate(letters) if letter == "w"]
    assert len(black) == game.config.num_tokens - 1
    (other,) = [
        space
        for space, letter in enumerate(letters)
        if letter == "." and space != spaces_of(game, last)[0]
    ]
    elsewhere = [
        space for space in range(game.config.num_spaces) if space not in spaces_of(game, line)
    ]
    _check_won(play_text(position(game, "", black, white, "b", ply), last))
    _check_won(play_text(position(game, elsewhere[:1], black, white, "b", ply), last))
    for animal in line.split():
        _check_lost(play_text(position(game, animal, black, white, "b", ply), last))
    _check_drawn(position(game, "", black, white, "b", ply).play(other))


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_a_swapped_token_goes_back(game: MammalathGame) -> None:
    """Its owner has all tokens again, and the other one a token less left (R8, R11)."""
    black, white = _board(game, "b"), _board(game, "w")
    at = game.deal(5, first_player=0).play(white[0])
    at = at.play("swap")
    # Black places again, first; white is one token ahead all the time and is done first.
    for own, other in zip(black, white[1:], strict=False):
        at = at.play(own)
        assert at.outcome is None
        at = at.play(other)
    _check_drawn(at)
    assert at.to_move == 0
    assert at.ply == 2 * game.config.num_tokens


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_only_placements_end_a_game(game: MammalathGame, scale: Callable[[int], int]) -> None:
    """Releases and swaps never do, and a placement is always legal (R12)."""
    for at in random_positions(game, scale(150), seed=12):
        for action in at.legal_actions():
            kind, _ = game.codec.decode(action)
            if kind != "place":
                after = at.play(action)
                assert after.outcome is None
                assert game.codec.decode(after.legal_actions()[0])[0] == "place"


@pytest.mark.parametrize(("game", "plies"), [(SMALL, 52), (PLUS, 86)], ids=NAMES)
def test_longest_game(game: MammalathGame, plies: int) -> None:
    """All tokens but one, a swap, each type once, and lines of what is left (R12)."""
    config = game.config
    lines = (config.num_spaces - config.size) // config.line_length
    assert 2 * config.num_tokens - 1 + 1 + config.size + lines == plies == game.max_plies
    # Lines first as long as there are any, then types: a game close to the bound.
    at = game.deal(1, first_player=0).play(_board(game, "w")[0])
    at = at.play("swap")
    to_place = {0: _board(game, "b"), 1: _board(game, "w")[1:]}
    while not at.is_over:
        legal = at.legal_actions()
        releases = [action for action in legal if game.codec.decode(action)[0] == "pattern"]
        releases = releases or [
            action for action in legal if game.codec.decode(action)[0] == "type"
        ]
        at = at.play(releases[0] if releases else to_place[at.to_move].pop())
    _check_drawn(at)
    assert plies - 12 <= at.ply <= plies
