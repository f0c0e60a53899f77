"""Pictures of pixels: known points of known spaces, not whole images."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from mammalath_env import GAMES, make_game
from mammalath_env.core.game import Game
from mammalath_env.games.mammalath.game import MammalathGame
from mammalath_env.rendering import DEFAULT_SIZE, raster, render_rgb, scene_of
from mammalath_env.rendering import mammalath_board as board
from mammalath_env.rendering import mancala_board as holes
from mammalath_env.rendering.animals import COLORS
from mammalath_env.rendering.scene import HIGHLIGHT, WON
from mammalath_env.rendering.shapes import Path, Symbol
from tests.rendering.drawings import LOSS, WIN, after, color_at, random_game, text_planes
from tests.rendering.reading import Ply


def fill_of(symbol: Symbol) -> str:
    """Return the colour of the ground of a tile."""
    tile = symbol.shapes[0]
    assert isinstance(tile, Path)
    assert tile.fill is not None
    return tile.fill


def token_of(color: str) -> str:
    """Return whose token has this colour: ``b``, ``w`` or a blank."""
    insides = [inside for inside, _, _ in board.TOKEN_COLORS]
    return "bw"[insides.index(color)] if color in insides else " "


@pytest.mark.parametrize("size", [64, 101, 320, 480, 777])
def test_pictures_have_the_size_asked_for(game: Game, size: int) -> None:
    """A picture has the width that was asked for, and the height of its game."""
    picture = render_rgb(game.deal(1), size=size)
    assert picture.dtype == np.uint8
    height = round(size / 2) if game.name == "mancala" else size
    assert picture.shape == (height, size, 3)
    assert picture.flags.owndata
    assert picture.flags.writeable


def test_pictures_are_new_arrays(game: Game) -> None:
    """Writing to a picture changes no later one, and positions differ."""
    position = game.deal(1)
    first = render_rgb(position)
    kept = first.copy()
    first[:] = 0
    assert (render_rgb(position) == kept).all()
    assert (render_rgb(position.play(position.legal_actions()[0])) != kept).any()
    assert kept.shape[1] == DEFAULT_SIZE


def test_sizes_do_not_mix(game: Game) -> None:
    """Drawings that are kept for one size are not used for another."""
    position = game.deal(1)
    small = render_rgb(position, size=200)
    render_rgb(position, size=300)
    assert (render_rgb(position, size=200) == small).all()


@pytest.mark.parametrize("name", ["mammalath", "mammalath_plus"])
def test_every_space_shows_what_the_text_says(name: str) -> None:
    """Tiles are those of the animals, discs those of the tokens, on each space of random games."""
    game = make_game(name)
    assert isinstance(game, MammalathGame)
    layout = board.layout(game.config.size)
    tiles = {
        fill_of(symbol): letter for symbol, letter in zip(board.TILES, "ABCDEFGH", strict=True)
    }
    for seed in range(3):
        for ply in list(random_game(name, seed))[::4]:
            if ply.position.is_over:
                continue
            # Without the last move, which draws over tiles.
            pixels = render_rgb(ply.position)
            animals, tokens = text_planes(ply.position)
            for row, letters in enumerate(animals):
                for col, letter in enumerate(letters):
                    slot = layout.slots[row * game.config.size + col]
                    assert slot.name == f"{'abcdefgh'[col]}{row + 1}"
                    corner = color_at(pixels, layout, slot, 0.9, 0.12)
                    assert tiles.get(corner, " ") == letter
                    # At the left of a disc, outside an animal on it.
                    edge = color_at(pixels, layout, slot, 0.15, 0.5)
                    assert token_of(edge) == tokens[row][col]


def test_the_picture_is_not_the_transpose() -> None:
    """`a2` is below `a1`, `b1` at its right, in pixels counted from the picture's own corner."""
    position = make_game("mammalath").from_text(
        "AAAAAA/BBBBBB/CCCCCC/DDDDDD/EEEEEE/FFFFFF 6/b5/6/6/6/6 w 1"
    )
    pixels = render_rgb(position, size=710)
    # 7.1 units are 710 pixels: a2 is from (55, 150) on, b1 from (155, 50) on.
    black = tuple(int(board.TOKEN_COLORS[0][0][k : k + 2], 16) for k in (1, 3, 5))
    assert tuple(pixels[150 + 50, 55 + 12]) == black
    assert tuple(pixels[50 + 50, 155 + 12]) != black
    red, orange = (fill_of(board.TILES[k]) for k in (0, 1))
    assert "#" + bytes(pixels[50 + 12, 155 + 90]).hex() == red
    assert "#" + bytes(pixels[150 + 12, 55 + 90]).hex() == orange


@pytest.mark.parametrize(
    ("game_over", "color"), [(WIN, WON), (LOSS, board.LOST)], ids=["won", "lost"]
)
def test_the_finished_line(game_over: tuple[str, str], color: str) -> None:
    """The spaces of the line have one colour if it won, another if it lost, and no other space."""
    ply = after("mammalath", *game_over)
    layout = board.layout(6)
    assert WON != board.LOST
    for picture in (render_rgb(ply.position), render_rgb(*ply)):
        marked = {
            slot.name
            for slot in layout.slots
            if color_at(picture, layout, slot, 0.4, 0.035) == color
        }
        assert marked == {"c5", "d4", "e3"}


def test_the_last_move_is_marked_where_it_was() -> None:
    """Corners on the space of a placement, a faded animal on the spaces of a release."""
    start = make_game("mammalath").from_text(
        "AAAAAA/BBBBBB/CCCCCC/DDDDDD/EEEEEE/FFFFFF 6/6/6/6/6/6 b 0"
    )
    layout = board.layout(6)

    def corners(ply: Ply) -> set[str]:
        pixels = render_rgb(*ply, size=710)
        points = ((0.06, 0.17), (0.17, 0.06), (0.94, 0.17), (0.06, 0.83))
        return {
            slot.name
            for slot in layout.slots
            if all(color_at(pixels, layout, slot, x, y) == board.MOVED for x, y in points)
        }

    placed = Ply(start.play(6), start, 6)
    assert corners(placed) == {"a2"}
    assert corners(Ply(placed.position)) == set()
    swap = placed.position.legal_actions()[-1]
    assert corners(Ply(placed.position.play(swap), placed.position, swap)) == {"a2"}
    game = start.game
    release = game.parse_move("xB", placed.position)
    pixels = render_rgb(placed.position.play(release), placed.position, release)
    crossed = {
        slot.name
        for slot in layout.slots
        if color_at(pixels, layout, slot, 0.76, 0.76) == board.MOVED
    }
    assert crossed == {"a2", "b2", "c2", "d2", "e2", "f2"}


@pytest.mark.parametrize("size", [480, 320, 240, 961])
def test_rows_of_the_same_look_the_same(size: int) -> None:
    """Rows that hold the same are equal pixel by pixel, and as far apart as columns."""
    text = f"{'/'.join(['ABCDEF'] * 6)} 6/6/6/6/6/6 b 0"
    pixels = render_rgb(make_game("mammalath").from_text(text), size=size)
    pitch = int(size / 7.1)
    top, left = ((size - int(7.1 * pitch)) // 2 + int(units * pitch) + 1 for units in (0.5, 0.55))
    rows = [
        pixels[top + row * pitch : top + (row + 1) * pitch, left : left + 6 * pitch]
        for row in range(6)
    ]
    # The last pixels of the last row may be those of the frame.
    assert all((row[:-2] == rows[0][:-2]).all() for row in rows)
    assert len(np.unique(rows[0][:, :pitch].reshape(-1, 3), axis=0)) > 10


def test_animals_differ_in_shape() -> None:
    """The outlines of the heads differ, so that colours are not needed."""
    game = make_game("mammalath_plus")
    position = game.from_text(
        "ABCDEFGH/BCDEFGHA/CDEFGHAB/DEFGHABC/EFGHABCD/FGHABCDE/GHABCDEF/HABCDEFG "
        "8/8/8/8/8/8/8/8 b 0"
    )
    pixels = render_rgb(position, size=910)
    silhouettes = []
    for col in range(8):
        cell = pixels[50:150, 55 + 100 * col : 155 + 100 * col].astype(int)
        tile = np.array([int(fill_of(board.TILES[col])[k : k + 2], 16) for k in (1, 3, 5)])
        silhouettes.append(np.abs(cell - tile).sum(axis=-1) > 40)
    for one in range(8):
        for other in range(one):
            assert (silhouettes[one] != silhouettes[other]).mean() > 0.05, (one, other)
    assert len(set(COLORS)) == 8


def test_holes_show_their_marks() -> None:
    """Origin, sown and captured holes of Mancala have their colours, and others have none."""
    ply = after("mancala", "4,0,6,1,0,7/3,1,1,4,0,9 6-6 s 2 20", "C")
    layout = holes.layout()
    pixels = render_rgb(*ply, size=860)

    def with_color(color: str, x: float, y: float) -> set[str]:
        return {slot.name for slot in layout.slots if color_at(pixels, layout, slot, x, y) == color}

    assert with_color(holes.FROM, 0.5 - 0.42, 0.52) == {"C"}
    assert with_color(holes.INTO, 0.5 - 0.42, 0.52) == set("DEFabc")
    assert with_color(holes.CAPTURED, 0.28, 0.52) == {"c"}
    plain = render_rgb(ply.position, size=860)
    assert color_at(plain, layout, layout.slots[2], 0.5 - 0.42, 0.52) != holes.FROM


def test_the_store_of_the_winner() -> None:
    """The frame hides neither the number of its seeds nor that of the gained ones."""
    ply = after("mancala", "3,0,2,0,5,1/0,7,0,0,0,4 14-12 s 99 180", "A")
    contents = scene_of(*ply).contents[12]
    names = [symbol.name for symbol in contents]
    assert names.index("won-store") < names.index("gained-11")
    layout = holes.layout()
    slot = layout.slots[12]
    pixels = render_rgb(*ply, size=860)
    inside = [
        color_at(pixels, layout, slot, 0.2 + x / 100, 2.47 + y / 100)
        for x in range(70)
        for y in range(20)
    ]
    assert holes.FROM in inside
    assert WON not in inside


def test_highlights_have_the_shape_of_what_they_mark() -> None:
    """The frame of a store goes around all of it, the ring of a hole around its pit."""
    position = make_game("mancala").deal(1)
    layout = holes.layout()
    pixels = render_rgb(position, size=860, highlights=["A", "south's store"])
    store, hole = layout.slots[12], layout.slots[0]
    for x, y in ((0.1, 1.4), (1.0, 1.4), (0.55, 0.1), (0.55, 2.8)):
        assert color_at(pixels, layout, store, x, y) == HIGHLIGHT
    assert color_at(pixels, layout, hole, 0.5 + 0.42, 0.52) == HIGHLIGHT
    assert color_at(pixels, layout, store, 0.5 + 0.42, 0.52) != HIGHLIGHT


@pytest.mark.parametrize("name", GAMES)
def test_all_positions_can_be_drawn(name: str) -> None:
    """Whole random games, every ply with the move that led to it."""
    pictures = [render_rgb(*ply, size=64).tobytes() for ply in random_game(name, 5)]
    assert len(set(pictures)) == len(pictures)


def test_bands_are_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bands of a picture are where they belong; 199 pixels are no whole number of bands."""
    layout = board.layout(6)
    position = make_game("mammalath").deal(1)
    at_once = render_rgb(position, size=199, arrows=[("a1", "e5")]).astype(int)
    bands = []

    def drawn_band(shapes: Any, scale: int, samples: int, size: tuple[int, int]) -> Any:
        bands.append(size)
        return draw_band(shapes, scale, samples, size)

    draw_band = raster._drawn_band
    monkeypatch.setattr(raster, "_BAND", 199 * 16 * 30)
    monkeypatch.setattr(raster, "_drawn_band", drawn_band)
    # Another layout that is equal in all, so that nothing kept is used.
    scene = scene_of(position, arrows=[("a1", "e5")])
    fresh = dataclasses.replace(scene, layout=dataclasses.replace(layout))
    in_bands = raster.rasterize(fresh, 199).astype(int)
    assert bands.count((199, 30)) == 2 * bands.count((199, 19)) * 3
    # Subpixels at the edges are rounded in another direction above a band.
    assert np.abs(in_bands - at_once).max() < 80
    assert np.abs(in_bands - at_once).mean() < 0.1


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units elsewhere")
def test_memory_of_the_largest_picture() -> None:
    """A picture of 50 MB takes some hundred more while it is drawn, not thousands."""
    program = """if True:
        import resource
        from mammalath_env import make_game
        from mammalath_env.rendering import render_rgb
        position = make_game("mammalath").deal(1)
        render_rgb(position)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        render_rgb(position, size=4096, arrows=[("a1", "e5")])
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    grown = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert int(grown.stdout) < 800 * 1024


@pytest.mark.parametrize("size", [63, 4097, 0, -480])
def test_impossible_sizes_are_refused(game: Game, size: int) -> None:
    """The message says which sizes there are."""
    with pytest.raises(ValueError, match=f"must be from 64 to 4096, not {size}"):
        render_rgb(game.deal(1), size=size)


@pytest.mark.parametrize("size", [480.0, "480", None, True])
def test_sizes_of_other_types(game: Game, size: object) -> None:
    """A size is a whole number."""
    with pytest.raises(TypeError, match="must be an integer"):
        render_rgb(game.deal(1), size=size)  # type: ignore[arg-type]
