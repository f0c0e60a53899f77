"""Rate the agents on all games, and report statistics of games by level of play.

``python benchmarks/strength.py`` writes ``docs/strength.md`` and ``docs/strength.svg``, and with
``--opponents`` only the section of that page about the levels for people; it needs
``pip install ".[arena,neural]"``.
"""

from __future__ import annotations

import argparse
import itertools
import re
from pathlib import Path
from typing import Any

from mammalath_env import GAMES, make_game
from mammalath_env.agents.levels import NUM_LEVELS
from mammalath_env.arena import (
    GameRecord,
    GameStatistics,
    MatchResult,
    Rating,
    SequentialTest,
    Share,
    SPRTResult,
    draw_ladder,
    play_match,
    rate,
    round_robin,
    run_sprt,
    summarize,
)
from mammalath_env.core.game import Game

LADDERS: dict[str, tuple[str, ...]] = {
    "mammalath": (
        "random",
        "greedy",
        "alphabeta:depth=2",
        "alphabeta:depth=3",
        "alphabeta:depth=4",
        "mcts:simulations=100",
        "mcts:simulations=500",
        "mcts:simulations=2000",
        "neural",
        "neural:simulations=100",
    ),
    "mammalath_plus": (
        "random",
        "greedy",
        "alphabeta:depth=1",
        "alphabeta:depth=2",
        "alphabeta:depth=3",
        "mcts:simulations=100",
        "mcts:simulations=400",
    ),
    "mancala": (
        "random",
        "greedy",
        "alphabeta:depth=2",
        "alphabeta:depth=4",
        "alphabeta:depth=6",
        "mcts:simulations=50",
        "mcts:simulations=200",
    ),
}
LEVELS: dict[str, tuple[str, ...]] = {
    "mammalath": ("random", "greedy", "alphabeta:depth=3", "mcts:simulations=500"),
    "mammalath_plus": ("random", "greedy", "alphabeta:depth=2", "mcts:simulations=100"),
    "mancala": ("random", "greedy", "alphabeta:depth=4", "mcts:simulations=50"),
}
# Matches of Mammalath with many games: agents and deals.
MATCHES = (
    ("greedy", "random", 500),
    ("alphabeta:depth=3", "greedy", 250),
    ("mcts:simulations=2000", "alphabeta:depth=2", 100),
)
# The opponents for people, and the question about each and the one below.
OPPONENTS = ("random", *(f"level:{number}" for number in range(1, NUM_LEVELS + 1)))
TEST = SequentialTest(0, 80, model="logistic")
# Seeds of the tests by game; games of two long searches take minutes.
TEST_SEEDS = {"mammalath": (1, 2, 3), "mammalath_plus": (1, 2), "mancala": (1, 2)}
DOCS = Path(__file__).parents[1] / "docs"
OPPONENTS_HEADING = "## Levels for people"


def percent(share: Share | None) -> str:
    """Return a share with its 95% interval."""
    if share is None:
        return "-"
    low, high = share.interval
    return f"{100 * share.value:.0f}% ({100 * low:.0f}-{100 * high:.0f})"


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
    """Return a table row with the statistics of games of one level."""
    return (
        f"| `{level}` | {found.num_games} | {percent(found.first_player_wins)} "
        f"| {percent(found.draws)} | {found.mean_plies:.1f} ({found.min_plies}-{found.max_plies}) "
        f"| {found.mean_branching:.1f} | {percent(found.swaps)} "
        f"| {percent(found.first_player_wins_after_swap)} "
        f"| {percent(found.first_player_wins_without_swap)} |"
    )


class Contests:
    """Contests with the same seed, whose games are recorded if there is a folder for them."""

    def __init__(self, seed: int, jobs: int, folder: Path | None) -> None:
        """Store the settings; the folder is made."""
        self._seed = seed
        self._jobs = jobs
        self._folder = folder
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def _options(self, *names: str) -> dict[str, Any]:
        """Return the keyword arguments of a contest; its games are in a file named so."""
        options: dict[str, Any] = {"seed": self._seed, "jobs": self._jobs, "progress": True}
        if self._folder is not None:
            name = re.sub(r"[^\w=]+", "-", " ".join(names))
            options |= {"record_path": self._folder / f"{name}.jsonl", "resume": True}
        return options

    def ratings(self, game: Game, deals: int) -> list[Rating]:
        """Return the ratings of the ladder of a game."""
        options = self._options(game.name, "ladder")
        return rate(round_robin(game, LADDERS[game.name], deals, **options), anchor="random")

    def match(self, game: Game, first: str, second: str, deals: int) -> MatchResult:
        """Return the result of a match."""
        return play_match(game, first, second, deals, **self._options(game.name, first, second))

    def test(self, game: Game, first: str, second: str, seed: int) -> SPRTResult:
        """Return the result of a sequential test, which takes the games of a match first."""
        options = self._options(game.name, first, second, *([str(seed)] * (seed != self._seed)))
        return run_sprt(game, first, second, test=TEST, **{**options, "seed": seed})

    def level(self, game: Game, agent: str, deals: int) -> GameStatistics:
        """Return statistics of the games of an agent against itself."""
        records: list[GameRecord] = []
        options = self._options(game.name, agent, "itself")
        play_match(game, agent, agent, deals, on_record=records.append, **options)
        return summarize(records)


def report(game: Game, ratings: list[Rating], levels: dict[str, GameStatistics]) -> list[str]:
    """Return the lines about one game."""
    return [
        f"## {game.title}",
        "",
        "| agent | Elo | 95% interval | games |",
        "|---|---|---|---|",
        *rating_rows(ratings),
        "",
        "| level | games | first player wins | draws | plies (range) | branching "
        "| swaps | first wins after swap | first wins without |",
        "|---|---|---|---|---|---|---|---|---|",
        *(level_row(level, found) for level, found in levels.items()),
        "",
    ]


def decision_text(result: SPRTResult) -> str:
    """Return what a test decided, and after how many pairs of games."""
    return f"{result.decision or 'none'} ({result.match.num_games // 2})"


def opponents_of(game: Game, contests: Contests, deals: int) -> list[str]:
    """Return the lines about the levels of one game."""
    seeds = TEST_SEEDS[game.name]
    matches = [
        contests.match(game, agent, below, deals) for below, agent in itertools.pairwise(OPPONENTS)
    ]
    results = {"random": ["-"] * (1 + len(seeds))}
    for match in matches:
        tests = [contests.test(game, *match.agents, seed) for seed in seeds]
        results[match.agents[0]] = [f"{match.total.score:.0%}", *map(decision_text, tests)]
    ratings = rate(matches, anchor="random")
    return [
        f"### {game.title}",
        "",
        f"| agent | Elo | 95% interval | games | score | "
        f"{' | '.join(f'seed {seed}' for seed in seeds)} |",
        "|---|---|---|---|---|" + "---|" * len(seeds),
        *(
            f"{row} {' | '.join(results[rating.name])} |"
            for rating, row in zip(ratings, rating_rows(ratings), strict=True)
        ),
        "",
    ]


def opponents_page(contests: Contests, deals: int) -> list[str]:
    """Return the section about the levels for people."""
    return [
        OPPONENTS_HEADING,
        "",
        f"Made by `python benchmarks/strength.py --opponents {deals}`.",
        f"Each level plays {deals} deals, in both seats, against the one below, and level 1",
        "against the random agent, which has 0; the score is that of these games. A sequential",
        "test for each seed asks whether the level is stronger than the one below by "
        f"{TEST.elo0:g} Elo (H0)",
        f"or by {TEST.elo1:g} (H1), with errors of 5%; the number of pairs of games that it took",
        "follows in brackets. As neighbours alone meet, ratings add up many differences, and",
        "cannot be compared with those in the tables above.",
        "",
        *(line for name in GAMES for line in opponents_of(make_game(name), contests, deals)),
    ]


def main() -> None:
    """Play everything and write the page, or a section of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--deals", type=int, default=10, help="deals of each pair and game")
    parser.add_argument("--level-deals", type=int, default=50, help="deals of each level")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=-1, help="games at a time, -1 for all cores")
    parser.add_argument("--records", type=Path, help="folder of record files, which are resumed")
    parser.add_argument(
        "--opponents", type=int, metavar="DEALS", help="only the levels, with deals of each pair"
    )
    arguments = parser.parse_args()
    page_path = DOCS / "strength.md"
    before, heading, opponents = page_path.read_text("utf-8").partition(OPPONENTS_HEADING)
    contests = Contests(arguments.seed, arguments.jobs, arguments.records)
    if arguments.opponents:
        section = opponents_page(contests, arguments.opponents)
        page_path.write_text(before.rstrip("\n") + "\n\n" + "\n".join(section), "utf-8")
        return
    ladders = {}
    sections: list[str] = []
    for name in GAMES:
        game = make_game(name)
        ratings = ladders[game.title] = contests.ratings(game, arguments.deals)
        levels = {
            level: contests.level(game, level, arguments.level_deals) for level in LEVELS[name]
        }
        sections += report(game, ratings, levels)
    game = make_game("mammalath")
    matches = [match_row(contests.match(game, *match)) for match in MATCHES]
    page = [
        "# How strong the agents are",
        "",
        f"Made by `python benchmarks/strength.py --deals {arguments.deals} "
        f"--level-deals {arguments.level_deals} --seed {arguments.seed}`.",
        "Every deal is played twice, with seats swapped. Ratings are Elo above the random agent by",
        "the Bradley-Terry model, with 95% intervals; that agent has 0 and no interval. An agent",
        "that wins every game against another would be infinitely far away: one drawn game is",
        "added to each pair, which pulls such ratings together.",
        "",
        "![Ratings](strength.svg)",
        "",
        "Levels are games of an agent against itself: shares with 95% intervals (Wilson).",
        "",
        *sections,
        "## Matches of Mammalath",
        "",
        "| agent | opponent | games | score | first: + = - | second: + = - | plies |",
        "|---|---|---|---|---|---|---|",
        *matches,
        "",
    ]
    page_path.write_text("\n".join(page) + ("\n" + heading + opponents if heading else ""), "utf-8")
    draw_ladder(ladders, DOCS / "strength.svg")


if __name__ == "__main__":
    main()
