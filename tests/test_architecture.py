"""Which parts import which, and what an import loads."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from mammalath_env.games import GAMES
from tests.processes import ROOT, run_code

PACKAGE = ROOT / "mammalath_env"
MODULES = sorted(PACKAGE.rglob("*.py"))

# What each part of the package may import from it. Modules right in the package are parts too.
ALLOWED: dict[str, set[str]] = {
    "core": {"core"},
    "games": {"core", "games"},
    "agents": {"core", "agents"},
    "ugi": {"core", "games", "agents", "ugi"},
    "arena": {"core", "games", "agents", "ugi", "arena"},
    "rendering": {"core", "games", "rendering"},
    "envs": {"core", "games", "agents", "envs"},
    "integrations": {"core", "games", "agents", "envs", "arena", "integrations"},
    "cli": {"core", "games", "agents", "ugi", "arena", "rendering", "envs", "cli", "mammalath_env"},
    "mammalath_env": {"agents", "arena", "envs", "games", "rendering"}.union(
        f"{name}_v0" for name in GAMES
    ),
    "__main__": {"cli"},
    **{f"{name}_v0": {"envs"} for name in GAMES},
}
# What they may also import, but only while a function runs.
ALLOWED_LATE = {"core": {"rendering"}, "envs": {"rendering"}, "arena": {"mammalath_env"}}
# Where alone the first of these may be: positions draw themselves when they are asked to.
DRAWS_ITSELF = PACKAGE / "core" / "position.py"

# Other packages that each part may import, besides Python's own. Parts not named here are free.
ALLOWED_OTHERS = {
    "core": {"numpy", "numba"},
    "games": {"numpy", "numba"},
    "agents": {"numpy", "numba", "safetensors"},
    "rendering": {"numpy", "rich", "PIL"},
}
REINFORCEMENT_LEARNING = {"gymnasium", "pettingzoo", "torch", "stable_baselines3", "sb3_contrib"}
NOT_LOADED = ["rich", "typer", "PIL", "matplotlib", "pygame", "torch", "jax", "stable_baselines3"]


class Import(NamedTuple):
    """One imported module.

    Attributes:
        module: Its full name.
        late: Whether it is imported only when a function is called.
    """

    module: str
    late: bool


def imports_of(path: Path) -> Iterator[Import]:
    """Yield what a module of the package imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    late = {
        inner
        for outer in ast.walk(tree)
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node in late)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import in line {node.lineno}"
            assert node.module is not None
            for alias in node.names:
                # A name from the package itself may be a part of it.
                whole = f"{node.module}.{alias.name}"
                yield Import(whole if node.module == PACKAGE.name else node.module, node in late)


def part_of(path: Path) -> str:
    """Return the part that a module of the package belongs to."""
    inside = path.relative_to(PACKAGE)
    if len(inside.parts) > 1:
        return inside.parts[0]
    return PACKAGE.name if inside.stem == "__init__" else inside.stem


def imported_part(module: str) -> str | None:
    """Return the part that an imported module belongs to, or None for other packages."""
    names = module.split(".")
    if names[0] != PACKAGE.name:
        return None
    inside = PACKAGE / names[1] if len(names) > 1 else PACKAGE
    if len(names) > 1 and (inside.is_dir() or inside.with_suffix(".py").exists()):
        return names[1]
    return PACKAGE.name


def module_id(path: Path) -> str:
    """Return a short name of a file for test reports."""
    return path.relative_to(ROOT).as_posix()


def test_the_reader_of_imports_works() -> None:
    """It finds imports of all forms, in functions too."""
    assert Import("mammalath_env.rendering", True) in imports_of(PACKAGE / "envs" / "pictures.py")
    found = list(imports_of(PACKAGE / "envs" / "aec.py"))
    assert Import("mammalath_env.core.game", False) in found
    # ``from mammalath_env.core import transition``
    assert Import("mammalath_env.core", False) in found
    assert Import("gymnasium", False) in found
    assert imported_part("mammalath_env.core.game") == "core"
    assert imported_part("mammalath_env.mammalath_v0") == "mammalath_v0"
    assert imported_part("mammalath_env.make_game") == imported_part("mammalath_env")
    assert imported_part("numpy.typing") is None
    assert {part_of(path) for path in MODULES} >= {"core", "games", "__main__", "mammalath_env"}


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_imports_point_one_way(path: Path) -> None:
    """Core knows nobody, games know core, and so on; see `ALLOWED`."""
    part = part_of(path)
    assert part in ALLOWED, f"{part} is a new part of the package: say what it may import"
    for module, late in imports_of(path):
        target = imported_part(module)
        if target is None:
            continue
        allowed = ALLOWED[part] | (ALLOWED_LATE.get(part, set()) if late else set())
        assert target in allowed, f"{module_id(path)} imports {module}"


def test_core_draws_in_one_place_alone() -> None:
    """Positions hand out their pictures, and nothing else in core knows that there are any."""
    users = {
        path
        for path in MODULES
        for module, _ in imports_of(path)
        if part_of(path) == "core" and imported_part(module) == "rendering"
    }
    assert users == {DRAWS_ITSELF}


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_games_do_not_know_each_other(path: Path) -> None:
    """A game is one folder, which imports no other game and not the table of games."""
    inside = path.relative_to(PACKAGE).parts
    if inside[0] != "games" or len(inside) < 3:
        return
    for module, _ in imports_of(path):
        if imported_part(module) == "games":
            assert module.split(".")[2:3] == [inside[1]], f"{module_id(path)} imports {module}"


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_other_packages(path: Path) -> None:
    """Rules and agents need NumPy and Numba alone, pictures a drawing library."""
    part = part_of(path)
    if part not in ALLOWED_OTHERS:
        return
    for module, _ in imports_of(path):
        root = module.split(".")[0]
        if root != PACKAGE.name and root not in sys.stdlib_module_names:
            assert root in ALLOWED_OTHERS[part], f"{module_id(path)} imports {module}"
            assert root not in REINFORCEMENT_LEARNING


def test_importing_loads_little() -> None:
    """Neither the package nor its environments load what only drawing and commands need."""
    modules = ["mammalath_env", "mammalath_env.agents", "mammalath_env.envs.aec_policy"]
    modules += [f"mammalath_env.{name}_v0" for name in GAMES]
    loaded = run_code(
        "import json, sys\n"
        f"import {', '.join(modules)}\n"
        f"print(json.dumps([name for name in {NOT_LOADED!r} if name in sys.modules]))"
    )
    assert json.loads(loaded) == []


def test_drawing_loads_what_it_needs() -> None:
    """SVG needs no other package, and pixels need Pillow but nothing for terminals."""
    loaded = run_code(
        "import json, sys\n"
        "from mammalath_env import make_game\n"
        "from mammalath_env.rendering import render_rgb\n"
        "position = make_game('mammalath').deal(1)\n"
        "position.to_svg()\n"
        f"found = [[name for name in {NOT_LOADED!r} if name in sys.modules]]\n"
        "render_rgb(position)\n"
        f"found.append([name for name in {NOT_LOADED!r} if name in sys.modules])\n"
        "print(json.dumps(found))"
    )
    assert json.loads(loaded) == [[], ["PIL"]]


def test_rules_run_without_reinforcement_learning() -> None:
    """Positions and agents need neither Gymnasium nor PettingZoo once the package is imported."""
    loaded = run_code(
        "import json, sys, types\n"
        # The package registers its environments when it is imported: leave that out.
        "package = types.ModuleType('mammalath_env')\n"
        f"package.__path__ = [{str(PACKAGE)!r}]\n"
        "sys.modules['mammalath_env'] = package\n"
        "from mammalath_env.games import GAMES, make_game\n"
        "from mammalath_env.agents import make_agent\n"
        "for name in GAMES:\n"
        "    position = make_game(name).deal(1)\n"
        "    position.play(make_agent('greedy', 1).act(position))\n"
        f"print(json.dumps([n for n in {sorted(REINFORCEMENT_LEARNING)!r} if n in sys.modules]))"
    )
    assert json.loads(loaded) == []
