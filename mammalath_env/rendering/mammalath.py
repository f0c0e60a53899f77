"""The terminal picture of Mammalath and Mammalath Plus.

A space is five characters wide::

    [A!o]
    ||||`-- the last move: ] placed here, > swapped here
    |||`--- the token
    ||`---- the line that ended the game: * won it, ! lost it
    |`----- the animal; a small letter is one that the last move released
    `------ the last move: [ placed here, < swapped here, x released here

Colours repeat what the characters say.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from mammalath_env.core.position import LastMove, Position
from mammalath_env.games.mammalath.config import ANIMAL_NAMES
from mammalath_env.rendering.mammalath_view import MammalathView

_SPACE_WIDTH = 5
_BETWEEN = 3
"""Columns between the board and the text at its right."""
_NAME_WIDTH = max(map(len, ANIMAL_NAMES))


@dataclasses.dataclass(frozen=True)
class _Symbols:
    """The characters that differ between the two pictures.

    Attributes:
        tokens: A token of black, of white.
        released: In front of an animal that the last move released.
        won: On the spaces of a line that won.
        lost: On the spaces of a line that lost.
        grid: The lines between the spaces.
    """

    tokens: tuple[str, str]
    released: str
    won: str
    lost: str
    grid: box.Box


_UNICODE = _Symbols(("●", "○"), "\N{MULTIPLICATION SIGN}", "★", "!", box.SQUARE)
_ASCII = _Symbols(("#", "o"), "x", "*", "!", box.ASCII2)

_PLACED = ("[", "]")
_SWAPPED = ("<", ">")

# Every animal stands on a tile of its colour (R1, R13), so that a black or a white one can be read
# on any background. The board is between black and white, so that tokens of both can be.
_TILES = tuple(
    Style.parse(f"bold {letter} on {tile}")
    for letter, tile in (
        ("color(231)", "color(160)"),
        ("color(16)", "color(208)"),
        ("color(16)", "color(226)"),
        ("color(231)", "color(28)"),
        ("color(231)", "color(26)"),
        ("color(231)", "color(91)"),
        ("color(16)", "color(231)"),
        ("color(231)", "color(16)"),
    )
)
_TOKENS = (Style.parse("bold color(16)"), Style.parse("bold color(231)"))
_BOARD = Style.parse("color(16) on color(66)")
_MOVED = Style.parse("bold color(231) on color(130)")
_RELEASED = Style.parse("color(231) on color(240)")
_WON = Style.parse("bold color(231) on color(29)")
_LOST = Style.parse("bold color(231) on color(160)")
_FAINT = Style.parse("dim")
_STRONG = Style.parse("bold")


def draw(position: Position, last: LastMove | None, ascii_only: bool) -> RenderableType:
    """Return the picture of `position` with the move `last` marked.

    Args:
        position: A position of Mammalath or Mammalath Plus.
        last: The position before and the action that led from it to `position`, if known.
        ascii_only: Use ASCII characters only.

    Raises:
        TypeError: `position` is of another game.
    """
    view = MammalathView(position, last)
    symbols = _ASCII if ascii_only else _UNICODE
    size = view.game.config.size
    picture = Table.grid(padding=0)
    picture.add_row(
        _row_numbers(size),
        Group(_column_letters(size), _board(view, symbols)),
        Text(" " * _BETWEEN),
        Text("\n").join(_facts(view, symbols)),
    )
    return Group(picture, _legend(symbols))


def _column_letters(size: int) -> Text:
    """Return the line above the board, `a` at the left."""
    letters = (chr(ord("a") + col) for col in range(size))
    return Text("".join(f" {letter:^{_SPACE_WIDTH}}" for letter in letters), _STRONG)


def _row_numbers(size: int) -> Text:
    """Return the column beside the board, 1 at the top."""
    return Text("\n" + "".join(f"\n{row + 1} \n" for row in range(size)), _STRONG)


def _board(view: MammalathView, symbols: _Symbols) -> Table:
    """Return the spaces with lines around them, `a1` at the top left."""
    size = view.game.config.size
    board = Table(
        box=symbols.grid,
        show_header=False,
        show_lines=True,
        padding=0,
        style=_BOARD,
    )
    for _ in range(size):
        board.add_column(width=_SPACE_WIDTH, no_wrap=True)
    for row in range(size):
        board.add_row(*(_space(view, row * size + col, symbols) for col in range(size)))
    return board


def _space(view: MammalathView, space: int, symbols: _Symbols) -> Text:
    """Return the five characters of `space`."""
    animal, token = view.animals.get(space), view.tokens.get(space)
    left = letter = line = disc = right = " "
    ground = tile = _BOARD
    if animal is not None:
        letter, tile = view.game.config.letters[animal], _TILES[animal]
    elif space in view.released:
        left = symbols.released
        letter, tile = view.game.config.letters[view.released[space]].lower(), _RELEASED
    if space in (view.effect.placed, view.effect.swapped):
        left, right = _PLACED if space == view.effect.placed else _SWAPPED
        ground = _MOVED
    if space in view.finished:
        line, ground = (symbols.lost, _LOST) if view.lost else (symbols.won, _WON)
    if token is not None:
        disc = symbols.tokens[token]
    if tile is _BOARD:
        tile = ground
    return Text.assemble(
        (left + letter + line, tile),
        (disc, ground if token is None else ground + _TOKENS[token]),
        (right, ground),
    )


def _facts(view: MammalathView, symbols: _Symbols) -> Iterator[Text]:
    """Yield the lines at the right of the board."""
    game, config = view.game, view.game.config
    yield Text.assemble((game.title, _STRONG), f"   ply {view.position.ply}")
    move = "-"
    if view.last is not None:
        previous, action = view.last
        mover = game.player_names[previous.to_move]
        move = f"{mover} {previous.move_text(action)}"
    yield Text(f"Last move: {move}")
    yield from _state(view, symbols)
    held = list(view.tokens.values())
    yield Text("Tokens left", _STRONG)
    for player, name in enumerate(game.player_names):
        yield _count(_token(player, symbols), name, config.num_tokens - held.count(player))
    standing = list(view.animals.values())
    yield Text("Animals left", _STRONG)
    for animal, letter in enumerate(config.letters):
        tile = Text(f" {letter} ", _TILES[animal])
        yield _count(tile, ANIMAL_NAMES[animal], standing.count(animal))


def _state(view: MammalathView, symbols: _Symbols) -> Iterator[Text]:
    """Yield two lines: whose turn it is or who won, and what there is to add."""
    game, position = view.game, view.position
    outcome = position.outcome
    player: int | None = position.to_move
    news = "to move"
    if outcome is None:
        reason = "or to swap" if view.may_swap else ""
    else:
        player, news = outcome.winner, "won"
        reason = outcome.termination.label
    if player is None:
        yield Text("    Draw", _STRONG)
    else:
        name = game.player_names[player].capitalize()
        yield Text.assemble(_token(player, symbols), (f" {name} {news}", _STRONG))
    yield Text(f"    {reason}")


def _count(piece: Text, name: str, number: int) -> Text:
    """Return the line that says how many pieces of one kind there are."""
    return Text.assemble(piece, f" {name:<{_NAME_WIDTH}}{number:>3}")


def _token(player: int, symbols: _Symbols) -> Text:
    """Return a token of `player` on a piece of the board, for use beside the board."""
    return Text(f" {symbols.tokens[player]} ", _BOARD + _TOKENS[player])


def _legend(symbols: _Symbols) -> Text:
    """Return what the marks mean."""
    meanings = (
        ("".join(_PLACED), "placed"),
        ("".join(_SWAPPED), "swapped"),
        (f"{symbols.released}a", "released"),
        (symbols.won, "winning line"),
        (symbols.lost, "losing line"),
    )
    return Text("   ").join(
        Text.assemble((mark, _STRONG), " ", (meaning, _FAINT)) for mark, meaning in meanings
    )
