"""Effects of moves against the positions before and after them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable

import pytest

from mammalath_env.core.position import Position
from mammalath_env.games.mammalath.effect import MammalathEffect
from mammalath_env.games.mammalath.game import MammalathGame
from mammalath_env.games.mancala.effect import Hole, MancalaEffect
from mammalath_env.games.mancala.game import MancalaGame
from tests.games.boards import BOTH, LATE, NAMES, PLUS, SMALL, position, spaces_of
from tests.games.random_play import random_games, until
from tests.games.test_rules_mancala import BOTH_CAPTURES


def _pieces(at: Position, field: int) -> dict[int, str]:
    """Return the letter on each space of the animals (field 0) or the tokens (field 1)."""
    letters = "".join(
        "." * int(letter) if letter.isdigit() else letter
        for letter in at.to_text().split(" ")[field].replace("/", "")
    )
    return {space: letter for space, letter in enumerate(letters) if letter != "."}


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_effects_of_mammalath_account_for_every_change(
    game: MammalathGame, scale: Callable[[int], int]
) -> None:
    """An effect holds every difference between the positions before and after a move."""
    kinds: Counter[str] = Counter()
    names = ("place", "type", "pattern", "swap", "lost", "won")
    numbers = until(lambda: all(kinds[name] for name in names), scale(100), 100)
    for _, (positions, actions) in zip(numbers, random_games(game, 100, seed=31), strict=False):
        for before, action, after in zip(positions, actions, positions[1:], strict=False):
            effect: MammalathEffect = before.effect(action)
            letters = game.config.letters
            released = {space: letters[kind] for space, kind in effect.released}
            assert list(released) == sorted(released)
            assert _pieces(before, 0) == _pieces(after, 0) | released
            own, other = ("bw", "wb")[before.to_move]
            tokens, had = _pieces(after, 1), _pieces(before, 1)
            placed = {} if effect.placed is None else {effect.placed: own}
            swapped = {} if effect.swapped is None else {effect.swapped: own}
            assert tokens == had | placed | swapped
            assert had == {s: k for s, k in tokens.items() if s not in placed} | dict.fromkeys(
                swapped, other
            )
            lines = [
                pattern
                for pattern in game.patterns
                if all(tokens.get(space) == own for space in pattern)
            ]
            assert effect.line == tuple(sorted({space for line in lines for space in line}))
            assert effect.animal_on_line == any(s in _pieces(after, 0) for s in effect.line)
            assert sum((bool(released), bool(placed), bool(swapped))) == 1
            kinds[game.codec.decode(action)[0]] += 1
            kinds["lost" if effect.animal_on_line else "won" if effect.line else ""] += 1
    assert all(kinds[name] for name in names)


@pytest.mark.parametrize(
    ("game", "black", "last", "animals", "line"),
    [
        (SMALL, "a1 b1 c2 c3", "c1", "f6", "a1 b1 c1 c2 c3"),
        (SMALL, "a1 b1 c2 c3", "c1", "c3", "a1 b1 c1 c2 c3"),
        (PLUS, "a1 a2 b1", "b2", "a1", "a1 b1 a2 b2"),
        (SMALL, "a1 b1", "d1", "a1", ""),
    ],
)
def test_an_effect_holds_all_finished_lines(
    game: MammalathGame, black: str, last: str, animals: str, line: str
) -> None:
    """All lines through the token count, with or without an animal (R9, R10, R15)."""
    at = position(game, animals, black, "", "b", LATE[game] + len(black.split()) // 4 * 2)
    (space,) = spaces_of(game, last)
    assert at.effect(last) == MammalathEffect(
        placed=space,
        line=tuple(spaces_of(game, line)),
        animal_on_line=bool(line) and animals in line,
    )


def _held(at: Position) -> tuple[dict[Hole, int], list[int]]:
    holes, stores = at.to_text().split(" ")[:2]
    seeds = {
        (player, hole): int(count)
        for player, row in enumerate(holes.split("/"))
        for hole, count in enumerate(row.split(","))
    }
    return seeds, [int(store) for store in stores.split("-")]


@BOTH_CAPTURES
def test_effects_of_mancala_account_for_every_seed(
    capture: str, scale: Callable[[int], int]
) -> None:
    """Seeds that were sown, captured and taken add up to the position after the move."""
    game = MancalaGame.mancala(capture=capture, no_capture_limit=30)
    seen: Counter[str] = Counter()
    names = {"captured", "starving", "taken", "lap"} | ({"chain"} & {capture})
    numbers = until(lambda: all(seen[name] for name in names), scale(200), 200)
    for _, (positions, actions) in zip(numbers, random_games(game, 200, seed=32), strict=False):
        for before, action, after in zip(positions, actions, positions[1:], strict=False):
            effect: MancalaEffect = before.effect(action)
            mover = before.to_move
            held, stores = _held(before)
            assert effect.hole == (mover, action)
            assert effect.seeds == held[effect.hole] == sum(count for _, count in effect.sown)
            held[effect.hole] = 0
            for hole, count in effect.sown:
                held[hole] += count
            for gone in (effect.captured, effect.taken):
                for hole, count in gone:
                    assert held[hole] == count > 0
                    held[hole] = 0
                    stores[mover if gone is effect.captured else hole[0]] += count
            assert (held, stores) == _held(after)
            assert list(effect.stored) == [
                now - then for now, then in zip(stores, _held(before)[1], strict=True)
            ]
            assert all(hole[0] != mover and 2 <= count <= 3 for hole, count in effect.captured)
            assert bool(effect.captured) == (" 0 " in after.to_text())
            assert not (effect.captured and effect.starving)
            assert not effect.taken or after.is_over
            for name in ("captured", "starving", "taken"):
                seen[name] += bool(getattr(effect, name))
            seen["chain"] += len(effect.captured) > 1
            seen["lap"] += effect.seeds > 11
    assert all(seen[name] for name in names)
    assert bool(seen["chain"]) == (capture == "chain")


def test_order_of_sowing_and_capturing() -> None:
    """Seeds go on from the hole, round the board without it; captures go back (R21, R22)."""
    game = MancalaGame.mancala(capture="chain")
    effect = game.from_text("0,0,0,13,1,1/4,4,4,4,4,0 6-7 s 3 80").effect("D")
    order = [(0, 4), (0, 5), *((1, hole) for hole in range(6)), (0, 0), (0, 1), (0, 2)]
    assert effect.sown == tuple((hole, 2 if k < 2 else 1) for k, hole in enumerate(order))
    effect = game.from_text("0,0,0,0,0,3/1,1,2,8,0,1 16-16 s 3 80").effect("F")
    assert effect.captured == (((1, 2), 3), ((1, 1), 2), ((1, 0), 2))
    assert effect.stored == (7, 0)


def test_starving_and_taking() -> None:
    """A capture that R23 forbids, and seeds that their owner takes (R24)."""
    game = MancalaGame.mancala()
    effect = game.from_text("0,0,0,0,1,1/1,0,0,0,0,0 23-22 s 9 80").effect("F")
    assert effect.starving
    assert effect.captured == effect.taken == ()
    effect = game.from_text("0,0,0,0,0,1/0,1,0,0,0,0 23-23 s 3 80").effect("F")
    assert effect.taken == (((1, 0), 1), ((1, 1), 1))
    assert effect.stored == (0, 2)
    assert not effect.starving


@pytest.mark.parametrize("game", [SMALL, MancalaGame.mancala()], ids=lambda game: game.name)
def test_effects_are_values(game: MammalathGame | MancalaGame) -> None:
    """They are frozen, hashable and compare by content."""
    start = game.deal(1)
    effect = start.effect(0)
    assert effect == start.effect(start.move_text(0))
    assert hash(effect) == hash(start.effect(0))
    assert effect != start.effect(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(effect, dataclasses.fields(effect)[0].name, None)
