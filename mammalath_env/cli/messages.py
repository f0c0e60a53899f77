"""Messages of the package in the words of the command line."""

from __future__ import annotations

import re

OPTIONS = {
    "num_deals": "--deals",
    "record_path": "--record",
    "resume": "--resume",
    "max_deals": "--max-deals",
    "elo0": "--elo0",
    "elo1": "--elo1",
    "move_seconds": "--move-seconds",
    "margin": "--margin",
    "timeout": "--timeout",
    "alpha": "--alpha",
    "beta": "--beta",
    "jobs": "--jobs",
    "backend": "--backend",
    "seed": "--seed",
    "num_envs": "--lanes",
    "num_threads": "--threads",
    "depth": "--depth",
    "nodes": "--nodes",
    "seconds": "--seconds",
    "size": "--size",
}
"""Options as they are typed, by the parameter of the package that they set."""

_NAMES = "|".join(OPTIONS)
_VALUE = re.compile(rf"\b({_NAMES})=True\b")
_SUBJECT = re.compile(rf"^({_NAMES})(?= must be )")


def as_typed(message: str) -> str:
    """Return a message of the package with options named as they are typed.

    They are recognized where a message begins with one, as in ``jobs must be``, and as in
    ``resume=True``. Options of agents have names like these, but their messages begin with the
    agent.
    """
    for pattern in (_VALUE, _SUBJECT):
        message = pattern.sub(lambda found: OPTIONS[found[1]], message)
    return message
