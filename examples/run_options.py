"""Options of a run: the fields of a dataclass, each with a default and a line of help."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from typing import Any, TypeVar

Options = TypeVar("Options")


def option(default: Any, text: str, choices: Sequence[str] | None = None) -> Any:
    """Return a field of a dataclass that `parse_options` can explain."""
    return dataclasses.field(default=default, metadata={"help": text, "choices": choices})


def parse_options(kind: type[Options], summary: str, arguments: list[str] | None = None) -> Options:
    """Return the options of a command line, as an instance of the dataclass `kind`.

    A ValueError or TypeError of the dataclass ends the program with its message.
    """
    parser = argparse.ArgumentParser(
        description=summary, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        flag = "--" + field.name.replace("_", "-")
        settings: dict[str, Any] = {"default": field.default, "help": field.metadata["help"]}
        if field.metadata["choices"]:
            settings["choices"] = field.metadata["choices"]
        if isinstance(field.default, bool):
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, **settings)
        else:
            parser.add_argument(flag, type=type(field.default), **settings)
    values = vars(parser.parse_args(arguments))
    try:
        options = kind(**values)
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    if not getattr(options, "minutes", 0) and not getattr(options, "plies", 0):
        parser.error("a run needs --minutes or --plies")
    return options
