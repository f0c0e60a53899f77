"""Which puzzles a person has solved, in a small file of JSON."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

_FORMAT = 1


def default_file() -> Path:
    """Return the file in the user's folder for the state of programs; it need not exist."""
    import platformdirs

    return platformdirs.user_state_path("mammalath_env", appauthor=False) / "puzzles.json"


def read_solved(path: Path) -> dict[str, list[str]]:
    """Return the solved puzzles of each game as texts of positions; none without a file.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is damaged, or of another version of the package.
    """
    try:
        data: Any = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no JSON ({error})") from None
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise ValueError(f"it is not of format {_FORMAT}")
    solved = data.get("solved")
    if not isinstance(solved, dict) or not all(
        isinstance(texts, list) and all(isinstance(text, str) for text in texts)
        for texts in solved.values()
    ):
        raise ValueError("it does not list positions by game")
    return solved


def add_solved(path: Path, game: str, position: str) -> None:
    """Add a puzzle to the file: another process sees it before or after, never half of it.

    Raises:
        OSError: The file cannot be read or written.
        ValueError: As for `read_solved`.
    """
    # Read again, as another process may have added some.
    solved = read_solved(path)
    if position in solved.setdefault(game, []):
        return
    solved[game].append(position)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, unfinished = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"format": _FORMAT, "solved": solved}, file, indent=1)
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise
