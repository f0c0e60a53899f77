"""Import the examples, which are scripts and no package."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

from tests.processes import ROOT


def example(file_name: str) -> ModuleType:
    """Return an example as a module; what it does as a script is left out."""
    path = ROOT / "examples" / file_name
    spec = importlib.util.spec_from_file_location(f"examples.{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parameters(module: Any) -> list[Any]:
    """Return copies of the parameters of a PyTorch module."""
    return [parameter.detach().clone() for parameter in module.parameters()]


def any_changed(before: list[Any], module: Any) -> bool:
    """Return whether a parameter of a PyTorch module differs from its copy."""
    now = module.parameters()
    return any(bool((old != new).any()) for old, new in zip(before, now, strict=True))
