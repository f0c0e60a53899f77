"""Positions: moves in notation, returns, and that they cannot be changed."""

from __future__ import annotations

import copy
import io
import pickle
import sys
from collections.abc import Callable

import numba
import numpy as np
import pytest

from mammalath_env.core import perft, stream, transition
from mammalath_env.core.errors import IllegalMoveError, InvalidMoveError
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.rendering import render_ansi
from tests.games.random_play import random_positions


def _reached(game: Game) -> list[Position]:
    """Return positions from all places that make some."""
    start = game.deal(1)
    after = start.play(start.legal_actions()[0])
    return [start, after, game.from_text(after.to_text()), pickle.loads(pickle.dumps(after))]


def test_moves_in_notation(game: Game, scale: Callable[[int], int]) -> None:
    """Texts and action ids are two names of the same moves."""
    for position in random_positions(game, scale(30), seed=4):
        actions, moves = position.legal_actions(), position.legal_moves()
        assert moves == [position.move_text(action) for action in actions]
        assert [game.parse_move(move, position) for move in moves] == actions
        for action, move in zip(actions, moves, strict=True):
            assert position.play(move) == position.play(action)
            assert position.effect(move) == position.effect(action)


def test_a_text_that_is_no_move(game: Game) -> None:
    """A text without meaning is an invalid move, one against the rules an illegal one."""
    position = game.deal(3, first_player=0)
    for method in (position.play, position.effect):
        with pytest.raises(InvalidMoveError, match="'zz' is not a move of") as caught:
            method("zz")
        # How the text was read is no help.
        assert caught.value.__context__ is None or caught.value.__suppress_context__
    illegal = "A" if game.name == "mancala" else "xA"
    if game.name == "mancala":
        position = position.play("A").play("a")
    for method in (position.play, position.effect):
        with pytest.raises(IllegalMoveError, match=f"illegal move {illegal} "):
            method(illegal)


def test_printed_a_position_is_a_picture(game: Game) -> None:
    """Below it stands the text to read it from; `repr` is the call that makes the position."""
    position = game.deal(1)
    picture, _, text = str(position).rpartition("\n")
    assert picture == render_ansi(position, color=False)
    assert text == position.to_text()
    assert repr(position) == f"{game!r}.from_text({text!r})"


def test_printed_in_ascii_where_there_is_no_more(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Printing ends in no error, whatever standard output is; programs may have none."""
    position = game.deal(1)
    for encoding in ("ascii", "cp1252"):
        output = io.BytesIO()
        stream = io.TextIOWrapper(output, encoding=encoding, newline="\n")
        monkeypatch.setattr(sys, "stdout", stream)
        print(position)
        stream.flush()
        picture = render_ansi(position, color=False, ascii_only=True)
        assert output.getvalue().decode("ascii") == f"{picture}\n{position.to_text()}\n"
    monkeypatch.setattr(sys, "stdout", None)
    assert str(position).startswith(render_ansi(position, color=False))


def test_moves_of_a_line(game: Game) -> None:
    """Each in the notation of the position that it is played in, whose side it may name."""
    start = game.deal(1)
    moves, actions = [], []
    position = start
    for _ in range(6):
        action = position.legal_actions()[-1]
        moves.append(position.move_text(action))
        actions.append(action)
        position = position.play(action)
    assert start.line_moves(actions) == moves
    assert start.line_moves([]) == []
    with pytest.raises(IllegalMoveError):
        start.line_moves([*actions, game.num_actions])


def test_nobody_can_change_a_position(game: Game) -> None:
    """The words of a position are read-only, wherever it comes from; its `row` is a copy."""
    for position in _reached(game):
        before = position.to_text(), hash(position)
        with pytest.raises(ValueError, match="read-only"):
            position._row[:] = 0
        position.row[:] = 0
        assert (position.to_text(), hash(position)) == before
        for again in (copy.copy(position), copy.deepcopy(position)):
            assert again is position


def test_kernels_are_compiled_for_writable_arrays_alone(game: Game) -> None:
    """Numba gives read-only arrays another type, for which it would compile everything again."""
    for position in _reached(game):
        position.action_mask()
        position.observation(0)
        position.play(position.legal_actions()[0])
        assert perft.perft(position, 1) > 0
    kernels = [
        *(transition.play, transition.write_legal, transition.observe, transition.deal),
        *(perft.count_sequences, stream.seed_words),
    ]
    for kernel in kernels:
        # Plain functions, without compilation, have no signatures.
        for signature in getattr(kernel, "signatures", []):
            arrays = [each for each in signature if isinstance(each, numba.types.Array)]
            assert all(array.mutable for array in arrays), signature


def test_returns_sum_to_zero(game: Game, scale: Callable[[int], int]) -> None:
    """While a game runs and at its end, where they are those of the outcome."""
    for position in random_positions(game, scale(30), seed=6):
        returns = position.return_so_far(0), position.return_so_far(np.int64(1))
        assert sum(returns) == 0
        if position.outcome is not None:
            assert position.outcome.returns == returns
