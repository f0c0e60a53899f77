"""Pictures as SVG: their structure, their marks, and what both back ends share."""

from __future__ import annotations

import itertools
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from mammalath_env import GAMES, make_game
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.games.mammalath.config import ANIMAL_NAMES
from mammalath_env.rendering import SCENES, render_rgb, render_svg, scene_of
from mammalath_env.rendering import mammalath_board as board
from mammalath_env.rendering import mancala_board as holes
from mammalath_env.rendering.shapes import Shape, Symbol
from tests.rendering.drawings import LOSS, SVG, WIN, after, random_game, text_planes, uses


def at(svg: str, name: str) -> list[str]:
    """Return the symbols on a space of a drawing of Mammalath on 6x6."""
    slot = next(slot for slot in board.layout(6).slots if slot.name == name)
    return uses(svg).get((slot.x, slot.y), [])


@pytest.mark.parametrize("name", GAMES)
def test_documents_are_whole(name: str) -> None:
    """Each is well-formed, has a title, defines what it uses and uses what it defines."""
    for ply in list(random_game(name, 1))[::5]:
        root = ElementTree.fromstring(render_svg(*ply))
        assert root.tag == f"{SVG}svg"
        title = root.find(f"{SVG}title")
        assert title is not None
        assert title.text == scene_of(*ply).description
        defined = [element.attrib["id"] for element in root.iter(f"{SVG}g")]
        used = {element.attrib["href"].removeprefix("#") for element in root.iter(f"{SVG}use")}
        assert len(defined) == len(set(defined))
        assert set(defined) == used
        assert "http" not in render_svg(*ply).replace("http://www.w3.org/2000/svg", "")


def test_every_game_has_a_drawing(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table names one for each game; without an entry the message names the game."""
    assert SCENES.keys() == GAMES.keys()
    monkeypatch.delitem(SCENES, game.name)
    with pytest.raises(ValueError, match=f"unknown picture '{game.name}'"):
        game.deal(1).to_svg()


@pytest.mark.parametrize(("name", "scene"), [("mammalath", holes.scene), ("mancala", board.scene)])
def test_drawings_refuse_other_games(name: str, scene: Any) -> None:
    """A drawing does not draw what it cannot read."""
    with pytest.raises(TypeError, match="this is the picture of"):
        scene(make_game(name).deal(0), None, False)


def test_size_is_that_of_the_document(game: Game) -> None:
    """With a size there is a width and a height, without one there is neither."""
    position = game.deal(1)
    plain = ElementTree.fromstring(position.to_svg()).attrib
    assert "width" not in plain
    assert "height" not in plain
    sized = ElementTree.fromstring(position.to_svg(size=200)).attrib
    assert (sized["width"], sized["height"]) == ("200", "100" if game.name == "mancala" else "200")
    assert sized["viewBox"] == plain["viewBox"]


def test_notebooks_show_positions(game: Game) -> None:
    """The method that they look for returns the picture, 480 pixels wide and no wider than a cell.

    A picture that is asked for by its size keeps it.
    """
    position = game.deal(1)
    shown = position._repr_svg_()
    assert shown is not None
    style = ' style="max-width:100%;height:auto"'
    assert style in shown.splitlines()[0]
    assert shown.replace(style, "") == position.to_svg(size=480) == render_svg(position, size=480)


@pytest.mark.parametrize("name", ["mammalath", "mammalath_plus"])
def test_spaces_hold_what_the_text_says(name: str) -> None:
    """Every animal and token of the position is drawn once, on its space, the token below."""
    for ply in list(random_game(name, 2))[::3]:
        if ply.position.is_over:
            continue
        found = uses(render_svg(ply.position))
        animals, tokens = text_planes(ply.position)
        for row, letters in enumerate(animals):
            for col, letter in enumerate(letters):
                token = {"b": "token-black", "w": "token-white"}.get(tokens[row][col])
                expected = [] if letter == " " else [f"tile-{letter.lower()}"]
                if token:
                    expected.append(token if letter == " " else f"{token}-under")
                if letter != " ":
                    expected.append(
                        f"animal-{letter.lower()}-on-token" if token else f"animal-{letter.lower()}"
                    )
                assert found.get((0.55 + col, 0.5 + row), []) == expected


def test_holes_hold_what_the_text_says() -> None:
    """Every hole and store shows its number of seeds."""
    layout = holes.layout()
    for ply in list(random_game("mancala", 2))[::5]:
        found = uses(render_svg(*ply))
        fields = ply.position.to_text().split()
        counts = [int(count) for side in fields[0].split("/") for count in side.split(",")]
        stores = [int(count) for count in fields[1].split("-")]
        for slot, count in zip(layout.slots, (*counts, *stores), strict=True):
            kind = "store" if "store" in slot.name else "seeds"
            assert found[round(slot.x, 4), round(slot.y, 4)][0] == f"{kind}-{count}"
    names = [slot.name for slot in layout.slots[:12]]
    assert "".join(names) == "ABCDEFabcdef"
    # South sees its holes from the left below, north's run the other way above.
    below, above = layout.slots[:6], layout.slots[6:12]
    assert [slot.x for slot in below] == sorted(slot.x for slot in below)
    assert [slot.x for slot in above] == sorted((slot.x for slot in above), reverse=True)
    assert below[0].y > above[0].y


@pytest.mark.parametrize(("count", "dots"), [(0, 0), (1, 1), (16, 16), (17, 16), (40, 16)])
def test_seeds_are_drawn_up_to_a_number(count: int, dots: int) -> None:
    """The number stands below whatever is drawn."""
    *drawn, number = holes.seeds(count).shapes
    assert len(drawn) == dots
    assert getattr(number, "text", None) == str(count)
    for dot in drawn:
        x, y, radius = (getattr(dot, name) for name in ("x", "y", "rx"))
        assert ((x - 0.5) ** 2 + (y - 0.52) ** 2) ** 0.5 + radius <= 0.44


def test_won_lines_are_not_marked_as_lost() -> None:
    """A line that won is not marked as one that lost."""
    won, lost = (render_svg(*after("mammalath", *end)) for end in (WIN, LOSS))
    for space in ("c5", "d4", "e3"):
        assert at(won, space)[0] == "won-ground"
        assert at(won, space)[-1] == "won"
        assert "lost-ground" in at(lost, space)
        assert at(lost, space)[-1] == "lost"
    assert won.count('"#mammalath-won"') == lost.count('"#mammalath-lost"') == 3
    assert at(lost, "e3")[:2] == ["tile-e", "lost-ground"]


def test_legal_moves_of_mammalath() -> None:
    """Dots, crosses and rings stand where the legal actions are."""
    game = make_game("mammalath")
    start = game.deal(seed=1, first_player=0)
    assert uses(start.to_svg(legal_moves=True)) != uses(start.to_svg())
    first = start.play(8)
    for position in (start, first, first.play(9)):
        drawn = position.to_svg(legal_moves=True)
        moves = position.legal_moves()
        lines = {move for move in moves if "-" in move}
        assert drawn.count('"#mammalath-may-place"') == sum(move[0] in "abcdef" for move in moves)
        assert ("may-release" in drawn) == bool(lines)
        assert ("may-swap" in at(drawn, "c2")) == ("swap" in moves)
    # Only one line holds three animals still.
    late = game.from_text("E3F1/B1D1FD/5D/E1B2E/FD2B1/4BF 1b4/b1ww2/3w1w/6/3b2/1w2b1 w 16")
    assert "xf2-f4" in late.legal_moves()
    drawn = late.to_svg(legal_moves=True)
    names = [slot.name for slot in board.layout(6).slots]
    assert [s for s in names if "may-release" in at(drawn, s)] == ["f2", "f3", "f4"]


def test_legal_moves_of_mancala() -> None:
    """Rings are around the mover's holes that may be sown."""
    game = make_game("mancala")
    for text in ("0,3,13,0,4,4/0,1,2,5,1,1 2-12 s 3 30", "0,3,13,0,4,4/0,1,2,5,1,1 2-12 n 3 31"):
        position = game.from_text(text)
        scene = scene_of(position, legal_moves=True)
        ringed = {
            slot.name
            for slot, symbols in zip(scene.layout.slots, scene.contents, strict=True)
            if holes.MAY_SOW in symbols
        }
        assert ringed == set(position.legal_moves())


def test_highlights_and_arrows(game: Game) -> None:
    """Each is drawn once, over everything else."""
    position = game.deal(1)
    one, other = ("F", "a") if game.name == "mancala" else ("b1", "a2")
    plain = position.to_svg()
    marked = position.to_svg(highlights=[one, other, one], arrows=[(one, other), (other, other)])
    highlighted = [place for place, names in uses(marked).items() if "highlight" in names[-1]]
    assert len(highlighted) == 2
    assert marked.count('opacity=".85"') == 1
    assert plain.count("polygon") + 1 == marked.count("polygon")
    assert marked.rstrip().splitlines()[-2].startswith("<polygon")


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"highlights": ["z9"]}, "'z9'"),
        ({"highlights": "ab"}, "highlights must be a list, not the text 'ab'"),
        ({"arrows": [("z9", "z8")]}, "'z9'"),
        ({"arrows": ["F"]}, "a pair of names, not 'F'"),
        ({"arrows": [("F", "a", "b")]}, "a pair of names"),
        ({"size": 10}, "64 to 4096"),
        ({"action": 1}, "previous and action go together"),
    ],
)
def test_mistakes_are_named(game: Game, keywords: dict[str, Any], message: str) -> None:
    """Whoever names a space that does not exist, or half a move, is told so."""
    with pytest.raises(ValueError, match=message):
        game.deal(1).to_svg(**keywords)


def test_a_move_that_does_not_lead_here(game: Game) -> None:
    """The last move must lead to the position that is drawn."""
    position = game.deal(1)
    first, second = position.legal_actions()[:2]
    with pytest.raises(ValueError, match="to another position"):
        position.play(first).to_svg(position, second)


def test_names_say_all_about_symbols(all_symbols: list[Symbol]) -> None:
    """Back ends keep one symbol for each name: the same name never stands for other shapes."""
    known: dict[str, tuple[Shape, ...]] = {}
    for symbol in all_symbols:
        assert known.setdefault(symbol.name, symbol.shapes) == symbol.shapes
        assert re.fullmatch(r"[a-z0-9-]+", symbol.name)
    assert {f"animal-{name[0]}" for name in ANIMAL_NAMES} <= known.keys()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"highlights": None}, "highlights must be a list, not None"),
        ({"arrows": 5}, "arrows must be a list, not 5"),
        ({"arrows": [5]}, "an arrow is a pair of names, not 5"),
        ({"previous": "x", "action": 0}, "previous must be a position, not 'x'"),
    ],
)
@pytest.mark.parametrize("draw", [render_svg, render_rgb])
def test_arguments_of_other_types(draw: Any, wrong: dict[str, Any], message: str) -> None:
    """The message says what was given and what was expected."""
    with pytest.raises(TypeError, match=message):
        draw(make_game("mancala").deal(1), **wrong)


def test_symbols_fit_their_slots(positions: list[Position]) -> None:
    """Pixels of a slot are drawn over with what it holds now, and nothing of it may be outside."""
    for position in positions:
        scene = scene_of(position, legal_moves=True)
        for slot, symbols in zip(scene.layout.slots, scene.contents, strict=True):
            for symbol in symbols:
                assert symbol.width <= slot.width
                assert symbol.height <= slot.height
                for x, y in (p for s in symbol.shapes for c in s.contours() for p in c.points):
                    assert 0 <= x <= slot.width
                    assert 0 <= y <= slot.height


def test_captions_do_not_overlap(positions: list[Position]) -> None:
    """Texts beside the board have room of their own, inside the picture."""
    for position in positions:
        for action in position.legal_actions()[-1:]:
            scene = scene_of(position.play(action), position, action)
            rooms = [(c.x, c.x + c.symbol.width) for c in scene.captions]
            for (_, end), (start, _) in itertools.pairwise(rooms):
                assert end <= start + 1e-9
            assert rooms[-1][1] <= scene.layout.width


@pytest.fixture(scope="module")
def positions() -> list[Position]:
    """Positions of random games of all kinds."""
    return [ply.position for name in GAMES for ply in list(random_game(name, 3))[::3]]


@pytest.fixture(scope="module")
def all_symbols() -> list[Symbol]:
    """The symbols of many pictures, with last moves and marks."""
    found = []
    for name in GAMES:
        for ply in list(random_game(name, 4)):
            scene = scene_of(*ply, legal_moves=True)
            found += [symbol for symbols in scene.contents for symbol in symbols]
    for end in (WIN, LOSS):
        scene = scene_of(*after("mammalath", *end))
        found += [symbol for symbols in scene.contents for symbol in symbols]
    return [*found, *board.ANIMALS_ALONE, *board.RELEASED]
