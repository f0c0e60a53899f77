"""Rate the agents on all games, and report what the games look like by level of play.

``python benchmarks/strength.py`` writes ``docs/strength.md`` and ``docs/strength.svg``; it needs
``pip install "mammalath_env[arena]"``.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from mammalath_env import GAMES, make_game
from mammalath_env.arena import (
    GameRecord,
    GameStatistics,
    MatchResult,
    Rating,
    Share,
    draw_ladder,
    play_match,
    rate,
    round_robin,
    summarize,
)
from mammalath_env.core.game import Game

LADDER = (
    "random",
    "greedy",
    "alphabeta:depth=2",
    "alphabeta:depth=3",
    "alphabeta:depth=4",
    "mcts:simulations=500",
    "mcts:simulations=2000",
    "mcts:simulations=8000",
)
LEVELS = ("random", "greedy", "alphabeta:depth=3", "mcts:simulations=2000")
TARGETS = (
    ("greedy", "random", 500),
    ("alphabeta:depth=3", "greedy", 100),
    ("mcts:simulations=2000", "alphabeta:depth=2", 100),
)
DOCS = Path(__file__).parents[1] / "docs"


def percent(share: Share | None) -> str:
    """Return a share with its standard error."""
    return "-" if share is None else f"{100 * share.value:.0f} ± {100 * share.error:.0f}%"


def match_row(result: MatchResult) -> str:
    """Return a table row of a match, with both seats."""
    total = result.total
    seats = [
        f"{seat.wins}-{seat.draws}-{seat.losses}"
        for seat in (result.moving_first, result.moving_second)
    ]
    return (
        f"| `{result.agents[0]}` | `{result.agents[1]}` | {result.num_games} "
        f"| {100 * total.score:.1f}% | {seats[0]} | {seats[1]} | {result.mean_plies:.1f} |"
    )


def rating_rows(ratings: list[Rating]) -> list[str]:
    """Return table rows of ratings, strongest first."""
    return [
        f"| `{rating.name}` | {rating.elo:.0f} | {rating.low:.0f} to {rating.high:.0f} "
        f"| {rating.games} |"
        for rating in ratings
    ]


def level_row(level: str, found: GameStatistics) -> str:
    """Return a table row of what games of one level look like."""
    return (
        f"| `{level}` | {found.num_games} | {percent(found.first_player_wins)} "
        f"| {percent(found.draws)} | {found.mean_plies:.1f} ({found.min_plies}-{found.max_plies}) "
        f"| {found.mean_branching:.1f} | {percent(found.swaps)} "
        f"| {percent(found.first_player_wins_after_swap)} "
        f"| {percent(found.first_player_wins_without_swap)} |"
    )


def report(game: Game, deals: int, seed: int, jobs: int) -> tuple[list[str], list[Rating]]:
    """Return the lines about one game, and its ratings."""
    tournament = round_robin(game, LADDER, deals, seed=seed, jobs=jobs)
    ratings = rate(tournament, anchor="random")
    lines = [f"## {game.title}", "", "| agent | Elo | 95% interval | games |", "|---|---|---|---|"]
    lines += rating_rows(ratings)
    lines += ["", "| level | games | first player wins | draws | plies (range) | branching "]
    lines[-1] += "| swaps | first wins after swap | first wins without |"
    lines.append("|---|---|---|---|---|---|---|---|---|")
    for level in LEVELS:
        records: list[GameRecord] = []
        play_match(game, level, level, deals, seed=seed, jobs=jobs, on_record=records.append)
        lines.append(level_row(level, summarize(records)))
    return [*lines, ""], ratings


def main() -> None:
    """Play everything and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--deals", type=int, default=20, help="deals of each pair and game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=-1)
    arguments = parser.parse_args()
    start = time.perf_counter()
    ladders = {}
    sections: list[str] = []
    for name in GAMES:
        game = make_game(name)
        lines, ladders[game.title] = report(game, arguments.deals, arguments.seed, arguments.jobs)
        sections += lines
    game = make_game("mammalath")
    targets = [
        match_row(play_match(game, first, second, deals, seed=arguments.seed, jobs=arguments.jobs))
        for first, second, deals in TARGETS
    ]
    minutes = (time.perf_counter() - start) / 60
    page = [
        "# How strong the agents are",
        "",
        f"Made by `python benchmarks/strength.py --deals {arguments.deals} "
        f"--seed {arguments.seed}` in {minutes:.0f} minutes on two cores. Every deal is played in",
        "both seats. Ratings are Elo above the random agent by the Bradley-Terry model, with 95%",
        "intervals. An agent that wins every game against another one could be any distance away:",
        "one drawn game is added to each pair, which draws such ratings together.",
        "",
        "![Ratings](strength.svg)",
        "",
        "Levels are games of an agent against itself: shares with standard errors.",
        "",
        *sections,
        "## Matches of Mammalath",
        "",
        "| agent | opponent | games | score | first: + = - | second: + = - | plies |",
        "|---|---|---|---|---|---|---|",
        *targets,
        "",
    ]
    (DOCS / "strength.md").write_text("\n".join(page), "utf-8")
    draw_ladder(ladders, DOCS / "strength.svg")


if __name__ == "__main__":
    main()
