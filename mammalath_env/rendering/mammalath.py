"""The terminal picture of Mammalath and Mammalath Plus.

A space is five characters wide, here in ASCII::

    [A!o]
    ||||`-- the last move: ] placed here, > swapped here
    |||`--- the token
    ||`---- the line that ended the game: * won it, ! lost it
    |`----- the animal; a small letter if the last move released it
    `------ the last move: [ placed here, < swapped here, x released here

Colours repeat what the characters say.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from mammalath_env.core.position import LastMove, Position
from mammalath_env.games.mammalath.config import ANIMAL_NAMES
from mammalath_env.rendering.console import STRONG, InAscii, legend
from mammalath_env.rendering.mammalath_view import MammalathView

_SPACE_WIDTH = 5
_NAME_WIDTH = max(map(len, ANIMAL_NAMES))

_TOKEN_SIGNS = "●○"
_RELEASED = "\N{MULTIPLICATION SIGN}"
_WON = "★"
_LOST = "!"
_ASCII = str.maketrans(f"{_TOKEN_SIGNS}{_RELEASED}{_WON}", "#ox*")
_PLACED = ("[", "]")
_SWAPPED = ("<", ">")

# Colours of the letter and the tile of each animal: those of the rules (R1, R13). A tile makes a
# black or a white animal readable on any background. The board is between black and white, so
# that tokens of both can be seen.
_TILE_COLORS = (
    (231, 160),
    (16, 208),
    (16, 226),
    (231, 28),
    (231, 26),
    (231, 91),
    (16, 231),
    (231, 16),
)
_TILES = tuple(Style.parse(f"bold color({ink}) on color({tile})") for ink, tile in _TILE_COLORS)
_TOKENS = (Style.parse("bold color(16)"), Style.parse("bold color(231)"))
_BOARD = Style.parse("color(16) on color(66)")
_ON_MOVED = Style.parse("bold color(231) on color(130)")
_ON_RELEASED = Style.parse("color(231) on color(240)")
_ON_WON = Style.parse("bold color(231) on color(29)")
_ON_LOST = Style.parse("bold color(231) on color(160)")


def draw(position: Position, last: LastMove | None, ascii_only: bool) -> RenderableType:
    """Return the picture of a position, as `mammalath_env.rendering.Picture` describes it."""
    view = MammalathView(position, last)
    size = view.game.config.size
    # Letters above the board from a, numbers beside it from 1 at the top.
    letters = "".join(f" {chr(ord('a') + col):^{_SPACE_WIDTH}}" for col in range(size))
    numbers = "\n" + "".join(f"\n{row + 1} \n" for row in range(size))
    picture = Table.grid(padding=0)
    picture.add_row(
        Text(numbers, STRONG),
        Group(Text(letters, STRONG), _board(view)),
        Text("   "),
        Text("\n").join(_facts(view)),
    )
    marks = legend(
        ("".join(_PLACED), "placed"),
        ("".join(_SWAPPED), "swapped"),
        (f"{_RELEASED}a", "released"),
        (_WON, "winning line"),
        (_LOST, "losing line"),
    )
    drawing = Group(picture, marks)
    return InAscii(drawing, _ASCII) if ascii_only else drawing


def _board(view: MammalathView) -> Table:
    """Return the spaces with lines around them, `a1` at the top left."""
    size = view.game.config.size
    board = Table(
        box=box.SQUARE,
        show_header=False,
        show_lines=True,
        padding=0,
        style=_BOARD,
    )
    for _ in range(size):
        board.add_column(width=_SPACE_WIDTH, no_wrap=True)
    for row in range(size):
        board.add_row(*(_space(view, row * size + col) for col in range(size)))
    return board


def _space(view: MammalathView, space: int) -> Text:
    """Return the five characters of `space`."""
    animal, token = view.animals.get(space), view.tokens.get(space)
    left = letter = line = disc = right = " "
    ground = tile = _BOARD
    if animal is not None:
        letter, tile = view.game.config.letters[animal], _TILES[animal]
    elif space in view.released:
        left = _RELEASED
        letter, tile = view.game.config.letters[view.released[space]].lower(), _ON_RELEASED
    if space in (view.effect.placed, view.effect.swapped):
        left, right = _PLACED if space == view.effect.placed else _SWAPPED
        ground = _ON_MOVED
    if space in view.finished:
        line, ground = (_LOST, _ON_LOST) if view.lost else (_WON, _ON_WON)
    if token is not None:
        disc = _TOKEN_SIGNS[token]
    if tile is _BOARD:
        tile = ground
    return Text.assemble(
        (left + letter + line, tile),
        (disc, ground if token is None else ground + _TOKENS[token]),
        (right, ground),
    )


def _facts(view: MammalathView) -> Iterator[Text]:
    """Yield the lines at the right of the board."""
    game, config = view.game, view.game.config
    yield Text.assemble((game.title, STRONG), f"   ply {view.position.ply}")
    yield Text(f"Last move: {view.mover} {view.move}" if view.move else "Last move: -")
    if view.player is None:
        yield Text(f"    {view.headline}", STRONG)
    else:
        yield Text.assemble(_token(view.player), (f" {view.headline}", STRONG))
    yield Text(f"    {view.status.removeprefix(view.headline).lstrip(' :')}")
    held = list(view.tokens.values())
    yield Text("Tokens left", STRONG)
    for player, name in enumerate(game.player_names):
        yield _count(_token(player), name, config.num_tokens - held.count(player))
    standing = list(view.animals.values())
    yield Text("Animals left", STRONG)
    for animal, letter in enumerate(config.letters):
        tile = Text(f" {letter} ", _TILES[animal])
        yield _count(tile, ANIMAL_NAMES[animal], standing.count(animal))


def _count(piece: Text, name: str, number: int) -> Text:
    """Return the line with the number of pieces of one kind."""
    return Text.assemble(piece, f" {name:<{_NAME_WIDTH}}{number:>3}")


def _token(player: int) -> Text:
    """Return a token of `player` for the lines beside the board."""
    return Text(f" {_TOKEN_SIGNS[player]} ", _BOARD + _TOKENS[player])
