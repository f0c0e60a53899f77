"""Bad arguments raise errors that name them, and change nothing."""

from __future__ import annotations

import contextlib
import functools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mammalath_env.core.errors import IllegalMoveError, PositionError
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.games import GAMES, make_game
from tests.games.random_play import play_randomly, random_positions

NO_INTEGERS = [
    *(1.5, 3.0, np.float64(3), None, "3", "a1", "", b"3", [3], (3,), {}, 3 + 0j),
    *(np.array([3, 4]), np.array([3]), np.array(3.0), np.array([], np.int64)),
    *(True, False, np.True_, np.array(True)),
]
INTEGERS: list[Callable[[int], Any]] = [
    *(int, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64, np.intp),
    *(np.array, lambda number: np.array(number, np.int8)),
]


def _text_and_row(position: Position) -> tuple[str, bytes]:
    return position.to_text(), position.row.tobytes()


@pytest.mark.parametrize("action", NO_INTEGERS, ids=repr)
def test_action_that_is_no_integer(game: Game, action: Any) -> None:
    """A TypeError, in running and finished positions, and nothing has changed."""
    for position in random_positions(game, 3, seed=1):
        before = _text_and_row(position)
        methods: list[Callable[[Any], Any]] = [position.move_text]
        methods.append(functools.partial(game.format_move, position=position))
        if not isinstance(action, str):  # which these take as notation
            methods += [position.play, position.effect]
        for method in methods:
            with pytest.raises(TypeError, match="an action must be an integer, not"):
                method(action)
        assert _text_and_row(position) == before


def test_action_out_of_range(game: Game) -> None:
    """An IllegalMoveError with the range; negative ids do not count from the end."""
    number = game.num_actions
    for position in random_positions(game, 5, seed=2):
        before = _text_and_row(position)
        for action in (-1, -number, number, number + 1, 10**9, 2**64, -(2**70), np.int64(-1)):
            with pytest.raises(IllegalMoveError) as caught:
                position.play(action)
            # Readable after "the opponent of lane 3: ".
            assert str(caught.value) == (
                f"action {int(action)} is out of range for {game.player_names[position.to_move]}: "
                f"{game.title} has actions 0 to {number - 1}; position {position.to_text()!r}"
            )
            with pytest.raises(IllegalMoveError, match="is out of range"):
                game.format_move(action, position)
        assert _text_and_row(position) == before


@pytest.mark.parametrize("kind", INTEGERS)
def test_actions_of_all_integer_types(game: Game, kind: Callable[[int], Any]) -> None:
    """Every kind of integer is the action of that number."""
    position = game.deal(3)
    for action in position.legal_actions()[:4]:
        assert position.play(kind(action)) == position.play(action)
        assert game.format_move(kind(action), position) == game.format_move(action, position)


def test_illegal_move(game: Game) -> None:
    """The message names the move, the player and the position, or that the game is over."""
    refused = 0
    for position in random_positions(game, 20, seed=3):
        before = _text_and_row(position)
        for action in set(range(game.num_actions)) - set(position.legal_actions()):
            with pytest.raises(IllegalMoveError) as caught:
                position.play(action)
            message = str(caught.value)
            assert game.format_move(action, position) in message
            assert f"action {action}" in message
            assert repr(position.to_text()) in message
            if position.is_over:
                assert "no move after the end" in message
            else:
                assert game.player_names[position.to_move] in message
            refused += 1
        assert _text_and_row(position) == before
    assert refused > 20
    assert issubclass(IllegalMoveError, ValueError)


@pytest.mark.parametrize("player", [2, -1, 7, 2**70, np.int8(2)])
def test_players_other_than_0_and_1_are_refused(game: Game, player: Any) -> None:
    """Whoever observes, moves first or asks for the return is player 0 or 1."""
    start = game.deal(1)
    for method in (start.observation, start.return_so_far):
        with pytest.raises(ValueError, match=f"player must be 0 or 1, not {player}"):
            method(player)
    with pytest.raises(ValueError, match="first_player must be 0 or 1, not"):
        game.deal(1, first_player=player)


@pytest.mark.parametrize("player", ["0", 0.0, 0.5, [0], "black", True, np.False_])
def test_players_are_integers(game: Game, player: Any) -> None:
    """A bool is not an integer."""
    start = game.deal(1)
    for method in (start.observation, start.return_so_far):
        with pytest.raises(TypeError, match="player must be an integer, not"):
            method(player)
    with pytest.raises(TypeError, match="first_player must be an integer, not"):
        game.deal(1, first_player=player)


@pytest.mark.parametrize(
    ("seed", "kind", "message"),
    [(-5, ValueError, "at least 0, not -5"), (1.0, TypeError, "an integer"), (True, TypeError, "")],
)
def test_deals_refuse_bad_seeds(game: Game, seed: Any, kind: type[Exception], message: str) -> None:
    """A seed is an integer of at least 0; the tests of streams have all other values."""
    with pytest.raises(kind, match=f"a seed must be {message}"):
        game.deal(seed)


@pytest.mark.parametrize("player", [0, 1])
def test_integers_of_numpy_are_players(game: Game, player: int) -> None:
    """NumPy's integers are players, as they are actions and seeds."""
    for kind in (np.int8, np.uint64, np.array):
        start = game.deal(np.int64(1), first_player=kind(player))
        assert start == game.deal(1, first_player=player)
        assert start.return_so_far(kind(player)) == 0.0
        assert start.observation(kind(player)).tolist() == start.observation(player).tolist()


@pytest.mark.parametrize("text", [None, 7, b"c4", ["c4"]])
def test_text_of_a_wrong_type(game: Game, text: Any) -> None:
    """Positions and moves are read from strings."""
    with pytest.raises(TypeError, match="a position text must be a string, not"):
        game.from_text(text)
    with pytest.raises(TypeError, match="a move text must be a string, not"):
        game.parse_move(text, game.deal(1))


@pytest.mark.parametrize("around", ["{}\n", " {} ", "\t{}\r\n", "\n{}"])
def test_white_space_around_a_text(game: Game, around: str) -> None:
    """Texts are read as they come out of files and terminals; what is written has none."""
    position = game.deal(1)
    position = position.play(position.legal_actions()[0])
    text, move = position.to_text(), position.legal_moves()[0]
    assert game.from_text(around.format(text)) == position
    assert game.from_text(around.format(text)).to_text() == text
    assert position.play(around.format(move)) == position.play(move)
    assert position.effect(around.format(move)) == position.effect(move)
    env = BoardGameEnv(game)
    env.reset(options={"position": around.format(text)})
    assert env.position == position


@pytest.mark.parametrize("between", ["\t", "\n", "\r\n", "  ", " \t\n "])
def test_white_space_between_fields(game: Game, between: str) -> None:
    """Tables, mails and editors turn a space into tabs, ends of lines or more spaces."""
    position = game.deal(1)
    text = position.play(position.legal_actions()[0]).to_text()
    spaced = text.replace(" ", between)
    assert game.from_text(spaced).to_text() == text
    with pytest.raises(PositionError) as caught:
        game.from_text(f"{spaced}{between}0")
    assert repr(f"{spaced}{between}0") in str(caught.value)


@pytest.mark.parametrize("name", ["", "chess", "Mammalath", "mammalath ", None, 7])
def test_no_such_game(name: Any) -> None:
    """The message lists the games that there are."""
    with pytest.raises(ValueError, match=r"unknown game .* expected one of") as caught:
        make_game(name)
    assert repr(name) in str(caught.value)
    assert all(repr(known) in str(caught.value) for known in GAMES)


def test_no_such_option(game: Game) -> None:
    """The message lists the options that the game has."""
    with pytest.raises(TypeError, match=f"unknown option of {game.name} 'colour'") as caught:
        make_game(game.name, colour="red")
    assert all(repr(known) in str(caught.value) for known in game.options)


@pytest.mark.parametrize("value", [None, "yes", 2, [], {}, 0, 1, 1.0, np.True_], ids=repr)
@pytest.mark.parametrize("name", ["mammalath", "mammalath_plus"])
def test_no_such_option_value(name: str, value: Any) -> None:
    """A switch is True or False, also if a game with an equal value has been made before."""
    for switch in (True, False):
        make_game(name, swap_rule=switch)
    with pytest.raises(TypeError, match=r"swap_rule must be True or False|must be plain values"):
        make_game(name, swap_rule=value)


@pytest.mark.parametrize("name", GAMES)
@given(seed=st.integers(0, 2**64 - 1))
def test_what_a_game_reaches_is_a_position(name: str, seed: int) -> None:
    """Every position of a random game reads back from its text."""
    game = make_game(name)
    positions, _ = play_randomly(game.deal(seed), random.Random(seed))
    for position in positions:
        assert game.from_text(position.to_text()) == position


@pytest.mark.parametrize("name", GAMES)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_damaged_position_texts(name: str, data: st.DataObject, seed: int) -> None:
    """A text is read as exactly what it says or refused with a PositionError that quotes it."""
    game = make_game(name)
    (position,) = random_positions(game, 1, seed)
    text = position.to_text()
    letters = st.sampled_from(sorted({*text, *"0123456789 /-,xABbw\n\u0663"}))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        stop = min(len(text), start + data.draw(st.integers(0, 2)))
        text = text[:start] + "".join(data.draw(st.lists(letters, max_size=2))) + text[stop:]
    try:
        again = game.from_text(text)
    except PositionError:
        with pytest.raises(PositionError) as caught:
            game.from_text(text)
        assert repr(text) in str(caught.value)
        return
    assert again.to_text() == " ".join(text.split())
    assert again.is_over != bool(again.legal_actions())
    # What is accepted can be played to an end.
    play_randomly(again, random.Random(seed))


@pytest.mark.parametrize("name", GAMES)
@given(text=st.text(max_size=12))
def test_any_text_at_all(name: str, text: str) -> None:
    """Nothing but the documented errors comes out of the readers."""
    game = make_game(name)
    position = game.deal(1)
    with contextlib.suppress(PositionError):
        assert game.from_text(text).to_text() == text
    with contextlib.suppress(ValueError):
        assert 0 <= game.parse_move(text, position) < game.num_actions
