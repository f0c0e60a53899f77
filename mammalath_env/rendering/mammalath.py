"""The terminal picture of Mammalath and Mammalath Plus.

A space is five characters wide, here in ASCII::

    [A!o]
    ||||`-- the last move: ] placed here, > swapped here
    |||`--- the token
    ||`---- the line that ended the game: * won it, ! lost it
    |`----- the animal; a small letter if the last move released it
    `------ the last move: [ placed here, < swapped here, x released here

Where there is no room, the facts stand below the board; then spaces lose their right character and
the lines around them. Colours repeat what the characters say.
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
from mammalath_env.rendering.console import STRONG, WIDTH, Fitting, InAscii, Parts, legend
from mammalath_env.rendering.mammalath_view import MammalathView

_SPACE_WIDTH = 5
_DENSE_WIDTH = 4
_NAME_WIDTH = max(map(len, ANIMAL_NAMES))

_TOKEN_SIGNS = "●○"
RELEASED = "\N{MULTIPLICATION SIGN}"
_WON = "★"
_LOST = "!"
ASCII = str.maketrans(f"{_TOKEN_SIGNS}{RELEASED}{_WON}", "#ox*")
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
    facts = _facts(view)
    board_width = 3 + size * (_SPACE_WIDTH + 1)
    # In `WIDTH` columns the facts are always at the right, and wrap there if they must.
    beside_width = min(board_width + 3 + max(line.cell_len for line in facts.split()), WIDTH)
    drawing = Fitting(
        (
            (
                beside_width,
                lambda: Group(_picture(*_board(view), Text("   "), facts), _legend()),
            ),
            (
                board_width,
                lambda: Group(_picture(*_board(view)), *_facts_below(view), _legend()),
            ),
            (
                2 + size * _DENSE_WIDTH,
                lambda: Group(_picture(*_dense_board(view)), *_facts_below(view), _legend()),
            ),
            (0, lambda: Group(*_news(view), Text(position.to_text()))),
        )
    )
    return InAscii(drawing, ASCII) if ascii_only else drawing


def _picture(*columns: RenderableType) -> Table:
    """Return columns side by side."""
    picture = Table.grid(padding=0)
    picture.add_row(*columns)
    return picture


def _legend() -> Parts:
    """Return what the marks mean."""
    return legend(
        ("".join(_PLACED), "placed"),
        ("".join(_SWAPPED), "swapped"),
        (f"{RELEASED}a", "released"),
        (_WON, "winning line"),
        (_LOST, "losing line"),
    )


def _board(view: MammalathView) -> tuple[Text, Group]:
    """Return the numbers of the rows, and the spaces with lines around them, `a1` at the top left.

    Letters are above the board from a, numbers beside it from 1 at the top.
    """
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
        board.add_row(*(draw_space(view, row * size + col) for col in range(size)))
    letters = "".join(f" {chr(ord('a') + col):^{_SPACE_WIDTH}}" for col in range(size))
    numbers = "\n" + "".join(f"\n{row + 1} \n" for row in range(size))
    return Text(numbers, STRONG), Group(Text(letters, STRONG), board)


def _dense_board(view: MammalathView) -> tuple[Text, Text]:
    """Return the same without lines, and the spaces without their last character."""
    size = view.game.config.size
    letters = "".join(f" {chr(ord('a') + col)}  " for col in range(size))
    rows = [
        Text().join(draw_space(view, row * size + col)[:_DENSE_WIDTH] for col in range(size))
        for row in range(size)
    ]
    numbers = "".join(f"\n{row + 1} " for row in range(size))
    return Text(numbers, STRONG), Text("\n").join([Text(letters, STRONG), *rows])


def draw_space(view: MammalathView, space: int) -> Text:
    """Return the five characters of `space`."""
    animal, token = view.animals.get(space), view.tokens.get(space)
    left = letter = line = disc = right = " "
    ground = tile = _BOARD
    if animal is not None:
        letter, tile = view.game.config.letters[animal], _TILES[animal]
    elif space in view.released:
        left = RELEASED
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


def _facts(view: MammalathView) -> Text:
    """Return the lines at the right of the board."""
    lines = [
        _title(view),
        _last_move(view),
        _headline(view),
        Text(f"    {view.status.removeprefix(view.headline).lstrip(' :')}"),
        Text("Tokens left", STRONG),
    ]
    tokens, animals = _left(view)
    for player, name in enumerate(view.game.player_names):
        lines.append(_count(_token(player), name, tokens[player]))
    lines.append(Text("Animals left", STRONG))
    for animal, number in enumerate(animals):
        lines.append(_count(_tile(view, animal), ANIMAL_NAMES[animal], number))
    return Text("\n").join(lines)


def _facts_below(view: MammalathView) -> Iterator[RenderableType]:
    """Yield the same in fewer lines, for below the board."""
    yield from _news(view)
    tokens, animals = _left(view)
    yield Parts(
        Text("Left:", STRONG),
        *(Text.assemble(_token(player), str(number)) for player, number in enumerate(tokens)),
        *(Text.assemble(_tile(view, animal), str(number)) for animal, number in enumerate(animals)),
        gap=1,
    )


def _news(view: MammalathView) -> Iterator[RenderableType]:
    """Yield the game, the last move and the status."""
    yield Parts(_title(view), _last_move(view))
    yield Text(view.status, STRONG)


def _title(view: MammalathView) -> Text:
    return Text.assemble((view.game.title, STRONG), f"   ply {view.position.ply}")


def _last_move(view: MammalathView) -> Text:
    return Text(f"Last move: {view.mover} {view.move}" if view.move else "Last move: -")


def _headline(view: MammalathView) -> Text:
    """Return whose turn it is, or who won, with a token."""
    if view.player is None:
        return Text(f"    {view.headline}", STRONG)
    return Text.assemble(_token(view.player), (f" {view.headline}", STRONG))


def _left(view: MammalathView) -> tuple[list[int], list[int]]:
    """Return how many tokens each player has left, and how many animals of each type stand."""
    config = view.game.config
    held, standing = list(view.tokens.values()), list(view.animals.values())
    return (
        [config.num_tokens - held.count(player) for player in (0, 1)],
        [standing.count(animal) for animal in range(len(config.letters))],
    )


def _tile(view: MammalathView, animal: int) -> Text:
    """Return the tile of a type for the lines beside the board."""
    return Text(f" {view.game.config.letters[animal]} ", _TILES[animal])


def _count(piece: Text, name: str, number: int) -> Text:
    """Return the line with the number of pieces of one kind."""
    return Text.assemble(piece, f" {name:<{_NAME_WIDTH}}{number:>3}")


def _token(player: int) -> Text:
    """Return a token of `player` for the lines beside the board."""
    return Text(f" {_TOKEN_SIGNS[player]} ", _BOARD + _TOKENS[player])
