"""Loading of compiled code before time counts."""

from __future__ import annotations

from mammalath_env.agents.agent import TextAgent, act_within, as_action
from mammalath_env.agents.analysis import Analyst
from mammalath_env.agents.limits import Limits
from mammalath_env.core.game import Game

_SHORT = Limits(nodes=100, depth=2)


def load_compiled_code(agent: TextAgent, game: Game) -> None:
    """Compile all that an agent needs for moves and analyses of a game, or load it from the disk.

    The agent chooses some moves, so that another one should play: its state has changed.

    Raises:
        Exception: Whatever the agent raises.
    """
    from mammalath_env.agents import AlphaBetaAgent, MCTSAgent

    position = game.deal(0)
    # After its own move an agent uses what is left of its search.
    for _ in range(2):
        action = as_action(act_within(agent, position, _SHORT), position)
        position = position.play(action)
    analysts: list[object] = [agent]
    if isinstance(agent, MCTSAgent):  # which asks it for quicker wins
        analysts.append(AlphaBetaAgent(0))
    for analyst in analysts:
        if isinstance(analyst, Analyst):
            analyst.analyze(position, _SHORT)
