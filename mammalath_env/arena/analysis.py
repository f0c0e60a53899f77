"""Analysis of positions and games: the best moves, and what each move played has lost."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

from mammalath_env.agents import TextAgent, require_plays
from mammalath_env.agents.agent import require_running
from mammalath_env.agents.analysis import Analyst, Line
from mammalath_env.agents.limits import NO_LIMITS, Limits
from mammalath_env.agents.solver import Verdict, solve
from mammalath_env.arena.records import GameRecord
from mammalath_env.arena.specs import AgentSpec, build_agent, name_of
from mammalath_env.arena.win_probability import win_probability
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.game import Game
from mammalath_env.core.outcome import Outcome
from mammalath_env.core.position import Position
from mammalath_env.core.status import DRAW

BLUNDER = 0.2
"""A move that loses at least this win probability is a blunder."""

# A line with fewer of the visits of the best one is too uncertain to judge a move by.
_LEAST_SHARE_OF_VISITS = 0.1

# Where only one of the best move and the one played is proven, alpha-beta search looks for a proof
# of the other in as many positions: an estimate may be near a win where there is none.
_PROOF_NODES = 100_000
_PROOF_TABLE_BITS = 16

_WORTH = {Verdict.WIN: 1.0, Verdict.DRAW: 0.5, Verdict.LOSS: 0.0}

_OF_OTHER_PLAYER = {
    Verdict.WIN: Verdict.LOSS,
    Verdict.DRAW: Verdict.DRAW,
    Verdict.LOSS: Verdict.WIN,
}

_Analyze: TypeAlias = "Callable[[Position, int], PositionAnalysis]"


@dataclasses.dataclass(frozen=True)
class RatedMove:
    """A move, its value, and how the game may go on after it.

    Attributes:
        actions: The actions of the variation, the move first.
        moves: The same in notation.
        value: Win probability of the player who makes the move, from 0 to 1. A draw counts as
            half. With a proof it is 1, 0.5 or 0.
        visits: Simulations that went through the move, or None if the agent does not count them.
        verdict: What is proven for the player who makes the move, or None.
        plies: Plies to the end by the proof, the move included, or None.
    """

    actions: tuple[int, ...]
    moves: tuple[str, ...]
    value: float
    visits: int | None = None
    verdict: Verdict | None = None
    plies: int | None = None

    @property
    def action(self) -> int:
        """The move."""
        return self.actions[0]

    @property
    def move(self) -> str:
        """The move in notation."""
        return self.moves[0]

    @property
    def proof(self) -> str:
        """What is proven, such as ``win in 5`` plies; empty if nothing is."""
        if self.verdict is None:
            return ""
        return self.verdict.value + ("" if self.plies is None else f" in {self.plies}")

    def to_data(self) -> dict[str, Any]:
        """Return the move for JSON, as docs/records.md describes it."""
        return {
            "move": self.move,
            "value": round(self.value, 4),
            "visits": self.visits,
            "verdict": None if self.verdict is None else self.verdict.value,
            "plies": self.plies,
            "variation": list(self.moves),
        }


@dataclasses.dataclass(frozen=True)
class PositionAnalysis:
    """The best moves of a running position.

    Attributes:
        position: The position.
        lines: The best moves, best first; at least one.
        nodes: Simulations or positions of the search.
        depth: Plies that were searched in full, or the length of the longest variation.
    """

    position: Position
    lines: tuple[RatedMove, ...]
    nodes: int
    depth: int

    @property
    def best(self) -> RatedMove:
        """The best move."""
        return self.lines[0]

    def to_data(self) -> dict[str, Any]:
        """Return the analysis for JSON, as docs/records.md describes it."""
        return {
            "position": self.position.to_text(),
            "to_move": self.position.to_move,
            "value": round(self.best.value, 4),
            "nodes": self.nodes,
            "depth": self.depth,
            "lines": [line.to_data() for line in self.lines],
        }


@dataclasses.dataclass(frozen=True)
class PlayedMove:
    """A move of a game, and what it has lost.

    Attributes:
        analysis: The analysis of the position that it was played in.
        played: The move that was played.
        value_lost: Win probability that it lost, from 0 to 1; 0 for the best move and for one that
            is no worse.
    """

    analysis: PositionAnalysis
    played: RatedMove
    value_lost: float

    @property
    def better(self) -> RatedMove | None:
        """The best move, if the one played has lost anything in whole per cent."""
        return self.analysis.best if round(self.value_lost, 2) > 0 else None

    @property
    def is_blunder(self) -> bool:
        """Whether it lost at least `BLUNDER`.

        A move from a proven win or draw that is proven to lead to less always does.
        """
        return self.value_lost >= BLUNDER

    @property
    def missed_win(self) -> bool:
        """Whether it is a blunder in a position with a proven win."""
        return self.is_blunder and self.analysis.best.verdict is Verdict.WIN

    @property
    def allowed_win(self) -> bool:
        """Whether it leads to a proven win of the opponent, and the best move does not."""
        best = self.analysis.best.verdict
        return self.value_lost > 0 and self.played.verdict is Verdict.LOSS is not best

    @property
    def remarks(self) -> tuple[str, ...]:
        """Wins that were missed or allowed, such as ``missed win in 3`` plies."""
        missed = f"missed {self.analysis.best.proof}" if self.missed_win else ""
        allowed = f"allowed {self.played.proof.replace('loss', 'win')}" if self.allowed_win else ""
        return tuple(filter(None, (missed, allowed)))

    def to_data(self) -> dict[str, Any]:
        """Return the move for JSON, as docs/records.md describes it."""
        return {
            **self.analysis.to_data(),
            "played": self.played.to_data(),
            "value_lost": round(self.value_lost, 4),
            "blunder": self.is_blunder,
            "missed_win": self.missed_win,
            "allowed_win": self.allowed_win,
        }


@dataclasses.dataclass(frozen=True)
class GameAnalysis:
    """The moves of a game, analyzed.

    Attributes:
        record: The game, whose evaluations are those of the analysis: for each move, twice the win
            probability of player 0 with the best move, less 1.
        agent: The name of the agent that analyzed it.
        moves: The moves in the order of the game.
    """

    record: GameRecord
    agent: str
    moves: tuple[PlayedMove, ...]

    def to_data(self) -> dict[str, Any]:
        """Return the analysis for JSON, as docs/records.md describes it."""
        return {
            "game": self.record.game.name,
            "options": self.record.game.options,
            "agent": self.agent,
            "players": list(self.record.players),
            "winner": self.record.winner,
            "reason": self.record.reason,
            "moves": [move.to_data() for move in self.moves],
        }

    def moves_of(self, player: int) -> tuple[PlayedMove, ...]:
        """Return the moves of player 0 or 1."""
        return tuple(move for move in self.moves if move.analysis.position.to_move == player)


def analyze_position(
    position: Position,
    agent: AgentSpec | TextAgent,
    *,
    multipv: int = 1,
    limits: Limits | None = None,
    seed: int = 0,
) -> PositionAnalysis:
    """Return the best moves of a running position.

    Args:
        position: The position.
        agent: What analyzes it: an agent with a method ``analyze`` (see
            `mammalath_env.agents.analysis.Analyst`), or whatever makes one.
        multipv: Most moves to return, at least 1.
        limits: What the search may take besides the agent's own limits.
        seed: Seed of the agent, unless it is made already.

    Raises:
        GameOverError: The game is over.
        TypeError: The agent does not analyze, or an argument has the wrong type.
        ValueError: There is no such agent, it does not play the game, or `multipv` is below 1.
        Exception: Whatever the agent raises.
    """
    require_running(position)
    lines = checked_integer("multipv", multipv, 1)
    analyst = make_analyst(agent, position.game, seed)
    found = analyst.analyze(position, NO_LIMITS if limits is None else limits, lines=lines)
    if not found.lines:
        raise ValueError(f"agent {analyst.name!r} found no move in {position.to_text()!r}")
    return PositionAnalysis(
        position,
        tuple(_rated(line, position, analyst.name) for line in found.lines),
        found.nodes,
        found.depth,
    )


def make_analyst(agent: AgentSpec | TextAgent, game: Game, seed: int = 0) -> Analyst:
    """Return the agent, checked to analyze positions of a game.

    Raises:
        TypeError: It has no method ``analyze``, or `agent` describes no agent.
        ValueError: There is no such agent, or it does not play the game.
        Exception: Whatever the constructor of the agent raises.
    """
    built, _ = build_agent(agent, seed)
    if not isinstance(built, Analyst):
        raise TypeError(
            f"agent {name_of(agent)!r} does not analyze positions: it has no method 'analyze', as "
            "mcts, alphabeta, neural and greedy have"
        )
    require_plays(built, game)
    return built


def analyze_game(
    record: GameRecord,
    agent: AgentSpec | TextAgent,
    *,
    multipv: int = 1,
    limits: Limits | None = None,
    seed: int = 0,
    jobs: int = 1,
    on_move: Callable[[PlayedMove], None] | None = None,
) -> GameAnalysis:
    """Analyze every move of a game.

    A move is judged by the search of the position in which it was played, if that has looked at it
    enough. Otherwise the positions after it and after the best move are searched, each as long as
    the one before, and the move has lost what both comparisons agree on. Where only one of the
    two is proven, alpha-beta search looks for a proof of the other.

    Args:
        record: The game.
        agent: As for `analyze_position`. Each search has a new agent with the same seed, so that
            its result does not depend on the others, unless `agent` is an agent already.
        multipv: Most moves for each position, at least 1.
        limits: What each search may take besides the agent's own limits.
        seed: Seed of the agents.
        jobs: Moves to analyze at a time, in threads; 1 if `agent` is an agent already.
        on_move: Called with each move, in the order of the game, as soon as it is analyzed.

    Raises:
        RecordError: The game cannot be replayed.
        TypeError, ValueError, Exception: As for `analyze_position`.
    """
    jobs = checked_integer("jobs", jobs, 1)
    played = [(position, action) for position, action in record.replay() if action is not None]

    def analyze(position: Position, lines: int) -> PositionAnalysis:
        return analyze_position(position, agent, multipv=lines, limits=limits, seed=seed)

    judge = functools.partial(_judge, analyze, checked_integer("multipv", multipv, 1))
    moves = []
    for move in _in_threads(judge, played, jobs):
        moves.append(move)
        if on_move is not None:
            on_move(move)
    evaluations = tuple(map(_evaluation, moves))
    graded = dataclasses.replace(record, evaluations=evaluations)
    return GameAnalysis(graded, name_of(agent), tuple(moves))


def _in_threads(
    judge: Callable[[Position, int], PlayedMove], played: list[tuple[Position, int]], jobs: int
) -> Iterator[PlayedMove]:
    """Yield what `judge` returns, in order; after an error nothing more is begun."""
    if jobs == 1:
        yield from (judge(position, action) for position, action in played)
        return
    executor = ThreadPoolExecutor(jobs)
    try:
        yield from executor.map(lambda each: judge(*each), played)
    finally:
        executor.shutdown(cancel_futures=True)


def _judge(analyze: _Analyze, multipv: int, position: Position, action: int) -> PlayedMove:
    analysis = analyze(position, multipv)
    best, played = analysis.best, _line_of(action, analysis)
    value = best.value
    if played is None or not _is_searched(played, best):
        played = _rated_after(analyze, position, action)
        if best.verdict is None:
            value = min(value, _rated_after(analyze, position, best.action).value)
    if played.verdict is None and best.verdict in (Verdict.WIN, Verdict.DRAW):
        played = _with_proof(played, position)
    elif best.verdict is None and played.verdict in (Verdict.LOSS, Verdict.DRAW):
        best = _with_proof(best, position)
        analysis = dataclasses.replace(analysis, lines=(best, *analysis.lines[1:]))
        value = value if best.verdict is None else best.value
    return PlayedMove(analysis, played, max(value - played.value, 0.0))


def _line_of(action: int, analysis: PositionAnalysis) -> RatedMove | None:
    """Return the line of a move or, with the move in its place, that of one that does the same.

    Of moves that are the same by a symmetry, an analysis has one alone, too.
    """
    position = analysis.position
    after, move = position.play(action), position.move_text(action)
    canonical = position.game.canonical_position
    for line in analysis.lines:
        other = position.play(line.action)
        if other == after:
            actions, moves = (action, *line.actions[1:]), (move, *line.moves[1:])
            return dataclasses.replace(line, actions=actions, moves=moves)
        if canonical(other) == canonical(after):
            return dataclasses.replace(line, actions=(action,), moves=(move,))
    return None


def _is_searched(line: RatedMove, best: RatedMove) -> bool:
    """Return whether a line has visits enough, or a proof."""
    if line.verdict is not None or line.visits is None or best.visits is None:
        return True
    return line.visits >= _LEAST_SHARE_OF_VISITS * best.visits


def _rated_after(analyze: _Analyze, position: Position, action: int) -> RatedMove:
    """Return a move with its value by an analysis of the position after it."""
    after = position.play(action)
    move = position.move_text(action)
    if after.outcome is not None:
        verdict = _verdict_of(after.outcome, position.to_move)
        return RatedMove((action,), (move,), _WORTH[verdict], None, verdict, 1)
    reply = analyze(after, 1).best
    return RatedMove(
        (action, *reply.actions),
        (move, *reply.moves),
        1 - reply.value,
        verdict=None if reply.verdict is None else _OF_OTHER_PLAYER[reply.verdict],
        plies=None if reply.plies is None else reply.plies + 1,
    )


def _with_proof(move: RatedMove, position: Position) -> RatedMove:
    """Return a move with what can be proven of it in `_PROOF_NODES`."""
    solution = solve(position.play(move.action), nodes=_PROOF_NODES, table_bits=_PROOF_TABLE_BITS)
    verdict = _OF_OTHER_PLAYER.get(solution.verdict)
    if verdict is None:
        return move
    actions = (move.action, *solution.line)
    plies = None if solution.plies is None else solution.plies + 1
    moves = tuple(position.line_moves(actions))
    return RatedMove(actions, moves, _WORTH[verdict], move.visits, verdict, plies)


def _verdict_of(outcome: Outcome, player: int) -> Verdict:
    if outcome.winner is None:
        return Verdict.DRAW
    return Verdict.WIN if outcome.winner == player else Verdict.LOSS


def _rated(line: Line, position: Position, agent: str) -> RatedMove:
    """Return an agent's line with its value as a win probability."""
    verdict = None
    value = win_probability(line.value, agent, position.game.name) if line.winner is None else 0.0
    if line.winner is not None:
        won = Verdict.WIN if line.winner == position.to_move else Verdict.LOSS
        verdict = Verdict.DRAW if line.winner == DRAW else won
        value = _WORTH[verdict]
    actions = tuple(map(int, line.variation))
    return RatedMove(
        actions, tuple(position.line_moves(actions)), value, line.visits, verdict, line.plies
    )


def _evaluation(move: PlayedMove) -> float:
    """Return the value of the position before a move for player 0, from -1 to 1."""
    value = round(2 * move.analysis.best.value - 1, 3)
    return (value if move.analysis.position.to_move == 0 else -value) + 0.0
