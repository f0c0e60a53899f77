"""A game that people play at one terminal, against an agent or each other."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from mammalath_env.cli.agents import build_agent

if TYPE_CHECKING:
    from mammalath_env.arena.analysis import PositionAnalysis
    from mammalath_env.arena.faults import Fault
    from mammalath_env.arena.records import GameRecord
    from mammalath_env.core.position import Position

PERSON = "person"
"""The name of a person in records."""

DEFAULT_ANALYST = "mcts:simulations=2000"
"""The agent that analyzes where none is named."""

_HINT_NODES = 200_000
_ANALYZED_MOVES = 5


class Session:
    """A game in progress, or just ended.

    Attributes:
        game: The game.
        names: Who plays player 0 and player 1: `PERSON`, or the name of an agent.
        seeds: Seeds of the agents, None for a person.
        deal_seed: Seed of the deal; None if the start position was given.
        people: The players that are people.
        positions: The positions so far, the start first.
        actions: What was played in them.
        resigned: The player who resigned, or None.
        fault: What an agent did instead of a move, or None.
        saved_to: The files that the game was saved to.
    """

    def __init__(
        self,
        start: Position,
        names: tuple[str, str],
        seeds: tuple[int | None, int | None],
        deal_seed: int | None,
        actions: Iterable[int] = (),
    ) -> None:
        """Build the agents, and play `actions`.

        Raises:
            typer.BadParameter: An agent cannot be built, or does not play the game.
        """
        self.game = start.game
        self.names = names
        self.seeds = seeds
        self.deal_seed = deal_seed
        self.people = [player for player in (0, 1) if names[player] == PERSON]
        self.agents = {
            player: build_agent(names[player], seeds[player], start.game)
            for player in (0, 1)
            if player not in self.people
        }
        self.positions = [start]
        self.actions: list[int] = []
        self.resigned: int | None = None
        self.fault: Fault | None = None
        self.saved_to: list[Path] = []
        self._lines: dict[Path, bytes] = {}
        for action in actions:
            self.play(action)

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    @property
    def is_over(self) -> bool:
        """Whether the game ended, somebody resigned or an agent failed."""
        return self.position.is_over or self.resigned is not None or self.fault is not None

    @property
    def person_to_move(self) -> bool:
        """Whether it is a person's turn."""
        return self.position.to_move in self.people

    def play(self, action: int) -> None:
        """Play an action."""
        self.positions.append(self.position.play(action))
        self.actions.append(action)

    def let_agent_play(self) -> None:
        """Play the agent's choice; it loses if that is not a legal action."""
        from mammalath_env.arena.faults import Fault, ask, show_fault

        answer = ask(self.agents[self.position.to_move], self.position)
        if isinstance(answer, Fault):
            self.fault = answer
            show_fault(self.names[self.position.to_move], answer)
        else:
            self.play(answer)

    def undo(self) -> bool:
        """Take back the resignation, or a person's last move and the reply.

        Returns:
            Whether there was anything to take back.
        """
        if self.resigned is not None:
            self.resigned = None
            return True
        for count in range(1, len(self.actions) + 1):
            if self.positions[-1 - count].to_move in self.people:
                del self.positions[-count:]
                del self.actions[-count:]
                self.fault = None
                return True
        return False

    def record(self) -> GameRecord:
        """Return the game so far."""
        from mammalath_env.arena.records import RESIGNED, UNFINISHED, GameRecord
        from mammalath_env.core.position import Position

        outcome = self.position.outcome
        winner, reason, offender, detail, trace = None, UNFINISHED, None, None, None
        if outcome is not None:
            winner, reason = outcome.winner, outcome.termination.label
        elif self.resigned is not None:
            winner, reason, offender = 1 - self.resigned, RESIGNED, self.resigned
        elif self.fault is not None:
            reason, detail, trace = self.fault
            offender = self.position.to_move
            winner = 1 - offender
        return GameRecord(
            game=self.game,
            start=self.positions[0].to_text(),
            moves=tuple(map(Position.move_text, self.positions, self.actions)),
            players=self.names,
            winner=winner,
            reason=reason,
            offender=offender,
            detail=detail,
            traceback=trace,
            agent_seeds=self.seeds,
            deal_seed=self.deal_seed,
        )

    def save(self, path: Path) -> None:
        """Write the game so far to a file of records, where it has one line.

        Saving it again replaces that line.

        Raises:
            OSError: The file cannot be written.
            ValueError: It cannot be a file of records.
        """
        from mammalath_env.arena.record_files import write_record
        from mammalath_env.cli.saved_games import check_can_append, replace_line

        record, key = self.record(), path.resolve()
        line = record.to_json().encode() + b"\n"
        check_can_append(path)
        if key not in self._lines or not replace_line(path, self._lines[key], line):
            write_record(path, record)
        self._lines[key] = line
        if path not in self.saved_to:
            self.saved_to.append(path)

    def hint(self) -> str:
        """Return the move that alpha-beta search prefers, and why."""
        from mammalath_env.agents import AlphaBetaAgent
        from mammalath_env.agents.values import estimate

        position = self.position
        found = AlphaBetaAgent(0, nodes=_HINT_NODES).search(position)
        mover, other = (self.game.player_names[k] for k in (position.to_move, 1 - position.to_move))
        move, plies = position.move_text(found.action), found.plies_to_end
        yours = "your moves" if len(self.people) == 1 else f"{mover}'s moves"
        if plies is None and found.is_exact:
            return f"{move}: a draw if both play well"
        if plies is None:
            value = _worth(estimate(float(found.value)), mover, other)
            return (
                f"{move}: {value}; alpha-beta search looked {_moves(found.depth)} ahead, "
                "counting those of both"
            )
        if plies == 1:
            return f"{move} wins at once"
        if plies > 0:
            return f"{move} wins in {(plies + 1) // 2} of {yours}, whatever {other} does"
        return (
            f"{move}: every move loses if {other} plays well, "
            f"this one in {(1 - plies) // 2} of {yours}"
        )

    def analyze(self) -> PositionAnalysis:
        """Return the best moves of the position."""
        from mammalath_env.arena.analysis import analyze_position

        return analyze_position(self.position, DEFAULT_ANALYST, multipv=_ANALYZED_MOVES)

    @classmethod
    def resumed(cls, record: GameRecord, path: Path, line: bytes) -> Session:
        """Return the game of a record, to be played on and saved in place of its line in a file.

        Raises:
            typer.BadParameter: As for `Session`.
        """
        start = record.game.from_text(record.start)
        session = cls(start, record.players, record.agent_seeds, record.deal_seed, record.actions())
        session._lines[path.resolve()] = line
        return session


def _worth(value: float, mover: str, other: str) -> str:
    """Return what an estimate from -1 to 1 says, in words."""
    if abs(value) < 0.1:
        return "about even"
    much = (
        "a little better" if abs(value) < 0.3 else "better" if abs(value) < 0.7 else "much better"
    )
    return f"{much} for {mover if value > 0 else other}"


def _moves(number: int) -> str:
    return f"{number} {'move' if number == 1 else 'moves'}"
