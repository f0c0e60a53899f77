"""The command ``bench`` says what it measured, and measures both layouts of observations."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from mammalath_env.cli import app
from mammalath_env.envs.lane_vector import LANES_PER_THREAD
from mammalath_env.envs.vector import SelfPlayVectorEnv

SHORT = ("--lanes", "16", "--seconds", "0.01")


def bench(*arguments: str, code: int = 0) -> str:
    """Run the command in this process and return what it printed."""
    result = CliRunner().invoke(app, ["bench", *SHORT, *arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.parametrize(
    ("arguments", "layouts"),
    [
        ((), ["first"]),
        (("--layout", "first"), ["first"]),
        (("--layout", "last"), ["last"]),
        (("--layout", "both"), ["first", "last"]),
        (("--layout", "both", "--game", "mancala"), ["none"]),
    ],
)
def test_the_layout_that_is_shown_is_measured(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], layouts: list[str]
) -> None:
    """In text and in JSON; a game without planes has one layout."""
    built: list[bool] = []
    original = SelfPlayVectorEnv.__init__

    def observed(self: SelfPlayVectorEnv, *args: Any, **options: Any) -> None:
        built.append(options["channels_first"])
        original(self, *args, **options)

    monkeypatch.setattr(SelfPlayVectorEnv, "__init__", observed)
    lines = bench(*arguments).splitlines()
    shown = ["no planes" if each == "none" else f"planes {each}" for each in layouts]
    assert len(lines) == len(layouts)
    assert all(words in line for words, line in zip(shown, lines, strict=True))
    measured = json.loads(bench(*arguments, "--json"))
    assert [each["layout"] for each in measured] == layouts
    assert all(each["steps_per_s"] > 0 for each in measured)
    assert built == [each == "first" for each in layouts] * 2


def test_a_layout_that_does_not_exist() -> None:
    """The message lists the layouts."""
    output = bench("--layout", "frist", code=2)
    for word in ("frist", "'first'", "'last'", "'both'", "did you mean"):
        assert word in output


def test_threads_that_have_no_lanes() -> None:
    """The line says how many lanes the threads would need, and so does the help."""
    line = bench("--threads", "2")
    assert f"1 thread (2 need {2 * LANES_PER_THREAD} lanes)" in " ".join(line.split())
    assert "need" not in bench("--threads", "1")
    helped = CliRunner().invoke(app, ["bench", "--help"]).output
    assert f"each needs {LANES_PER_THREAD} lanes" in " ".join(helped.replace("│", "").split())
