"""``mammalath play``: a person against an agent, or two people, in the terminal."""

from __future__ import annotations

import secrets
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from mammalath_env.agents import AGENTS
from mammalath_env.cli.agents import AGENT_HELP, check_agent
from mammalath_env.cli.analyze import show_lines
from mammalath_env.cli.moves import list_moves, read_move
from mammalath_env.cli.options import (
    AsciiOption,
    GameOption,
    GameOptions,
    SeedOption,
    build_game,
    complete,
    read_position,
)
from mammalath_env.cli.prompt import Prompt
from mammalath_env.cli.rules import MAX_WIDTH, all_pages, show_pages
from mammalath_env.cli.saved_games import check_can_append, last_unfinished
from mammalath_env.cli.session import PERSON, Session
from mammalath_env.cli.terminal import (
    busy,
    describe,
    draw,
    helpful_errors,
    mistake,
    say,
    tell,
)
from mammalath_env.core.checks import checked_choice, nearest
from mammalath_env.games import GAMES, make_game

if TYPE_CHECKING:
    from mammalath_env.core.game import Game

SEATS = ("first", "second", "random")
HUMAN = "human"
"""In place of an agent: both sides are played at one keyboard."""

# word: its short form, and what it does
COMMANDS = {
    "moves": ("m", "list the legal moves"),
    "hint": ("", "ask alpha-beta search for a move, and why"),
    "analyze": ("", "show the best moves with their win probabilities"),
    "undo": ("u", "take back your last move and the reply"),
    "rules": ("", "teach the rules, page by page"),
    "board": ("", "draw the board again"),
    "position": ("", "print the position as text, for --position"),
    "save": ("", "save FILE: write the game so far to a file of records"),
    "resign": ("", "lose the game"),
    "quit": ("q", "leave the game unfinished, as exit, Ctrl-D and Ctrl-C do"),
    "help": ("h", "show this"),
}
_OTHER_WORDS = {"exit": "quit", "show": "board", "?": "help"}
_SHORT = {short: word for word, (short, _) in COMMANDS.items() if short} | _OTHER_WORDS
_FROM_RECORD = ("game", "option", "seat", "seed", "position")


def check_opponent(name: str) -> str:
    """Return `name` if it is `HUMAN`, or an agent of this name can be made."""
    if name.lower() in GAMES:
        raise mistake(f"{name!r} is a game, not an agent; did you mean --game {name.lower()}?")
    return name if name == HUMAN else check_agent(name)


class Start(NamedTuple):
    """How a game is begun.

    Attributes:
        game: The game.
        position: Text of the start position; None for a deal.
        opponent: The name of the agent, or `HUMAN`.
        moves_second: Whether the person does.
        seed: Seed of the deal; the agent has the next one.
    """

    game: Game
    position: str | None
    opponent: str
    moves_second: bool
    seed: int

    def session(self) -> Session:
        """Return the game."""
        words = None if self.position is None else [self.position]
        start, _ = read_position(self.game, words, self.seed)
        if start.is_over:
            raise mistake(f"the game is over in this position: {self.game.describe_end(start)}")
        names = [PERSON, PERSON]
        seeds: list[int | None] = [None, None]
        if self.opponent != HUMAN:
            agent = start.to_move ^ int(not self.moves_second)
            names[agent], seeds[agent] = self.opponent, self.seed + 1
        deal_seed = self.seed if self.position is None else None
        return Session(start, (names[0], names[1]), (seeds[0], seeds[1]), deal_seed)


def play(
    context: typer.Context,
    agent: Annotated[
        str,
        typer.Argument(
            help=f"{HUMAN} for two people, or an agent: {AGENT_HELP}.",
            callback=check_opponent,
            autocompletion=complete((HUMAN, *AGENTS)),
        ),
    ] = "level:3",
    game: GameOption = "mammalath",
    option: GameOptions = None,
    seat: Annotated[
        str,
        typer.Option(help=f"Your seat: {', '.join(SEATS)}.", autocompletion=complete(SEATS)),
    ] = "random",
    seed: SeedOption = None,
    position: Annotated[
        str | None, typer.Option(help="Text of a position to start from, in quotation marks.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="File of records that the game is written to.")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Go on with the last unfinished game of a file, and save it there."),
    ] = None,
    ascii_only: AsciiOption = False,
) -> None:
    """Play against an agent or another person; type help for what you can type."""
    if seat.lower() in make_game(game).player_names:
        raise mistake(
            f"a seat is one of {', '.join(SEATS)}, not {seat!r}: the deal says which side is first"
        )
    with helpful_errors():
        checked_choice("seat", seat, SEATS)
    given = {name for name in context.params if _is_given(context, name)}
    if resume is not None:
        session = resumed_session(resume, agent if "agent" in given else None, given)
        save = resume if save is None else save
    if save is not None:
        # Fail now if the game cannot be saved, not at its end.
        with helpful_errors():
            check_can_append(save)
    if resume is None:
        if agent == HUMAN and "seat" in given:
            raise mistake(f"--seat is for games against an agent: {HUMAN} plays both")
        seed = secrets.randbits(32) if seed is None else seed
        moves_second = seat == "second" or (seat == "random" and seed % 2 == 1)
        session = Start(build_game(game, option), position, agent, moves_second, seed).session()
    play_games(session, Prompt(), save, ascii_only)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def resumed_session(path: Path, agent: str | None, given: set[str]) -> Session:
    """Return the last unfinished game of a file.

    Args:
        path: The file; anyone may have written it.
        agent: The agent that was given, or None.
        given: Names of all parameters that were given.
    """
    for name in _FROM_RECORD:
        if name in given:
            raise mistake(f"choose one of --resume and --{name}: the file holds the {name}")
    with helpful_errors():
        record, line = last_unfinished(path)
    opponent = next((name for name in record.players if name != PERSON), HUMAN)
    if agent is not None and agent != opponent:
        raise mistake(f"the unfinished game of {str(path)!r} is against {opponent}, not {agent}")
    # A record must not decide which code runs here.
    if agent is None and _is_custom(opponent):
        raise mistake(
            f"the unfinished game is against {opponent!r}, an agent of another module: "
            "if you trust it, give its name too"
        )
    return Session.resumed(record, path, line)


def _is_custom(name: str) -> bool:
    """Return whether the name of a player is that of an agent of another module."""
    return name not in (PERSON, HUMAN) and name.partition(":")[0] not in AGENTS


def play_games(session: Session, prompt: Prompt, save: Path | None, ascii_only: bool) -> None:
    """Play a game, and in a terminal others after it, until the person has enough."""
    try:
        while True:
            introduce(session, ascii_only)
            following = play_to_end(session, prompt, save, ascii_only)
            if following is None:
                return
            session = following
    except EOFError:
        leave(session, save)
    except KeyboardInterrupt:
        leave(session, save)
        raise typer.Exit(130) from None


def introduce(session: Session, ascii_only: bool) -> None:
    """Say who plays, and how to have the start position again; draw it if a person is to move."""
    sides = session.game.player_names
    if len(session.people) == 2:
        tell(f"{session.game.title}. {sides[0].capitalize()} and {sides[1]} play at one keyboard.")
    else:
        (person,) = session.people
        name = session.names[1 - person]
        tell(f"{session.game.title}. You are {sides[person]}, {name} is {sides[1 - person]}.")
    if session.actions:
        say(f"Going on after ply {len(session.actions)}.")
    seed = session.deal_seed
    say("The position:" if seed is None else f"The deal of --seed {seed}:")
    say(f"  {session.positions[0].to_text()}")
    say("Type a move in notation, or help.")
    if session.person_to_move:
        show(session, ascii_only)


def show(session: Session, ascii_only: bool, since: int | None = None) -> None:
    """Draw the position, and the move that led to it.

    Args:
        session: The game.
        ascii_only: Whether to draw in ASCII.
        since: The number of moves that were played when it was drawn before; the others are told.
            None to tell none.
    """
    from mammalath_env.rendering import with_last_moves

    count = len(session.actions)
    if since is not None and since < count and len(session.people) == 1:
        moves = [
            f"{'You' if position.to_move in session.people else session.names[position.to_move]}: "
            f"{position.move_text(action)}."
            for position, action in zip(
                session.positions[since:], session.actions[since:], strict=False
            )
        ]
        tell("\n" + " ".join(moves))
    else:
        say()
    last = with_last_moves(session.positions, session.actions)[-1]
    typer.echo(draw(*last, ascii_only=ascii_only))


def play_to_end(
    session: Session, prompt: Prompt, save: Path | None, ascii_only: bool
) -> Session | None:
    """Play a game to its end, save it, and return the next one, None if there is none.

    Raises:
        EOFError, KeyboardInterrupt: A person has left.
    """
    drawn = len(session.actions)
    while True:
        while not session.is_over:
            if session.person_to_move:
                drawn = len(session.actions)
                take_turn(session, prompt, ascii_only)
                # One board for each turn: that of a reply shows what it replies to.
                if session.position.is_over or (session.person_to_move and not session.is_over):
                    show(session, ascii_only, drawn)
                continue
            name = session.names[session.position.to_move]
            with busy(f"{name} thinks"):
                session.let_agent_play()
            if session.fault is None:
                show(session, ascii_only, drawn)
                drawn = len(session.actions)
        tell_result(session)
        answer = ask_for_more(session, prompt) if prompt.in_terminal else "no"
        if answer != "undo":
            break
        show(session, ascii_only)
    save_everywhere(session, save)
    if answer == "no":
        return None
    return next_session(session, swap_seats=answer == "yes")


def take_turn(session: Session, prompt: Prompt, ascii_only: bool) -> None:
    """Read commands until a person plays or takes back a move, or resigns.

    Raises:
        EOFError, KeyboardInterrupt: The person leaves.
    """
    position = session.position
    side = session.game.player_names[position.to_move]
    while True:
        typed = prompt.read(f"{side}> ", [*position.legal_moves(), *COMMANDS])
        word, _, rest = typed.strip().partition(" ")
        match _SHORT.get(word.lower(), word.lower()), rest.strip():
            case "", _:
                continue
            case "help", "":
                say_help(session.game)
            case "moves", "":
                say("\n".join(list_moves(position, shutil.get_terminal_size().columns)))
            case "hint", "":
                with busy("searching"):
                    hint = session.hint()
                tell(hint)
            case "analyze", "":
                with busy("analyzing"):
                    analysis = session.analyze()
                show_lines(analysis)
            case "rules", "":
                width = min(shutil.get_terminal_size().columns - 1, MAX_WIDTH)
                pages = all_pages(session.game, width, ascii_only)
                show_pages(pages, "That is all. Type board to see your game again.")
            case "board", "":
                show(session, ascii_only)
            case "position", "":
                say(position.to_text())
            case "save", "":
                say("save FILE: the name of the file is missing")
            case "save", name:
                save_game(session, Path(name))
            case "resign", "":
                session.resigned = position.to_move
                return
            case "quit", "":
                raise EOFError
            case "undo", "":
                if session.undo():
                    return
                say("there is no move of yours to take back")
            case _:
                try:
                    session.play(read_move(typed, position, COMMANDS))
                except ValueError as error:
                    tell(f"{error}\ntype moves for the legal moves, help for the rest")
                    continue
                return


def say_help(game: Game) -> None:
    """Print how the game is played, and what can be typed."""
    about = game.how_to_play()
    if about:
        tell(f"{about}\n")
    tell("Type a move, or one of these:")
    for word, (short, what) in COMMANDS.items():
        tell(f"  {word + (f', {short}' if short else ''):<9}  {what}")


def tell_result(session: Session) -> None:
    """Say who won and why."""
    outcome = session.position.outcome
    against_agent = len(session.people) == 1
    sides = session.game.player_names
    if session.fault is not None:
        tell(f"You win: {session.names[session.position.to_move]} failed ({session.fault.detail}).")
    elif outcome is None:
        assert session.resigned is not None
        winner = 1 - session.resigned
        who = "You" if against_agent else sides[session.resigned].capitalize()
        tell(f"{who} resigned: {session.names[winner] if against_agent else sides[winner]} wins.")
    else:
        why = session.game.describe_end(session.position)
        if outcome.winner is None:
            tell(f"Drawn: {why}.")
        elif not against_agent:
            tell(f"{sides[outcome.winner].capitalize()} wins: {why}.")
        else:
            tell(f"You {'win' if outcome.winner in session.people else 'lose'}: {why}.")


def ask_for_more(session: Session, prompt: Prompt) -> str:
    """Ask whether to play again; return ``yes``, ``same`` for the same seats, ``undo`` or ``no``.

    ``undo`` has taken the last move back.
    """
    answers = ["yes", "same", "undo", "no"]
    question = "Play again? [y]es with seats swapped, [s]ame seats, [u]ndo, [n]o: "
    if len(session.people) == 2:
        answers.remove("same")
        question = "Play again? [y]es, [u]ndo, [n]o: "
    while True:
        typed = prompt.read(question, answers).strip().lower()
        if typed in ("", "n", "no", "q", "quit", "exit"):
            return "no"
        answer = next((each for each in answers if each.startswith(typed)), None)
        if answer == "undo" and not session.undo():
            say("there is no move of yours to take back")
        elif answer is not None:
            return answer
        else:
            near = nearest(typed, answers)
            tell(
                f"answer {', '.join(answers)}{'' if near is None else f'; did you mean {near!r}?'}"
            )


def next_session(session: Session, swap_seats: bool) -> Session:
    """Return the next game of the same players: of a new deal, or again from a given position."""
    start = session.positions[0]
    opponent = next((name for name in session.names if name != PERSON), HUMAN)
    moves_second = start.to_move not in session.people
    position = start.to_text() if session.deal_seed is None else None
    seed = secrets.randbits(32)
    return Start(session.game, position, opponent, moves_second ^ swap_seats, seed).session()


def leave(session: Session, save: Path | None) -> None:
    """Save the game that a person leaves, or say that it is not saved."""
    say()
    if not session.actions and not session.is_over:
        return
    saved = save_everywhere(session, save)
    if session.is_over:
        return
    if saved:
        # Agents of other modules must be named, see `resumed_session`.
        custom = [name for name in session.names if _is_custom(name)]
        command = shlex.join(["mammalath", "play", *custom, "--resume", str(saved[0])])
        tell("The game is unfinished.")
        say(f"To go on: {command}")  # in one line, to be copied
    elif save is None:
        tell("The game is left unfinished, and not saved: --save FILE or save FILE would.")


def save_everywhere(session: Session, save: Path | None) -> list[Path]:
    """Write the game to the file `save`, and again to those that it was saved to before.

    Returns:
        The files for which it worked.
    """
    paths = dict.fromkeys([*([] if save is None else [save]), *session.saved_to])
    return [path for path in paths if save_game(session, path)]


def save_game(session: Session, path: Path) -> bool:
    """Write the game so far to a file, print where or the error, and return whether it worked."""
    try:
        session.save(path)
    except (OSError, ValueError) as error:  # a null character in a name is a ValueError
        tell(f"not saved to {path}: {describe(error)}")
        return False
    tell(f"saved to {path}")
    return True
