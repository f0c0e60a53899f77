"""A policy in training against a named agent: lines of progress, and the match at the end.

The examples of all libraries report so; this module needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable

from mammalath_env.agents import FunctionAgent
from mammalath_env.arena.match import play_match
from mammalath_env.arena.results import MatchResult
from mammalath_env.arena.specs import check_contestants
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.stream import derive_seeds
from mammalath_env.games import checked_game

PROGRESS_GAMES = 20
"""Games in each seat behind a line of progress."""


class Evaluation:
    """Whole games of a policy against an agent, each deal from both seats.

    Lines of progress come from the same deals each time, the match at the end from others.
    """

    def __init__(
        self,
        game: str | Game,
        policy: Callable[[Position], int],
        opponent: str = "random",
        *,
        seed: int = 0,
    ) -> None:
        """Take the policy, which may learn between the matches.

        Args:
            game: A name for `make_game`, or a game.
            policy: Returns a legal action of the player to move.
            opponent: A text for `make_agent`.
            seed: The seed of deals and opponents, from 0 to 2**64 - 1.

        Raises:
            ValueError: There is no such game or agent, or the agent cannot play the game.
            ImportError: The agent needs a library that is not installed.
        """
        self._game = checked_game(game, {})
        self._policy = FunctionAgent(policy, "policy")
        self._opponent = opponent
        self._progress_seed, self._final_seed = derive_seeds(seed, 2)
        check_contestants([opponent], self._game)

    def progress(self, steps: int) -> float:
        """Play a short match; print the number of steps and its score, and return the score.

        Raises:
            RuntimeError: As for `finish`.
        """
        result = self._play(PROGRESS_GAMES, self._progress_seed)
        print(
            f"{steps} steps: score {result.total.score:.1%} in {result.num_games} games "
            f"against {self._opponent}",
            flush=True,
        )
        return result.total.score

    def finish(self, games: int) -> MatchResult:
        """Play the match at the end, and print the result of each seat.

        Args:
            games: Games in each seat, at least 1.

        Raises:
            RuntimeError: The policy has forfeited a game, by an illegal action or an error.
            ValueError: There are no games to play.
        """
        result = self._play(games, self._final_seed)
        seats = {"first": result.moving_first, "second": result.moving_second}
        for name, seat in seats.items():
            print(
                f"moving {name} against {self._opponent}: {seat.wins} won, {seat.draws} drawn, "
                f"{seat.losses} lost in {seat.num_games} games"
            )
        return result

    def _play(self, games: int, seed: int) -> MatchResult:
        result = play_match(self._game, self._policy, self._opponent, games, seed=seed)
        if result.forfeits[0]:
            reasons = ", ".join(result.forfeit_reasons[0])
            raise RuntimeError(
                f"the policy forfeited {result.forfeits[0]} of {result.num_games} games: {reasons}"
            )
        return result
