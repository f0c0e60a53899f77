"""The terminal picture of Mancala, seen by south.

A hole is eight characters wide and three lines high, here in ASCII::

    [ 5 +1 ]
      || |
      || `-- the last move: +1 sown into the hole, -6 sown from it, which [ and ] mark too
      |`---- the seeds
      oooo   one character for each seed, up to twelve; then + means more
      o      or, in a hole that the last move emptied, x3 captured, >4 taken at the end

Where there is no room, the stores stand above and below the board as lines; then a hole is four
characters wide and two lines high, without a character for each seed. Colours repeat what the
characters say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from rich import box
from rich.console import Group, RenderableType
from rich.style import Style
from rich.text import Text

from mammalath_env.core.position import LastMove, Position
from mammalath_env.games.mancala.config import MAJORITY, NUM_HOLES
from mammalath_env.games.mancala.effect import Hole
from mammalath_env.games.mancala.text import HOLE_LETTERS
from mammalath_env.rendering.console import STRONG, Fitting, InAscii, Parts, legend
from mammalath_env.rendering.mancala_view import NORTH, SOUTH, MancalaView, row_of

_HOLE_WIDTH = 8
_NARROW_WIDTH = 4
_STORE_WIDTH = 11
_DOTS = 6
"""Most dots of one line of a hole."""

_SEED_SIGN = "●"
CAPTURED_SIGN = "\N{MULTIPLICATION SIGN}"
TAKEN_SIGN = "»"
ASCII = str.maketrans(f"{_SEED_SIGN}{CAPTURED_SIGN}{TAKEN_SIGN}", "ox>")

_BOARD = Style.parse("color(16) on color(180)")
_SEED = Style.parse("color(94)")
_FROM = Style.parse("color(231) on color(130)")
_INTO = Style.parse("color(16) on color(222)")
_CAPTURED = Style.parse("color(231) on color(160)")
_TAKEN = Style.parse("color(231) on color(26)")
_WINNER = Style.parse("color(231) on color(29)")


DrawHole: TypeAlias = Callable[[MancalaView, Hole], tuple[Text, ...]]


def draw(position: Position, last: LastMove | None, ascii_only: bool) -> RenderableType:
    """Return the picture of a position, as `mammalath_env.rendering.Picture` describes it."""
    view = MancalaView(position, last)
    drawing = Fitting(
        (
            (
                3 + 2 * _STORE_WIDTH + NUM_HOLES * (_HOLE_WIDTH + 1),
                lambda: Group(
                    _title(view),
                    _letters(NORTH, _STORE_WIDTH + 1),
                    *_board(view),
                    _letters(SOUTH, _STORE_WIDTH + 1),
                    _status(view),
                    _legend(),
                ),
            ),
            (1 + NUM_HOLES * (_HOLE_WIDTH + 1), lambda: _stacked(view, _hole, _HOLE_WIDTH)),
            (
                1 + NUM_HOLES * (_NARROW_WIDTH + 1),
                lambda: _stacked(view, _narrow_hole, _NARROW_WIDTH),
            ),
            (0, lambda: Group(_title(view), _status(view), Text(position.to_text()))),
        )
    )
    return InAscii(drawing, ASCII) if ascii_only else drawing


def _title(view: MancalaView) -> Parts:
    """Return the game and the last move."""
    move = f"{view.mover} {view.move}{view.capture}" if view.move else "-"
    return Parts(
        Text(view.game.title, STRONG),
        Text(f"ply {view.position.ply}"),
        Text(f"Last move: {move}"),
    )


def _status(view: MancalaView) -> Parts:
    """Return whose turn it is, or who won, and for how long nothing was captured."""
    limit = view.game.config.no_capture_limit
    return Parts(
        Text(view.status, STRONG),
        Text(f"Plies without a capture: {view.plies_since_capture} of {limit}"),
    )


def _legend() -> Parts:
    """Return what the marks mean."""
    return legend(
        ("[-4]", "sown from"),
        ("+1", "sown into"),
        (f"{CAPTURED_SIGN}3", "captured"),
        (f"{TAKEN_SIGN}5", "taken at the end"),
    )


def _letters(player: int, left: int, width: int = _HOLE_WIDTH) -> Text:
    """Return the line with the letters of a player's holes, `left` columns from the left."""
    letters = (f" {HOLE_LETTERS[player][hole]:^{width}}" for _, hole in row_of(player))
    return Text(f"{'':{left}}{''.join(letters).rstrip()}", STRONG)


def _board(view: MancalaView) -> Iterator[Text]:
    """Yield the lines of the board: north's row above south's, between the two stores."""
    grid = box.SQUARE
    north, south = (_store(view, player) for player in (NORTH, SOUTH))
    rows = _rows(view, _hole, _HOLE_WIDTH)
    widths = (_STORE_WIDTH, *[_HOLE_WIDTH] * NUM_HOLES, _STORE_WIDTH)
    yield _rule(grid.top_left, grid.top, grid.top_divider, grid.top_right, widths)
    for left, middle, right in zip(north, rows, south, strict=True):
        yield Text.assemble((grid.mid_left, _BOARD), left, middle, right, (grid.mid_right, _BOARD))
    yield _rule(grid.bottom_left, grid.bottom, grid.bottom_divider, grid.bottom_right, widths)


def _stacked(view: MancalaView, draw_hole: DrawHole, width: int) -> Group:
    """Return a board whose holes are `width` columns wide, between lines with the stores."""
    grid, widths = box.SQUARE, [width] * NUM_HOLES
    return Group(
        _title(view),
        _store_line(view, NORTH),
        _letters(NORTH, 0, width),
        _rule(grid.top_left, grid.top, grid.top_divider, grid.top_right, widths),
        *_rows(view, draw_hole, width),
        _rule(grid.bottom_left, grid.bottom, grid.bottom_divider, grid.bottom_right, widths),
        _letters(SOUTH, 0, width),
        _store_line(view, SOUTH),
        _status(view),
        _legend(),
    )


def _rule(left: str, line: str, divider: str, right: str, widths: Sequence[int]) -> Text:
    """Return the line above or below the board."""
    return Text(left + divider.join(line * width for width in widths) + right, _BOARD)


def _rows(view: MancalaView, draw_hole: DrawHole, width: int) -> Iterator[Text]:
    """Yield the lines of the holes: north's row above south's, and a line between."""
    grid = box.SQUARE
    edge = (grid.mid_vertical, _BOARD)
    for player in (NORTH, SOUTH):
        for holes in zip(*(draw_hole(view, hole) for hole in row_of(player)), strict=True):
            yield Text.assemble(edge, Text(*edge).join(holes), edge)
        if player == NORTH:
            between = grid.row_cross.join([grid.row_horizontal * width] * NUM_HOLES)
            yield Text(grid.row_left + between + grid.row_right, _BOARD)


def _ground(view: MancalaView, hole: Hole) -> Style:
    """Return the style of `hole`."""
    if hole == view.origin:
        return _BOARD + _FROM
    return _BOARD + _INTO if view.sown[hole] else _BOARD


def _gone(view: MancalaView, hole: Hole) -> tuple[str, Style] | None:
    """Return the mark of a hole whose seeds were captured or taken."""
    for gone, symbol, style in (
        (view.captured, CAPTURED_SIGN, _CAPTURED),
        (view.taken, TAKEN_SIGN, _TAKEN),
    ):
        if hole in gone:
            return f"{symbol}{gone[hole]}", style + STRONG
    return None


def _narrow_hole(view: MancalaView, hole: Hole) -> tuple[Text, Text]:
    """Return the two lines of `hole` where there is little room."""
    sown, ground = view.sown[hole], _ground(view, hole)
    left, right = ("[", "]") if hole == view.origin else (" ", " ")
    mark = _gone(view, hole) or (f"{sown:+}" if sown else "", ground + STRONG)
    return (
        Text(f"{left}{view.seeds[hole]:>2}{right}", ground + STRONG),
        Text(f"{mark[0]:^{_NARROW_WIDTH}}", mark[1]),
    )


def _hole(view: MancalaView, hole: Hole) -> tuple[Text, Text, Text]:
    """Return the three lines of `hole`."""
    seeds, sown = view.seeds[hole], view.sown[hole]
    left, right = ("[", "]") if hole == view.origin else (" ", " ")
    mark = f"{sown:+}" if sown else ""
    ground = _ground(view, hole)
    upper, lower = (_SEED_SIGN * max(0, min(seeds - skipped, _DOTS)) for skipped in (0, _DOTS))
    if seeds > 2 * _DOTS:
        lower = lower[:-1] + "+"
    below = Text(f" {upper:<{_DOTS}} ", ground + _SEED)
    if gone := _gone(view, hole):
        below = Text(f"{'':4}{gone[0]:<4}", gone[1])
    return (
        Text(f"{left}{seeds:>2} {mark:<3}{right}", ground + STRONG),
        below,
        Text(f" {lower:<{_DOTS}} ", ground + _SEED),
    )


def _turn(view: MancalaView, player: int) -> tuple[str, str, Style]:
    """Return whether it is the player's turn, how far the player is from winning, and a style."""
    if view.outcome is None:
        turn = "to move" if view.player == player else ""
        return turn, f"{MAJORITY - view.stores[player]} to win", _BOARD
    if view.player is None:
        return "", "draw", _BOARD
    if view.player == player:
        return "", "won", _BOARD + _WINNER
    return "", "lost", _BOARD


def _store(view: MancalaView, player: int) -> list[Text]:
    """Return the seven lines of the store of `player`."""
    gained = f"+{view.gained[player]}" if view.gained[player] else ""
    turn, goal, ground = _turn(view, player)
    lines = (view.game.player_names[player], turn, str(view.stores[player]), gained, "", "", goal)
    return [Text(f"{line:^{_STORE_WIDTH}}", ground + STRONG) for line in lines]


def _store_line(view: MancalaView, player: int) -> Text:
    """Return the store of `player` as one line."""
    gained = f" +{view.gained[player]}" if view.gained[player] else ""
    turn, goal, ground = _turn(view, player)
    words = [f"{view.game.player_names[player]}: {view.stores[player]}{gained}", turn, goal]
    return Text(f" {', '.join(filter(None, words))} ", ground + STRONG)
