"""The terminal picture of Mancala, seen by south.

A hole is eight characters wide and three lines high, here in ASCII::

    [ 5 +1 ]
      || |
      || `-- the last move: +1 sown into the hole, -6 sown from it, which [ and ] mark too
      |`---- the seeds
      oooo   one character for each seed, up to twelve; then + means more
      o      or, in a hole that the last move emptied, x3 captured, >4 taken at the end

Colours repeat what the characters say.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.style import Style
from rich.text import Text

from mammalath_env.core.position import LastMove, Position
from mammalath_env.games.mancala.config import MAJORITY, NUM_HOLES
from mammalath_env.games.mancala.effect import Hole
from mammalath_env.games.mancala.text import HOLE_LETTERS
from mammalath_env.rendering.console import STRONG, InAscii, legend
from mammalath_env.rendering.mancala_view import NORTH, SOUTH, MancalaView, row_of

_HOLE_WIDTH = 8
_STORE_WIDTH = 11
_DOTS = 6
"""Most dots of one line of a hole."""

_SEED_SIGN = "●"
_CAPTURED_SIGN = "\N{MULTIPLICATION SIGN}"
_TAKEN_SIGN = "»"
_ASCII = str.maketrans(f"{_SEED_SIGN}{_CAPTURED_SIGN}{_TAKEN_SIGN}", "ox>")

_BOARD = Style.parse("color(16) on color(180)")
_SEED = Style.parse("color(94)")
_FROM = Style.parse("color(231) on color(130)")
_INTO = Style.parse("color(16) on color(222)")
_CAPTURED = Style.parse("color(231) on color(160)")
_TAKEN = Style.parse("color(231) on color(26)")
_WINNER = Style.parse("color(231) on color(29)")


def draw(position: Position, last: LastMove | None, ascii_only: bool) -> RenderableType:
    """Return the picture of a position, as `mammalath_env.rendering.Picture` describes it."""
    view = MancalaView(position, last)
    move = f"{view.mover} {view.move}{view.capture}" if view.move else "-"
    facts = f"   ply {view.position.ply}   Last move: {move}"
    limit = view.game.config.no_capture_limit
    captures = f"   Plies without a capture: {view.plies_since_capture} of {limit}"
    drawing = Group(
        Text.assemble((view.game.title, STRONG), facts),
        _letters(NORTH),
        *_board(view),
        _letters(SOUTH),
        Text.assemble((view.status, STRONG), captures),
        legend(
            ("[-4]", "sown from"),
            ("+1", "sown into"),
            (f"{_CAPTURED_SIGN}3", "captured"),
            (f"{_TAKEN_SIGN}5", "taken at the end"),
        ),
    )
    return InAscii(drawing, _ASCII) if ascii_only else drawing


def _letters(player: int) -> Text:
    """Return the line with the letters of a player's holes."""
    letters = (f" {HOLE_LETTERS[player][hole]:^{_HOLE_WIDTH}}" for _, hole in row_of(player))
    return Text(f"{'':{_STORE_WIDTH + 1}}{''.join(letters).rstrip()}", STRONG)


def _board(view: MancalaView) -> Iterator[Text]:
    """Yield the lines of the board: north's row above south's, between the two stores."""
    grid = box.SQUARE
    north, south = (_store(view, player) for player in (NORTH, SOUTH))
    rows: list[tuple[Text, ...] | None] = [
        *_row_lines(view, NORTH),
        None,
        *_row_lines(view, SOUTH),
    ]
    yield _rule(grid.top_left, grid.top, grid.top_divider, grid.top_right)
    for left, holes, right in zip(north, rows, south, strict=True):
        edge = (grid.mid_vertical, _BOARD)
        if holes is None:
            between = grid.row_cross.join([grid.row_horizontal * _HOLE_WIDTH] * NUM_HOLES)
            middle = Text(grid.row_left + between + grid.row_right, _BOARD)
        else:
            middle = Text.assemble(edge, Text(*edge).join(holes), edge)
        yield Text.assemble((grid.mid_left, _BOARD), left, middle, right, (grid.mid_right, _BOARD))
    yield _rule(grid.bottom_left, grid.bottom, grid.bottom_divider, grid.bottom_right)


def _rule(left: str, line: str, divider: str, right: str) -> Text:
    """Return the line above or below the board."""
    widths = (_STORE_WIDTH, *[_HOLE_WIDTH] * NUM_HOLES, _STORE_WIDTH)
    return Text(left + divider.join(line * width for width in widths) + right, _BOARD)


def _row_lines(view: MancalaView, player: int) -> Iterator[tuple[Text, ...]]:
    """Return the three lines of a player's holes, each from the left."""
    return zip(*(_hole(view, hole) for hole in row_of(player)), strict=True)


def _hole(view: MancalaView, hole: Hole) -> tuple[Text, Text, Text]:
    """Return the three lines of `hole`."""
    seeds, sown = view.seeds[hole], view.sown[hole]
    left, right = ("[", "]") if hole == view.origin else (" ", " ")
    mark = f"{sown:+}" if sown else ""
    ground = _BOARD
    if hole == view.origin:
        ground += _FROM
    elif sown:
        ground += _INTO
    upper, lower = (_SEED_SIGN * max(0, min(seeds - skipped, _DOTS)) for skipped in (0, _DOTS))
    if seeds > 2 * _DOTS:
        lower = lower[:-1] + "+"
    below = Text(f" {upper:<{_DOTS}} ", ground + _SEED)
    for gone, symbol, style in (
        (view.captured, _CAPTURED_SIGN, _CAPTURED),
        (view.taken, _TAKEN_SIGN, _TAKEN),
    ):
        if hole in gone:
            below = Text(f"{'':4}{f'{symbol}{gone[hole]}':<4}", style + STRONG)
    return (
        Text(f"{left}{seeds:>2} {mark:<3}{right}", ground + STRONG),
        below,
        Text(f" {lower:<{_DOTS}} ", ground + _SEED),
    )


def _store(view: MancalaView, player: int) -> list[Text]:
    """Return the seven lines of the store of `player`."""
    gained = f"+{view.gained[player]}" if view.gained[player] else ""
    turn, ground = "", _BOARD
    if view.outcome is None:
        turn = "to move" if view.player == player else ""
        goal = f"{MAJORITY - view.stores[player]} to win"
    elif view.player is None:
        goal = "draw"
    elif view.player == player:
        goal = "won"
        ground += _WINNER
    else:
        goal = "lost"
    lines = (view.game.player_names[player], turn, str(view.stores[player]), gained, "", "", goal)
    return [Text(f"{line:^{_STORE_WIDTH}}", ground + STRONG) for line in lines]
