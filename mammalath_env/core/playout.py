"""Random playouts as a kernel."""

from __future__ import annotations

from mammalath_env.core import rules, status
from mammalath_env.core.bits import Words, nth_set, num_set
from mammalath_env.core.jit import kernel
from mammalath_env.core.rules import Tables
from mammalath_env.core.stream import next_below


@kernel
def play_out(tables: Tables, row: Words, legal: Words, stream: Words) -> None:
    """Play random legal actions in place until the game ends."""
    while not status.is_over(row):
        rules.write_legal(tables, row, legal)
        rules.apply(tables, row, nth_set(legal, next_below(stream, num_set(legal))))
