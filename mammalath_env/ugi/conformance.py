"""Checks of engines: whether they speak UGI and play by the rules."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable, Iterator, Sequence

from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.ugi.client import start_process
from mammalath_env.ugi.process import EngineDiedError, EngineError, EngineTimeoutError
from mammalath_env.ugi.protocol import first_mover, result

START_SECONDS = 60.0
"""Seconds in which an engine must be ready."""

ANSWER_SECONDS = 10.0
"""Seconds in which it must answer whatever has no time of its own."""

MARGIN_SECONDS = 0.5
"""Seconds by which it may be late with a move, by default; a contest may be stricter."""

QUIT_SECONDS = 0.5
"""Seconds, besides the margin, in which it must end after ``quit``."""

_DEALS = 2
_GO = "go movetime 20"
_ANSWERS = {"ugiok", "readyok", "bestmove", "response"}
_SILENCE = 0.2
# The last lines that an engine wrote to standard error.
_SHOWN_ERRORS = 15


@dataclasses.dataclass(frozen=True)
class CheckResult:
    """What came of a check.

    Attributes:
        check: What an engine should do.
        fault: What was sent, what was expected and what came instead; None if all is right.
    """

    check: str
    fault: str | None = None


class _FaultError(Exception):
    """The engine did something else than it should; the message says what."""


class _Conversation:
    """A running engine, and what was said last.

    Attributes:
        game: The game that is played.
        margin: Seconds by which the engine may be late.
        options: The names of the engine's options, of one word each.
    """

    def __init__(self, command: Sequence[str], game: Game, margin: float) -> None:
        """Start the engine."""
        self.game = game
        self.margin = margin
        self.options: set[str] = set()
        self._sent = ""
        self._process = start_process(command)

    def send(self, line: str) -> None:
        """Send a line."""
        self._sent = repr(line)
        try:
            self._process.send(line)
        except EngineError as error:
            raise self.fault("an engine that listens", str(error)) from None

    def read(self, word: str, seconds: float | None = None) -> str:
        """Return what follows `word` in the next answer, which must begin with it."""
        for line in self.lines(word, ANSWER_SECONDS if seconds is None else seconds):
            first, _, rest = line.partition(" ")
            if first == word:
                return rest.strip()
            if first in _ANSWERS:
                raise self.fault(word, repr(line))
        raise AssertionError("the lines end with an error")

    def lines(self, expected: str, seconds: float) -> Iterator[str]:
        """Yield lines until the time is over, which is a fault."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                yield self._process.read_line(deadline)
            except EngineTimeoutError:
                got = f"nothing within {seconds:g} s (does each line end, and is it flushed?)"
                raise self.fault(expected, got) from None
            except EngineError as error:
                written = [line for line in error.errors.splitlines() if line.strip()]
                got = "\n".join([str(error), *written[-_SHOWN_ERRORS:]])
                raise self.fault(expected, got) from None

    def ask(self, line: str, word: str) -> str:
        """Send a line, and return what follows `word` in its answer."""
        self.send(line)
        return self.read(word)

    def expect(self, line: str, word: str, answer: str) -> None:
        """Send a line that has just one right answer."""
        found = self.ask(line, word)
        if found != answer:
            raise self.fault(repr(f"{word} {answer}"), repr(f"{word} {found}"))

    def check_ready(self) -> None:
        """Check that the engine answers, whatever it has to say before.

        A fault names the command before, too, which may be the one that did the harm.
        """
        before = f"{self._sent} and " if self._sent else ""
        self.send("isready")
        self._sent = f"{before}'isready'"
        for line in self.lines("readyok", START_SECONDS):
            if line == "readyok":
                return

    def check_queries(self, position: Position) -> None:
        """Check all answers about the position that the engine has."""
        p1_turn = position.to_move == first_mover(position)
        if not position.is_over:
            self.expect("query p1turn", "response", str(p1_turn).lower())
        self.expect("query gameover", "response", str(position.is_over).lower())
        self.expect("query result", "response", result(position))

    def check_move(self, go: str, position: Position, seconds: float | None = None) -> str:
        """Ask for a move in the position that the engine has, and return it; it must be legal."""
        self.send(go)
        return self.legal_move(position, seconds)

    def legal_move(self, position: Position, seconds: float | None = None) -> str:
        """Return the move of the next ``bestmove``, which must be legal."""
        move = self.read("bestmove", seconds).partition(" ")[0]
        if move not in position.legal_moves():
            where = f"a legal move in {position.to_text()!r}"
            raise self.fault(where, repr(f"bestmove {move}".strip()))
        return move

    def check_silence(self) -> None:
        """Check that no answer comes for a moment."""
        deadline = time.monotonic() + _SILENCE
        try:
            while True:
                line = self._process.read_line(deadline)
                if line.partition(" ")[0] in _ANSWERS:
                    raise self.fault("no answer", repr(line))
        except EngineDiedError as error:
            raise self.fault("no answer", str(error)) from None
        except EngineError:
            return

    def check_end(self) -> None:
        """Check that the process ends."""
        seconds = QUIT_SECONDS + self.margin
        deadline = time.monotonic() + seconds
        try:
            while True:
                self._process.read_line(deadline)
        except EngineDiedError:
            return
        except EngineError:
            raise self.fault(f"the end of its process within {seconds:g} s", "nothing") from None

    def fault(self, expected: str, got: str) -> _FaultError:
        """Return the error that tells what was sent last, and what came of it."""
        return _FaultError(f"sent {self._sent}, expected {expected}, got {got}")

    def close(self) -> None:
        """Kill the engine."""
        self._process.close()


def _says_hello(engine: _Conversation) -> None:
    """Ugi is answered by id name, options and ugiok."""
    engine.send("ugi")
    has_name = False
    for line in engine.lines("ugiok", START_SECONDS):
        words = line.split()
        has_name = has_name or (words[:2] == ["id", "name"] and len(words) > 2)
        if words[:2] == ["option", "name"]:
            engine.options.update(words[2:3])
        if words == ["ugiok"]:
            break
    if not has_name:
        raise engine.fault("'id name NAME' before 'ugiok'", "none")


def _is_ready(engine: _Conversation) -> None:
    """Is ready: isready is answered by readyok."""
    engine.check_ready()


def _passes_over_words(engine: _Conversation) -> None:
    """What the engine does not know does no harm."""
    position = engine.game.deal(0)
    engine.send(f"position fen {position.to_text()}")
    for line in (
        "",
        "nonsense",
        "setoption name nonsense value 1",
        "position fen nonsense",
        "stop",
    ):
        engine.send(line)
        engine.check_ready()
    engine.check_queries(position)
    engine.check_move(_GO, position)


def _plays_games(engine: _Conversation) -> None:
    """Moves of whole games are legal, in both seats."""
    rng = random.Random(0)
    for game in range(2 * _DEALS):
        position, moves = engine.game.deal(game // 2), list[str]()
        start = position.to_text()
        engine.send("uginewgame")
        while not position.is_over:
            if position.ply % 2 == game % 2:
                # One game by moves, the other by positions.
                played = f"{start} moves {' '.join(moves)}" if moves else start
                engine.send(f"position fen {position.to_text() if game // 2 % 2 else played}")
                moves.append(engine.check_move(_GO, position))
            else:
                moves.append(rng.choice(position.legal_moves()))
            position = position.play(moves[-1])


def _answers_queries(engine: _Conversation) -> None:
    """Queries are answered by the rules, in all positions of random games."""
    rng = random.Random(0)
    for seed in range(_DEALS):
        position, moves = engine.game.deal(seed), list[str]()
        start = position.to_text()
        while True:
            engine.send(f"position fen {start} moves {' '.join(moves)}".removesuffix(" moves "))
            engine.check_queries(position)
            engine.send(f"position fen {position.to_text()}")
            engine.check_queries(position)
            if position.is_over:
                break
            moves.append(rng.choice(position.legal_moves()))
            position = position.play(moves[-1])


def _plays_from_startpos(engine: _Conversation) -> None:
    """A game from startpos comes to its end, turn by turn."""
    engine.send("uginewgame")
    moves: list[str] = []
    while len(moves) <= engine.game.max_plies:
        engine.send(f"position startpos moves {' '.join(moves)}".removesuffix(" moves "))
        if engine.ask("query gameover", "response") == "true":
            if engine.ask("query result", "response") not in ("p1win", "p2win", "draw"):
                raise engine.fault("the result of a finished game", "none")
            return
        engine.expect("query p1turn", "response", str(len(moves) % 2 == 0).lower())
        moves.append(engine.ask(_GO, "bestmove").partition(" ")[0])
    raise engine.fault(f"an end within {engine.game.max_plies} plies", "none")


def _keeps_to_movetime(engine: _Conversation) -> None:
    """Movetime is kept."""
    position = _new_game(engine)
    for milliseconds in (1, 100, 500):
        seconds = milliseconds / 1000 + engine.margin
        engine.check_move(f"go movetime {milliseconds}", position, seconds)


def _keeps_to_clock(engine: _Conversation) -> None:
    """The clock is that of the player to move; p1 moved first in the game."""
    position = _new_game(engine)
    for times in ("p1time 400 p2time 3600000", "p1time 3600000 p2time 400"):
        go = f"go {times} p1inc 0 p2inc 0"
        position = position.play(engine.check_move(go, position, 0.4 + engine.margin))
        engine.send(f"position fen {position.to_text()}")


def _knows_nodes_and_depth(engine: _Conversation) -> None:
    """Go nodes and go depth end."""
    position = _new_game(engine)
    for go in ("go nodes 1", "go nodes 100", "go depth 1"):
        engine.check_move(go, position)


def _stops(engine: _Conversation) -> None:
    """Go infinite lasts until stop, isready is answered meanwhile, and the next go works."""
    position = _new_game(engine)
    for _ in range(2):
        engine.send("go infinite")
        engine.check_silence()
        engine.ask("isready", "readyok")
        engine.check_move("stop", position)
        engine.check_silence()
        engine.check_move(_GO, position)


def _repeats_itself(engine: _Conversation) -> None:
    """With an option seed, the same seed plays the same moves after uginewgame."""
    games = []
    for _ in range(2 if "seed" in engine.options else 0):
        engine.send("setoption name seed value 5")
        position, moves = _new_game(engine), list[str]()
        while not position.is_over and len(moves) < 6:
            moves.append(engine.check_move("go depth 1 nodes 100", position))
            position = position.play(moves[-1])
            engine.send(f"position fen {position.to_text()}")
        games.append(moves)
    if games and games[0] != games[1]:
        raise engine.fault(f"the moves of the game before, {games[0]}", str(games[1]))


def _quits(engine: _Conversation) -> None:
    """Quit ends the process."""
    engine.send("quit")
    engine.check_end()


def _quits_while_thinking(engine: _Conversation) -> None:
    """Quit ends the process while it thinks."""
    _new_game(engine)
    engine.send("go infinite")
    engine.check_silence()
    engine.send("quit")
    engine.check_end()


def _new_game(engine: _Conversation) -> Position:
    """Begin a game, and return its position."""
    position = engine.game.deal(1)
    engine.send("uginewgame")
    engine.send(f"position fen {position.to_text()}")
    engine.check_ready()
    return position


CHECKS: dict[str, Callable[[_Conversation], None]] = {
    "ugi is answered by id name and ugiok": _says_hello,
    "isready is answered by readyok": _is_ready,
    "moves of whole games are legal": _plays_games,
    "queries are answered by the rules": _answers_queries,
    "a game from startpos comes to its end": _plays_from_startpos,
    "unknown commands, options and positions do no harm": _passes_over_words,
    "go movetime is kept to": _keeps_to_movetime,
    "go p1time p2time is kept to": _keeps_to_clock,
    "go nodes and go depth end": _knows_nodes_and_depth,
    "go infinite lasts until stop": _stops,
    "with an option seed, the same seed plays the same moves": _repeats_itself,
    "quit ends the process": _quits,
    "quit ends the process while it thinks": _quits_while_thinking,
}
"""What is checked, by what an engine should do, in this order."""


def check_engine(
    command: Sequence[str], game: Game, margin: float = MARGIN_SECONDS
) -> Iterator[CheckResult]:
    """Yield the result of each of `CHECKS`, as soon as it is known.

    The engine is started again after a fault; if it cannot say hello, no more is checked.

    Args:
        command: The engine: a program and its arguments.
        game: The game that it plays.
        margin: Seconds by which the engine may be late where it has a time to keep to.

    Raises:
        OSError: The engine cannot be started.
    """
    engine: _Conversation | None = None
    try:
        for name, check in CHECKS.items():
            fault = None
            try:
                if engine is None:
                    engine = _Conversation(command, game, margin)
                    if check is not _says_hello:
                        _says_hello(engine)
                        engine.check_ready()
                check(engine)
            except _FaultError as error:
                fault = str(error)
            yield CheckResult(name, fault)
            if fault and check is _says_hello:
                return
            if engine is not None and (fault or check is _quits):
                engine.close()
                engine = None
    finally:
        if engine is not None:
            engine.close()
