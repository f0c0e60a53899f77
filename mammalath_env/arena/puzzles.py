"""Puzzles: positions with one good action, and how many of them an agent finds.

Four kinds, all seen from the player to move:

- win in 1, 2 or 3: exactly one action wins in that many moves of the player, whatever the
  opponent does, and no action wins sooner;
- only move: exactly one action neither loses at once nor lets the opponent win at once.

The puzzles of the package were made by `make_puzzles`.
"""

from __future__ import annotations

import dataclasses
import enum
import json
from collections.abc import Iterable, Iterator
from importlib import resources

import numpy as np

from mammalath_env.agents.agent import TextAgent
from mammalath_env.agents.alphabeta import AlphaBetaAgent
from mammalath_env.arena.faults import Fault, ask
from mammalath_env.core.checks import unknown_choice
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.games import make_game

_FOLDER = resources.files("mammalath_env.arena") / "data"


class PuzzleKind(enum.Enum):
    """The task of a puzzle."""

    WIN_IN_1 = "win in 1"
    WIN_IN_2 = "win in 2"
    WIN_IN_3 = "win in 3"
    ONLY_MOVE = "only move"

    @property
    def moves(self) -> int | None:
        """Moves of the player until the win; None for an only move."""
        return None if self is PuzzleKind.ONLY_MOVE else int(self.value[-1])


@dataclasses.dataclass(frozen=True)
class Puzzle:
    """A position with exactly one good action.

    Attributes:
        position: Where the player to move has to find it.
        kind: The task.
        solution: The action.
    """

    position: Position
    kind: PuzzleKind
    solution: int

    def to_json(self) -> str:
        """Return one line of JSON."""
        fields = {
            "game": self.position.game.name,
            "position": self.position.to_text(),
            "kind": self.kind.value,
            "solution": self.position.move_text(self.solution),
        }
        return json.dumps(fields)

    @classmethod
    def from_json(cls, line: str) -> Puzzle:
        """Return the puzzle of a line that `to_json` wrote."""
        fields = json.loads(line)
        position = make_game(fields["game"]).from_text(fields["position"])
        solution = position.game.parse_move(fields["solution"], position)
        return cls(position, PuzzleKind(fields["kind"]), solution)


def puzzle_games() -> list[str]:
    """Return the names of the games that the package has puzzles for."""
    return sorted(path.name.removesuffix(".jsonl") for path in _FOLDER.iterdir())


def load_puzzles(game: str) -> list[Puzzle]:
    """Return the puzzles of the package for a game.

    Raises:
        ValueError: There are none for this game.
    """
    if game not in puzzle_games():
        raise ValueError(unknown_choice("puzzles", game, puzzle_games()))
    text = (_FOLDER / f"{game}.jsonl").read_text("utf-8")
    return [Puzzle.from_json(line) for line in text.splitlines()]


@dataclasses.dataclass(frozen=True)
class PuzzleFault:
    """A puzzle in which an agent raised an error or chose an illegal action.

    Attributes:
        number: The number of the puzzle among those that were given, from 1.
        detail: A description of the error.
        traceback: Where in the agent's code it was raised, or None.
    """

    number: int
    detail: str
    traceback: str | None = dataclasses.field(default=None, compare=False)


@dataclasses.dataclass(frozen=True)
class PuzzleScore:
    """How many puzzles of a kind were solved.

    Attributes:
        kind: The kind.
        solved: How many were solved.
        total: How many there were.
        faults: Those in which the agent failed.
    """

    kind: PuzzleKind
    solved: int
    total: int
    faults: tuple[PuzzleFault, ...] = ()


def score(agent: TextAgent, puzzles: Iterable[Puzzle]) -> list[PuzzleScore]:
    """Let an agent choose an action in every puzzle, and count the solved ones by kind.

    A puzzle in which it raises anything but KeyboardInterrupt, or chooses an illegal action, is not
    solved, and listed in `PuzzleScore.faults`.
    """
    solved: dict[PuzzleKind, list[bool]] = {kind: [] for kind in PuzzleKind}
    faults: dict[PuzzleKind, list[PuzzleFault]] = {kind: [] for kind in PuzzleKind}
    for number, puzzle in enumerate(puzzles, start=1):
        answer = ask(agent, puzzle.position)
        solved[puzzle.kind].append(answer == puzzle.solution)
        if isinstance(answer, Fault):
            faults[puzzle.kind].append(PuzzleFault(number, answer.detail, answer.traceback))
    return [
        PuzzleScore(kind, sum(each), len(each), tuple(faults[kind]))
        for kind, each in solved.items()
        if each
    ]


def plies_to_win(position: Position, action: int, most: int) -> int | None:
    """Return in how many plies `action` wins, None if not within `most` plies, an odd number."""
    after = position.play(action)
    outcome = after.outcome
    if outcome is not None:
        return 1 if outcome.winner == position.to_move else None
    if most == 1:
        return None
    # A search of most - 2 plies proves a loss in most - 1, as it looks for wins one ply further.
    found = AlphaBetaAgent(0, depth=most - 2, table_bits=14).search(after)
    if found.plies_to_end is None or found.plies_to_end > 0:
        return None
    return 1 - found.plies_to_end


def puzzle_of(position: Position) -> Puzzle | None:
    """Return the puzzle in a running position, or None if there is none."""
    actions = position.legal_actions()
    for moves in (1, 2, 3):
        most = 2 * moves - 1
        if moves > 1:
            best = AlphaBetaAgent(0, depth=most - 1, table_bits=14).search(position)
            if best.plies_to_end is None or best.plies_to_end < 0:
                if moves == 2:
                    safe = [action for action in actions if not _loses(position, action)]
                    if len(safe) == 1:
                        return Puzzle(position, PuzzleKind.ONLY_MOVE, safe[0])
                continue
        winning = [action for action in actions if plies_to_win(position, action, most) is not None]
        if winning:
            kind = PuzzleKind(f"win in {moves}")
            return Puzzle(position, kind, winning[0]) if len(winning) == 1 else None
    return None


def make_puzzles(
    game: Game, wanted: dict[PuzzleKind, int], *, seed: int, most_actions: int
) -> Iterator[Puzzle]:
    """Find puzzles in games between careful players.

    Args:
        game: What is played.
        wanted: How many of each kind.
        seed: Seed of the games.
        most_actions: Positions with more legal actions are skipped, so that a slow search can check
            the puzzles.

    Yields:
        Puzzles, as they are found.
    """
    rng = np.random.default_rng(seed)
    left = dict(wanted)
    seen: set[Position] = set()
    while any(left.values()):
        position = game.deal(rng)
        # Random moves release many animals; no move, random or not, overlooks a win or a threat.
        careful = AlphaBetaAgent(rng, depth=1, table_bits=10)
        while not position.is_over:
            actions = position.legal_actions()
            if len(actions) <= most_actions and position not in seen:
                seen.add(position)
                puzzle = puzzle_of(position)
                if puzzle is not None and left.get(puzzle.kind, 0) > 0:
                    left[puzzle.kind] -= 1
                    yield puzzle
            if rng.random() < 0.5:
                position = position.play(careful.act(position))
            else:
                safe = [action for action in actions if not _loses(position, action)] or actions
                position = position.play(int(rng.choice(safe)))


def _loses(position: Position, action: int) -> bool:
    """Return whether `action` loses at once or lets the opponent win at once."""
    after = position.play(action)
    outcome = after.outcome
    if outcome is not None:
        return outcome.winner == 1 - position.to_move
    return bool(after.game.rules.can_win(after.game.tables, after.row))
