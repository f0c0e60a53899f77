"""``mammalath play``: a person against an agent, in the terminal."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mammalath_env.cli.agents import AgentArgument, build_agent
from mammalath_env.cli.options import (
    AsciiOption,
    GameOption,
    GameOptions,
    SeedOption,
    build_game,
    complete,
)
from mammalath_env.cli.terminal import draw, helpful_errors, say
from mammalath_env.core.checks import checked_choice

if TYPE_CHECKING:
    from mammalath_env.arena.faults import Fault
    from mammalath_env.arena.records import GameRecord
    from mammalath_env.core.position import Position

SEATS = ("first", "second", "random")
PERSON = "person"

_HELP = """Type a move in notation, or one of these:
  moves      list the legal moves
  hint       ask alpha-beta search for a move
  undo       take back your last move and the reply
  position   print the position as text
  save FILE  append the game so far to a file of records
  resign     resign, as quit and exit do
  help       show this"""


class Session:
    """A game between a person and an agent."""

    def __init__(self, start: Position, player: int, agent_name: str, seed: int) -> None:
        """Begin at the deal of `seed`; the person is `player`, and the agent has the next seed."""
        self.game = start.game
        self.player = player
        self.seed = seed
        self.agent_name = agent_name
        self.agent = build_agent(agent_name, seed + 1, start.game)
        self.positions = [start]
        self.actions: list[int] = []
        self.resigned = False
        self.fault: Fault | None = None

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    @property
    def is_over(self) -> bool:
        """Whether the game ended, the person resigned or the agent failed."""
        return self.position.is_over or self.resigned or self.fault is not None

    def play(self, action: int) -> None:
        """Play an action."""
        self.positions.append(self.position.play(action))
        self.actions.append(action)

    def let_agent_play(self) -> None:
        """Play the agent's choice; it loses if that is not a legal action."""
        from mammalath_env.arena.faults import Fault, ask, show_fault

        answer = ask(self.agent, self.position)
        if isinstance(answer, Fault):
            self.fault = answer
            show_fault(self.agent_name, answer)
        else:
            self.play(answer)

    def undo(self) -> bool:
        """Go back to the person's last turn; return whether there was one."""
        for count in range(1, len(self.actions) + 1):
            if self.positions[-1 - count].to_move == self.player:
                del self.positions[-count:]
                del self.actions[-count:]
                return True
        return False

    def record(self) -> GameRecord:
        """Return the game so far."""
        from mammalath_env.arena.records import RESIGNED, UNFINISHED, GameRecord
        from mammalath_env.core.position import Position

        names = [self.agent_name, self.agent_name]
        seeds: list[int | None] = [self.seed + 1, self.seed + 1]
        names[self.player], seeds[self.player] = PERSON, None
        outcome = self.position.outcome
        winner, reason, offender, detail, trace = None, UNFINISHED, None, None, None
        if outcome is not None:
            winner, reason = outcome.winner, outcome.termination.label
        elif self.resigned:
            winner, reason, offender = 1 - self.player, RESIGNED, self.player
        elif self.fault is not None:
            reason, detail, trace = self.fault
            winner, offender = self.player, 1 - self.player
        return GameRecord(
            game=self.game,
            start=self.positions[0].to_text(),
            moves=tuple(map(Position.move_text, self.positions, self.actions)),
            players=(names[0], names[1]),
            winner=winner,
            reason=reason,
            offender=offender,
            detail=detail,
            traceback=trace,
            agent_seeds=(seeds[0], seeds[1]),
            deal_seed=self.seed,
        )

    def hint(self) -> str:
        """Return the move that alpha-beta search prefers."""
        from mammalath_env.agents import AlphaBetaAgent

        result = AlphaBetaAgent(0, nodes=200_000).search(self.position)
        return self.position.move_text(result.action)


def play(
    agent: AgentArgument = "greedy",
    game: GameOption = "mammalath",
    option: GameOptions = None,
    seat: Annotated[
        str,
        typer.Option(help=f"Your seat: {', '.join(SEATS)}.", autocompletion=complete(SEATS)),
    ] = "random",
    seed: SeedOption = None,
    save: Annotated[
        Path | None, typer.Option(help="File of records that the finished game is appended to.")
    ] = None,
    ascii_only: AsciiOption = False,
) -> None:
    """Play against an agent; type help for what you can type."""
    with helpful_errors():
        checked_choice("seat", seat, SEATS)
    built = build_game(game, option)
    if save is not None:
        from mammalath_env.arena.record_files import open_to_append

        # Fail now if the game cannot be saved, not at its end.
        with helpful_errors():
            open_to_append(save).close()
    seed = secrets.randbits(32) if seed is None else seed
    start = built.deal(seed)
    moves_second = seat == "second" or (seat == "random" and seed % 2 == 1)
    player = start.to_move ^ int(moves_second)
    session = Session(start, player, agent, seed)
    say(f"You are {built.player_names[player]}, {agent} is {built.player_names[1 - player]}.")
    say("Type a move in notation, or help.\n")
    typer.echo(draw(start, ascii_only=ascii_only))
    while not session.is_over:
        if session.position.to_move == player:
            take_turn(session, ascii_only)
            continue
        session.let_agent_play()
        if session.fault is None:
            show_last(session, ascii_only)
    tell_result(session)
    if save is not None:
        save_game(session, save)


def show_last(session: Session, ascii_only: bool) -> None:
    """Draw the position and the move that led to it."""
    from mammalath_env.rendering import with_last_moves

    last = with_last_moves(session.positions, session.actions)[-1]
    typer.echo("\n" + draw(*last, ascii_only=ascii_only))


def take_turn(session: Session, ascii_only: bool) -> None:
    """Read commands until the person plays or takes back a move, or resigns."""
    position = session.position
    side = session.game.player_names[session.player]
    while True:
        try:
            words = input(f"{side}> ").split()
        except EOFError:
            say("\nno more input: you resign")
            session.resigned = True
            return
        match words:
            case []:
                continue
            case ["help" | "?"]:
                say(_HELP)
            case ["moves"]:
                say(" ".join(position.legal_moves()))
            case ["hint"]:
                say(f"try {session.hint()}")
            case ["position"]:
                say(position.to_text())
            case ["save", name]:
                save_game(session, Path(name))
            case ["resign" | "quit" | "exit"]:
                session.resigned = True
                return
            case ["undo"]:
                if session.undo():
                    show_last(session, ascii_only)
                    return
                say("there is no move of yours to take back")
            case [text]:
                try:
                    session.play(session.game.parse_move(text, position))
                except ValueError as error:
                    say(f"{error}\ntype moves for the legal moves, help for the rest")
                    continue
                show_last(session, ascii_only)
                return
            case _:
                say(f"{' '.join(words)!r} is no move and no command: type help")


def tell_result(session: Session) -> None:
    """Say who won."""
    outcome = session.position.outcome
    if session.fault is not None:
        say(f"You win: {session.agent_name} failed ({session.fault.detail}).")
    elif outcome is None:
        say(f"You resigned: {session.agent_name} wins.")
    elif outcome.winner is None:
        say(f"Drawn: {outcome.termination.label}.")
    elif outcome.winner == session.player:
        say(f"You win: {outcome.termination.label}.")
    else:
        say(f"{session.agent_name} wins: {outcome.termination.label}.")


def save_game(session: Session, path: Path) -> None:
    """Append the game so far to a file, and print the result or the error."""
    from mammalath_env.arena.record_files import write_record

    try:
        write_record(path, session.record())
    except (OSError, ValueError) as error:  # a null character in a name is a ValueError
        say(f"not saved to {path}: {error}")
    else:
        say(f"saved to {path}")
