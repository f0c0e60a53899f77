"""``mammalath watch``: two agents play a game through the PettingZoo environment."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from mammalath_env.agents import AGENTS, make_agent
from mammalath_env.core.errors import choose_from
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.seat import AECPolicy
from mammalath_env.games import GAMES
from mammalath_env.rendering import render_ansi


def _one_of(what: str, choices: list[str]) -> object:
    """Return a callback that refuses values which are not among `choices`."""

    def check(value: str) -> str:
        if value not in choices:
            raise typer.BadParameter(choose_from(what, value, choices))
        return value

    return check


_AGENT_HELP = f"Agent: {', '.join(AGENTS)}."
_check_agent = _one_of("agent", list(AGENTS))
_check_game = _one_of("game", list(GAMES))


def watch(
    first: Annotated[
        str, typer.Argument(help=f"Player 0. {_AGENT_HELP}", callback=_check_agent)
    ] = "greedy",
    second: Annotated[
        str, typer.Argument(help=f"Player 1. {_AGENT_HELP}", callback=_check_agent)
    ] = "random",
    game: Annotated[
        str, typer.Option(help=f"Game: {', '.join(GAMES)}.", callback=_check_game)
    ] = "mammalath",
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of deal and agents; random if left out.")
    ] = None,
    delay: Annotated[
        float | None,
        typer.Option(
            min=0.0, help="Seconds between moves; by default 0.5 in a terminal and 0 elsewhere."
        ),
    ] = None,
    ascii_only: Annotated[
        bool, typer.Option("--ascii", help="Draw with ASCII characters and without colours.")
    ] = False,
) -> None:
    """Watch two agents play a game."""
    in_terminal = sys.stdout.isatty()
    if delay is None:
        delay = 0.5 if in_terminal else 0.0
    color = None if in_terminal else False
    env = BoardGameEnv(game)
    env.reset(seed=seed)
    policies = {
        agent: AECPolicy(make_agent(name, None if seed is None else seed + 1 + seat))
        for seat, (agent, name) in enumerate(zip(env.possible_agents, (first, second), strict=True))
    }
    names = " against ".join(
        f"{name} ({side})"
        for name, side in zip((first, second), env.game.player_names, strict=True)
    )
    typer.echo(f"{env.game.title}: {names}\n")
    before = env.position
    typer.echo(render_ansi(before, color=color, ascii_only=ascii_only))
    for agent in env.agent_iter():
        action = policies[agent](env)
        env.step(action)
        if action is not None:
            time.sleep(delay)
            position = env.position
            picture = render_ansi(position, before, action, color=color, ascii_only=ascii_only)
            typer.echo(f"\n{picture}")
            before = position
