"""Reads what a person types, line by line."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from mammalath_env.cli.terminal import wrapped
from mammalath_env.core.texts import printable

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession


class Prompt:
    """Reads lines: with editing, history and completion in a terminal, plainly elsewhere.

    Attributes:
        in_terminal: Whether both standard input and standard output are terminals.
    """

    def __init__(self) -> None:
        """Look where input comes from and output goes to."""
        self.in_terminal = sys.stdin.isatty() and sys.stdout.isatty()

    def read(self, message: str, words: Iterable[str] = ()) -> str:
        """Return a line without its line break.

        Args:
            message: What stands before the cursor.
            words: What the line may begin with: the tabulator key completes to these.

        Raises:
            EOFError: There is no more input; in a terminal, Ctrl-D was pressed.
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        message = printable(message)
        if not self.in_terminal:
            return input(message)
        *before, last = wrapped(message.rstrip(), get_terminal_size().columns - 1).split("\n")
        for line in before:
            print(line)
        from prompt_toolkit.completion import WordCompleter

        completer = WordCompleter(list(words), ignore_case=True, sentence=True)
        return self._session.prompt(f"{last} ", completer=completer)

    @functools.cached_property
    def _session(self) -> PromptSession[str]:
        # Else it asks the terminal where the cursor is, for menus alone, and warns if none answers.
        os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
        from prompt_toolkit import PromptSession
        from prompt_toolkit.shortcuts import CompleteStyle

        # Like a shell: a menu would keep lines free below the prompt, and push the board away.
        return PromptSession(
            complete_style=CompleteStyle.READLINE_LIKE, complete_while_typing=False
        )
