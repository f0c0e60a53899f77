"""Measure how many pictures a second the environments draw, and how long SVG takes.

Run ``python benchmarks/rendering.py``. One thread, one process; the first picture of each game,
which draws the symbols, is reported apart.
"""

from __future__ import annotations

import argparse
import time

from mammalath_env import GAMES, make_game
from mammalath_env.agents import make_agent
from mammalath_env.core.position import Position
from mammalath_env.rendering import render_rgb, render_svg

Ply = tuple[Position, Position | None, int | None]


def plies(name: str, number: int) -> list[Ply]:
    """Return positions of random games with the moves that led to them."""
    game = make_game(name)
    found: list[Ply] = []
    seed = 0
    while len(found) < number:
        agent, position = make_agent("random", seed), game.deal(seed)
        found.append((position, None, None))
        while not position.is_over:
            action = agent.act(position)
            found.append((position.play(action), position, action))
            position = found[-1][0]
        seed += 1
    return found[:number]


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=480, help="width of the pictures in pixels")
    parser.add_argument("--frames", type=int, default=1000, help="pictures of each game")
    arguments = parser.parse_args()
    for name in GAMES:
        sample = plies(name, arguments.frames)
        start = time.perf_counter()
        picture = render_rgb(*sample[0], size=arguments.size)
        first = time.perf_counter() - start
        seconds = []
        for _ in range(2):
            start = time.perf_counter()
            for ply in sample:
                render_rgb(*ply, size=arguments.size)
            seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        length = sum(len(render_svg(*ply)) for ply in sample)
        svg = time.perf_counter() - start
        cold, warm = (len(sample) / each for each in seconds)
        height, width, _ = picture.shape
        print(
            f"{name:15} {width}x{height}: first picture {first * 1e3:.0f} ms, then {cold:.0f} "
            f"pictures/s, with all symbols drawn {warm:.0f}; SVG {len(sample) / svg:.0f}/s, "
            f"{length / len(sample) / 1e3:.0f} kB each"
        )


if __name__ == "__main__":
    main()
