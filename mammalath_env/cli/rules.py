"""``mammalath rules``: the rules of a game, lesson by lesson, with small boards."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from mammalath_env.cli.options import AsciiOption, check_game, complete
from mammalath_env.cli.prompt import Prompt
from mammalath_env.cli.terminal import mistake, say
from mammalath_env.games import GAMES, make_game

if TYPE_CHECKING:
    from mammalath_env.core.game import Game
    from mammalath_env.core.lesson import Example, Lesson

_MAX_WIDTH = 79
_RESULTS = {"win": "wins", "loss": "loses"}


def rules(
    game: Annotated[
        str,
        typer.Argument(
            help=f"Game: {', '.join(GAMES)}.", callback=check_game, autocompletion=complete(GAMES)
        ),
    ] = "mammalath",
    ascii_only: AsciiOption = False,
) -> None:
    """Learn a game: its rules in small steps, with examples."""
    built = make_game(game)
    pages = all_pages(built, min(shutil.get_terminal_size().columns - 1, _MAX_WIDTH), ascii_only)
    if not pages:
        raise mistake(f"{built.title} has no lessons")
    show_pages(pages, f"That is all. Now try: mammalath play --game {game}")


def show_pages(pages: list[str], last: str) -> None:
    """Print pages and a last line: in a terminal page by page, elsewhere all at once."""
    prompt = Prompt()
    try:
        for number, page in enumerate(pages, start=1):
            say(page)
            if prompt.in_terminal and number < len(pages):
                answer = prompt.read(f"Enter for page {number + 1} of {len(pages)}, q to quit: ")
                if answer.strip().lower() in ("q", "quit", "exit"):
                    return
            say()
    except (EOFError, KeyboardInterrupt):  # Ctrl-D and Ctrl-C
        return
    say(last)


def all_pages(game: Game, width: int, ascii_only: bool) -> list[str]:
    """Return the pages of all lessons; the first one explains the signs of the boards."""
    from mammalath_env.rendering.small import signs

    lessons = game.lessons()
    pages = [
        page
        for number, lesson in enumerate(lessons, start=1)
        for page in pages_of(game, lesson, f"{number}/{len(lessons)}", width, ascii_only)
    ]
    if pages:
        pages[0] += f"\n\nSigns: {signs(game, ascii_only=ascii_only)}"
    return pages


def pages_of(
    game: Game, lesson: Lesson, number: str, width: int, ascii_only: bool
) -> Iterator[str]:
    """Yield the pages of a lesson: its text with the first example, then one for each other."""
    head = f"{game.title} {number}: {lesson.title} ({', '.join(lesson.rules)})"
    text = textwrap.fill(lesson.text, width)
    if not lesson.examples:
        yield f"{head}\n\n{text}"
    for index, example in enumerate(lesson.examples):
        shown = show_example(game, example, width, ascii_only)
        yield f"{head}\n\n{text}\n\n{shown}" if index == 0 else f"{head}\n\n{shown}"


def show_example(game: Game, example: Example, width: int, ascii_only: bool) -> str:
    """Return an example: its moves, its board, what is to be seen, and what can be played."""
    from mammalath_env.rendering import with_last_moves
    from mammalath_env.rendering.small import render_small

    if example.options:
        game = make_game(game.name, **dict(example.options))
    positions, actions = [game.from_text(example.start)], []
    for move in example.moves:
        actions.append(game.parse_move(move, positions[-1]))
        positions.append(positions[-1].play(actions[-1]))
    board = render_small(*with_last_moves(positions, actions)[-1], ascii_only=ascii_only)
    blocks = [textwrap.indent(board, "    ")]
    if example.moves:
        first = game.player_names[positions[0].to_move]
        moves = " ".join(example.moves)
        blocks.insert(0, textwrap.fill(f"Moves, {first} first: {moves}", width))
    blocks.append(textwrap.fill(example.text, width))
    facts = []
    if example.result:
        mover = game.player_names[positions[-2].to_move].capitalize()
        who = "A draw" if example.result == "draw" else f"{mover} {_RESULTS[example.result]}"
        end = f"{who}: {game.describe_end(positions[-1])}."
        facts.append(textwrap.fill(end, width))
    if example.legal:
        facts.append(f"Possible now, among others: {', '.join(example.legal)}")
    for move in example.illegal:
        why = game.explain_illegal(game.parse_move(move, positions[-1]), positions[-1])
        facts.append(textwrap.fill(f"Not possible: {move}: {why}.", width, subsequent_indent="  "))
    return "\n\n".join([*blocks, *(["\n".join(facts)] if facts else [])])
