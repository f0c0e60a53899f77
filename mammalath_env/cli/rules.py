"""``mammalath rules``: the rules of a game, lesson by lesson, with small boards."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from mammalath_env.cli.options import AsciiOption, check_game, complete
from mammalath_env.cli.prompt import Prompt
from mammalath_env.cli.terminal import mistake, say, tell, wrapped
from mammalath_env.games import GAMES, make_game

if TYPE_CHECKING:
    from mammalath_env.core.game import Game
    from mammalath_env.core.lesson import Example, Lesson

MAX_WIDTH = 79
"""Most columns of a page."""

MAX_HEIGHT = 23
"""Most lines of a page: those of a terminal of 24 without the one that asks for Enter."""

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
    pages = all_pages(built, min(shutil.get_terminal_size().columns - 1, MAX_WIDTH), ascii_only)
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
                answer = prompt.read("Enter for the next page, q to quit: ")
                if answer.strip().lower() in ("q", "quit", "exit"):
                    return
            say()
    except (EOFError, KeyboardInterrupt):  # Ctrl-D and Ctrl-C
        return
    tell(last)


def all_pages(game: Game, width: int, ascii_only: bool) -> list[str]:
    """Return the pages of all lessons; the first one explains the signs of the boards."""
    from mammalath_env.rendering.small import signs

    lessons = game.lessons()
    legend = wrapped(f"Signs: {signs(game, ascii_only=ascii_only)}", width)
    return [
        page
        for number, lesson in enumerate(lessons, start=1)
        for page in pages_of(
            game,
            lesson,
            f"{number}/{len(lessons)}",
            width,
            ascii_only,
            legend if number == 1 else "",
        )
    ]


def pages_of(
    game: Game, lesson: Lesson, number: str, width: int, ascii_only: bool, legend: str = ""
) -> Iterator[str]:
    """Yield the pages of a lesson: its text with the first example, then one for each other.

    Texts that leave no room for the first example have a page of their own. `legend` goes below
    the first example, or if need be on a page of its own, too.
    """
    head = wrapped(f"{game.title} {number}: {lesson.title} ({', '.join(lesson.rules)})", width)
    text = wrapped(lesson.text, width)
    shown = [show_example(game, example, width, ascii_only) for example in lesson.examples]
    blocks = [text, *shown[:1], *([legend] if legend else [])]
    page = head
    for block in blocks:
        longer = f"{page}\n\n{block}"
        if page != head and len(longer.splitlines()) > MAX_HEIGHT:
            yield page
            longer = f"{head}\n\n{block}"
        page = longer
    yield page
    for block in shown[1:]:
        yield f"{head}\n\n{block}"


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
    board = render_small(
        *with_last_moves(positions, actions)[-1], width=width, ascii_only=ascii_only
    )
    spare = width - max(map(len, board.splitlines()))
    blocks = [textwrap.indent(board, " " * min(max(spare, 0), 4))]
    if example.moves:
        first = game.player_names[positions[0].to_move]
        moves = " ".join(example.moves)
        blocks.insert(0, wrapped(f"Moves, {first} first: {moves}", width))
    blocks.append(wrapped(example.text, width))
    facts = []
    if example.result:
        mover = game.player_names[positions[-2].to_move].capitalize()
        who = "A draw" if example.result == "draw" else f"{mover} {_RESULTS[example.result]}"
        end = f"{who}: {game.describe_end(positions[-1])}."
        facts.append(wrapped(end, width))
    if example.legal:
        facts.append(wrapped(f"Possible now, among others: {', '.join(example.legal)}", width))
    for move in example.illegal:
        why = game.explain_illegal(game.parse_move(move, positions[-1]), positions[-1])
        facts.append(wrapped(f"Not possible: {move}: {why}.", width))
    return "\n\n".join([*blocks, *(["\n".join(facts)] if facts else [])])
