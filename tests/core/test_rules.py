"""Rules dispatch by the tables of a game."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from mammalath_env.core import disk_cache, rules
from mammalath_env.core.bits import Words
from mammalath_env.core.jit import JIT_ENABLED, kernel
from mammalath_env.core.rules import Tables, pack_tables, register_rules
from mammalath_env.games import make_game


@kernel
def _always(tables: Tables, row: Words) -> bool:
    return True


def test_each_game_has_its_own_rules() -> None:
    """The same function runs what belongs to the tables it is given."""
    for name in ("mammalath", "mancala"):
        game = make_game(name)
        legal = game.new_legal()
        rules.write_legal(game.tables, game.deal(seed=1).row, legal)
        actions = [k for k in range(game.num_actions) if int(legal[k // 64]) >> k % 64 & 1]
        assert actions == game.deal(seed=1).legal_actions()


def test_tables_keep_their_rules() -> None:
    """Others could have been compiled already, so they are refused."""
    game = make_game("mancala")
    register_rules(game.tables, game.rules)
    with pytest.raises(ValueError, match="other rules are registered"):
        register_rules(game.tables, game.rules._replace(can_win=_always))


def test_rules_from_outside_the_package_are_not_stored() -> None:
    """No digest covers their sources: code compiled for them could become stale."""
    ours, theirs = (pack_tables({name: np.uint64(1)}) for name in ("ours", "theirs"))
    game = make_game("mancala")
    register_rules(ours, game.rules)
    register_rules(theirs, game.rules._replace(can_win=_always))
    assert rules.can_win(theirs, np.zeros(1, np.uint64))
    stored = [disk_cache.is_stored((numba.typeof(tables),)) for tables in (ours, theirs)]
    assert stored == [True, not JIT_ENABLED]
