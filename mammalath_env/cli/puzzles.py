"""``mammalath puzzles``: puzzles for a person, and how many of them an agent solves."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mammalath_env.agents import AGENTS
from mammalath_env.cli.agents import AGENT_HELP, build_agent, check_agent, prints_to_stderr
from mammalath_env.cli.moves import list_moves, read_move
from mammalath_env.cli.options import AsciiOption, JsonOption, complete
from mammalath_env.cli.prompt import Prompt
from mammalath_env.cli.solved import add_solved, default_file, read_solved
from mammalath_env.cli.terminal import (
    busy,
    describe,
    draw,
    helpful_errors,
    mistake,
    print_json,
    print_table,
    say,
    tell,
)
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.texts import printable
from mammalath_env.games import GAMES

if TYPE_CHECKING:
    from mammalath_env.arena.puzzles import Puzzle
    from mammalath_env.core.position import Position

PUZZLE_GAMES = ("mammalath", "mammalath_plus")
"""The games that have puzzles; a copy, since `mammalath_env.arena` is slow to load."""

_MOST_FAULTS = 5
_STRIDE = 5
_LIST_WIDTH = 76
_COMMANDS = {
    "hint": "show one more letter of the move",
    "solution": "tell the move; the puzzle does not count as solved",
    "next": "go to the next unsolved puzzle, as skip and the Enter key after a solution do",
    "back": "go to the puzzle before",
    "go NUMBER": "go to a puzzle",
    "list": "list the puzzles, the solved ones with +",
    "show": "draw the position again",
    "moves": "list the legal moves",
    "position": "print the position as text",
    "quit": "end, as exit does",
    "help": "show this",
}
_HELP = "Type a move in notation, or one of these:\n" + "\n".join(
    f"  {command:<10}  {meaning}" for command, meaning in _COMMANDS.items()
)

_COMMAND_WORDS = [command.split()[0] for command in _COMMANDS]


def puzzles(
    agent: Annotated[
        str | None,
        typer.Argument(
            help=f"An agent that solves them all: {AGENT_HELP}. Without one, solve them yourself.",
            callback=lambda name: name and check_agent(name),
            autocompletion=complete(AGENTS),
        ),
    ] = None,
    game: Annotated[
        str,
        typer.Option(
            help=f"Game: {', '.join(PUZZLE_GAMES)}.", autocompletion=complete(PUZZLE_GAMES)
        ),
    ] = "mammalath",
    number: Annotated[
        int | None,
        typer.Option(min=1, help="Puzzle to begin with; the first unsolved one if left out."),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            envvar="MAMMALATH_PUZZLES",
            help="File that remembers which puzzles you solved; by default in your state folder.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the agent.")] = 0,
    ascii_only: AsciiOption = False,
    as_json: JsonOption = False,
) -> None:
    """Solve puzzles, or let an agent solve all puzzles of a game.

    Exit code 0 at the end, also if puzzles are unsolved, 1 if the agent failed
    by an error or an illegal action, 2 for wrong arguments, 130 after Ctrl-C.
    """
    from mammalath_env.arena.puzzles import load_puzzles

    if game in GAMES and game not in PUZZLE_GAMES:
        raise mistake(f"{game} has no puzzles: choose one of {', '.join(PUZZLE_GAMES)}")
    with helpful_errors():
        found = in_order(load_puzzles(game))
    if agent is not None:
        let_agent_solve(agent, game, found, seed, as_json)
        return
    if as_json:
        raise mistake("--json needs an agent")
    if number is not None and number > len(found):
        raise mistake(f"{game} has {len(found)} puzzles, not {number}")
    session = Session(game, found, default_file() if state is None else state, ascii_only)
    try:
        session.run(number)
    except KeyboardInterrupt:
        say()
        raise typer.Exit(130) from None


def in_order(puzzles: list[Puzzle]) -> list[Puzzle]:
    """Return puzzles as they are numbered here: the easier kinds first.

    Those of the package come as they were found: neighbours are often of one game, and the answer
    of one gives away another. So within a kind every fifth comes first, beginning with the first
    one, then every fifth beginning with the second, and so on.
    """
    return [
        puzzle
        for kind in type(puzzles[0].kind)  # from easy to hard, only moves last
        for chosen in [[each for each in puzzles if each.kind is kind]]
        for start in range(_STRIDE)
        for puzzle in chosen[start::_STRIDE]
    ]


def let_agent_solve(agent: str, game: str, puzzles: list[Puzzle], seed: int, as_json: bool) -> None:
    """Print how many puzzles an agent solves, and where it fails; exit code 1 if it does."""
    from rich.table import Table
    from rich.text import Text

    from mammalath_env.arena.faults import Fault, show_fault
    from mammalath_env.arena.puzzles import score

    solver = build_agent(agent, seed, puzzles[0].position.game)
    with busy(f"{agent} solves {len(puzzles)} puzzles"), prints_to_stderr():
        scores = score(solver, puzzles)
    faults = sorted((fault for each in scores for fault in each.faults), key=lambda f: f.number)
    if first := next((fault for fault in faults if fault.traceback), None):
        shown = Fault("agent failed", first.detail, first.traceback)
        show_fault(agent, shown, f"fails in puzzle {first.number}")
    if as_json:
        print_json(
            {
                each.kind.value: {
                    "solved": each.solved,
                    "total": each.total,
                    "faults": [
                        {"puzzle": fault.number, "error": fault.detail} for fault in each.faults
                    ],
                }
                for each in scores
            }
        )
    else:
        table = Table("puzzles", "solved", "of", title=Text(printable(f"{agent} on {game}")))
        for each in scores:
            table.add_row(each.kind.value, str(each.solved), str(each.total))
        solved, total = sum(each.solved for each in scores), sum(each.total for each in scores)
        table.add_row("all", str(solved), str(total))
        print_table(table)
        for fault in faults[:_MOST_FAULTS]:
            tell(f"{agent} failed in puzzle {fault.number}: {fault.detail}")
        if len(faults) > _MOST_FAULTS:
            say(f"and in {len(faults) - _MOST_FAULTS} more")
    if faults:
        raise typer.Exit(1)


class Session:
    """A person solves puzzles of a game."""

    def __init__(self, game: str, puzzles: list[Puzzle], path: Path, ascii_only: bool) -> None:
        """Read which ones are solved from the file `path`; say so if that fails."""
        self.game = game
        self.puzzles = puzzles
        self.ascii_only = ascii_only
        self.index = 0
        self.letters = 0
        """Letters of the solution that hints have shown."""
        self.over = False
        """Whether the puzzle is solved, or its solution told."""
        self.path: Path | None = path
        self.solved: set[str] = set()
        try:
            self.solved.update(read_solved(path).get(game, []))
        except (OSError, ValueError) as error:
            self._forget(f"cannot read {path}: {describe(error)}")

    @property
    def puzzle(self) -> Puzzle:
        """The current puzzle."""
        return self.puzzles[self.index]

    @property
    def move(self) -> str:
        """Its solution in notation."""
        return self.puzzle.position.move_text(self.puzzle.solution)

    def run(self, number: int | None) -> None:
        """Read commands until the person quits or the input ends."""
        prompt = Prompt()
        tell(f"{self._count()}. Type a move, or help.")
        if number is None:
            self.index = -1
            self.open_next()
        else:
            self.open(number - 1)
        while True:
            choices = [*self.puzzle.position.legal_moves(), *_COMMAND_WORDS]
            try:
                typed = prompt.read(f"puzzle {self.index + 1}> ", choices)
            except EOFError:
                say()
                break
            except UnicodeDecodeError:
                say("that is no text: type help")
                continue
            if typed.strip().lower() in ("quit", "exit", "q"):
                break
            self.obey(typed)
        tell(self._count() + ".")

    def obey(self, typed: str) -> None:
        """Do what a line says."""
        position = self.puzzle.position
        match typed.lower().split():
            case []:
                if self.over:
                    self.open_next()
            case ["help" | "h" | "?"]:
                tell(_HELP)
            case ["next" | "n" | "skip"]:
                self.open_next()
            case ["back" | "b"]:
                self.open(self.index - 1)
            case [number] | ["go", number] if number.isdecimal() and number.isascii():
                self.open(int(number[:9]) - 1)
            case ["go"]:
                say("go NUMBER: the number is missing")
            case ["list"]:
                self.list_puzzles()
            case ["show" | "board"]:
                self.show()
            case ["moves" | "m"]:
                say("\n".join(list_moves(position, shutil.get_terminal_size().columns)))
            case ["position"]:
                say(position.to_text())
            case ["hint"]:
                self.hint()
            case ["solution"]:
                self.over = True
                tell(f"The move is {self.move}.{self._continuation()}")
            case _:
                self.try_move(typed)

    def open(self, index: int) -> None:
        """Show the puzzle of an index, if there is one."""
        if not 0 <= index < len(self.puzzles):
            say(f"the puzzles are 1 to {len(self.puzzles)}")
            return
        self.index, self.letters, self.over = index, 0, False
        self.show()

    def open_next(self) -> None:
        """Show the next unsolved puzzle, after the last one the first."""
        indices = [*range(self.index + 1, len(self.puzzles)), *range(max(self.index, 0) + 1)]
        for index in indices:
            if not self._is_solved(index):
                self.open(index)
                return
        tell("All puzzles are solved; go NUMBER shows one again.")
        if self.index < 0:
            self.open(0)

    def show(self) -> None:
        """Draw the position, and say what to find."""
        puzzle, position = self.puzzle, self.puzzle.position
        mover, other = (position.game.player_names[each ^ position.to_move] for each in (0, 1))
        moves = puzzle.kind.moves
        if moves is None:
            task = f"the only move after which {other} does not win at once"
        elif moves == 1:
            task = "the only move that wins at once"
        else:
            task = f"the only move that wins in {moves} moves, whatever {other} does"
        solved = ", solved" if self._is_solved(self.index) else ""
        typer.echo("\n" + draw(position, ascii_only=self.ascii_only))
        tell(f"\nPuzzle {self.index + 1} of {len(self.puzzles)} ({puzzle.kind.value}{solved}).")
        tell(f"Find {task}. {mover.capitalize()} is to move.")

    def hint(self) -> None:
        """Show one more letter of the move, but never the last."""
        if self.letters + 1 >= len(self.move):
            say(f"The move is {self.move[:-1]}_; solution tells the rest.")
            return
        self.letters += 1
        shown = self.move[: self.letters]
        say(f"The move is {shown}{'_' * (len(self.move) - self.letters)}.")

    def try_move(self, text: str) -> None:
        """Say whether the move solves the puzzle, and why not."""
        position = self.puzzle.position
        try:
            action = read_move(text, position, _COMMAND_WORDS)
        except ValueError as error:
            if self.over and isinstance(error, IllegalMoveError):
                self._say_over()
                return
            tell(f"{error}\ntype moves for the legal moves, help for the rest")
            return
        if self.over:
            self._say_over()
            return
        move = position.move_text(action)
        if action != self.puzzle.solution:
            tell(f"{move} is not the move: {self._refutation(action)}.")
            return
        tell(f"Right: {move}.{self._continuation()}")
        self._remember(position)
        self.over = True
        tell("Enter goes to the next puzzle, quit ends.")

    def _say_over(self) -> None:
        tell("The puzzle is over. Enter goes to the next puzzle, show draws this one again.")

    def list_puzzles(self) -> None:
        """Print the numbers of the puzzles by kind, the solved ones with a plus sign."""
        for kind in type(self.puzzle.kind):
            chosen = [k for k, puzzle in enumerate(self.puzzles) if puzzle.kind is kind]
            solved = sum(map(self._is_solved, chosen))
            say(f"{kind.value}, {solved} of {len(chosen)} solved:")
            numbers = " ".join(f"{k + 1}{'+' if self._is_solved(k) else ''}" for k in chosen)
            width = min(shutil.get_terminal_size().columns - 1, _LIST_WIDTH)
            say(textwrap.fill(numbers, width, initial_indent="  ", subsequent_indent="  "))

    def _is_solved(self, index: int) -> bool:
        return self.puzzles[index].position.to_text() in self.solved

    def _count(self) -> str:
        solved = sum(map(self._is_solved, range(len(self.puzzles))))
        return f"{solved} of {len(self.puzzles)} puzzles of {self.game} solved"

    def _refutation(self, action: int) -> str:
        """Return why a wrong move is wrong."""
        position = self.puzzle.position
        other = position.game.player_names[1 - position.to_move]
        after = position.play(action)
        if after.outcome is not None:
            result = "it is a draw" if after.outcome.winner is None else "you lose"
            return f"{result}, {position.game.describe_end(after)}"
        for reply in after.legal_actions():
            outcome = after.play(reply).outcome
            if outcome is not None and outcome.winner == after.to_move:
                return f"{other} wins at once with {after.move_text(reply)}"
        moves = self.puzzle.kind.moves
        return "it does not win at once" if moves == 1 else f"it does not win in {moves} moves"

    def _continuation(self) -> str:
        """Return a sentence with a space before it: how a win of several moves goes on."""
        from mammalath_env.agents.solver import solve

        position = self.puzzle.position
        if self.puzzle.kind.moves in (None, 1):
            return ""
        with busy("Looking for the best replies"):
            line = solve(position, nodes=1_000_000).line
        if line[:1] != (self.puzzle.solution,):
            return ""
        other = position.game.player_names[1 - position.to_move]
        *replies, last = position.line_moves(line)[1:]
        played = [
            f"{'you play' if ply % 2 else f'{other} plays'} {move}"
            for ply, move in enumerate(replies)
        ]
        return f" Then {', '.join(played)} and you win with {last}."

    def _remember(self, position: Position) -> None:
        """Add a solved puzzle, to the file too."""
        self.solved.add(position.to_text())
        if self.path is not None:
            try:
                add_solved(self.path, self.game, position.to_text())
            except (OSError, ValueError) as error:
                self._forget(f"cannot write {self.path}: {describe(error)}")

    def _forget(self, why: str) -> None:
        """Say that solved puzzles are not remembered, and do without the file."""
        self.path = None
        tell(f"{why}\nPuzzles that you solve now are forgotten when you quit.")
