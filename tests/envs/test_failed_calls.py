"""Calls that fail leave environments with an opponent as they were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.games import GAMES, make_game
from tests.envs.test_opponent_vector import MODES
from tests.envs.test_opponent_vector import state as batch_state
from tests.envs.test_single_agent import state
from tests.games.random_play import random_games


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (-1, IllegalMoveError, "the opponent( of lane 3)?: action -1"),
        ("illegal", IllegalMoveError, "the opponent( of lane 3)?: illegal move"),
        (None, (TypeError, ValueError), "must"),
        (1.5, (TypeError, ValueError), "must"),
        (RuntimeError("out of ideas"), RuntimeError, "out of ideas"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_a_failing_opponent_leaves_the_game_as_it_was(
    game: Game, mode: AutoresetMode, answer: Any, kind: Any, message: str
) -> None:
    """The error says why, and environments continue from before the step or the reset."""
    fails = False

    def opponent(observation: Any, mask: NDArray[Any]) -> Any:
        # The last legal action, which ends no game early on.
        choice = mask.shape[-1] - 1 - mask[..., ::-1].argmax(axis=-1)
        if not fails:
            return choice
        if isinstance(answer, Exception):
            raise answer
        wrong = mask.argmin(axis=-1) if answer == "illegal" else answer
        if mask.ndim == 1 or wrong is None:
            return wrong
        # Only in the last of the lanes, after others have been found right.
        answers = choice.astype(type(answer) if isinstance(answer, float) else np.int64)
        answers[-1] = wrong[-1] if answer == "illegal" else answer
        return answers

    batch = OpponentVectorEnv(game, 4, opponent=opponent, seat="second", autoreset_mode=mode)
    single = SingleAgentEnv(game, opponent=opponent, seat="second", render_mode="ansi")
    batch.reset(seed=1)
    single.reset(seed=1)
    last = np.array([game.num_actions - 1])
    for _ in range(2):
        batch.step(last - batch.action_masks()[:, ::-1].argmax(axis=1))
        single.step(last[0] - single.action_masks()[::-1].argmax())
    actions = last - batch.action_masks()[:, ::-1].argmax(axis=1)
    action = last[0] - single.action_masks()[::-1].argmax()
    before, position, picture = batch_state(batch), single.position, single.render()
    masks, generator = single.action_masks(), single.np_random.bit_generator.state
    fails = True
    # In Mancala, every first move is legal.
    resets = (batch.reset, lambda: batch.reset(seed=5)) if answer != "illegal" else ()
    for call in (lambda: batch.step(actions), *resets):
        with pytest.raises(kind, match=message):
            call()
        assert batch_state(batch) == before
    with pytest.raises(kind, match=message):
        single.step(action)
    assert (single.position, single.render()) == (position, picture)
    assert np.array_equal(single.action_masks(), masks)
    assert single.np_random.bit_generator.state == generator
    fails = False
    assert (batch.step(actions)[4]["ply"] == position.ply + 2).all()
    assert single.step(action)[4]["ply"] == position.ply + 2
    fails = True
    untouched, picture = state(single), single.render()
    for seed in (None, 5) if answer != "illegal" else ():
        with pytest.raises(kind, match=message):
            single.reset(seed=seed)
        assert (state(single), single.render()) == (untouched, picture)


def test_bad_arguments_of_reset_change_nothing(game: Game) -> None:
    """Impossible options and seeds are refused before anything changes."""
    env = SingleAgentEnv(game)
    env.reset(seed=1)
    before = state(env)
    end = next(random_games(game, 1)).positions[-1]
    stranger = make_game(next(iter(set(GAMES) - {game.name}))).deal(0)
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"first_player": 2}, ValueError, "first_player"),
        ({"position": 7}, TypeError, "must be a Position or its text"),
        ({"position": "nonsense"}, ValueError, "'nonsense' is not a position of"),
        ({"position": stranger}, ValueError, "expected a position of"),
    ]
    for options, kind, message in cases:
        with pytest.raises(kind, match=message):
            env.reset(seed=3, options=options)
        assert state(env) == before
    seeds: list[tuple[Any, type[Exception]]] = [
        (-1, ValueError),
        (1.5, TypeError),
        ("1", TypeError),
    ]
    for wrong, kind in seeds:
        with pytest.raises(kind, match="seed"):
            env.reset(seed=wrong)
        assert state(env) == before
    for seed in (None, 3):
        with pytest.raises(ValueError, match="the game is over before the learner moves"):
            env.reset(seed=seed, options={"position": end.to_text()})
        assert state(env) == before
    env.reset(seed=np.int64(4))
    other = SingleAgentEnv(game)
    other.reset(seed=4)
    assert state(env) == state(other)


@pytest.mark.parametrize("seed", [None, 9])
def test_a_reset_that_fails_changes_no_named_opponent(game: Game, seed: int | None) -> None:
    """The opponent is not replaced, and its draws continue where they were.

    It has drawn for the first lane when the second one turns out to be over.
    """
    end = next(random_games(game, 1)).positions[-1]
    played = []
    for fail in (False, True):
        env = OpponentVectorEnv(game, 2, opponent="mcts:simulations=20", seat="second")
        env.reset(seed=3)
        if fail:
            with pytest.raises(ValueError, match="the game is over before the learner moves"):
                env.reset(seed=seed, options={"positions": [game.deal(0), end]})
        for _ in range(3):
            env.step(env.action_masks().argmax(axis=1))
        played.append(batch_state(env))
    assert played[0] == played[1]


def test_a_first_reset_that_fails_starts_no_game(game: Game) -> None:
    """The environment asks for a reset as if none had been tried."""
    end = next(random_games(game, 1)).positions[-1]
    env = OpponentVectorEnv(game, 2)
    with pytest.raises(ValueError, match="the game is over before the learner moves"):
        env.reset(seed=9, options={"positions": [end] * 2})
    for call in (env.positions, env.action_masks, lambda: env.step([0, 0])):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            call()


@pytest.mark.parametrize("opponent", ["random", "greedy", "mcts:simulations=20"])
@pytest.mark.parametrize("kind", [SingleAgentEnv, OpponentVectorEnv])
def test_a_reset_in_which_the_opponent_ends_the_game(kind: Any, opponent: str) -> None:
    """It fails, and later games are those that would have been played without it."""
    game = make_game("mancala", no_capture_limit=9)
    position = game.deal(0)
    while position.ply < 8:
        moves = map(position.play, position.legal_actions())
        position = next(after for after in moves if " 0-0 " in after.to_text())
    assert all(position.play(action).is_over for action in position.legal_actions())
    runs = []
    for fails in (False, True):
        env = kind(game, opponent=opponent, seat="second")
        _, info = env.reset(seed=3)
        run: list[Any] = []
        for _ in range(12):
            if fails:
                # Whatever the opponent plays, the game has lasted too long without a capture.
                with pytest.raises(ValueError, match="the game is over before the learner moves"):
                    env.reset(options={"position": position})
            for _ in range(2):
                mask = np.atleast_2d(info["action_mask"])
                actions = mask.argmax(axis=1)
                _, _, _, _, info = env.step(actions if kind is OpponentVectorEnv else actions[0])
                run.append(info)
            _, info = env.reset()
            run.append(info)
        runs.append(run)
    assert data_equivalence(runs[0], runs[1])


def test_an_illegal_action_is_drawn(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    """Mode ``"human"`` prints after every step, the one that ends the game by a fault too."""
    env = SingleAgentEnv(game, render_mode="human", seat="first")
    env.reset(seed=1)
    shown = capsys.readouterr().out
    env.step(-1)
    assert capsys.readouterr().out == shown != ""
