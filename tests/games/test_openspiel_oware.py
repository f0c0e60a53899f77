"""Mancala with captures by chain against OpenSpiel's ``oware``, ply for ply.

What was found about that game (its ``oware.cc``, and by playing it), next to ours:

* Its player 0 owns houses `A` to `F`, player 1 `a` to `f`, both numbered in the direction of
  sowing, and its actions 0 to 5 are the mover's houses: our south, north and actions. Its player 0
  always begins, though, and ours may not; when north begins here, north is its player 0.
* Its observation tensor does not depend on the player asked for: twelve houses, player 0's
  first, then the two stores, all as fractions of 48 in single precision.
* Sowing, the skipped house of origin, captures by chain, the grand slam that captures nothing
  though the move stands, and the moves that feed an empty row are the same (R21 to R24). It looks
  for a grand slam differently, by the houses of the chain and those behind it, and this comes to
  the same because a house between the row's start and the last seed is never empty.
* If no move feeds an empty row it ends the game at once as well, and each player collects the own
  row, of which one is empty: the same as R24.
* It ends a game by majority or at 24 each as R25 does, but then collects both rows as well, where
  we leave the seeds on the board. Its stores can therefore be larger; the winner is the same.
* It has no count of plies without a capture. It ends a game when a position, the player to move
  included, comes up again after the last capture, and both collect their rows. We go on, and end
  by R26 what it may go on with: games are compared up to whichever end comes first.
* Its rewards are 1 and -1, or 0, with the last ply, which is our ``reward="outcome"``.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from mammalath_env.core.position import Position
from mammalath_env.games.mancala.game import MancalaGame
from mammalath_env.games.mancala.state import MancalaTermination
from mammalath_env.games.mancala.tables import seeds_to_add
from tests.games.random_play import Playthrough, random_games, until

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="open-spiel has no release for Python 3.10"
)

GAMES = 1200
# Few games get so far before a position comes up again, which ends them in OpenSpiel.
LONGEST_LIMIT = 127


@pytest.fixture(scope="module")
def oware() -> Any:
    """OpenSpiel's game."""
    return importlib.import_module("pyspiel").load_game("oware")


def _contents(at: Position, first: int) -> list[int]:
    """Return twelve holes and two stores, those of the player `first` before the other's."""
    contents: list[int] = at.observation(first)[:14].tolist()
    return contents


def _tensor(state: Any) -> list[int]:
    """Return the same of a state of OpenSpiel."""
    seeds = [48 * share for share in state.observation_tensor(0)]
    rounded = [round(number) for number in seeds]
    assert max(abs(a - b) for a, b in zip(seeds, rounded, strict=True)) < 1e-4
    assert state.observation_tensor(1) == state.observation_tensor(0)
    return rounded


def _collected(contents: list[int]) -> list[int]:
    """Return `contents` after both players took their rows."""
    stores = [contents[12] + sum(contents[:6]), contents[13] + sum(contents[6:12])]
    return [*[0] * 12, *stores]


def _events(before: list[int], action: int, after: list[int], legal: list[int]) -> list[str]:
    """Return what rare things a move did, from the mover's holes, the opponent's, and stores."""
    added, end = seeds_to_add(action, before[action])
    stored = after[12] - before[12]
    in_reach = end >= 6 and before[end] + added[end] in (2, 3)
    found = {
        "lap": before[action] >= 12,
        "chain": stored > 3,
        "grand slam": in_reach and stored == 0,
        "feeding": sum(before[6:12]) == 0 and len(legal) < sum(seeds > 0 for seeds in before[:6]),
    }
    return [name for name, happened in found.items() if happened]


def _follow(playthrough: Playthrough, state: Any, events: Counter[str]) -> str:
    """Play a game of ours in OpenSpiel, compare both after every ply, and return how it ended."""
    positions = playthrough.positions
    first = positions[0].to_move
    ours = _contents(positions[0], first)
    seen = set()
    for at, action, after in zip(positions, playthrough.actions, positions[1:], strict=False):
        player, legal = state.current_player(), at.legal_actions()
        assert player == (at.to_move + first) % 2
        assert ours == _tensor(state)
        assert legal == state.legal_actions()
        letter = at.move_text(action)
        assert state.action_to_string(player, action) == (letter.swapcase() if first else letter)
        seen.add((player, *ours))
        before, ours = ours, _contents(after, first)
        state.apply_action(action)
        if after.is_over:
            break
        events.update(_events(_seen_by(player, before), action, _seen_by(player, ours), legal))
        if state.is_terminal():
            assert (1 - player, *ours) in seen
            assert _tensor(state) == _collected(ours)
            return "repetition"
    end = positions[-1].outcome
    assert end is not None
    if end.termination is MancalaTermination.NO_CAPTURE_LIMIT:
        # It goes on, unless a position has come up again with this very ply.
        assert ours == _collected(_tensor(state))
        return end.termination.label
    assert state.is_terminal()
    assert state.legal_actions() == []
    majority = end.termination is MancalaTermination.MAJORITY
    assert _tensor(state) == (_collected(ours) if majority else ours)
    assert tuple(state.returns()) == (end.returns[::-1] if first else end.returns)
    return end.termination.label


def _seen_by(player: int, contents: list[int]) -> list[int]:
    """Return `contents` with the part of OpenSpiel's `player` first."""
    if player == 0:
        return contents
    return [*contents[6:12], *contents[:6], contents[13], contents[12]]


def test_mancala_agrees_with_openspiel(oware: Any, scale: Callable[[int], int]) -> None:
    """Legal actions, holes, stores, turns and outcomes agree throughout."""
    game = MancalaGame.mancala(capture="chain", no_capture_limit=LONGEST_LIMIT)
    ends: Counter[str] = Counter()
    events: Counter[str] = Counter()
    kinds = ("majority", "opponent cannot be fed", "repetition")
    rare = ("lap", "chain", "grand slam", "feeding")
    count = until(
        lambda: all(ends[kind] for kind in kinds) and all(events[name] for name in rare),
        scale(GAMES),
        GAMES,
    )
    for _, playthrough in zip(count, random_games(game, GAMES, seed=2019), strict=False):
        ends[_follow(playthrough, oware.new_initial_state(), events)] += 1
    assert min(ends[kind] for kind in kinds) >= 1
    assert min(events[name] for name in rare) >= 1
    if ends.total() == GAMES:
        # Most games end by the rules, few by a limit that OpenSpiel lacks.
        assert ends["majority"] >= 500
        assert ends["opponent cannot be fed"] >= 100
        assert min(ends["repetition"], *(events[name] for name in rare)) >= 50
        assert ends["no capture limit"] <= 50


def test_first_player_makes_no_other_difference(oware: Any) -> None:
    """The opening position is theirs, whoever begins here."""
    for player in (0, 1):
        start = MancalaGame.mancala(capture="chain").deal(0, first_player=player)
        assert _contents(start, player) == _tensor(oware.new_initial_state())
        assert start.legal_actions() == oware.new_initial_state().legal_actions()


def test_capture_of_the_last_hole_alone_is_another_game(oware: Any) -> None:
    """The comparison would notice a difference: the other capture rule does not pass it."""
    game = MancalaGame.mancala(capture="last", no_capture_limit=LONGEST_LIMIT)

    def follow_all() -> None:
        for playthrough in random_games(game, 50):
            _follow(playthrough, oware.new_initial_state(), Counter())

    with pytest.raises(AssertionError):
        follow_all()
