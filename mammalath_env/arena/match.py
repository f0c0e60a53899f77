"""Matches: two agents play each deal twice, with seats swapped; a record file to resume from."""

from __future__ import annotations

import contextlib
import itertools
import os
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypedDict

from mammalath_env.arena.faults import show_forfeit
from mammalath_env.arena.parallel import (
    DEFAULT_BACKEND,
    WorkerDiedError,
    check_sendable,
    checked_jobs,
    run_all,
)
from mammalath_env.arena.plan import MatchPlan
from mammalath_env.arena.record_files import (
    locked,
    open_to_append,
    read_records,
    reserved,
    write_record,
)
from mammalath_env.arena.records import RECORD_STARTS, GameRecord, RecordError
from mammalath_env.arena.results import GameScore, MatchResult, result_of, score_of
from mammalath_env.arena.specs import AgentSpec, check_contestants
from mammalath_env.arena.time_control import UNTIMED, TimeControl
from mammalath_env.core.game import Game
from mammalath_env.games import checked_game

if TYPE_CHECKING:
    from typing_extensions import Unpack


class RunOptions(TypedDict, total=False):
    """How games are run and recorded, as keyword arguments; see `play_match`."""

    jobs: int
    backend: str
    record_path: str | os.PathLike[str] | None
    resume: bool
    progress: bool
    on_record: Callable[[GameRecord], None] | None


_Key = tuple[Game, tuple[str, str], int]


def play_match(
    game: str | Game,
    first: AgentSpec,
    second: AgentSpec,
    num_deals: int,
    *,
    seed: int,
    time_control: TimeControl = UNTIMED,
    **options: Unpack[RunOptions],
) -> MatchResult:
    """Play every deal twice, with seats swapped, so that each of two agents moves first once.

    The games and the result depend on `game`, the agents, `num_deals` and `seed`, provided that the
    agents depend on their seed alone; `jobs`, `backend` and interruptions change nothing but the
    times in records. Agents are built once at the start, where errors are raised, and again for
    every game, where an agent that cannot be built forfeits the game, as one does that fails at a
    move (see `play_game`). The first forfeit of each agent is shown, with its traceback: the logger
    ``mammalath_env`` prints it to standard error.

    An agent that is named ``module:class`` has a process of its own, which is kept from game to
    game: a crash or a hang costs it the game, and the next game begins with a new process. So it is
    with a factory that has a true attribute ``in_own_process``. Other agents run in the process
    that plays the game.

    Args:
        game: What to play, a game or the name of one.
        first: The first agent, as whatever `make_agent` takes: a text, a callable from a seed to
            an agent, or a function of a position to an action; `FunctionAgent` gives such a
            function another name.
        second: The second agent, likewise; it may be the same, but no other one of that name.
        num_deals: Deals, at least 1; there are twice as many games.
        seed: From 0 to 2**64 - 1.
        time_control: The time that the agents have; with it, results depend on the machine.
        jobs: Games at a time, by default 1; -1 for as many as there are cores.
        backend: ``"loky"`` (processes, the default), ``"threading"``, ``"ray"`` (a cluster), or
            another backend of joblib that yields results as they come.
        record_path: A file to which every game is appended as soon as it is finished. No other
            contest can be recorded there meanwhile, which a file next to it sees to (see
            `record_files.reserved`).
        resume: Continue the match in the file: its games are not played again, and a last line that
            is cut off is removed. By default, the file must be empty or not exist.
        progress: Show a progress bar on standard error.
        on_record: Called with every game when it is finished, or found in the file.

    Raises:
        ImportError: joblib, Ray or a library of an agent is needed and not installed.
        BlockingIOError: Another contest is being recorded in the file; the message names its
            process.
        FileExistsError: The file is not empty, and `resume` is not set.
        RecordError: The file holds anything but games of this match.
        TypeError: A value has the wrong type.
        ValueError: There is no such agent or backend, an agent cannot play the game, or a number is
            out of range.
        PackageFaultError: An agent of the package failed, which is a bug.
        MemoryError, OSError: The machine failed: it is out of memory, or a disk is full or broken.
            The finished games are in the file.
        WorkerDiedError: A worker process ended, by an agent that ends its process, a crash, or for
            lack of memory. The finished games are in the file.
        Exception: An agent cannot be built at the start.
    """
    plan = MatchPlan(checked_game(game, {}), (first, second), num_deals, seed, time_control)
    check_contestants(plan.specs, plan.game)
    return run_plans([plan], **options)[0]


def run_plans(
    plans: Sequence[MatchPlan],
    *,
    jobs: int = 1,
    backend: str = DEFAULT_BACKEND,
    record_path: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool = False,
    on_record: Callable[[GameRecord], None] | None = None,
) -> list[MatchResult]:
    """Play matches, the games of all of them in parallel, and return the results in order.

    See `play_match` for the arguments and errors; the file holds the games of all matches.
    """
    jobs = checked_jobs(jobs, backend)
    by_key: dict[_Key, MatchPlan] = {(plan.game, plan.agents, plan.seed): plan for plan in plans}
    if len(by_key) < len(plans):
        raise ValueError("the same two agents meet in two matches of the same seed")
    scores: dict[_Key, dict[int, GameScore]] = {key: {} for key in by_key}
    shown: set[str] = set()

    def count(record: GameRecord) -> None:
        assert record.match is not None
        key = record.game, record.match.agents, record.match.seed
        scores[key][record.match.index] = score_of(record)
        if on_record is not None:
            on_record(record)

    pairs = (zip(plan.agents, plan.specs, strict=True) for plan in plans)
    for name, spec in dict(itertools.chain.from_iterable(pairs)).items():
        check_sendable(f"agent {name!r}", spec, jobs, backend)
    with contextlib.ExitStack() as stack:
        file: IO[str] | None = None
        if record_path is not None:
            stack.enter_context(reserved(record_path))
            for record in _recorded_games(Path(record_path), by_key, resume):
                count(record)
            file = stack.enter_context(open_to_append(record_path))
        to_play = [
            (plan, index)
            for key, plan in by_key.items()
            for index in range(plan.num_games)
            if index not in scores[key]
        ]
        total = sum(plan.num_games for plan in plans)
        advance = stack.enter_context(_progress(total, total - len(to_play), progress))
        finished = stack.enter_context(
            contextlib.closing(
                run_all(_play_one, to_play, jobs=jobs, backend=backend, one_by_one=file is not None)
            )
        )
        try:
            for record in finished:
                if file is not None:
                    write_record(file, record)
                show_forfeit(record, shown)
                count(record)
                advance()
        except WorkerDiedError as error:
            unfinished = [
                (plan, index)
                for plan, index in error.arguments
                if index not in scores[plan.game, plan.agents, plan.seed]
            ]
            raise WorkerDiedError(f"{error}{_describe_games(unfinished)}") from error.__cause__
    return [result_of(plan, scores[key]) for key, plan in by_key.items()]


def _describe_games(games: Sequence[tuple[MatchPlan, int]]) -> str:
    """Return the end of a sentence: which games were being played."""
    if not games:
        return ""
    listed = [
        f"game {index} of {plan.agents[0]!r} against {plan.agents[1]!r}" for plan, index in games
    ]
    return f"; being played or next: {', '.join(listed)}"


def _play_one(task: tuple[MatchPlan, int]) -> GameRecord:
    plan, index = task
    return plan.play(index)


def _recorded_games(path: Path, by_key: dict[_Key, MatchPlan], resume: bool) -> list[GameRecord]:
    """Return the games of the plans in a file; remove a last line that is cut off."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: choose a file for the games")
    if not path.exists() or path.stat().st_size == 0:
        return []
    if not resume:
        with path.open("rb") as file:
            begin = file.read(len(BOM_UTF8) + max(map(len, RECORD_STARTS))).removeprefix(BOM_UTF8)
        if not any(start.startswith(begin[: len(start)]) for start in RECORD_STARTS):
            raise FileExistsError(f"{path} is not a file of records: choose another file")
        raise FileExistsError(
            f"{path} holds games already: choose another file, or go on with resume=True"
        )
    found = {}
    records = read_records(path, whole_lines_only=True)
    for line, record in enumerate(records, 1):
        place = record.match
        if place is None:
            raise RecordError("the game belongs to no match", line)
        key = record.game, place.agents, place.seed
        plan = by_key.get(key)
        if plan is None:
            raise RecordError(
                f"the game belongs to another match: {record.game.title}, {place.agents[0]!r} "
                f"against {place.agents[1]!r}, seed {place.seed}; the one to resume has other "
                f"agents, another game, other options or another seed ({path})",
                line,
            )
        if (key, place.index) in found:
            raise RecordError(f"game {place.index} of the match is there twice", line)
        if record.time_control != plan.time_control.text:
            raise RecordError(
                f"the game was played with the time {record.time_control or 'not limited'}, not "
                f"{plan.time_control.text or 'not limited'}",
                line,
            )
        if not plan.matches(record):
            raise RecordError(f"this is not game {place.index} of the match", line)
        found[key, place.index] = record
    _remove_cut_line(path, len(records) + 1)
    # A longer match of the same seed has the same games and more.
    return [record for (key, index), record in found.items() if index < by_key[key].num_games]


def _remove_cut_line(path: Path, line: int) -> None:
    """Remove what follows the last line break of a file, if it is the start of a record."""
    with path.open("r+b") as file, locked(file):
        content = file.read()
        end = content.rfind(b"\n") + 1
        cut = content[end:] if end else content.removeprefix(BOM_UTF8)
        if not any(cut.startswith(start[: len(cut)]) for start in RECORD_STARTS):
            raise RecordError("this is not a record", line)
        if end < len(content):
            file.truncate(end)


@contextlib.contextmanager
def _progress(total: int, done: int, shown: bool) -> Iterator[Callable[[], None]]:
    """Show a progress bar if asked to, and yield a function that counts a finished game."""
    if not shown:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:3], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("games", total=total, completed=done)
        yield lambda: bar.advance(task)
