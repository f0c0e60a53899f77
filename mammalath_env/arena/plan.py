"""The plan of a match: with an index it determines a game."""

from __future__ import annotations

import dataclasses
import zlib

from mammalath_env.arena.decoding import MAX_INTEGER
from mammalath_env.arena.play import play_from
from mammalath_env.arena.players import build_player
from mammalath_env.arena.records import UNFINISHED, GameRecord, MatchPlace
from mammalath_env.arena.specs import NAME_THEM, AgentSpec, checked_spec
from mammalath_env.arena.time_control import UNTIMED, TimeControl
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.stream import derive_seeds


@dataclasses.dataclass(frozen=True)
class MatchPlan:
    """A match to be played. Each game depends on the plan and its index only.

    Attributes:
        game: What to play.
        specs: The first and the second agent.
        num_deals: Deals; there are twice as many games.
        seed: The source of all seeds: of the deals together with their index, of the agents
            together with their names too.
        time_control: The time that the agents have.
        agents: The names of the agents, which other processes may not find in `specs`.
    """

    game: Game
    specs: tuple[AgentSpec, AgentSpec]
    num_deals: int
    seed: int
    time_control: TimeControl = UNTIMED
    agents: tuple[str, str] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        """Check the plan, but not whether the agents can be built (`check_contestants`).

        Raises:
            TypeError: A value has the wrong type, or an agent no name.
            ValueError: A number is out of range, or two agents have one name.
        """
        checked_integer("num_deals", self.num_deals, 1)
        checked_integer("seed", self.seed, 0, MAX_INTEGER)
        one, other = (checked_spec(spec) for spec in self.specs)
        if one == other and self.specs[0] != self.specs[1]:
            raise ValueError(f"two agents must have different names, not {one!r} both: {NAME_THEM}")
        object.__setattr__(self, "agents", (one, other))

    @property
    def num_games(self) -> int:
        """Games of the match."""
        return 2 * self.num_deals

    def start(self, index: int) -> Position:
        """Return the start position of a game."""
        return self.game.deal(self._deal_seed(index))

    def _deal_seed(self, index: int) -> int:
        return derive_seeds(self.seed, 1, index // 2)[0]

    def play(self, index: int) -> GameRecord:
        """Play one game; an agent that cannot be built forfeits it."""
        start = self.start(index)
        # In the order of the match; which agent is player 0 depends on the deal.
        names = zlib.crc32("\n".join(self.agents).encode("utf-8", "backslashreplace"))
        seeds = derive_seeds(self.seed, 2, index // 2, 1 + index % 2, names)
        one, other = _agents_by_player(start, index)
        agents = [build_player(self.specs[k], seeds[k], self.game) for k in (one, other)]
        record = GameRecord(
            self.game,
            start.to_text(),
            moves=(),
            players=(self.agents[one], self.agents[other]),
            winner=None,
            reason=UNFINISHED,
            agent_seeds=(seeds[one], seeds[other]),
            deal_seed=self._deal_seed(index),
            time_control=self.time_control.text,
            match=MatchPlace(self.agents, self.seed, index),
        )
        return play_from(start, agents, record, time_control=self.time_control)

    def matches(self, record: GameRecord) -> bool:
        """Return whether `record` has the start position, the players and the time of its game."""
        assert record.match is not None
        start = self.start(record.match.index)
        one, other = _agents_by_player(start, record.match.index)
        players = (self.agents[one], self.agents[other])
        return (record.start, record.players, record.time_control) == (
            start.to_text(),
            players,
            self.time_control.text,
        )


def _agents_by_player(start: Position, index: int) -> tuple[int, int]:
    """Return which agent of the match, 0 or 1, is player 0, and which is player 1."""
    return (0, 1) if start.to_move == index % 2 else (1, 0)
