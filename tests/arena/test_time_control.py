"""Time controls, and games that are lost on time."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from mammalath_env import make_game
from mammalath_env.agents import MCTSAgent, RandomAgent
from mammalath_env.agents.limits import Clock, Limits
from mammalath_env.arena import RecordError, play, play_game, play_match, read_records
from mammalath_env.arena.time_control import GameClocks, TimeControl, parse_clock
from mammalath_env.cli import contests
from mammalath_env.core.position import Position
from tests.processes import finish, run_code

GAME = make_game("mancala")


@pytest.mark.parametrize(
    ("control", "text"),
    [
        (TimeControl(), None),
        (TimeControl(move_seconds=1), "1/move"),
        (TimeControl(move_seconds=0.25), "0.25/move"),
        (TimeControl(clock=60, increment=0.5), "60+0.5"),
        (TimeControl(clock=60), "60+0"),
    ],
)
def test_time_controls_as_text(control: TimeControl, text: str | None) -> None:
    """As records have it."""
    assert control.text == text
    assert control.is_timed == (text is not None)


@pytest.mark.parametrize(
    ("text", "clock"),
    [("60+0.5", (60.0, 0.5)), ("60", (60.0, 0.0)), (".5+1.", (0.5, 1.0))],
)
def test_clocks_as_text(text: str, clock: tuple[float, float]) -> None:
    """Seconds and an increment."""
    assert parse_clock(text) == clock


@pytest.mark.parametrize(
    "text", ["", "+1", "1+", "60+0.5+1", "1:00", "-1", "1e3", "nan", ".", "1.2.3"]
)
def test_texts_that_are_no_clock(text: str) -> None:
    """The error shows the form."""
    with pytest.raises(ValueError, match=r"as in 60\+0\.5"):
        parse_clock(text)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"move_seconds": 0}, "move_seconds must be above 0"),
        ({"clock": -1}, "clock must be above 0"),
        ({"clock": float("nan")}, "clock must be"),
        ({"clock": 1, "increment": -1}, "increment must be"),
        ({"margin": -0.1}, "margin must be"),
        ({"timeout": 0}, "timeout must be above 0"),
        ({"clock": 1, "move_seconds": 1}, "not both"),
        ({"increment": 1}, "an increment needs a clock"),
    ],
)
def test_impossible_times(values: dict[str, Any], message: str) -> None:
    """They are refused by name."""
    with pytest.raises(ValueError, match=message):
        TimeControl(**values)


def test_the_command_line_has_the_same_defaults() -> None:
    """It has copies of them."""
    control = TimeControl()
    assert (control.margin, control.timeout) == (contests.DEFAULT_MARGIN, contests.DEFAULT_TIMEOUT)


def test_clocks_count_down() -> None:
    """A move takes its time from the mover's clock, and adds the increment."""
    clocks = GameClocks(TimeControl(clock=10, increment=2, margin=0.5))
    assert clocks.limits(0) == Limits(clock=Clock((10, 10), (2, 2)), timeout=10.5)
    assert clocks.spend(0, 4) is None
    assert clocks.spend(1, 1) is None
    assert clocks.limits(0) == Limits(clock=Clock((8, 11), (2, 2)), timeout=8.5)
    # Within the margin the clock is at 0.
    assert clocks.spend(0, 8.4) is None
    assert clocks.limits(0) == Limits(clock=Clock((2, 11), (2, 2)), timeout=2.5)
    assert clocks.spend(0, 2.6) == "took 2.600 of 2.000 seconds"


def test_a_clock_at_zero_without_a_margin() -> None:
    """Who has taken all of the time is asked for the next move, and loses with it."""
    clocks = GameClocks(TimeControl(clock=10, margin=0))
    assert clocks.spend(0, 10) is None
    limits = clocks.limits(0)
    assert limits.clock == Clock((0, 10))
    assert limits.seconds_for(0) == 0
    assert clocks.spend(0, 0.5) == "took 0.500 of 0.000 seconds"


def test_times_of_moves_are_not_saved() -> None:
    """What a move leaves of its time is lost."""
    clocks = GameClocks(TimeControl(move_seconds=1, margin=0.5))
    for _ in range(3):
        assert clocks.limits(1) == Limits(seconds=1, timeout=1.5)
        assert clocks.spend(1, 1.5) is None
    assert clocks.spend(1, 1.6) == "took 1.600 of 1.000 seconds"


def test_without_a_time_control_nothing_is_late() -> None:
    """Only agents in other processes have a limit."""
    clocks = GameClocks(TimeControl(timeout=7))
    assert clocks.limits(0) == Limits(timeout=7)
    assert clocks.spend(0, 1e9) is None


class SlowClock:
    """Time that passes for `Late` alone, in place of the module ``time``.

    Attributes:
        now: Seconds.
    """

    now = 0.0

    @classmethod
    def perf_counter(cls) -> float:
        """Return the seconds."""
        return cls.now


class Late(RandomAgent):
    """Takes 0.4 seconds for its second move of a game, by `SlowClock`."""

    name = "late"

    def __init__(self, seed: int) -> None:
        """Start a game."""
        super().__init__(seed)
        self._moves = 0

    def act(self, position: Position) -> int:
        """Return a legal action, late."""
        self._moves += 1
        if self._moves == 2:
            SlowClock.now += 0.4
        return super().act(position)


@pytest.fixture
def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let games be timed by `SlowClock`."""
    monkeypatch.setattr(play, "time", SlowClock)


@pytest.mark.usefixtures("slow_clock")
def test_a_late_move_is_not_played() -> None:
    """The game is lost on time, and the record says so."""
    control = TimeControl(clock=0.3, margin=0.05)
    record = play_game(GAME, [Late, "random"], seed=1, time_control=control)
    assert (record.reason, record.offender, record.winner) == ("out of time", 0, 1)
    assert record.detail == "took 0.400 of 0.300 seconds"
    assert record.time_control == "0.3+0"
    assert sum(position.to_move == 0 for position in record.positions()[:-1]) == 1
    record.validate()


@pytest.mark.usefixtures("slow_clock")
def test_games_on_time_are_counted_by_reason(tmp_path: Path) -> None:
    """Not by how late each was; and the file is not that of a match with another time."""
    path = tmp_path / "games.jsonl"
    control = TimeControl(clock=0.3, margin=0.05)
    result = play_match(GAME, Late, "random", 2, seed=1, time_control=control, record_path=path)
    assert result.forfeits == (4, 0)
    assert result.forfeit_reasons == ({"out of time": 4}, {})
    assert {record.time_control for record in read_records(path)} == {"0.3+0"}
    with pytest.raises(RecordError, match=r"line 1: .* time 0\.3\+0, not not limited"):
        play_match(GAME, Late, "random", 2, seed=1, record_path=path, resume=True)
    again = play_match(
        GAME, Late, "random", 2, seed=1, time_control=control, record_path=path, resume=True
    )
    assert again == result


class Told(RandomAgent):
    """Plays at random, and keeps what it was told of its time.

    Attributes:
        limits: Those of each of its moves.
    """

    name = "told"

    def __init__(self, seed: int) -> None:
        """Start a game."""
        super().__init__(seed)
        self.limits: list[Limits] = []

    def act_within(self, position: Position, limits: Limits) -> int:
        """Return a legal action."""
        self.limits.append(limits)
        return super().act(position)


@pytest.mark.usefixtures("slow_clock")
@pytest.mark.parametrize(
    ("control", "limits"),
    [
        (TimeControl(timeout=7), Limits(timeout=7)),
        (TimeControl(move_seconds=0.5, margin=1), Limits(seconds=0.5, timeout=1.5)),
        # It takes no time, and gets some with each move.
        (
            TimeControl(clock=3, increment=0.25, margin=1),
            Limits(clock=Clock((3.25, 3.25), (0.25, 0.25)), timeout=4.25),
        ),
    ],
)
def test_agents_are_told_their_time(control: TimeControl, limits: Limits) -> None:
    """That of their second move; agents of the package search no longer than that."""
    agents = [Told(1), Told(2)]
    play_game(GAME, agents, seed=1, max_plies=3, time_control=control)
    first, other = agents if len(agents[0].limits) == 2 else agents[::-1]
    assert len(other.limits) == 1
    assert first.limits[1] == limits


def test_a_clock_takes_the_place_of_the_default_limit() -> None:
    """An agent that was given no limit takes the time that it has; others keep theirs."""
    position = GAME.deal(1)
    limits = Limits(clock=Clock((1e6, 1e6)), nodes=1500)
    assert MCTSAgent(1, playouts="random").search(position, limits).simulations == 1500
    assert MCTSAgent(1, simulations=10).search(position, limits).simulations == 10


def test_code_is_loaded_before_the_clock_starts() -> None:
    """After the warm-up, no agent loads compiled code in a game, which takes seconds if it is new.

    The agents keep their trees, and prove wins, for which `mcts` looks for quicker ones.
    """
    printed = run_code(
        """
from numba.core.dispatcher import Dispatcher

from mammalath_env import make_game
from mammalath_env.agents import make_agent
from mammalath_env.arena import play_game
from mammalath_env.arena.players import warm_up

game = make_game("mancala")
play_game(game, ("random", "random"), seed=1)
agents = ("mcts:simulations=200", "greedy")
for agent in agents:
    warm_up(make_agent(agent, 0), game)
load = Dispatcher.compile
loaded = []


def spy(self, signature):
    loaded.append(self.py_func.__name__)
    return load(self, signature)


Dispatcher.compile = spy
for seed in range(2):
    play_game(game, agents, seed=seed)
print(loaded)
"""
    )
    assert printed == "[]\n"


SUBCLASS = """
from numba.core import event

from mammalath_env.agents import MCTSAgent
from mammalath_env.arena import TimeControl, play, play_game


class Mine(MCTSAgent):
    name = "mine"


class Listener(event.Listener):
    def on_start(self, found):
        compiled.append(str(found.data["dispatcher"]))

    def on_end(self, found):
        pass


def ask(*arguments):
    with event.install_listener("numba:compile", Listener()):
        return asked(*arguments)


asked, play.ask = play.ask, ask
compiled = []
control = TimeControl(move_seconds=0.02, margin=3600)
for seed in range(5):
    play_game("mancala", [Mine, "alphabeta"], seed=seed, time_control=control)
print(compiled)
"""


def test_nothing_is_compiled_while_time_counts(tmp_path: Path) -> None:
    """Nor loaded, with an empty cache; agents may be subclasses of those of the package."""
    done = finish(sys.executable, "-c", SUBCLASS, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout == "[]\n"
