"""``mammalath watch``: two agents play a game through the PettingZoo environment."""

from __future__ import annotations

import secrets
import time

import typer

from mammalath_env.cli.agents import AgentArgument, build_agent
from mammalath_env.cli.options import (
    AsciiOption,
    DelayOption,
    GameOption,
    GameOptions,
    SeedOption,
    build_game,
)
from mammalath_env.cli.positions import describe_deal
from mammalath_env.cli.terminal import busy, default_delay, draw, say, tell


def watch(
    first: AgentArgument = "greedy",
    second: AgentArgument = "random",
    game: GameOption = "mammalath",
    option: GameOptions = None,
    seed: SeedOption = None,
    delay: DelayOption = None,
    ascii_only: AsciiOption = False,
) -> None:
    """Watch two agents play a game; the first is player 0."""
    from mammalath_env.arena.faults import Fault, ask, show_fault
    from mammalath_env.envs.aec import BoardGameEnv

    deal_seed = secrets.randbits(32) if seed is None else seed
    env = BoardGameEnv(build_game(game, option))
    env.reset(seed=deal_seed)
    players = {
        agent: build_agent(name, deal_seed + 1 + seat, env.game)
        for seat, (agent, name) in enumerate(zip(env.possible_agents, (first, second), strict=True))
    }
    sides = zip((first, second), env.game.player_names, strict=True)
    named = dict(zip(players, (f"{name} ({side})" for name, side in sides), strict=True))
    tell(f"{env.game.title}: {' against '.join(named.values())}")
    before = env.position
    if seeded := describe_deal(before, deal_seed, seed):
        say(seeded)
    say()
    typer.echo(draw(before, ascii_only=ascii_only))
    for agent in env.agent_iter():
        if env.terminations[agent]:
            env.step(None)
            continue
        with busy(f"{named[agent]} is thinking"):
            action = ask(players[agent], before)
        if isinstance(action, Fault):
            tell(f"\n{named[agent]} loses: {action.detail}")
            show_fault(players[agent], action)
            return
        env.step(action)
        time.sleep(default_delay(delay))
        position = env.position
        typer.echo("\n" + draw(position, before, action, ascii_only=ascii_only))
        before = position
    if before.outcome is not None:
        winner = before.outcome.winner
        who = "Drawn" if winner is None else f"{list(named.values())[winner]} won"
        tell(f"\n{who}: {env.game.describe_end(before)}")
