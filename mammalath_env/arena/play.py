"""One game between two agents, whatever they do."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Sequence

from mammalath_env.agents import TextAgent, require_plays
from mammalath_env.arena.decoding import MAX_INTEGER
from mammalath_env.arena.faults import Fault, ask, attempt, evaluation_of, show_forfeit
from mammalath_env.arena.guests import GuestAgent
from mammalath_env.arena.players import warm_up
from mammalath_env.arena.records import AGENT_FAILED, OUT_OF_TIME, UNFINISHED, GameRecord
from mammalath_env.arena.specs import AgentSpec, build_agent, name_of
from mammalath_env.arena.time_control import UNTIMED, GameClocks, TimeControl
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.stream import derive_seeds
from mammalath_env.games import checked_game
from mammalath_env.ugi.client import EngineAgent


def play_game(
    game: str | Game,
    agents: Sequence[AgentSpec | TextAgent],
    *,
    seed: int,
    position: Position | str | None = None,
    max_plies: int | None = None,
    time_control: TimeControl = UNTIMED,
) -> GameRecord:
    """Play a game and return its record.

    An agent that raises an error when it is asked for an action, takes too long, or answers with
    anything but a legal one, as a number or in notation, forfeits the game. The record says so, and
    the logger ``mammalath_env`` prints a warning with the traceback to standard error. Faults that
    are not the agent's own are raised. All agents but engines run in this process.

    Args:
        game: What to play, a game or the name of one.
        agents: Player 0 and player 1: agents, or whatever `make_agent` takes.
        seed: From 0 to 2**64 - 1. The seeds of the deal and of the two agents are
            ``derive_seeds(seed, 3)``; agents that are passed in keep their own.
        position: Where to start instead of a deal, a position or its text.
        max_plies: Leave the game unfinished after this many plies, at least 1.
        time_control: The time that the agents have.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: There is no such agent, `seed` or `max_plies` is out of range, or `position` is
            not of this game or the game is over in it, or an agent cannot play the game.
        PackageFaultError: An agent of the package failed, which is a bug.
        MemoryError, OSError: The machine failed: it is out of memory, or a disk is full or broken.
        Exception: Whatever the constructor or factory of an agent raises.
    """
    game = checked_game(game, {})
    if len(agents) != 2:
        raise ValueError(f"a game needs 2 agents, not {len(agents)}")
    deal_seed, *agent_seeds = derive_seeds(checked_integer("seed", seed, 0, MAX_INTEGER), 3)
    if max_plies is not None:
        max_plies = checked_integer("max_plies", max_plies, 1)
    start = game.deal(deal_seed) if position is None else game.checked_position(position)
    if start.is_over:
        raise ValueError(f"the game is over in {start.to_text()!r}")
    (one, seed_of_one), (other, seed_of_other) = map(build_agent, agents, agent_seeds)
    for agent in (one, other):
        require_plays(agent, game)
    record = GameRecord(
        game,
        start.to_text(),
        moves=(),
        players=(name_of(agents[0]), name_of(agents[1])),
        winner=None,
        reason=UNFINISHED,
        agent_seeds=(seed_of_one, seed_of_other),
        deal_seed=deal_seed if position is None else None,
        time_control=time_control.text,
    )
    played = play_from(start, (one, other), record, max_plies, time_control)
    show_forfeit(played, set())
    return played


def play_from(
    start: Position,
    agents: Sequence[TextAgent | Fault],
    record: GameRecord,
    max_plies: int | None = None,
    time_control: TimeControl = UNTIMED,
) -> GameRecord:
    """Play a game with agents that have been built, and return `record` completed.

    Agents in other processes are let go at the end, by their method ``end_game``.

    Args:
        start: The start position, in which the game is not over.
        agents: Player 0 and player 1. One that could not be built is a fault, and forfeits before
            the first move; of two such, the one to move does.
        record: The unfinished game without moves.
        max_plies: Stop after this many plies; None to play to the end.
        time_control: The time that the agents have.
    """
    moves: list[str] = []
    evaluations: list[float | None] = []
    seconds: list[float] = []
    clocks = GameClocks(time_control)
    position = start
    fault: Fault | None = None
    offender: int | None = None
    for player in (1 - start.to_move, start.to_move):
        agent = agents[player]
        if isinstance(agent, Fault):
            fault, offender = agent, player
    is_over = False  # not yet, and never if an exception ends the loop
    try:
        if time_control.is_timed and fault is None:
            _warm_up_all(agents, start.game)
        while fault is None and not position.is_over and len(moves) != max_plies:
            mover = position.to_move
            agent = agents[mover]
            assert not isinstance(agent, Fault)
            limits = clocks.limits(mover)
            began = time.perf_counter()
            answer = ask(agent, position, limits)
            spent = time.perf_counter() - began
            late = clocks.spend(mover, spent)
            if isinstance(answer, Fault):
                fault, offender = answer, mover
                break
            if late is not None:
                fault, offender = Fault(OUT_OF_TIME, late), mover
                break
            moves.append(position.move_text(answer))
            seconds.append(round(spent, 6))
            evaluations.append(evaluation_of(agent, position))
            position = position.play(answer)
        is_over = True
    finally:
        for player, agent in enumerate(agents):
            if isinstance(agent, (EngineAgent, GuestAgent)):
                agent.end_game(failed=player == offender or not is_over)

    outcome = position.outcome
    winner, reason, detail, trace = None, UNFINISHED, None, None
    if outcome is not None:
        winner, reason = outcome.winner, outcome.termination.label
    elif fault is not None and offender is not None:
        reason, detail, trace = fault
        winner = 1 - offender
    return dataclasses.replace(
        record,
        moves=tuple(moves),
        winner=winner,
        reason=reason,
        offender=offender,
        detail=detail,
        traceback=trace,
        evaluations=tuple(evaluations) if any(v is not None for v in evaluations) else None,
        seconds=tuple(seconds),
    )


def _warm_up_all(agents: Sequence[TextAgent | Fault], game: Game) -> None:
    for agent in agents:
        if not isinstance(agent, Fault):
            attempt(AGENT_FAILED, functools.partial(warm_up, agent, game), of=agent)
