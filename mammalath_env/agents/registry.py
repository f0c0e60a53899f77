"""Agents by name: those of the package, and custom ones as ``module:name``."""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mammalath_env.agents.agent import Agent
from mammalath_env.agents.function import FunctionAgent, first_parameter, takes_position
from mammalath_env.core.checks import nearest, unknown_choice

if TYPE_CHECKING:
    import numpy as np

AGENTS: dict[str, str] = {
    "random": "mammalath_env.agents.random:RandomAgent",
    "greedy": "mammalath_env.agents.greedy:GreedyAgent",
    "alphabeta": "mammalath_env.agents.alphabeta:AlphaBetaAgent",
    "mcts": "mammalath_env.agents.mcts:MCTSAgent",
    "neural": "mammalath_env.agents.neural:NeuralAgent",
    "level": "mammalath_env.agents.levels:LevelAgent",
}
"""The agents of the package, by the name that `make_agent` takes; they are loaded when needed."""

ENGINE = "engine"
"""The name of engines in other processes, which a command line follows instead of options."""

_ENGINE_AGENT = "mammalath_env.ugi.client:EngineAgent"

# The option that a plain integer sets, as in ``level:3``.
_SET_BY_INTEGER = {"level": "number"}

# What a newcomer types for "module:name", with options or without.
_DOTTED = re.compile(r"([^\W\d]\w*(?:\.\w+)*)\.([^\W\d]\w*)((?::[^:=]+=.*)?)")
_FILE = re.compile(r"(?:\.[/\\])?(.+?)\.py(?::(.*))?")
_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
# An option in the value of another one.
_SECOND_OPTION = re.compile(r":([^\W\d]\w*=)")

_NAME_IT = "a function that chooses moves must name its first parameter 'position'"

_FLAGS = {"true": True, "false": False}
_NUMBER = re.compile(r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def is_in_module(name: str) -> bool:
    """Return whether a name is that of a custom agent, ``module:name``."""
    return name.partition(":")[0] not in (*AGENTS, ENGINE)


def agent_options(name: str) -> list[str]:
    """Return the names of the options that the agent `name` takes.

    Raises:
        ValueError: There is no such agent.
    """
    return [each.name for each in _options(_factory(name))]


def option_defaults(name: str) -> dict[str, Any]:
    """Return the options of `agent_options` with their defaults, None where there is none.

    Raises:
        ValueError: There is no such agent.
    """
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return {
        each.name: None if each.default is inspect.Parameter.empty else each.default
        for each in _options(_factory(name))
        if each.kind not in variable
    }


def parse_agent(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the options in a text such as ``mcts:simulations=2000,playouts=greedy``.

    ``level:3`` is short for ``level:number=3``.

    Raises:
        ValueError: There is no such agent or option, an option is there twice, or the text has
            another form.
    """
    if not isinstance(text, str):
        raise ValueError(_unknown(text))
    name, colon, rest = text.partition(":")
    if colon and name not in (*AGENTS, ENGINE):
        if _DOTTED.fullmatch(text) or _FILE.fullmatch(text):
            raise ValueError(_unknown(text))
        path, _, rest = rest.partition(":")
        name = f"{name}:{path}"
    if name == ENGINE:
        # A command line may hold anything.
        if not rest.strip():
            raise ValueError(f"agent {text!r}: expected a command line, as in 'engine:./program'")
        return name, {"command": rest}
    options: dict[str, Any] = {}
    for part in rest.split(",") if rest else []:
        if name in _SET_BY_INTEGER and part.isdecimal():
            part = f"{_SET_BY_INTEGER[name]}={part}"
        option, equals, value = part.partition("=")
        if not equals or not value:
            raise ValueError(
                f"agent {text!r}: expected options as name=value with commas between, not {part!r}"
            )
        if option in options:
            raise ValueError(f"agent {text!r}: option {option!r} is given twice")
        if second := _SECOND_OPTION.search(value):
            raise ValueError(
                f"agent {text!r}: options are separated by commas: write ',{second[1]}' for "
                f"'{second[0]}'"
            )
        options[option] = option_value(value)
    _check_options(name, _factory(name), options)
    return name, options


def make_agent(
    name: str | Callable[..., Any],
    seed: int | np.random.Generator | None = None,
    **options: Any,
) -> Agent:
    """Return a new agent.

    Args:
        name: A key of `AGENTS`, or ``module:name`` for a custom agent: a class or a function,
            found by its name in a module that Python can import. Options may follow, as in
            ``"alphabeta:depth=4"`` or ``"my_agents:Policy:path=best.pt"``; they are passed by
            keyword, as `option_value` reads them. The class or function itself is taken too.
            A function whose first parameter is named ``position`` or annotated as a `Position`
            chooses moves (see `takes_position`); any other, and every class, is called with the
            seed and returns an agent, or a function that chooses moves.
        seed: An integer of at least 0, a generator to draw from, or None for a random seed.
        **options: More options of the agent.

    Returns:
        The agent. A custom one may answer with a move in notation: `chosen_action` asks any agent.

    Raises:
        ValueError: There is no such agent or option, or a value is impossible.
        TypeError: The seed or an option has the wrong type, or `name` makes no agents.
    """
    found: dict[str, Any] = {}
    factory: Callable[..., Any]
    if hasattr(name, "act") and not isinstance(name, type):
        raise TypeError(f"{name!r} is an agent already: use it as it is")
    if callable(name):
        names = (getattr(name, "name", None), getattr(name, "__qualname__", None))
        plain = next((each for each in names if isinstance(each, str)), repr(name))
        factory = name
    else:
        plain, found = parse_agent(name)
        factory = _factory(plain)
    _check_options(plain, factory, options)
    options = found | options
    if takes_position(factory):
        function = functools.partial(factory, **options) if options else factory
        agent: Any = FunctionAgent(function, plain)
        return agent  # it may answer in notation
    try:
        inspect.signature(factory).bind(seed, **options)
    except TypeError as error:
        raise TypeError(
            f"agent {plain!r} is called with a seed, and with its options by keyword, which does "
            f"not fit: {error}"
        ) from None
    except ValueError:  # some built-in functions tell no parameters
        pass
    try:
        agent = factory(seed, **options)
    except AttributeError as error:
        if isinstance(seed, int) and error.obj is seed:
            raise TypeError(
                f"agent {plain!r} was called with a seed, but uses it as something else ({error}): "
                f"{_NAME_IT}"
            ) from error
        raise
    if not hasattr(agent, "act") and takes_position(agent):
        return FunctionAgent(agent, plain)  # type: ignore[return-value]  # as above
    if not hasattr(agent, "act"):
        hint = "" if isinstance(factory, type) else f"; {_NAME_IT}"
        raise TypeError(f"{plain} returned {agent!r}, which has no method act{hint}")
    return agent


def _factory(name: str) -> Callable[..., Any]:
    """Return the class or function that makes agents of this name, or is one."""
    module_name, _, path = {**AGENTS, ENGINE: _ENGINE_AGENT}.get(name, name).partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), *path.split("."))):
        raise ValueError(_unknown(name))
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        # An error of an import inside the module is raised as it is.
        if not f"{module_name}.".startswith(f"{error.name}."):
            raise
        near = nearest(module_name, _neighbours())
        hint = "" if near is None else f"; did you mean '{near}:{path}'?"
        raise ValueError(f"agent {name!r}: there is no module {error.name!r}{hint}") from None
    try:
        found = functools.reduce(getattr, path.split("."), module)
    except AttributeError as error:
        near = nearest(path, [each for each, value in vars(module).items() if callable(value)])
        hint = "" if near is None else f"; did you mean {module_name}:{near}?"
        raise ValueError(f"agent {name!r}: {error}{hint}") from None
    if not callable(found):
        raise TypeError(
            f"agent {name!r} must be a class or a function that takes a seed, or a function of a "
            f"position, not {found!r}"
        )
    return found


def _unknown(name: object) -> str:
    """Return the message that there is no such agent, with what was probably meant."""
    text = name if isinstance(name, str) else ""
    module, colon, rest = text.partition(":")
    if file := _FILE.fullmatch(text):
        return f"unknown agent {name!r}: {_how_to_name_a_file(file[1], file[2] or 'NAME')}"
    if dotted := _DOTTED.fullmatch(text):
        return f"unknown agent {name!r}: did you mean '{dotted[1]}:{dotted[2]}{dotted[3]}'?"
    if "-" in module and rest:
        plain = module.replace("-", "_")
        return (
            f"unknown agent {name!r}: the name of a module has no '-': rename the file, and use "
            f"'{plain}:{rest}'"
        )
    near = nearest(module, AGENTS)
    if colon and near:
        return f"unknown agent {name!r}: did you mean '{near}:{rest}'?"
    hint = "" if near is None or colon else f"; did you mean {near!r}?"
    if module in _neighbours() and not rest:
        hint = f"; did you mean '{module}:NAME', with the name of a class or function in it?"
    listed = ", ".join(map(repr, AGENTS))
    return (
        f"unknown agent {name!r}: expected one of {listed}, engine:COMMAND LINE, "
        f"or module:name for a custom agent{hint}"
    )


def _how_to_name_a_file(path: str, rest: str) -> str:
    """Return how to name the agent of a file, given without its suffix, or where it is found."""
    *folders, stem = re.split(r"[/\\]", path)
    module = ".".join([*folders, stem])
    if _MODULE.fullmatch(module):
        return f"did you mean '{module}:{rest}'?"
    if not _MODULE.fullmatch(stem):
        return f"rename the file: {stem!r} cannot be the name of a module"
    return f"go to the folder of the file, and use '{stem}:{rest}'"


def _neighbours() -> list[str]:
    """Return the modules of the current folder, if Python or the command line searches it."""
    folder = Path.cwd()
    if not {"", str(folder)} & set(sys.path):
        return []
    return sorted(path.stem for path in folder.glob("*.py"))


def _options(factory: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters after the first one, which is the seed or the position."""
    return list(inspect.signature(factory).parameters.values())[1:]


def _check_options(name: str, factory: Callable[..., Any], options: Mapping[str, Any]) -> None:
    if not options:
        return
    known = _options(factory)
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in known):
        return
    names = [each.name for each in known]
    first = first_parameter(factory)
    for option in options:
        if first is not None and option == first.name:
            raise ValueError(f"agent {name!r}: {option!r} is no option: every agent is passed one")
        if not names:
            raise ValueError(f"agent {name!r} takes no options, and so not {option!r}")
        if option not in names:
            raise ValueError(f"agent {name!r}: {unknown_choice('option', option, names)}")


def option_value(text: str) -> bool | int | float | str:
    """Return the value of an option that is given as text.

    Returns:
        A bool for ``true`` or ``false``, a number for one in usual notation, and otherwise the
        text itself, such as ``007``, ``1_000``, ``nan`` or more digits than Python reads.
    """
    if text.lower() in _FLAGS:
        return _FLAGS[text.lower()]
    if not _NUMBER.fullmatch(text):
        return text
    try:
        return int(text)
    except ValueError:
        number = float(text)
        return number if math.isfinite(number) else text
