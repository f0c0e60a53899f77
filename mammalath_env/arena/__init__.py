"""Agents against each other: matches, tournaments, tests, ratings, records and statistics.

Importing this loads nothing heavy. Parallel games need joblib, ratings and intervals statsmodels
and pictures matplotlib, which ``pip install ".[arena]"`` in a checkout installs; they are loaded
when they are used.
"""

from __future__ import annotations

from mammalath_env.arena.analysis import (
    GameAnalysis,
    PlayedMove,
    PositionAnalysis,
    RatedMove,
    analyze_game,
    analyze_position,
)
from mammalath_env.arena.faults import PackageFaultError
from mammalath_env.arena.match import play_match
from mammalath_env.arena.parallel import WorkerDiedError
from mammalath_env.arena.play import play_game
from mammalath_env.arena.plot import draw_ladder
from mammalath_env.arena.ratings import Rating, rate
from mammalath_env.arena.record_files import read_record, read_records, write_record
from mammalath_env.arena.records import GameRecord, MatchPlace, RecordError, record_schema
from mammalath_env.arena.results import MatchResult, SeatResult
from mammalath_env.arena.sequential import SPRTResult, run_sprt
from mammalath_env.arena.specs import AgentSpec
from mammalath_env.arena.sprt import SequentialTest
from mammalath_env.arena.statistics import (
    GameStatistics,
    Share,
    summarize,
    summarize_by_players,
)
from mammalath_env.arena.time_control import TimeControl
from mammalath_env.arena.tournament import Tournament, gauntlet, round_robin

__all__ = [
    "AgentSpec",
    "GameAnalysis",
    "GameRecord",
    "GameStatistics",
    "MatchPlace",
    "MatchResult",
    "PackageFaultError",
    "PlayedMove",
    "PositionAnalysis",
    "RatedMove",
    "Rating",
    "RecordError",
    "SPRTResult",
    "SeatResult",
    "SequentialTest",
    "Share",
    "TimeControl",
    "Tournament",
    "WorkerDiedError",
    "analyze_game",
    "analyze_position",
    "draw_ladder",
    "gauntlet",
    "play_game",
    "play_match",
    "rate",
    "read_record",
    "read_records",
    "record_schema",
    "round_robin",
    "run_sprt",
    "summarize",
    "summarize_by_players",
    "write_record",
]


def __dir__() -> list[str]:
    return __all__
