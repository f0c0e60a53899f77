"""Draw the pictures of README and docs: ``python docs/pictures.py`` writes ``docs/pictures``."""

from __future__ import annotations

from pathlib import Path

from mammalath_env import GAMES, make_game
from mammalath_env.games.mammalath.config import ANIMAL_NAMES
from mammalath_env.rendering import mammalath_board as board
from mammalath_env.rendering import render_svg
from mammalath_env.rendering.scene import PAPER, Layout, Scene, Slot
from mammalath_env.rendering.shapes import Path as Outline
from mammalath_env.rendering.shapes import Symbol, Text, rounded
from mammalath_env.rendering.svg import to_svg

FOLDER = Path(__file__).parent / "pictures"

# name of the file: game, position before the last move, last move, width in pixels
LAST_MOVES = {
    "mammalath.svg": (
        "mammalath",
        "DEDBEE/CFCEC1/1CFC2/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7",
        "e3",
        420,
    ),
    "lost.svg": (
        "mammalath",
        "DEDBEE/CFCEC1/1CFCE1/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7",
        "e3",
        420,
    ),
    "mammalath_plus.svg": (
        "mammalath_plus",
        "EGEDEHHH/B2DBEDG/CE4BF/FE2B1CC/C5GD/F1HBF1H1/1GBGF2C/HGDCD2F "
        "8/1w6/2bbwb2/2wbww2/1wbbbw2/1w2ww2/5b2/8 b 24",
        "xB",
        420,
    ),
    "mancala.svg": ("mancala", "4,0,6,1,0,7/3,1,1,4,0,9 6-6 s 2 20", "C", 560),
}


def last_move(name: str, text: str, move: str, size: int) -> str:
    """Return the picture of the position after a move."""
    game = make_game(name)
    position = game.from_text(text)
    action = game.parse_move(move, position)
    return position.play(action).to_svg(position, action, size=size)


def lessons() -> dict[str, str]:
    """Return the pictures of the examples in lessons that have a name."""
    examples = [
        (name, example)
        for name in GAMES
        for lesson in make_game(name).lessons()
        for example in lesson.examples
        if example.name
    ]
    drawn = {}
    for name, example in examples:
        position = make_game(name, **dict(example.options)).from_text(example.start)
        last = None
        for move in example.moves:
            last, position = position, position.play(move)
        width = 560 if name == "mancala" else 320
        action = None if last is None else last.game.parse_move(example.moves[-1], last)
        drawn[f"rules_{example.name}.svg"] = position.to_svg(last, action, size=width)
    return drawn


def marks() -> str:
    """Return a picture with all that can be marked by keyword."""
    position = make_game("mammalath").from_text(
        "DEDBEE/CFCEC1/1CFC2/E1F1CF/1D1DDB/3B1B 5w/6/6/3b2/2b3/6 b 7"
    )
    return render_svg(
        position, size=420, legal_moves=True, highlights=["e3"], arrows=[("c5", "e3")]
    )


def pieces() -> str:
    """Return all animals and tokens in all their states."""
    rows = [[board.TILES[k], board.ANIMALS_ALONE[k]] for k in range(len(ANIMAL_NAMES))]
    contents = [*rows]
    for player in (0, 1):
        for k in range(len(ANIMAL_NAMES)):
            contents.append(
                [board.TILES[k], board.TOKENS_UNDER[player], board.ANIMALS_ON_TOKENS[k]]
            )
    contents += [[symbol] for symbol in board.RELEASED]
    contents += [
        [board.TOKENS[0]],
        [board.TOKENS[1]],
        [board.TOKENS[0], board.PLACED],
        [board.TOKENS[1], board.SWAPPED],
        [board.WON_GROUND, board.TOKENS[0], board.WON_BADGE],
        [board.WON_GROUND, board.TOKENS[1], board.PLACED, board.WON_BADGE],
        [board.LOST_GROUND, board.TOKENS[0], board.LOST_BADGE],
        [
            board.TILES[3],
            board.LOST_GROUND,
            board.TOKENS_UNDER[1],
            board.ANIMALS_ON_TOKENS[3],
            board.LOST_BADGE,
        ],
    ]
    names = [f"{name[0].upper()} {name}" for name in ANIMAL_NAMES]
    states = ["black", "white", "placed", "swapped", "won", "won, placed", "lost", "lost by it"]
    return to_svg(_sheet(contents, names, states), 680)


def _sheet(contents: list[list[Symbol]], names: list[str], states: list[str]) -> Scene:
    """Return eight columns of contents with names above the first row and below the last."""
    columns, width, top = len(names), 1.3, 0.45
    num_rows = len(contents) // columns
    total, height = columns * width + 0.2, top + num_rows * 1.1 + 0.4
    ground: list[Outline | Text] = [Outline(rounded(0, 0, total, height, 0), fill=PAPER)]
    slots = []
    for k in range(len(contents)):
        row, col = divmod(k, columns)
        x, y = 0.25 + col * width, top + row * 1.1
        ground.append(Outline(rounded(x, y, 1, 1, 0.12), fill=board.SPACE))
        slots.append(
            Slot(f"{row} {col}", x, y, 1.0, 1.0, (x + 0.5, y + 0.5), "space", board.HIGHLIGHTED)
        )
    for texts, y in ((names, top - 0.15), (states, height - 0.13)):
        ground += [
            Text(0.75 + k * width, y, text, 0.19, fill="#2b2622") for k, text in enumerate(texts)
        ]
    layout = Layout(
        total, height, height, Symbol("sheet", tuple(ground), "", total, height), tuple(slots), ()
    )
    return Scene(
        layout=layout,
        contents=tuple(map(tuple, contents)),
        captions=(),
        overlay=(),
        status="The pieces of Mammalath in all their states",
        move="",
    )


def pictures() -> dict[str, str]:
    """Return every picture by the name of its file."""
    drawn = {name: last_move(*arguments) for name, arguments in LAST_MOVES.items()}
    return {**drawn, **lessons(), "marks.svg": marks(), "pieces.svg": pieces()}


def main() -> None:
    """Write the pictures."""
    FOLDER.mkdir(exist_ok=True)
    for name, drawing in pictures().items():
        (FOLDER / name).write_text(drawing, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
