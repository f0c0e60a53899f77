"""Analysis for other programs: queries and answers as lines of JSON.

The protocol is that of KataGo's analysis engine, for the games and the texts of this package;
docs/analysis.md describes it.
"""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Annotated, Any

import msgspec

from mammalath_env.agents import AGENTS
from mammalath_env.agents.limits import Limits
from mammalath_env.arena.analysis import analyze_position, make_analyst
from mammalath_env.arena.decoding import DecodingError, decode
from mammalath_env.arena.faults import PackageFaultError, describe_error, is_machine_fault
from mammalath_env.arena.records import versions
from mammalath_env.arena.specs import AgentSpec, name_of
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.errors import GameOverError
from mammalath_env.core.position import Position
from mammalath_env.games import make_game

_FORMATS = (1,)

_Turn = Annotated[int, msgspec.Meta(ge=0)]
_Positive = Annotated[int, msgspec.Meta(ge=1)]


class _Head(msgspec.Struct):
    """What all queries have; other members are looked at later."""

    id: str
    action: str | None = None


class _Query(msgspec.Struct, forbid_unknown_fields=True):
    """A game, and the positions of it to analyze."""

    id: str
    position: str
    game: str = "mammalath"
    options: dict[str, str | int | float | bool | None] = {}
    moves: tuple[str, ...] = ()
    analyzeTurns: tuple[_Turn, ...] | None = None  # noqa: N815, names of the protocol
    multipv: _Positive | None = None
    agent: str | None = None
    seconds: float | None = None
    nodes: _Positive | None = None
    depth: _Positive | None = None


class _Action(msgspec.Struct, forbid_unknown_fields=True):
    """A request that is no query."""

    id: str
    action: str
    terminateId: str | None = None  # noqa: N815
    turnNumbers: tuple[_Turn, ...] | None = None  # noqa: N815


@dataclasses.dataclass(eq=False)
class _Task:
    """A position to analyze."""

    query: str
    turn: int
    position: Position
    agent: AgentSpec
    lines: int
    limits: Limits
    stop: threading.Event = dataclasses.field(default_factory=threading.Event)


class AnalysisEngine:
    """Answers queries in threads, in the order in which the analyses end.

    Every position of a query gets one answer; a query that cannot be understood gets an error.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        agent: AgentSpec,
        *,
        multipv: int = 1,
        jobs: int = 1,
        seed: int = 0,
    ) -> None:
        """Start without a query.

        Args:
            write: Called with each answer, a line of JSON without a line break, by one thread at a
                time.
            agent: What analyzes where a query names no agent.
            multipv: Most moves where a query does not say.
            jobs: Positions to analyze at a time, at least 1.
            seed: Seed of the agents.

        Raises:
            TypeError, ValueError: A number is impossible.
        """
        self._write = write
        self._agent = agent
        self._multipv = checked_integer("multipv", multipv, 1)
        self._seed = seed
        self._executor = ThreadPoolExecutor(checked_integer("jobs", jobs, 1))
        self._lock = threading.Lock()
        self._tasks: set[_Task] = set()
        self._fault: BaseException | None = None

    def handle(self, line: str) -> None:
        """Take a line, and answer at once what needs no analysis.

        Raises:
            Exception: A fault of the machine or of the package in an earlier analysis, or whatever
                `write` raised.
        """
        self._raise_fault()
        name = None
        try:
            head = decode(line, _Head, _FORMATS)
            name = head.id
            if head.action is None:
                tasks = self._read(decode(line, _Query, _FORMATS))
            else:
                self._act(decode(line, _Action, _FORMATS))
                tasks = []
        except (ValueError, TypeError, ImportError) as error:
            self._answer({**({} if name is None else {"id": name}), "error": str(error)})
            return
        for task in tasks:
            with self._lock:
                self._tasks.add(task)
            self._executor.submit(self._run, task).add_done_callback(self._keep_fault)

    def close(self) -> None:
        """Wait until all queries are answered.

        Raises:
            Exception: As for `handle`.
        """
        self._executor.shutdown()
        self._raise_fault()

    def cancel(self) -> None:
        """End all searches soon, without answers to what has not begun."""
        with self._lock:
            for task in self._tasks:
                task.stop.set()
        self._executor.shutdown(cancel_futures=True)

    def _read(self, query: _Query) -> list[_Task]:
        """Return the tasks of a query, checked."""
        game = make_game(query.game, **query.options)
        positions = [game.from_text(query.position)]
        for move in query.moves:
            positions.append(positions[-1].play(move))
        turns = (len(query.moves),) if query.analyzeTurns is None else query.analyzeTurns
        for turn in turns:
            if turn >= len(positions):
                raise ValueError(f"there is no turn {turn} after {len(query.moves)} moves")
            if positions[turn].is_over:
                raise GameOverError(f"the game is over at turn {turn}")
        agent = self._agent if query.agent is None else query.agent
        # Standard input may come from anyone, and must not decide which code runs here.
        if isinstance(agent, str) and agent.partition(":")[0] not in AGENTS:
            if agent != name_of(self._agent):
                raise ValueError(f"a query cannot name an agent of another module: {agent!r}")
            agent = self._agent
        make_analyst(agent, game, self._seed)
        lines = self._multipv if query.multipv is None else query.multipv
        limits = Limits(seconds=query.seconds, nodes=query.nodes, depth=query.depth)
        return [_Task(query.id, turn, positions[turn], agent, lines, limits) for turn in turns]

    def _act(self, request: _Action) -> None:
        members = msgspec.to_builtins(request)
        echo = {name: value for name, value in members.items() if value is not None}
        if request.action == "query_version":
            self._answer({**echo, "version": versions()["mammalath_env"]})
        elif request.action == "terminate" and request.terminateId is None:
            raise DecodingError("terminate needs the member 'terminateId'")
        elif request.action in ("terminate", "terminate_all"):
            with self._lock:
                for task in self._tasks:
                    if request.action == "terminate" and task.query != request.terminateId:
                        continue
                    if request.turnNumbers is None or task.turn in request.turnNumbers:
                        task.stop.set()
            self._answer(echo)
        else:
            raise DecodingError(
                "an action is one of query_version, terminate and terminate_all, "
                f"not {request.action!r}"
            )

    def _run(self, task: _Task) -> None:
        """Analyze a position and answer."""
        answer: dict[str, Any] = {"id": task.query, "turnNumber": task.turn}
        try:
            if task.stop.is_set():
                answer["noResults"] = True
            else:
                limits = dataclasses.replace(task.limits, stop=task.stop)
                found = analyze_position(
                    task.position, task.agent, multipv=task.lines, limits=limits, seed=self._seed
                )
                answer.update(found.to_data())
        except Exception as error:
            answer["error"] = describe_error(error)
            if is_machine_fault(error):
                raise
            if isinstance(task.agent, str):
                raise PackageFaultError(f"agent {task.agent!r} of the package failed") from error
        finally:
            with self._lock:
                self._tasks.discard(task)
            self._answer(answer)

    def _answer(self, answer: dict[str, Any]) -> None:
        with self._lock:
            self._write(json.dumps(answer))

    def _keep_fault(self, future: Future[None]) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            self._fault = self._fault or error

    def _raise_fault(self) -> None:
        if self._fault is not None:
            self.cancel()
            raise self._fault
