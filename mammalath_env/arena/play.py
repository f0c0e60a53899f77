"""One game between two agents, whatever they do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from mammalath_env.agents import Agent, make_agent
from mammalath_env.agents.agent import require_agent
from mammalath_env.arena.fields import MAX_INTEGER
from mammalath_env.arena.records import (
    AGENT_FAILED,
    ILLEGAL_MOVE,
    UNFINISHED,
    GameRecord,
    MatchPlace,
)
from mammalath_env.core.checks import checked_integer
from mammalath_env.core.game import Game
from mammalath_env.core.position import Position
from mammalath_env.core.stream import derive_seeds, seed_word
from mammalath_env.games import checked_game


class Fault(NamedTuple):
    """Why an agent loses before the end.

    Attributes:
        reason: `AGENT_FAILED` or `ILLEGAL_MOVE`.
        detail: What it did.
    """

    reason: str
    detail: str


AgentSpec: TypeAlias = str | Callable[[int], Agent]
"""How to make an agent: a text that `make_agent` takes, or a callable from a seed to an agent."""

_MAX_DETAIL = 300
_EVALUATION_DIGITS = 3
_NUMBERS = (int, float, np.integer, np.floating)


@dataclasses.dataclass(frozen=True)
class GameSeeds:
    """The seeds of one game.

    Attributes:
        deal: Seed of the deal, or None if the start position is given.
        agents: Seeds of the agents of player 0 and player 1, None where there is none.
    """

    deal: int | None
    agents: tuple[int | None, int | None]


def checked_seed(seed: int) -> int:
    """Return `seed` as an int.

    Raises:
        TypeError: It is not an integer.
        ValueError: It is not from 0 to 2**64 - 1.
    """
    seed_word(seed)
    if seed > MAX_INTEGER:
        raise ValueError(f"a seed must be at most {MAX_INTEGER}, not {seed}")
    return int(seed)


def name_of(spec: AgentSpec | Agent) -> str:
    """Return the name of an agent in tables: a text itself, or what a factory or agent is called.

    A factory may have an attribute ``name``; without one it goes by its name in the code.

    Raises:
        TypeError: `spec` is neither a text, nor a factory or agent that has a name.
    """
    if isinstance(spec, str):
        return spec
    if _is_factory(spec) or hasattr(spec, "act"):
        for attribute in ("name", "__qualname__"):
            name = getattr(spec, attribute, None)
            if isinstance(name, str):
                return name
        raise TypeError(f"give {spec!r} an attribute 'name', for tables and records")
    raise TypeError(
        f"an agent must be a text such as 'greedy' or a callable from a seed to an agent, "
        f"not {spec!r}"
    )


def _is_factory(spec: object) -> bool:
    """Return whether `spec` makes agents; a class of agents does, an agent does not."""
    return callable(spec) and (isinstance(spec, type) or not hasattr(spec, "act"))


def build_agent(spec: AgentSpec | Agent, seed: int) -> tuple[Agent, int | None]:
    """Return the agent that `spec` describes, and the seed it was given, if it was given one.

    Raises:
        ValueError: `spec` is a text, and there is no such agent or option.
        TypeError: `spec` describes no agent, or the factory returned something else.
        Exception: What the factory or the agent's constructor raises.
    """
    if isinstance(spec, str):
        return make_agent(spec, seed), seed
    name_of(spec)
    if not callable(spec) or not _is_factory(spec):
        return spec, None  # type: ignore[return-value]
    agent = spec(seed)
    require_agent(agent, name_of(spec))
    return agent, seed


def try_to_build(spec: AgentSpec, seed: int) -> Agent | Fault:
    """Return the agent that `spec` describes, or why there is none, unless that is Ctrl-C."""
    try:
        return build_agent(spec, seed)[0]
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Fault(AGENT_FAILED, describe_error(error))


def play_game(
    game: str | Game,
    agents: Sequence[AgentSpec | Agent],
    *,
    seed: int,
    position: Position | str | None = None,
    max_plies: int | None = None,
) -> GameRecord:
    """Play a game and return its record.

    An agent that raises anything but KeyboardInterrupt when it is asked for an action, or returns
    what is not a legal one, loses; the record says so, and nothing is raised.

    Args:
        game: What to play, a game or the name of one.
        agents: Who plays player 0 and player 1: texts for `make_agent`, factories, or agents.
        seed: From 0 to 2**64 - 1. The seeds of the deal and of the two agents are
            ``derive_seeds(seed, 3)``; agents that are given as such keep their own.
        position: Where to start instead of a deal, a position or its text.
        max_plies: Stop after so many plies, at least 1, and leave the game unfinished.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: There is no such agent, the seed or `max_plies` is impossible, or `position` is
            none of this game or already decided.
        Exception: An agent cannot be made; this is what its constructor or factory raises.
    """
    game = checked_game(game, {})
    if len(agents) != 2:
        raise ValueError(f"a game needs 2 agents, not {len(agents)}")
    deal_seed, *agent_seeds = derive_seeds(checked_seed(seed), 3)
    if max_plies is not None:
        max_plies = checked_integer("max_plies", max_plies, 1)
    start = game.deal(deal_seed) if position is None else game.checked_position(position)
    if start.is_over:
        raise ValueError(f"the game is over in {start.to_text()!r}")
    built = [build_agent(spec, each) for spec, each in zip(agents, agent_seeds, strict=True)]
    return play_from(
        start,
        (built[0][0], built[1][0]),
        players=(name_of(agents[0]), name_of(agents[1])),
        seeds=GameSeeds(None if position is not None else deal_seed, (built[0][1], built[1][1])),
        max_plies=max_plies,
    )


def play_from(
    start: Position,
    agents: tuple[Agent | Fault, Agent | Fault],
    *,
    players: tuple[str, str],
    seeds: GameSeeds,
    max_plies: int | None = None,
    place: MatchPlace | None = None,
) -> GameRecord:
    """Play from a running position with agents that have been made; see `play_game`.

    Args:
        start: The position.
        agents: Who plays player 0 and player 1. One that could not be made is a fault, and loses
            before the first move; of two such, the one that is to move does.
        players: Their names.
        seeds: The seeds that the record names.
        max_plies: Where to stop, if anywhere.
        place: Where the game belongs in a match.
    """
    game = start.game
    moves: list[str] = []
    evaluations: list[float | None] = []
    position = start
    fault: Fault | None = None
    offender: int | None = None
    for player in (1 - start.to_move, start.to_move):
        agent = agents[player]
        if isinstance(agent, Fault):
            fault, offender = agent, player
    while fault is None and not position.is_over and len(moves) != max_plies:
        agent = agents[position.to_move]
        assert not isinstance(agent, Fault)
        answer = ask(agent, position)
        if isinstance(answer, Fault):
            fault, offender = answer, position.to_move
            break
        moves.append(game.format_move(answer, position))
        evaluations.append(_evaluation(agent, position))
        position = position.play(answer)

    outcome = position.outcome
    winner, reason, detail = None, UNFINISHED, None
    if outcome is not None:
        winner, reason = outcome.winner, outcome.termination.label
    elif fault is not None and offender is not None:
        reason, detail = fault
        winner = 1 - offender
    return GameRecord(
        game=game,
        start=start.to_text(),
        moves=tuple(moves),
        players=players,
        winner=winner,
        reason=reason,
        offender=offender,
        detail=detail,
        agent_seeds=seeds.agents,
        deal_seed=seeds.deal,
        evaluations=tuple(evaluations) if any(v is not None for v in evaluations) else None,
        match=place,
    )


def ask(agent: Agent, position: Position) -> int | Fault:
    """Return the legal action that an agent chooses, or why it loses.

    It loses if it raises anything but KeyboardInterrupt, or returns what is not a legal action.

    Args:
        agent: The agent.
        position: A running position.
    """
    try:
        answer = agent.act(position)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Fault(AGENT_FAILED, describe_error(error))
    try:
        action = position.game.check_action(answer, position)
        position.play(action)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a number of the agent's own may raise anything
        return Fault(ILLEGAL_MOVE, describe_error(error))
    return action


def _evaluation(agent: Agent, position: Position) -> float | None:
    """Return what the agent says `position` is worth to player 0, if it says something possible."""
    try:
        value = getattr(agent, "last_value", None)
        if isinstance(value, bool) or not isinstance(value, _NUMBERS):
            return None
        worth = round(float(value), _EVALUATION_DIGITS)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None
    if not -1 <= worth <= 1:
        return None
    return (worth if position.to_move == 0 else -worth) + 0.0


def describe_error(error: BaseException) -> str:
    """Return an error as one line of limited length, even if it cannot describe itself."""
    try:
        text = f"{type(error).__name__}: {error}"
    except KeyboardInterrupt:
        raise
    except BaseException:
        text = type(error).__name__
    text = " ".join(text.split())
    return text if len(text) <= _MAX_DETAIL else text[: _MAX_DETAIL - 3] + "..."
