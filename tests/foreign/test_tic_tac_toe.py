"""Tic-tac-toe, which the package does not know: its rules, texts, pictures and objects."""

from __future__ import annotations

import functools
import itertools
import re

import numpy as np
import pytest

from mammalath_env.core.errors import IllegalMoveError, InvalidMoveError, PositionError
from mammalath_env.core.game import Game
from mammalath_env.core.perft import perft
from mammalath_env.core.position import Position
from mammalath_env.core.rules import register_rules
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.playouts import random_playouts
from mammalath_env.envs.vector import SelfPlayVectorEnv
from mammalath_env.games import make_game
from mammalath_env.rendering import PICTURES, render_ansi
from tests.foreign.positions import play, reachable, start
from tests.foreign.tic_tac_toe import (
    RULES,
    TicTacToe,
    TicTacToeEffect,
    TicTacToeTermination,
    make_tables,
)

# The conformance suite asks for a fixture `game`, which is the foreign game here.
from tests.games.test_conformance import (  # noqa: F401
    test_copies_of_positions_and_games,
    test_equality_and_hash,
    test_evaluations_and_threats_agree_with_play,
    test_every_action_has_its_own_notation,
    test_mask_is_what_play_accepts,
    test_observation_decides_what_is_legal,
    test_observations_have_the_stated_shape_and_range,
    test_pickle_in_another_process,
    test_positions_cannot_be_set,
    test_positions_read_back_from_their_text,
    test_positions_stay_as_they_are,
    test_seeds_decide_deals,
    test_sizes_and_names_of_a_game,
    test_whole_games_keep_the_contract,
)

LINE, BOARD_FULL = TicTacToeTermination.LINE, TicTacToeTermination.BOARD_FULL


# Rules


@pytest.mark.parametrize(
    "line",
    [
        *("a1 b1 c1", "a2 b2 c2", "a3 b3 c3"),
        *("a1 a2 a3", "b1 b2 b3", "c1 c2 c3"),
        *("a1 b2 c3", "c1 b2 a3"),
    ],
)
@pytest.mark.parametrize("winner", [0, 1])
def test_lines_win(line: str, winner: int) -> None:
    """Each row, column and diagonal wins, in any order of its spaces, and for both players."""
    for one, two, three in itertools.permutations(line.split()):
        others = [move for move in start().legal_moves() if move not in line.split()]
        position = play(start(winner), f"{one} {others[0]} {two} {others[2]}")
        assert not position.is_over
        position = position.play(three)
        assert position.outcome is not None
        assert (position.outcome.winner, position.outcome.termination) == (winner, LINE)
        assert position.outcome.returns == ((1.0, -1.0) if winner == 0 else (-1.0, 1.0))
        assert position.legal_actions() == []
        with pytest.raises(IllegalMoveError, match="no move after the end: c3"):
            position.play("c3")


def test_draw() -> None:
    """A full board without a line is a draw; one with a line is won."""
    position = play(start(), "a1 b1 c1 b2 a2 c2 b3 a3 c3")
    assert position.to_text() == "xox/xoo/oxx o"
    assert position.outcome is not None
    assert (position.outcome.winner, position.outcome.termination) == (None, BOARD_FULL)
    assert position.outcome.returns == (0.0, 0.0)
    position = play(start(), "a1 b1 c1 a2 b2 c2 b3 a3 c3")
    assert position.outcome is not None
    assert (position.ply, position.outcome.winner) == (9, 0)


def test_marked_spaces_are_illegal() -> None:
    """Whoever has marked them."""
    position = play(start(1), "b2 a1")
    assert position.legal_moves() == ["b1", "c1", "a2", "c2", "a3", "b3", "c3"]
    for move in ("b2", "a1"):
        with pytest.raises(IllegalMoveError, match=f"illegal move {move} .* of noughts"):
            position.play(move)


def test_perft() -> None:
    """Sequences of moves by length; those that end earlier do not count."""
    expected = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    for first_player in (0, 1):
        position = start(first_player)
        assert [perft(position, depth) for depth in range(1, 10)] == expected


def test_number_of_games() -> None:
    """There are 255,168 games on 5,478 positions: won by who begins, by the other one, drawn."""

    @functools.cache
    def games(position: Position) -> tuple[int, int, int]:
        if position.outcome is not None:
            return tuple(position.outcome.winner == end for end in (0, 1, None))  # type: ignore[return-value]
        parts = [games(position.play(action)) for action in position.legal_actions()]
        return tuple(map(sum, zip(*parts, strict=True)))  # type: ignore[return-value]

    assert games(start(0)) == (131_184, 77_904, 46_080)
    assert games(start(1)) == (77_904, 131_184, 46_080)
    assert sum(games(start(0))) == 255_168
    assert [len(reachable(first_player)) for first_player in (0, 1)] == [5478, 5478]
    assert not reachable(0) & reachable(1)


def test_random_playouts() -> None:
    """Whole games in a kernel: about as many wins and draws as there are by random play."""
    found = random_playouts(TicTacToe(), 20_000, seed=1, position=start(), num_threads=1)
    # 58.5 %, 28.8 % and 12.7 %, with a standard deviation of less than 0.4 %.
    shares = [np.mean(found.winners == winner) for winner in (0, 1, 2)]
    assert shares == pytest.approx([0.585, 0.288, 0.127], abs=0.015)
    assert set(found.plies.tolist()) == {5, 6, 7, 8, 9}


# Texts, effects and pictures


def test_texts_are_the_reachable_positions() -> None:
    """All of these are read back, and every other board is refused."""
    texts = {position.to_text(): position for position in reachable(0) | reachable(1)}
    game = TicTacToe()
    for letters in itertools.product(".xo", repeat=9):
        board = "".join(letters)
        for side in "xo":
            text = f"{board[:3]}/{board[3:6]}/{board[6:]} {side}"
            if text in texts:
                assert game.from_text(text) == texts[text]
            else:
                with pytest.raises(PositionError):
                    game.from_text(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected three rows"),
        (".../... x", "expected three rows"),
        ("..../../... x", "expected three rows"),
        (".../.z./... x", "expected three rows"),
        (".../.../...", "the player to move must be 'x' or 'o', not ''"),
        (".../.../... xo", "the player to move must be 'x' or 'o', not 'xo'"),
        ("x../x../... o", "2 crosses and 0 noughts, and o to move"),
        ("x../.../... x", "1 crosses and 0 noughts, and x to move"),
        ("xxx/oo./... x", "3 crosses and 2 noughts, and x to move"),
        ("xxx/ooo/... x", "x is to move, but has a line and won before"),
    ],
)
def test_refused_texts(text: str, why: str) -> None:
    """The message quotes the text and says why."""
    with pytest.raises(
        PositionError, match=re.escape(f"{text!r} is not a position of Tic-tac-toe: {why}")
    ):
        TicTacToe().from_text(text)


def test_refused_moves() -> None:
    """Texts that name no space, and numbers out of range."""
    for text in ("", "a", "a4", "d1", "A1", "a 1"):
        with pytest.raises(InvalidMoveError, match=f"{text!r} is not a move of Tic-tac-toe"):
            start().play(text)
    with pytest.raises(IllegalMoveError, match="Tic-tac-toe has actions 0 to 8"):
        start().play(9)


def test_effects() -> None:
    """A move marks a space, and completes no line, one or two."""
    assert start().effect("b2") == TicTacToeEffect(4, ())
    position = play(start(), "a1 b1 a2 b2")
    assert position.effect("a3") == TicTacToeEffect(6, ((0, 3, 6),))
    position = play(start(), "b1 a1 a2 c1 c2 a3 b3 c3")
    assert position.effect("b2") == TicTacToeEffect(4, ((1, 4, 7), (3, 4, 5)))


def test_observation() -> None:
    """Own marks, the opponent's, empty spaces, and whether one is to move."""
    position = play(start(), "a1 c2 b3")
    own, other, empty, to_move = position.observation(0, channels_first=True)
    assert own.tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert other.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert empty.tolist() == [[0, 1, 1], [1, 1, 0], [1, 0, 1]]
    assert not to_move.any()
    seen = position.observation(1)
    assert np.array_equal(seen[..., 0], other)
    assert np.array_equal(seen[..., 1], own)
    assert np.array_equal(seen[..., 2], empty)
    assert seen[..., 3].all()


def test_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a picture there is an error, or nothing in a notebook; a table takes one."""
    before, after = start(), start().play("b2")
    for picture in (render_ansi, Position.to_svg):
        with pytest.raises(ValueError, match="unknown picture 'tic_tac_toe'"):
            picture(after)
    assert after._repr_svg_() is None
    assert str(after) == after.to_text()
    monkeypatch.setitem(PICTURES, "tic_tac_toe", "tests.foreign.tic_tac_toe:draw")
    assert render_ansi(after, before, 4) == "...\n.x.\n...\no to move after b2"
    env = BoardGameEnv(TicTacToe(), "ansi")
    env.reset(options={"position": "xo./xo./x.. o"})
    assert env.render() == "xo.\nxo.\nx..\nx has won"


# Games as objects


def test_two_games_with_one_type_of_tables_are_refused() -> None:
    """The message says what to do, as the type selects the rules."""
    TicTacToe()
    with pytest.raises(ValueError, match=r"a field of a name of its own.*start Python anew"):
        register_rules(make_tables(), RULES._replace(evaluate=RULES.apply))  # type: ignore[arg-type]


def test_names_stand_for_games_in_the_table(game: Game) -> None:
    """With an entry in the table the name does what the game does."""
    assert game == TicTacToe()
    assert BoardGameEnv("tic_tac_toe").game == SelfPlayVectorEnv("tic_tac_toe", 2).game == game
    with pytest.raises(TypeError, match="unknown option of tic_tac_toe 'size'"):
        make_game("tic_tac_toe", size=4)
