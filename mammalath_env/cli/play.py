"""``mammalath play``: a person against an agent, in the terminal."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer

from mammalath_env.agents import AlphaBetaAgent
from mammalath_env.arena.faults import Fault, ask
from mammalath_env.arena.record_files import open_to_append, write_record
from mammalath_env.arena.records import RESIGNED, UNFINISHED, GameRecord
from mammalath_env.cli.options import (
    AgentArgument,
    AsciiOption,
    GameOption,
    GameOptions,
    SeedOption,
    build_agent,
    build_game,
    complete,
    draw,
    helpful_errors,
)
from mammalath_env.core.checks import unknown_choice
from mammalath_env.core.position import Position

SEATS = ("first", "second", "random")
PERSON = "person"

_HELP = """Type a move in notation, or one of these:
  moves      list the legal moves
  hint       ask alpha-beta search for a move
  undo       take back your last move and the reply
  position   print the position as text
  save FILE  append the game so far to a file of records
  resign     give up, as quit and exit do
  help       show this"""


class Session:
    """A game between a person and an agent."""

    def __init__(self, start: Position, player: int, agent_name: str, seed: int) -> None:
        """Begin at the deal of `seed`; the person is `player`, and the agent has the next seed."""
        self.game = start.game
        self.player = player
        self.seed = seed
        self.agent_name = agent_name
        self.agent_seed = seed + 1
        self.agent = build_agent(agent_name, self.agent_seed, start.game)
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
        """Whether no move is left, the person gave up or the agent failed."""
        return self.position.is_over or self.resigned or self.fault is not None

    def play(self, action: int) -> None:
        """Play an action."""
        self.positions.append(self.position.play(action))
        self.actions.append(action)

    def let_agent_play(self) -> None:
        """Play what the agent chooses; it loses if that is no legal action."""
        answer = ask(self.agent, self.position)
        if isinstance(answer, Fault):
            self.fault = answer
        else:
            self.play(answer)

    def undo(self) -> bool:
        """Go back to the person's last turn, and say whether there was one."""
        for count in range(1, len(self.actions) + 1):
            if self.positions[-1 - count].to_move == self.player:
                del self.positions[-count:]
                del self.actions[-count:]
                return True
        return False

    def record(self) -> GameRecord:
        """Return the game so far."""
        names = [self.agent_name, self.agent_name]
        seeds: list[int | None] = [self.agent_seed, self.agent_seed]
        names[self.player], seeds[self.player] = PERSON, None
        outcome = self.position.outcome
        winner, reason, offender, detail = None, UNFINISHED, None, None
        if outcome is not None:
            winner, reason = outcome.winner, outcome.termination.label
        elif self.resigned:
            winner, reason, offender = 1 - self.player, RESIGNED, self.player
        elif self.fault is not None:
            reason, detail = self.fault
            winner, offender = self.player, 1 - self.player
        moves = [
            self.game.format_move(action, position)
            for action, position in zip(self.actions, self.positions, strict=False)
        ]
        return GameRecord(
            game=self.game,
            start=self.positions[0].to_text(),
            moves=tuple(moves),
            players=(names[0], names[1]),
            winner=winner,
            reason=reason,
            offender=offender,
            detail=detail,
            agent_seeds=(seeds[0], seeds[1]),
            deal_seed=self.seed,
        )

    def hint(self) -> str:
        """Return a move that search finds good."""
        result = AlphaBetaAgent(0, nodes=200_000).search(self.position)
        return self.game.format_move(result.action, self.position)


def play(
    agent: AgentArgument = "greedy",
    game: GameOption = "mammalath",
    option: GameOptions = None,
    seat: Annotated[
        str,
        typer.Option(
            help=f"Your seat: {', '.join(SEATS)}.", autocompletion=complete(lambda: list(SEATS))
        ),
    ] = "random",
    seed: SeedOption = None,
    save: Annotated[
        Path | None, typer.Option(help="File of records that the finished game is appended to.")
    ] = None,
    ascii_only: AsciiOption = False,
) -> None:
    """Play against an agent; type help for what you can say."""
    if seat not in SEATS:
        raise typer.BadParameter(unknown_choice("seat", seat, SEATS))
    built = build_game(game, option)
    if save is not None:
        # What would keep the game from being saved must not show at its end.
        with helpful_errors():
            open_to_append(save).close()
    seed = secrets.randbits(32) if seed is None else seed
    start = built.deal(seed)
    moves_second = seat == "second" or (seat == "random" and seed % 2 == 1)
    player = start.to_move ^ int(moves_second)
    session = Session(start, player, agent, seed)
    typer.echo(
        f"You are {built.player_names[player]}, {agent} is {built.player_names[1 - player]}."
    )
    typer.echo("Type a move in notation, or help.\n")
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
    previous, action = (None, None)
    if session.actions:
        previous, action = session.positions[-2], session.actions[-1]
    typer.echo("\n" + draw(session.position, previous, action, ascii_only=ascii_only))


def take_turn(session: Session, ascii_only: bool) -> None:
    """Ask the person until a move is played, taken back, or the game given up."""
    position = session.position
    side = session.game.player_names[session.player]
    while True:
        try:
            words = input(f"{side}> ").split()
        except EOFError:
            typer.echo("\nno more input: the game is given up")
            session.resigned = True
            return
        match words:
            case []:
                continue
            case ["help" | "?"]:
                typer.echo(_HELP)
            case ["moves"]:
                legal = position.legal_actions()
                typer.echo(" ".join(session.game.format_move(each, position) for each in legal))
            case ["hint"]:
                typer.echo(f"try {session.hint()}")
            case ["position"]:
                typer.echo(position.to_text())
            case ["save", name]:
                save_game(session, Path(name))
            case ["resign" | "quit" | "exit"]:
                session.resigned = True
                return
            case ["undo"]:
                if session.undo():
                    show_last(session, ascii_only)
                    return
                typer.echo("there is no move of yours to take back")
            case [text]:
                try:
                    session.play(session.game.parse_move(text, position))
                except ValueError as error:
                    typer.echo(f"{error}\ntype moves for the legal moves, help for the rest")
                    continue
                show_last(session, ascii_only)
                return
            case _:
                typer.echo(f"{' '.join(words)!r} is no move and no command: type help")


def tell_result(session: Session) -> None:
    """Say who won."""
    outcome = session.position.outcome
    if session.fault is not None:
        typer.echo(f"You win: {session.agent_name} failed ({session.fault.detail}).")
    elif outcome is None:
        typer.echo(f"You resigned: {session.agent_name} wins.")
    elif outcome.winner is None:
        typer.echo(f"Drawn: {outcome.termination.label}.")
    elif outcome.winner == session.player:
        typer.echo(f"You win: {outcome.termination.label}.")
    else:
        typer.echo(f"{session.agent_name} wins: {outcome.termination.label}.")


def save_game(session: Session, path: Path) -> None:
    """Append the game so far to a file; say so, or why not."""
    try:
        write_record(path, session.record())
    except (OSError, ValueError) as error:  # a null character in a name is a ValueError
        typer.echo(f"not saved to {path}: {error}")
    else:
        typer.echo(f"saved to {path}")
