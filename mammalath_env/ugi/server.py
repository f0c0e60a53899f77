"""An agent of the package as an engine."""

from __future__ import annotations

import dataclasses
import queue
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from mammalath_env.agents import AGENTS, Agent, make_agent, option_value, parse_agent
from mammalath_env.agents.agent import act_within, as_action, require_plays
from mammalath_env.agents.analysis import Analyst
from mammalath_env.agents.limits import Limits
from mammalath_env.agents.loading import load_compiled_code
from mammalath_env.agents.registry import ENGINE, option_defaults
from mammalath_env.core.checks import checked_integer, unknown_choice
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.texts import printable
from mammalath_env.ugi.protocol import (
    NO_MOVE,
    first_mover,
    info_line,
    parse_go,
    parse_position,
    result,
)

MAX_SEED = 2**63 - 1
"""The largest value of the option ``seed``."""

_SEED = "seed"
_EMPTY = "<empty>"


@dataclasses.dataclass
class _Search:
    """A search that goes on, or whose answer waits for ``stop``.

    Attributes:
        limits: Of the move.
        answer: The lines to print, or the error that was raised; None while it goes on.
    """

    limits: Limits
    answer: list[str] | BaseException | None = None

    @property
    def stop(self) -> threading.Event:
        """Set to end it."""
        assert self.limits.stop is not None
        return self.limits.stop


class Server:
    """Answers the commands of UGI with the moves of an agent.

    All state belongs to the thread that calls `run`. One other thread waits for commands and one
    for the agent's move; both only put what they have into a queue.
    """

    def __init__(self, game: Game, name: str, write: Callable[[str], None]) -> None:
        """Make the agent.

        Args:
            game: The game that is played.
            name: Of the agent, as `make_agent` takes it.
            write: Sends a line, given without its end.

        Raises:
            ValueError: There is no such agent or option, or it cannot play the game.
            TypeError: An option has the wrong type.
            ImportError: The agent needs a library that is not installed.
            Exception: As the agent's class raises it.
        """
        self.game = game
        self.name = name
        self._plain, given = parse_agent(name)
        # A client does not decide which program runs here.
        self._defaults = {} if self._plain == ENGINE else option_defaults(self._plain) | given
        self._options = given
        self._given = given
        self._seed = 0
        self._agent = self._make(given, 0)
        self._position: Position | None = None
        self._search: _Search | None = None
        self._is_warm = False
        self._write = write
        self._events: queue.SimpleQueue[str | _Search | None] = queue.SimpleQueue()
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "ugi": self._ugi,
            "isready": self._isready,
            "setoption": self._setoption,
            "uginewgame": self._uginewgame,
            "position": self._set_position,
            "query": self._query,
            "go": self._go,
            "stop": self._stop,
        }

    def run(self, lines: Iterable[str]) -> None:
        """Obey commands until ``quit`` or the end of `lines`.

        Args:
            lines: What the client sends. They are read in a thread, which waits for the next one
                when this returns.

        Raises:
            BaseException: Whatever the agent raises.
        """
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        while (event := self._events.get()) is not None:
            if isinstance(event, _Search):
                self._answer()
                continue
            command, *words = event.split() or [""]
            if command == "quit":
                break
            self._obey(command, words)
        if self._search is not None:
            self._search.stop.set()

    def _read(self, lines: Iterable[str]) -> None:
        try:
            for line in lines:
                self._events.put(line)
        finally:
            self._events.put(None)

    def _obey(self, command: str, words: list[str]) -> None:
        """Carry out a command; what is wrong with it is said, and changes nothing."""
        obey = self._commands.get(command)
        if obey is None:
            if command:
                self._say(f"unknown command {command!r}")
        elif self._search is not None and command in _NOT_WHILE_THINKING:
            self._say(f"{command} is refused while a search goes on: wait for bestmove")
        else:
            try:
                obey(words)
            except (ValueError, TypeError) as error:
                self._say(str(error))

    def _send(self, line: str) -> None:
        self._write(printable(line))

    def _say(self, message: str) -> None:
        self._send("info string " + " ".join(message.split()))

    def _make(self, options: dict[str, Any], seed: int) -> Agent:
        """Return a new agent."""
        agent = make_agent(self._plain, seed, **options)
        require_plays(agent, self.game)
        return agent

    def _ugi(self, words: list[str]) -> None:
        author = "the mammalath_env developers" if self._plain in AGENTS else "unknown"
        self._send(f"id name {self.name}")
        self._send(f"id author {author}")
        self._send(f"option name {_SEED} type spin default 0 min 0 max {MAX_SEED}")
        for name, value in self._defaults.items():
            if isinstance(value, bool):
                kind, shown = "check", str(value).lower()
            else:
                # Of numbers only the agent knows the range, which a spin would have to tell.
                kind, shown = "string", _EMPTY if value is None else str(value)
            self._send(f"option name {name} type {kind} default {shown}")
        self._send("ugiok")

    def _isready(self, words: list[str]) -> None:
        if not self._is_warm and self._search is None:
            # The first moves of an agent load compiled code, which is no part of its time.
            self._is_warm = True
            agent = self._make(self._options, self._seed)
            if self._plain in AGENTS or hasattr(agent, "act_within"):
                load_compiled_code(agent, self.game)
        self._send("readyok")

    def _setoption(self, words: list[str]) -> None:
        if words[:1] != ["name"] or len(words) < 2:
            raise ValueError("expected 'setoption name NAME value VALUE'")
        end = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:end]), " ".join(words[end + 1 :])
        known = {each.casefold(): each for each in (*self._defaults, _SEED)}
        if name.casefold() not in known:
            raise ValueError(unknown_choice("option", name, known.values()))
        name = known[name.casefold()]
        options, seed = dict(self._options), self._seed
        if name == _SEED:
            seed = checked_integer(_SEED, option_value(value), 0, MAX_SEED)  # type: ignore[arg-type]
        elif value in ("", _EMPTY):
            options.pop(name, None)
            if name in self._given:
                options[name] = self._given[name]
        else:
            options[name] = option_value(value)
        try:
            agent = self._make(options, seed)
        except Exception as error:
            raise ValueError(f"{name} stays as it was: {error}") from error
        self._agent, self._options, self._seed = agent, options, seed

    def _uginewgame(self, words: list[str]) -> None:
        self._agent = self._make(self._options, self._seed)
        self._position = None

    def _current(self) -> Position:
        """Return the position; before the first one, that of ``position startpos``."""
        if self._position is None:
            self._position = self.game.deal(self._seed)
        return self._position

    def _set_position(self, words: list[str]) -> None:
        self._position = parse_position(words, self.game, self._seed)

    def _query(self, words: list[str]) -> None:
        position = self._current()
        answers = {
            "gameover": str(position.is_over).lower(),
            "p1turn": str(position.to_move == first_mover(position)).lower(),
            "result": result(position),
        }
        question = " ".join(words)
        if question not in answers:
            raise ValueError(unknown_choice("question", question, answers))
        self._send(f"response {answers[question]}")

    def _go(self, words: list[str]) -> None:
        position = self._current()
        limits, unknown = parse_go(words, position)
        if unknown:
            self._say(f"unknown after go: {' '.join(unknown)}")
        if position.is_over:
            self._say("the game is over")
            self._send(f"bestmove {NO_MOVE}")
            return
        search = _Search(dataclasses.replace(limits, stop=threading.Event()))
        self._search = search
        agent = self._agent

        def think() -> None:
            try:
                search.answer = self._think(agent, position, search.limits)
            except BaseException as error:  # it may be anyone's code
                search.answer = error
            self._events.put(search)

        threading.Thread(target=think, daemon=True).start()

    def _stop(self, words: list[str]) -> None:
        if self._search is not None:
            self._search.stop.set()
            self._answer()

    def _answer(self) -> None:
        """Send the answer of the search, unless it is not there yet or has to wait for stop."""
        search = self._search
        if search is None or search.answer is None:
            return
        if isinstance(search.answer, BaseException):
            raise search.answer
        if search.limits.is_infinite and not search.limits.is_stopped:
            return
        self._search = None
        for line in search.answer:
            self._send(line)

    def _think(self, agent: Agent, position: Position, limits: Limits) -> list[str]:
        """Return the lines that answer ``go``: perhaps an info, and bestmove."""
        lines = []
        start = time.perf_counter()
        # An analysis tells the best move, which is not played at a temperature.
        if isinstance(agent, Analyst) and not self._options.get("temperature"):
            analysis = agent.analyze(position, limits)
            seconds = time.perf_counter() - start
            best = analysis.lines[0]
            lines.append(info_line(best, position, analysis.depth, analysis.nodes, seconds))
            action = best.action
        else:
            action = as_action(act_within(agent, position, limits), position)
        position.play(action)
        return [*lines, f"bestmove {position.move_text(action)}"]


_NOT_WHILE_THINKING = {"setoption", "uginewgame", "position", "go"}
